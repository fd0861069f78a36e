"""Tickets in the terminal: their list, the mark of the tournaments that they pay, and the prize that is one."""

from __future__ import annotations

import pytest
from msgspec import structs

from pokerroom.terminal.dialogs import TextDialog
from pokerroom.terminal.tickets import tickets_text
from pokerroom.terminal.tournaments import prize_paid, scheduled_row
from pokerroom_protocol import messages as m
from pokerroom_protocol._declarations import EXAMPLES
from tests.terminal.support import new_name, on_a_loop, player

WON, GIFT = EXAMPLES[m.Tickets][0].tickets
ANNOUNCED = EXAMPLES[m.Tournaments][0].tournaments[0]


def test_the_list_tells_what_each_ticket_is_worth_and_until_when():
    """The time is that of the machine; a gift is none that was won."""
    lines = tickets_text([WON, GIFT]).splitlines()
    assert [lines[0], lines[2]] == ["Sunday evening   11", "Nightly turbo   5"]
    assert lines[1].startswith("  until 2026-")
    assert [lines[1].partition(", ")[2], lines[3].partition(", ")[2]] == ["won", "gift"]
    assert lines[4] == ""
    assert tickets_text([]) == "You have no unused tickets."


@pytest.mark.parametrize(
    ("ticket", "changes", "own"),
    [
        (WON, {"your_status": None}, "ticket"),
        (WON, {"your_status": "out", "phase": "running"}, "ticket"),
        (WON, {}, "registered"),
        (WON, {"your_status": None, "registration_open": False}, ""),
        (WON, {"your_status": None, "buy_in": 1_000}, ""),
        (GIFT, {"your_status": None}, ""),
    ],
)
def test_a_tournament_that_a_ticket_pays_is_marked(ticket, changes, own):
    """While it takes entries, and the player is not in: of the offer, at exactly the price."""
    assert scheduled_row(structs.replace(ANNOUNCED, **changes), [ticket])[1] == own


@pytest.mark.services
def test_a_ticket_is_listed_and_used(room, tmp_path):
    """T shows it, G uses it, and it comes back when the player unregisters."""

    async def scenario():
        name = new_name()
        async with player(room.game_port, tmp_path / "p", name=name, size=(120, 30)) as one:
            await one.sees("The long table")
            await one.press("right", "right", "t")
            await one.sees("You have no unused tickets.")
            await one.press("t")
            await one.sees("Every noon #1")  # the room announces it some seconds after its start
            assert room.command("cashier", "open", "gifts").returncode == 0
            assert room.command("cashier", "fund", "gifts", "7").returncode == 0
            given = room.command("cashier", "give-ticket", name, "noon", "--source", "gifts")
            assert given.returncode == 0, given.stderr
            await one.sees("ticket ")
            await one.press("t")
            await one.until(lambda: isinstance(one.app.screen, TextDialog), "the tickets")
            await one.sees("A ticket pays your entry by itself")
            one.picture("tickets")
            await one.press("t", "g")
            await one.sees("your ticket pays the entry. Use it?")
            await one.press("y")
            await one.sees("Your ticket has paid the entry.")
            await one.press("g")
            await one.sees("ticket ")

    on_a_loop(scenario)


@pytest.mark.parametrize(
    ("prize", "ticket", "told"),
    [
        (440, 0, "Place 2: 4.40 are yours."),
        (1_100, 1_100, "Place 2: your prize is a ticket worth 11. T at the tournaments: your tickets."),
        (
            1_160,
            1_100,
            (
                "Place 2: your prize is a ticket worth 11. T at the tournaments: your tickets."
                " 0.60 are in your wallet."
            ),
        ),
    ],
)
def test_a_prize_that_is_a_ticket_is_told_as_one(prize, ticket, told):
    """It is not in the wallet, but for what is more than its value."""
    assert prize_paid(m.SngPrizePaid(tournament="step.1", place=2, prize=prize, ticket=ticket)) == told
