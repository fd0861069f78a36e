"""The settings of a poker table: `[[tables]]` of the room's file, and the terms of a table that a player hosts.

Both are read by the same rules, and get the same defaults. Knows no running table.
"""

from __future__ import annotations

from typing import Final, cast, get_args

from pokerroom.chips import Money
from pokerroom.ledger.hosted_tables import Terms, is_hosted
from pokerroom.ops.config_rake import rake_terms, refuse_rake
from pokerroom.ops.config_reader import AMOUNT_MAX, ConfigProblem, Section
from pokerroom.ops.config_variant import SEATS_MAX, game_and_structure
from pokerroom.ops.table_settings import TableSettings, TimeoutProtection
from pokerroom.rules.betting import BettingStructure, FixedLimit, structure_named
from pokerroom.rules.stakes import Stakes, fixed_limit_stakes

HOSTED_BUY_IN_MAX: Final = 500
"""[D] Big blinds of the largest buy-in at a hosted table. No-limit has no cap on raises (D6): with a million big blinds
in two stacks a hand can last a million actions, and its record is as long.
"""


def table_settings(section: Section, table_id: str) -> TableSettings:
    """Read one table of this id; problems are noted with `section`."""
    variant, named = game_and_structure(section)
    unit = section.amount("unit", 100 if named == FixedLimit.name else 1, 1, AMOUNT_MAX // 1000)  # F3
    structure, small_blind, big_blind = _stakes(section, named, unit)
    least, most = 20 * big_blind, 100 * big_blind
    if isinstance(structure, FixedLimit):
        # [D] Ten of the largest bet (RRP) to fifty: where that is two big blinds, the same 20 and 100 of them.
        least, most = 10 * structure.big_bet, 50 * structure.big_bet
    table = TableSettings(
        table=table_id,
        name=section.text("name", table_id, 60),
        variant=variant,
        structure=structure,
        seats_max=section.integer("seats", 6, 2, min(SEATS_MAX, variant.players_max)),
        stakes=Stakes(
            small_blind=small_blind,
            big_blind=big_blind,
            ante=section.amount("ante", 0, 0, AMOUNT_MAX // 100),  # B9
            big_blind_ante=section.amount("big_blind_ante", 0, 0, AMOUNT_MAX // 100),  # B9
            straddle=section.amount("straddle", 0, 0, AMOUNT_MAX // 10),
        ),
        min_buy_in=Money(section.amount("min_buy_in", least, 1, AMOUNT_MAX)),
        max_buy_in=Money(section.amount("max_buy_in", most, 1, AMOUNT_MAX)),
        action_clock_s=section.integer("action_clock_s", 10, 1, 600),  # H1
        countdown_s=section.integer("countdown_s", 20, 0, 600),  # H1, H4
        time_bank_s=section.integer("time_bank_s", 0, 0, 3_600),
        time_bank_refill_s=section.integer("time_bank_refill_s", 0, 0, 3_600),
        hand_pause_ms=section.integer("hand_pause_ms", 2_000, 0, 60_000),
        away_limit_s=section.integer("away_limit_s", 120, 1, 86_400),  # H6
        seats_per_address=section.integer("seats_per_address", 2, 0, 10),
        sit_out_limit_s=section.integer("sit_out_limit_s", 900, 0, 86_400),  # H6
        timeout_protection=cast(
            "TimeoutProtection", section.choice("timeout_protection", "always", get_args(TimeoutProtection))
        ),
        timeout_all_ins_per_day=section.integer("timeout_all_ins_per_day", 5, 0, 10_000) or None,  # H2
        reservation_s=section.integer("reservation_s", 60, 1, 3_600),
        rathole_s=section.integer("rathole_s", 3_600, 0, 86_400),
        observer_delay_s=section.integer("observer_delay_s", 0, 0, 3_600),
        chat_length_max=section.integer("chat_length_max", 200, 0, 200),
        chat_per_minute=section.integer("chat_per_minute", 20, 1, 1_000),
        house_bots=section.integer("house_bots", 0, 0, 9),
        moving_button=section.boolean("moving_button", default=True),  # B3
        show_all_in=section.boolean("show_all_in", default=True),  # G2
        unit=unit,
        rake=None if is_hosted(table_id) else rake_terms(section, unit),  # F4
    )
    if is_hosted(table_id):
        refuse_rake(section, "is for tables of the room: a private table has no rake")
    _check_amounts(section, table)
    if table.house_bots >= table.seats:
        section.problem("house_bots", f"should leave a seat free for players: at most {table.seats - 1}")
    if table.time_bank_refill_s > table.time_bank_s:
        section.problem("time_bank_refill_s", f"should be at most the time bank ({table.time_bank_s})")
    return table


def _stakes(section: Section, structure: str, unit: int) -> tuple[BettingStructure, int, int]:
    """Read the bets of a fixed limit, and of every structure the small and the big blind."""
    if structure == FixedLimit.name:
        fixed_limit, small_blind = _fixed_limit(section, unit)
        return fixed_limit, small_blind, fixed_limit.small_bet
    for key in ("small_bet", "big_bet", "raises_max", "cap_heads_up"):
        section.refuse(key, 'is for fixed limit only (structure = "fixed_limit")')
    # B2: the big blind is two small blinds unless the table says otherwise.
    small_blind = section.amount("small_blind", None, 1, AMOUNT_MAX // 1000)
    big_blind = section.amount("big_blind", 2 * small_blind, 1, AMOUNT_MAX // 100)
    if big_blind < small_blind:
        section.problem("big_blind", f"should be at least the small blind ({small_blind})")
    return structure_named(structure, {}), small_blind, big_blind


def _fixed_limit(section: Section, unit: int) -> tuple[FixedLimit, int]:
    """Read a fixed limit, and the small blind that follows from it."""
    for key in ("small_blind", "big_blind"):
        section.refuse(key, "follows from small_bet in fixed limit: leave it out")
    small_bet = section.amount("small_bet", None, 2, AMOUNT_MAX // 1000)
    fixed_limit = FixedLimit(
        small_bet=small_bet,
        big_bet=section.amount("big_bet", 2 * small_bet, 1, AMOUNT_MAX // 100),
        raises_max=section.integer("raises_max", 3, 1, 100),  # D5
        cap_heads_up=section.boolean("cap_heads_up", default=True),  # D5
    )
    if fixed_limit.big_bet < small_bet:
        section.problem("big_bet", f"should be at least the small bet ({small_bet})")
    if unit <= small_bet // 2:
        return fixed_limit, fixed_limit_stakes(small_bet, unit=unit).small_blind
    # B2 [D]: the small blind is rounded down, but never to nothing.
    if section.is_sound("small_bet") and section.is_sound("unit"):
        most = small_bet // 2
        section.problem("unit", f"should be at most half the small bet ({most}), or no small blind is left")
    return fixed_limit, 1


def _check_amounts(section: Section, table: TableSettings) -> None:
    stakes = table.stakes
    two_bets = 2 * stakes.big_blind
    if stakes.straddle and isinstance(table.structure, FixedLimit) and stakes.straddle != two_bets:
        section.problem("straddle", f"should be two small bets ({two_bets}) in fixed limit, or 0 for none")
    elif 0 < stakes.straddle < two_bets:
        section.problem("straddle", f"should be at least two big blinds ({two_bets}), or 0 for none")
    antes = stakes.ante + stakes.big_blind_ante
    if table.min_buy_in < stakes.big_blind + antes:
        what = "the big blind and its antes" if antes else "the big blind"
        section.problem("min_buy_in", f"should be at least {what} ({stakes.big_blind + antes})")
    if table.max_buy_in < table.min_buy_in:
        section.problem("max_buy_in", f"should be at least the smallest buy-in ({table.min_buy_in})")


class BadTerms(Exception):  # noqa: N818 -- an answer to the player
    """A table cannot have these terms. `key` is the setting to change, with the names of `[[tables]]`."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(f"{key} {message}")
        self.key = key


def hosted_table_settings(table_id: str, terms: Terms) -> TableSettings:
    """Return the settings of a hosted table. Raises `BadTerms`."""
    problems: list[ConfigProblem] = []
    section = Section(terms, (), {}, problems)
    settings = table_settings(section, table_id)
    section.finish()
    if not problems and settings.name != settings.name.strip():
        section.problem("name", "should not begin or end with a space")
    most = HOSTED_BUY_IN_MAX * settings.stakes.big_blind
    if not problems and settings.max_buy_in > most:
        section.problem("max_buy_in", f"should be at most {HOSTED_BUY_IN_MAX} big blinds ({most})")
    if problems:
        raise BadTerms(problems[0].key, problems[0].message)
    return settings
