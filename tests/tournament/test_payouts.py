"""The payout worker: prizes are paid once, at once where it can be, and soon whatever is lost."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs
from twisted.internet.defer import fail
from twisted.internet.task import Clock

from pokerroom.chips import Money
from pokerroom.coordination.memory import MemoryPayouts, MemoryPayoutStore
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.tournament.payouts import LOOK_S, SWEEP_S, PayoutWorker
from tests.tournament.support import SEATS, opening, played

FIRST, SECOND = 500, 220


def publish(worker):
    """As the owner of a tournament's table does that is over."""
    for number in (2, 1):
        worker.publish("six.1", number)


class Away:
    """A ledger whose payouts can be away, before or after they are done."""

    def __init__(self, store):
        self._store = store
        self.away = None
        self.asked = []

    def __getattr__(self, name):
        return getattr(self._store, name)

    def unpaid_places(self):
        return fail(LedgerUnavailable("away")) if self.away else self._store.unpaid_places()

    def pay_place(self, tournament, number):
        self.asked.append((tournament, number))
        if self.away == "before":
            return fail(LedgerUnavailable("away"))
        done = self._store.pay_place(tournament, number)
        if self.away == "after":
            done.addErrback(lambda _: None)
            return fail(LedgerUnavailable("the answer is lost"))
        return done


class Room:
    """A ledger, a stream, and the workers of some nodes."""

    def __init__(self, run):
        self.run = run
        self.clock = Clock()
        self.store = MemoryPayoutStore()
        self.ledger = MemoryLedger(self.clock.seconds)
        self.told = []

    def node(self, name):
        ledger, payouts = Away(self.ledger), MemoryPayouts(self.store, self.clock)
        worker = PayoutWorker(
            node=name,
            ledger=ledger,
            stream=payouts,
            clock=self.clock,
            paid=lambda tournament, number, paid: self.told.append((name, tournament, number, paid.prize)),
        )
        return worker, ledger, payouts

    def ended(self, number=1):
        """A tournament that is over; its players, the best first."""
        return played(self.run, self.ledger, number)

    def wallets(self, players):
        return [self.run(self.ledger.wallet(account)) for account in players]

    def sound(self):
        report = self.run(self.ledger.audit())
        return report.differences == () and report.escrow == 0

    def pass_s(self, seconds):
        for _ in range(round(seconds / LOOK_S)):
            self.clock.advance(LOOK_S)


@pytest.fixture
def room(run):
    room = Room(run)
    yield room
    assert room.clock.getDelayedCalls() == []


def test_a_place_that_is_published_is_paid_at_once(room):
    """By the node that publishes it, without waiting for its next look; nothing is left to do."""
    worker, *_ = room.node("a")
    players = room.ended()
    publish(worker)
    assert room.wallets(players) == [700 + FIRST, 700 + SECOND, 700]
    assert room.told == [("a", "six.1", 2, SECOND), ("a", "six.1", 1, FIRST)]
    assert room.store.jobs == {}
    assert room.sound()


def test_a_job_delivered_ten_times_pays_once(room):
    """However often it stands in the stream, and whoever takes it."""
    players = room.ended()
    workers = [room.node(name)[0] for name in "ab"]
    for _ in range(10):
        room.store.add("six.1", 1)
        room.store.add("six.1", 2)
        for worker in workers:
            room.run(worker.look())
    assert room.wallets(players) == [700 + FIRST, 700 + SECOND, 700]
    assert room.store.jobs == {}
    assert room.sound()


def test_another_node_pays_what_the_first_does_not_get_done(room):
    """The first cannot reach the ledger; its jobs are the other's after a while."""
    players = room.ended()
    first, ledger, _ = room.node("a")
    second, *_ = room.node("b")
    ledger.away = "before"
    publish(first)
    assert room.wallets(players) == [700, 700, 700]
    room.run(second.look())
    assert room.told == []
    room.clock.advance(5)
    room.run(second.look())
    assert room.wallets(players) == [700 + FIRST, 700 + SECOND, 700]
    assert {name for name, *_ in room.told} == {"b"}


def test_an_answer_that_is_lost_pays_once(room):
    """The prize was paid, and the answer was lost: it is requested again, and nothing more is paid."""
    players = room.ended()
    worker, ledger, _ = room.node("a")
    ledger.away = "after"
    publish(worker)
    assert room.told == []
    ledger.away = None
    room.clock.advance(5)
    room.run(worker.look())
    assert room.wallets(players) == [700 + FIRST, 700 + SECOND, 700]
    assert room.told == [("a", "six.1", 2, SECOND), ("a", "six.1", 1, FIRST)]
    assert room.sound()


@pytest.mark.parametrize("lost", ["away when it is published", "emptied afterwards"])
def test_without_the_stream_prizes_are_paid_all_the_same(room, lost):
    """Every node looks in the ledger, and pays what was unpaid the last time already."""
    players = room.ended()
    worker, ledger, payouts = room.node("a")
    other, *_ = room.node("b")
    worker.start()
    other.start()
    if lost == "emptied afterwards":
        ledger.away = "before"
        publish(worker)
        ledger.away = None
        room.store.lose()
    else:
        payouts.away = True
        publish(worker)
    room.pass_s(SWEEP_S)
    assert room.wallets(players) == [700, 700, 700]
    room.pass_s(SWEEP_S)
    assert room.wallets(players) == [700 + FIRST, 700 + SECOND, 700]
    assert room.sound()
    worker.stop()
    other.stop()


def test_a_stream_that_is_away_is_told_once(room):
    """Each time that it goes; whether a place is published or the jobs are asked for."""
    worker, _, payouts = room.node("a")
    room.ended()
    for ask in (lambda: room.run(worker.look()), lambda: publish(worker)):
        payouts.away = True
        with capture_logs() as logs:
            ask()
            room.run(worker.look())
        assert [log["event"] for log in logs] == ["payouts.unavailable"]
        payouts.away = False
        room.run(worker.look())


def test_it_goes_on_when_the_ledger_comes_back(room):
    """Neither look nor sweep ends with it."""
    players = room.ended()
    worker, ledger, _ = room.node("a")
    worker.start()
    ledger.away = "before"
    publish(worker)
    room.pass_s(4 * SWEEP_S)
    assert room.wallets(players) == [700, 700, 700]
    ledger.away = None
    room.pass_s(SWEEP_S + LOOK_S)
    assert room.wallets(players) == [700 + FIRST, 700 + SECOND, 700]
    worker.stop()


def test_a_job_of_a_place_that_was_never_given_is_dropped(room):
    """As one of another database: it would come for ever."""
    worker, *_ = room.node("a")
    room.ended()
    room.store.add("six.1", SEATS + 1)
    room.store.add("six.9", 1)
    room.store.add("six.1", 1)
    room.run(worker.look())
    assert room.store.jobs == {}
    assert room.told == [("a", "six.1", 1, Money(FIRST))]


def test_the_prizes_of_the_tests_are_those_of_their_tournament():
    """What is counted on above."""
    assert opening(1).prizes == (FIRST, SECOND)
