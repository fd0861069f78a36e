"""The checks over tournaments find what is planted, and nothing in an honest ledger."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.chaos.checks import check_settled, check_stacks
from tests.chaos.records import Books, SettledHand, Transfer
from tests.chaos.tournaments import Played, check_chips, check_tournaments

ONE = Played(
    tournament="two.1",
    phase="finished",
    seats=2,
    buy_in=300,
    fee=60,
    prizes=(480,),
    players=(7, 8),
    places=((1, 1, 8, 480, 5), (2, 2, 7, 0, None)),
)


def hand(number: int, hand_id: str, *seats: tuple[int, int, int]) -> SettledHand:
    """Seats as account, stack before, stack after; the one who loses has put everything in."""
    pot = sum(max(0, before - after) for _, before, after in seats)
    winner = next(account for account, before, after in seats if after > before)
    return SettledHand(
        transfer=number,
        hand_id=hand_id,
        table="two.1",
        record={
            "hand_id": hand_id,
            "table": "two.1",
            "seats": [
                {"seat": account, "account": account, "name": str(account), "stack": before, "end": after}
                for account, before, after in seats
            ],
            "events": [
                *(
                    ["raise", account, before - after, before - after]
                    for account, before, after in seats
                    if before > after
                ),
                ["award", 0, pot, [[winner, pot]]],
            ],
        },
        deltas=tuple((account, after - before) for account, before, after in seats),
    )


def books(**changes: Any) -> Books:
    """A tournament of two, two hands of it, its prize paid."""
    honest: dict[str, Any] = {
        "transfers": (
            Transfer(
                number=1, key="sng:two.1:entry:7:1", kind="entry", legs=(("wallet:7", -1), ("escrow:two.1", 1)),
                committed_s=0.0,
            ),
            Transfer(
                number=2, key="sng:two.1:start", kind="fees", legs=(("escrow:two.1", -120), ("fees", 120)),
                committed_s=0.0,
            ),
            Transfer(number=3, key="hand:h1", kind="hand", legs=(), committed_s=0.0),
            Transfer(number=4, key="hand:h2", kind="hand", legs=(), committed_s=0.0),
            Transfer(
                number=5, key="sng:two.1:place:1", kind="prize", legs=(("escrow:two.1", -480), ("wallet:8", 480)),
                committed_s=0.0,
            ),
        ),
        "hands": (hand(3, "h1", (7, 500, 300), (8, 500, 700)), hand(4, "h2", (7, 300, 0), (8, 700, 1_000))),
        "balances": {"escrow:two.1": 0, "fees": 120},
        "writes": (),
        "names": {},
        "in_chips": frozenset({"two.1"}),
    }  # fmt: skip
    return Books(**{**honest, **changes})


def blamed(played: list[Played], found: Books) -> list[tuple[str, str]]:
    lines: list[tuple[str, str]] = []
    check_tournaments(played, found, lambda check, _table, _hand, line: lines.append((check, line)))
    check_settled(found, lambda check, _table, _hand, line: lines.append((check, line)))
    check_stacks(found, lambda check, _table, _hand, line: lines.append((check, line)))
    return lines


def test_an_honest_ledger_has_nothing_to_blame():
    """Also one that waits for players and has none, and one that was rolled forward."""
    empty = replace(ONE, tournament="two.2", phase="registering", players=(), places=())
    assert blamed([ONE, empty], books()) == []
    assert blamed([replace(ONE, phase="rolled_forward")], books()) == []


@pytest.mark.parametrize(
    ("check", "changes", "ledger"),
    [
        ("C8", {"phase": "running", "places": ONE.places[1:]}, {}),
        ("C8", {"phase": "registering", "places": ()}, {"balances": {"escrow:two.1": 0, "fees": 0}}),
        ("C8", {"phase": "rolled_back", "places": ()}, {"balances": {"escrow:two.1": 0, "fees": 0}}),
        ("C4", {"places": ONE.places[:1]}, {}),
        ("C4", {"players": (7, 9)}, {}),
        ("C4", {"places": ((1, 1, 8, 479, 5), (2, 2, 7, 0, None))}, {}),
        ("C4", {"places": ((1, 1, 8, 480, None), (2, 2, 7, 0, None))}, {}),
        ("C1", {}, {"balances": {"escrow:two.1": 480, "fees": 120}}),
        ("C1", {}, {"balances": {"escrow:two.1": 0, "fees": 121}}),
        ("C4", {}, {"transfers": (*books().transfers, replace(books().transfers[4], number=6))}),
        ("C4", {}, {"transfers": (*books().transfers[:4], replace(books().transfers[4], legs=(("wallet:8", 480),)))}),
        ("C4", {}, {"transfers": (*books().transfers, replace(books().transfers[4], key="sng:two.1:place:2"))}),
        ("C4", {}, {"transfers": (*books().transfers[:3], replace(books().transfers[3], legs=(("wallet:8", 1),)))}),
        ("C1", {}, {"hands": (books().hands[0], hand(4, "h2", (7, 400, 0), (8, 700, 1_100)))}),
        ("C1", {}, {"hands": (books().hands[0], hand(4, "h2", (7, 300, 0), (8, 700, 999)))}),
    ],
)  # fmt: skip
def test_what_is_planted_is_found(check, changes, ledger):
    """Each as what it is."""
    found = blamed([replace(ONE, **changes)], books(**ledger))
    assert check in {name for name, _ in found}, found


def test_a_hand_that_is_missing_between_two_is_found():
    """Chips go on from hand to hand."""
    lines: list[str] = []
    gone = books(hands=(books().hands[0], hand(4, "h2", (7, 200, 0), (8, 800, 1_000))))
    check_chips([ONE], gone, lambda check, *_: lines.append(check))
    assert lines == ["C1"]
