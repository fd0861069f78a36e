"""What a table against the house is doing, as a state machine.

A timer is the data of the state that waits for it: the light of a betting time belongs to `betting`, the window of the
decisions to `deciding`, the look at a result to `resting`; no other state can hold one, and an input that a state does
not know is an error. What follows from a state is its users' business; this module knows no rules and tells nobody
anything.

    opening  --open-->  betting  --close-->  closing  --deal-->  deciding  --finish-->  settling  --settled-->  opening
    opening  --rest-->  resting  --wake-->  opening;   opening  --deal-->  deciding (after a restart)
    closing  --reopen-->  opening (no bet stands);   betting, deciding, resting  --halt-->  opening
    any  --freeze-->  frozen
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from automat import TypeMachineBuilder
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from pokerroom.ultimate.clocks import Light, Window
from pokerroom.ultimate.play import RoundPlay


@dataclass(slots=True, kw_only=True, eq=False)
class Deciding:
    """The data of `deciding`: a round, and the decisions that are awaited in it, one window after the other."""

    play: RoundPlay
    window: Window | None = None

    def ask(self, window: Window) -> None:
        """The decisions of a street are awaited from now on."""
        self.answered()
        self.window = window

    def answered(self) -> None:
        """None is awaited: the clock stops."""
        window, self.window = self.window, None
        if window is not None:
            window.cancel()


class Life(Protocol):
    """The inputs of the machine."""

    def open(self, light: Light) -> None:
        """Bets are taken."""

    def close(self) -> None:
        """The light is red; which bets stand is to be seen."""

    def reopen(self) -> None:
        """None does."""

    def deal(self, play: RoundPlay) -> None:
        """A round begins, or goes on after a restart."""

    def finish(self, play: RoundPlay) -> None:
        """The round is over; journal and ledger have not both answered yet."""

    def settled(self) -> None:
        """The round is in the ledger."""

    def rest(self, seconds: float) -> None:
        """People look at the result."""

    def wake(self) -> None:
        """They have looked."""

    def halt(self) -> None:
        """No bet, decision or pause is waited for any longer: nothing is left on the clock."""

    def freeze(self) -> None:
        """A fault of ours, or the operator: the round in progress is kept for inspection, nothing is played."""


@dataclass(slots=True, kw_only=True, eq=False)
class Course:
    """What the machine acts upon, and where others read what is going on; written by the machine alone."""

    clock: IReactorTime
    rested: Callable[[], None]
    """Called when a pause is over, unless the machine has gone on before."""
    state: str = "opening"
    light: Light | None = None
    """In `betting` alone."""
    deciding: Deciding | None = None
    """In the state of that name alone."""
    play: RoundPlay | None = None
    """The round in progress, settled or not; in `frozen` the one that was."""

    @property
    def window(self) -> Window | None:
        """The decisions that are awaited."""
        return None if self.deciding is None else self.deciding.window


def _opened(_life: Life, course: Course, light: Light) -> Light:
    course.state, course.light = "betting", light
    return light


def _closing(_life: Life, course: Course) -> None:
    course.state, course.light = "closing", None


def _dealt(_life: Life, course: Course, play: RoundPlay) -> Deciding:
    course.state, course.deciding, course.play = "deciding", Deciding(play=play), play
    return course.deciding


def _finished(_life: Life, course: Course, play: RoundPlay) -> RoundPlay:
    course.state, course.deciding, course.play = "settling", None, play
    return play


def _paused(_life: Life, course: Course, seconds: float) -> IDelayedCall:
    course.state = "resting"
    return course.clock.callLater(seconds, course.rested)


def _kept(_life: Life, course: Course) -> RoundPlay | None:
    course.state, course.light, course.deciding = "frozen", None, None
    return course.play


def _idle(course: Course) -> None:
    course.state, course.light, course.deciding, course.play = "opening", None, None, None


def _machine() -> Callable[[Course], Life]:  # noqa: C901 -- one function for each transition that does something
    machine = TypeMachineBuilder(Life, Course)
    opening = machine.state("opening")
    betting = machine.state("betting", _opened)
    closing = machine.state("closing")
    deciding = machine.state("deciding", _dealt)
    settling = machine.state("settling", _finished)
    resting = machine.state("resting", _paused)
    frozen = machine.state("frozen", _kept)

    opening.upon(Life.open).to(betting).returns(None)
    opening.upon(Life.deal).to(deciding).returns(None)
    opening.upon(Life.rest).to(resting).returns(None)
    opening.upon(Life.halt).loop().returns(None)
    opening.upon(Life.freeze).to(frozen).returns(None)

    @betting.upon(Life.close).to(closing)
    def red(life: Life, course: Course, light: Light) -> None:
        light.cancel()
        _closing(life, course)

    @betting.upon(Life.halt).to(opening)
    def dark(_life: Life, course: Course, light: Light) -> None:
        light.cancel()
        _idle(course)

    @betting.upon(Life.freeze).to(frozen)
    def broken_off(_life: Life, _course: Course, light: Light) -> None:
        light.cancel()

    @closing.upon(Life.reopen).to(opening)
    def none_stands(_life: Life, course: Course) -> None:
        _idle(course)

    closing.upon(Life.deal).to(deciding).returns(None)
    closing.upon(Life.halt).loop().returns(None)
    closing.upon(Life.freeze).to(frozen).returns(None)

    @deciding.upon(Life.finish).to(settling)
    def over(_life: Life, _course: Course, round_: Deciding, /, play: RoundPlay) -> None:
        assert play is round_.play
        round_.answered()

    @deciding.upon(Life.halt).to(opening)
    def given_up(_life: Life, course: Course, round_: Deciding) -> None:
        round_.answered()
        _idle(course)

    @deciding.upon(Life.freeze).to(frozen)
    def stopped(_life: Life, _course: Course, round_: Deciding) -> None:
        round_.answered()

    @settling.upon(Life.settled).to(opening)
    def paid(_life: Life, course: Course, _play: RoundPlay) -> None:
        _idle(course)

    settling.upon(Life.halt).loop().returns(None)
    settling.upon(Life.freeze).to(frozen).returns(None)

    @resting.upon(Life.wake).to(opening)
    def woken(_life: Life, course: Course, timer: IDelayedCall) -> None:
        assert not timer.active()
        _idle(course)

    @resting.upon(Life.halt).to(opening)
    def cut_short(_life: Life, course: Course, timer: IDelayedCall) -> None:
        _cancel(timer)
        _idle(course)

    @resting.upon(Life.freeze).to(frozen)
    def held(_life: Life, _course: Course, timer: IDelayedCall) -> None:
        _cancel(timer)

    frozen.upon(Life.settled).loop().returns(None)
    frozen.upon(Life.halt).loop().returns(None)
    frozen.upon(Life.freeze).loop().returns(None)
    return machine.build()


def _cancel(timer: IDelayedCall) -> None:
    if timer.active():
        timer.cancel()


live: Callable[[Course], Life] = _machine()
"""A new machine, in `opening`."""
