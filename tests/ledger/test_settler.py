"""`pokerroom.ledger.settler`: group commit on a virtual clock, over a ledger that fails when told to."""

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from pokerroom.chips import Money
from pokerroom.ledger import settler as module
from pokerroom.ledger.api import LedgerConflict, LedgerUnavailable, NotOwner
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.settler import Settler
from tests.ledger.contract import buy_in, hand, seated, stacks


class HeldLedger:
    """Keeps every batch in flight until the test answers it."""

    def __init__(self):
        self.batches = []
        self._answers = []

    def settle(self, settlements):
        self.batches.append([settlement.hand_id for settlement in settlements])
        self._answers.append(Deferred())
        return self._answers[-1]

    def commit(self):
        self._answers.pop(0).callback(None)

    def fail(self, error):
        self._answers.pop(0).errback(error)

    @property
    def in_flight(self):
        return len(self._answers)


@pytest.fixture
def clock():
    clock = Clock()
    yield clock
    assert clock.getDelayedCalls() == []


@pytest.fixture
def held():
    return HeldLedger()


@pytest.fixture
def batches():
    """What `on_batch` was told."""
    return []


@pytest.fixture
def settler(held, clock, batches):
    return Settler(held, clock, lambda hands, seconds: batches.append((hands, seconds)))


def submit(settler, hand_id):
    """Submits; the list gets the outcome when it is told."""
    told = []
    settler.submit(hand(hand_id, {1: 0})).addCallbacks(
        lambda _: told.append("settled"), lambda failure: told.append(failure.type)
    )
    return told


def test_a_lone_hand_goes_at_once_and_is_told_after_its_commit(settler, held, batches):
    """A single hand is settled at once; its caller is told after the commit."""
    told = submit(settler, "h1")
    assert held.batches == [["h1"]]
    assert told == []
    held.commit()
    assert told == ["settled"]
    assert batches == [(1, 0)]


def test_what_comes_during_a_commit_goes_together_next(settler, held, clock, batches):
    """One batch is in flight; the rest collect, in order, and pay one commit."""
    told = [submit(settler, f"h{n}") for n in range(4)]
    assert held.batches == [["h0"]]
    clock.advance(0.25)
    held.commit()
    assert held.batches == [["h0"], ["h1", "h2", "h3"]]
    assert told == [["settled"], [], [], []]
    held.commit()
    assert told == [["settled"]] * 4
    assert batches == [(1, 0.25), (3, 0)]


def test_a_batch_has_a_bound(settler, held):
    """More than the bound goes in several batches, one after the other."""
    told = [submit(settler, f"h{n}") for n in range(1 + module.BATCH_MAX + 1)]
    for _ in range(3):
        assert held.in_flight == 1
        held.commit()
    assert [len(batch) for batch in held.batches] == [1, module.BATCH_MAX, 1]
    assert told == [["settled"]] * len(told)


def test_a_submission_out_of_a_commit_joins_the_next_batch(settler, held):
    """Tables that deal on when they hear of a commit still share the following one."""
    for n in range(3):
        settler.submit(hand(f"a{n}", {1: 0})).addCallback(
            lambda _, n=n: settler.submit(hand(f"b{n}", {1: 0})) and None
        )
    held.commit()
    held.commit()
    held.commit()
    assert held.batches == [["a0"], ["a1", "a2", "b0"], ["b1", "b2"]]
    assert held.in_flight == 0


def test_an_unavailable_ledger_is_asked_again_with_growing_pauses(settler, held, clock, batches):
    """The same batch is repeated after 0.05 s, doubling to 2 s, for as long as it takes."""
    told = submit(settler, "h1")
    for delay_s in (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0):
        late = submit(settler, f"later{delay_s}")
        held.fail(LedgerUnavailable("down"))
        assert held.in_flight == 0
        clock.advance(delay_s / 2)
        assert held.in_flight == 0
        clock.advance(delay_s * 0.75)
        assert held.in_flight == 1
    assert set(map(tuple, held.batches)) == {("h1",)}
    assert told == []
    held.commit()
    assert told == ["settled"]
    held.commit()
    assert late == ["settled"]
    assert batches[0] == (1, pytest.approx(7.15 * 1.25))


def test_only_the_guilty_hand_of_a_refused_batch_fails(settler, held):
    """A conflict is found by trying one by one; the others are settled."""
    told = [submit(settler, name) for name in ("h0", "h1", "bad", "h3")]
    held.commit()
    held.fail(LedgerConflict("one of three"))
    held.commit()
    held.fail(LedgerConflict("bad"))
    held.commit()
    assert held.batches == [["h0"], ["h1", "bad", "h3"], ["h1"], ["bad"], ["h3"]]
    assert told == [["settled"], ["settled"], [LedgerConflict], ["settled"]]


def test_a_lost_table_fails_alone(run, clock, batches):
    """Its hands are refused, those of the node's other tables in the same batch are settled."""
    ledger = MemoryLedger()
    alice, bob = seated(run, ledger, "alice", "bob")
    for seat, account in enumerate((alice, bob), 1):
        run(buy_in(ledger, f"T2:{account}", "T2", seat, account, Money(500)))
    slow = HeldLedger()
    settler = Settler(slow, clock, lambda hands, seconds: batches.append((hands, seconds)))
    run(ledger.take_table("T2", "n2", 1))
    hands = [hand(f"h{n}", {alice: n, bob: -n}, table="T1" if n % 2 else "T2", epoch=1) for n in range(1, 6)]
    told = {each.hand_id: [] for each in hands}
    for each in hands:
        settler.submit(each).addBoth(told[each.hand_id].append)
    while slow.in_flight:  # what the held ledger is asked, the real one answers
        names = slow.batches[-1]
        ledger.settle([each for each in hands if each.hand_id in names]).addCallbacks(
            lambda _: slow.commit(), lambda failure: slow.fail(failure.value)
        )
    assert slow.batches[:2] == [["h1"], ["h2", "h3", "h4", "h5"]]
    assert [told[f"h{n}"] for n in (1, 3, 5)] == [[None]] * 3
    assert all(told[f"h{n}"][0].check(NotOwner) for n in (2, 4))
    assert stacks(run, ledger) == {alice: 1_009, bob: 991}
    assert stacks(run, ledger, "T2") == {alice: 500, bob: 500}


def test_the_guilty_hand_is_found_through_an_outage(settler, held, clock):
    """The tries one by one are repeated while the ledger is away, like any batch."""
    told = [submit(settler, name) for name in ("h0", "bad", "h2")]
    held.commit()
    held.fail(LedgerConflict("one of two"))
    held.fail(LedgerUnavailable("down"))
    clock.advance(0.05)
    held.fail(LedgerConflict("bad"))
    held.commit()
    assert told == [["settled"], [LedgerConflict], ["settled"]]


def test_a_fault_of_ours_is_told_to_the_table_and_the_next_batch_goes_on(settler, held):
    """Whatever else a ledger raises does not stop the settler."""
    told = submit(settler, "h1")
    held.fail(ZeroDivisionError())
    assert told == [ZeroDivisionError]
    again = submit(settler, "h2")
    held.commit()
    assert again == ["settled"]


def test_stop_during_a_pause_gives_up_and_says_so(settler, held, clock):
    """No further attempt is made, every waiting table is told, and nothing stays scheduled."""
    told = [submit(settler, "h1")]
    held.fail(LedgerUnavailable("down"))
    told += [submit(settler, "h2")]
    settler.stop()
    assert told == [[LedgerUnavailable]] * 2
    assert len(held.batches) == 1
    assert submit(settler, "h3") == [LedgerUnavailable]
    assert clock.getDelayedCalls() == []


def test_stop_during_a_commit_still_tells_its_outcome(settler, held):
    """What is in flight is told as it ends. What waited behind it was never sent, what comes now is told at once."""
    first, second = submit(settler, "h1"), submit(settler, "h2")
    settler.stop()
    assert first == []
    assert submit(settler, "h3") == [LedgerUnavailable]
    held.commit()
    assert first == ["settled"]
    assert second == [LedgerUnavailable]
    assert held.batches == [["h1"]]


def test_stop_during_a_commit_that_fails_does_not_try_again(settler, held):
    """An unknown outcome stays unknown, and is told as such."""
    told = submit(settler, "h1")
    settler.stop()
    held.fail(LedgerUnavailable("down"))
    assert told == [LedgerUnavailable]


def test_a_ledger_that_answers_at_once_settles_at_once(run, clock, batches):
    """Over memory, as in the simulation, `submit` returns with the hand settled."""
    ledger = MemoryLedger()
    alice, bob = seated(run, ledger, "alice", "bob")
    settler = Settler(ledger, clock, lambda hands, seconds: batches.append((hands, seconds)))
    for n in range(1_000):
        assert settler.submit(hand(f"h{n}", {alice: -1, bob: 1})).called
    assert stacks(run, ledger) == {alice: 0, bob: 2_000}
    assert batches == [(1, 0)] * 1_000
