"""The checks over a whole run find what is planted, and nothing in an honest one."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest

from tests.chaos.checks import check_all, check_resting, longest_silence
from tests.chaos.evidence import Evidence
from tests.chaos.hand_ids import hand_id_at
from tests.chaos.hands import Hand, Wipe
from tests.chaos.records import Books, SettledHand, Transfer, Write

TABLE = "t-1"
H1, H2, H9, H10 = (hand_id_at(at_s) for at_s in (10.0, 20.0, 90.0, 100.0))
PIDS = {"chaos-1-1": {11}, "chaos-2-1": {22}}
ISSUED = 1000

RECORD: dict[str, Any] = {
    "hand_id": H1,
    "table": TABLE,
    "seats": [
        {"seat": 1, "account": 7, "name": "ann", "stack": 100, "cards": ["As", "Ad"], "end": 120},
        {"seat": 2, "account": 8, "name": "bob", "stack": 100, "cards": ["2c", "7d"], "end": 80},
    ],
    "events": [
        ["post", 1, "small_blind", 5],
        ["post", 2, "big_blind", 10],
        ["raise", 1, 15, 20],
        ["call", 2, 10, 20],
        ["flop", "Kh", "Qh", "3s"],
        ["bet", 1, 30, 30],
        ["fold", 2, 0, 0],
        ["uncalled", 1, 30],
        ["award", 0, 40, [[1, 40]]],
    ],
}


def told() -> Hand:
    """Hand h1 as both players were told it."""
    hand = Hand(table=TABLE, hand_id=H1)
    hand.start = {1: ("ann", 100), 2: ("bob", 100)}
    hand.own = {"ann": ("As", "Ad"), "bob": ("2c", "7d")}
    hand.seen = {"ann": {"As", "Ad", "Kh", "Qh", "3s"}, "bob": {"2c", "7d", "Kh", "Qh", "3s"}, "eve": {"Kh"}}
    hand.streets = {"flop": ("Kh", "Qh", "3s")}
    hand.acted = {
        5: (1, "raise", 15, 20),
        7: (2, "call", 10, 20),
        10: (1, "bet", 30, 30),
        12: (2, "fold", 0, 0),
    }
    hand.acknowledged = [
        ("ann", 4, "raise", 20),
        ("bob", 6, "call", None),
        ("ann", 9, "bet", 30),
        ("bob", 11, "fold", None),
    ]
    hand.ends = {"ann": False, "bob": False}
    hand.end_stacks = {1: 120, 2: 80}
    hand.awards = {0: (40, ((1, 40),))}
    return hand


def booked(*, number: int, key: str, kind: str, legs: tuple[tuple[str, int], ...]) -> Transfer:
    """A transfer that was committed as many seconds after the epoch as its number says."""
    return Transfer(number=number, key=key, kind=kind, committed_s=float(number), legs=legs)


def books() -> Books:
    """A ledger with hand h1 in it."""
    return Books(
        transfers=(
            booked(
                number=1,
                key="genesis",
                kind="genesis",
                legs=(("issuer", -1000), ("bank", 1000)),
            ),
            booked(number=2, key="a", kind="opening", legs=(("bank", -400), ("wallet:7", 400))),
            booked(number=3, key="b", kind="opening", legs=(("bank", -400), ("wallet:8", 400))),
            booked(
                number=4,
                key="c",
                kind="buy_in",
                legs=(("wallet:7", -100), ("stack:t-1:7", 100)),
            ),
            booked(
                number=5,
                key="d",
                kind="buy_in",
                legs=(("wallet:8", -100), ("stack:t-1:8", 100)),
            ),
            booked(number=6, key=f"hand:{H1}", kind="hand", legs=(("stack:t-1:7", 20), ("stack:t-1:8", -20))),
        ),
        hands=(
            SettledHand(
                transfer=6,
                hand_id=H1,
                table=TABLE,
                record=copy.deepcopy(RECORD),
                deltas=((7, 20), (8, -20)),
            ),
        ),
        balances={
            "issuer": -1000,
            "bank": 200,
            "wallet:7": 300,
            "wallet:8": 300,
            "stack:t-1:7": 120,
            "stack:t-1:8": 80,
        },
        writes=(
            write(what="seats insert", epoch=1),
            write(hand_id=H1, epoch=1, named=1),
            write(hand_id=H2, writer="chaos-2-1", owner="host-22-cd", epoch=2, named=2),
        ),
        names={"ann": 7, "bob": 8},
    )


def write(**changes: Any) -> Write:
    """A settled hand of node 1."""
    honest: dict[str, Any] = {
        "what": "hands insert",
        "table": TABLE,
        "hand_id": None,
        "writer": "chaos-1-1",
        "owner": "host-11-ab",
        "epoch": 1,
        "named": None,
        "owned": True,
    }
    return Write(**{**honest, **changes})


def found(hand: Hand | None = None, ledger: Books | None = None, **evidence: Any) -> list[str]:
    """The checks that were violated, in order."""
    seen = Evidence(lambda: 100.0)
    for name, value in evidence.items():
        setattr(seen, name, value)
    if hand is not None:
        seen.hands[hand.hand_id] = hand
    check_all(seen, ledger or books(), pids=PIDS, chips=ISSUED)
    return sorted(violation.check for violation in seen.violations)


def recorded(**changes: Any) -> Books:
    """The ledger with another record of h1."""
    ledger = books()
    return replace(ledger, hands=(replace(ledger.hands[0], record={**ledger.hands[0].record, **changes}),))


def seats(**changes: Any) -> list[dict[str, Any]]:
    """The record's seats with another first one."""
    return [{**RECORD["seats"][0], **changes}, RECORD["seats"][1]]


def transfer(number: int, **changes: Any) -> Books:
    """The ledger with another transfer, and balances that follow from it."""
    ledger = books()
    transfers = tuple(replace(t, **changes) if t.number == number else t for t in ledger.transfers)
    balances: dict[str, int] = {}
    for each in transfers:
        for code, amount in each.legs:
            balances[code] = balances.get(code, 0) + amount
    return replace(ledger, transfers=transfers, balances=balances)


def test_an_honest_run_is_found_honest():
    """Nothing is found where nothing is wrong."""
    assert found(told()) == []


def test_a_hand_with_a_rake_is_found_honest():
    """Its leg goes to the account of the table, and the pot is told with it."""
    raked = transfer(6, legs=(("stack:t-1:7", 15), ("stack:t-1:8", -20), ("rake:t-1", 5)))
    record = {
        **RECORD,
        "rake": 5,
        "seats": [{**seats(end=115)[0], "rake": 5}, seats()[1]],
        "events": [*RECORD["events"][:-1], ["award", 0, 40, [[1, 35]], 5]],
    }
    ledger = replace(raked, hands=(replace(raked.hands[0], record=record, deltas=((7, 15), (8, -20))),))
    hand = told()
    hand.end_stacks, hand.awards = {1: 115, 2: 80}, {0: (40, ((1, 35),))}
    assert found(hand, ledger) == []


LEDGERS = {
    "a balance without legs": (replace(books(), balances={**books().balances, "bank": 201}), "C1"),
    "a negative wallet": (
        transfer(4, legs=(("wallet:7", -500), ("stack:t-1:7", 500))),
        "C1",
    ),
    "a transfer that makes chips": (
        transfer(2, legs=(("bank", -400), ("wallet:7", 401))),
        "C2",
    ),
    "a hand settled twice": (
        replace(
            books(),
            transfers=(
                *books().transfers,
                booked(
                    number=7,
                    key=f"hand:{H1}",
                    kind="hand",
                    legs=(("stack:t-1:7", 20), ("stack:t-1:8", -20)),
                ),
            ),
            hands=(*books().hands, replace(books().hands[0], transfer=7)),
        ),
        "C3",
    ),
    "a key used twice": (
        replace(books(), transfers=(*books().transfers, replace(books().transfers[5], number=7))),
        "C4",
    ),
    "legs that are not the record's": (
        transfer(6, legs=(("stack:t-1:7", 30), ("stack:t-1:8", -30))),
        "C4",
    ),
    "players that are not the record's": (
        replace(books(), hands=(replace(books().hands[0], deltas=((7, 30), (8, -30))),)),
        "C4",
    ),
    "a pot awarded twice": (recorded(events=[*RECORD["events"], RECORD["events"][-1]]), "C4"),
    "more awarded than put in": (
        recorded(events=[*RECORD["events"][:-1], ["award", 0, 50, [[1, 50]]]]),
        "C1",
    ),
    "a rake that no pot has paid": (recorded(rake=5), "C1"),
    "a rake without a leg": (
        recorded(
            rake=5,
            seats=[{**seats(end=115)[0], "rake": 5}, seats()[1]],
            events=[*RECORD["events"][:-1], ["award", 0, 40, [[1, 35]], 5]],
        ),
        "C4",
    ),
    "a record that makes chips": (recorded(seats=seats(end=121)), "C1"),
    "another hand's record": (recorded(hand_id=H9), "C3"),
    "a stack that the ledger had not": (recorded(seats=seats(stack=90, end=110)), "C1"),
    "a hand written by who is not the owner": (
        replace(books(), writes=(write(hand_id=H1, writer="chaos-2-1"),)),
        "C6",
    ),
    "a hand written where nobody is the owner": (
        replace(books(), writes=(write(hand_id=H1, owner=None),)),
        "C6",
    ),
    "an epoch that goes back": (
        replace(books(), writes=(write(hand_id=H1, epoch=2), write(hand_id=H2, epoch=1))),
        "C6",
    ),
    "a hand of another epoch": (
        replace(books(), writes=(write(hand_id=H1, epoch=2, named=1),)),
        "C6",
    ),
}


@pytest.mark.parametrize("what", LEDGERS)
def test_what_is_wrong_in_the_ledger_is_found(what):
    """Each planted fault of the ledger is found by its check, with no client having been told of the hand."""
    ledger, check = LEDGERS[what]
    assert check in found(None, ledger)


def changed(**changes: Any) -> Hand:
    hand = told()
    for name, value in changes.items():
        setattr(hand, name, value)
    return hand


STORIES = {
    "void told, and settled": (changed(ends={"ann": True}), "C3"),
    "another start": (changed(start={1: ("ann", 100), 2: ("bob", 90)}), "C3"),
    "another end": (changed(end_stacks={1: 110, 2: 90}), "C4"),
    "another prize": (changed(awards={0: (40, ((2, 40),))}), "C4"),
    "a prize that is not in the record": (changed(awards={0: (40, ((1, 40),)), 1: (5, ((1, 5),))}), "C4"),
    "an acknowledged action that is lost": (
        changed(acknowledged=[*told().acknowledged, ("ann", 14, "check", None)]),
        "C5",
    ),
    "an acknowledged raise of another amount": (changed(acknowledged=[("ann", 4, "raise", 25)]), "C5"),
    "an acknowledged action of somebody who is not in the hand": (
        changed(acknowledged=[("eve", 4, "call", None)]),
        "C5",
    ),
    "actions in another order": (
        changed(acted={5: (2, "call", 10, 20), 7: (1, "raise", 15, 20)}),
        "C5",
    ),
    "an action that was told and is lost": (
        changed(acted={**told().acted, 20: (1, "check", 0, 0)}),
        "C5",
    ),
    "the cards of another": (changed(seen={"ann": {"As", "Ad", "2c"}}), "C7"),
    "the cards of a player before an observer": (changed(seen={"eve": {"As"}}), "C7"),
    "a card of the deck to come": (changed(seen={"bob": {"2c", "7d", "9h"}}), "C7"),
    "other hole cards than the record's": (changed(own={"ann": ("As", "Ac")}), "C7"),
    "another flop than the record's": (changed(streets={"flop": ("Kh", "Qh", "4s")}), "C3"),
    "a hand of another table": (changed(table="t-2"), "C6"),
}


@pytest.mark.parametrize("what", STORIES)
def test_what_was_told_wrongly_is_found(what):
    """Each planted difference between what was told and the record is found by its check."""
    hand, check = STORIES[what]
    assert check in found(hand)


def unsettled(**changes: Any) -> Hand:
    """A hand that the ledger has not; no client was told of its end."""
    lost: dict[str, Any] = {"hand_id": H9, "ends": {}, "end_stacks": None, "awards": {}, "acted": {}}
    return changed(**{**lost, **changes})


def test_cards_shown_at_the_showdown_are_no_secret():
    """C7: what the record says was shown may be seen by all."""
    ledger = recorded(events=[*RECORD["events"], ["show", 1]])
    assert found(changed(seen={"bob": {"2c", "7d", "As", "Ad"}}), ledger) == []


@pytest.mark.parametrize(("told_s", "wrong"), [(12.01, []), (11.99, ["C3"])])
def test_a_result_told_before_its_commit_is_found(told_s, wrong):
    """C3: though the ledger has it a moment later."""
    ledger = transfer(6, committed_s=12.0)
    assert found(changed(result_s=told_s), ledger) == wrong


def test_a_hand_in_progress_at_the_end_is_open():
    """C3: the hand that a table was told last need not have ended."""
    assert found(unsettled(), latest={TABLE: H9}) == []


def test_a_hand_that_vanished_is_found():
    """C5: its table plays another hand, the ledger has it not, and Redis had its journal all the time."""
    assert found(unsettled(), latest={TABLE: H10}) == ["C5"]


def test_a_result_told_that_the_ledger_has_not_is_found():
    """C3: the result of a hand is told only after it is settled."""
    assert "C3" in found(unsettled(ends={"ann": False}), wipes=[Wipe(from_s=91.0, until_s=92.0)])


def test_a_leak_in_a_void_hand_is_found():
    """C7: without a record the board and the hands that were shown are public, and no other card."""
    hand = unsettled(ends={"ann": True}, seen={"ann": {"As", "Ad", "Kh", "9c"}})
    assert found(hand, latest={TABLE: H10}, wipes=[Wipe(from_s=91.0, until_s=92.0)]) == ["C7"]


def test_a_stack_that_is_told_and_not_held_is_found():
    """C1: at rest every player is told what the ledger has."""
    seen = Evidence(lambda: 0.0)
    check_resting({(TABLE, "ann"): 120, (TABLE, "bob"): 90, (TABLE, "eve"): None}, books(), seen.blame)
    assert [violation.line for violation in seen.violations] == ["bob is told to have 90, the ledger has 80"]


def test_a_room_without_owners_is_not_asked_for_them():
    """Epochs are checked where the ledger keeps owners."""
    ledger = replace(books(), writes=(write(owner=None, epoch=None, owned=False),))
    assert found(told(), ledger) == []


@pytest.mark.parametrize(
    ("since", "until", "silent_s"), [(5.0, 12.0, 4.0), (9.5, 12.0, 2.0), (0.0, 12.0, 5.0), (9.0, 10.5, 1.0)]
)
def test_the_longest_silence_is_found(since, until, silent_s):
    """C8: from the blow or the healing on; also one that has not ended, and not the one that was over before."""
    assert longest_silence([1.0, 2.0, 4.0, 9.0, 10.0], since, until) == silent_s
