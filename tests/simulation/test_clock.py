"""Virtual time: order, moved and cancelled calls, and processes that die with their plans."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.internet.task import Clock

from pokerroom.simulation.clock import START_S, ProcessClock, VirtualClock


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.integers(0, 3)), max_size=30))
def test_it_runs_what_twisteds_own_clock_runs(plans: list[tuple[int, bool, int]]) -> None:
    """Calls run in the order of their time and then of their making; cancelled ones never, delayed ones later."""
    logs: list[list[int]] = []
    for clock in (VirtualClock(), Clock()):
        log: list[int] = []
        for number, (delay, cancelled, more) in enumerate(plans):
            # no two at the same moment: there the order of moved calls is task.Clock's own
            call = clock.callLater(delay + number / 64, log.append, number)
            if cancelled:
                call.cancel()
            elif more:
                call.delay(more)
        for _ in range(600):
            clock.advance(1 / 64)
        assert clock.getDelayedCalls() == []
        logs.append(log)
    assert logs[0] == logs[1]


def test_a_call_made_while_another_runs_comes_after_it() -> None:
    """A delay of nothing is still later."""
    clock, log = VirtualClock(), []

    def first() -> None:
        clock.callLater(0, log.append, "later")
        log.append("first")

    clock.callLater(1, first)
    while clock.step():
        pass
    assert log == ["first", "later"]
    assert clock.seconds() == START_S + 1


def test_a_dead_process_does_nothing_more() -> None:
    """What a process had planned dies with it, and what others planned does not."""
    world, log = VirtualClock(), []
    dying, living = ProcessClock(world), ProcessClock(world)
    dying.callLater(1, log.append, "dead")
    living.callLater(2, log.append, "alive")
    assert len(dying.getDelayedCalls()) == 1
    dying.kill()
    dying.callLater(3, log.append, "after death")
    world.advance(10)
    assert log == ["alive"]
    assert dying.getDelayedCalls() == []
