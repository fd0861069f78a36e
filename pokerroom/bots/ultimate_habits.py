"""How a bot bets against the house, and what it does beside deciding well: lets the clock decide, or vanishes.

Drawn from a seed, the same again for the same seed. What may lie on a table it reads from the lobby's line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pokerroom.bots.policy import SplitMix64
from pokerroom_protocol import messages as m

_ANTES_MAX: Final = 5
"""No bet is more than so many times the smallest: so wallets last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """In 1/1000: of decisions left to the clock, of rounds in which a bot vanishes, or has a box beside its own."""

    sleeps: int = 20
    vanishes: int = 5
    extra_boxes: int = 100


class Habits:
    """One bot's."""

    def __init__(self, seed: int, shares: Shares) -> None:
        self._random = SplitMix64(seed)
        self._shares = shares

    def sleeps(self) -> bool:
        """Whether it lets the clock decide this time."""
        return self._one_of_1000(self._shares.sleeps)

    def vanishes_after_s(self, within_s: float) -> float | None:
        """When in the round that begins its connection goes, if it does."""
        if not self._one_of_1000(self._shares.vanishes):
            return None
        return within_s * self._random.below(1000) / 1000

    def thinks_s(self, most_s: float) -> float:
        """How long it thinks, at most so long: people who are asked together do not answer together."""
        return most_s * self._random.below(1000) / 1000

    def away_s(self) -> float:
        """How long it is gone."""
        return 0.2 + self._random.below(60) / 10

    def bets(
        self, info: m.UltimateInfo, free: list[int], *, can_repeat: bool
    ) -> list[m.PlaceBet | m.ChoosePlay | m.ChangeBets]:
        """What it asks for while betting is open, in order; `free` are boxes that it might play beside its own.

        The requests have no numbers yet.
        """
        table = info.table
        if can_repeat and self._random.below(100) < 30:
            asked: list[m.PlaceBet | m.ChoosePlay | m.ChangeBets] = [
                m.ChangeBets(id=0, table=table, action="repeat")
            ]
            if self._random.below(100) < 20:
                asked.append(m.ChangeBets(id=0, table=table, action="double"))
            return asked
        asked = [m.PlaceBet(id=0, table=table, bet="ante", amount=self._ante(info))]
        asked += self._side_bets(info, None)
        if free and self._one_of_1000(self._shares.extra_boxes):
            box = free[self._random.below(len(free))]
            asked.append(m.PlaceBet(id=0, table=table, bet="ante", amount=self._ante(info), box=box))
            asked.append(m.ChoosePlay(id=0, table=table, box=box, multiple=3 + self._random.below(2)))
        if self._random.below(100) < 10:  # thinks better of the last thing, and bets it again
            asked.append(m.ChangeBets(id=0, table=table, action="undo"))
            asked.append(asked[-2])
        return asked

    def tips(self) -> int:
        """What it gives to the tronc after a decision; mostly nothing."""
        return 5 if self._random.below(100) < 2 else 0

    def _ante(self, info: m.UltimateInfo) -> int:
        ante = info.ante_min * (1 + self._random.below(_ANTES_MAX))
        return min(ante + ante % 2, info.ante_max - info.ante_max % 2)

    def _side_bets(self, info: m.UltimateInfo, box: int | None) -> list[m.PlaceBet]:
        asked = []
        if info.trips_min is not None and self._random.below(100) < 30:
            asked.append(m.PlaceBet(id=0, table=info.table, bet="trips", amount=info.trips_min, box=box))
        if info.progressive is not None and self._random.below(100) < 30:
            stake = info.progressive.stake
            asked.append(m.PlaceBet(id=0, table=info.table, bet="progressive", amount=stake, box=box))
        return asked

    def _one_of_1000(self, share: int) -> bool:
        return self._random.below(1000) < share
