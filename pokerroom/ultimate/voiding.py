"""Declaring the round of a frozen table void, by the operator (U15): every bet goes back, exactly once.

Plays go back, too; a tip stays given. A round that is decided is finished by whoever goes on with it; where the ledger
will not take its result, which is a fault of ours, the operator may declare it void, too [D]: nobody has been told
what it came to. Runs inside the table's mailbox; freezing and going on is `operating`'s business.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import structlog
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from pokerroom.ledger.api import NotOwner
from pokerroom.ledger.retry import until_known
from pokerroom.ledger.rounds import VoidRound
from pokerroom.ops.reports import OrderRefused
from pokerroom.table.journal import UnreadableJournal
from pokerroom.table.operator_orders import FINISH_IT, NOT_TAKEN
from pokerroom.table.outbox import Batch
from pokerroom.ultimate import recovery, views
from pokerroom.ultimate.play import RoundPlay, unknown_record
from pokerroom.ultimate.rebuilding import standing

if TYPE_CHECKING:  # the table makes it
    from pokerroom.ultimate.actor import UltimateTable


class Voiding:
    """Makes rounds of `table` void."""

    def __init__(self, table: UltimateTable) -> None:
        self._table = table
        self._log = structlog.get_logger().bind(table=table.settings.table)
        self._done: Deferred[str] | None = None
        """Who is to hear of it, once what the ledger was asked has been answered."""
        self._busy = False
        self._complete = False
        """Whether he who asks wants a round void that is decided."""

    def void_round(self, done: Deferred[str], *, complete: bool) -> None:
        """The round in progress of a frozen table is void; fires with its id once all of it is stored.

        The table stays frozen. Refused with `not_frozen`, `no_hand`, `void_pending` or, where all is decided and
        `complete` does not ask for that, `hand_complete`.
        """
        if self._busy:
            done.errback(OrderRefused("void_pending", "Its round is being declared void already."))
            return
        try:
            self._table.operating.check_held()
        except OrderRefused as refused:
            done.errback(refused)
            return
        self._busy, self._done, self._complete = True, done, complete
        self.consider()

    def consider(self) -> None:
        """Called when the ledger has answered: a Play that is on its way to it has to be there, or not."""
        if self._done is None or self._table.asking:
            return
        done, self._done = self._done, None
        asked = Deferred.fromCoroutine(self._void())
        post = self._table.mailbox.post
        asked.addBoth(lambda result: post(self._declared, done, result))

    # --- inside -----------------------------------------------------------------------------------------------------

    async def _void(self) -> tuple[str, RoundPlay | None]:
        table, world = self._table, self._table.world
        known = await standing(table)
        if known.round is None:
            raise OrderRefused("no_hand", "No round is in progress.")
        if not table.restarts.held:  # the operator has thought better of it
            raise OrderRefused("not_frozen", "The table is not frozen.")
        name, round_id, ended_ms = table.settings.table, known.round.round_id, world.now_ms()
        record, play = unknown_record(name, round_id, ended_ms), None
        with suppress(UnreadableJournal):  # the ledger knows every bet
            play = recovery.rebuild(recovery.read(known.entries), name, known.round, world.seal).play
        if play is not None:
            if play.state.finished:
                if not self._complete:
                    raise OrderRefused("hand_complete", f"All is decided in round {round_id}: {FINISH_IT}")
                self._log.error("round.result_dropped", round_id=round_id, reason=NOT_TAKEN)
            play.void()
            record = play.record(ended_ms)
        void = VoidRound(round_id=round_id, table=name, epoch=world.epoch, ended_ms=ended_ms, record=record)
        await until_known(world.clock, partial(world.ledger.void_round, void))
        return round_id, play

    def _declared(self, done: Deferred[str], result: tuple[str, RoundPlay | None] | Failure) -> None:
        self._busy = False
        table = self._table
        if isinstance(result, Failure):
            if isinstance(result.value, NotOwner):
                table.not_owner()
            done.errback(result)
            return
        round_id, play = result
        self._log.warning("round.void", round_id=round_id, reason="the operator has said so")
        table.felt.ended = round_id
        if play is None:
            ended = views.round_lost(table.settings.table, round_id, table.next_seq())
        else:
            ended = views.round_ended(play, table.next_seq())
        # answered when the journal knows it: what stood there before is gone then
        batch = Batch(broadcasts=[ended], left=lambda: done.callback(round_id))
        table.writing.tell(table.felt.words(), batch, first=True)
        table.note_frozen(frozen=True)
