"""Satellites in the ledger: their seats and money, the end with as many players, and the players with seats (L14)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any


@dataclass(slots=True, kw_only=True)
class Satellite:
    """What a tournament pays as tickets of this value; 0: money. `seats` are known once its entries have closed."""

    value: int = 0
    guaranteed: int = 0
    seats: int = 0
    decided_s: float = inf
    """When no more players were left than it has seats."""
    lost: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By account without chips: the number of the hand in which it lost them, and its chips before."""
    hands: int = 0

    def closed(self, pool: int, players: Collection[int], prizes: Sequence[int]) -> Iterator[str]:
        """Note the prizes; yield what is wrong with them. Some of the `players` may be out."""
        possible = [self._due(pool, left) for left in range(1, len(players) + 1)]
        if list(prizes) not in possible:
            yield f"the prizes are {list(prizes)}, of {pool} for seats of {self.value} they are {possible[-1]}"
        self.seats = sum(prize >= self.value for prize in prizes)

    def _due(self, pool: int, left: int) -> list[int]:
        seats = min(max(pool // self.value, self.guaranteed), left)
        rest = max(0, pool - seats * self.value)
        if seats < left:
            return [self.value] * seats + [rest] * (rest > 0)
        return [self.value + rest // left + (place < rest % left) for place in range(left)]

    def left(self, chips: Mapping[int, int], now_s: float) -> None:
        """Note the chips of all players."""
        if sum(held > 0 for held in chips.values()) <= self.seats:
            self.decided_s = min(self.decided_s, now_s)

    def settled(self, record: Mapping[str, Any]) -> Iterator[str]:
        """Note a hand; yield what is wrong."""
        self.hands += 1
        out = {seat["account"]: seat["stack"] for seat in record["seats"] if not seat["end"]}
        self.lost |= {account: (self.hands, stack) for account, stack in out.items()}
        if record["started_ms"] > 1000 * self.decided_s:
            yield f"hand {record['hand_id']} was dealt, and {self.seats} players have their seats"
        return None

    def over(self, places: Sequence[Any], chips: Mapping[int, int]) -> Iterator[str]:
        """Yield what is wrong with the places from number 1 on, which end it."""
        if not self.seats:
            return
        first = places[: self.seats]
        won = {place.account for place in first}
        left = {account for account, held in chips.items() if held}
        tied = {place.place for place in first} == {1}
        if len(left) > self.seats and not tied:
            return  # an operator has ended it: the prizes are shared by chips
        if len(won) != self.seats or not left <= won or not tied:
            yield f"{won} have the {self.seats} seats, {left} have chips"
        if max(place.prize for place in first) - min(place.prize for place in first) > 1:
            yield f"seats of one tournament are worth different amounts: {first}"
        for account in won & self.lost.keys() - left:
            hand, stack = self.lost[account]
            others = [other for other, held in chips.items() if not held and other not in won]
            if any(self.lost[other] > (hand, stack) and self.lost[other][0] == hand for other in others):
                yield f"account {account} has a seat, and one with more chips in that hand has none"


def satellite_of(opening: Any) -> Satellite:
    """Return what a tournament pays, by its opening."""
    if opening.ticket is None:
        return Satellite()
    return Satellite(
        value=opening.ticket.value, guaranteed=opening.scheduled.guarantee // opening.ticket.value
    )
