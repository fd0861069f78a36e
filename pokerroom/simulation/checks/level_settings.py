"""The settings of a tournament's table at each level, by the terms of its opening."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pokerroom.simulation.checks.settings import CheckedSettings


def settings_at(offer: dict[str, Any], level: dict[str, Any]) -> CheckedSettings:
    """Return the settings of a tournament's table at a level, by the terms of its opening."""
    fixed_limit = offer["structure"] == "fixed_limit"
    return CheckedSettings(
        game=offer["game"],
        structure=offer["structure"],
        seats=10 if offer["seats_per_table"] else offer["seats"],
        small_blind=level["small_blind"],
        big_blind=level["big_blind"],
        ante=level["ante"],
        big_blind_ante=level["big_blind_ante"],
        straddle=0,
        small_bet=level["big_blind"] if fixed_limit else 0,
        big_bet=level["big_bet"],
        raises_max=offer["raises_max"] if fixed_limit else 0,
        cap_heads_up=offer["cap_heads_up"],
        action_clock_s=offer["action_clock_s"],
        countdown_s=offer["countdown_s"],
        time_bank_s=offer["time_bank_s"],
        time_bank_refill_s=offer["time_bank_refill_s"],
        timeout_protection=offer["timeout_protection"],
        timeout_all_ins_per_day=None,
        moving_button=False,
        show_all_in=True,
        unit=1,
        observer_delay_s=offer["observer_delay_s"],
    )


def doubled(level: CheckedSettings) -> CheckedSettings:
    """Return the settings of the level after the last one of a schedule [D]."""
    amounts = "small_blind", "big_blind", "ante", "big_blind_ante", "small_bet", "big_bet"
    return replace(level, **{name: 2 * getattr(level, name) for name in amounts})
