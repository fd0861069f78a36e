"""The part of every ledger's contract for what operators move by hand. `Adjusting` is mixed into `Contract`."""

from dataclasses import replace

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.adjustments import (
    PROPOSAL_S,
    Adjustment,
    FourEyesNeeded,
    OperatorNeeded,
    ProposalExpired,
    SameOperator,
)
from pokerroom.ledger.api import InsufficientBalance
from pokerroom.ledger.cashier import CashDecided, CashKeyUsed, SourceEmpty, UnknownSource
from pokerroom.ledger.operator_log import Acting, LogQuery
from pokerroom.ledger.operators import Role
from tests.ledger.contract import opened
from tests.ledger.contract_of_cashier import asked, funded, held_by

ANN = Acting(who="ann", role="cashier", reason="paid twice")
BEN = Acting(who="ben", role="cashier")


def to_wallet(account, amount=700, key="fix-1", source="cash"):
    return Adjustment(account=account, key=key, amount=Money(amount), source=source)


def steps(run, ledger):
    """Verb, actor and result of each line about an adjustment, oldest first."""
    lines = run(ledger.log_lines(LogQuery(verb="cashier")))[::-1]
    return [(line.verb, line.by.who, line.result) for line in lines if "adjust" in line.verb]


class Adjusting:
    """Wallets begin with 10,000, the source with 5,000."""

    @pytest.fixture
    def alice(self, run, ledger):
        funded(run, ledger)
        (alice,) = opened(run, ledger, "alice")
        for by in (ANN, BEN):
            run(ledger.add_operator(by.who, Role.CASHIER, by.who.encode()))
        return alice

    @pytest.mark.parametrize(("amount", "after"), [(700, (10_700, 0, 4_300)), (-700, (9_300, 0, 5_700))])
    def test_an_adjustment_moves_money_once(self, run, ledger, alice, amount, after):
        """In either direction, however often it is made; its line has the amount and the reason."""
        row = run(ledger.adjust(to_wallet(alice, amount), by=ANN))
        assert (row.number, row.name, row.state, row.reason) == (1, "alice", "made", "paid twice")
        assert (row.proposed_by, row.decided_by) == ("ann", "ann")
        assert run(ledger.adjust(to_wallet(alice, amount), by=ANN)) == row
        assert held_by(run, ledger, alice) == after
        assert steps(run, ledger) == [("cashier.adjust", "ann", "done")]
        (line,) = run(ledger.log_lines(LogQuery(verb="cashier.adjust")))
        assert (line.by, line.subject) == (ANN, f"account:{alice}")
        assert line.named() == {"amount": amount, "key": "fix-1", "number": 1, "source": "cash"}

    def test_a_proposal_moves_money_when_another_operator_approves_it(self, run, ledger, alice):
        """Nothing before, and once. The same operator is refused."""
        run(ledger.set_four_eyes(on=True))
        row = run(ledger.adjust(to_wallet(alice), by=ANN))
        assert (row.state, row.decided_by, row.decided_ms) == ("proposed", None, None)
        assert run(ledger.adjustments(True, 9)) == [row]
        with pytest.raises(SameOperator):
            run(ledger.decide_adjustment(row.number, approve=True, by=replace(ANN, address="elsewhere")))
        assert held_by(run, ledger, alice) == (10_000, 0, 5_000)
        made = run(ledger.decide_adjustment(row.number, approve=True, by=BEN))
        assert (made.state, made.proposed_by, made.decided_by) == ("made", "ann", "ben")
        assert made.decided_ms >= row.proposed_ms
        assert run(ledger.decide_adjustment(row.number, approve=True, by=ANN)) == made
        assert run(ledger.adjust(to_wallet(alice), by=ANN)) == made
        assert held_by(run, ledger, alice) == (10_700, 0, 4_300)
        assert steps(run, ledger) == [
            ("cashier.adjust", "ann", "proposed"),
            ("cashier.approve_adjustment", "ben", "done"),
        ]
        assert (run(ledger.adjustments(True, 9)), run(ledger.adjustments(False, 9))) == ([], [made])

    def test_a_proposal_that_is_refused_moves_nothing(self, run, ledger, alice):
        """Also by the operator who made it; it cannot be approved any more."""
        run(ledger.set_four_eyes(on=True))
        row = run(ledger.adjust(to_wallet(alice), by=ANN))
        for _ in range(2):
            assert run(ledger.decide_adjustment(row.number, approve=False, by=ANN)).state == "refused"
        with pytest.raises(CashDecided):
            run(ledger.decide_adjustment(row.number, approve=True, by=BEN))
        assert held_by(run, ledger, alice) == (10_000, 0, 5_000)
        assert steps(run, ledger)[1:] == [("cashier.refuse_adjustment", "ann", "done")]

    def test_a_proposal_ends_after_a_day(self, run, ledger, alice, later):
        """It is no longer listed as waiting, and its key stays used."""
        run(ledger.set_four_eyes(on=True))
        row = run(ledger.adjust(to_wallet(alice), by=ANN))
        later(PROPOSAL_S)
        with pytest.raises(ProposalExpired):
            run(ledger.decide_adjustment(row.number, approve=True, by=BEN))
        assert run(ledger.adjustments(True, 9)) == []
        assert [old.state for old in run(ledger.adjustments(False, 9))] == ["expired"]
        run(ledger.set_four_eyes(on=False))
        assert run(ledger.adjust(to_wallet(alice), by=ANN)).state == "expired"
        assert held_by(run, ledger, alice) == (10_000, 0, 5_000)

    @pytest.mark.parametrize(
        ("amount", "refusal"),
        [(5_001, SourceEmpty), (-10_001, InsufficientBalance), (-(10**14), InsufficientBalance)],
    )
    def test_no_adjustment_goes_below_zero(self, run, ledger, alice, amount, refusal):
        """Neither at once nor at the approval, after which the proposal still waits."""
        with pytest.raises(refusal):
            run(ledger.adjust(to_wallet(alice, amount), by=ANN))
        assert (run(ledger.adjustments(False, 9)), steps(run, ledger)) == ([], [])
        run(ledger.set_four_eyes(on=True))
        row = run(ledger.adjust(to_wallet(alice, amount), by=ANN))
        with pytest.raises(refusal):
            run(ledger.decide_adjustment(row.number, approve=True, by=BEN))
        assert held_by(run, ledger, alice) == (10_000, 0, 5_000)
        assert [old.state for old in run(ledger.adjustments(True, 9))] == ["proposed"]

    def test_what_cannot_be_adjusted_is_refused(self, run, ledger, alice):
        """A closed source, a key for other terms, an unknown account or number, nothing, and no reason."""
        run(ledger.adjust(to_wallet(alice), by=ANN))
        for other in (to_wallet(alice, 701), to_wallet(alice, source="wire")):
            with pytest.raises(CashKeyUsed):
                run(ledger.adjust(other, by=ANN))
        with pytest.raises(UnknownSource):
            run(ledger.adjust(to_wallet(alice, key="fix-2", source="wire"), by=ANN))
        for ask in (
            lambda: ledger.adjust(to_wallet(99, key="fix-2"), by=ANN),
            lambda: ledger.decide_adjustment(99, approve=True, by=ANN),
        ):
            with pytest.raises(LookupError):
                run(ask())
        for wrong, by in ((to_wallet(alice, 0), ANN), (to_wallet(alice), BEN)):
            with pytest.raises(ValueError, match="an adjustment"):
                run(ledger.adjust(wrong, by=by))
        assert held_by(run, ledger, alice) == (10_700, 0, 4_300)

    def test_with_four_eyes_only_operators_with_accounts_count(self, run, ledger, alice):
        """Users of a machine may share a name, and a person may be a user and an operator. They may still refuse."""
        user = Acting(who="local:ann", role="admin", reason="paid twice")
        run(ledger.set_four_eyes(on=True))
        with pytest.raises(OperatorNeeded):
            run(ledger.adjust(to_wallet(alice), by=user))
        row = run(ledger.adjust(to_wallet(alice), by=ANN))
        with pytest.raises(OperatorNeeded):
            run(ledger.decide_adjustment(row.number, approve=True, by=user))
        run(ledger.revoke_operator("ben"))
        with pytest.raises(OperatorNeeded):
            run(ledger.decide_adjustment(row.number, approve=True, by=BEN))
        assert run(ledger.decide_adjustment(row.number, approve=False, by=user)).state == "refused"
        assert held_by(run, ledger, alice) == (10_000, 0, 5_000)

    def test_with_four_eyes_no_operator_moves_money_at_once(self, run, ledger, alice):
        """Players still ask, and an operator decides. The setting is a line of the log, once."""
        for on in (True, True, False, False, True):
            run(ledger.set_four_eyes(on=on))
        lines = run(ledger.log_lines(LogQuery(verb="cashier.four_eyes")))[::-1]
        assert [(line.by.who, line.named()) for line in lines] == [
            ("room", {"on": on}) for on in (True, False, True)
        ]
        for kind in ("deposit", "withdrawal"):
            with pytest.raises(FourEyesNeeded):
                run(ledger.request_cash(asked(alice, 7, kind=kind), 3, by=ANN))
        row = run(ledger.request_cash(asked(alice, 7), 3))
        run(ledger.decide_cash(row.number, approve=True, note="", by=ANN))
        assert held_by(run, ledger, alice) == (10_007, 0, 4_993)
