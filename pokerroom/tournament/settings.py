"""The settings of a sit-and-go and of its table: those of the offer, with the stakes of each level."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, cast

from msgspec import structs

from pokerroom.chips import Money
from pokerroom.ledger.tournaments import Opening, owned_as, table_of
from pokerroom.ops.table_settings import TableSettings, TimeoutProtection
from pokerroom.rules.tournament.schedule import Level
from pokerroom.rules.tournament.state import TournamentTerms
from pokerroom.rules.tournament.step import FINAL_TABLE
from pokerroom.rules.variants import variant_named
from pokerroom.tournament.offers import offer_of, terms_of
from pokerroom_protocol.messages import TableInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentSettings(TableSettings):
    """Settings of a table of a tournament, by its `number` from 1. No account buys in here or waits for a seat."""

    tournament: str
    number: int
    offer: str
    terms: TournamentTerms

    @property
    def listed(self) -> bool:
        """See `ActorSettings`: clients find it by its offer."""
        return False

    @property
    def free_to_leave(self) -> bool:
        return False

    @property
    def waited_for(self) -> None:
        """See `ActorSettings`."""

    def at(self, level: Level) -> TournamentSettings:
        """Return the settings of a hand of this level."""
        return replace(self, stakes=level.stakes, structure=level.structure)

    def table_numbered(self, number: int) -> TournamentSettings:
        """Return the settings of the table with this number; the final table may have another seat (L9)."""
        seats = self.terms.final_seats if number == FINAL_TABLE else self.terms.table_seats
        return replace(self, table=table_of(self.tournament, number), number=number, seats_max=seats)

    def info(self, occupied: int, players: int, *, waiting: int = 0, closing: bool = False) -> TableInfo:
        # not `super()`: with slots, the decorator has made another class than the one written here
        line = TableSettings.info(self, occupied, players, waiting=waiting, closing=closing)
        return structs.replace(line, offer=self.offer)


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentActorSettings:
    """Settings of a tournament itself, beside its tables (`ActorSettings`). No client sees it.

    `of` are those of its first table.
    """

    of: TournamentSettings

    seats_max: ClassVar = 0
    seats: ClassVar = None
    waited_for: ClassVar = None
    listed: ClassVar = False
    free_to_leave: ClassVar = False
    observer_delay_s: ClassVar = 0
    chat_length_max: ClassVar = 0
    chat_per_minute: ClassVar = 0

    @property
    def tournament(self) -> str:
        """The tournament's id."""
        return self.of.tournament

    @property
    def table(self) -> str:
        """See `ActorSettings`: the id under which the tournament is owned."""
        return owned_as(self.tournament)

    @property
    def name(self) -> str:
        return self.of.name

    def info(self, occupied: int, players: int, *, waiting: int = 0, closing: bool = False) -> TableInfo:
        return self.of.info(occupied, players, waiting=waiting, closing=closing)


def tournament_settings(opening: Opening) -> TournamentSettings:
    """Return the settings of a tournament, by the terms of its opening. Raises msgspec.DecodeError, ValueError."""
    offer = offer_of(opening)
    terms = terms_of(offer)
    first = terms.schedule.levels[0]
    return TournamentSettings(
        table=table_of(opening.tournament, 1),
        tournament=opening.tournament,
        number=1,
        name=opening.named(offer.name),
        variant=variant_named(offer.game),
        structure=first.structure,
        seats_max=terms.final_seats,
        stakes=first.stakes,
        min_buy_in=Money(0),
        max_buy_in=Money(0),
        action_clock_s=offer.action_clock_s,
        countdown_s=offer.countdown_s,
        hand_pause_ms=offer.hand_pause_ms,
        away_limit_s=0,
        timeout_protection=cast("TimeoutProtection", offer.timeout_protection),
        moving_button=False,
        show_all_in=True,
        time_bank_s=offer.time_bank_s,
        time_bank_refill_s=offer.time_bank_refill_s,
        observer_delay_s=offer.observer_delay_s,
        chat_length_max=offer.chat_length_max,
        chat_per_minute=offer.chat_per_minute,
        offer=offer.id,
        terms=terms,
    )
