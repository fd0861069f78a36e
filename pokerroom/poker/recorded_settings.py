"""The settings of a table, as far as a hand's record has them. A table's hands share them, so they are made once."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from pokerroom.chips import Money
from pokerroom.history.record import HandRecord, RakeTermsRecord
from pokerroom.ops.table_settings import TableSettings
from pokerroom.rules.betting import FixedLimit, structure_named
from pokerroom.rules.rake import RAKE_BPS_MAX, RakeTerms, check_rake
from pokerroom.rules.stakes import Stakes
from pokerroom.rules.variants import variant_named

SETTINGS_MAX: Final = 1_000
"""Of so many tables the settings are kept."""


class _Told(NamedTuple):
    """What a record tells of the settings of its table."""

    table: str
    game: str
    structure: str
    betting: tuple[tuple[str, int], ...]
    seats_max: int
    small_blind: int
    big_blind: int
    unit: int
    rake_terms: RakeTermsRecord | None
    guessed_rake: tuple[int, int] | None
    """The rake and its unit, where the terms are not known."""


def recorded_settings(hand: HandRecord) -> TableSettings:
    """Return the settings of the table, as far as the record has them. Raises UnknownName, ValueError."""
    told = _Told(
        table=hand.table,
        game=hand.game,
        structure=hand.structure,
        betting=tuple(hand.betting.items()),
        seats_max=hand.seats_max or max(seat.seat for seat in hand.seats),
        small_blind=hand.small_blind,
        big_blind=hand.big_blind,
        unit=hand.unit,
        rake_terms=hand.rake_terms,
        guessed_rake=(hand.rake, hand.rake_unit) if hand.rake and hand.rake_terms is None else None,
    )
    return _settings_of(told)


@lru_cache(SETTINGS_MAX)
def _settings_of(told: _Told) -> TableSettings:
    parameters = dict(told.betting)
    if told.structure == FixedLimit.name:  # older records have no parameters
        parameters = {"small_bet": told.big_blind, "big_bet": 2 * told.big_blind} | parameters
    return TableSettings(
        table=told.table,
        name="",
        variant=variant_named(told.game),
        structure=structure_named(told.structure, parameters),
        seats_max=told.seats_max,
        stakes=Stakes(small_blind=told.small_blind, big_blind=told.big_blind),
        min_buy_in=Money(0),
        max_buy_in=Money(0),
        action_clock_s=0,
        countdown_s=0,
        hand_pause_ms=0,
        away_limit_s=0,
        timeout_protection="never",
        moving_button=False,
        show_all_in=True,
        unit=told.unit,
        rake=_rake(told.rake_terms, told.guessed_rake),
    )


def _rake(known: RakeTermsRecord | None, guessed: tuple[int, int] | None) -> RakeTerms | None:
    """Return the terms of the rake. Those of an older record are such that the room may take what it says.

    Raises InvariantBroken for terms that no table may have.
    """
    if known is not None:
        terms = RakeTerms(**msgspec.structs.asdict(known))
        check_rake(terms)
        return terms
    if guessed is None:
        return None
    rake, unit = guessed
    return RakeTerms(bps=RAKE_BPS_MAX, caps=((1, rake),), no_flop_no_drop=False, unit=unit)
