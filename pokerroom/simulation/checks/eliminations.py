"""Places and prizes of a tournament by the hands in which its players lost their chips (I2, L8, L11).

Of two players who are out in one hand, the better place is that of the larger stack before it; with equal ones they
share. At one table the later hand is the better place. All places together get the prizes of the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain, repeat
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loss:
    """The hand in which a player lost the last chip, and what the player had before."""

    hand: int
    table: int
    stack: int
    shares: bool
    """Whether all who are out in it share, whatever they had: it may have been dealt hand for hand."""


@dataclass(slots=True, kw_only=True)
class Eliminations:
    """One tournament. `shares`: players who are out in a hand that is dealt hand for hand share their prizes."""

    shares: bool = False
    _losses: dict[int, _Loss] = field(default_factory=dict)
    _hands: int = 0

    def settled(self, table: int, seats: Sequence[Mapping[str, Any]], *, alone: bool) -> None:
        """Note a hand; `alone` if it is certain that it was not dealt hand for hand."""
        self._hands += 1
        shares = self.shares and not alone
        self._losses |= {
            seat["account"]: _Loss(hand=self._hands, table=table, stack=seat["stack"], shares=shares)
            for seat in seats
            if not seat["end"]
        }

    def wrong(self, best: int, places: Sequence[Any], prizes: Sequence[int]) -> Iterator[str]:
        """Yield what is wrong with places from the number `best` on, of players that are out but for a winner."""
        due = accumulate(chain(prizes[best - 1 :], repeat(0)))
        paid = accumulate(place.prize for place in places)
        losses = [self._losses.get(place.account) for place in places]
        if best == 1:
            losses[0] = None
        for number, (above, below) in enumerate(zip(losses, [*losses[1:], None], strict=True), best):
            should, has = next(due), next(paid)
            if _may_share(above, below):
                continue
            if above is not None and below is not None:
                if above.hand == below.hand and above.stack < below.stack:
                    yield f"place {number} had {above.stack} chips, the next one {below.stack} (I2)"
                elif above.hand < below.hand:
                    yield f"place {number} was out in an earlier hand than the next one"
            if should != has:
                yield f"places {best} to {number} get {has}, the prizes of the table are {should} (L11)"


def _may_share(above: _Loss | None, below: _Loss | None) -> bool:
    """Whether two neighbours may share: None is a player with chips, of a tournament that was ended early if both are.

    Between tables they may share hand for hand, or be ordered by stacks.
    """
    if above is None or below is None:
        return above is below
    if above.hand == below.hand:
        return above.stack == below.stack or above.shares
    return above.table != below.table
