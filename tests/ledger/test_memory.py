"""`pokerroom.ledger.memory.ledger`: the contract, and that its audit finds what its own rules would not allow."""

from dataclasses import asdict

import pytest
from twisted.internet.task import Clock

from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import SAME_PER_HOUR, STRANGER, Acting, LoggedAct, LogQuery
from pokerroom.ledger.statistics import Counters
from tests.ledger.contract import hand, opened, seated
from tests.ledger.contract_of_adjustments import ANN, to_wallet
from tests.ledger.contract_of_cashier import funded
from tests.ledger.contract_of_clubs import CLUB, OTHER
from tests.ledger.contract_of_hosted_tables import FEW, TERMS
from tests.ledger.contract_of_rounds import bets, end
from tests.ledger.tampering import Inside
from tests.ledger.whole_contract import WholeContract


class TestMemoryLedger(WholeContract):
    """The contract, in memory."""

    @pytest.fixture
    def clock(self):
        return Clock()

    @pytest.fixture
    def ledger(self, clock):
        return MemoryLedger(clock.seconds)

    @pytest.fixture
    def later(self, clock):
        return clock.advance


class TestTimesOfMemory:
    """What the ledger bounds by time, to the moment. PostgreSQL has the same from the same constants."""

    @pytest.fixture
    def clock(self):
        return Clock()

    @pytest.fixture
    def ledger(self, clock):
        return MemoryLedger(clock.seconds)

    def test_lines_that_strangers_cause_are_counted_for_an_hour(self, run, ledger, clock):
        """To the millisecond."""
        refused = LoggedAct(by=Acting(who=STRANGER, address="192.0.2.1"), verb="operator.refused")
        for _ in range(SAME_PER_HOUR):
            assert run(ledger.record_rarely(refused)) is not None
        clock.advance(3_599.9995)
        assert run(ledger.record_rarely(refused)) is None
        clock.advance(0.001)
        assert run(ledger.record_rarely(refused)) is not None

    def test_the_last_use_of_a_session_is_noted_once_a_minute(self, run, ledger, clock):
        """Not each time: a resume would be a write."""
        (alice,) = opened(run, ledger, "alice")
        token = b"a" * 32
        session = run(ledger.open_session(alice, token))
        for seconds, seen_ms in ((60, 0), (0.5, 60_500), (60, 60_500), (0.5, 121_000)):
            clock.advance(seconds)
            assert run(ledger.find_session(token)).session == session
            run(ledger.use_sessions([session]))
            assert [row.seen_ms for row in run(ledger.sessions_of(alice))] == [seen_ms]

    def test_the_same_exclusion_counts_once_in_ten_minutes(self, run, ledger, clock):
        """A repeated request makes it no longer, and has no line in the log."""
        (alice,) = opened(run, ledger, "alice")
        by = Acting(who=f"account:{alice}", role="player")
        for seconds, lines in ((0, 1), (600, 1), (0.5, 2)):
            clock.advance(seconds)
            run(ledger.exclude(alice, 7, by=by))
            assert len(run(ledger.log_lines(LogQuery(verb="account.exclude")))) == lines


def test_nothing_is_counted_before_the_first_hand():
    """What is counted is added to this."""
    assert set(asdict(Counters()).values()) == {0}


def test_every_deferred_has_fired():
    """The simulation needs no loop: results and failures are there at once."""
    ledger = MemoryLedger()
    assert ledger.find_account("nobody").result is None
    failed = ledger.wallet(99)
    assert failed.result.check(LookupError)
    failed.addErrback(lambda _: None)


@pytest.mark.parametrize(
    ("tamper", "sentence"),
    [
        (lambda m: m.balances.update({"wallet:1": 9_001}), "wallet:1 has the balance 9001"),
        (lambda m: m.transfers.update(k=("buy_in", (("house", 5),))), "the legs of transfer k sum to 5"),
        (lambda m: m.transfers.pop("hand:h1"), "hand h1 has no transfer with its legs"),
        (lambda m: m.hands.pop("h1"), "transfer hand:h1 has no hand"),
        (
            lambda m: m.hands.update(h0=hand("h0", {}, epoch=2), h2=hand("h2", {})),
            "hand h2 at T1 is of epoch 1, and was settled after one of epoch 2",
        ),
        (lambda m: m.hands.update(h1=hand("h1", {1: 7})), "the players of hand h1 won and lost 7"),
        (lambda m: m.seat_of.pop(("T1", 1)), "stack:T1:1 holds 1010 without a seat"),
        (lambda m: m.seat_of.update({("T9", 1): 1}), "stack:T9:1 has a seat without a stack account"),
        (lambda m: m.transfers.pop("genesis"), "bank is negative"),
    ],
)
def test_the_audit_names_what_was_tampered_with(run, tamper, sentence):
    """Whatever is changed behind the ledger's back is a difference with its ids."""
    ledger = MemoryLedger()
    alice, bob = seated(run, ledger, "alice", "bob")
    run(ledger.settle([hand("h1", {alice: 10, bob: -10})]))
    assert run(ledger.audit()).differences == ()
    tamper(Inside(ledger))
    assert any(found.startswith(sentence) for found in run(ledger.audit()).differences)


@pytest.mark.parametrize(
    ("tamper", "sentence"),
    [
        (lambda m: m.balances.update({"stakes:T1": 7}), "stakes:T1 holds 7, its round has 0"),
        (lambda m: m.transfers.pop("round:r1"), "round r1 has no transfer with its legs"),
        (lambda m: m.rounds.pop("r1"), "transfer round:r1 has no round"),
        (lambda m: m.open.update(T1="r1"), "round r1 at T1 is over, and in progress"),
        (lambda m: m.open.pop("T2"), "round r2 at T2 is neither in progress nor over"),
        (
            lambda m: setattr(m.rounds["r1"], "end", end({1: 1, 2: -100}, house=100)),
            "round r1 comes to 1 for players, house, meter and tronc together",
        ),
        (
            lambda m: setattr(m.rounds["r1"], "bets", bets({1: 100, 2: 100}, epoch=2)),
            "round r1 at T1 ended under epoch 1, before its own",
        ),
    ],
)
def test_the_audit_names_what_was_tampered_with_in_a_round(run, tamper, sentence):
    """Whatever is changed behind the ledger's back is a difference with its ids."""
    ledger = MemoryLedger()
    alice, bob = opened(run, ledger, "alice", "bob")
    run(ledger.close_bets(bets({alice: 100, bob: 100})))
    run(ledger.settle_round(end({alice: 100, bob: -100})))
    run(ledger.close_bets(bets({alice: 100}, round_id="r2", table="T2")))
    assert run(ledger.audit()).differences == ()
    tamper(Inside(ledger))
    assert any(found.startswith(sentence) for found in run(ledger.audit()).differences)


@pytest.mark.parametrize(
    ("tamper", "sentence"),
    [
        (lambda m: m.transfers.pop("adjust:1:fix-1"), "an adjustment has no transfer adjust:1:fix-1"),
        (lambda m: m.adjustments.clear(), "transfer adjust:1:fix-1 belongs to no adjustment"),
    ],
)
def test_the_audit_names_an_adjustment_that_was_tampered_with(run, tamper, sentence):
    """Without its transfer, and a transfer without it."""
    ledger = MemoryLedger()
    (alice,) = opened(run, ledger, "alice")
    funded(run, ledger)
    run(ledger.adjust(to_wallet(alice), by=ANN))
    assert run(ledger.audit()).differences == ()
    tamper(Inside(ledger))
    assert any(found.startswith(sentence) for found in run(ledger.audit()).differences)


@pytest.mark.parametrize("purse", ["wallet:1", f"chips:{OTHER}:1"])
def test_the_audit_names_chips_of_a_club_that_were_paid_for_by_another_balance(run, purse):
    """The sums of the club may fit: as much was changed back."""
    ledger = MemoryLedger()
    (alice,) = opened(run, ledger, "alice")
    run(ledger.create_club(CLUB, alice, "Fridays", "code", 1))
    run(ledger.open_hosted_table("host:1", alice, TERMS, "link", FEW, club=CLUB))
    assert run(ledger.audit()).differences == ()
    inside = Inside(ledger)
    inside.transfers.update(
        there=("buy_in", ((purse, -5), ("stack:host:1:1", 5))),
        back=("cash_out", (("stack:host:1:1", -5), (purse, 5))),
    )
    inside.balances.update({purse: inside.balances.get(purse, 0), "stack:host:1:1": 0})
    assert run(ledger.audit()).differences == (
        f"transfer back moves 5 of {purse}, which does not pay at its table",
        f"transfer there moves -5 of {purse}, which does not pay at its table",
    )
