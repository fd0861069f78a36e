"""The settings of tables of Ultimate Texas Hold'em: `[[ultimate]]`, read into the terms of the rules.

The default of a setting that differs between the live table and the casino depends on `seating`. Knows no running
table.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from pokerroom.ops.config_rake import refuse_rake
from pokerroom.ops.config_reader import Section
from pokerroom.ops.ultimate_settings import UltimateSettings
from pokerroom.rules.ranking import HandCategory
from pokerroom.rules.ultimate.bets import BetLimits, BoxBets
from pokerroom.rules.ultimate.exposure import exposure
from pokerroom.rules.ultimate.terms import (
    BASIS_POINTS,
    BLIND,
    MOST_BOXES,
    TRIPS,
    PayTable,
    ProgressiveTerms,
    Qualification,
    Seating,
    Terms,
)

BET_MAX: Final = 10**11
"""Far below what the ledger and the wire can carry, including the dearest Blind of many players."""

CHIPS: Final = (100, 500, 1_000, 2_500, 10_000, 50_000)
"""The chips that a client offers: six values."""

_ODDS: Final = re.compile(r"([1-9][0-9]{0,5}):([1-9][0-9]{0,2})")
_CATEGORIES: Final = tuple(reversed(HandCategory))


def ultimate_table(section: Section, table_id: str) -> UltimateSettings:
    """Read one table of this id; problems are noted with `section`."""
    refuse_rake(
        section, "is for cash tables of poker only: at an Ultimate table players play against the house"
    )
    seating = Seating(section.choice("seating", "boxes", [seating.value for seating in Seating]))
    live = seating is Seating.common_hand
    table = UltimateSettings(
        table=table_id,
        name=section.text("name", table_id, 60),
        terms=_terms(section, seating),
        betting_s=section.integer("betting_s", 20, 1, 600),
        closing_s=section.integer("closing_s", 5, 0, 600),
        decision_s=section.integer("decision_s", 15, 1, 600),
        result_pause_ms=section.integer("result_pause_ms", 5_000, 0, 60_000),
        presence=section.boolean("presence", default=live),
        away_limit_s=section.integer("away_limit_s", 120, 1, 86_400),
        chat_length_max=section.integer("chat_length_max", 200, 0, 200),
        chat_per_minute=section.integer("chat_per_minute", 20, 1, 1_000),
        chips=section.amounts("chips", CHIPS, 6, BET_MAX),
    )
    if table.closing_s > table.betting_s:
        section.problem("closing_s", f"should be at most the betting time ({table.betting_s})")
    return table


def _terms(section: Section, seating: Seating) -> Terms:
    live = seating is Seating.common_hand
    if live:
        section.refuse("boxes", 'is for a table with boxes only (seating = "boxes")')
    qualification = Qualification.pair_of_fours if live else Qualification.any_pair
    blind_pays = _pay_table(section.section("blind_pays"), BLIND)
    trips_pays = _pay_table(section.section("trips_pays"), TRIPS)
    if trips_pays.step != 1:
        section.problem("trips_pays", 'should be paid to 1, as "3:1": any amount may be bet')
        trips_pays = TRIPS
    exposure_max = section.amount("exposure_max", 0, 0, 10**15)
    terms = Terms(
        qualification=Qualification(
            section.choice("qualification", qualification.value, [one.value for one in Qualification])
        ),
        seating=seating,
        ante=_ante(section, blind_pays.step),
        trips=_trips(section),
        boxes=MOST_BOXES if live else section.integer("boxes", MOST_BOXES, 1, MOST_BOXES),
        blind_pays=blind_pays,
        trips_pays=trips_pays,
        progressive=_progressive(section),
        exposure_max=exposure_max or None,
    )
    least = exposure(terms, [BoxBets(box=1, player=1, ante=terms.ante.least)]).total
    if exposure_max and exposure_max < least:
        section.problem(
            "exposure_max", f"should be at least what the smallest Ante risks ({least}), or 0 for none"
        )
    return terms


def _ante(section: Section, step: int) -> BetLimits:
    least = section.amount("ante_min", 100, 1, BET_MAX)
    most = section.amount("ante_max", max(100 * least, least), 1, BET_MAX)
    if most < least:
        section.problem("ante_max", f"should be at least the smallest Ante ({least})")
        most = least
    for key, amount in (("ante_min", least), ("ante_max", most)):
        if amount % step:
            section.problem(key, f"should be a multiple of {step}: the Blind's odds are paid in whole units")
    least += -least % step
    return BetLimits(least=least, most=max(least, most - most % step))


def _trips(section: Section) -> BetLimits | None:
    least = section.amount("trips_min", 100, 1, BET_MAX)
    most = section.amount("trips_max", 100 * least, 0, BET_MAX)
    if not most:
        return None
    if most < least:
        section.problem("trips_max", f"should be at least the smallest bet ({least}), or 0 for no Trips")
    return BetLimits(least=least, most=max(least, most))


def _pay_table(section: Section, default: PayTable) -> PayTable:
    """Read a pay table. It is given as a whole: categories that it does not name pay nothing."""
    odds = [
        (category, section.text(category.name, "", 10))
        for category in _CATEGORIES
        if section.has(category.name)
    ]
    section.finish()
    rows: list[tuple[HandCategory, int, int]] = []
    for category, text in odds:
        found = _ODDS.fullmatch(text)
        if found is None:
            section.problem(category.name, 'should be odds, as "3:2"')
        else:
            rows.append((category, int(found[1]), int(found[2])))
    return PayTable(tuple(rows)) if rows else default


def _progressive(section: Section) -> ProgressiveTerms | None:
    if not section.has("progressive"):
        return None
    found = section.section("progressive")
    stake = found.amount("stake", 100, 1, BET_MAX)
    meter_bps = _by_category(found, "meter_bps", lambda part, name: part.integer(name, None, 0, BASIS_POINTS))
    prizes = _by_category(found, "prizes", lambda part, name: part.amount(name, None, 0, BET_MAX))
    meter_bps = meter_bps or (
        (HandCategory.royal_flush, BASIS_POINTS),
        (HandCategory.straight_flush, BASIS_POINTS // 10),
    )
    prizes = prizes or (
        (HandCategory.four_of_a_kind, 300 * stake),
        (HandCategory.full_house, 50 * stake),
    )
    feed_bps = found.integer("feed_bps", 1_500, 0, BASIS_POINTS)
    seed = found.amount("seed", 10_000 * stake, 0, BET_MAX)
    envy_prize = found.amount("envy_prize", 1_000 * stake, 0, BET_MAX)
    found.finish()
    highest, _ = prizes[0]
    if highest >= meter_bps[-1][0]:
        found.problem("prizes", f"{highest.name}: fixed prizes are for lesser hands than the meter pays")
        return None
    return ProgressiveTerms(
        stake=stake,
        feed_bps=feed_bps,
        seed=seed,
        prizes=prizes,
        envy_prize=envy_prize,
        meter_bps=meter_bps,
    )


def _by_category(
    section: Section, key: str, read: Callable[[Section, str], int]
) -> tuple[tuple[HandCategory, int], ...]:
    part = section.section(key)
    found = tuple(
        (category, read(part, category.name)) for category in _CATEGORIES if part.has(category.name)
    )
    part.finish()
    return found
