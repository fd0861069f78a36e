"""The checks over rounds against the house find what is planted, and nothing in an honest ledger."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.chaos.records import Books, Transfer
from tests.chaos.rounds import PlayedRound, check_rounds

RECORD: dict[str, Any] = {
    "qualification": "any_pair",
    "board": ["As", "Kd", "7h", "2c", "2d"],
    "bank": {"cards": ["3h", "4s"], "hand": "pair", "qualifies": True},
    "boxes": [
        {
            "box": 1,
            "account": 7,
            "cards": ["Ah", "9c"],
            "hand": "two_pair",
            "outcome": "won",
            "bets": [["ante", 100, 200], ["blind", 100, 100], ["play", 400, 800]],
        }
    ],
    "decisions": [["preflop", 1, "play", 4, False]],
}
ONE = PlayedRound(
    round_id="r1",
    table="boxes-1",
    over=True,
    void=False,
    house=-500,
    meter=0,
    tronc=5,
    stakes=(("bets", 7, 200), ("play", 7, 400), ("tip", 7, 5)),
    players=((7, 605, 1_100),),
    record=RECORD,
)


def books(*keys: str, stakes: int = 0) -> Books:
    """A ledger with these transfers."""
    transfers = tuple(
        Transfer(number=number, key=key, kind="round", legs=(), committed_s=0.0)
        for number, key in enumerate(keys, 1)
    )
    return Books(transfers=transfers, hands=(), balances={"stakes:boxes-1": stakes}, writes=(), names={})


HONEST = books("round:r1:bets", "round:r1")


def found(one: PlayedRound, ledger: Books = HONEST) -> set[str]:
    """The checks that say something."""
    blamed: set[str] = set()
    check_rounds([one], ledger, lambda check, *_: blamed.add(check))
    return blamed


def test_an_honest_round_passes() -> None:
    """So does one that is void, with all bets back and the tip given."""
    assert found(ONE) == set()
    assert found(replace(ONE, void=True, house=0, players=((7, 605, 600),), record={})) == set()


@pytest.mark.parametrize(
    ("planted", "check"),
    [
        (replace(ONE, over=False), "C8"),
        (replace(ONE, house=-501), "C1"),
        (replace(ONE, tronc=4), "C1"),
        (replace(ONE, void=True, house=0, players=((7, 605, 601),), record={}), "C1"),
        (replace(ONE, stakes=(("bets", 7, 200), ("play", 8, 400), ("tip", 7, 5))), "C4"),
        (replace(ONE, record={**RECORD, "board": ["Qs", "Kd", "7h", "2c", "2d"]}), "C4"),
    ],
)
def test_what_cannot_be_is_found(planted: PlayedRound, check: str) -> None:
    """A round without an end, with other money, with bets of another, or with a result that its cards do not give."""
    assert check in found(planted)


def test_what_is_booked_twice_or_left_on_a_table_is_found() -> None:
    """By the keys of the transfers, and by what lies on the table in the end."""
    assert found(ONE, books("round:r1:bets", "round:r1", "round:r1")) == {"C3"}
    assert found(ONE, books("round:r1:bets", "round:r1", stakes=5)) == {"C1"}
