"""Sit-and-gos of a settings file: what is offered, and that the prizes add up to the prize pool (I1).

One `[[sit_and_go]]` is one offer, of which many tournaments run at once, each at one table or at several.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final

from pokerroom.chips import Money
from pokerroom.ops.config_reader import AMOUNT_MAX, Section
from pokerroom.ops.config_tournament_play import TournamentPlayConfig, tournament_play
from pokerroom.ops.config_variant import SEATS_MAX
from pokerroom.rules.tournament.final_table import final_table_seats
from pokerroom.rules.tournament.prize_table import paid_places, prize_table
from pokerroom.rules.tournament.prizes import PrizeTableError, fixed_prizes, prize_pool, shared_prizes_of
from pokerroom.rules.variants import VARIANTS

FIELD_MAX: Final = 2_000
"""Players of one tournament: the registration book of an offer is read and written as a whole."""
HOUSE_BOTS_MAX: Final = 99


@dataclass(frozen=True, slots=True, kw_only=True)
class SitAndGoConfig(TournamentPlayConfig):
    """One offer. `prizes` are amounts, the best place first. House bots register once a player has registered."""

    seats: int
    seats_per_address: int
    prizes: tuple[Money, ...]
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
    play = tournament_play(section, house_bots_max=HOUSE_BOTS_MAX)
    seats, seats_per_table = _seats(section, min(SEATS_MAX, VARIANTS[play.game].players_max))
    offer = SitAndGoConfig(
        **{one.name: getattr(play, one.name) for one in fields(play)},
        seats=seats,
        seats_per_address=section.integer("seats_per_address", 2, 0, 10),
        prizes=_prizes(section, seats=seats, buy_in=play.buy_in, fee=play.fee),
        seats_per_table=seats_per_table,
    )
    if offer.deals and not seats_per_table:
        section.problem("deals", "are for the final table of several: set seats_per_table, or leave this out")
    if offer.house_bots >= offer.seats:
        section.problem("house_bots", f"should leave a seat for a player: at most {offer.seats - 1}")
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
