"""How a tournament of a settings file is played, whether it starts when it is full or at a time.

Money is in 1/100 credit, stacks and blinds in tournament chips.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pokerroom.ops.config_rake import refuse_rake
from pokerroom.ops.config_reader import AMOUNT_MAX, Section
from pokerroom.ops.config_variant import game_and_structure
from pokerroom.rules.stakes import fixed_limit_stakes
from pokerroom.rules.tournament.deals import DEAL_PLAYERS_MAX
from pokerroom.rules.tournament.prizes import SHARES_BPS
from pokerroom.rules.tournament.structures import regular_stakes

CHIPS_MAX: Final = 10**9
_LEVELS_MAX: Final = 200
_STANDARD_LEVELS: Final = 60
"""Levels of a standard structure; the usual doubling follows."""

_SPEEDS: Final = {"slow": 1_200, "regular": 600, "turbo": 300, "hyper": 180}
"""The length of a level of each standard structure, in seconds (L10)."""

OFFER_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,23}")
"""A tournament's id is its offer's, a full stop and a number: no table's id can be the same, nor longer than 40."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelConfig:
    """One level. `length` is in seconds or hands, as the offer says; `big_bet` is 0 except in fixed limit.

    In fixed limit the big blind is the small bet, and the small blind follows from it (B2).
    """

    small_blind: int
    big_blind: int
    big_bet: int
    ante: int
    big_blind_ante: int
    length: int
    break_s: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentPlayConfig:
    """What the offers of both kinds have in common. `fee` is the part of `buy_in` that is not in the prize pool."""

    id: str
    name: str
    game: str
    structure: str
    buy_in: int
    fee: int
    starting_stack: int
    levels_timed: bool
    """Whether levels last a number of seconds, not of hands."""
    levels: tuple[LevelConfig, ...]
    raises_max: int
    cap_heads_up: bool
    action_clock_s: int
    countdown_s: int
    time_bank_s: int
    time_bank_refill_s: int
    hand_pause_ms: int
    observer_delay_s: int
    chat_length_max: int
    chat_per_minute: int
    house_bots: int = 0
    """The number of house bots that register at most."""
    timeout_protection: str = "never"
    """Whether the clock puts a player all-in for the chips in the pot, as at a cash table (H2)."""
    deals: bool = False
    """Whether players may make a deal at the final table (L15)."""
    deal_from_players: int = DEAL_PLAYERS_MAX
    """So many players may be left at most."""
    deal_leave_bps: int = 0
    """What a deal leaves for the winner at least, of the unpaid prizes in basis points."""
    hand_for_hand_ties: str = "stack"
    """Whether players out in one hand of hand-for-hand are placed by their stacks, or all tie and share (L8).

    A tournament that an earlier version opened has none of the last six fields.
    """


def tournament_play(section: Section, *, house_bots_max: int) -> TournamentPlayConfig:
    """Read what both kinds have in common; problems are noted in the section."""
    offer_id = section.text("id", None, 24)
    if offer_id and not OFFER_ID.fullmatch(offer_id):
        section.problem("id", "should be small letters, digits and hyphens")
    variant, structure = game_and_structure(section)
    fixed_limit = structure == "fixed_limit"
    if not fixed_limit:
        for key in ("unit", "raises_max", "cap_heads_up"):
            section.refuse(key, 'is for fixed limit only (structure = "fixed_limit")')
    refuse_rake(section, "is for cash tables only: the room's part of a tournament is its fee")
    timed, levels = _structure(section, fixed_limit=fixed_limit)
    play = TournamentPlayConfig(
        id=offer_id,
        name=section.text("name", offer_id, 60),
        game=variant.name,
        structure=structure,
        buy_in=section.amount("buy_in", None, 1, AMOUNT_MAX // 100),
        fee=section.amount("fee", 0, 0, AMOUNT_MAX // 100),
        starting_stack=section.integer("starting_stack", 1_500, 1, CHIPS_MAX),
        levels_timed=timed,
        levels=levels,
        raises_max=section.integer("raises_max", 3, 1, 100) if fixed_limit else 3,  # D5
        cap_heads_up=section.boolean("cap_heads_up", default=True) if fixed_limit else True,  # D5
        action_clock_s=section.integer("action_clock_s", 10, 1, 600),  # H1
        countdown_s=section.integer("countdown_s", 20, 0, 600),  # H1, H4
        time_bank_s=section.integer("time_bank_s", 0, 0, 3_600),
        time_bank_refill_s=section.integer("time_bank_refill_s", 0, 0, 3_600),
        hand_pause_ms=section.integer("hand_pause_ms", 2_000, 0, 60_000),
        observer_delay_s=section.integer("observer_delay_s", 0, 0, 3_600),
        chat_length_max=section.integer("chat_length_max", 200, 0, 200),
        chat_per_minute=section.integer("chat_per_minute", 20, 1, 1_000),
        house_bots=section.integer("house_bots", 0, 0, house_bots_max),
        timeout_protection=section.choice(
            "timeout_protection", "never", ["always", "disconnected", "never"]
        ),  # H2
        deals=section.boolean("deals", default=False),
        deal_from_players=section.integer("deal_from_players", DEAL_PLAYERS_MAX, 2, DEAL_PLAYERS_MAX),  # L15
        deal_leave_bps=section.integer("deal_leave_bps", 0, 0, SHARES_BPS),
        hand_for_hand_ties=section.choice("hand_for_hand_ties", "stack", ["share", "stack"]),  # L8
    )
    if not play.deals and section.is_sound("deals"):
        for key in ("deal_from_players", "deal_leave_bps"):
            if section.has(key):
                section.problem(key, "is of deals: set deals = true, or leave this out")
    if play.time_bank_refill_s > play.time_bank_s:
        section.problem("time_bank_refill_s", f"should be at most the time bank ({play.time_bank_s})")
    if play.fee >= play.buy_in and section.is_sound("buy_in") and section.is_sound("fee"):
        section.problem("fee", f"should be less than the buy-in ({play.buy_in}), of which it is a part")
    return play


def _structure(section: Section, *, fixed_limit: bool) -> tuple[bool, tuple[LevelConfig, ...]]:
    """Read the levels: the offer's own, or those of a standard structure. Also return whether they are timed."""
    if not section.has("speed"):
        section.refuse("breaks", "are for a speed: give break_s of a level, or leave this out")
        timed, length = _level_length(section)
        return timed, _levels(section, length, fixed_limit=fixed_limit)
    for key in ("level_s", "level_hands", "levels"):
        section.refuse(key, "follows from the speed: leave one of the two out")
    speed = section.choice("speed", "regular", list(_SPEEDS))
    if fixed_limit:
        section.problem("speed", "is for no limit and pot limit: give fixed limit its own levels")
    breaks = _breaks(section)
    return True, tuple(
        LevelConfig(
            small_blind=stakes.small_blind,
            big_blind=stakes.big_blind,
            big_bet=0,
            ante=0,
            big_blind_ante=stakes.big_blind_ante,
            length=_SPEEDS[speed],
            break_s=breaks.get(number, 0),
        )
        for number, stakes in enumerate(regular_stakes(_STANDARD_LEVELS), start=1)
    )


def _breaks(section: Section) -> dict[int, int]:
    """Read the breaks of a standard structure: by the number of the level before each, its length in seconds."""
    breaks: dict[int, int] = {}
    for one in section.sections("breaks"):
        level = one.integer("after_level", None, 1, _STANDARD_LEVELS - 1)
        if level in breaks and one.is_sound("after_level"):
            one.problem("after_level", f"has a break after level {level} already: leave one of the two out")
        breaks[level] = one.integer("break_s", None, 1, 86_400)
        one.finish()
    return breaks


def _level_length(section: Section) -> tuple[bool, int]:
    """Read whether levels are timed, and the length of a level that names none."""
    if section.has("level_s"):
        section.refuse("level_hands", "levels have a length in seconds already: leave one of the two out")
        return True, section.integer("level_s", None, 1, 86_400)
    if section.has("level_hands"):
        return False, section.integer("level_hands", None, 1, 10_000)
    section.problem(
        "", "speed is missing: a standard structure, or level_s or level_hands with levels of your own"
    )
    return True, 1


def _levels(section: Section, length: int, *, fixed_limit: bool) -> tuple[LevelConfig, ...]:
    unit = section.integer("unit", 1, 1, CHIPS_MAX) if fixed_limit else 1
    levels: list[LevelConfig] = []
    for level in section.sections("levels"):
        found = _level(level, length, unit=unit, fixed_limit=fixed_limit)
        sound = all(level.is_sound(key) for key in ("small_blind", "big_blind", "small_bet"))
        if levels and sound and found.big_blind < levels[-1].big_blind:
            least = f"no less than that of the level before ({levels[-1].big_blind})"
            key = "small_bet" if fixed_limit else "big_blind"
            level.problem(key, f"should be {least}, not {found.big_blind}")
        levels.append(found)
        level.finish()
    if not 1 <= len(levels) <= _LEVELS_MAX:
        section.problem("levels", f"should be 1 to {_LEVELS_MAX} levels, not {len(levels)}")
    return tuple(levels)


def _level(level: Section, length: int, *, unit: int, fixed_limit: bool) -> LevelConfig:
    big_bet = 0
    if fixed_limit:
        for key in ("small_blind", "big_blind"):
            level.refuse(key, "follows from small_bet in fixed limit: leave it out")
        big_blind = level.integer("small_bet", None, 2, CHIPS_MAX)
        big_bet = level.integer("big_bet", 2 * big_blind, big_blind, CHIPS_MAX)
        small_blind = 1
        if unit <= big_blind // 2:
            small_blind = fixed_limit_stakes(big_blind, unit=unit).small_blind
        elif level.is_sound("small_bet"):
            level.problem("small_bet", f"should be at least two units of the game ({2 * unit})")
    else:
        for key in ("small_bet", "big_bet"):
            level.refuse(key, 'is for fixed limit only (structure = "fixed_limit")')
        small_blind = level.integer("small_blind", None, 1, CHIPS_MAX // 2)
        big_blind = level.integer("big_blind", 2 * small_blind, small_blind, CHIPS_MAX)  # B2
    return LevelConfig(
        small_blind=small_blind,
        big_blind=big_blind,
        big_bet=big_bet,
        ante=level.integer("ante", 0, 0, CHIPS_MAX),  # B9
        big_blind_ante=level.integer("big_blind_ante", 0, 0, CHIPS_MAX),  # B9
        length=level.integer("length", length, 1, 86_400),
        break_s=level.integer("break_s", 0, 0, 86_400),
    )
