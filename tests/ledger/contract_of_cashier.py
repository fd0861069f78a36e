"""The part of every ledger's contract that lets money in and out: sources, deposits, withdrawals, each exactly once.

`Cashing` is mixed into `Contract`.
"""

from dataclasses import replace

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.api import BankEmpty, InsufficientBalance, LedgerConflict
from pokerroom.ledger.cashier import (
    CashDecided,
    CashKeyUsed,
    CashRequest,
    RefillNotNeeded,
    RefillState,
    RefillTerms,
    RefillTooSoon,
    SourceEmpty,
    SourceRow,
    TooManyRequests,
    UnknownSource,
)
from pokerroom.ledger.transfers import GENESIS
from tests.ledger.contract import hand, opened, seated

WAITING_MAX = 3


def asked(account, amount, *, key="key-0001", kind="deposit", source="cash"):
    return CashRequest(account=account, key=key, kind=kind, amount=Money(amount), source=source)


def funded(run, ledger, source="cash", amount=5_000):
    run(ledger.open_source(source))
    run(ledger.fund_source("f1", source, Money(amount)))


def held_by(run, ledger, account):
    """Wallet, what is held, and what its source has."""
    source = {row.source: row.balance for row in run(ledger.sources())}["cash"]
    return run(ledger.wallet(account)), run(ledger.held(account)), source


TERMS = RefillTerms(source="cash", floor=Money(500), to=Money(2_000), every_s=3_600)


class Cashing:
    """Sources, and requests; wallets begin with 10,000."""

    # --- sources

    def test_a_source_is_funded_from_the_bank_once(self, run, ledger):
        """The same key moves nothing more; with another amount it is a bug of the caller."""
        funded(run, ledger)
        run(ledger.fund_source("f1", "cash", Money(5_000)))
        assert run(ledger.sources()) == [SourceRow(source="cash", is_open=True, balance=Money(5_000))]
        with pytest.raises(LedgerConflict):
            run(ledger.fund_source("f1", "cash", Money(5_001)))
        with pytest.raises(BankEmpty):
            run(ledger.fund_source("f2", "cash", Money(GENESIS)))

    def test_sources_are_listed_open_or_not(self, run, ledger):
        """By name; a closed one keeps what it has, and may be opened again."""
        funded(run, ledger, "wire", 70)
        run(ledger.open_source("cash"))
        run(ledger.close_source("wire"))
        assert run(ledger.sources()) == [
            SourceRow(source="cash", is_open=True, balance=Money(0)),
            SourceRow(source="wire", is_open=False, balance=Money(70)),
        ]
        run(ledger.open_source("wire"))
        assert run(ledger.sources())[1] == SourceRow(source="wire", is_open=True, balance=Money(70))

    def test_what_is_no_open_source_is_refused(self, run, ledger):
        """Neither funds nor requests come to a source that is closed or never was."""
        (alice,) = opened(run, ledger, "alice")
        with pytest.raises(UnknownSource):
            run(ledger.close_source("cash"))
        for opening in (False, True):
            if opening:
                run(ledger.open_source("cash"))
                run(ledger.close_source("cash"))
            with pytest.raises(UnknownSource):
                run(ledger.fund_source("f9", "cash", Money(1)))
            for kind in ("deposit", "withdrawal"):
                with pytest.raises(UnknownSource):
                    run(ledger.request_cash(asked(alice, 1, kind=kind), WAITING_MAX))
        assert run(ledger.cash_requests(None, False, 9)) == []
        assert run(ledger.wallet(alice)) == 10_000

    # --- deposits

    def test_a_deposit_moves_when_it_is_approved(self, run, ledger):
        """Nothing before; then source to wallet, once, however often it is approved."""
        funded(run, ledger)
        (alice,) = opened(run, ledger, "Alice")
        row = run(ledger.request_cash(asked(alice, 700), WAITING_MAX))
        assert (row.request, row.name, row.state, row.decided_ms) == (
            asked(alice, 700), "Alice", "waiting", None,
        )  # fmt: skip
        assert held_by(run, ledger, alice) == (10_000, 0, 5_000)
        decided = run(ledger.decide_cash(row.number, approve=True, note="seen"))
        assert (decided.state, decided.note, decided.asked_ms) == ("approved", "seen", row.asked_ms)
        assert decided.decided_ms >= row.asked_ms
        assert run(ledger.decide_cash(row.number, approve=True, note="again")) == decided
        assert held_by(run, ledger, alice) == (10_700, 0, 4_300)

    def test_a_deposit_that_is_refused_moves_nothing(self, run, ledger):
        """And it cannot be approved any more."""
        funded(run, ledger)
        (alice,) = opened(run, ledger, "alice")
        row = run(ledger.request_cash(asked(alice, 700), WAITING_MAX))
        run(ledger.decide_cash(row.number, approve=False, note=""))
        with pytest.raises(CashDecided):
            run(ledger.decide_cash(row.number, approve=True, note=""))
        assert held_by(run, ledger, alice) == (10_000, 0, 5_000)

    def test_a_source_gives_no_more_than_it_has(self, run, ledger):
        """The deposit waits until the source is funded; the last unit may go."""
        funded(run, ledger, amount=699)
        (alice,) = opened(run, ledger, "alice")
        row = run(ledger.request_cash(asked(alice, 700), WAITING_MAX))
        with pytest.raises(SourceEmpty):
            run(ledger.decide_cash(row.number, approve=True, note=""))
        assert run(ledger.cash_requests(alice, True, 9)) == [row]
        run(ledger.fund_source("f2", "cash", Money(1)))
        run(ledger.decide_cash(row.number, approve=True, note=""))
        assert held_by(run, ledger, alice) == (10_700, 0, 0)

    def test_a_request_of_a_source_closed_since_can_be_decided(self, run, ledger):
        """Closing stops what is new, not what waits."""
        funded(run, ledger)
        (alice,) = opened(run, ledger, "alice")
        row = run(ledger.request_cash(asked(alice, 700), WAITING_MAX))
        run(ledger.close_source("cash"))
        run(ledger.decide_cash(row.number, approve=True, note=""))
        assert held_by(run, ledger, alice) == (10_700, 0, 4_300)

    # --- withdrawals

    def test_a_withdrawal_is_held_until_it_is_paid(self, run, ledger):
        """It leaves the wallet with the request and comes to the source with the decision, once."""
        funded(run, ledger)
        (alice,) = opened(run, ledger, "alice")
        row = run(ledger.request_cash(asked(alice, 4_000, kind="withdrawal"), WAITING_MAX))
        assert held_by(run, ledger, alice) == (6_000, 4_000, 5_000)
        assert run(ledger.audit()).held == 4_000
        for _ in range(2):
            run(ledger.decide_cash(row.number, approve=True, note=""))
        assert held_by(run, ledger, alice) == (6_000, 0, 9_000)
        with pytest.raises(CashDecided):
            run(ledger.decide_cash(row.number, approve=False, note=""))

    def test_a_withdrawal_that_is_refused_goes_back(self, run, ledger):
        """To the wallet, once."""
        funded(run, ledger)
        (alice,) = opened(run, ledger, "alice")
        row = run(ledger.request_cash(asked(alice, 4_000, kind="withdrawal"), WAITING_MAX))
        for _ in range(2):
            run(ledger.decide_cash(row.number, approve=False, note="not you"))
        assert held_by(run, ledger, alice) == (10_000, 0, 5_000)

    def test_no_account_withdraws_more_than_it_has(self, run, ledger):
        """What is held counts as gone; a refused request is not there at all, and its key is free."""
        funded(run, ledger)
        (alice,) = opened(run, ledger, "alice")
        run(ledger.request_cash(asked(alice, 6_000, kind="withdrawal"), WAITING_MAX))
        more = asked(alice, 4_001, key="key-0002", kind="withdrawal")
        with pytest.raises(InsufficientBalance):
            run(ledger.request_cash(more, WAITING_MAX))
        assert len(run(ledger.cash_requests(alice, False, 9))) == 1
        run(ledger.request_cash(replace(more, amount=Money(4_000)), WAITING_MAX))
        assert held_by(run, ledger, alice) == (0, 10_000, 5_000)

    # --- keys, limits, lists

    def test_a_request_made_again_is_the_same_request(self, run, ledger):
        """After an unknown outcome the client asks again with its key and hears how it stands."""
        funded(run, ledger)
        (alice,) = opened(run, ledger, "alice")
        withdrawal = asked(alice, 4_000, kind="withdrawal")
        row = run(ledger.request_cash(withdrawal, WAITING_MAX))
        assert run(ledger.request_cash(withdrawal, WAITING_MAX)) == row
        paid = run(ledger.decide_cash(row.number, approve=True, note=""))
        run(ledger.close_source("cash"))
        assert run(ledger.request_cash(withdrawal, 0)) == paid
        assert held_by(run, ledger, alice) == (6_000, 0, 9_000)

    @pytest.mark.parametrize("change", [{"amount": Money(1)}, {"kind": "withdrawal"}, {"source": "wire"}])
    def test_a_key_is_for_one_request(self, run, ledger, change):
        """Another request under it is refused, whatever became of the first; another account's key is its own."""
        funded(run, ledger)
        alice, bob = opened(run, ledger, "alice", "bob")
        run(ledger.request_cash(asked(alice, 700), WAITING_MAX))
        with pytest.raises(CashKeyUsed):
            run(ledger.request_cash(replace(asked(alice, 700), **change), WAITING_MAX))
        run(ledger.request_cash(asked(bob, 1), WAITING_MAX))

    def test_so_many_requests_of_an_account_may_wait(self, run, ledger):
        """Those of others and those decided do not count."""
        funded(run, ledger)
        alice, bob = opened(run, ledger, "alice", "bob")
        rows = [run(ledger.request_cash(asked(alice, 1, key=f"key-{n:04}"), 2)) for n in range(2)]
        with pytest.raises(TooManyRequests):
            run(ledger.request_cash(asked(alice, 1, key="key-0002"), 2))
        run(ledger.request_cash(asked(bob, 1, key="key-0002"), 2))
        run(ledger.decide_cash(rows[0].number, approve=False, note=""))
        run(ledger.request_cash(asked(alice, 1, key="key-0002"), 2))

    def test_requests_are_listed_newest_first(self, run, ledger):
        """Of one account or of all, those that wait or all, as many as are asked for."""
        funded(run, ledger)
        alice, bob = opened(run, ledger, "alice", "bob")
        first = run(ledger.request_cash(asked(alice, 1), 9))
        second = run(ledger.request_cash(asked(bob, 2), 9))
        third = run(ledger.request_cash(asked(alice, 3, key="key-0002"), 9))
        decided = run(ledger.decide_cash(first.number, approve=False, note="no"))
        assert run(ledger.cash_requests(None, False, 9)) == [third, second, decided]
        assert run(ledger.cash_requests(alice, False, 9)) == [third, decided]
        assert run(ledger.cash_requests(alice, True, 9)) == [third]
        assert run(ledger.cash_requests(None, True, 1)) == [third]
        assert run(ledger.audit()).cash_requests == 3

    def test_what_there_is_not_is_a_bug_of_the_caller(self, run, ledger):
        """An account that was never opened, a number that was never given, an amount of nothing."""
        funded(run, ledger)
        for ask in (
            lambda: ledger.request_cash(asked(99, 1), WAITING_MAX),
            lambda: ledger.decide_cash(99, approve=True, note=""),
        ):
            with pytest.raises(LookupError):
                run(ask())
        for ask in (
            lambda: ledger.request_cash(asked(1, 0), WAITING_MAX),
            lambda: ledger.fund_source("f2", "cash", Money(0)),
        ):
            with pytest.raises(ValueError, match="amount"):
                run(ask())

    # --- refills

    def test_a_refill_brings_an_account_to_the_same_amount_once(self, run, ledger):
        """What it lacks is paid from the source at once; the key again, or another key too soon, pays nothing more."""
        (alice,) = opened(run, ledger, "alice", opening=100)
        funded(run, ledger)
        transfers = run(ledger.audit()).transfers
        first = run(ledger.refill(alice, "refill-01", TERMS))
        assert run(ledger.audit()).transfers == transfers + 2, "the books have the terms, too"
        assert (first.state, first.request.kind, first.request.amount) == ("approved", "deposit", 1_900)
        assert held_by(run, ledger, alice) == (2_000, 0, 3_100)
        run(ledger.request_cash(asked(alice, 1_990, kind="withdrawal"), WAITING_MAX))
        run(ledger.decide_cash(first.number + 1, approve=True, note=""))
        assert run(ledger.refill(alice, "refill-01", TERMS)) == first
        with pytest.raises(RefillTooSoon):
            run(ledger.refill(alice, "refill-02", TERMS))
        state = run(ledger.refill_state(alice))
        assert state.owned == 10
        assert 0 <= state.since_s < 60
        second = run(ledger.refill(alice, "refill-02", replace(TERMS, every_s=0)))
        assert second.request.amount == 1_990
        assert run(ledger.wallet(alice)) == 2_000

    def test_who_has_enough_gets_no_refill(self, run, ledger):
        """Stacks and held withdrawals count as owned: money at a table is no reason for more."""
        alice, bob = seated(run, ledger, "alice", "bob", stack=400, opening=600)
        funded(run, ledger)
        assert run(ledger.refill_state(alice)) == RefillState(owned=Money(600), since_s=None)
        with pytest.raises(RefillNotNeeded):
            run(ledger.refill(alice, "refill-01", TERMS))
        run(ledger.request_cash(asked(alice, 200, kind="withdrawal"), WAITING_MAX))
        assert run(ledger.refill_state(alice)).owned == 600
        run(ledger.settle([hand("h1", {alice: -300, bob: 300})]))
        row = run(ledger.refill(alice, "refill-01", TERMS))
        assert row.request.amount == 1_700
        assert run(ledger.wallet(alice)) == 1_700

    def test_a_refill_needs_an_open_source_that_holds_it(self, run, ledger):
        """Nothing moves and nothing is noted: after the operator has opened and funded it, the same key is paid."""
        (alice,) = opened(run, ledger, "alice", opening=100)
        with pytest.raises(UnknownSource):
            run(ledger.refill(alice, "refill-01", TERMS))
        run(ledger.open_source("cash"))
        with pytest.raises(SourceEmpty):
            run(ledger.refill(alice, "refill-01", TERMS))
        assert run(ledger.refill_state(alice)) == RefillState(owned=Money(100), since_s=None)
        funded(run, ledger)
        run(ledger.close_source("cash"))
        with pytest.raises(UnknownSource):
            run(ledger.refill(alice, "refill-01", TERMS))
        run(ledger.open_source("cash"))
        assert run(ledger.refill(alice, "refill-01", TERMS)).request.amount == 1_900

    def test_a_refill_may_take_the_last_unit_of_its_source(self, run, ledger):
        """What the account lacks, and no more."""
        (alice,) = opened(run, ledger, "alice", opening=100)
        funded(run, ledger, amount=1_899)
        with pytest.raises(SourceEmpty):
            run(ledger.refill(alice, "refill-01", TERMS))
        run(ledger.fund_source("f2", "cash", Money(1)))
        run(ledger.refill(alice, "refill-01", TERMS))
        assert held_by(run, ledger, alice) == (2_000, 0, 0)

    def test_of_two_refills_at_once_one_is_paid(self, run, ledger):
        """Two devices ask with keys of their own, and each twice: the account is filled up once."""
        (alice,) = opened(run, ledger, "alice", opening=100)
        funded(run, ledger)
        wishes = [ledger.refill(alice, key, TERMS) for key in ("refill-01", "refill-02") for _ in range(2)]
        paid = []
        for wish in wishes:
            try:
                paid.append(run(wish))
            except (RefillNotNeeded, RefillTooSoon):
                continue
        assert len(paid) == 2
        assert paid[0] == paid[1]
        assert run(ledger.wallet(alice)) == 2_000

    def test_an_unknown_account_has_no_refill(self, run, ledger):
        """It is a fault of the caller, not a refusal."""
        funded(run, ledger)
        with pytest.raises(LookupError):
            run(ledger.refill(99, "refill-01", TERMS))
        with pytest.raises(LookupError):
            run(ledger.refill_state(99))
