"""The state of a running tournament, rebuilt from the ledger and the journal.

The ledger is right about players, chips, places and pauses. The journal knows the button, the clock and the players who
are away. If the journal disagrees with the ledger, or is lost, the state is built from the ledger alone. Pure: a row
and a state in, a state out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import structlog

from pokerroom.chips import Chips
from pokerroom.ledger.tournaments import EntryRow, PlaceGiven, TournamentRow
from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.data import tournament_from_data
from pokerroom.rules.tournament.schedule import BlindSchedule, LengthUnit, LevelClock
from pokerroom.rules.tournament.state import (
    PlacedPlayer,
    TablePlay,
    Tournament,
    TournamentPhase,
    TournamentPlayer,
    TournamentTerms,
)

_log = structlog.get_logger()

THE_TABLE: Final = 1
"""The table of a sit-and-go."""

_UNREADABLE: Final = (InvariantBroken, LookupError, TypeError, ValueError)


def journalled(data: Any, terms: TournamentTerms, row: TournamentRow) -> Tournament | None:
    """Return the state in the journal; None if there is none, or if it is not this tournament as in the ledger."""
    if data is None:
        return None
    try:
        stored = tournament_from_data(data, terms)
    except _UNREADABLE as error:
        _log.error("tournament.unreadable", table=row.opening.tournament, error=repr(error))
        return None
    drawn = [(entry.account, entry.seat) for entry in _seated(row)]
    if [(player.account, player.seat) for player in stored.players] != drawn:
        _log.error("tournament.unreadable", table=row.opening.tournament, error="other players")
        return None
    return stored


def restored(
    stored: Tournament | None,
    terms: TournamentTerms,
    row: TournamentRow,
    *,
    settled: bool,
    plays_on: bool,
    now_ms: int,
) -> Tournament:
    """Return the present state of the tournament, between hands unless its hand `plays_on`.

    `settled`: the ledger has the hand that the journal ends with. A hand that is not settled and does not play on is
    void (I4).
    """
    found = _running(stored, terms, row, settled=settled, plays_on=plays_on, now_ms=now_ms)
    return replace(found, paused=row.paused)


def _running(
    stored: Tournament | None,
    terms: TournamentTerms,
    row: TournamentRow,
    *,
    settled: bool,
    plays_on: bool,
    now_ms: int,
) -> Tournament:
    chips = _chips(row)
    if (
        stored is not None
        and stored.tables
        and stored.phase in {TournamentPhase.running, TournamentPhase.finished}
    ):
        same = {player.account: player.chips for player in stored.players} == chips
        try:
            if stored.between_hands and same:
                return stored
            if not stored.between_hands and settled:
                return rules.finish_hand(stored, THE_TABLE, _stacks(stored, chips))[0]
            if not stored.between_hands and same:
                return stored if plays_on else rules.void_hand(stored, THE_TABLE)[0]
        except (InvariantBroken, LookupError) as error:
            _log.error("tournament.differs", table=row.opening.tournament, error=repr(error))
        else:
            _log.warning("tournament.differs", table=row.opening.tournament, message="the ledger counts")
    return _of_ledger(stored, terms, row, now_ms)


def ended(stored: Tournament | None, terms: TournamentTerms, row: TournamentRow) -> Tournament:
    """Return a tournament that is over, as it is still shown: its places, and the level at which it ended.

    The level is the journal's last; if that is lost, it follows from start and end, as for a running tournament [D].
    """
    chips = _chips(row)
    hands = max((entry.hands for entry in _seated(row)), default=0)
    if row.phase == "finished":
        hands -= 1  # no level follows the last hand
    return Tournament(
        terms=terms,
        phase=TournamentPhase(row.phase),
        players=tuple(
            TournamentPlayer(
                account=entry.account,
                table=THE_TABLE,
                seat=entry.seat or 0,
                chips=Chips(chips[entry.account]),
            )
            for entry in _seated(row)
        ),
        clock=stored.clock if stored is not None else _clock(terms.schedule, row, hands, row.ended_ms or 0),
        standings=_standings(row),
    )


def to_be_given(tournament: Tournament, row: TournamentRow) -> list[PlacedPlayer]:
    """Return the places that the ledger does not have yet, the best first."""
    known = {place.number for place in row.places}
    return [standing for standing in tournament.standings if standing.number not in known]


def prize_is_due(row: TournamentRow) -> bool:
    """Return whether a player without a place has won a prize: a bust player, or the only player left."""
    placed = {place.account for place in row.places}
    chips = _chips(row)
    left = sum(held > 0 for held in chips.values())
    out = any(not held and account not in placed for account, held in chips.items())
    return out and (left == 1 or left < len(row.opening.prizes))


def places_of(standings: Sequence[PlacedPlayer]) -> list[PlaceGiven]:
    """Return the places in the form of the ledger."""
    return [PlaceGiven(place=one.place, account=one.account, prize=one.prize) for one in standings]


def _of_ledger(
    stored: Tournament | None, terms: TournamentTerms, row: TournamentRow, now_ms: int
) -> Tournament:
    """Return the state when the journal is lost: button and blinds start again (B1); the level follows from the start
    [D].

    Players who busted in the last hand may not have their places yet: then that hand is finished once more.
    """
    entries, chips = _seated(row), _chips(row)
    placed = {place.account for place in row.places}
    hands = max(entry.hands for entry in entries)
    out = any(not chips[entry.account] and entry.account not in placed for entry in entries)
    before = {
        entry.account: entry.chips_before or 0 if out and entry.hands == hands else chips[entry.account]
        for entry in entries
    }
    away = set() if stored is None else {player.account for player in stored.players if player.away}
    tournament = Tournament(
        terms=terms,
        phase=TournamentPhase.running,
        players=tuple(
            TournamentPlayer(
                account=entry.account,
                table=THE_TABLE,
                seat=entry.seat or 0,
                chips=Chips(before[entry.account]),
                away=entry.account in away,
            )
            for entry in entries
        ),
        clock=stored.clock if stored is not None else _clock(terms.schedule, row, hands - out, now_ms),
        tables=(
            TablePlay(
                number=THE_TABLE,
                positions=None if stored is None or not stored.tables else stored.table(THE_TABLE).positions,
                hands=hands - out,
            ),
        ),
        standings=_standings(row),
    )
    if not out:
        return tournament
    hand = rules.hand_at(tournament, THE_TABLE, tournament.clock.level)
    dealt = tournament.with_table(replace(tournament.table(THE_TABLE), hand=hand))
    return rules.finish_hand(dealt, THE_TABLE, _stacks(dealt, chips))[0]


def _standings(row: TournamentRow) -> tuple[PlacedPlayer, ...]:
    return tuple(
        PlacedPlayer(number=place.number, place=place.place, account=place.account, prize=place.prize)
        for place in row.places
    )


def _seated(row: TournamentRow) -> list[EntryRow]:
    return sorted((entry for entry in row.entries if entry.seat), key=lambda entry: entry.seat or 0)


def _chips(row: TournamentRow) -> dict[int, int]:
    return {entry.account: entry.chips or 0 for entry in _seated(row)}


def _stacks(tournament: Tournament, chips: dict[int, int]) -> dict[int, int]:
    """Return the stacks of the players in the hand in progress, by seat."""
    hand = tournament.table(THE_TABLE).hand
    assert hand is not None
    account_in = {player.seat: player.account for player in tournament.players}
    return {seat: chips[account_in[seat]] for seat in hand.plan.order}


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
