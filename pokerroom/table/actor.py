"""A cash table: one actor with one mailbox, from the first sitter to the last hand.

`chairs` knows who sits where and what they wish, `hands` plays one hand after the other; both run inside the mailbox,
one message at a time. This module is the doors into it, what the table tells, and what a fault does: the table stops,
loudly, and begins anew from its journal and the ledger (`rebuilding`); `restarts` decides how often. A table knows no
sockets and no SQL; time, randomness, journal and ledger are handed to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar

import structlog
from twisted.internet.defer import Deferred, fail, succeed

from pokerroom.ledger.api import SeatRow
from pokerroom.table import views
from pokerroom.table.chairs import Chairs
from pokerroom.table.chat import Chat
from pokerroom.table.ending import Ending
from pokerroom.table.hands import Hands
from pokerroom.table.mailbox import Mailbox
from pokerroom.table.operating import BY_OPERATOR, FROZEN, Operating, OrderRefused
from pokerroom.table.outbox import Batch, Broadcast, Outbox, Viewer
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.rebuilding import Rebuilding
from pokerroom.table.restarts import Restarts
from pokerroom.table.seats import SeatState
from pokerroom.table.settings import TableSettings
from pokerroom.table.snapshots import Snapshots
from pokerroom.table.waiting import Waiting
from pokerroom.table.world import World
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

T = TypeVar("T")

_DECIDING = (wire.Act, wire.PreAct, wire.CancelPreAct)
_LOOKING = (wire.Observe, wire.Unobserve, wire.GetSnapshot)


class Table:
    """See the module. All public methods are doors into the mailbox, but for the read-only ones."""

    def __init__(self, settings: TableSettings, world: World) -> None:
        self.settings = settings
        self.world = world
        self.mailbox = Mailbox(self._fault)
        self.snapshots = Snapshots(self)
        self.outbox = Outbox(world.observer.frames_out, self.snapshots.gallery)
        self._log = structlog.get_logger().bind(table=settings.table)
        self._seq = self.outbox.last_seq = world.first_seq
        self._chat = Chat(self)
        self.rebuilding = Rebuilding(self)
        self.restarts = Restarts(self)
        self.operating = Operating(self)
        self.ending = Ending(self)
        self.waiting = Waiting(self)
        self.chairs = Chairs(self)
        self.hands = Hands(self)
        self.frozen_by: str | None = None
        """Who or what has frozen the table, for the operator; a fault is in the log with its traceback."""
        self.disowned = False
        """It has another owner: whatever happens here counts no more."""
        self._closed: list[Deferred[None]] = []

    # --- doors -------------------------------------------------------------------------------------------------

    def info(self) -> wire.TableInfo:
        """The table's line in the lobby."""
        seats = list(self.chairs.seats)
        return self.settings.info(
            len(seats),
            sum(seat.state is SeatState.PLAYING for seat in seats),
            waiting=self.world.seating.waiting(self.settings.table),
            closing=self.chairs.closing,
        )

    @property
    def state_name(self) -> str:
        """One word for the operator."""
        return self.hands.course.state

    def hand_id(self) -> str | None:
        """The hand in progress, for the operator."""
        play = self.hands.play()
        return None if play is None else play.hand_id

    def restore(self, rows: list[SeatRow], entries: list[bytes], settled: frozenset[str]) -> None:
        """The table as it was when the room last stopped: its seats, and the hand in progress unless it is settled."""
        self.mailbox.post(self.rebuilding.restore, rows, entries, settled)

    def request(self, viewer: Viewer, message: wire.Request) -> None:
        """A client's message for this table."""
        if self.disowned:
            viewer.deliver(self._refusal(message.id, Code.UNAVAILABLE))
            return
        self.outbox.asked(viewer, message.id)
        self.mailbox.post(self._request, viewer, message)

    def rejoin(self, viewer: Viewer) -> None:
        """A client that watched this table at its last owner, or has missed events: it is shown the table, unasked.

        The holder of a seat counts as come back.
        """
        self.mailbox.post(self._rejoin, viewer)

    def viewer_gone(self, viewer: Viewer) -> None:
        """A client's connection is lost, or it logged out."""
        self.mailbox.post(self._viewer_gone, viewer)

    def offer_seat(self, account: int, told: Callable[[int | None, int], None]) -> None:
        """Holds a free seat for somebody from the waiting list; `told` gets its number and until when, or None."""
        self.mailbox.post(self.chairs.offer_seat, account, told)

    def withdraw_offer(self, account: int) -> None:
        """Who was offered a seat from the waiting list is not waiting any more."""
        self.mailbox.post(self.chairs.withdraw_offer, account)

    def close(self) -> Deferred[None]:
        """By the operator: no new players; the hand in progress is the last. Fires when the last seat is cashed out."""
        return self._posted(self._close)

    def reopen(self) -> None:
        """By the operator: players may sit down again."""
        self.mailbox.post(self._reopen)

    def freeze(self) -> Deferred[None]:
        """By the operator: the table stops where it is until `resume`. See `Operating` for this and the next two."""
        return self._ordered(self.operating.freeze)

    def resume(self) -> Deferred[None]:
        """By the operator: a frozen table goes on. Fails with `OrderRefused`."""
        return self._ordered(self.operating.resume)

    def void_hand(self) -> Deferred[str]:
        """By the operator: the hand of a frozen table is void; fires with its id. Fails with `OrderRefused`."""
        return self._ordered(self.operating.void_hand)

    def drain(self) -> Deferred[None]:
        """No new hand from now on. Fires when none is in progress and nothing waits for the ledger."""
        return succeed(None) if self.disowned else self._posted(self.ending.drain)

    def hand_over(self) -> Deferred[None]:
        """No new hand from now on, as the table is to live elsewhere; nobody is told. Fires when nothing is under way.

        A hand that waits for somebody who is not there is left to its journal.
        """
        return succeed(None) if self.disowned else self._posted(self.ending.hand_over)

    def suspended(self) -> None:
        """The node may not act (`world.licence`): the table waits, and its players are told."""
        self.mailbox.post(self.waiting.suspended)

    def licensed(self, *, clocks_anew: bool) -> None:
        """The node allows again what `world.licence` says: what waited goes on, if need be with whole clocks."""
        self.mailbox.post(self.waiting.licensed, clocks_anew=clocks_anew)

    def disown(self) -> None:
        """The table has another owner: it stops at once, and tells, stores and asks nothing any more.

        Who waits for its hands to end waits no longer; requests that are not answered stay so (`unanswered`).
        """
        self._disown(lambda: None)

    def stop(self) -> None:
        """The room is going down: a hand still in progress is left to its journal, and every timer is cancelled."""
        self.restarts.stop()
        self.hands.stop()
        self.chairs.stop()
        self.snapshots.stop()

    def _posted(self, handler: Callable[[Deferred[T]], None]) -> Deferred[T]:
        done: Deferred[T] = Deferred()
        self.mailbox.post(handler, done)
        return done

    def _ordered(self, handler: Callable[[Deferred[T]], None]) -> Deferred[T]:
        if self.disowned:
            return fail(OrderRefused("table_stopped", "The table has left this node."))
        return self._posted(handler)

    # --- telling ---------------------------------------------------------------------------------------------------

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
        self.tell(views.public(told))

    def refuse(self, viewer: Viewer, message: wire.Request, code: Code, detail: str | None = None) -> None:
        """A stable code, and a sentence for people; nothing has changed."""
        self.world.observer.refusal(code)
        self.outbox.answer(viewer, self._refusal(message.id, code, detail))

    @staticmethod
    def _refusal(re: int, code: Code, detail: str | None = None) -> Outgoing:
        return Outgoing(wire.Error(re=re, code=code.value, message=detail or code.sentence))

    def unanswered(self) -> list[tuple[Viewer, int]]:
        """Clients and the requests of theirs that are not answered: a table that is disowned answers none."""
        return self.outbox.unanswered()

    def is_connected(self, account: int) -> bool:
        """Whether any viewer of this table is this account."""
        return any(viewer.account == account for viewer in self.outbox.viewers())

    # --- messages ---------------------------------------------------------------------------------------------------

    def _request(self, viewer: Viewer, message: wire.Request) -> None:
        if isinstance(message, _DECIDING) and self.chairs.held_by(viewer.account) is None:
            self.refuse(viewer, message, Code.NOT_SEATED)  # whatever goes on: a stranger learns nothing of it
            return
        if self.hands.course.state == "frozen" and not isinstance(message, _LOOKING):
            self.refuse(viewer, message, Code.TABLE_FROZEN, FROZEN if self.frozen_by == BY_OPERATOR else None)
            return
        if self.outbox.backed_up or not (self.world.licence.acts or isinstance(message, _LOOKING)):
            self.refuse(viewer, message, Code.UNAVAILABLE)
            return
        before = self.hands.appended, self.chairs.asked
        try:
            self._handle(viewer, message)
        except Exception:
            if (self.hands.appended, self.chairs.asked) == before:
                self.refuse(viewer, message, Code.INTERNAL)  # else what he wished may have come about
            raise

    def _handle(self, viewer: Viewer, message: wire.Request) -> None:  # noqa: C901, PLR0912 -- one case per message
        chairs, decisions = self.chairs, self.hands.decisions
        match message:
            case wire.Act():
                decisions.act(viewer, message)
            case wire.PreAct():
                decisions.pre_act(viewer, message)
            case wire.CancelPreAct():
                decisions.cancel_pre_act(viewer, message)
            case wire.Observe():
                self._observe(viewer, message)
            case wire.Unobserve():
                self._unobserve(viewer, message)
            case wire.GetSnapshot():
                self._get_snapshot(viewer, message)
            case wire.Chat():
                self._chat.say(viewer, message)
            case wire.ReserveSeat():
                chairs.reserve_seat(viewer, message)
            case wire.ReleaseSeat():
                chairs.release_seat(viewer, message)
            case wire.SitDown():
                chairs.sit_down(viewer, message)
            case wire.SitOut():
                chairs.sit_out(viewer, message)
            case wire.SitIn():
                chairs.sit_in(viewer, message)
            case wire.TopUp():
                chairs.top_up(viewer, message)
            case wire.SeatOptions():
                chairs.set_options(viewer, message)
            case wire.StandUp():
                chairs.stand_up(viewer, message)
            case _:
                raise AssertionError(f"no message for a table: {type(message).__name__}")

    def _get_snapshot(self, viewer: Viewer, message: wire.GetSnapshot) -> None:
        if not self.outbox.watches(viewer):
            self.refuse(viewer, message, Code.NOT_OBSERVING)
        else:
            self.snapshots.answer(viewer, message)

    def _observe(self, viewer: Viewer, message: wire.Observe) -> None:
        self._here(viewer)
        self.snapshots.answer(viewer, message)

    def _rejoin(self, viewer: Viewer) -> None:
        if viewer.connected:
            self._here(viewer)
            self.snapshots.send(viewer, None)

    def _here(self, viewer: Viewer) -> None:
        """Who looks at the table is back, if a seat is his: before the snapshot, which has his presence and grace."""
        seat = self.chairs.held_by(viewer.account)
        if seat is not None and not seat.connected:
            self.chairs.came_back(seat)
            self.hands.decisions.grace(seat)

    def _unobserve(self, viewer: Viewer, message: wire.Unobserve) -> None:
        if self.chairs.seats.of(viewer.account) is not None:
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
        self.chairs.viewer_gone(viewer)

    # --- the operator -----------------------------------------------------------------------------------------------

    def _close(self, done: Deferred[None]) -> None:
        self._closed.append(done)
        if not self.chairs.closing:
            self.chairs.close()
            self.notice("closing", Code.TABLE_CLOSING.sentence)
        self.consider_closed()

    def _reopen(self) -> None:
        if self.chairs.closing:
            self.chairs.reopen()
            if self.hands.course.state != "frozen":  # then it says so when it goes on
                self.notice("running", "The table is open.")

    def consider_closed(self) -> None:
        """Called whenever a seat is free."""
        if not self.chairs.closing or not self.chairs.empty():
            return
        waiting, self._closed = self._closed, []
        if waiting:
            self.notice("closed", "The table is closed.")
        for done in waiting:
            done.callback(None)

    # --- another owner ----------------------------------------------------------------------------------------------

    def not_owner(self) -> None:
        """The ledger has refused what this table has asked of it, as it is another owner's."""
        self._log.warning("table.not_owner", epoch=self.world.epoch)
        self._disown(self.world.disowned)

    def _disown(self, then: Callable[[], None]) -> None:
        if self.disowned:
            return
        self.disowned = True
        self.outbox.silence()

        def last() -> None:
            self.stop()
            self.ending.release()
            then()

        self.mailbox.close(last)

    # --- faults -----------------------------------------------------------------------------------------------------

    def _fault(self, error: Exception) -> None:
        """A bug of ours: this table stops where it is, loudly; the ledger has every stack as at hand start."""
        play = self.hands.play()
        self._log.critical("table.frozen", hand_id=None if play is None else play.hand_id, exc_info=error)
        if self.disowned:
            return
        self.freeze_here(type(error).__name__, Code.TABLE_FROZEN.sentence)
        self.restarts.crashed()
        self.ending.consider()

    def freeze_here(self, why: str, message: str) -> None:
        """The table stops where it is; `restarts` says what is next."""
        self._seq = self.outbox.last_seq  # what was not queued is not told
        self.chairs.abandon()
        self.hands.freeze()
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
