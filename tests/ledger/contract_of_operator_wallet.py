"""The part of the ledger's contract for the operator's wallet: each row moves its money once.

`OperatorWallets` is mixed into `Contract`.
"""

import json

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.account_standing import AccountInUse, AccountLocked
from pokerroom.ledger.api import InsufficientBalance
from pokerroom.ledger.hosted_tables import HostedLimits
from pokerroom.ledger.operator_log import Acting, LogQuery
from pokerroom.ledger.operator_wallet import (
    REFUSALS_MAX,
    REFUSALS_S,
    REFUSED_S,
    UnknownWalletTransfer,
    WalletBacklog,
    WalletBusy,
    WalletInUse,
    WalletLinked,
    WalletPlayerTaken,
    WalletRefused,
)
from tests.ledger.contract import buy_in, cash_out, opened

ANN = Acting(who="ann", role="admin", reason="a test")


def link_alice(run, ledger):
    """Alice, an account without money, linked with the operator's player `p-1`."""
    (account,) = opened(run, ledger, "alice", opening=0)
    run(ledger.link_wallet(account, "p-1", by=ANN))
    return account


def brought(run, ledger, account, amount):
    """A debit of so much that is done; its number."""
    debit = run(ledger.ask_wallet_debit(account, "T1", Money(amount), 60))
    assert run(ledger.end_wallet_debit(debit.number, "done")) == "done"
    return debit.number


def refused(run, ledger, account, amount):
    """A debit of so much that the server has refused."""
    debit = run(ledger.ask_wallet_debit(account, "T1", Money(amount), 60))
    assert run(ledger.end_wallet_debit(debit.number, "refused", "insufficient_funds")) == "refused"


def states(run, ledger, **which):
    """Kind, amount and state of all transfers, oldest first."""
    asked = {"account": None, "waiting": False, "before": None, "limit": 99, **which}
    account = asked.pop("account")
    return [(row.kind, row.amount, row.state) for row in run(ledger.wallet_transfers(account, **asked))[::-1]]


class OperatorWallets:
    """Debits, credits and rollbacks; and which account has which player."""

    @pytest.fixture
    def linked(self, run, ledger):
        """See `link_alice`."""
        return link_alice(run, ledger)

    def test_a_debit_is_of_what_is_lacking_and_moves_it_once(self, run, ledger, linked):
        """Also if its end is told again, or differently."""
        number = brought(run, ledger, linked, 500)
        assert run(ledger.end_wallet_debit(number, "done")) == "done"
        assert run(ledger.end_wallet_debit(number, "undone")) == "done"
        debit = run(ledger.ask_wallet_debit(linked, "T1", Money(800), 60))
        assert (debit.player, debit.amount) == ("p-1", 300)
        assert debit.id == run(ledger.wallet_transfer(debit.number)).id
        assert run(ledger.end_wallet_debit(debit.number, "done")) == "done"
        enough = run(ledger.ask_wallet_debit(linked, "T1", Money(800), 60))
        assert (enough.number, enough.amount) == (None, 0)
        assert run(ledger.wallet(linked)) == 800

    def test_a_refused_debit_moves_nothing(self, run, ledger, linked):
        """Nothing waits for it, and the player may bring less at once."""
        debit = run(ledger.ask_wallet_debit(linked, None, Money(500), 60))
        assert run(ledger.end_wallet_debit(debit.number, "refused", "insufficient_funds")) == "refused"
        assert run(ledger.wallet_transfer(debit.number)).failure == "insufficient_funds"
        assert states(run, ledger) == [("debit", 500, "refused")]
        assert run(ledger.wallet(linked)) == 0
        assert brought(run, ledger, linked, 499)

    def test_what_was_just_refused_is_refused_again_without_a_row(self, run, ledger, linked, later):
        """The same and a larger amount, wherever it is needed; a smaller one and another player are not held up."""
        refused(run, ledger, linked, 500)
        for table, amount in ((None, 500), ("T1", 500), ("T2", 501)):
            with pytest.raises(WalletRefused):
                run(ledger.ask_wallet_debit(linked, table, Money(amount), 60))
        assert states(run, ledger) == [("debit", 500, "refused")]
        (bob,) = opened(run, ledger, "bob", opening=0)
        run(ledger.link_wallet(bob, "p-2", by=ANN))
        assert brought(run, ledger, bob, 500)
        assert brought(run, ledger, linked, 100)
        with pytest.raises(WalletRefused):
            run(ledger.ask_wallet_debit(linked, "T1", Money(600), 60))
        assert brought(run, ledger, linked, 599)  # the server is asked for 499
        later(REFUSED_S)
        assert brought(run, ledger, linked, 1_200)

    def test_an_account_that_was_refused_many_times_waits(self, run, ledger, linked, later):
        """Whatever the amount: smaller ones one after the other are as many calls."""
        for less in range(REFUSALS_MAX):
            refused(run, ledger, linked, 500 - less)
        with pytest.raises(WalletRefused):
            run(ledger.ask_wallet_debit(linked, "T1", Money(1), 60))
        later(REFUSED_S)
        with pytest.raises(WalletRefused):
            run(ledger.ask_wallet_debit(linked, "T1", Money(1), 60))
        assert len(states(run, ledger)) == REFUSALS_MAX
        later(REFUSALS_S)
        assert brought(run, ledger, linked, 500)

    @pytest.mark.parametrize("by_deadline", [True, False])
    def test_an_undone_debit_has_a_rollback_and_a_late_answer_changes_nothing(
        self, run, ledger, linked, by_deadline
    ):
        """Whether its node gives it up, or another node finds it past its time."""
        debit = run(ledger.ask_wallet_debit(linked, "T1", Money(500), 0 if by_deadline else 60))
        if by_deadline:
            assert run(ledger.undo_late_wallet_debits()) == 1
        else:
            assert run(ledger.undo_late_wallet_debits()) == 0
            assert run(ledger.end_wallet_debit(debit.number, "undone", "no answer")) == "undone"
        assert run(ledger.end_wallet_debit(debit.number, "done")) == "undone"
        assert run(ledger.wallet(linked)) == 0
        (back,) = run(ledger.claim_wallet_transfers(9, 60))
        assert (back.kind, back.amount, back.undoes, back.player) == ("rollback", 500, debit.id, "p-1")
        run(ledger.end_wallet_transfer(back))
        run(ledger.end_wallet_transfer(back))
        assert states(run, ledger) == [("debit", 500, "undone"), ("rollback", 500, "done")]

    def test_one_debit_of_an_account_waits_at_a_time(self, run, ledger, linked):
        """A second request is told that the wallet is busy, also at the same moment."""
        run(ledger.ask_wallet_debit(linked, "T1", Money(500), 60))
        with pytest.raises(WalletBusy):
            run(ledger.ask_wallet_debit(linked, "T2", Money(500), 60))
        assert states(run, ledger) == [("debit", 500, "asked")]

    def test_a_player_that_may_not_play_is_not_debited(self, run, ledger, linked):
        """The refusal is that of the buy-in."""
        run(ledger.lock_out(linked, by=ANN))
        with pytest.raises(AccountLocked):
            run(ledger.ask_wallet_debit(linked, "T1", Money(500), 60))
        assert states(run, ledger) == []

    def test_chips_of_a_club_and_accounts_without_a_link_are_not_debited(self, run, ledger, linked):
        """There the operator's wallet is not asked."""
        (bob,) = opened(run, ledger, "bob", opening=0)
        assert run(ledger.ask_wallet_debit(bob, "T1", Money(500), 60)) is None
        run(ledger.create_club("a" * 10, linked, "Fridays", "code", 1))
        terms = {"name": "Friday", "small_blind": 50, "seats": 6, "chat": True}
        limits = HostedLimits(per_account=1, in_room=9)
        run(ledger.open_hosted_table("host:club", linked, terms, "link", limits, club="a" * 10))
        assert run(ledger.ask_wallet_debit(linked, "host:club", Money(500), 60)) is None
        assert states(run, ledger) == []

    def test_what_returns_to_an_account_is_credited_once(self, run, ledger, linked):
        """It leaves the account when the credit is written, and the queue sends the same one until it is done."""
        brought(run, ledger, linked, 500)
        assert (
            run(ledger.queue_wallet_credits(3600, 9)) == 0
        )  # a debit that was just done is about to be used
        run(buy_in(ledger, "b", "T1", 1, linked, 400))
        run(cash_out(ledger, "c", "T1", linked))
        assert run(ledger.queue_wallet_credits(0, 9)) == 1
        assert run(ledger.queue_wallet_credits(0, 9)) == 0
        assert run(ledger.wallet(linked)) == 0
        with pytest.raises(InsufficientBalance):
            run(buy_in(ledger, "b2", "T1", 1, linked, 400))
        (credit,) = run(ledger.claim_wallet_transfers(9, 60))
        assert run(ledger.claim_wallet_transfers(9, 60)) == []
        run(ledger.fail_wallet_transfer(credit, "HTTP 500", 0))
        (again,) = run(ledger.claim_wallet_transfers(9, 60))
        assert (again.id, again.amount, again.tries) == (credit.id, 500, 2)
        run(ledger.fail_wallet_transfer(credit, "an older try", 3600))
        assert run(ledger.wallet_transfer(credit.number)).failure == "HTTP 500"
        backlog = run(ledger.wallet_backlog())
        assert (backlog.waiting, backlog.owed) == (1, 500)
        run(ledger.end_wallet_transfer(again))
        assert run(ledger.wallet_backlog()) == WalletBacklog(waiting=0, owed=0, oldest_s=0.0)

    def test_money_for_bets_from_the_wallet_is_not_credited(self, run, ledger, linked):
        """A player at a table of Ultimate bets from the account; what it holds goes back when the place is free."""
        brought(run, ledger, linked, 500)
        run(ledger.take_place("place:" + "a" * 32, "U1", run(ledger.take_table("U1", "n1", 0)), 1, linked, 9))
        assert run(ledger.queue_wallet_credits(0, 9)) == 0
        run(ledger.cash_out("cashout:" + "a" * 32, "U1", 1, linked))
        assert run(ledger.queue_wallet_credits(0, 9)) == 1

    def test_an_account_without_a_link_keeps_its_money(self, run, ledger, linked):
        """The queue looks at linked accounts alone, at most at so many."""
        (bob,) = opened(run, ledger, "bob", opening=700)
        with pytest.raises(WalletInUse):
            run(ledger.link_wallet(bob, "p-2", by=ANN))
        (carol,) = opened(run, ledger, "carol", opening=0)
        run(ledger.link_wallet(carol, "p-3", by=ANN))
        brought(run, ledger, carol, 700)
        brought(run, ledger, linked, 500)
        assert [run(ledger.queue_wallet_credits(0, 1)) for _ in range(3)] == [1, 1, 0]

    def test_a_link_is_of_one_account_and_one_player(self, run, ledger, linked):
        """It goes when nothing of the account is in the room or on its way; each change has a line in the log."""
        (bob,) = opened(run, ledger, "bob", opening=0)
        run(ledger.link_wallet(linked, "p-1", by=ANN))
        with pytest.raises(WalletLinked):
            run(ledger.link_wallet(linked, "p-2", by=ANN))
        with pytest.raises(WalletPlayerTaken):
            run(ledger.link_wallet(bob, "p-1", by=ANN))
        with pytest.raises(LookupError):
            run(ledger.link_wallet(999, "p-9", by=ANN))
        number = run(ledger.ask_wallet_debit(linked, None, Money(5), 60)).number
        for end in (None, "done"):
            if end:
                run(ledger.end_wallet_debit(number, end))
            with pytest.raises(WalletInUse):
                run(ledger.unlink_wallet(linked, by=ANN))
        run(ledger.queue_wallet_credits(0, 9))
        (credit,) = run(ledger.claim_wallet_transfers(9, 60))
        with pytest.raises(AccountInUse):
            run(ledger.delete_account(linked, None, by=ANN))
        run(ledger.end_wallet_transfer(credit))
        run(ledger.unlink_wallet(linked, by=ANN))
        run(ledger.unlink_wallet(linked, by=ANN))
        assert run(ledger.wallet_player(linked)) is None
        lines = run(ledger.log_lines(LogQuery()))
        assert sorted(line.verb for line in lines) == ["wallet.link", "wallet.unlink"]
        assert "p-1" not in str(lines)
        (fingerprint,) = {json.loads(line.arguments)["fingerprint"] for line in lines}
        run(ledger.link_wallet(linked, "p-2", by=ANN))
        (other, *_) = run(ledger.log_lines(LogQuery(verb="wallet.link")))
        assert json.loads(other.arguments)["fingerprint"] != fingerprint

    def test_a_deleted_account_has_no_player(self, run, ledger, linked):
        """The operator's id of a player tells of a person; the transfers stay."""
        run(
            ledger.end_wallet_debit(
                run(ledger.ask_wallet_debit(linked, None, Money(5), 60)).number, "refused"
            )
        )
        run(ledger.delete_account(linked, None, by=ANN))
        assert run(ledger.wallet_player(linked)) is None
        assert states(run, ledger, account=linked) == [("debit", 5, "refused")]

    def test_an_operator_lists_and_retries_what_waits(self, run, ledger, linked):
        """A retry makes it due, with a line in the log; debits are not retried."""
        brought(run, ledger, linked, 500)
        run(ledger.queue_wallet_credits(0, 9))
        (credit,) = run(ledger.claim_wallet_transfers(9, 3600))
        assert states(run, ledger, waiting=True) == [("credit", 500, "asked")]
        assert states(run, ledger, before=credit.number) == [("debit", 500, "done")]
        assert run(ledger.retry_wallet_transfers(credit.number, by=ANN)) == 1
        assert [one.number for one in run(ledger.claim_wallet_transfers(9, 60))] == [credit.number]
        run(ledger.end_wallet_transfer(credit))
        assert run(ledger.retry_wallet_transfers(None, by=ANN)) == 0
        for unknown in (ledger.wallet_transfer(99), ledger.retry_wallet_transfers(99, by=ANN)):
            with pytest.raises(UnknownWalletTransfer):
                run(unknown)
        assert [line.verb for line in run(ledger.log_lines(LogQuery(verb="wallet.retry")))] == [
            "wallet.retry"
        ]
