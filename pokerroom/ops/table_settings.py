"""The settings that an operator makes for one table."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Literal, Self, cast

from msgspec import UNSET

from pokerroom.chips import Money
from pokerroom.ledger.hosted_tables import is_hosted
from pokerroom.rules.betting import BettingStructure, FixedLimit
from pokerroom.rules.rake import RakeTerms
from pokerroom.rules.stakes import Stakes
from pokerroom.rules.variants import Variant
from pokerroom_protocol.messages import Game, RakeCap, RakeView, Structure, TableInfo

TimeoutProtection = Literal["always", "disconnected", "never"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSettings:
    """The settings of a poker table (`ActorSettings`).

    Amounts in the smallest unit, times in whole seconds unless the name says milliseconds.
    """

    table: str
    name: str
    variant: Variant
    structure: BettingStructure
    seats_max: int
    stakes: Stakes
    min_buy_in: Money
    max_buy_in: Money
    action_clock_s: int
    countdown_s: int
    hand_pause_ms: int
    away_limit_s: int
    timeout_protection: TimeoutProtection
    moving_button: bool
    show_all_in: bool
    unit: int = 1
    """F3: the smallest chip of the table, in which pots are split."""
    rake: RakeTerms | None = None
    """F4: what the room takes of the pots; None: nothing."""
    timeout_all_ins_per_day: int | None = None
    """H2: how often a day (UTC) an account is protected, in the whole room; None: always."""
    time_bank_s: int = 0
    """The time bank of a player who sits down, beyond the action clock; 0: none."""
    time_bank_refill_s: int = 0
    """Added to the time bank for each hand that the player is dealt, up to `time_bank_s`."""
    reservation_s: int = 60
    """How long a free seat is held for a player during the buy-in, or after a call from the waiting list."""
    seats_per_address: int = 2
    """How many players of one address may sit here together; 0: any number."""
    sit_out_limit_s: int = 900
    """H6: how long a player may sit out before the seat is lost; 0: without a limit."""
    rathole_s: int = 3600
    """A player who returns within this time brings at least the chips they left with; 0: any buy-in."""
    observer_delay_s: int = 0
    """The delay of the table's view for accounts without a seat."""
    chat_length_max: int = 200
    """Characters; 0: no chat at this table."""
    chat_per_minute: int = 20
    house_bots: int = 0
    """The number of house bots that play while seats are free; they connect like any other client."""

    @property
    def listed(self) -> bool:
        return not is_hosted(self.table)

    @property
    def free_to_leave(self) -> bool:
        return True

    @property
    def seats(self) -> int:
        return self.seats_max

    @property
    def waited_for(self) -> Hashable | None:
        """See `ActorSettings`: the game; the number of seats does not matter. Guests of a host do not wait."""
        return None if is_hosted(self.table) else (self.structure, self.stakes, self.rake)

    def with_stakes(self, stakes: Stakes) -> Self:
        """Return the settings of a hand with these stakes."""
        return replace(self, stakes=stakes)

    def info(self, occupied: int, players: int, *, waiting: int = 0, closing: bool = False) -> TableInfo:
        fixed = self.structure if isinstance(self.structure, FixedLimit) else None
        return TableInfo(
            table=self.table,
            name=self.name,
            game=cast("Game", self.variant.name),
            structure=cast("Structure", self.structure.name),
            small_blind=self.stakes.small_blind,
            big_blind=self.stakes.big_blind,
            min_buy_in=self.min_buy_in,
            max_buy_in=self.max_buy_in,
            seats=self.seats_max,
            occupied=occupied,
            players=players,
            small_bet=None if fixed is None else fixed.small_bet,
            big_bet=None if fixed is None else fixed.big_bet,
            ante=self.stakes.ante,
            big_blind_ante=self.stakes.big_blind_ante,
            straddle=self.stakes.straddle,
            waiting=waiting,
            observer_delay_s=self.observer_delay_s,
            closing=closing,
            house_bots=self.house_bots,
            hole_cards=self.variant.hole_cards,
            rake=UNSET if self.rake is None else _rake_view(self.rake),
        )


def _rake_view(rake: RakeTerms) -> RakeView:
    return RakeView(
        bps=rake.bps,
        caps=[RakeCap(players=players, amount=amount) for players, amount in rake.caps],
        no_flop_no_drop=rake.no_flop_no_drop,
        unit=rake.unit,
        min_pot=rake.min_pot,
    )
