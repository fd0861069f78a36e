"""The part of every ledger's contract that keeps limits of players: deposits, loss and time of play.

`Limits` is mixed into `Contract`.
"""

import json

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.api import NO_PASSWORD, BetsNotCovered
from pokerroom.ledger.limits import CONFIRM_S, INCREASE_S, LIMITS, LimitReached
from pokerroom.ledger.operator_log import LogQuery
from tests.ledger.contract import buy_in, cash_out, hand, key_of, opened, stacks, take_tournament, top_up
from tests.ledger.contract_of_cashier import TERMS, WAITING_MAX, asked, funded
from tests.ledger.contract_of_rounds import bets, end, stake
from tests.ledger.contract_of_tournaments import given, opening

DAY_S = 86_400


def limit(run, ledger, account, kind="loss", period="day"):
    """One limit of an account."""
    return next(row for row in run(ledger.limits(account)) if (row.kind, row.period) == (kind, period))


def refused(run, deferred):
    """The facts of the refusal of a request, but for the time."""
    with pytest.raises(LimitReached) as reached:
        run(deferred)
    facts = dict(reached.value.facts)
    assert facts.pop("until_ms") > 0
    return facts


def left(kind, amount, period="day"):
    return {"limit": f"{kind}_{period}", "amount": amount}


class Limits:
    """Wallets begin with 10,000."""

    def test_without_a_limit_nothing_is_refused(self, run, ledger):
        """All limits are told, with what is used and the end of the window."""
        (alice,) = opened(run, ledger, "alice")
        rows = run(ledger.limits(alice))
        assert [(row.kind, row.period) for row in rows] == list(LIMITS)
        assert {(row.value, row.cap, row.used, row.wanted, row.wanted_from_ms) for row in rows} == {
            (None, None, 0, None, None)
        }
        day, week, month = (row.ends_ms for row in rows[:3])
        assert day <= week
        assert day <= month

    def test_less_holds_at_once_and_more_once_it_is_set_again_a_day_later(self, run, ledger, later):
        """Repeating it too early does not prolong the wait; another amount begins a new one."""
        (alice,) = opened(run, ledger, "alice")
        for value in (500, 300):
            run(ledger.set_limit(alice, "loss", "day", value))
            assert limit(run, ledger, alice).value == value
        run(ledger.set_limit(alice, "loss", "day", 400))
        waiting = limit(run, ledger, alice)
        assert (waiting.value, waiting.wanted) == (300, 400)
        run(ledger.set_limit(alice, "loss", "day", 400))
        assert limit(run, ledger, alice) == waiting
        later(INCREASE_S)
        assert limit(run, ledger, alice).value == 300
        run(ledger.set_limit(alice, "loss", "day", 450))
        assert limit(run, ledger, alice).value == 300
        later(INCREASE_S)
        run(ledger.set_limit(alice, "loss", "day", 450))
        now = limit(run, ledger, alice)
        assert (now.value, now.wanted, now.wanted_from_ms) == (450, None, None)

    def test_an_increase_that_is_not_confirmed_expires(self, run, ledger, later):
        """A week after it may be confirmed it is told no more; asking again begins a new wait, also for no limit."""
        (alice,) = opened(run, ledger, "alice")
        run(ledger.set_limit(alice, "loss", "day", 300))
        for value in (400, None):
            run(ledger.set_limit(alice, "loss", "day", value))
            later(INCREASE_S + CONFIRM_S - 60)
            assert limit(run, ledger, alice).wanted_from_ms is not None
            later(61)
            expired = limit(run, ledger, alice)
            assert (expired.value, expired.wanted, expired.wanted_from_ms) == (300, None, None)
            run(ledger.set_limit(alice, "loss", "day", value))
            waiting = limit(run, ledger, alice)
            assert (waiting.value, waiting.wanted) == (300, value)
            later(INCREASE_S - 60)
            run(ledger.set_limit(alice, "loss", "day", value))
            assert limit(run, ledger, alice).value == 300
        later(60)
        run(ledger.set_limit(alice, "loss", "day", None))
        assert limit(run, ledger, alice).value is None

    def test_a_limit_is_removed_like_an_increase(self, run, ledger, later):
        """And the present value withdraws what was asked for."""
        (alice,) = opened(run, ledger, "alice")
        run(ledger.set_limit(alice, "loss", "week", 500))
        run(ledger.set_limit(alice, "loss", "week", None))
        waiting = limit(run, ledger, alice, period="week")
        assert (waiting.value, waiting.wanted) == (500, None)
        assert waiting.wanted_from_ms is not None
        run(ledger.set_limit(alice, "loss", "week", 500))
        assert limit(run, ledger, alice, period="week").wanted_from_ms is None
        run(ledger.set_limit(alice, "loss", "week", None))
        later(INCREASE_S)
        run(ledger.set_limit(alice, "loss", "week", None))
        assert limit(run, ledger, alice, period="week").value is None

    def test_a_limit_that_holds_has_a_line_in_the_log(self, run, ledger, later):
        """What was asked for has none, and neither has a limit that was set to what it is. Less has ten an hour."""
        (alice,) = opened(run, ledger, "alice")
        for value in (None, *range(310, 300, -1), 300, 300, 299, 400):
            run(ledger.set_limit(alice, "loss", "day", value))
        assert run(ledger.audit()).differences == ()
        later(INCREASE_S)
        for value in (400, 200):
            run(ledger.set_limit(alice, "loss", "day", value))
        lines = run(ledger.log_lines(LogQuery(verb="limit")))
        assert {(line.by.who, line.by.role, line.verb, line.subject) for line in lines} == {
            (f"account:{alice}", "player", "limit.set", f"account:{alice}")
        }
        assert [json.loads(line.arguments) for line in reversed(lines)] == [
            {"kind": "loss", "period": "day", "value": value} for value in (*range(310, 300, -1), 400, 200)
        ]

    def test_limits_are_of_accounts_that_exist(self, run, ledger):
        """The name of no account is no limit of one."""
        with pytest.raises(LookupError):
            run(ledger.set_limit(99, "loss", "day", 1))

    # --- deposits

    def test_deposits_count_when_they_are_requested(self, run, ledger, later):
        """Those that the operator refuses do not, and the next day has a limit of its own."""
        (alice,) = opened(run, ledger, "alice")
        funded(run, ledger)
        run(ledger.set_limit(alice, "deposit", "day", 1_000))
        row = run(ledger.request_cash(asked(alice, 700), WAITING_MAX))
        again = ledger.request_cash(asked(alice, 301, key="key-0002"), WAITING_MAX)
        assert refused(run, again) == left("deposit", 300)
        assert run(ledger.request_cash(asked(alice, 700), WAITING_MAX)) == row
        run(ledger.request_cash(asked(alice, 2_000, key="key-0003", kind="withdrawal"), WAITING_MAX))
        run(ledger.decide_cash(row.number, approve=False, note=""))
        run(ledger.request_cash(asked(alice, 1_000, key="key-0004"), WAITING_MAX))
        assert limit(run, ledger, alice, "deposit").used == 1_000
        later(DAY_S)
        assert limit(run, ledger, alice, "deposit").used == 0

    def test_a_refill_is_a_deposit(self, run, ledger):
        """It is refused as a whole."""
        (alice,) = opened(run, ledger, "alice", opening=100)
        funded(run, ledger)
        run(ledger.set_limit(alice, "deposit", "month", 1_899))
        assert refused(run, ledger.refill(alice, "r-1", TERMS)) == left("deposit", 1_899, "month")
        assert run(ledger.wallet(alice)) == 100

    # --- losses

    def test_all_that_is_brought_to_tables_is_at_risk(self, run, ledger, later):
        """Buy-ins and top-ups count until the player leaves; then what is lost, or nothing, also the next day."""
        alice, bob = opened(run, ledger, "alice", "bob")
        run(ledger.set_limit(alice, "loss", "day", 1_000))
        run(buy_in(ledger, "b1", "T1", 1, alice, Money(600)))
        run(buy_in(ledger, "b2", "T1", 2, bob, Money(5_000)))
        assert refused(run, top_up(ledger, "t1", "T1", alice, Money(401))) == left("loss", 400)
        assert refused(run, buy_in(ledger, "b3", "T2", 1, alice, Money(401))) == left("loss", 400)
        assert stacks(run, ledger, "T2") == {}
        run(top_up(ledger, "t2", "T1", alice, Money(300)))
        run(top_up(ledger, "t2", "T1", alice, Money(300)))
        run(ledger.settle([hand("h1", {alice: -500, bob: 500})]))
        assert limit(run, ledger, alice).used == 900
        later(DAY_S)
        run(cash_out(ledger, "c1", "T1", alice))
        assert limit(run, ledger, alice).used == 500
        later(DAY_S)
        assert limit(run, ledger, alice).used == 0

    def test_winnings_make_up_for_losses(self, run, ledger):
        """The limit is one of the net loss."""
        alice, bob = opened(run, ledger, "alice", "bob")
        run(ledger.set_limit(alice, "loss", "day", 1_000))
        run(buy_in(ledger, "b1", "T1", 1, alice, Money(600)))
        run(buy_in(ledger, "b2", "T1", 2, bob, Money(5_000)))
        run(ledger.settle([hand("h1", {alice: 300, bob: -300})]))
        run(cash_out(ledger, "c1", "T1", alice))
        assert limit(run, ledger, alice).used == -300
        run(buy_in(ledger, "b3", "T1", 1, alice, Money(1_300)))

    def test_a_sit_and_go_costs_its_buy_in_less_the_prize(self, run, ledger):
        """At the entry the buy-in counts, at the place what it has come to."""
        accounts = alice, bob, carol = opened(run, ledger, "alice", "bob", "carol")
        run(ledger.open_tournament(opening()))
        run(ledger.set_limit(alice, "loss", "week", 299))
        assert refused(run, ledger.enter("six.1", alice, 1)) == left("loss", 299, "week")
        run(ledger.set_limit(bob, "loss", "week", 300))
        assert take_tournament(run, ledger, "six.1") == 1
        run(ledger.enter("six.1", bob, 1))
        assert limit(run, ledger, bob, period="week").used == 300
        run(ledger.return_entry("six.1", bob, 1))
        assert limit(run, ledger, bob, period="week").used == 0
        for account, number in ((carol, 1), (bob, 2)):
            run(ledger.enter("six.1", account, number))
        (dora,) = opened(run, ledger, "dora")
        run(ledger.enter("six.1", dora, 1))
        run(ledger.start_tournament("six.1", 1, [bob, carol, dora], 1_500))
        run(ledger.give_places("six.1", 1, 3, [given(3, carol, 0)]))
        run(ledger.give_places("six.1", 1, 1, [given(1, bob, 500), given(2, dora, 220)]))
        used = {account: limit(run, ledger, account, period="week").used for account in (*accounts, dora)}
        assert used == {alice: 0, bob: -200, carol: 300, dora: 80}

    def test_a_rolled_back_sit_and_go_costs_nothing(self, run, ledger):
        """Also a player who was out already has the buy-in back."""
        accounts = alice, bob, carol = opened(run, ledger, "alice", "bob", "carol")
        run(ledger.open_tournament(opening()))
        for account in accounts:
            run(ledger.enter("six.1", account, 1))
        assert take_tournament(run, ledger, "six.1") == 1
        run(ledger.start_tournament("six.1", 1, [alice, bob, carol], 1_500))
        run(ledger.give_places("six.1", 1, 3, [given(3, carol, 0)]))
        run(ledger.roll_back_tournament("six.1", 1))
        assert [limit(run, ledger, account).used for account in accounts] == [0, 0, 0]

    def test_bets_against_the_house_are_at_risk(self, run, ledger):
        """Only those of the player at the limit are too many; Plays and tips count, too."""
        alice, bob = opened(run, ledger, "alice", "bob")
        run(ledger.set_limit(alice, "loss", "day", 250))
        run(ledger.take_place(key_of("place", "p1"), "T1", 1, 1, alice, 9))
        with pytest.raises(BetsNotCovered) as short:
            run(ledger.close_bets(bets({alice: 251, bob: 10_001})))
        assert (short.value.balances, short.value.limited) == ({alice: 250, bob: 10_000}, {alice})
        run(ledger.close_bets(bets({alice: 200, bob: 200})))
        assert refused(run, ledger.add_stake(stake(alice, 51))) == left("loss", 50)
        run(ledger.add_stake(stake(alice, 50, key="round:r1:tip:1", kind="tip")))
        assert limit(run, ledger, alice).used == 250
        run(ledger.settle_round(end({alice: 100, bob: -200}, tronc=50)))
        assert [limit(run, ledger, account).used for account in (alice, bob)] == [-100, 200]

    def test_the_last_of_a_limit_does_not_keep_a_player_from_a_place(self, run, ledger):
        """A place costs nothing. Only a player beyond the limit gets no place."""
        (alice,) = opened(run, ledger, "alice")
        run(ledger.set_limit(alice, "loss", "day", 0))
        run(ledger.take_place(key_of("place", "p1"), "T1", 1, 1, alice, 9))
        with pytest.raises(BetsNotCovered):
            run(ledger.close_bets(bets({alice: 1})))

    # --- the operator's caps

    def test_of_limit_and_cap_the_lower_holds(self, run, ledger):
        """A cap is of every account but house bots, and goes with the settings."""
        (alice,) = opened(run, ledger, "alice")
        bot = run(ledger.create_account("Bot.Ada", NO_PASSWORD, Money(10_000))).account
        run(ledger.set_limit_caps({("loss", "day"): 100, ("deposit", "month"): 7}))
        assert limit(run, ledger, alice, "deposit", "month").cap == 7
        run(ledger.set_limit(alice, "loss", "day", 500))
        assert refused(run, buy_in(ledger, "b1", "T1", 1, alice, Money(101))) == left("loss", 100)
        run(buy_in(ledger, "b2", "T1", 2, bot, Money(101)))
        run(ledger.set_limit_caps({}))
        assert limit(run, ledger, alice, "deposit", "month").cap is None
        assert refused(run, buy_in(ledger, "b3", "T1", 1, alice, Money(501))) == left("loss", 500)
        run(buy_in(ledger, "b4", "T1", 1, alice, Money(500)))

    def test_the_window_with_the_least_left_is_told(self, run, ledger):
        """Of several limits the one that holds."""
        (alice,) = opened(run, ledger, "alice")
        run(ledger.set_limit(alice, "loss", "day", 300))
        run(ledger.set_limit(alice, "loss", "month", 200))
        assert refused(run, buy_in(ledger, "b1", "T1", 1, alice, Money(301))) == left("loss", 200, "month")

    # --- time of play

    def test_the_time_of_those_who_play_is_noted(self, run, ledger, later):
        """Connected and with a seat; two nodes that both note it count once, and a pause does not count."""
        alice, bob = opened(run, ledger, "alice", "bob")
        for account in (alice, bob):
            run(ledger.set_limit(account, "session", "day", 100))
        run(buy_in(ledger, "b1", "T1", 1, alice, Money(600)))
        assert run(ledger.watch_play([], [], 60)) == []
        for seconds in (0, 60, 0, 30, 200):
            later(seconds)
            watched = run(ledger.watch_play([alice, bob], [], 60))
        assert [(one.account, one.played_s, one.added_s, one.left_s) for one in watched] == [
            (alice, 90, 0, 10)
        ]
        assert watched[0].ends_ms == limit(run, ledger, alice, "session").ends_ms
        later(30)
        assert [one.left_s for one in run(ledger.watch_play([alice], [alice], 60))] == [-20]
        assert limit(run, ledger, alice, "session").used == 120
        assert [one.account for one in run(ledger.watch_play([], [alice, bob], 60))] == [alice, bob]
        assert refused(run, buy_in(ledger, "b2", "T2", 1, alice, Money(1))) == left("session", 0)
        assert refused(run, ledger.take_place(key_of("place", "p1"), "T2", 1, 1, alice, 9)) == left(
            "session", 0
        )
        run(ledger.open_tournament(opening()))
        assert refused(run, ledger.enter("six.1", alice, 1)) == left("session", 0)
        run(cash_out(ledger, "c1", "T1", alice))

    def test_a_running_sit_and_go_is_play(self, run, ledger, later):
        """From its start on, until the player has a place."""
        alice, bob, carol = opened(run, ledger, "alice", "bob", "carol")
        run(ledger.open_tournament(opening()))
        for account in (alice, bob, carol):
            run(ledger.set_limit(account, "session", "day", 600))
            run(ledger.enter("six.1", account, 1))
        assert take_tournament(run, ledger, "six.1") == 1
        assert run(ledger.watch_play([alice, bob, carol], [], 60)) == []
        run(ledger.start_tournament("six.1", 1, [alice, bob, carol], 1_500))
        run(ledger.watch_play([alice, carol], [], 60))
        later(60)
        run(ledger.give_places("six.1", 1, 3, [given(3, carol, 0)]))
        watched = run(ledger.watch_play([alice, carol], [], 60))
        assert [(one.account, one.played_s) for one in watched] == [(alice, 60)]

    def test_a_reality_check_comes_after_each_interval_of_play(self, run, ledger, later):
        """With the time on this day, and what was won in games that are over and on stacks."""
        alice, bob = opened(run, ledger, "alice", "bob")
        for seat, account in enumerate((alice, bob), 1):
            run(buy_in(ledger, f"b{seat}", "T1", seat, account, Money(600)))
            run(buy_in(ledger, f"c{seat}", "T2", seat, account, Money(500)))
        run(ledger.settle([hand("h1", {alice: -200, bob: 200})]))
        run(ledger.settle([hand("h2", {alice: 30, bob: -30}, table="T2")]))
        run(cash_out(ledger, "o1", "T1", alice))
        run(ledger.change_settings(alice, {"reality_check_min": 2}))
        told = []
        for seconds in (0, 60, 60, 60, 60):
            later(seconds)
            told += [run(ledger.watch_play([alice, bob], [], 60))]
        assert [[(one.played_s, one.check_due, one.net) for one in each] for each in told] == [
            [],
            [],
            [(120, True, -170)],
            [],
            [(240, True, -170)],
        ]
        assert {one.account for each in told for one in each} == {alice}
