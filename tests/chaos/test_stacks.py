"""Each hand begins with what the ledger had when it was dealt, to the chip."""

from __future__ import annotations

import pytest

from tests.chaos.evidence import Evidence
from tests.chaos.hand_ids import hand_id_at
from tests.chaos.records import Books, SettledHand, Transfer
from tests.chaos.stacks import ANSWER_S, check_stacks

STACK = "stack:t-1:7"


def moved(kind: str, amount: int, at_s: float) -> tuple[str, int, float]:
    """A transfer to or from the stack."""
    return kind, amount, at_s


def hand(dealt_s: float, stack: int, won: int = 0) -> tuple[float, int, int]:
    """A hand that was dealt with such a stack, and what it changed."""
    return dealt_s, stack, won


def found(*steps: tuple[str, int, float] | tuple[float, int, int]) -> list[str]:
    """What is wrong in the hands of one player, in the order of the ledger; a hand commits a second after its deal."""
    transfers, hands = [], []
    for number, step in enumerate(steps, 1):
        if isinstance(step[0], str):
            kind, amount, at_s = step
            hand_id = ""
        else:
            dealt_s, stack, amount = step
            kind, at_s, hand_id = "hand", dealt_s + 1, hand_id_at(dealt_s)
            seats = [{"seat": 1, "account": 7, "name": "ann", "stack": stack, "end": stack + amount}]
            record = {"seats": seats}
            hands.append(SettledHand(transfer=number, hand_id=hand_id, table="t-1", record=record, deltas=()))
        legs = ((STACK, amount),)
        transfers.append(
            Transfer(number=number, key=hand_id, kind=kind, committed_s=float(at_s), legs=legs)  # type: ignore[arg-type]
        )
    seen = Evidence(lambda: 0.0)
    books = Books(transfers=tuple(transfers), hands=tuple(hands), balances={}, writes=(), names={})
    check_stacks(books, seen.blame)
    return [violation.check for violation in seen.violations]


BUY_IN = moved("buy_in", 100, 1.0)


def test_stacks_follow_from_the_hands_before():
    """Nothing is found where all is right, with a top-up between two hands."""
    assert found(BUY_IN, hand(10, 100, -40), moved("top_up", 30, 15), hand(20, 90, 5), hand(30, 95)) == []


def test_a_top_up_during_a_hand_counts_from_the_next_one_on():
    """It is booked before the hand is."""
    assert found(BUY_IN, moved("top_up", 30, 10.5), hand(10, 100), hand(20, 130)) == []


def test_a_top_up_in_the_millisecond_of_the_deal_may_be_on_the_table():
    """The deal may have waited for it, and a hand's id does not say more."""
    assert found(BUY_IN, moved("top_up", 30, 10.0006), hand(10, 130)) == []
    assert found(BUY_IN, moved("top_up", 30, 10.0006), hand(10, 100)) == []


def test_a_top_up_whose_answer_is_on_its_way_may_come_late():
    """The next hand is not kept waiting for the ledger's answer."""
    late = 10 + ANSWER_S - 0.5
    assert found(BUY_IN, moved("top_up", 30, 10), hand(late, 100), hand(late + 10, 130)) == []


@pytest.mark.parametrize(
    ("what", "steps"),
    [
        ("never put on the table", (moved("top_up", 30, 5), hand(5 + ANSWER_S, 100))),
        ("on the table before it was booked", (moved("top_up", 30, 10.0011), hand(10, 130))),
        ("put on the table twice", (moved("top_up", 30, 5), hand(10, 160))),
        (
            "taken from the table again",
            (moved("top_up", 30, 5), hand(6, 130), hand(8, 100)),
        ),
        (
            "the later one before the earlier one",
            (moved("top_up", 30, 5), moved("top_up", 20, 5.5), hand(6, 120)),
        ),
        (
            "one of two is missing for ever",
            (moved("top_up", 30, 5), moved("top_up", 20, 18), hand(20, 120)),
        ),
        ("less by what is no top-up", (hand(10, 90),)),
    ],
)
def test_what_top_ups_do_not_explain_is_found(what, steps):
    """C1: not a chip more or less than the ledger's transfers say."""
    assert found(BUY_IN, *steps) == ["C1"], what


def test_a_new_buy_in_does_not_hide_what_was_left():
    """C1: a client that left with chips still in their stack has them on the table."""
    assert found(BUY_IN, moved("buy_in", 50, 5), hand(10, 50)) == ["C1"]
