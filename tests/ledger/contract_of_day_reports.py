"""The part of every ledger's contract that reports by day: what was played, and what the room has taken of whom.

`DayReports` is mixed into `WholeContract`, `TournamentDayReports` into the contract of tournaments.
"""

import json
from datetime import date

from pokerroom.chips import Money, split
from pokerroom.ledger.api import NO_PASSWORD
from pokerroom.ledger.day_reports import (
    ActivityRow,
    PlayerTakings,
    ReportPart,
    ReportPeriod,
    TournamentTakings,
)
from pokerroom.ledger.operator_log import SIGNIFICANT, THE_ROOM, Acting, LoggedAct, LogQuery
from tests.ledger.contract import MIDNIGHT_MS, buy_in, hand, key_of, opened, seated, take_tournament
from tests.ledger.contract_of_chip_sales import NAME, add_on, rebuy, selling
from tests.ledger.contract_of_rounds import bets, end, void
from tests.ledger.contract_of_statistics import NOVEMBER, counted_all, forgotten
from tests.ledger.contract_of_tournaments import entered, given, opening, started

EVER = ReportPeriod(date(1970, 1, 1), date(2069, 12, 31))
"""Also the first day of a ledger in memory: its clock begins at 0."""
TWO_DAYS = ReportPeriod(date(2023, 11, 14), date(2023, 11, 15))
ALL = ReportPart()


def settled(run, ledger, hand_id, deltas, *, rake=0, day=NOVEMBER, early_ms=0, **more):
    """A hand that ended on a day, so long before its end or else as it began; players share the rake evenly."""
    parts = split(rake, len(deltas)) if rake else [0] * len(deltas)
    seats = [
        {"account": account, "position": "button", "stack": 10**6, "end": 10**6 + won, "rake": part}
        for (account, won), part in zip(deltas.items(), parts, strict=True)
    ]
    record = json.dumps({"seats": seats, "day": day} | ({"rake": rake} if rake else {})).encode()
    ended_ms = 86_400_000 * (day + 1) - early_ms if early_ms else 86_400_000 * day
    run(ledger.settle([hand(hand_id, deltas, rake=rake, record=record, ended_ms=ended_ms, **more)]))


def busy(run, ledger, period=EVER):
    """The days on which something was played."""
    return [
        row
        for row in run(ledger.activity(period))
        if row.hands or row.tournament_hands or row.rounds or row.entries
    ]


def takings(run, ledger, period=EVER, **part):
    """By name: hands, rake, entries and fees."""
    rows = run(ledger.player_takings(period, ReportPart(**part)))
    return [(row.name, row.hands, row.rake, row.entries, row.fees) for row in rows]


class DayReports:
    """Hands and rounds; wallets begin with 10,000."""

    def test_a_day_has_its_hands_rounds_and_players(self, run, ledger):
        """By when they ended; house bots play, and are no players; the latest day is first."""
        alice, bob = seated(run, ledger, "alice", "bob")
        bot = run(ledger.create_account("Bot.Ada", NO_PASSWORD, Money(5_000))).account
        run(buy_in(ledger, "kb", "T1", 3, bot, Money(1_000)))
        run(ledger.take_place(key_of("place", "k1"), "T2", 1, 1, alice, 9))
        settled(run, ledger, "h1", {alice: 10, bob: -10}, early_ms=1)
        settled(run, ledger, "h2", {alice: 10, bot: -10}, day=NOVEMBER + 1)
        settled(run, ledger, "h3", {alice: 10, bot: -10}, day=NOVEMBER + 1, early_ms=1)
        for round_id in ("r1", "r2", "r3"):
            run(ledger.close_bets(bets({alice: 100}, round_id=round_id, table="T2")))
            if round_id == "r2":
                run(ledger.void_round(void(round_id=round_id, table="T2")))
            else:
                run(ledger.settle_round(end({alice: -100}, round_id=round_id, table="T2")))
        counted_all(run, ledger)
        assert run(ledger.activity(TWO_DAYS)) == [
            ActivityRow(day="2023-11-15", players=1, hands=2),
            ActivityRow(day="2023-11-14", players=2, hands=1, rounds=2),
        ]

    def test_new_accounts_count_without_house_bots(self, run, ledger):
        """On the day on which they were made, at once."""
        opened(run, ledger, "alice", "bob")
        run(ledger.create_account("Bot.Ada", NO_PASSWORD, Money(0)))
        days = [row for row in run(ledger.activity(EVER)) if row.new_accounts]
        assert [row.new_accounts for row in days] == [2]

    def test_a_day_without_play_is_listed(self, run, ledger):
        """With nothing in it."""
        assert run(ledger.activity(ReportPeriod(date(2024, 2, 28), date(2024, 3, 1)))) == [
            ActivityRow(day=day) for day in ("2024-03-01", "2024-02-29", "2024-02-28")
        ]

    def test_the_rake_is_told_by_player(self, run, ledger):
        """Each player's part, of hands that are counted; the most first, in parts, and for the days asked for."""
        alice, bob, carol = seated(run, ledger, "alice", "bob", "carol")
        settled(run, ledger, "h1", {alice: 95, bob: -100}, rake=5)
        assert takings(run, ledger) == []
        counted_all(run, ledger)
        settled(run, ledger, "h2", {carol: 9, bob: -10}, rake=1, day=NOVEMBER + 1)
        settled(run, ledger, "h3", {carol: 10, bob: -10}, day=NOVEMBER + 1)
        counted_all(run, ledger)
        assert takings(run, ledger) == [
            ("alice", 1, 3, 0, 0),
            ("bob", 3, 2, 0, 0),
            ("carol", 2, 1, 0, 0),
        ]
        assert takings(run, ledger, skip=1, limit=1) == [("bob", 3, 2, 0, 0)]
        day = ReportPeriod(date(2023, 11, 15), date(2023, 11, 15))
        assert run(ledger.player_takings(day, ALL)) == [
            PlayerTakings(account=carol, name="carol", hands=2, rake=Money(1), entries=0, fees=Money(0))
        ]

    def test_what_is_counted_again_is_the_same(self, run, ledger):
        """The sums of days go with the statistics, and come back."""
        alice, bob = seated(run, ledger, "alice", "bob")
        settled(run, ledger, "h1", {alice: 95, bob: -100}, rake=5)
        counted_all(run, ledger)
        before = busy(run, ledger), takings(run, ledger)
        forgotten(run, ledger)
        assert (busy(run, ledger), takings(run, ledger)) == ([], [])
        counted_all(run, ledger, 1)
        assert (busy(run, ledger), takings(run, ledger)) == before

    def test_the_rake_of_tables_is_told_in_parts_and_as_a_sum(self, run, ledger):
        """By day and table, of one table, or of each table over the whole time."""
        alice, bob = seated(run, ledger, "alice", "bob")
        run(buy_in(ledger, "k1", "T10", 1, alice, Money(500)))
        run(buy_in(ledger, "k2", "T10", 2, bob, Money(500)))
        for number, (table, at_ms, rake) in enumerate((("T1", -1, 3), ("T1", 0, 4), ("T10", 0, 5))):
            changes = {alice: 10 - rake, bob: -10}
            ended_ms = MIDNIGHT_MS + at_ms
            run(ledger.settle([hand(f"h{number}", changes, table=table, rake=rake, ended_ms=ended_ms)]))

        def told(**asked):
            rows = run(ledger.rake_by_day(TWO_DAYS.since_ms, TWO_DAYS.until_ms, **asked))
            return [(row.day, row.table, row.hands, row.rake) for row in rows]

        second = [("2023-11-15", "T1", 1, 4), ("2023-11-15", "T10", 1, 5)]
        assert told() == [("2023-11-14", "T1", 1, 3), *second]
        assert told(part=ReportPart(skip=1, limit=1)) == second[:1]
        assert told(table="T10") == second[1:]
        assert told(whole=True) == [("", "T1", 2, 7), ("", "T10", 1, 5)]

    def test_significant_events_are_lines_of_the_log(self, run, ledger):
        """Those of their verbs that were done, in a time; an end of a ticket by the room itself is none."""
        ann = Acting(who="ann", role="admin")
        (alice,) = opened(run, ledger, "alice")
        run(ledger.exclude(alice, 7, by=ann))  # the audit looks for what lines of this verb tell of
        others = SIGNIFICANT - {"account.exclude"}
        for verb in sorted({*others, "account.show", "table.close"}):
            run(ledger.record(LoggedAct(by=ann, verb=verb, subject="x")))
        run(ledger.record(LoggedAct(by=ann, verb="table.void", subject="x", result="ordered")))
        run(ledger.record(LoggedAct(by=ann, verb="table.void", subject="x", result="refused: no_hand")))
        run(ledger.record(LoggedAct(by=THE_ROOM, verb="cashier.end_ticket", subject="1")))
        found = run(ledger.log_lines(LogQuery(is_significant=True)))
        assert [line.verb for line in found] == [*sorted(others, reverse=True), "account.exclude"]
        assert all(line.is_significant for line in found)
        lines = run(ledger.log_lines(LogQuery()))
        assert [line for line in lines if line.is_significant] == found
        last_ms = lines[0].at_ms
        assert run(ledger.log_lines(LogQuery(until_ms=last_ms + 1))) == lines
        assert all(line.at_ms < last_ms for line in run(ledger.log_lines(LogQuery(until_ms=last_ms))))


class TournamentDayReports:
    """Entries and fees; wallets begin with 10,000."""

    def test_fees_are_taken_with_the_start(self, run, ledger):
        """Entries count at once, and one that was returned does not; each player has paid its fee."""
        accounts = entered(run, ledger, "alice", "bob", "carol")
        run(ledger.return_entry("six.1", accounts[1], 1))
        run(ledger.enter("six.1", accounts[1], 2))
        counted_all(run, ledger)
        assert [(row.entries, row.players) for row in busy(run, ledger)] == [(3, 0)]
        assert takings(run, ledger) == []
        assert run(ledger.tournament_takings(EVER, ALL)) == [
            TournamentTakings(tournament="six.1", entries=3, fees=Money(0))
        ]
        take_tournament(run, ledger, "six.1")
        run(ledger.start_tournament("six.1", 1, accounts, 1_500))
        counted_all(run, ledger)
        assert takings(run, ledger) == [(name, 0, 0, 1, 60) for name in ("alice", "bob", "carol")]
        assert run(ledger.tournament_takings(EVER, ALL)) == [
            TournamentTakings(tournament="six.1", entries=3, fees=Money(180))
        ]

    def test_a_cancelled_tournament_has_no_entries(self, run, ledger):
        """What was entered is returned: nothing is left of it."""
        alice, _ = entered(run, ledger, "alice", "bob")
        run(ledger.return_entry("six.1", alice, 1))
        counted_all(run, ledger)
        run(ledger.cancel_tournament("six.1"))
        counted_all(run, ledger)
        assert (busy(run, ledger), takings(run, ledger)) == ([], [])
        assert run(ledger.tournament_takings(EVER, ALL)) == []

    def test_what_is_rolled_back_was_not_taken(self, run, ledger):
        """Fees of entries, late entries and rebuys go back to those who paid them."""
        alice, bob, carol = opened(run, ledger, "alice", "bob", "carol")
        run(ledger.open_tournament(selling()))
        for account in (alice, bob):
            run(ledger.enter(NAME, account, 1))
        run(ledger.return_entry(NAME, bob, 1))
        run(ledger.enter(NAME, bob, 2))
        take_tournament(run, ledger, NAME)
        run(ledger.start_tournament(NAME, 1, [alice, bob], 1_500))
        run(ledger.set_sales(NAME, 1, ["entry", "rebuy", "add_on"]))
        run(ledger.enter(NAME, carol, 1))
        run(ledger.buy_chips(NAME, rebuy(alice)))
        run(ledger.buy_chips(NAME, add_on(bob)))
        counted_all(run, ledger)
        assert takings(run, ledger) == [
            ("alice", 0, 0, 1, 80),
            ("bob", 0, 0, 1, 60),
            ("carol", 0, 0, 1, 60),
        ]
        assert run(ledger.tournament_takings(EVER, ALL)) == [
            TournamentTakings(tournament=NAME, entries=3, fees=Money(200))
        ]
        run(ledger.roll_back_tournament(NAME, 1))
        counted_all(run, ledger)
        assert takings(run, ledger) == []
        assert run(ledger.tournament_takings(EVER, ALL)) == []

    def test_the_largest_fees_are_first(self, run, ledger):
        """In parts, with those of tournaments that are over."""
        accounts = started(run, ledger)
        prizes = zip((1, 2, 3), accounts, (500, 220, 0), strict=True)
        places = [given(number, account, prize) for number, account, prize in prizes]
        run(ledger.give_places("six.1", 1, 1, places))
        run(ledger.open_tournament(opening("six.2", fee=30, prizes=(600, 210))))
        for account in accounts:
            run(ledger.enter("six.2", account, 1))
        take_tournament(run, ledger, "six.2")
        run(ledger.start_tournament("six.2", 1, accounts, 1_500))
        counted_all(run, ledger)
        told = run(ledger.tournament_takings(EVER, ALL))
        assert [(row.tournament, row.fees) for row in told] == [("six.1", 180), ("six.2", 90)]
        assert run(ledger.tournament_takings(EVER, ReportPart(skip=1))) == told[1:]
        assert takings(run, ledger, limit=1) == [("alice", 0, 0, 2, 90)]
