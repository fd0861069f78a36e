"""Give the checkers the settings of each table. They do not read the room's configuration themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pokerroom.ops.config import RoomConfig
from pokerroom.ops.config_table import hosted_table_settings
from pokerroom.ops.table_settings import TableSettings
from pokerroom.rules.betting import FixedLimit
from pokerroom.simulation.checks.settings import CheckedOffer, CheckedSettings


def checked_settings(config: RoomConfig) -> dict[str, CheckedSettings]:
    """By table."""
    return {table.table: _terms(table) for table in config.tables}


def private_settings(table: str, settings: Mapping[str, Any]) -> CheckedSettings:
    """Of a table that a player has opened."""
    return _terms(hosted_table_settings(table, settings))


def checked_offer(config: RoomConfig) -> CheckedOffer:
    """Of private tables."""
    offered = config.hosting
    games = (game.split() for game in offered.games)
    return CheckedOffer(
        tables_per_account=offered.tables_per_account,
        games=frozenset((name, structure) for name, structure in games),
        small_blind_min=offered.small_blind_min,
        small_blind_max=offered.small_blind_max,
        seats_max=offered.seats_max,
    )


def _terms(table: TableSettings) -> CheckedSettings:
    stakes, fixed = table.stakes, table.structure if isinstance(table.structure, FixedLimit) else None
    return CheckedSettings(
        game=table.variant.name,
        structure=table.structure.name,
        seats=table.seats,
        small_blind=stakes.small_blind,
        big_blind=stakes.big_blind,
        ante=stakes.ante,
        big_blind_ante=stakes.big_blind_ante,
        straddle=stakes.straddle,
        small_bet=0 if fixed is None else fixed.small_bet,
        big_bet=0 if fixed is None else fixed.big_bet,
        raises_max=0 if fixed is None else fixed.raises_max,
        cap_heads_up=fixed is None or fixed.cap_heads_up,
        action_clock_s=table.action_clock_s,
        countdown_s=table.countdown_s,
        time_bank_s=table.time_bank_s,
        time_bank_refill_s=table.time_bank_refill_s,
        hand_pause_s=table.hand_pause_ms / 1000,
        timeout_protection=table.timeout_protection,
        timeout_all_ins_per_day=table.timeout_all_ins_per_day,
        moving_button=table.moving_button,
        show_all_in=table.show_all_in,
        unit=table.unit,
        observer_delay_s=table.observer_delay_s,
        max_buy_in=table.max_buy_in,
        rathole_s=table.rathole_s,
        away_limit_s=table.away_limit_s,
        sit_out_limit_s=table.sit_out_limit_s,
        **_rake(table),
    )


def _rake(table: TableSettings) -> dict[str, Any]:
    rake = table.rake
    if rake is None:
        return {}
    return {
        "rake_bps": rake.bps,
        "rake_caps": rake.caps,
        "rake_unit": rake.unit,
        "rake_min_pot": rake.min_pot,
        "no_flop_no_drop": rake.no_flop_no_drop,
    }
