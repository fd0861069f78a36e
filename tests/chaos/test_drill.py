"""The drill's comparison of a backup with the books of the room."""

from __future__ import annotations

from tests.chaos.drill import unlike
from tests.chaos.records import Books, Transfer


def transfer(number: int, key: str, committed_s: float, amount: int = 5) -> Transfer:
    legs = (("wallet:1", -amount), ("wallet:2", amount))
    return Transfer(number=number, key=key, kind="hand", committed_s=committed_s, legs=legs)


BOOKS = Books(
    transfers=(transfer(1, "a", 10.0), transfer(2, "b", 20.0), transfer(3, "c", 30.0)),
    hands=(),
    balances={},
    writes=(),
    names={},
)


def legs(amount: int = 5) -> frozenset[tuple[str, int]]:
    return frozenset({("wallet:1", -amount), ("wallet:2", amount)})


def test_what_was_committed_before_the_backup_must_be_in_it() -> None:
    """What came meanwhile may be in it, or not."""
    assert unlike({"a": legs(), "b": legs()}, BOOKS, 15.0) == []
    assert unlike({"a": legs()}, BOOKS, 15.0) == []
    assert unlike({"a": legs()}, BOOKS, 25.0) == ["the backup lacks b, committed before it began"]


def test_a_restore_to_a_moment_has_nothing_of_later() -> None:
    """What was committed at the moment itself belongs to it."""
    both = {"a": legs(), "b": legs()}
    assert unlike(both, BOOKS, 25.0, exactly=True) == []
    assert unlike(both, BOOKS, 15.0, exactly=True) == ["the backup has b, committed after its moment"]


def test_a_backup_has_nothing_of_its_own() -> None:
    """No transfer that the room has not, and no other amounts."""
    assert unlike({"a": legs(), "x": legs()}, BOOKS, 15.0) == ["the backup has x, the room has not"]
    assert unlike({"a": legs(6)}, BOOKS, 15.0) == ["the backup has other legs of a"]
