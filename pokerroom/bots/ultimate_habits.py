"""How a bot bets in Ultimate Texas Hold'em, and how often it lets the clock decide or disconnects.

All is drawn from a seed; the same seed gives the same habits. The table's limits come from the lobby.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pokerroom.bots.policy import SplitMix64
from pokerroom_protocol import messages as m

_ANTES_MAX: Final = 5
"""The largest bet, in smallest bets: so wallets last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HabitShares:
    """Shares in 1/1000: decisions left to the clock, rounds with a disconnection, rounds with an extra box."""

    sleeps: int = 20
    vanishes: int = 5
    extra_boxes: int = 100


class UltimateHabits:
    """The habits of one bot."""

    def __init__(self, seed: int, shares: HabitShares) -> None:
        self._random = SplitMix64(seed)
        self._shares = shares

    def sleeps(self) -> bool:
        """Tell whether it leaves this decision to the clock."""
        return self._one_of_1000(self._shares.sleeps)

    def vanishes_after_s(self, within_s: float) -> float | None:
        """Return after how many seconds of the new round it disconnects; None if it does not."""
        if not self._one_of_1000(self._shares.vanishes):
            return None
        return within_s * self._random.below(1000) / 1000

    def thinks_s(self, most_s: float) -> float:
        """Return a random delay up to `most_s`: players do not answer all at once."""
        return most_s * self._random.below(1000) / 1000

    def away_s(self) -> float:
        """Return how long it stays disconnected, in seconds."""
        return 0.2 + self._random.below(60) / 10

    def bets(
        self, info: m.UltimateInfo, free: list[int], *, can_repeat: bool
    ) -> list[m.PlaceBet | m.ChoosePlay | m.ChangeBets]:
        """Return its requests while betting is open, in order; `free` are boxes for an extra bet.

        The requests have no ids yet.
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
        if self._random.below(100) < 10:  # undo the last request, and repeat it
            asked.append(m.ChangeBets(id=0, table=table, action="undo"))
            asked.append(asked[-2])
        return asked

    def tips(self) -> int:
        """Return the tip after a decision; 0 mostly."""
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
