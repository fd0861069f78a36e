"""What a table may do next, and that a timer belongs to the state that waits for it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from automat import NoTransition
from twisted.internet.task import Clock

from pokerroom.table.lifecycle import TableState, table_machine


class CountedClock:
    """In the place of an action clock."""

    def __init__(self) -> None:
        self.cancelled = 0

    def cancel(self) -> None:
        self.cancelled += 1


class Decision:
    """A decision that is awaited, as the lifecycle sees it."""

    def __init__(self, play: object) -> None:
        self.play = play
        self.action_clock = CountedClock()

    def cancel(self) -> None:
        self.action_clock.cancel()


@pytest.fixture
def clock():
    clock = Clock()
    yield clock
    assert clock.getDelayedCalls() == []


@pytest.fixture
def life(clock):
    rested = []
    course = TableState(clock=clock, rested=lambda: rested.append(True))
    return SimpleNamespace(course=course, machine=table_machine(course), rested=rested)


def test_a_hand_from_its_first_decision_to_the_next_hand(life, clock):
    """Waiting, playing, settling, waiting, pausing, waiting: each state shows what it has."""
    play = object()
    first, second = Decision(play), Decision(play)

    life.machine.deal(play)
    life.course.playing.ask(first)
    assert (life.course.state, life.course.question, life.course.play) == ("playing", first, play)
    life.course.playing.answered()
    life.course.playing.ask(second)
    assert (first.action_clock.cancelled, life.course.question) == (1, second)
    life.machine.finish(play)
    assert second.action_clock.cancelled == 1
    assert (life.course.state, life.course.question, life.course.play) == ("settling", None, play)
    life.machine.settled()
    assert (life.course.state, life.course.play) == ("waiting", None)
    life.machine.rest(2.0)
    assert life.course.state == "pausing"
    clock.advance(1.9)
    assert life.rested == []
    clock.advance(0.2)
    assert life.rested == [True]
    life.machine.wake()
    assert life.course.state == "waiting"


@pytest.mark.parametrize("leave", ["halt", "freeze"])
@pytest.mark.parametrize("state", ["playing", "pausing"])
def test_leaving_a_state_stops_its_timer(life, clock, state, leave):
    """Neither an action clock nor a pause outlives the state it belongs to."""
    waited_for = Decision(object())
    if state == "playing":
        life.machine.deal(waited_for.play)
        life.course.playing.ask(waited_for)
    else:
        life.machine.rest(5.0)

    getattr(life.machine, leave)()

    assert life.course.state == ("waiting" if leave == "halt" else "frozen")
    assert life.course.question is None
    assert waited_for.action_clock.cancelled == (1 if state == "playing" else 0)
    clock.advance(10)
    assert life.rested == []


@pytest.mark.parametrize("state", ["playing", "settling"])
def test_a_frozen_table_keeps_its_hand_and_plays_nothing(life, state):
    """What was going on can be looked at; only the ledger's answer to a hand under way is still taken."""
    play = object()
    life.machine.deal(play)
    if state == "settling":
        life.machine.finish(play)

    life.machine.freeze()
    life.machine.freeze()
    life.machine.settled()
    life.machine.halt()

    assert (life.course.state, life.course.play) == ("frozen", play)
    assert life.course.playing is None
    for play_on in (lambda: life.machine.deal(play), lambda: life.machine.rest(1.0)):
        with pytest.raises(NoTransition):
            play_on()


@pytest.mark.parametrize(
    ("state", "event"),
    [
        ("waiting", "settled"),
        ("waiting", "wake"),
        ("playing", "settled"),
        ("playing", "wake"),
        ("settling", "wake"),
        ("pausing", "settled"),
    ],
)
def test_what_a_state_does_not_know_is_an_error(life, state, event):
    """An unexpected input is an error, never ignored."""
    play = object()
    if state in {"playing", "settling"}:
        life.machine.deal(play)
    if state == "settling":
        life.machine.finish(play)
    if state == "pausing":
        life.machine.rest(1.0)

    with pytest.raises(NoTransition):
        getattr(life.machine, event)()

    life.machine.halt()
