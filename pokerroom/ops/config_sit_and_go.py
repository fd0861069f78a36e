"""Sit-and-gos of a settings file: what is offered, and that the prizes add up to the prize pool (I1).

One `[[sit_and_go]]` is one offer, of which many tournaments run at once, each at one table or at several. Money is in
1/100 credit, stacks and blinds in tournament chips.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pokerroom.chips import Money
from pokerroom.ops.config_rake import refuse_rake
from pokerroom.ops.config_reader import AMOUNT_MAX, Section
from pokerroom.ops.config_variant import SEATS_MAX, game_and_structure
from pokerroom.rules.stakes import fixed_limit_stakes
from pokerroom.rules.tournament.final_table import final_table_seats
from pokerroom.rules.tournament.prize_table import paid_places, prize_table
from pokerroom.rules.tournament.prizes import PrizeTableError, fixed_prizes, prize_pool, shared_prizes_of

CHIPS_MAX: Final = 10**9
FIELD_MAX: Final = 2_000
"""Players of one tournament: the registration book of an offer is read and written as a whole."""
HOUSE_BOTS_MAX: Final = 99
_LEVELS_MAX: Final = 200
_OFFER_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,23}")
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
class SitAndGoConfig:
    """One offer. `fee` is the part of `buy_in` that is not in the prize pool; `prizes` are amounts, the best place
    first.
    """

    id: str
    name: str
    game: str
    structure: str
    seats: int
    seats_per_address: int
    buy_in: int
    fee: int
    prizes: tuple[Money, ...]
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
    """The number of house bots that register at most, once a player has registered."""
    timeout_protection: str = "never"
    """Whether the clock puts a player all-in for the chips in the pot, as at a cash table (H2).

    A tournament that an earlier version opened has none of the last three fields.
    """
    seats_per_table: int = 0
    """The seats of each of its tables; 0: all players sit at one."""


def sit_and_gos(sections: Sequence[Section]) -> tuple[SitAndGoConfig, ...]:
    """Read all offers, in order; problems are noted in their sections."""
    offers: list[SitAndGoConfig] = []
    for section in sections:
        offer = _offer(section)
        if offer.id and any(offer.id == other.id for other in offers):
            section.problem("id", f'"{offer.id}" is the id of another sit-and-go: choose a different one')
        offers.append(offer)
        section.finish()
    return tuple(offers)


def _offer(section: Section) -> SitAndGoConfig:
    offer_id = section.text("id", None, 24)
    if offer_id and not _OFFER_ID.fullmatch(offer_id):
        section.problem("id", "should be small letters, digits and hyphens")
    variant, structure = game_and_structure(section)
    fixed_limit = structure == "fixed_limit"
    if not fixed_limit:
        for key in ("unit", "raises_max", "cap_heads_up"):
            section.refuse(key, 'is for fixed limit only (structure = "fixed_limit")')
    refuse_rake(section, "is for cash tables only: the room's part of a sit-and-go is its fee")
    seats, seats_per_table = _seats(section, min(SEATS_MAX, variant.players_max))
    buy_in = section.amount("buy_in", None, 1, AMOUNT_MAX // 100)
    fee = section.amount("fee", 0, 0, AMOUNT_MAX // 100)
    starting_stack = section.integer("starting_stack", 1_500, 1, CHIPS_MAX)
    timed, length = _level_length(section)
    offer = SitAndGoConfig(
        id=offer_id,
        name=section.text("name", offer_id, 60),
        game=variant.name,
        structure=structure,
        seats=seats,
        seats_per_address=section.integer("seats_per_address", 2, 0, 10),
        buy_in=buy_in,
        fee=fee,
        prizes=_prizes(section, seats=seats, buy_in=buy_in, fee=fee),
        starting_stack=starting_stack,
        levels_timed=timed,
        levels=_levels(section, length, fixed_limit=fixed_limit),
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
        house_bots=section.integer("house_bots", 0, 0, HOUSE_BOTS_MAX),
        timeout_protection=section.choice(
            "timeout_protection", "never", ["always", "disconnected", "never"]
        ),  # H2
        seats_per_table=seats_per_table,
    )
    if offer.house_bots >= offer.seats:
        section.problem("house_bots", f"should leave a seat for a player: at most {offer.seats - 1}")
    if offer.time_bank_refill_s > offer.time_bank_s:
        section.problem("time_bank_refill_s", f"should be at most the time bank ({offer.time_bank_s})")
    return offer


def _seats(section: Section, at_table: int) -> tuple[int, int]:
    """Read the number of players, and of the seats at each of several tables; 0: all sit at one."""
    seats = section.integer("seats", 6, 2, FIELD_MAX)
    if not section.has("seats_per_table"):
        if seats > at_table:
            section.problem(
                "seats", f"should be at most {at_table} at one table: for more, set seats_per_table"
            )
        return min(seats, at_table), 0
    per_table = section.integer("seats_per_table", None, 2, at_table)
    if section.is_sound("seats") and section.is_sound("seats_per_table"):
        at_one = final_table_seats(per_table)
        if seats <= at_one:  # L9: they would meet at the final table at once
            section.problem(
                "seats_per_table", f"is for more than {at_one} players: leave it out, or raise seats"
            )
    return seats, per_table


def _prizes(section: Section, *, seats: int, buy_in: int, fee: int) -> tuple[Money, ...]:
    """Read the prize table, exactly the pool: one of `prizes`, `prize_shares` (in basis points) and `payout` (L11)."""
    amounts = section.integers("prizes", 1, AMOUNT_MAX)
    shares = section.integers("prize_shares", 1, 10_000)
    section.choice("payout", "standard", ["standard"])
    given = [key for key in ("prizes", "prize_shares", "payout") if section.has(key)]
    key = given[-1] if given else "prizes"
    if len(given) > 1:
        section.problem(key, f"{given[0]} says it already: leave one of the two out")
    elif not given:
        section.problem("", 'prizes is missing: amounts, prize_shares in 1/100 %, or payout = "standard"')
    if fee >= buy_in and section.is_sound("buy_in") and section.is_sound("fee"):
        section.problem("fee", f"should be less than the buy-in ({buy_in}), of which it is a part")
    if not all(
        section.is_sound(name) for name in ("prizes", "prize_shares", "payout", "seats", "buy_in", "fee", "")
    ):
        return ()
    pool = prize_pool(seats, buy_in, fee)
    try:
        if key == "prizes":
            return fixed_prizes(amounts, pool=pool, seats=seats)
        if key == "payout":
            return prize_table(pool, places=paid_places(seats, seats), entries=seats)
        return shared_prizes_of(shares, pool=pool, seats=seats)
    except PrizeTableError as wrong:
        section.problem(key, str(wrong))
        return ()


def _level_length(section: Section) -> tuple[bool, int]:
    """Read whether levels are timed, and the length of a level that names none."""
    if section.has("level_s"):
        section.refuse("level_hands", "levels have a length in seconds already: leave one of the two out")
        return True, section.integer("level_s", None, 1, 86_400)
    if section.has("level_hands"):
        return False, section.integer("level_hands", None, 1, 10_000)
    section.problem("", "level_s is missing: how long a level is, or level_hands")
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
