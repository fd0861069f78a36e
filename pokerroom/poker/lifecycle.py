"""What a table is doing, as a state machine: waiting, betting, settling, pausing, frozen.

A timer is the data of the state that waits for it: the awaited decision with its action clock belongs to `betting`,
the pause between two hands to `pausing`; no other state can hold one, and an input that a state does not know is an
error. What follows from a state is `hands`' business; this module knows no rules and tells nobody anything.

    waiting  --deal-->  betting  --finish-->  settling  --settled-->  waiting  --rest-->  pausing  --wake-->  waiting
    any  --freeze-->  frozen;   betting, pausing  --halt-->  waiting
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from automat import TypeMachineBuilder
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from pokerroom.poker.play import HandPlay
from pokerroom.table.clock import ActionClock


@dataclass(slots=True, kw_only=True, eq=False)
class AwaitedDecision:
    """A decision that is awaited, and its clock. `seqs` are the turn events that asked for it, the newest last."""

    play: HandPlay
    steps: int
    action_clock: ActionClock
    seqs: list[int]


@dataclass(slots=True, kw_only=True, eq=False)
class BettingState:
    """The data of `betting`: a hand, and the decision that is awaited in it, one after the other."""

    play: HandPlay
    decision: AwaitedDecision | None = None

    def ask(self, decision: AwaitedDecision) -> None:
        """The next decision is awaited; that before it was taken."""
        assert self.decision is None
        self.decision = decision

    def taken(self) -> None:
        """No decision is awaited: its clock stops."""
        decision, self.decision = self.decision, None
        if decision is not None:
            decision.action_clock.cancel()


class TableMachine(Protocol):
    """The inputs of the machine."""

    def deal(self, play: HandPlay) -> None:
        """A hand begins, or goes on after a restart."""

    def finish(self, play: HandPlay) -> None:
        """The hand is over; journal and ledger have not both answered yet."""

    def settled(self) -> None:
        """The hand is in the ledger."""

    def rest(self, seconds: float) -> None:
        """A pause between two hands, so that people can look at the result."""

    def wake(self) -> None:
        """The pause is over."""

    def halt(self) -> None:
        """No decision and no pause is waited for any longer: nothing is left on the clock."""

    def freeze(self) -> None:
        """A fault of ours: the hand in progress is kept for inspection, nothing is played."""


@dataclass(slots=True, kw_only=True, eq=False)
class TableState:
    """What the machine acts upon, and where others read what is going on; written by the machine alone."""

    clock: IReactorTime
    rested: Callable[[], None]
    """Called when a pause is over, unless the machine has gone on before."""
    state: str = "waiting"
    betting: BettingState | None = None
    """In the state of that name alone."""
    play: HandPlay | None = None
    """The hand in progress, settled or not; in `frozen` the one that was."""

    @property
    def decision(self) -> AwaitedDecision | None:
        """The decision that is awaited."""
        return None if self.betting is None else self.betting.decision


def _dealt(_life: TableMachine, course: TableState, play: HandPlay) -> BettingState:
    course.state, course.betting, course.play = "betting", BettingState(play=play), play
    return course.betting


def _finished(_life: TableMachine, course: TableState, play: HandPlay) -> HandPlay:
    course.state, course.betting, course.play = "settling", None, play
    return play


def _paused(_life: TableMachine, course: TableState, seconds: float) -> IDelayedCall:
    course.state = "pausing"
    return course.clock.callLater(seconds, course.rested)


def _kept(_life: TableMachine, course: TableState) -> HandPlay | None:
    course.state, course.betting = "frozen", None
    return course.play


def _idle(course: TableState) -> None:
    course.state, course.betting, course.play = "waiting", None, None


def _machine() -> Callable[[TableState], TableMachine]:
    machine = TypeMachineBuilder(TableMachine, TableState)
    waiting = machine.state("waiting")
    betting = machine.state("betting", _dealt)
    settling = machine.state("settling", _finished)
    pausing = machine.state("pausing", _paused)
    frozen = machine.state("frozen", _kept)

    waiting.upon(TableMachine.deal).to(betting).returns(None)
    waiting.upon(TableMachine.rest).to(pausing).returns(None)
    waiting.upon(TableMachine.halt).loop().returns(None)
    waiting.upon(TableMachine.freeze).to(frozen).returns(None)

    @betting.upon(TableMachine.finish).to(settling)
    def over(_life: TableMachine, _course: TableState, hand: BettingState, /, play: HandPlay) -> None:
        assert play is hand.play
        hand.taken()

    @betting.upon(TableMachine.halt).to(waiting)
    def given_up(_life: TableMachine, course: TableState, hand: BettingState) -> None:
        hand.taken()
        _idle(course)

    @betting.upon(TableMachine.freeze).to(frozen)
    def stopped(_life: TableMachine, _course: TableState, hand: BettingState) -> None:
        hand.taken()

    @settling.upon(TableMachine.settled).to(waiting)
    def paid(_life: TableMachine, course: TableState, _play: HandPlay) -> None:
        _idle(course)

    settling.upon(TableMachine.halt).loop().returns(None)
    settling.upon(TableMachine.freeze).to(frozen).returns(None)

    @pausing.upon(TableMachine.wake).to(waiting)
    def woken(_life: TableMachine, course: TableState, timer: IDelayedCall) -> None:
        assert not timer.active()
        _idle(course)

    @pausing.upon(TableMachine.halt).to(waiting)
    def cut_short(_life: TableMachine, course: TableState, timer: IDelayedCall) -> None:
        _cancel(timer)
        _idle(course)

    @pausing.upon(TableMachine.freeze).to(frozen)
    def held(_life: TableMachine, _course: TableState, timer: IDelayedCall) -> None:
        _cancel(timer)

    frozen.upon(TableMachine.settled).loop().returns(None)
    frozen.upon(TableMachine.halt).loop().returns(None)
    frozen.upon(TableMachine.freeze).loop().returns(None)
    return machine.build()


def _cancel(timer: IDelayedCall) -> None:
    if timer.active():
        timer.cancel()


live: Callable[[TableState], TableMachine] = _machine()
"""A new machine, in `waiting`."""
