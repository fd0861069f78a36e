"""What an operator sets for one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pokerroom.chips import Money
from pokerroom.rules.betting import BettingStructure
from pokerroom.rules.stakes import Stakes
from pokerroom_protocol.messages import TableInfo

TimeoutProtection = Literal["always", "disconnected", "never"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSettings:
    """Amounts in the smallest unit, times in whole seconds unless the name says milliseconds."""

    table: str
    name: str
    structure: BettingStructure
    structure_name: Literal["no_limit", "pot_limit", "fixed_limit"]
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

    def info(self, occupied: int, players: int) -> TableInfo:
        """The table's line in the lobby."""
        return TableInfo(
            table=self.table,
            name=self.name,
            game="holdem",
            structure=self.structure_name,
            small_blind=self.stakes.small_blind,
            big_blind=self.stakes.big_blind,
            min_buy_in=self.min_buy_in,
            max_buy_in=self.max_buy_in,
            seats=self.seats_max,
            occupied=occupied,
            players=players,
        )
