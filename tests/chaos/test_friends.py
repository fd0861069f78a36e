"""The checks over clubs and private tables find what is planted, and nothing in an honest ledger."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.chaos.friends import check_friends
from tests.chaos.records import Books, Transfer

CLUB = "host:aaaaaaaaaa"
PRIVATE = "host:bbbbbbbbbb"
TABLES = {CLUB: "c1", PRIVATE: None}
PAID = {
    "club:c1:evening-0-ann": 400,
    "club:c1:evening-0-back-bob": -400,
    f"gift:{PRIVATE}:evening-1-bob": 100,
}


def transfer(number: int, key: str, kind: str, *legs: tuple[str, int]) -> Transfer:
    return Transfer(number=number, key=key, kind=kind, committed_s=0.0, legs=legs)


TRANSFERS = (
    transfer(1, "club:c1:evening-0-ann", "club_issue", ("club:c1", -400), ("chips:c1:7", 400)),
    transfer(2, "buyin:1", "buy_in", ("chips:c1:7", -400), (f"stack:{CLUB}:7", 400)),
    transfer(3, "hand:1", "hand", (f"stack:{CLUB}:7", -400), (f"stack:{CLUB}:8", 400)),
    transfer(4, "cashout:1", "cash_out", (f"stack:{CLUB}:8", -400), ("chips:c1:8", 400)),
    transfer(5, "club:c1:evening-0-back-bob", "club_take", ("chips:c1:8", -400), ("club:c1", 400)),
    transfer(6, f"gift:{PRIVATE}:7:evening-1-bob", "gift", ("wallet:7", -100), ("wallet:8", 100)),
    transfer(7, "buyin:2", "buy_in", ("wallet:8", -100), (f"stack:{PRIVATE}:8", 100)),
)


def blamed(
    transfers: tuple[Transfer, ...] = TRANSFERS,
    paid: dict[str, int] = PAID,
    balances: dict[str, int] | None = None,
) -> list[tuple[str, str]]:
    books = Books(
        transfers=transfers,
        hands=(),
        balances={"club:c1": 0, "chips:c1:7": 0, "wallet:8": 100, "stack:t-1:9": 5} | (balances or {}),
        writes=(),
        names={},
    )
    lines: list[tuple[str, str]] = []
    check_friends(paid, books, TABLES, lambda check, _table, _hand, line: lines.append((check, line)))
    return lines


def test_an_honest_evening_has_nothing_to_blame():
    """Chips of the club come from its bank and go back there; wallets pay at the other table."""
    assert blamed() == []


@pytest.mark.parametrize(
    ("number", "legs", "check"),
    [
        (2, (("wallet:7", -400), (f"stack:{CLUB}:7", 400)), "C1"),
        (4, ((f"stack:{CLUB}:8", -400), ("wallet:8", 400)), "C1"),
        (4, ((f"stack:{CLUB}:8", -400), ("chips:c2:8", 400)), "C1"),
        (7, (("chips:c1:8", -100), (f"stack:{PRIVATE}:8", 100)), "C1"),
        (1, (("club:c1", -401), ("chips:c1:7", 401)), "C5"),
        (6, (("wallet:7", -99), ("wallet:8", 99)), "C5"),
    ],
)
def test_chips_in_a_wrong_purse_or_of_a_wrong_amount_are_found(number, legs, check):
    """A transfer never mixes money and chips of a club, nor those of two clubs."""
    planted = tuple(replace(each, legs=legs) if each.number == number else each for each in TRANSFERS)
    assert [found for found, _ in blamed(planted)] == [check]


def test_a_payment_that_is_missing_or_was_not_acknowledged_is_found():
    """Each is booked once, as it was told."""
    assert [check for check, _ in blamed(paid=PAID | {"club:c1:evening-2-ann": 5})] == ["C5"]
    assert [check for check, _ in blamed(paid=dict(list(PAID.items())[1:]))] == ["C4"]


@pytest.mark.parametrize("code", ["club:c1", "chips:c1:7", f"stack:{CLUB}:7", f"stack:{PRIVATE}:8"])
def test_what_is_left_after_the_last_evening_is_found(code):
    """Clubs and private tables are closed; other tables may hold chips."""
    assert [check for check, _ in blamed(balances={code: 3})] == ["C1"]
