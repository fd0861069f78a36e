"""The settings of one table of Ultimate Texas Hold'em, and its row in the lobby."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pokerroom.rules.ultimate.terms import PayTable, ProgressiveTerms, Seating, Terms
from pokerroom_protocol import messages as wire

PLACES_MAX: Final = 32_767
"""Any number of players may play a common hand; ledger and protocol count places up to this number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UltimateSettings:
    """The settings of an Ultimate table (`ActorSettings`).

    Times in whole seconds unless the name says milliseconds. `presence`: players who are away have no bets (U16).
    """

    table: str
    name: str
    terms: Terms
    betting_s: int
    """Betting closes so long after the first bet (house choice); its last `closing_s` are yellow."""
    closing_s: int
    decision_s: int
    result_pause_ms: int
    presence: bool
    away_limit_s: int
    """The place of an absent player is kept so long."""
    chips: tuple[int, ...]
    chat_length_max: int = 200
    chat_per_minute: int = 20

    @property
    def seats_max(self) -> int:
        """The highest number of a place."""
        return PLACES_MAX if self.seats is None else self.seats

    @property
    def is_common_hand(self) -> bool:
        """Whether all players play one hand (U10)."""
        return self.terms.seating is Seating.common_hand

    @property
    def seats(self) -> int | None:
        """See `ActorSettings`: a box each, or any number of players for a common hand."""
        return None if self.is_common_hand else self.terms.boxes

    @property
    def listed(self) -> bool:
        return True

    @property
    def free_to_leave(self) -> bool:
        return True

    @property
    def waited_for(self) -> None:
        """See `ActorSettings`: there is no waiting list."""

    @property
    def observer_delay_s(self) -> int:
        """See `ActorSettings`: a spectator sees nothing that could help a player."""
        return 0

    def info(
        self, occupied: int, players: int, *, waiting: int = 0, closing: bool = False
    ) -> wire.UltimateInfo:
        """See `ActorSettings`; there is no waiting list."""
        assert not waiting
        terms = self.terms
        return wire.UltimateInfo(
            table=self.table,
            name=self.name,
            seating=terms.seating.value,
            qualification=terms.qualification.value,
            boxes=self.seats,
            ante_min=terms.ante.least,
            ante_max=terms.ante.most,
            trips_min=None if terms.trips is None else terms.trips.least,
            trips_max=None if terms.trips is None else terms.trips.most,
            blind_pays=_rows(terms.blind_pays),
            trips_pays=[] if terms.trips is None else _rows(terms.trips_pays),
            progressive=None if terms.progressive is None else _progressive(terms.progressive),
            chips=list(self.chips),
            betting_ms=self.betting_s * 1000,
            decision_ms=self.decision_s * 1000,
            presence=self.presence,
            occupied=occupied,
            players=players,
            closing=closing,
        )


def _rows(pays: PayTable) -> list[wire.PayRow]:
    return [wire.PayRow(hand=category.name, pays=won, to=staked) for category, won, staked in pays.rows]


def _progressive(terms: ProgressiveTerms) -> wire.ProgressiveInfo:
    of_meter = [wire.Prize(hand=category.name, meter_bps=part) for category, part in terms.meter_bps]
    fixed = [wire.Prize(hand=category.name, amount=amount) for category, amount in terms.prizes]
    return wire.ProgressiveInfo(stake=terms.stake, prizes=of_meter + fixed, envy_prize=terms.envy_prize)
