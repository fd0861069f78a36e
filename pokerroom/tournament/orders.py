"""The operator's orders to a running tournament: pause, resume, roll back and roll forward (I3).

Runs inside the mailbox of the tournament's actor. Tables are frozen, and hands declared void, as at any other table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import structlog
from twisted.internet.defer import Deferred

from pokerroom.ledger.tournaments import PrizesWon
from pokerroom.ops.reports import OrderRefused
from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.refusal import TournamentRefusal
from pokerroom.rules.tournament.state import Tournament
from pokerroom.table.game import GamePorts
from pokerroom.tournament.director import Director
from pokerroom.tournament.restore import prize_is_due
from pokerroom_protocol.errors import Code

_REFUSALS: Final = {
    "not_running": ("tournament_not_running", Code.TOURNAMENT_NOT_RUNNING.sentence),
    "prizes_won": ("tournament_prizes_won", Code.TOURNAMENT_PRIZES_WON.sentence),
    "registration_open": (
        "registration_open",
        "Players can still enter. Roll the tournament back, or wait until entries have closed.",
    ),
    "paused": ("paused", "The tournament is already paused."),
    "not_paused": ("not_paused", "The tournament is not paused."),
}


@dataclass(frozen=True, slots=True)
class _Ending:
    """A way to end a tournament early: the rule that allows it, and the director's method that does it."""

    rule: Callable[[Tournament], Tournament]
    act: Callable[[Director, Callable[[], None]], None]


BACK: Final = _Ending(rules.roll_back, Director.roll_back)
FORWARD: Final = _Ending(rules.roll_forward, Director.roll_forward)


class TournamentOrders:
    """The operator's orders to one tournament.

    Each Deferred fires once the order is stored, or fails with `OrderRefused`. `confirm` writes the state to the
    journal and calls back.
    """

    def __init__(
        self,
        name: str,
        ports: GamePorts,
        director: Director,
        confirm: Callable[[Callable[[], None]], None],
    ) -> None:
        self._name = name
        self._ports = ports
        self._context = ports.context
        self._restarts = ports.restarts
        self._director = director
        self._confirm = confirm
        self._asking = False
        self._waiting: list[Callable[[], None]] = []
        """Orders that have come while the ledger is asked."""
        self._log = structlog.get_logger().bind(tournament=name)

    def pause(self, done: Deferred[None], *, paused: bool) -> None:
        """Play hands in progress out, deal no other, and stop the clock; or resume.

        The ledger stores the order first, so it holds if this node dies or the journal, which keeps the clock, is lost.
        """
        if self._asking:
            self._waiting.append(partial(self.pause, done, paused=paused))
            return
        try:
            self._check()
            (rules.pause if paused else rules.resume)(self._director.here)
        except TournamentRefusal as refusal:
            done.errback(_refused(refusal.code))
        except OrderRefused as refused:
            done.errback(refused)
        else:
            pause = partial(
                self._context.ledger.pause_tournament, self._name, self._context.epoch, paused=paused
            )
            self._ask(pause, lambda: self._paused(done, paused=paused), done)

    def _paused(self, done: Deferred[None], *, paused: bool) -> None:
        self._log.warning("tournament.paused" if paused else "tournament.resumed")
        if self._ports.table.frozen:  # the restart reads the order from the ledger
            done.callback(None)
            return
        try:
            self._director.pause(paused=paused)
        except TournamentRefusal as refusal:  # it has ended meanwhile
            done.errback(_refused(refusal.code))
        else:
            self._confirm(partial(done.callback, None))

    def freeze(self, done: Deferred[None]) -> None:
        """Freeze the tournament once the ledger has returned its state; its tables wait after their hands.

        One that a fault has frozen before that can be frozen, else it could never be rolled back.
        """
        try:
            if not self._ports.table.frozen:
                self._check_open()
        except OrderRefused as refused:
            done.errback(refused)
        else:
            self._ports.orders.freeze(done)

    def end_early(self, done: Deferred[None], how: _Ending) -> None:
        """End the tournament early, once all tables have broken off and places on their way to the ledger are stored.

        A tournament that the operator holds frozen can be rolled back, too: a defect may freeze it again whenever it
        goes on. So can one with a table that is held.
        """
        if how is BACK and self._restarts.held:
            self._restarts.when_quiet(partial(self._roll_back_held, done))
            return
        again = partial(self.end_early, done, how)
        try:
            self._check()
            how.rule(self._director.here)
            if self._director.when_given(again):
                return
            reports = self._director.break_off(again)
            frozen = [report for report in reports if report.frozen]
            if frozen and not (how is BACK and all(report.held for report in frozen)):
                raise _frozen()
        except TournamentRefusal as refusal:
            self._director.go_on()
            done.errback(_refused(refusal.code))
        except OrderRefused as refused:
            self._director.go_on()
            done.errback(refused)
        else:
            if frozen:
                self._roll_back_by_ledger(done, self._director.rolled_back)
            elif reports:
                self._log.warning("tournament.ends_early", how=how.rule.__name__)
                how.act(self._director, partial(done.callback, None))

    def _roll_back_held(self, done: Deferred[None]) -> None:
        """Roll a held tournament back; it restarts at its end, and shows that."""

        def resume() -> None:
            if self._restarts.held:
                self._restarts.resume()

        if self._restarts.held:
            self._roll_back_by_ledger(done, resume)
        else:
            done.errback(_frozen())

    def _roll_back_by_ledger(self, done: Deferred[None], then: Callable[[], None]) -> None:
        """Roll back by asking the ledger alone.

        The ledger knows whether a prize is won (I3); this state may be wrong. A bust player without a place, or the
        only player left, has won a prize, too: what is frozen gives no places.
        """
        context, name = self._context, self._name

        def rolled_back() -> None:
            self._log.warning("tournament.ends_early", how=rules.roll_back.__name__, frozen=True)
            then()
            done.callback(None)

        async def roll_back() -> None:
            if prize_is_due(await context.ledger.tournament(name)):
                raise PrizesWon(f"a prize of {name} is won, and not given yet")
            await context.ledger.roll_back_tournament(name, context.epoch)

        self._ask(lambda: Deferred.fromCoroutine(roll_back()), rolled_back, done)

    def _ask(
        self, what: Callable[[], Deferred[None]], then: Callable[[], None], done: Deferred[None]
    ) -> None:
        """Ask the ledger, then go on, frozen or not. Orders that waited for the answer come after that."""

        def answered(work: Callable[[], None]) -> None:
            self._asking = False
            work()
            waiting, self._waiting = self._waiting, []
            for again in waiting:
                self._ports.mailbox.post(again)

        def refused(code: Code) -> None:
            self._director.go_on()
            done.errback(OrderRefused(code.value, code.sentence))

        self._asking = True
        self._ports.requests.ask(
            what,
            done=lambda _: answered(then),
            refused=lambda code, **_: answered(partial(refused, code)),
            late=lambda _: answered(then),
        )

    def _check(self) -> None:
        if self._ports.table.frozen:
            raise _frozen()
        self._check_open()
        if self._director.ending:
            raise _refused("not_running")

    def _check_open(self) -> None:
        if self._restarts.over or self._director.tournament is None:
            raise OrderRefused(
                "table_stopped", "The tournament is not ready yet, or is about to leave this node. Try again."
            )


def _frozen() -> OrderRefused:
    detail = "A table, or the tournament, is frozen. Resume it first; while you hold it frozen you can only roll back."
    return OrderRefused("table_frozen", detail)


def _refused(code: str) -> OrderRefused:
    known, sentence = _REFUSALS[code]
    return OrderRefused(known, sentence)
