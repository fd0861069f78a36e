"""The rake of a cash table: its settings in the room's file, which other tables refuse (F4)."""

from __future__ import annotations

from typing import Final

from pokerroom.ops.config_reader import AMOUNT_MAX, Section
from pokerroom.ops.config_variant import SEATS_MAX
from pokerroom.rules.rake import RAKE_BPS_MAX, RakeTerms

RAKE_KEYS: Final = ("rake_bps", "rake_cap", "rake_unit", "rake_min_pot", "no_flop_no_drop")
"""All settings of a rake."""

_EXAMPLE: Final = "{ 2 = 100, 5 = 300 }"


def rake_terms(section: Section, unit: int) -> RakeTerms | None:
    """Read the rake of a table with this smallest chip; None for no rake. Problems are noted with `section`."""
    bps = section.integer("rake_bps", 0, 0, RAKE_BPS_MAX)
    rake_unit = section.amount("rake_unit", unit, 1, AMOUNT_MAX // 1000)
    caps = _caps(section, rake_unit)
    no_flop_no_drop = section.boolean("no_flop_no_drop", default=True)
    min_pot = section.amount("rake_min_pot", 0, 0, AMOUNT_MAX)
    if not bps:
        return None
    return RakeTerms(bps=bps, caps=caps, no_flop_no_drop=no_flop_no_drop, unit=rake_unit, min_pot=min_pot)


def refuse_rake(section: Section, why: str) -> None:
    """Note a problem with each setting of a rake that is given, where there can be none."""
    for key in RAKE_KEYS:
        section.refuse(key, why)


def _caps(section: Section, unit: int) -> tuple[tuple[int, int], ...]:
    given = section.section("rake_cap", f"caps by the number of players, as {_EXAMPLE}")
    caps: list[tuple[int, int]] = []
    for players in range(2, SEATS_MAX + 1):
        key = str(players)
        if not given.has(key):
            continue
        cap = given.amount(key, None, 1, AMOUNT_MAX)
        if cap % unit and given.is_sound(key) and section.is_sound("rake_unit"):
            given.problem(key, f"should be a multiple of the unit of the rake ({unit})")
        caps.append((players, cap))
    given.finish()
    if caps and caps[0][0] != 2:
        section.problem("rake_cap", f"should begin with two players, as {_EXAMPLE}")
    return tuple(caps)
