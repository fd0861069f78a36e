"""Give the checkers the settings of each table. They do not read the room's configuration themselves."""

from __future__ import annotations

from pokerroom.ops.config import RoomConfig, TableConfig
from pokerroom.simulation.checks.settings import CheckedSettings


def checked_settings(config: RoomConfig) -> dict[str, CheckedSettings]:
    """By table."""
    return {table.id: _terms(table) for table in config.tables}


def _terms(table: TableConfig) -> CheckedSettings:
    fixed = table.fixed_limit
    return CheckedSettings(
        game=table.game,
        structure=table.structure,
        seats=table.seats,
        small_blind=table.small_blind,
        big_blind=table.big_blind,
        ante=table.ante,
        big_blind_ante=table.big_blind_ante,
        straddle=table.straddle,
        small_bet=0 if fixed is None else fixed.small_bet,
        big_bet=0 if fixed is None else fixed.big_bet,
        raises_max=0 if fixed is None else fixed.raises_max,
        cap_heads_up=fixed is None or fixed.cap_heads_up,
        action_clock_s=table.action_clock_s,
        countdown_s=table.countdown_s,
        time_bank_s=table.time_bank_s,
        time_bank_refill_s=table.time_bank_refill_s,
        timeout_protection=table.timeout_protection,
        timeout_all_ins_per_day=table.timeout_all_ins_per_day or None,  # 0 in the file: no allowance is set
        moving_button=table.moving_button,
        show_all_in=table.show_all_in,
        observer_delay_s=table.observer_delay_s,
    )
