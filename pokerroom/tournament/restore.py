"""The state of a running tournament, rebuilt from the ledger and the journal.

The ledger is right about players, chips, places and pauses. The journal knows the button, the clock and the players who
are away. A table may have settled one more hand than the journal knows. If the journal disagrees with the ledger in any
other way, or is lost, the state is built from the ledger alone. Pure: a row and a state in, a state out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import structlog

from pokerroom.chips import Chips
from pokerroom.ledger.tournaments import EntryRow, PlaceGiven, TournamentRow
from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.data import tournament_from_data
from pokerroom.rules.tournament.schedule import BlindSchedule, LengthUnit, LevelClock
from pokerroom.rules.tournament.seat_draw import place_of
from pokerroom.rules.tournament.state import (
    PlacedPlayer,
    TablePlay,
    Tournament,
    TournamentPhase,
    TournamentPlayer,
    TournamentRefusal,
    TournamentTerms,
)

_log = structlog.get_logger()

_UNREADABLE: Final = (InvariantBroken, LookupError, TypeError, ValueError)


def journalled(data: Any, terms: TournamentTerms, row: TournamentRow) -> Tournament | None:
    """Return the state in the journal; None if there is none, or if it is not this tournament as in the ledger."""
    if data is None:
        return None
    try:
        stored = tournament_from_data(data, terms)
    except _UNREADABLE as error:
        _log.error("tournament.unreadable", tournament=row.opening.tournament, error=repr(error))
        return None
    drawn = sorted((*_place(entry, terms), entry.account) for entry in _seated(row))
    if [(player.table, player.seat, player.account) for player in stored.players] != drawn:
        _log.error("tournament.unreadable", tournament=row.opening.tournament, error="other players")
        return None
    return stored


def restored(
    stored: Tournament | None, terms: TournamentTerms, row: TournamentRow, *, now_ms: int
) -> Tournament:
    """Return the present state of the tournament.

    A hand that the journal has in progress is so still, unless the ledger has it: its table will tell.
    """
    return replace(_running(stored, terms, row, now_ms), paused=row.paused)


def _running(
    stored: Tournament | None, terms: TournamentTerms, row: TournamentRow, now_ms: int
) -> Tournament:
    if stored is not None and stored.phase in {TournamentPhase.running, TournamentPhase.finished}:
        try:
            found = stored
            for table in stored.tables:
                found = _caught_up(found, table, row)
            if {player.account: player.chips for player in found.players} == chips_of(row):
                return found
        except (InvariantBroken, LookupError, TournamentRefusal) as error:
            _log.error("tournament.differs", tournament=row.opening.tournament, error=repr(error))
        else:
            _log.warning("tournament.differs", tournament=row.opening.tournament, message="the ledger counts")
    return _of_ledger(stored, terms, row, now_ms)


def _caught_up(tournament: Tournament, table: TablePlay, row: TournamentRow) -> Tournament:
    """Return the tournament with a hand of this table that the ledger has and the journal has not."""
    accounts = {player.account for player in tournament.players if player.table == table.number}
    hands = hands_of(row, accounts)
    if hands == table.hands:
        return tournament
    if hands != table.hands + 1:
        raise LookupError(f"table {table.number} has played {hands} hands, not {table.hands}")
    level = tournament.clock.level if table.hand is None else table.hand.level
    return _finished(tournament, table, level, row)


def _finished(tournament: Tournament, table: TablePlay, level: int, row: TournamentRow) -> Tournament:
    """Return the tournament after the next hand of a table; the ledger has its result."""
    hand, chips = rules.hand_at(tournament, table.number, level), chips_of(row)
    dealt = tournament.with_table(replace(table, hand=hand))
    stacks = {player.seat: chips[player.account] for player in tournament.left_at(table.number)}
    return rules.finish_hand(dealt, table.number, stacks)


def ended(terms: TournamentTerms, row: TournamentRow) -> Tournament:
    """Return a tournament that is over, as it is still shown.

    The level at which it ended follows from start and end, as for a running tournament without a journal [D].
    """
    chips, hands = chips_of(row), hands_of(row)
    if row.phase == "finished":
        hands -= 1  # no level follows the last hand
    return Tournament(
        terms=terms,
        phase=TournamentPhase(row.phase),
        players=_players(terms, row, chips),
        clock=_clock(terms.schedule, row, hands, row.ended_ms or 0),
        tables=tuple(TablePlay(number=number) for number in range(1, terms.tables + 1)),
        standings=_standings(row),
    )


def prize_is_due(row: TournamentRow) -> bool:
    """Return whether a player without a place has won a prize: a bust player, or the only player left."""
    placed = {place.account for place in row.places}
    chips = chips_of(row)
    left = sum(held > 0 for held in chips.values())
    out = any(not held and account not in placed for account, held in chips.items())
    return out and (left == 1 or left < len(row.opening.prizes))


def places_of(standings: Sequence[PlacedPlayer]) -> list[PlaceGiven]:
    """Return the places in the form of the ledger."""
    return [PlaceGiven(place=one.place, account=one.account, prize=one.prize) for one in standings]


def hands_of(row: TournamentRow, accounts: Collection[int] | None = None) -> int:
    """Return how many hands the ledger has of the table where these accounts sit; None: of the table with most."""
    entries = [entry for entry in _seated(row) if accounts is None or entry.account in accounts]
    return max((entry.hands for entry in entries), default=0)


def accounts_at(number: int, terms: TournamentTerms, row: TournamentRow) -> set[int]:
    """Return the accounts that were drawn a seat at this table."""
    return {entry.account for entry in _seated(row) if _place(entry, terms)[0] == number}


def chips_of(row: TournamentRow) -> dict[int, int]:
    """Return the chips of each account that has been drawn, 0 for players who are out."""
    return {entry.account: entry.chips or 0 for entry in _seated(row)}


def _of_ledger(
    stored: Tournament | None, terms: TournamentTerms, row: TournamentRow, now_ms: int
) -> Tournament:
    """Return the state when the journal is lost: button and blinds start again (B1); the level follows from the start
    [D].

    Players who busted in the last hand of a table may not have their places yet: then that hand is finished once more.
    """
    known = {} if stored is None else {table.number: table for table in stored.tables}
    away = set() if stored is None else {player.account for player in stored.players if player.away}
    placed = {place.account for place in row.places}
    chips, unplaced = chips_of(row), set[int]()
    tables = list[TablePlay]()
    for number in range(1, terms.tables + 1):
        accounts = accounts_at(number, terms, row)
        entries = [entry for entry in _seated(row) if entry.account in accounts]
        hands = hands_of(row, accounts)
        if any(not entry.chips and entry.account not in placed for entry in entries):
            unplaced.add(number)
            chips |= {entry.account: entry.chips_before or 0 for entry in entries if entry.hands == hands}
            hands -= 1
        positions = known[number].positions if number in known else None
        tables.append(TablePlay(number=number, positions=positions, hands=hands))
    played = max(table.hands for table in tables)
    tournament = Tournament(
        terms=terms,
        phase=TournamentPhase.running,
        players=tuple(replace(player, away=player.account in away) for player in _players(terms, row, chips)),
        clock=stored.clock if stored is not None else _clock(terms.schedule, row, played, now_ms),
        tables=tuple(tables),
        standings=_standings(row),
    )
    for table in tables:
        if table.number in unplaced:
            tournament = _finished(tournament, table, tournament.clock.level, row)
    return tournament


def _players(
    terms: TournamentTerms, row: TournamentRow, chips: Mapping[int, int]
) -> tuple[TournamentPlayer, ...]:
    placed = sorted((_place(entry, terms), entry.account) for entry in _seated(row))
    return tuple(
        TournamentPlayer(account=account, table=table, seat=seat, chips=Chips(chips[account]))
        for (table, seat), account in placed
    )


def _place(entry: EntryRow, terms: TournamentTerms) -> tuple[int, int]:
    """Return the table and the seat that an entry was drawn."""
    return place_of(entry.seat or 0, terms.tables)


def _standings(row: TournamentRow) -> tuple[PlacedPlayer, ...]:
    return tuple(
        PlacedPlayer(number=place.number, place=place.place, account=place.account, prize=place.prize)
        for place in row.places
    )


def _seated(row: TournamentRow) -> list[EntryRow]:
    return sorted((entry for entry in row.entries if entry.seat), key=lambda entry: entry.seat or 0)


def _clock(schedule: BlindSchedule, row: TournamentRow, hands: int, now_ms: int) -> LevelClock:
    """Return the clock of the schedule as if it had never stood still."""
    clock, left = LevelClock(), max(0, now_ms - (row.started_ms or now_ms))
    if schedule.unit is LengthUnit.hands:
        for _ in range(hands):
            clock = replace(schedule.played(replace(clock, break_left_ms=0), 1), break_left_ms=0)
        return clock
    while left:
        if clock.break_left_ms:
            rest = min(left, clock.break_left_ms)
            clock = schedule.rested(clock, rest)
        else:
            until = schedule.left(clock)
            rest = left if until is None else min(left, until)
            clock = schedule.played(clock, rest)
        left -= rest
    return clock
