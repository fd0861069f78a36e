"""Translation of a configured sit-and-go to terms of the rules and of the ledger.

The configuration has checked its values. A tournament keeps the offer as it was at its opening, so a running tournament
goes on as before when the settings change.
"""

from __future__ import annotations

from dataclasses import replace

import msgspec

from pokerroom.chips import Chips, Money
from pokerroom.ledger.tournaments import Opening
from pokerroom.ops.config_sit_and_go import LevelConfig, SitAndGoConfig
from pokerroom.rules.betting import BettingStructure, FixedLimit, structure_named
from pokerroom.rules.stakes import Stakes
from pokerroom.rules.tournament.schedule import BlindSchedule, LengthUnit, Level
from pokerroom.rules.tournament.state import TournamentTerms


def terms_of(config: SitAndGoConfig) -> TournamentTerms:
    """Return the terms of each tournament of an offer."""
    return TournamentTerms(
        seats=config.seats,
        table_seats=config.seats_per_table,
        buy_in=Money(config.buy_in),
        fee=Money(config.fee),
        starting_stack=Chips(config.starting_stack),
        schedule=BlindSchedule(
            levels=tuple(_level(config, level) for level in _without_end(config)),
            unit=LengthUnit.ms if config.levels_timed else LengthUnit.hands,
        ),
        prizes=config.prizes,
    )


def opening_of(config: SitAndGoConfig, number: int) -> Opening:
    """Return the opening of the offer's tournament of this number (from 1), for the ledger."""
    return Opening(
        tournament=f"{config.id}.{number}",
        offer=config.id,
        number=number,
        seats=config.seats,
        buy_in=Money(config.buy_in),
        fee=Money(config.fee),
        prizes=config.prizes,
        terms=msgspec.json.encode(config),
    )


def offer_of(opening: Opening) -> SitAndGoConfig:
    """Return the offer as it was when the tournament opened.

    Raises msgspec.DecodeError for terms that cannot be read.
    """
    return msgspec.json.decode(opening.terms, type=SitAndGoConfig)


def _without_end(config: SitAndGoConfig) -> list[LevelConfig]:
    """Return the offer's levels, then levels with doubled amounts until a blind is all chips in play (I5) [D].

    So every tournament ends, also when all players have left: without this they would only pass the blinds around.
    """
    levels = list(config.levels)
    while levels[-1].big_blind < config.seats * config.starting_stack:
        last = levels[-1]
        levels.append(
            replace(
                last,
                small_blind=2 * last.small_blind,
                big_blind=2 * last.big_blind,
                big_bet=2 * last.big_bet,
                ante=2 * last.ante,
                big_blind_ante=2 * last.big_blind_ante,
                break_s=0,
            )
        )
    return levels


def _level(config: SitAndGoConfig, level: LevelConfig) -> Level:
    return Level(
        stakes=Stakes(
            small_blind=level.small_blind,
            big_blind=level.big_blind,
            ante=level.ante,
            big_blind_ante=level.big_blind_ante,
        ),
        structure=_structure(config, level),
        length=level.length * 1000 if config.levels_timed else level.length,
        break_ms=level.break_s * 1000,
    )


def _structure(config: SitAndGoConfig, level: LevelConfig) -> BettingStructure:
    if config.structure != FixedLimit.name:
        return structure_named(config.structure, {})
    return FixedLimit(
        small_bet=level.big_blind,
        big_bet=level.big_bet,
        raises_max=config.raises_max,
        cap_heads_up=config.cap_heads_up,
    )
