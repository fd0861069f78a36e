"""A hand that is in no ledger is excused by nothing but a loss of its journal, and by what its players were told."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chaos.evidence import Evidence
from tests.chaos.hand_ids import begun_s, hand_id_at
from tests.chaos.hands import Hand, Wipe
from tests.chaos.lost_hands import FOUND_S, ON_ITS_WAY_S, check_followed, check_unsettled, dealt

TABLE = "t-1"
LOST = hand_id_at(90.0)
WIPE = Wipe(from_s=95.0, until_s=97.0)


def lost(**changes: Any) -> Hand:
    """A hand that was dealt at 90 s and told of to two players; no client knows its end."""
    hand = Hand(table=TABLE, hand_id=LOST, start={1: ("ann", 100), 2: ("bob", 80)})
    for name, value in changes.items():
        setattr(hand, name, value)
    return hand


def found(
    hand: Hand,
    *others_s: float,
    wipes: tuple[Wipe, ...] = (WIPE,),
    latest: str = "",
    missing: dict[str, list[float]] | None = None,
) -> list[str]:
    """The checks that were violated; other hands of the table were dealt at `others_s` and settled."""
    seen = Evidence(lambda: 100.0)
    seen.hands[hand.hand_id] = hand
    seen.wipes = list(wipes)
    seen.latest[TABLE] = latest
    seen.missing = missing or {}
    times = dealt(seen, [(TABLE, at_s) for at_s in others_s])[TABLE]
    check_unsettled(hand, seen, times, seen.blame)
    return [violation.check for violation in seen.violations]


def test_an_id_tells_when_the_hand_was_dealt():
    """To the millisecond."""
    assert begun_s(hand_id_at(1_700_000_000.123)) == 1_700_000_000.123


def test_a_hand_in_progress_when_redis_was_emptied_may_be_void():
    """C5: whatever was told of its end since."""
    assert found(lost(void_s=97.5, ends={"ann": True}), 80.0, 99.0) == []


def test_a_hand_in_progress_at_the_end_is_no_lost_one():
    """The table was told of none since."""
    assert found(lost(), wipes=(), latest=LOST) == []


@pytest.mark.parametrize(
    ("what", "hand", "others_s", "wipes"),
    [
        ("no wipe at all", lost(), (), ()),
        ("dealt after it", lost(), (), (Wipe(from_s=85.0, until_s=89.0),)),
        ("another hand was dealt before it", lost(), (92.0,), (WIPE,)),
        ("told to be void before it", lost(void_s=94.0, ends={"ann": True}), (), (WIPE,)),
        ("played on long after it", lost(acted_s=WIPE.until_s + ON_ITS_WAY_S + 0.1), (), (WIPE,)),
    ],
)
def test_a_hand_whose_journal_was_there_is_not_excused(what, hand, others_s, wipes):
    """C5: a wipe of Redis explains only what was in progress at that moment."""
    assert found(hand, *others_s, wipes=wipes) == ["C5"], what


@pytest.mark.parametrize(
    ("missing", "wrong"),
    [
        ({TABLE: [96.0]}, []),
        ({TABLE: [60.0, WIPE.until_s + FOUND_S]}, []),
        ({}, ["C5"]),
        ({"t-2": [96.0]}, ["C5"]),
        ({TABLE: [WIPE.from_s - 0.1, WIPE.until_s + FOUND_S + 0.1]}, ["C5"]),
    ],
)
def test_where_another_server_took_over_only_tables_with_missing_entries_are_void(missing, wrong):
    """C5: and a node has found that out at that time."""
    replaced = Wipe(from_s=WIPE.from_s, until_s=WIPE.until_s, lost="last moments")
    assert found(lost(), wipes=(replaced,), missing=missing) == wrong


def test_a_restart_that_lost_nothing_excuses_no_hand():
    """C5: whatever a node says is missing."""
    kept = Wipe(from_s=WIPE.from_s, until_s=WIPE.until_s, lost="nothing")
    assert found(lost(), wipes=(kept,), missing={TABLE: [96.0]}) == ["C5"]


def test_an_action_that_was_on_its_way_is_no_play_after_the_wipe():
    """C5: told by a node that was stopped when Redis was emptied."""
    assert found(lost(acted_s=WIPE.until_s + ON_ITS_WAY_S - 0.1)) == []


def test_a_result_without_a_settlement_is_found():
    """C3: the ledger has it not, whatever Redis has lost."""
    assert found(lost(ends={"ann": False})) == ["C3"]


@pytest.mark.parametrize(("bob", "wrong"), [(80, []), (70, ["C1"])])
def test_a_void_hand_has_moved_nothing(bob, wrong):
    """C1: a client that is shown the table without it is shown the stacks as at its start."""
    assert found(lost(left={"ann": (98.0, {"ann": 100, "bob": bob})})) == wrong


def test_stacks_after_the_next_hand_are_no_ones_of_the_void_hand():
    """C1: they are compared where no other hand was dealt in between."""
    assert found(lost(left={"ann": (98.0, {"ann": 100, "bob": 70})}), 97.5) == []


def test_a_client_that_waits_for_the_end_of_a_hand_for_ever_is_found():
    """C3: of those who are connected at the end; others may have missed it."""
    seen = Evidence(lambda: 100.0)
    seen.follows = {("ann", TABLE): LOST, ("eve", TABLE): LOST}
    check_followed(seen, {"ann": TABLE, "bob": TABLE}, seen.blame)
    assert [violation.line for violation in seen.violations] == ["ann was never told what became of it"]
