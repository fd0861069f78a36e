"""Conversion of a tournament's state to plain data for its journal, and back, without loss.

The data are dicts, lists, strings and integers only. The terms are not included, because the ledger keeps them. Of a
hand in progress only the level is stored: its players and positions follow from the rest.
"""

from dataclasses import replace
from typing import Any

from pokerroom.chips import Chips, Money
from pokerroom.rules.button import Positions
from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.tournament.schedule import LevelClock
from pokerroom.rules.tournament.state import (
    PlacedPlayer,
    Tournament,
    TournamentPhase,
    TournamentPlayer,
    TournamentTerms,
)
from pokerroom.rules.tournament.tournament import hand_at


def tournament_to_data(tournament: Tournament) -> dict[str, Any]:
    """Return all that `tournament_from_data` needs beside the terms."""
    clock, positions, hand = tournament.clock, tournament.positions, tournament.hand
    return {
        "phase": tournament.phase.value,
        "registered": list(tournament.registered),
        "players": [[p.account, p.seat, p.chips, int(p.away)] for p in tournament.players],
        "clock": [clock.level, clock.used, clock.break_left_ms],
        "paused": int(tournament.paused),
        "positions": None
        if positions is None
        else [positions.button, positions.small_blind, positions.big_blind, positions.small_blind_seat],
        "hand": None if hand is None else hand.level,
        "hands": tournament.hands,
        "standings": [[s.number, s.place, s.account, s.prize] for s in tournament.standings],
    }


def tournament_from_data(data: dict[str, Any], terms: TournamentTerms) -> Tournament:
    """Return the state that `tournament_to_data` wrote.

    Raises InvariantBroken for a state that does not add up; KeyError, IndexError, TypeError or ValueError for data that
    are not a state.
    """
    level, used, break_left_ms = data["clock"]
    positions = data["positions"]
    tournament = Tournament(
        terms=terms,
        phase=TournamentPhase(data["phase"]),
        registered=tuple(data["registered"]),
        players=tuple(
            TournamentPlayer(account=account, seat=seat, chips=Chips(chips), away=bool(away))
            for account, seat, chips, away in data["players"]
        ),
        clock=LevelClock(level=level, used=used, break_left_ms=break_left_ms),
        paused=bool(data["paused"]),
        positions=None if positions is None else _positions(*positions),
        hands=data["hands"],
        standings=tuple(
            PlacedPlayer(number=number, place=place, account=account, prize=Money(prize))
            for number, place, account, prize in data["standings"]
        ),
    )
    _check(tournament)
    if data["hand"] is None:
        return tournament
    return replace(tournament, hand=hand_at(tournament, data["hand"]))


def _positions(button: int, small_blind: int | None, big_blind: int, small_blind_seat: int) -> Positions:
    return Positions(
        button=button, small_blind=small_blind, big_blind=big_blind, small_blind_seat=small_blind_seat
    )


def _check(tournament: Tournament) -> None:
    """Check that all chips are there (A2), no place is given twice, and the prizes are those of the places."""
    terms, players, standings = tournament.terms, tournament.players, tournament.standings
    if not 0 <= tournament.clock.level < len(terms.schedule.levels):
        raise InvariantBroken("the schedule has no such level")
    if not players:
        return
    if [player.seat for player in players] != list(range(1, terms.seats + 1)):
        raise InvariantBroken("the players are not in seats 1 to the last, one each")
    if sum(player.chips for player in players) != terms.seats * terms.starting_stack:
        raise InvariantBroken("chips were lost or made (A2)")
    if tournament.phase in {TournamentPhase.running, TournamentPhase.finished}:
        out = [player for player in players if not player.chips]
        placed = {standing.account for standing in standings}
        if not placed.issuperset(player.account for player in out) or len(placed) != len(standings):
            raise InvariantBroken("each player who is out has one place")
