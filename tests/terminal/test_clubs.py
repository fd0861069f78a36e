"""Clubs in the terminal: what is told, and an owner and a member at a real room."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from textual.app import App

from pokerroom.terminal.clubs import LINK, ClubScreen, club_results_text, club_text, period_began
from pokerroom.terminal.dialogs import ChoiceDialog, TextDialog
from pokerroom.terminal.hosting import code_of
from pokerroom.terminal.table import TableScreen
from pokerroom_protocol import messages as m
from pokerroom_protocol._declarations import EXAMPLES
from pokerroom_protocol.errors import Code
from tests.terminal.support import new_name, on_a_loop, player

CODE = "q8Zl0c1yQm2rT5uVwX9aBd"


def test_a_club_is_told_with_tables_and_members():
    """Each table has its host, and each member role and chips."""
    (told, *_) = EXAMPLES[m.Club]
    assert isinstance(told, m.Club)
    assert club_text(told.club).splitlines() == [
        "Friday club   owner",
        "Your chips: 300. The bank has issued 1,000.",
        "",
        "Tables",
        "  Friday night   no limit 1/2   2/6   host: alice",
        "",
        "Members",
        "  alice   owner   300",
        "  bob   member   200",
    ]


def test_results_are_told_with_the_payments():
    """A line for each player with the sign of the net; below them is who pays whom."""
    (told, nothing) = EXAMPLES[m.ClubResults]
    assert isinstance(told, m.ClubResults)
    assert isinstance(nothing, m.ClubResults)
    assert club_results_text(told).splitlines() == [
        "alice  +25",
        "carol  -10",
        "bob    -15",
        "",
        "bob pays alice 15",
        "carol pays alice 10",
    ]
    assert club_results_text(nothing) == "No chips were won or lost in this period."


def test_an_invitation_is_a_link_or_a_code():
    """What is neither is told with the text for invitations."""
    for typed in (CODE, f"http://192.0.2.1:4191{LINK}{CODE}"):
        assert code_of(typed, LINK, Code.UNKNOWN_CLUB_CODE) == CODE
    with pytest.raises(ValueError, match="This invitation does not admit you"):
        code_of("short", LINK, Code.UNKNOWN_CLUB_CODE)


@pytest.mark.services
def test_an_owner_and_a_member(room, tmp_path):
    """Create, join by the code, issue chips, buy in with them at a table of the club, close the table, leave."""
    owner, friend = new_name(), new_name()

    async def scenario():
        async with player(room.game_port, tmp_path / "owner", name=owner, size=(100, 30)) as host:
            await host.sees("The long table")
            await host.press("c")
            await host.sees("create a club")
            await host.press("n")
            await host.write("Fridays")
            await host.press("enter")
            await host.until(lambda: isinstance(host.app.screen, ClubScreen), "the club")
            await host.press("i")
            await host.until(lambda: isinstance(host.app.screen, ChoiceDialog), "the invitation")
            code = host.screen_text().partition(LINK)[2][:22]
            host.picture("club-invitation")
            await host.press("escape")
            async with player(room.game_port, tmp_path / "member", name=friend) as member:
                await member.sees("The long table")
                await member.press("c")
                await member.sees("join a club")
                await member.press("j")
                await member.write(code)
                await member.press("enter")
                await member.sees("Fridays")
                await member.press("m")
                await member.sees("Your role in the club does not allow this")
                await host.sees(friend)
                await host.press("m")
                await host.press("2")
                await host.sees("issue chips")
                await host.press("i")
                await host.write("50")
                await host.press("enter")
                await host.sees("The bank has issued 50.")
                await member.sees("Your chips: 50.")
                host.picture("club")
                await member.press("n")
                await member.sees("no limit")
                await member.press("1")
                await member.sees("small blind")
                await member.press("enter")
                await member.until(lambda: isinstance(member.app.screen, TextDialog), "the link")
                await member.press("escape")
                await member.until(lambda: isinstance(member.app.screen, TableScreen), "the table")
                await member.sees("are the host")
                await member.press("s")
                await member.sees("Buy-in at")
                await member.write("50")
                await member.press("enter")
                await member.until(lambda: member.app.screen.table.your_seat is not None, "the seat")
                await host.sees(f"{friend}'s table")
                await host.press("t")
                await host.until(lambda: isinstance(host.app.screen, ChoiceDialog), "the tables")
                await host.press("1")
                await host.until(lambda: host.app.screen.query("#choice-c"), "what to do")
                await host.press("c")
                await host.sees("No table is open.")
                await host.sees(f"{friend}   member   50")
                await host.press("w")
                await host.press("4")
                await host.sees("No chips were won or lost")
                await host.press("escape")
                await host.press("x")
                await host.press("y")
                await host.sees("The long table")

    on_a_loop(scenario)


def test_a_member_who_answers_a_question_meanwhile_has_left_the_club_after_it():
    """The room's answer may come while a dialog is over the club."""
    club = next(example.club for example in EXAMPLES[m.Club] if isinstance(example, m.Club))

    class Port:
        def __init__(self) -> None:
            self.may_answer = asyncio.Event()

        async def asked(self, request, _kind, **_named):
            if isinstance(request, m.CloseClub | m.LeaveClub):
                await self.may_answer.wait()
                return m.Ok(re=1)
            return None

    async def scenario():
        app, port = App(), Port()
        async with app.run_test() as pilot:
            below = app.screen
            await app.push_screen(ClubScreen(port, club, lambda _: None))
            await pilot.press("x", "y")
            await pilot.press("w")
            assert isinstance(app.screen, ChoiceDialog)
            port.may_answer.set()
            await pilot.pause(0.2)
            assert isinstance(app.screen, ChoiceDialog)
            await pilot.press("escape")
            await pilot.pause(0.2)
            assert app.screen is below

    on_a_loop(scenario)


@pytest.mark.parametrize(
    ("days", "at", "began"),
    [
        (0, datetime(2026, 3, 2, 2, tzinfo=UTC), datetime(2026, 3, 1, 12, tzinfo=UTC)),
        (0, datetime(2026, 3, 1, 12, tzinfo=UTC), datetime(2026, 3, 1, 12, tzinfo=UTC)),
        (7, datetime(2026, 3, 8, 20, tzinfo=UTC), datetime(2026, 3, 1, 20, tzinfo=UTC)),
        (None, datetime(2026, 3, 8, 20, tzinfo=UTC), datetime(1970, 1, 1, tzinfo=UTC)),
    ],
)
def test_an_evening_begins_at_noon(days, at, began):
    """As in the browser: two members see the same payments after midnight."""
    assert period_began(days, at) == began.timestamp() * 1000
