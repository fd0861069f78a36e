"""The settings of a table, made of its part of the configuration.

The configuration has checked its values; this module translates them into the types of the rules and the tables, and
decides nothing. It knows neither files nor running tables.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import cast

from pokerroom.chips import Money
from pokerroom.ops.config import TableConfig
from pokerroom.ops.config_ultimate import UltimateConfig
from pokerroom.poker.settings import TableSettings, TimeoutProtection
from pokerroom.rules.betting import structure_named
from pokerroom.rules.stakes import Stakes
from pokerroom.rules.variants import variant_named
from pokerroom.ultimate.settings import UltimateSettings


def table_settings(config: TableConfig) -> TableSettings:
    """Return the settings of one poker table."""
    return TableSettings(
        table=config.id,
        name=config.name,
        variant=variant_named(config.game),
        structure=structure_named(config.structure, asdict(config.fixed_limit) if config.fixed_limit else {}),
        seats_max=config.seats,
        stakes=Stakes(
            small_blind=config.small_blind,
            big_blind=config.big_blind,
            ante=config.ante,
            big_blind_ante=config.big_blind_ante,
            straddle=config.straddle,
        ),
        min_buy_in=Money(config.min_buy_in),
        max_buy_in=Money(config.max_buy_in),
        action_clock_s=config.action_clock_s,
        countdown_s=config.countdown_s,
        hand_pause_ms=config.hand_pause_ms,
        away_limit_s=config.away_limit_s,
        timeout_protection=cast("TimeoutProtection", config.timeout_protection),
        moving_button=config.moving_button,
        show_all_in=config.show_all_in,
        timeout_all_ins_per_day=config.timeout_all_ins_per_day or None,
        time_bank_s=config.time_bank_s,
        time_bank_refill_s=config.time_bank_refill_s,
        reservation_s=config.reservation_s,
        rathole_s=config.rathole_s,
        observer_delay_s=config.observer_delay_s,
        chat_length_max=config.chat_length_max,
        chat_per_minute=config.chat_per_minute,
        house_bots=config.house_bots,
    )


def ultimate_settings(config: UltimateConfig) -> UltimateSettings:
    """Return the settings of one table of Ultimate."""
    return UltimateSettings(
        table=config.id,
        name=config.name,
        terms=config.terms,
        betting_s=config.betting_s,
        closing_s=config.closing_s,
        decision_s=config.decision_s,
        result_pause_ms=config.result_pause_ms,
        presence=config.presence,
        away_limit_s=config.away_limit_s,
        chips=config.chips,
        chat_length_max=config.chat_length_max,
        chat_per_minute=config.chat_per_minute,
    )
