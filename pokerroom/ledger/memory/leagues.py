"""Leagues in memory: see `LeagueLedger`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from pokerroom.ledger.leagues import ROWS_MAX, LeaguePeriod, LeagueRow, LeagueScore
from pokerroom.ledger.memory.account_standing import MemoryStanding
from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.tournament_state import MemoryTournament
from pokerroom.ledger.tournaments import PlaceGiven
from pokerroom.rules.tournament.points import league_points


class MemoryLeagues(MemoryStanding):
    """A `LeagueLedger`."""

    @fired
    def league_rows(self, period: LeaguePeriod) -> Sequence[LeagueRow]:
        results: defaultdict[int, list[tuple[int, int, bool]]] = defaultdict(list)
        for tournament in self._tournaments.values():
            ended_ms = round(1000 * (tournament.ended_s or 0))
            if (
                tournament.opening.offer in period.offers
                and tournament.phase == "finished"
                and period.from_ms <= ended_ms < period.until_ms
            ):
                for given in tournament.places.values():
                    score = _score(period.score, tournament, given)
                    results[given.account].append((-score, ended_ms, given.place == 1))
        rows = []
        for account, played in results.items():
            counted = sorted(played)[: period.best or None]
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
    if score == "points":
        points = league_points(
            entries=len(tournament.bought()), place=given.place, buy_in=tournament.opening.buy_in
        )
        return int(100 * points)
    won = given.prize + tournament.bounties_won(given.account)
    return won if score == "prizes" else won - tournament.paid_by(given.account)
