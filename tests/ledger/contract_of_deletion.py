"""The part of every ledger's contract that deletes accounts. `Deletion` is mixed into `Contract`."""

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.account_standing import AccountInUse, Barred, Excluded, WalletNotEmpty
from pokerroom.ledger.adjustments import PROPOSAL_S, FourEyesNeeded
from pokerroom.ledger.cashier import UnknownSource
from pokerroom.ledger.operator_log import THE_ROOM, Acting, account_subject
from pokerroom.ledger.operators import Role
from tests.ledger.contract import cash_out, hand, opened, seated
from tests.ledger.contract_of_adjustments import ANN, to_wallet
from tests.ledger.contract_of_cashier import asked, funded, held_by
from tests.ledger.contract_of_tournaments import entered, finished


def told(run, ledger, account, name):
    """All that tells of the person behind an account."""
    return (
        run(ledger.account_names([account])),
        run(ledger.find_account(name)),
        len(run(ledger.sessions_of(account))),
        run(ledger.recovery_codes_left(account)),
        run(ledger.second_factor(account)),
        run(ledger.account_settings(account)),
        run(ledger.overview(account)).last_log_in_ms,
    )


class Deletion:
    """What tells of a person goes, the books stay."""

    def test_a_deleted_account_is_a_number(self, run, ledger):
        """Its sessions are returned, once, and its connections are to end; nothing of another account changes."""
        alice, bob = opened(run, ledger, "alice", "bob", opening=0)
        numbers = [run(ledger.open_session(alice, bytes([n]) * 32)) for n in range(2)]
        theirs = run(ledger.open_session(bob, b"b" * 32))
        run(ledger.replace_recovery_codes(alice, [b"1", b"2"]))
        run(ledger.begin_second_factor(alice, b"sealed"))
        run(ledger.change_settings(alice, {"language": "pl"}))
        assert sorted(run(ledger.delete_account(alice, None, by=THE_ROOM))) == sorted(numbers)
        gone = f"gone-{alice}"
        assert told(run, ledger, alice, "alice") == ({alice: gone}, None, 0, 0, None, {}, None)
        assert run(ledger.find_account(gone)).password_hash == "!gone"
        assert list(run(ledger.barred([alice, bob], []))) == [Barred(account=alice, why="locked")]
        assert run(ledger.delete_account(alice, None, by=THE_ROOM)) == []
        assert [row.session for row in run(ledger.sessions_of(bob))] == [theirs]
        assert run(ledger.create_account("Alice", "hash", Money(0))).account != alice

    def test_the_wallet_must_be_empty_or_goes_to_a_source(self, run, ledger):
        """It is a withdrawal that is approved at once, so the source holds what the room owes no longer."""
        funded(run, ledger)
        (alice,) = opened(run, ledger, "alice")
        with pytest.raises(WalletNotEmpty):
            run(ledger.delete_account(alice, None, by=THE_ROOM))
        with pytest.raises(UnknownSource):
            run(ledger.delete_account(alice, "none", by=THE_ROOM))
        assert run(ledger.find_account("alice")).account == alice
        run(ledger.delete_account(alice, "cash", by=THE_ROOM))
        assert held_by(run, ledger, alice) == (0, 0, 15_000)

    def test_an_account_with_a_seat_stays(self, run, ledger):
        """Also while its stack is empty; its hands stay in the history of others."""
        alice, bob = seated(run, ledger, "alice", "bob", stack=1_000, opening=1_000)
        run(ledger.settle([hand("h1", {alice: -1_000, bob: 1_000})]))
        with pytest.raises(AccountInUse):
            run(ledger.delete_account(alice, None, by=THE_ROOM))
        run(cash_out(ledger, "k1", "T1", alice))
        run(ledger.delete_account(alice, None, by=THE_ROOM))
        assert run(ledger.hand_of(bob, "h1")).delta == 1_000

    @pytest.mark.parametrize("kind", ["deposit", "withdrawal"])
    def test_an_account_with_a_pending_request_stays(self, run, ledger, kind):
        """The operator has not decided yet where its money goes."""
        funded(run, ledger)
        (alice,) = opened(run, ledger, "alice", opening=500)
        row = run(ledger.request_cash(asked(alice, 500, kind=kind), 3))
        with pytest.raises(AccountInUse):
            run(ledger.delete_account(alice, "cash", by=THE_ROOM))
        run(ledger.decide_cash(row.number, approve=False, note=""))
        run(ledger.delete_account(alice, "cash", by=THE_ROOM))

    def test_an_account_with_a_proposed_adjustment_stays(self, run, ledger, later):
        """It would move money of a wallet without an owner. A proposal that has expired moves none."""
        funded(run, ledger)
        (alice,) = opened(run, ledger, "alice", opening=0)
        run(ledger.add_operator(ANN.who, Role.CASHIER, b"token"))
        run(ledger.set_four_eyes(on=True))
        run(ledger.adjust(to_wallet(alice), by=ANN))
        with pytest.raises(AccountInUse):
            run(ledger.delete_account(alice, None, by=THE_ROOM))
        later(PROPOSAL_S + 1)
        run(ledger.delete_account(alice, None, by=THE_ROOM))

    def test_an_account_in_a_sit_and_go_stays(self, run, ledger):
        """Its buy-in is in the escrow."""
        (alice, *_) = entered(run, ledger, "alice")
        with pytest.raises(AccountInUse):
            run(ledger.delete_account(alice, "cash", by=THE_ROOM))

    def test_an_account_with_a_prize_that_is_not_paid_stays(self, run, ledger):
        """Its place is given, so it plays no longer; the prize would go to a wallet without an owner."""
        alice, _, carol = finished(run, ledger)
        funded(run, ledger)
        run(ledger.delete_account(carol, "cash", by=THE_ROOM))
        with pytest.raises(AccountInUse):
            run(ledger.delete_account(alice, "cash", by=THE_ROOM))
        run(ledger.pay_place("six.1", 1))
        run(ledger.delete_account(alice, "cash", by=THE_ROOM))

    def test_with_four_eyes_only_a_player_deletes_an_account_that_has_money(self, run, ledger):
        """It is the player's own; an operator alone may not move it."""
        funded(run, ledger)
        (alice,) = opened(run, ledger, "alice")
        run(ledger.set_four_eyes(on=True))
        with pytest.raises(FourEyesNeeded):
            run(ledger.delete_account(alice, "cash", by=ANN))
        run(ledger.delete_account(alice, "cash", by=Acting(who=account_subject(alice), role="player")))
        assert held_by(run, ledger, alice) == (0, 0, 15_000)

    def test_an_excluded_account_stays(self, run, ledger):
        """The exclusion is known by the account alone."""
        (alice,) = opened(run, ledger, "alice", opening=0)
        run(ledger.exclude(alice, 7, by=THE_ROOM))
        with pytest.raises(Excluded):
            run(ledger.delete_account(alice, None, by=THE_ROOM))
        assert run(ledger.find_account("alice")).account == alice
