"""What the operator may do to a sit-and-go that runs: pause it and let it go on, roll it back or forward (I3).

Runs inside the table's mailbox. Freezing the table, and declaring a hand void, are what he may do to any table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import structlog
from twisted.internet.defer import Deferred

from pokerroom.ledger.tournaments import PrizesWon
from pokerroom.ops.reports import OrderRefused
from pokerroom.poker import views
from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.state import Tournament, TournamentRefusal
from pokerroom.table.ledger_requests import LedgerRequests
from pokerroom.table.outbox import Batch
from pokerroom.tournament.director import Director
from pokerroom.tournament.restoring import prize_is_due
from pokerroom_protocol.errors import Code

if TYPE_CHECKING:  # the table makes it
    from pokerroom.tournament.table import TournamentTable

_REFUSALS: Final = {
    "not_running": ("tournament_not_running", Code.TOURNAMENT_NOT_RUNNING.sentence),
    "prizes_won": ("tournament_prizes_won", Code.TOURNAMENT_PRIZES_WON.sentence),
    "paused": ("paused", "The tournament is paused already."),
    "not_paused": ("not_paused", "The tournament is not paused."),
}


@dataclass(frozen=True, slots=True)
class _Ending:
    """How a tournament is ended early: what the rules say to it, and how it is done."""

    rule: Callable[[Tournament], rules.Step]
    act: Callable[[Director, Callable[[], None]], None]


BACK: Final = _Ending(rules.roll_back, Director.roll_back)
FORWARD: Final = _Ending(rules.roll_forward, Director.roll_forward)


class Orders:
    """The operator's word at `table`. Each Deferred fires once it is stored, or fails with `OrderRefused`."""

    def __init__(self, table: TournamentTable) -> None:
        self._table = table
        self._asking = LedgerRequests(table, lambda: False)
        self._waiting: list[Callable[[], None]] = []
        """Orders that come while the ledger is asked."""
        self._log = structlog.get_logger().bind(table=table.settings.table)

    def asking(self) -> bool:
        """Whether the ledger still owes an answer to an order."""
        return self._asking.waits()

    def pause(self, done: Deferred[None], *, paused: bool) -> None:
        """The hand in progress is played out, no other is dealt, and the clock stands; or all goes on.

        The ledger has it first: it holds whatever happens to this node and to the journal, which keeps the clock.
        """
        table, world = self._table, self._table.world
        if self._asking.waits():
            self._waiting.append(partial(self.pause, done, paused=paused))
            return
        try:
            self._check()
            (rules.pause if paused else rules.resume)(table.director.here)
        except TournamentRefusal as refusal:
            done.errback(_refused(refusal.code))
        except OrderRefused as refused:
            done.errback(refused)
        else:
            self._ask(
                partial(world.ledger.pause_tournament, table.settings.table, world.epoch, paused=paused),
                lambda: self._paused(done, paused=paused),
                done,
            )

    def _paused(self, done: Deferred[None], *, paused: bool) -> None:
        table = self._table
        self._log.warning("tournament.paused" if paused else "tournament.resumed")
        if table.frozen:  # it will be when it begins anew
            done.callback(None)
            return
        try:
            table.director.pause(paused=paused)
        except TournamentRefusal as refusal:  # it has ended meanwhile
            done.errback(_refused(refusal.code))
        else:
            table.hands.note_facts(Batch(ready=False, left=partial(done.callback, None)))
            table.hands.consider_dealing()

    def freeze(self, done: Deferred[None]) -> None:
        """Not before the ledger has said who sits here: who asks for the table then waits for that, and for no more.

        But one that a fault has frozen before that is held: else it could never be rolled back.
        """
        try:
            if not self._table.frozen:
                self._check_open()
        except OrderRefused as refused:
            done.errback(refused)
        else:
            self._table.operating.freeze(done)

    def end_early(self, done: Deferred[None], how: _Ending) -> None:
        """Once the result and the places that are on their way to the ledger are there.

        A table that is held can be rolled back, too: what freezes it again whenever it goes on may be a fault of ours.
        """
        table = self._table
        if how is BACK and table.restarts.held:
            table.restarts.when_quiet(partial(self._roll_back_held, done))
            return
        again = partial(self.end_early, done, how)
        try:
            self._check()
            how.rule(table.director.here)
        except TournamentRefusal as refusal:
            done.errback(_refused(refusal.code))
        except OrderRefused as refused:
            done.errback(refused)
        else:
            if table.hands.course.state == "settling":
                table.when_settled(again, first=False)
            elif not table.director.when_given(again):
                self._log.warning("tournament.ends_early", how=how.rule.__name__)
                self._break_off()
                how.act(table.director, partial(done.callback, None))

    def _roll_back_held(self, done: Deferred[None]) -> None:
        """Nothing but the ledger is asked: it knows whether a prize is won (I3), and what is here may be wrong.

        A prize is won, too, by who is out, or left alone, and has no place yet: a table that is frozen gives none.
        """
        table, world = self._table, self._table.world
        if not table.restarts.held:
            done.errback(_frozen())
            return

        def rolled_back() -> None:
            self._log.warning("tournament.ends_early", how=rules.roll_back.__name__, frozen=table.frozen_by)
            if table.restarts.held:
                table.restarts.resume()  # it begins anew at its end, and shows that
            done.callback(None)

        async def roll_back() -> None:
            name = table.settings.table
            if prize_is_due(await world.ledger.tournament(name)):
                raise PrizesWon(f"a prize of {name} is won, and not given yet")
            await world.ledger.roll_back_tournament(name, world.epoch)

        self._ask(lambda: Deferred.fromCoroutine(roll_back()), rolled_back, done)

    def _ask(
        self, what: Callable[[], Deferred[None]], then: Callable[[], None], done: Deferred[None]
    ) -> None:
        """Asks the ledger, then goes on, frozen or not; what waited for the answer comes after that."""

        def answered(work: Callable[[], None]) -> None:
            work()
            waiting, self._waiting = self._waiting, []
            for again in waiting:
                self._table.mailbox.post(again)

        self._asking.ask(
            what,
            done=lambda _: answered(then),
            refused=lambda code: answered(partial(done.errback, OrderRefused(code.value, code.sentence))),
            late=lambda _: answered(then),
        )

    def _break_off(self) -> None:
        play = self._table.hands.break_off()
        if play is not None:
            self._table.tell(views.hand_ended(play, self._table.next_seq(), void=True))

    def _check(self) -> None:
        table = self._table
        if table.frozen:
            raise _frozen()
        self._check_open()
        if table.director.ending:
            raise _refused("not_running")

    def _check_open(self) -> None:
        if self._table.restarts.over or not self._table.open:
            raise OrderRefused("table_stopped", "The table is not ready for it, or about to leave this node.")


def _frozen() -> OrderRefused:
    detail = "The table is frozen: let it go on first. While you hold it frozen it can be rolled back."
    return OrderRefused("table_frozen", detail)


def _refused(code: str) -> OrderRefused:
    known, sentence = _REFUSALS[code]
    return OrderRefused(known, sentence)
