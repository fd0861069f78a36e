"""Clubs in simulated rooms: they are played at, and chips that go astray are found."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.simulation.checks.clubs import ClubChecker
from pokerroom.simulation.checks.violation import Kind
from pokerroom.simulation.faults import ALL, NONE
from pokerroom.simulation.run import run
from tests.simulation.planted import plant

SEED = 47
"""A small room with hosts and clubs."""
HANDS = 20


def test_chips_of_clubs_are_issued_and_played_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Members come, get chips, buy in at tables of the club, and leave them; with every fault the books agree."""
    seen: Counter[str] = Counter()

    def booked(real: Any, checker: ClubChecker, name: str, args: tuple[Any, ...], result: Any) -> None:
        seen[name] += 1
        real(checker, name, args, result)

    def pays(real: Any, checker: ClubChecker, table: str, account: int, amount: int) -> bool:
        paid: bool = real(checker, table, account, amount)
        seen["in" if amount > 0 else "out"] += paid
        return paid

    plant(monkeypatch, ClubChecker, "booked", booked)
    plant(monkeypatch, ClubChecker, "pays", pays)
    assert run(SEED, HANDS, ALL).violations == ()
    assert not {"create_club", "join_club", "move_club_chips", "join_club_table", "in", "out"} - set(seen)


def twice(real: Any, ledger: MemoryLedger, club: str, key: str, *payment: int) -> None:
    """Issue the chips once more."""
    real(ledger, club, key, *payment)
    real(ledger, club, f"{key}-again", *payment)


def from_the_wallet(_real: Any, _ledger: MemoryLedger, _table: str, account: int) -> str:
    """Let money pay for a buy-in at any table."""
    return f"wallet:{account}"


@pytest.mark.parametrize(("name", "bug"), [("_book_club_chips", twice), ("_purse_code", from_the_wallet)])
def test_chips_of_a_club_that_go_astray_are_found(
    monkeypatch: pytest.MonkeyPatch, name: str, bug: Any
) -> None:
    """What a bank pays twice, and money at a table of a club."""
    plant(monkeypatch, MemoryLedger, name, bug)
    found = run(SEED, HANDS, NONE).violations
    assert found
    assert {one.kind for one in found} == {Kind.CHIPS}
    assert any(one.line.startswith("club ") for one in found)
