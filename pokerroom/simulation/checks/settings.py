"""What the operator has set for a table, as the checkers need it: amounts in the smallest unit, times in seconds.

Values alone. Whoever knows the room's configuration fills them in; the checkers know it from here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSettings:
    """One table. `small_bet`, `big_bet`, `raises_max` and `cap_heads_up` are for fixed limit alone."""

    game: str
    structure: str
    seats: int
    small_blind: int
    big_blind: int
    ante: int
    big_blind_ante: int
    straddle: int
    small_bet: int
    big_bet: int
    raises_max: int
    cap_heads_up: bool
    action_clock_s: int
    countdown_s: int
    time_bank_s: int
    time_bank_refill_s: int
    timeout_protection: str
    timeout_all_ins_per_day: int | None
    """None: as often as it happens."""
    moving_button: bool
    show_all_in: bool
    unit: int
    observer_delay_s: int
    hand_pause_s: float = 0.0
    max_buy_in: int = 0
    """This and the next three are of cash tables."""
    rathole_s: int = 0
    """0: a player may come back with less."""
    away_limit_s: int = 0
    sit_out_limit_s: int = 0
    """0: a player may sit out for ever."""
    rake_bps: int = 0
    """0: no rake; the fields below have no meaning then."""
    rake_caps: tuple[tuple[int, int], ...] = ()
    """(players dealt in, the most from there on)."""
    rake_unit: int = 1
    rake_min_pot: int = 0
    no_flop_no_drop: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedOffer:
    """What hosts of private tables may choose. `games` are games with a betting structure."""

    tables_per_account: int
    games: frozenset[tuple[str, str]]
    small_blind_min: int
    small_blind_max: int
    seats_max: int

    def has(self, terms: CheckedSettings) -> bool:
        """Return whether a host may choose these terms."""
        return (
            (terms.game, terms.structure) in self.games
            and self.small_blind_min <= terms.small_blind <= self.small_blind_max
            and terms.seats <= self.seats_max
        )
