"""Leagues in the terminal: the text of a table, and the way to it."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from pokerroom.terminal.dialogs import ChoiceDialog, TextDialog
from pokerroom.terminal.leagues import league_text
from pokerroom_protocol import messages as m
from pokerroom_protocol._declarations import EXAMPLES
from tests.terminal.support import new_name, on_a_loop, player

(TOLD,) = EXAMPLES[m.League]
assert isinstance(TOLD, m.League)


def test_a_table_has_a_line_for_each_player():
    """Points have hundredths; the player's own rank is below if it is not among them."""
    lines = [
        "    1.  ada      275.19   3 of 3 counted, wins: 1",
        "    2.  bob       91.73   10 of 12 counted, wins: 0",
    ]
    head = ["2026-01", "The best 10 results of each player count.", ""]
    assert league_text(TOLD).splitlines() == [*head, *lines]
    first = msgspec.structs.replace(TOLD, ranks=TOLD.ranks[:1])
    assert league_text(first).splitlines() == [*head, lines[0], "", lines[1]]
    assert (
        league_text(msgspec.structs.replace(TOLD, ranks=[])) == "No tournament of this period has ended yet."
    )


@pytest.mark.parametrize(
    ("period", "score", "line"),
    [
        ("week", "points", "Week from 2026-01-01"),
        ("year", "points", "2026"),
        ("ever", "net", "All results count."),
    ],
)
def test_a_period_is_named(period, score, line):
    """And a profit has its sign."""
    ever = {"from_ms": None, "until_ms": None} if period == "ever" else {}
    league = msgspec.structs.replace(TOLD.league, period=period, score=score, best=0)
    text = league_text(msgspec.structs.replace(TOLD, league=league, **ever))
    assert text.splitlines()[0] == line
    assert ("+275.19" in text) == (score == "net")


@pytest.mark.services
def test_a_player_looks_at_a_league(room, tmp_path, monkeypatch):
    """The only one opens at once, of several the player chooses; a room without any says so."""

    async def scenario():
        async with player(room.game_port, tmp_path / "p", name=new_name(), size=(100, 30)) as one:
            await one.sees("The long table")
            await one.press("right", "l")
            await one.sees("This room has no leagues.")
            answers = {m.GetLeagues: m.Leagues(re=0, leagues=[TOLD.league]), m.GetLeague: TOLD}

            before = one.app.asked

            async def asked(request, kind, **how):
                await asyncio.sleep(0)
                return answers.get(type(request)) or await before(request, kind, **how)

            monkeypatch.setattr(one.app, "asked", asked)
            await one.press("l")
            await one.until(lambda: isinstance(one.app.screen, TextDialog), "the table")
            await one.sees("275.19")
            await one.press("l")
            answers[m.GetLeagues] = m.Leagues(re=0, leagues=[TOLD.league, TOLD.league])
            await one.press("l")
            await one.until(lambda: isinstance(one.app.screen, ChoiceDialog), "the leagues")
            await one.press("2")
            await one.sees("275.19")

    on_a_loop(scenario)
