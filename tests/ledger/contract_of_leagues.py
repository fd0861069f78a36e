"""The part of the ledger's contract for leagues: tables of players over many tournaments.

`LeagueContract` is mixed into `Contract`.
"""

from dataclasses import replace

from pokerroom.chips import Money
from pokerroom.ledger.leagues import LeagueQuery
from tests.ledger.contract import opened, take_tournament
from tests.ledger.contract_of_bounties import knocked_out, with_heads
from tests.ledger.contract_of_scheduled_tournaments import scheduled, sound
from tests.ledger.contract_of_tournaments import given

ALWAYS = LeagueQuery(offers=("sun",), from_ms=0, until_ms=10**14, score="points", best=0)


def ended(run, ledger, number, order, terms=scheduled):
    """A tournament that these accounts have ended in this order: the first one wins all chips and the whole pool."""
    opening = terms(number=number)
    name = opening.tournament
    run(ledger.open_tournament(opening))
    for account in order:
        run(ledger.enter(name, account, 1))
    take_tournament(run, ledger, name)
    run(ledger.start_tournament(name, 1, order, 1_500))
    pool = Money(len(order) * opening.part)
    run(ledger.close_entries(name, 1, len(order), (pool,)))
    winner, *others = order
    for place in range(len(order), 1, -1):
        loser = others[place - 2]
        won = {winner: 1_500, loser: -1_500}
        settled = knocked_out(f"{name}-{place}", won, outs={loser: [winner]} if opening.bounty else {})
        run(ledger.settle([replace(settled, table=name)]))
        rest = [given(1, winner, pool)] if place == 2 else []
        run(ledger.give_places(name, 1, place - len(rest), [*rest, given(place, loser, 0)]))
    run(ledger.pay_place(name, 1))


def table(run, ledger, **terms):
    """Name, score, played, counted and wins of each player."""
    rows = run(ledger.league_rows(replace(ALWAYS, **terms)))
    return [(row.name, row.score, row.played, row.counted, row.wins) for row in rows]


class LeagueContract:
    """Tournaments for 3.00, of which 0.60 is the fee."""

    def test_a_league_adds_up_points(self, run, ledger):
        """L17: of tournaments that have ended, by entries, place and buy-in; the table is the same at each look."""
        alice, bob, carol = opened(run, ledger, "alice", "bob", "carol")
        assert table(run, ledger) == []
        ended(run, ledger, 1, [alice, bob, carol])
        ended(run, ledger, 2, [bob, alice])
        run(ledger.open_tournament(scheduled(number=3)))
        run(ledger.enter("sun.3", carol, 1))
        expected = [
            ("bob", 1_852 + 2_138, 2, 2, 1),
            ("alice", 2_619 + 1_512, 2, 2, 1),
            ("carol", 1_512, 1, 1, 0),
        ]
        expected.sort(key=lambda row: -row[1])
        assert [table(run, ledger) for _ in range(2)] == [expected] * 2
        sound(run, ledger)

    def test_the_best_results_count(self, run, ledger):
        """L17: so many of each player; all are told."""
        alice, bob = opened(run, ledger, "alice", "bob")
        for number, order in enumerate(([alice, bob], [alice, bob], [bob, alice]), 1):
            ended(run, ledger, number, order)
        assert table(run, ledger, best=2) == [("alice", 2 * 2_138, 3, 2, 2), ("bob", 2_138 + 1_512, 3, 2, 1)]
        assert table(run, ledger, best=1) == [("alice", 2_138, 3, 1, 2), ("bob", 2_138, 3, 1, 1)]

    def test_only_tournaments_of_its_offers_and_period_count(self, run, ledger):
        """The time is that of the end."""
        alice, bob = opened(run, ledger, "alice", "bob")
        ended(run, ledger, 1, [alice, bob])
        (at_ms,) = {row.reached_ms for row in run(ledger.league_rows(ALWAYS))}
        assert table(run, ledger, offers=("mon", "tue")) == []
        assert table(run, ledger, offers=("mon", "sun")) == table(
            run, ledger, from_ms=at_ms, until_ms=at_ms + 1
        )
        assert table(run, ledger, from_ms=at_ms + 1) == table(run, ledger, until_ms=at_ms) == []

    def test_a_league_adds_up_prizes_or_profit(self, run, ledger):
        """Bounties are among both; a loss is negative."""
        alice, bob = opened(run, ledger, "alice", "bob")
        ended(run, ledger, 1, [alice, bob], lambda number: with_heads(number=number))
        assert table(run, ledger, score="prizes") == [("alice", 278 + 202, 1, 1, 1), ("bob", 0, 1, 1, 0)]
        assert table(run, ledger, score="net") == [("alice", 180, 1, 1, 1), ("bob", -300, 1, 1, 0)]

    def test_more_wins_and_the_earlier_time_decide_between_equal_scores(self, run, ledger):
        """And then the number of the account, so that each page of the table is the same."""
        alice, bob, carol, dave = opened(run, ledger, "alice", "bob", "carol", "dave")
        ended(run, ledger, 1, [bob, alice])
        ended(run, ledger, 2, [alice, carol])
        ended(run, ledger, 3, [dave, alice])
        ended(run, ledger, 4, [dave, bob])
        rows = run(ledger.league_rows(replace(ALWAYS, best=1)))
        assert [(row.score, row.wins) for row in rows] == [(2_138, 2), (2_138, 1), (2_138, 1), (1_512, 0)]
        assert (rows[0].account, rows[3].account) == (dave, carol)
        assert rows[1:3] == sorted(rows[1:3], key=lambda row: (row.reached_ms, row.account))
