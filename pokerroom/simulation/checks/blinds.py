"""Where the button and the blinds begin and go, and what is missed by it: B1, B3, B4, B7 and B8 once more.

Written from the rulebook, apart from the code that plans hands: it walks round the table, seat by seat. Pure.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

NEWCOMER = "newcomer"
BIG = "big blind"
SMALL = "small blind"

Debt = frozenset[str]
"""What a player owes: nothing, `NEWCOMER`, or the blinds that they have missed."""

NOTHING: Debt = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Blinds:
    """Seats of a hand. `small` is the seat of the small blind, empty or not."""

    button: int
    small: int
    big: int

    def __str__(self) -> str:
        """One line."""
        return f"button {self.button}, small blind {self.small}, big blind {self.big}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """The players that sit in with chips before a hand. `owing` are those with a debt, `posting` those that post it."""

    seats: frozenset[int]
    owing: frozenset[int] = frozenset()
    posting: frozenset[int] = frozenset()

    @property
    def clear(self) -> frozenset[int]:
        """The players that owe nothing."""
        return self.seats - self.owing


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedHand:
    """What the rules make of it. `forgiven`: the game starts again, and no player owes anything (B7)."""

    blinds: Blinds
    dealt: frozenset[int]
    forgiven: bool = False


def blinds_of(record: dict[str, Any], last: Blinds | None) -> Blinds | None:
    """The positions of a record; where no player has the small blind, it is due where the big blind was in `last`."""
    kinds = {seat["owed"][2]: seat["seat"] for seat in record["seats"]}
    small = kinds.get("small_blind", None if last is None else last.big)
    if "big_blind" not in kinds or small is None:
        return None
    return Blinds(button=record["button"], small=small, big=kinds["big_blind"])


def expected_first(button: int, seats: frozenset[int], seats_max: int) -> ExpectedHand:
    """The first hand of a table: `button` is the seat of the first player (B1), and no player owes anything."""
    small = button if len(seats) == 2 else _next(button, seats, seats_max)
    blinds = Blinds(button=button, small=small, big=_next(small, seats, seats_max))
    return ExpectedHand(blinds=blinds, dealt=seats)


def expected(last: Blinds, waiting: Waiting, seats_max: int, *, moving: bool) -> ExpectedHand:
    """The next hand after `last`, with at least two players."""
    if moving and len(waiting.clear) >= 3:
        return _moving(last, waiting, seats_max)
    return _dead(last, waiting, seats_max)


def missed(last: Blinds, now: Blinds, seat: int, seats_max: int) -> set[str]:
    """The blinds that a seat without cards has missed, as they moved from `last` to `now` (B8)."""
    found = set()
    if seat in _between(last.big, now.big, seats_max):
        found.add(BIG)
    if seat == last.big or seat in _between(last.small, now.small, seats_max):
        found.add(SMALL)
    return found


def _walk(after: int, seats_max: int) -> list[int]:
    """Every seat clockwise from the next one; `after` itself comes last."""
    return [(after + step - 1) % seats_max + 1 for step in range(1, seats_max + 1)]


def _between(start: int, end: int, seats_max: int) -> list[int]:
    """The seats that are passed on the way from one to the other; none where both are the same."""
    way = _walk(start, seats_max)
    return [] if start == end else way[: way.index(end)]


def _next(after: int, seats: Collection[int], seats_max: int) -> int:
    return next(seat for seat in _walk(after, seats_max) if seat in seats)


def _before(seat: int, seats: Collection[int], seats_max: int) -> int:
    return next(one for one in [*_walk(seat, seats_max)[-2::-1], seat] if one in seats)


def _two(big: int, dealt: Collection[int], *, forgiven: bool = False) -> ExpectedHand:
    """Heads-up the other player has the button, and posts the small blind (B4)."""
    other = next(seat for seat in dealt if seat != big)
    blinds = Blinds(button=other, small=other, big=big)
    return ExpectedHand(blinds=blinds, dealt=frozenset(dealt), forgiven=forgiven)


def _dead(last: Blinds, waiting: Waiting, seats_max: int) -> ExpectedHand:
    """The big blind moves to the next player; the other two go to the seats before it, empty or not (B3)."""
    small, big = last.big, _next(last.big, waiting.seats, seats_max)
    button = last.small
    ahead = _between(button, big, seats_max)
    in_order = small in ahead
    if in_order:
        came_back = [seat for seat in ahead[: ahead.index(small)] if seat in waiting.clear]
        button = came_back[-1] if came_back else button
    closed = {small, *(_between(button, big, seats_max) if in_order else ())}
    dealt = {big} | waiting.clear | (waiting.posting - closed)
    if not waiting.clear or len(dealt) < 2:
        return _again(big, waiting.seats, seats_max)
    if len(dealt) == 2:
        return _two(big, dealt)
    if not in_order:
        button = _before(small, dealt, seats_max)
    return ExpectedHand(blinds=Blinds(button=button, small=small, big=big), dealt=frozenset(dealt))


def _again(big: int, seats: frozenset[int], seats_max: int) -> ExpectedHand:
    """Too few players could be dealt in: the game starts again with all, and the big blind moves on (B7)."""
    if len(seats) == 2:
        return _two(big, seats, forgiven=True)
    small = _before(big, seats, seats_max)
    button = _before(small, seats, seats_max)
    return ExpectedHand(blinds=Blinds(button=button, small=small, big=big), dealt=seats, forgiven=True)


def _moving(last: Blinds, waiting: Waiting, seats_max: int) -> ExpectedHand:
    """The button goes to the next player without debts, and further while the big blind would go back (B3)."""
    ways = []
    for button in (seat for seat in _walk(last.button, seats_max) if seat in waiting.clear):
        small = _next(button, waiting.clear, seats_max)
        ways.append(Blinds(button=button, small=small, big=_next(small, waiting.seats, seats_max)))
    behind = {*_between(last.button, last.big, seats_max), last.big}
    forward = [way for way in ways if way.big not in behind]
    blinds = (forward or [way for way in ways if way.big != last.big])[0]
    closed = _between(blinds.button, blinds.big, seats_max)
    dealt = {blinds.big} | waiting.clear | (waiting.posting - {*closed})
    return ExpectedHand(blinds=blinds, dealt=frozenset(dealt))
