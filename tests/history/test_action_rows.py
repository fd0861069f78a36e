"""Hands as rows: what a program adds up from them is what the ledger booked, and no row has a hidden card."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from pokerroom.history import action_rows
from pokerroom.history.action_rows import COLUMNS, add_rows, no_rows
from pokerroom.history.record import ACTIONS
from pokerroom.rules.rake import RakeTerms
from tests.history.dealt import GAMES, SIT_AND_GO, dealt_hands

HANDS = 60
README = Path(action_rows.__file__).with_name("README.md").read_text()


def rows_of(*stories: Any) -> list[dict[str, Any]]:
    columns = no_rows()
    for each in stories:
        add_rows(columns, each)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def stacks_of(rows: list[dict[str, Any]]) -> dict[int, int]:
    """The stack of each seat at the end."""
    stacks: dict[int, int] = {}
    for row in rows:
        stacks.setdefault(row["seat"], row["stack"])
        assert stacks[row["seat"]] == row["stack"]
        stacks[row["seat"]] += row["amount"] if row["street"] == "end" else -row["amount"]
    return stacks


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    "rake", [None, RakeTerms(bps=450, unit=7, no_flop_no_drop=False)], ids=["free", "raked"]
)
def test_rows_add_up_to_the_stacks(game: str, rake: RakeTerms | None) -> None:
    """Hands of every kind, with short posts, all-ins by the clock and side pots; no player is left out."""
    for dealt in dealt_hands(21, game, HANDS, rake=rake):
        rows = rows_of(dealt.story())
        assert stacks_of(rows) == dealt.stacks
        assert {row["rake"] for row in rows} == {rows[0]["pot"] + put_in(rows) - given_back(rows)}


def put_in(rows: list[dict[str, Any]]) -> int:
    return sum(row["amount"] for row in rows if row["street"] != "end")


def given_back(rows: list[dict[str, Any]]) -> int:
    return sum(row["amount"] for row in rows if row["street"] == "end")


@pytest.mark.parametrize("game", GAMES)
def test_each_row_says_what_the_player_had_before_them(game: str) -> None:
    """A call is what `to_call` says or the rest of the stack; a check or a bet has nothing to call."""
    for dealt in dealt_hands(22, game, HANDS):
        pot = 0
        for number, row in enumerate(rows_of(dealt.story())):
            assert (row["step"], row["pot"] if row["street"] != "end" else pot) == (number, pot)
            pot += row["amount"] if row["street"] != "end" else 0
            match row["action"]:
                case "call":
                    assert row["amount"] == min(row["to_call"], row["stack"])
                case "check" | "bet":
                    assert row["to_call"] == 0
                case "raise":
                    assert row["amount"] > row["to_call"]
            if row["action"] in ACTIONS:
                assert row["all_in"] == (0 < row["amount"] == row["stack"])


def test_rows_of_spectators_have_no_hidden_card() -> None:
    """Whatever the hidden cards are, the rows are the same; a player has their own."""
    shown = 0
    for dealt in dealt_hands(23, "omaha", HANDS):
        rows = rows_of(dealt.story())
        turned_up = {row["seat"] for row in rows if row["action"] == "show"}
        assert {row["seat"] for row in rows if row["cards"] is not None} == turned_up
        shown += len(turned_up)
        own = rows_of(dealt.story(dealt.play.seats[0].account))
        assert {row["seat"] for row in own if row["cards"]} == turned_up | {dealt.play.seats[0].number}
    assert shown


def test_amounts_of_a_sit_and_go_are_chips() -> None:
    """The column says so; the table's id is that of the sit-and-go."""
    (dealt,) = dealt_hands(24, "no_limit", 1)
    assert {row["in_chips"] for row in rows_of(dealt.story(of=SIT_AND_GO))} == {True}
    assert {row["in_chips"] for row in rows_of(dealt.story())} == {False}


def test_the_readme_has_every_column() -> None:
    """In their order, with the words that the files carry."""
    table = re.findall(r"^\| `(\w+)` \| (\w+) \| (.+) \|$", README, re.MULTILINE)
    assert table == [(name, kind, says) for name, (kind, says) in COLUMNS.items()]
