"""What every table has, whatever is played at it: one mailbox, one outbox, chat, faults and what follows from them.

Faults freeze a table, loudly, and it begins anew from its journal and the ledger (`restarts` decides when); it waits
where its node may not act (`waiting`), ends where it is to live elsewhere (`ending`), and stops for the operator
(`operating`). What is played, who sits where, and what is journalled is a subclass's (`played`). Knows no rules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar

import structlog
from twisted.internet.defer import Deferred, fail, succeed

from pokerroom.ops.reports import OrderRefused
from pokerroom.table.api import ActorSettings
from pokerroom.table.chat import TableChat
from pokerroom.table.context import TableContext
from pokerroom.table.drain import Drain
from pokerroom.table.game import Game
from pokerroom.table.mailbox import Mailbox
from pokerroom.table.operator_orders import BY_OPERATOR, FROZEN, OperatorOrders
from pokerroom.table.outbox import Batch, Broadcast, Outbox, Viewer, public
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.restarts import TableRestarts
from pokerroom.table.snapshots import Snapshots
from pokerroom.table.spectator_delay import SpectatorDelay
from pokerroom.table.suspension import Suspension
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

T = TypeVar("T")

_LOOKING = (wire.Observe, wire.Unobserve, wire.GetSnapshot)


class TableShell(Game):
    """See the module. A `TableActor` but for what is played."""

    settings: ActorSettings

    def __init__(self, settings: ActorSettings, world: TableContext) -> None:
        self.settings = settings
        self.world = world
        self.mailbox = Mailbox(self._fault)
        self.snapshots = Snapshots(self)
        self.outbox = Outbox(world.observer.frames_out, self.snapshots.spectator_delay)
        self._log = structlog.get_logger().bind(table=settings.table)
        self._seq = self.outbox.last_seq = world.first_seq
        self._chat = TableChat(self)
        self.restarts = TableRestarts(self)
        self.operating = OperatorOrders(self)
        self.ending = Drain(self)
        self.waiting = Suspension(self)
        self.frozen_by: str | None = None
        """Who or what has frozen the table, for the operator; a fault is in the log with its traceback."""
        self.relinquished = False
        """It has another owner: whatever happens here counts no more."""
        self._closed: list[Deferred[None]] = []
        self._orders: list[Deferred[Any]] = []
        """Of the operator, that are not done."""

    # --- doors --------------------------------------------------------------------------------------------------------

    @property
    def epoch(self) -> int:
        """Under which the table lives here."""
        return self.world.epoch

    @property
    def frozen(self) -> bool:
        """Whether nothing moves, by a fault or by the operator."""
        return self.state_name == "frozen"

    def request(self, viewer: Viewer, message: wire.Request) -> None:
        """See `TableActor`."""
        if self.relinquished:
            viewer.deliver(self._refusal(message.id, Code.UNAVAILABLE))
            return
        self.outbox.asked(viewer, message.id)
        self.mailbox.post(self._request, viewer, message)

    def rejoin(self, viewer: Viewer) -> None:
        """See `TableActor`. The holder of a seat counts as come back."""
        self.mailbox.post(self._rejoin, viewer)

    def viewer_gone(self, viewer: Viewer) -> None:
        """See `TableActor`."""
        self.mailbox.post(self._viewer_gone, viewer)

    def close(self) -> Deferred[None]:
        """See `TableActor`. The hand in progress is the last; fires when the last seat is cashed out."""
        return self._posted(self._close)

    def reopen(self) -> None:
        """See `TableActor`."""
        self.mailbox.post(self._reopen)

    def freeze(self) -> Deferred[None]:
        """See `TableActor` and, for this and the next, `OperatorOrders`."""
        return self._ordered(self.operating.freeze)

    def resume(self) -> Deferred[None]:
        """By the operator: a frozen table goes on. Fails with `OrderRefused`."""
        return self._ordered(self.operating.resume)

    def drain(self) -> Deferred[None]:
        """No new hand from now on. Fires when none is in progress and nothing waits for the ledger."""
        return succeed(None) if self.relinquished else self._posted(self.ending.drain)

    def hand_over(self) -> Deferred[None]:
        """No new hand from now on, as the table is to live elsewhere; nobody is told. Fires when nothing is under way.

        A hand that waits for somebody who is not there is left to its journal.
        """
        return succeed(None) if self.relinquished else self._posted(self.ending.hand_over)

    def suspended(self) -> None:
        """The node may not act (`world.lease`): the table waits, and its players are told."""
        self.mailbox.post(self.waiting.suspended)

    def lease_renewed(self, *, clocks_anew: bool) -> None:
        """The node allows again what `world.lease` says: what waited goes on, if need be with whole clocks."""
        self.mailbox.post(self.waiting.lease_renewed, clocks_anew=clocks_anew)

    def relinquish(self) -> None:
        """The table has another owner, or its node goes down: it stops, and tells, stores and asks nothing any more.

        Who waits for its hands to end waits no longer, and orders of the operator that are not done fail;
        requests that are not answered stay so (`unanswered`).
        """
        self._relinquish(lambda: None)

    def _posted(self, handler: Callable[[Deferred[T]], None]) -> Deferred[T]:
        done: Deferred[T] = Deferred()
        self.mailbox.post(handler, done)
        return done

    def _ordered(self, handler: Callable[[Deferred[T]], None]) -> Deferred[T]:
        if self.relinquished:
            return fail(_left())
        done = self._posted(handler)
        if not done.called:
            self._orders = [order for order in self._orders if not order.called]
            self._orders.append(done)
        return done

    # --- telling ------------------------------------------------------------------------------------------------------

    @property
    def seq(self) -> int:
        """The number of the last event."""
        return self._seq

    def next_seq(self) -> int:
        """Numbers the next event."""
        self._seq += 1
        return self._seq

    def tell(
        self,
        *broadcasts: Broadcast,
        answers: list[tuple[Viewer, Outgoing]] | None = None,
        left: Callable[[], None] | None = None,
    ) -> None:
        """Tells what needs no journal, behind everything said before; `left` is called when it has left."""
        self.outbox.put(Batch(broadcasts=list(broadcasts), answers=answers or [], left=left))

    def notice(self, state: Literal["frozen", "running", "closing", "closed"], message: str) -> None:
        """Something about the table as a whole."""
        told = wire.TableNotice(table=self.settings.table, seq=self.next_seq(), state=state, message=message)
        self.tell(public(told))

    def refuse(self, viewer: Viewer, message: wire.Request, code: Code, detail: str | None = None) -> None:
        """A stable code, and a sentence for people; nothing has changed."""
        self.world.observer.refusal(code)
        self.outbox.answer(viewer, self._refusal(message.id, code, detail))

    @staticmethod
    def _refusal(re: int, code: Code, detail: str | None = None) -> Outgoing:
        return Outgoing(wire.Error(re=re, code=code.value, message=detail or code.sentence))

    def unanswered(self) -> list[tuple[Viewer, int]]:
        """See `TableActor`."""
        return self.outbox.unanswered()

    def is_connected(self, account: int) -> bool:
        """Whether any viewer of this table is this account."""
        return any(viewer.account == account for viewer in self.outbox.audience())

    def made_spectator_delay(self) -> SpectatorDelay | None:
        """What observers see later; None where they see the table at once."""
        return None

    # --- messages -----------------------------------------------------------------------------------------------------

    def _request(self, viewer: Viewer, message: wire.Request) -> None:
        if self.stranger(viewer, message):
            self.refuse(viewer, message, Code.NOT_SEATED)
            return
        if self.frozen and not isinstance(message, _LOOKING):
            self.refuse(viewer, message, Code.TABLE_FROZEN, FROZEN if self.frozen_by == BY_OPERATOR else None)
            return
        if self.outbox.backed_up or not (self.world.lease.acts or isinstance(message, _LOOKING)):
            self.refuse(viewer, message, Code.UNAVAILABLE)
            return
        before = self.progress()
        try:
            self._handle(viewer, message)
        except Exception:
            if self.progress() == before:
                self.refuse(viewer, message, Code.INTERNAL)  # else what he wished may have come about
            raise

    def _handle(self, viewer: Viewer, message: wire.Request) -> None:
        match message:
            case wire.Observe():
                self.attached(viewer.account)
                self.snapshots.answer(viewer, message)
            case wire.Unobserve():
                self._unobserve(viewer, message)
            case wire.GetSnapshot():
                self._get_snapshot(viewer, message)
            case wire.Chat():
                self._chat.say(viewer, message)
            case _:
                self.handle(viewer, message)

    def _get_snapshot(self, viewer: Viewer, message: wire.GetSnapshot) -> None:
        if not self.outbox.watches(viewer):
            self.refuse(viewer, message, Code.NOT_OBSERVING)
        else:
            self.snapshots.answer(viewer, message)

    def _rejoin(self, viewer: Viewer) -> None:
        if viewer.connected:
            self.attached(viewer.account)
            self.snapshots.send(viewer, None)

    def _unobserve(self, viewer: Viewer, message: wire.Unobserve) -> None:
        if self.holds_seat(viewer.account):
            self.refuse(viewer, message, Code.SEATED_HERE)
        elif not self.outbox.watches(viewer):
            self.refuse(viewer, message, Code.NOT_OBSERVING)
        else:
            self.outbox.unwatch(viewer)
            self.outbox.answer(viewer, Outgoing(wire.Ok(re=message.id)))

    def _viewer_gone(self, viewer: Viewer) -> None:
        self.outbox.gone(viewer)
        self.snapshots.gone(viewer)
        self._chat.gone()
        self.detached(viewer)

    # --- the operator -------------------------------------------------------------------------------------------------

    def _close(self, done: Deferred[None]) -> None:
        self._closed.append(done)
        if not self.closing:
            self.close_doors()
            self.notice("closing", Code.TABLE_CLOSING.sentence)
        self.consider_closed()

    def _reopen(self) -> None:
        if self.closing:
            self.open_doors()
            if not self.frozen:  # then it says so when it goes on
                self.notice("running", "The table is open.")

    def consider_closed(self) -> None:
        """Called whenever a seat is free."""
        if not self.closing or not self.empty():
            return
        waiting, self._closed = self._closed, []
        if waiting:
            self.notice("closed", "The table is closed.")
        for done in waiting:
            done.callback(None)

    # --- another owner ------------------------------------------------------------------------------------------------

    def not_owner(self) -> None:
        """The ledger has refused what this table has asked of it, as it is another owner's."""
        self._log.warning("table.not_owner", epoch=self.world.epoch)
        self._relinquish(self.world.relinquished)

    def _relinquish(self, then: Callable[[], None]) -> None:
        if self.relinquished:
            return
        self.relinquished = True
        self.outbox.silence()

        def last() -> None:
            self.stop()
            self.ending.release()
            orders, self._orders = self._orders, []
            for order in orders:
                if not order.called:
                    order.errback(_left())
            then()

        self.mailbox.close(last)

    # --- faults -------------------------------------------------------------------------------------------------------

    def _fault(self, error: Exception) -> None:
        """A bug of ours: this table stops where it is, loudly; the ledger has every chip as it was settled."""
        self._log.critical("table.frozen", hand_id=self.hand_id(), exc_info=error)
        if self.relinquished:
            return
        self.freeze_here(type(error).__name__, Code.TABLE_FROZEN.sentence)
        self.restarts.crashed()
        self.ending.consider()

    def freeze_here(self, why: str, message: str) -> None:
        """The table stops where it is; `restarts` says what is next."""
        self._seq = self.outbox.last_seq  # what was not queued is not told
        self.abandon()
        self.frozen_by = why
        self.notice("frozen", message)

    def answered(self) -> None:
        """The journal or the ledger has answered: a restart may have waited for that, or the next owner."""
        self.restarts.consider()
        self.ending.consider()

    def ledger_answered(self) -> None:
        """See `answered`; a closing table may be empty now."""
        self.restarts.consider()
        self.consider_closed()

    def after_restart(self, then: Callable[[], Any]) -> None:
        """Does it once the table goes on, or at once if it does."""
        self.restarts.afterwards(then)


def _left() -> OrderRefused:
    return OrderRefused("table_stopped", "The table has left this node.")
