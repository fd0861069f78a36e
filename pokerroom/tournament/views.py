"""The tournament as the viewers of its tables see it, and as the director tells it to the tables. Sends no message."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from msgspec import structs

from pokerroom.ledger.tournaments import BountyRow, TournamentRow
from pokerroom.rules.betting import FixedLimit
from pokerroom.rules.tournament.schedule import BlindSchedule, LengthUnit
from pokerroom.rules.tournament.state import Tournament, TournamentTerms
from pokerroom.tournament.messages import PlannedPlace, SeatPlan
from pokerroom_protocol import messages as wire

PLACES_TOLD: Final = 20
"""[D] The places from this one up are told at all tables, others where their players sat."""


def level_view(tournament: Tournament, now_ms: int) -> wire.LevelView:
    """Return the level of the next hand."""
    schedule, clock = tournament.terms.schedule, tournament.clock
    left, by_hands = schedule.left(clock), schedule.unit is LengthUnit.hands
    stands = tournament.paused or clock.break_left_ms > 0
    return structs.replace(
        level_numbered(schedule, clock.level + 1),
        ends_ms=None if left is None or by_hands or stands else now_ms + left,
        hands_left=left if by_hands else None,
    )


def level_numbered(schedule: BlindSchedule, number: int) -> wire.LevelView:
    """Return a level by its number from 1, without its end."""
    level = schedule.levels[number - 1]
    fixed = level.structure if isinstance(level.structure, FixedLimit) else None
    return wire.LevelView(
        level=number,
        small_blind=level.stakes.small_blind,
        big_blind=level.stakes.big_blind,
        small_bet=None if fixed is None else fixed.small_bet,
        big_bet=None if fixed is None else fixed.big_bet,
        ante=level.stakes.ante,
        big_blind_ante=level.stakes.big_blind_ante,
    )


def break_until_ms(tournament: Tournament, now_ms: int) -> int | None:
    """Return the end of the break; None if there is none, it has not begun, or its clock stands."""
    left = tournament.clock.break_left_ms
    return now_ms + left if left and tournament.between_hands and not tournament.paused else None


def planned_places(
    tournament: Tournament, names: Mapping[int, str], given: int, table: int
) -> list[PlannedPlace]:
    """Return the places from number `given` on, which the ledger has, as this table is told them."""
    player_of = tournament.indexed().by_account
    found = []
    for one in tournament.standings:
        player = player_of[one.account]
        here = player.table == table
        if one.number >= given and (here or one.number <= PLACES_TOLD):
            found.append(
                PlannedPlace(
                    number=one.number,
                    place=one.place,
                    account=one.account,
                    seat=player.seat if here else None,
                    name=names[one.account],
                    prize=one.prize,
                )
            )
    return found


def tournament_view(plan: SeatPlan, terms: TournamentTerms) -> wire.TournamentView:
    """Return the view for a snapshot."""
    return wire.TournamentView(
        phase=plan.phase,
        seats=plan.players or terms.seats,
        prizes=plan.prizes or list(terms.prizes),
        level=plan.level,
        paused=plan.paused,
        break_until_ms=plan.break_until_ms,
        places=[
            wire.TournamentPlace(number=one.number, place=one.place, name=one.name, prize=one.prize)
            for one in plan.places
        ],
    )


def bounties_won(row: TournamentRow, out: Collection[int]) -> list[BountyRow]:
    """Return what was won of the heads of these accounts, when they were out last."""
    last = {entry.account: entry.number for entry in row.entries if entry.out_in is not None}
    return [
        won
        for won in row.bounties
        if won.account in out and won.winner != won.account and last.get(won.account) == won.number
    ]


def placed(table: str, seq: int, one: PlannedPlace) -> wire.PlayerPlaced:
    """Return the message that a player has finished."""
    return wire.PlayerPlaced(
        table=table,
        seq=seq,
        seat=one.seat,
        name=one.name,
        number=one.number,
        place=one.place,
        prize=one.prize,
    )
