"""A cash table: one actor with one mailbox, from the first sitter to the last hand.

`chairs` knows who sits where and what they wish, `hands` plays one hand after the other; both run inside the mailbox,
one message at a time. This module is the doors into it, what the table tells, and what a fault does: the table stops,
loudly, and begins anew from its journal and the ledger; `faults` decides how often. A table knows no sockets and no
SQL; time, randomness, journal and ledger are handed to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import structlog
from twisted.internet.defer import Deferred

from pokerroom.ledger.api import SeatRow
from pokerroom.table import recovery, views
from pokerroom.table.chairs import Chairs
from pokerroom.table.chat import Chat
from pokerroom.table.hands import Hands
from pokerroom.table.mailbox import Mailbox
from pokerroom.table.outbox import Batch, Broadcast, Outbox, Viewer
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.play import Play
from pokerroom.table.restarts import Restarts
from pokerroom.table.seats import SeatState
from pokerroom.table.settings import TableSettings
from pokerroom.table.snapshots import Snapshots
from pokerroom.table.world import World
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

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
        self._seq = 0
        self._chat = Chat(self)
        self.restarts = Restarts(self)
        self.chairs = Chairs(self)
        self.hands = Hands(self)
        self.frozen_by: str | None = None
        """The kind of fault that has frozen the table, for the operator; it is in the log with its traceback."""
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
        self.mailbox.post(self._restore, rows, entries, settled)

    def request(self, viewer: Viewer, message: wire.Request) -> None:
        """A client's message for this table."""
        self.mailbox.post(self._request, viewer, message)

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
        done: Deferred[None] = Deferred()
        self.mailbox.post(self._close, done)
        return done

    def reopen(self) -> None:
        """By the operator: players may sit down again."""
        self.mailbox.post(self._reopen)

    def drain(self) -> Deferred[None]:
        """No new hand from now on. Fires when none is in progress and nothing waits for the ledger."""
        done: Deferred[None] = Deferred()
        self.mailbox.post(self.hands.drain, done)
        return done

    def stop(self) -> None:
        """The room is going down: a hand still in progress is left to its journal, and every timer is cancelled."""
        self.restarts.stop()
        self.hands.stop()
        self.chairs.stop()
        self.snapshots.stop()

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
        error = wire.Error(re=message.id, code=code.value, message=detail or code.sentence)
        viewer.deliver(Outgoing(error))

    def is_connected(self, account: int) -> bool:
        """Whether any viewer of this table is this account."""
        return any(viewer.account == account for viewer in self.outbox.viewers())

    # --- messages ---------------------------------------------------------------------------------------------------

    def _request(self, viewer: Viewer, message: wire.Request) -> None:
        if isinstance(message, _DECIDING) and self.chairs.held_by(viewer.account) is None:
            self.refuse(viewer, message, Code.NOT_SEATED)  # whatever goes on: a stranger learns nothing of it
            return
        if self.hands.course.state == "frozen" and not isinstance(message, _LOOKING):
            self.refuse(viewer, message, Code.TABLE_FROZEN)
            return
        if self.outbox.backed_up:
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
        seat = self.chairs.held_by(viewer.account)
        if seat is not None and not seat.connected:  # before the snapshot, which has presence and grace
            self.chairs.came_back(seat)
            self.hands.decisions.grace(seat)
        self.snapshots.answer(viewer, message)

    def _unobserve(self, viewer: Viewer, message: wire.Unobserve) -> None:
        if self.chairs.seats.of(viewer.account) is not None:
            self.refuse(viewer, message, Code.SEATED_HERE)
        elif not self.outbox.watches(viewer):
            self.refuse(viewer, message, Code.NOT_OBSERVING)
        else:
            self.outbox.unwatch(viewer)
            viewer.deliver(Outgoing(wire.Ok(re=message.id)))

    def _viewer_gone(self, viewer: Viewer) -> None:
        self.outbox.unwatch(viewer)
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

    # --- faults -----------------------------------------------------------------------------------------------------

    def _fault(self, error: Exception) -> None:
        """A bug of ours: this table stops where it is, loudly; the ledger has every stack as at hand start."""
        play = self.hands.play()
        self._seq = self.outbox.last_seq  # what was not queued is not told
        self.chairs.abandon()
        self.hands.freeze()
        self._log.critical("table.frozen", hand_id=None if play is None else play.hand_id, exc_info=error)
        self.frozen_by = type(error).__name__
        self.notice("frozen", Code.TABLE_FROZEN.sentence)
        self.restarts.crashed()
        self.hands.consider_drained()

    def answered(self) -> None:
        """The journal or the ledger has answered: a restart may have waited for that."""
        self.restarts.consider()

    def ledger_answered(self) -> None:
        """See `answered`; a closing table may be empty now."""
        self.restarts.consider()
        self.consider_closed()

    def after_restart(self, then: Callable[[], Any]) -> None:
        """Does it once the table goes on, or at once if it does."""
        self.restarts.afterwards(then)

    def begin_anew(self, rows: list[SeatRow], entries: list[bytes], settled: frozenset[str]) -> None:
        """After a fault: other objects in place of those whose state may be wrong; what was said stays said."""
        assert self.hands.course.state == "frozen"
        before = {seat.account for seat in self.chairs.seats}
        for account in before - {row.account for row in rows}:
            self.world.seating.freed(account, self.settings.table)
        broken_off = self.hands.play()
        self.chairs = self.chairs.successor()
        self.hands = self.hands.successor()
        self._rebuild(rows, self._read(entries), settled)
        self.frozen_by = None
        if broken_off is not None and self._is_void(broken_off, entries, settled):
            self.tell(views.hand_ended(broken_off, self.next_seq(), void=True))
        self.notice("running", "The table goes on.")
        self.snapshots.begun_anew()
        self.hands.consider_dealing()
        self.hands.consider_drained()

    def _is_void(self, play: Play, entries: list[bytes], settled: frozenset[str]) -> bool:
        """Whether a hand that was told of is not played on; one whose deal was not journalled nobody knows."""
        goes_on = self.hands.play()
        if play.hand_id in settled or (goes_on is not None and goes_on.hand_id == play.hand_id):
            return False
        try:
            return recovery.read(entries).hand_id == play.hand_id
        except recovery.Unreadable:
            return True

    def _restore(self, rows: list[SeatRow], entries: list[bytes], settled: frozenset[str]) -> None:
        found = self._read(entries)
        if found.hand_id is not None:
            self._seq = self.outbox.last_seq = found.seq + recovery.SEQ_LEAP
        self._rebuild(rows, found, settled)
        self.snapshots.restored()
        play = self.hands.play()
        for account in () if play is None else play.timeout_all_ins:
            self.world.timeouts.note(account)  # the ledger has counted those of settled hands alone
        if play is None:
            self.hands.gather()

    def _read(self, entries: list[bytes]) -> recovery.Journalled:
        try:
            return recovery.read(entries)
        except recovery.Unreadable as unreadable:
            self._log.error("journal.unreadable", reason=str(unreadable))
            return recovery.NOTHING

    def _rebuild(self, rows: list[SeatRow], found: recovery.Journalled, settled: frozenset[str]) -> None:
        self.chairs.restore(rows, found.facts)
        self.hands.resume(found, self._in_progress(found, settled))

    def _in_progress(self, found: recovery.Journalled, settled: frozenset[str]) -> recovery.Recovered | None:
        if found.hand_id is None or found.hand_id in settled:
            return None
        seats = {seat.account: seat for seat in self.chairs.seats}
        try:
            hand = recovery.rebuild(found, self.settings, seats, self.world.seal)
        except recovery.Unreadable as unreadable:
            self._log.error("hand.void", hand_id=found.hand_id, reason=str(unreadable))
            return None
        self.chairs.take_part(hand.play)
        return hand
