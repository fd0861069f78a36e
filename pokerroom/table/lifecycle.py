"""What a table is doing, as a state machine for every game.

    waiting  --deal-->  playing  --finish-->  settling  --settled-->  waiting  --rest-->  pausing  --wake-->  waiting
    waiting  --open-->  taking_bets  --close-->  closing_bets  --deal-->  playing      (games with a time for bets)
    closing_bets  --reopen-->  waiting (no bet stands);   taking_bets, playing, pausing  --halt-->  waiting
    any  --freeze-->  frozen

A timer is the data of the state that waits for it: the clock of a time for bets belongs to `taking_bets`, the awaited
question with its clock to `playing`, the pause between two hands to `pausing`. No other state can hold one, and an
input that a state does not know is an error. The game decides what follows from a state. This module knows no rules
and tells clients nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, cast, runtime_checkable

from automat import TypeMachineBuilder
from twisted.internet.interfaces import IDelayedCall, IReactorTime


@runtime_checkable  # the machine checks the data of a state
class Timed(Protocol):
    """Something that is waited for by the clock."""

    def cancel(self) -> None:
        """Stop its clock."""


P = TypeVar("P")
"""A hand or round in progress."""
Q = TypeVar("Q", bound=Timed)
"""A question to players: one decision, or the decisions of a street."""
B = TypeVar("B", bound=Timed)
"""A time for bets."""


@dataclass(slots=True, kw_only=True, eq=False)
class Playing(Generic[P, Q]):
    """The data of `playing`: a hand or round, and the question that is awaited in it, one after the other."""

    play: P
    question: Q | None = None

    def ask(self, question: Q) -> None:
        """Await the next question; the one before it is answered."""
        self.answered()
        self.question = question

    def answered(self) -> None:
        """Await no question, and stop its clock."""
        question, self.question = self.question, None
        if question is not None:
            question.cancel()


class TableMachine(Protocol):
    """The inputs of the machine."""

    def open(self, bets: Any) -> None:
        """Begin to take bets."""

    def close(self) -> None:
        """Take no more bets; which of them stand is not known yet."""

    def reopen(self) -> None:
        """Go back to waiting, because no bet stands."""

    def deal(self, play: Any) -> None:
        """Begin a hand or round, or go on with it after a restart."""

    def finish(self, play: Any) -> None:
        """End the hand or round; journal and ledger have not both answered yet."""

    def settled(self) -> None:
        """Note that the result is in the ledger."""

    def rest(self, seconds: float) -> None:
        """Begin a pause, so that players can look at the result."""

    def wake(self) -> None:
        """End the pause."""

    def halt(self) -> None:
        """Wait for no bet, question or pause any longer: no timer is left."""

    def freeze(self) -> None:
        """Freeze, for a fault or the operator: keep what is in progress for inspection, and play nothing."""


@dataclass(slots=True, kw_only=True, eq=False)
class TableState(Generic[P, Q, B]):
    """The state that the machine writes and others read."""

    clock: IReactorTime
    rested: Callable[[], None]
    """Called when a pause is over, unless the machine has gone on before."""
    state: str = "waiting"
    bets: B | None = None
    """In `taking_bets` alone."""
    playing: Playing[P, Q] | None = None
    """In the state of that name alone."""
    play: P | None = None
    """The hand or round in progress, settled or not; in `frozen` the one that was."""

    @property
    def question(self) -> Q | None:
        """The question that is awaited."""
        return None if self.playing is None else self.playing.question

    @property
    def frozen(self) -> bool:
        """Whether nothing moves."""
        return self.state == "frozen"


_State = TableState[Any, Any, Any]
_Playing = Playing[Any, Any]


def _taking_bets(_machine: TableMachine, state: _State, bets: Any) -> Timed:
    state.state, state.bets = "taking_bets", bets
    return cast("Timed", bets)


def _dealt(_machine: TableMachine, state: _State, play: Any) -> _Playing:
    state.state, state.playing, state.play = "playing", Playing(play=play), play
    return state.playing


def _finished(_machine: TableMachine, state: _State, play: object) -> object:
    state.state, state.playing, state.play = "settling", None, play
    return play


def _paused(_machine: TableMachine, state: _State, seconds: float) -> IDelayedCall:
    state.state = "pausing"
    return state.clock.callLater(seconds, state.rested)


def _kept(_machine: TableMachine, state: _State) -> object:
    state.state, state.bets, state.playing = "frozen", None, None
    kept: object = state.play
    return kept


def _idle(state: _State) -> None:
    state.state, state.bets, state.playing, state.play = "waiting", None, None, None


def _machine() -> Callable[[_State], TableMachine]:  # noqa: C901 -- one function for each transition that does something
    machine = TypeMachineBuilder(TableMachine, TableState)
    waiting = machine.state("waiting")
    taking_bets = machine.state("taking_bets", _taking_bets)
    closing_bets = machine.state("closing_bets")
    playing = machine.state("playing", _dealt)
    settling = machine.state("settling", _finished)
    pausing = machine.state("pausing", _paused)
    frozen = machine.state("frozen", _kept)

    waiting.upon(TableMachine.open).to(taking_bets).returns(None)
    waiting.upon(TableMachine.deal).to(playing).returns(None)
    waiting.upon(TableMachine.rest).to(pausing).returns(None)
    waiting.upon(TableMachine.halt).loop().returns(None)
    waiting.upon(TableMachine.freeze).to(frozen).returns(None)

    @taking_bets.upon(TableMachine.close).to(closing_bets)
    def closed(_machine: TableMachine, state: _State, bets: Timed) -> None:
        bets.cancel()
        state.state, state.bets = "closing_bets", None

    @taking_bets.upon(TableMachine.halt).to(waiting)
    def bets_given_up(_machine: TableMachine, state: _State, bets: Timed) -> None:
        bets.cancel()
        _idle(state)

    @taking_bets.upon(TableMachine.freeze).to(frozen)
    def bets_broken_off(_machine: TableMachine, _state: _State, bets: Timed) -> None:
        bets.cancel()

    @closing_bets.upon(TableMachine.reopen).to(waiting)
    def none_stands(_machine: TableMachine, state: _State) -> None:
        _idle(state)

    closing_bets.upon(TableMachine.deal).to(playing).returns(None)
    closing_bets.upon(TableMachine.halt).loop().returns(None)
    closing_bets.upon(TableMachine.freeze).to(frozen).returns(None)

    @playing.upon(TableMachine.finish).to(settling)
    def over(_machine: TableMachine, _state: _State, hand: _Playing, /, play: Any) -> None:
        assert play is hand.play
        hand.answered()

    @playing.upon(TableMachine.halt).to(waiting)
    def given_up(_machine: TableMachine, state: _State, hand: _Playing) -> None:
        hand.answered()
        _idle(state)

    @playing.upon(TableMachine.freeze).to(frozen)
    def stopped(_machine: TableMachine, _state: _State, hand: _Playing) -> None:
        hand.answered()

    @settling.upon(TableMachine.settled).to(waiting)
    def paid(_machine: TableMachine, state: _State, _play: object) -> None:
        _idle(state)

    settling.upon(TableMachine.halt).loop().returns(None)
    settling.upon(TableMachine.freeze).to(frozen).returns(None)

    @pausing.upon(TableMachine.wake).to(waiting)
    def woken(_machine: TableMachine, state: _State, timer: IDelayedCall) -> None:
        assert not timer.active()
        _idle(state)

    @pausing.upon(TableMachine.halt).to(waiting)
    def cut_short(_machine: TableMachine, state: _State, timer: IDelayedCall) -> None:
        _cancel(timer)
        _idle(state)

    @pausing.upon(TableMachine.freeze).to(frozen)
    def held(_machine: TableMachine, _state: _State, timer: IDelayedCall) -> None:
        _cancel(timer)

    frozen.upon(TableMachine.settled).loop().returns(None)
    frozen.upon(TableMachine.halt).loop().returns(None)
    frozen.upon(TableMachine.freeze).loop().returns(None)
    return machine.build()


def _cancel(timer: IDelayedCall) -> None:
    if timer.active():
        timer.cancel()


table_machine: Callable[[_State], TableMachine] = _machine()
"""Returns a new machine, in `waiting`, that writes the given state."""


class AfterSettlement:
    """Callbacks that wait for a result on its way to the ledger, and until the table's state is `known`."""

    def __init__(self, state: _State, known: Callable[[], bool] = lambda: True) -> None:
        self._state = state
        self._known = known
        self._waiting: list[tuple[bool, Callable[[], None]]] = []

    def when_settled(self, then: Callable[[], None], *, first: bool = False) -> None:
        """Call `then` now, or once the result is in the ledger; `first`: before what looks at seats."""
        if self._state.state == "settling" or not self._known():
            self._waiting.append((first, then))
        else:
            then()

    def run(self) -> None:
        """Call what has waited."""
        waiting, self._waiting = self._waiting, []
        for _, then in sorted(waiting, key=lambda entry: not entry[0]):
            then()
