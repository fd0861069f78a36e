"""The part of every ledger's contract that says what an account may do at all: exclusions, locks, names.

`Standing` is mixed into `Contract`.
"""

from dataclasses import replace

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.account_standing import AccountLocked, AccountOverview, Barred, Excluded, Exclusion
from pokerroom.ledger.api import BetsNotCovered, NameTaken
from pokerroom.ledger.operator_log import Acting, LogQuery
from tests.ledger.contract import buy_in, cash_out, key_of, opened, top_up
from tests.ledger.contract_of_cashier import TERMS, WAITING_MAX, asked, funded
from tests.ledger.contract_of_rounds import bets, end, stake
from tests.ledger.contract_of_tournaments import opening

DAY_S = 86_400
ELLA = Acting(who="ella", role="support", reason="asked by mail")


class Standing:
    """Wallets begin with 10,000."""

    def test_an_excluded_account_brings_no_money(self, run, ledger):
        """Not to a table, a sit-and-go or the cashier; it leaves with its stack, and withdraws."""
        (alice,) = opened(run, ledger, "alice")
        funded(run, ledger)
        run(ledger.open_tournament(opening()))
        run(buy_in(ledger, "b1", "T1", 1, alice, Money(600)))
        run(ledger.exclude(alice, 1, by=ELLA))
        for refused in (
            lambda: buy_in(ledger, "b2", "T2", 1, alice, Money(600)),
            lambda: top_up(ledger, "t1", "T1", alice, Money(1)),
            lambda: ledger.take_place(key_of("place", "p1"), "T3", 1, 1, alice, 9),
            lambda: ledger.enter("six.1", alice, 1),
            lambda: ledger.request_cash(asked(alice, 1), WAITING_MAX),
        ):
            with pytest.raises(Excluded) as excluded:
                run(refused())
            assert excluded.value.facts == {"until_ms": run(ledger.exclusion(alice)).until_ms}
        run(cash_out(ledger, "c1", "T1", alice))
        run(ledger.request_cash(asked(alice, 9_999, kind="withdrawal", key="key-0002"), WAITING_MAX))
        poor = run(ledger.create_account("poor", "hash", Money(0))).account
        run(ledger.exclude(poor, 1, by=ELLA))
        with pytest.raises(Excluded):
            run(ledger.refill(poor, "r-1", TERMS))

    def test_an_excluded_account_bets_no_more(self, run, ledger):
        """The bets of others stand; a Play for a bet of before is still taken."""
        alice, bob = opened(run, ledger, "alice", "bob")
        for place, account in enumerate((alice, bob), 1):
            run(ledger.take_place(key_of("place", f"p{place}"), "T1", 1, place, account, 9))
        run(ledger.close_bets(bets({alice: 200, bob: 200})))
        run(ledger.exclude(alice, 1, by=ELLA))
        run(ledger.add_stake(stake(alice, 100)))
        run(ledger.settle_round(end({alice: 0, bob: 0})))
        with pytest.raises(BetsNotCovered) as short:
            run(ledger.close_bets(bets({alice: 100, bob: 100}, round_id="r2")))
        assert (short.value.balances, short.value.limited) == ({alice: 0}, {alice})
        run(ledger.close_bets(bets({bob: 100}, round_id="r2")))

    def test_an_exclusion_again_is_written_once(self, run, ledger, later):
        """It is kept for ever, and needs no password: a client that asks again and again must not fill the tables."""
        (alice,) = opened(run, ledger, "alice")
        for _ in range(3):
            run(ledger.exclude(alice, 7, by=ELLA))
            run(ledger.exclude(alice, 1, by=ELLA))
        later(DAY_S)
        run(ledger.exclude(alice, 7, by=ELLA))
        for _ in range(2):
            run(ledger.exclude(alice, None, by=ELLA))
        lines = run(ledger.log_lines(LogQuery(verb="account.exclude")))
        assert [line.named()["days"] for line in lines] == [None, 7, 7]

    def test_a_log_in_is_told_all_of_its_account(self, run, ledger):
        """As the single questions are answered, of this account alone."""
        alice, bob = opened(run, ledger, "alice", "bob")
        run(ledger.open_session(alice, b"1" * 32, password_hash="hash of alice"))
        for table, key in (("T2", "b2"), ("T1", "b1")):
            run(buy_in(ledger, key, table, 1, alice, Money(600)))
        run(ledger.change_settings(alice, {"language": "pl", "four_colours": True}))
        run(ledger.exclude(alice, 2, by=ELLA))
        told = run(ledger.overview(alice))
        assert told == AccountOverview(
            balance=run(ledger.wallet(alice)),
            tables=["T1", "T2"],
            settings=run(ledger.account_settings(alice)),
            last_log_in_ms=told.last_log_in_ms,
            exclusion=run(ledger.exclusion(alice)),
        )
        assert None not in {told.last_log_in_ms, told.exclusion}
        nothing = AccountOverview(
            balance=Money(10_000), tables=[], settings={}, last_log_in_ms=None, exclusion=None
        )
        assert run(ledger.overview(bob)) == nothing
        run(ledger.exclude(bob, None, by=ELLA))
        assert run(ledger.overview(bob)).exclusion == Exclusion(until_ms=None)
        with pytest.raises(LookupError):
            run(ledger.overview(99))

    def test_an_exclusion_ends_and_the_longest_holds(self, run, ledger, later):
        """A shorter one changes nothing; one for ever never ends."""
        alice, bob = opened(run, ledger, "alice", "bob")
        assert run(ledger.exclusion(alice)) is None
        run(ledger.exclude(alice, 2, by=ELLA))
        until = run(ledger.exclusion(alice))
        run(ledger.exclude(alice, 1, by=ELLA))
        assert run(ledger.exclusion(alice)) == until
        later(2 * DAY_S + 60)
        assert run(ledger.exclusion(alice)) is None
        run(buy_in(ledger, "b1", "T1", 1, alice, Money(600)))
        run(ledger.exclude(bob, None, by=ELLA))
        run(ledger.exclude(bob, 1, by=ELLA))
        later(2 * DAY_S)
        assert run(ledger.exclusion(bob)) == Exclusion(until_ms=None)
        with pytest.raises(LookupError):
            run(ledger.exclude(99, 1, by=ELLA))

    def test_a_locked_account_cannot_log_in(self, run, ledger):
        """Its sessions end; unlocked it logs in again."""
        (alice,) = opened(run, ledger, "alice")
        session = run(ledger.open_session(alice, b"1" * 32))
        assert run(ledger.lock_out(alice, by=ELLA)) == [session]
        assert run(ledger.lock_out(alice, by=ELLA)) == []
        with pytest.raises(AccountLocked):
            run(ledger.open_session(alice, b"2" * 32, password_hash="hash of alice"))
        assert run(ledger.barred([alice], [])) == [Barred(account=alice, why="locked")]
        run(ledger.unlock(alice, by=ELLA))
        run(ledger.unlock(alice, by=ELLA))
        run(ledger.open_session(alice, b"2" * 32, password_hash="hash of alice"))
        assert run(ledger.barred([alice], [])) == []

    def test_a_locked_account_brings_no_money_to_a_game(self, run, ledger):
        """A connection of it may still be open at another node. It takes home what it has at a table."""
        (alice,) = opened(run, ledger, "alice", opening=900)
        funded(run, ledger)
        run(buy_in(ledger, "b1", "T1", 1, alice, Money(600)))
        run(ledger.lock_out(alice, by=ELLA))
        for refused in (
            top_up(ledger, "t1", "T1", alice, Money(100)),
            buy_in(ledger, "b2", "T2", 1, alice, Money(100)),
            ledger.refill(alice, "refill-01", replace(TERMS, floor=Money(1_000))),
        ):
            with pytest.raises(AccountLocked):
                run(refused)
        run(cash_out(ledger, "c1", "T1", alice))
        assert run(ledger.wallets([alice])) == {alice: 900}
        run(ledger.unlock(alice, by=ELLA))
        run(buy_in(ledger, "b3", "T2", 1, alice, Money(100)))

    def test_an_account_gets_another_name(self, run, ledger):
        """Not one that another account has, or that looks like it; its own may change its case."""
        alice, _ = opened(run, ledger, "alice", "bob")
        for taken in ("bob", "BOB", "b0b"):
            with pytest.raises(NameTaken):
                run(ledger.rename(alice, taken, by=ELLA))
        for name in ("Alice", "carol"):
            run(ledger.rename(alice, name, by=ELLA))
            assert run(ledger.find_account(name)).account == alice
        assert run(ledger.find_account("alice")) is None
        assert run(ledger.account_names([alice])) == {alice: "carol"}
        run(ledger.create_account("alice", "hash", Money(0)))

    def test_accounts_are_found_by_how_their_names_begin(self, run, ledger):
        """In order, ignoring case; no mark is a wildcard. Deleted accounts and excepted names are left out."""
        _, gone, *_ = opened(run, ledger, "Anna", "andy", "an_a", "ANT", "Bot.An", "bea", "a")
        funded(run, ledger)
        run(ledger.delete_account(gone, "cash", by=ELLA))

        def beginning(text, limit=9):
            return run(ledger.names_beginning(text, limit, but="bot."))

        assert beginning("an") == ["an_a", "Anna", "ANT"]
        assert beginning("AN", limit=2) == ["an_a", "Anna"]
        assert beginning("an_") == ["an_a"]
        assert beginning("b") == ["bea"]
        assert beginning("") == ["a", "an_a", "Anna", "ANT", "bea"]
        assert beginning("gone") == beginning("\u00e9") == beginning("a%") == []

    def test_what_is_left_to_do_about_excluded_accounts_is_told(self, run, ledger):
        """Seats, and registrations for what has not started."""
        alice, bob = opened(run, ledger, "alice", "bob")
        run(ledger.open_tournament(opening()))
        run(ledger.enter("six.1", alice, 1))
        assert run(ledger.barred([alice, bob], [alice, bob])) == []
        run(ledger.exclude(alice, None, by=ELLA))
        assert run(ledger.barred([alice, bob], [alice, bob])) == [
            Barred(account=alice, why="entered", offer="six"),
            Barred(account=alice, why="seated"),
        ]
        run(ledger.return_entry("six.1", alice, 1))
        assert run(ledger.barred([], [])) == []

    def test_each_change_of_the_standing_is_a_line(self, run, ledger):
        """With the actor and the account, in the transaction of the change."""
        (alice,) = opened(run, ledger, "alice")
        run(ledger.exclude(alice, 7, by=ELLA))
        run(ledger.lock_out(alice, by=ELLA))
        run(ledger.unlock(alice, by=ELLA))
        run(ledger.rename(alice, "carol", by=ELLA))
        lines = run(ledger.log_lines(LogQuery()))[::-1]
        assert {(line.by, line.subject) for line in lines} == {(ELLA, f"account:{alice}")}
        assert [(line.verb, line.named()) for line in lines] == [
            ("account.exclude", {"days": 7}),
            ("account.lock", {"sessions_ended": 0}),
            ("account.unlock", {}),
            ("account.rename", {"from": "alice", "to": "carol"}),
        ]

    # --- the right to chat

    def test_the_right_to_chat_is_taken_until_a_time(self, run, ledger, later):
        """A new time takes the place of the one before; it ends by itself, or by an order."""
        alice, bob = opened(run, ledger, "alice", "bob")
        by = Acting(who="ann", role="support", reason="insults")

        def muted(account):
            return run(ledger.overview(account)).muted_until_ms

        assert (muted(alice), muted(bob)) == (None, None)
        run(ledger.mute(alice, 60, by=by))
        longer = muted(alice)
        run(ledger.mute(alice, 1, by=by))
        shorter = muted(alice)
        assert 58 * 60_000 <= longer - shorter <= 59 * 60_000
        assert muted(bob) is None
        assert run(ledger.barred([bob, alice], [])) == [Barred(account=alice, why="muted", until_ms=shorter)]
        later(61)
        assert muted(alice) is None
        assert run(ledger.barred([bob, alice], [])) == []
        run(ledger.mute(alice, 5, by=by))
        run(ledger.unmute(alice, by=by))
        run(ledger.unmute(bob, by=by))
        assert muted(alice) is None
        lines = run(ledger.log_lines(LogQuery(who="ann")))[::-1]
        assert [(line.verb, line.subject) for line in lines] == [
            *[("account.mute", f"account:{alice}")] * 3,
            ("account.unmute", f"account:{alice}"),
            ("account.unmute", f"account:{bob}"),
        ]
        assert lines[0].named() == {"minutes": 60}
        for order in (ledger.mute(99, 5, by=by), ledger.unmute(99, by=by)):
            with pytest.raises(LookupError):
                run(order)
