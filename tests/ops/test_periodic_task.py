"""Work that is repeated until it is stopped."""

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from pokerroom.ops.periodic_task import PeriodicTask


def test_work_is_repeated_until_it_is_stopped():
    """The first call follows after the interval; nothing is left on the clock."""
    clock, calls = Clock(), []
    task = PeriodicTask(clock, 2.0, lambda: calls.append(clock.seconds()))
    task.start()
    assert calls == []
    clock.pump([1.0] * 5)
    assert calls == [2.0, 4.0]
    task.stop()
    assert clock.getDelayedCalls() == []
    task.stop()


def test_a_call_waits_for_the_one_before():
    """However long its Deferred takes."""
    clock, calls = Clock(), []

    def work():
        calls.append(Deferred())
        return calls[-1]

    task = PeriodicTask(clock, 1.0, work)
    task.start()
    clock.pump([1.0] * 4)
    assert len(calls) == 1
    calls[0].callback(None)
    clock.advance(1.0)
    assert len(calls) == 2
    task.stop()


def test_a_fault_is_not_the_end():
    """The next call follows, unless the task was stopped meanwhile."""
    clock, calls = Clock(), []

    def work():
        calls.append(Deferred())
        return calls[-1]

    task = PeriodicTask(clock, 1.0, work)
    task.start()
    clock.advance(1.0)
    calls[0].errback(ZeroDivisionError())
    clock.advance(1.0)
    assert len(calls) == 2
    task.stop()
    calls[1].errback(ZeroDivisionError())
    clock.advance(5.0)
    assert len(calls) == 2
    assert clock.getDelayedCalls() == []
