"""Leagues in memory: see `LeagueLedger`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from pokerroom.ledger.leagues import ROWS_MAX, LeagueQuery, LeagueRow, LeagueScore
from pokerroom.ledger.memory.account_standing import MemoryStanding
from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.tournament_state import MemoryTournament
from pokerroom.ledger.tournaments import PlaceGiven
from pokerroom.rules.tournament.points import league_points


class MemoryLeagues(MemoryStanding):
    """A `LeagueLedger`."""

    @fired
    def league_rows(self, query: LeagueQuery) -> Sequence[LeagueRow]:
        results: defaultdict[int, list[tuple[int, int, bool]]] = defaultdict(list)
        for tournament in self._tournaments.values():
            ended_ms = int(1000 * (tournament.ended_s or 0))
            if (
                tournament.opening.offer in query.offers
                and tournament.phase == "finished"
                and query.from_ms <= ended_ms < query.until_ms
            ):
                for given in tournament.places.values():
                    score = _score(query.score, tournament, given)
                    results[given.account].append((-score, ended_ms, given.place == 1))
        rows = []
        for account, played in results.items():
            counted = sorted(played)[: query.best or None]
            rows.append(
                LeagueRow(
                    account=account,
                    name=self._accounts[account].name,
                    score=-sum(negative for negative, _, _ in counted),
                    played=len(played),
                    counted=len(counted),
                    wins=sum(is_win for _, _, is_win in played),
                    reached_ms=max(ended_ms for _, ended_ms, _ in counted),
                )
            )
        return sorted(rows, key=lambda row: (-row.score, -row.wins, row.reached_ms, row.account))[:ROWS_MAX]


def _score(score: LeagueScore, tournament: MemoryTournament, given: PlaceGiven) -> int:
    won = given.prize + tournament.bounties_won(given.account)
    match score:
        case "points":
            entries = len(tournament.bought())
            return int(
                100 * league_points(entries=entries, place=given.place, buy_in=tournament.opening.buy_in)
            )
        case "prizes":
            return won
        case "net":
            return won - tournament.paid_by(given.account)
