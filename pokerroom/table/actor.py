"""A cash table: one actor with one mailbox, from the first sitter to the last hand.

`chairs` knows who sits where and what they wish, `hands` plays one hand after the other; both run inside the mailbox,
one message at a time. This module is the doors into it, what the table tells, and what a fault does. A table knows no
sockets and no SQL; time, randomness, journal and ledger are handed to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Literal

import structlog
from twisted.internet.defer import Deferred

from pokerroom.ledger.api import SeatRow
from pokerroom.table import views
from pokerroom.table.chairs import Chairs
from pokerroom.table.hands import Hands
from pokerroom.table.mailbox import Mailbox
from pokerroom.table.outbox import Batch, Broadcast, Outbox, Viewer
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.seats import SeatState
from pokerroom.table.settings import TableSettings
from pokerroom.table.states import Frozen
from pokerroom.table.world import World
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code


class Table:
    """See the module. All public methods are doors into the mailbox, but for the read-only ones."""

    def __init__(self, settings: TableSettings, world: World) -> None:
        self.settings = settings
        self.world = world
        self.mailbox = Mailbox(self._fault)
        self.outbox = Outbox(world.observer.frames_out)
        self._log = structlog.get_logger().bind(table=settings.table)
        self._seq = 0
        self._snapshot_pending: set[Viewer] = set()
        self.chairs = chairs = Chairs(self)
        self.hands = hands = Hands(self)
        self._handlers: dict[type[wire.Request], Callable[[Viewer, Any], None]] = {
            wire.Act: hands.act,
            wire.Observe: self._observe,
            wire.Unobserve: self._unobserve,
            wire.GetSnapshot: self._get_snapshot,
            wire.Chat: self._chat,
            wire.SitDown: chairs.sit_down,
            wire.SitOut: chairs.sit_out,
            wire.SitIn: chairs.sit_in,
            wire.TopUp: chairs.top_up,
            wire.StandUp: chairs.stand_up,
        }

    # --- doors -------------------------------------------------------------------------------------------------

    def info(self) -> wire.TableInfo:
        """The table's line in the lobby."""
        seats = list(self.chairs.seats)
        return self.settings.info(len(seats), sum(seat.state is SeatState.PLAYING for seat in seats))

    @property
    def state_name(self) -> str:
        """One word for the operator."""
        return type(self.hands.state).__name__.lower()

    def hand_id(self) -> str | None:
        """The hand in progress, for the operator."""
        play = self.hands.play()
        return None if play is None else play.hand_id

    def restore(self, rows: Iterable[SeatRow]) -> None:
        """The seats held when the room last stopped; their holders come back and sit in."""
        self.mailbox.post(self.chairs.restore, list(rows))

    def request(self, viewer: Viewer, message: wire.Request) -> None:
        """A client's message for this table."""
        self.mailbox.post(self._request, viewer, message)

    def viewer_gone(self, viewer: Viewer) -> None:
        """A client's connection is lost, or it logged out."""
        self.mailbox.post(self._viewer_gone, viewer)

    def drain(self) -> Deferred[None]:
        """No new hand from now on. Fires when none is in progress and nothing waits for the ledger."""
        done: Deferred[None] = Deferred()
        self.mailbox.post(self.hands.drain, done)
        return done

    def stop(self) -> None:
        """The room is going down: a hand still in progress is void, and every timer is cancelled."""
        self.mailbox.post(self.hands.void)
        self.hands.stop()
        self.chairs.stop()

    # --- telling ---------------------------------------------------------------------------------------------------

    def next_seq(self) -> int:
        """Numbers the next event."""
        self._seq += 1
        return self._seq

    def tell(self, *broadcasts: Broadcast, answers: list[tuple[Viewer, Outgoing]] | None = None) -> None:
        """Tells what needs no journal, behind everything said before."""
        self.outbox.put(Batch(broadcasts=list(broadcasts), answers=answers or []))

    def notice(self, state: Literal["frozen", "closing"], code: Code) -> None:
        """Something about the table as a whole."""
        told = wire.TableNotice(
            table=self.settings.table, seq=self.next_seq(), state=state, message=code.sentence
        )
        self.tell(views.public(told))

    def refuse(self, viewer: Viewer, message: wire.Request, code: Code) -> None:
        """A stable code; nothing has changed."""
        self.world.observer.refusal(code)
        viewer.deliver(Outgoing(wire.Error(re=message.id, code=code.value, message=code.sentence)))

    def is_connected(self, account: int) -> bool:
        """Whether any viewer of this table is this account."""
        return any(viewer.account == account for viewer in self.outbox.viewers())

    def send_snapshot(self, viewer: Viewer, re: int | None) -> None:
        """The visible state, and every event after it; a result not yet in the ledger is waited for."""
        self.hands.when_settled(partial(self._send_snapshot, viewer, viewer.account, re))

    def _send_snapshot(self, viewer: Viewer, account: int | None, re: int | None) -> None:
        self._snapshot_pending.discard(viewer)
        if viewer.account != account:  # he logged out while the ledger was asked
            return
        snapshot = views.snapshot(
            settings=self.settings,
            seats=self.chairs.seats,
            seq=self._seq,
            play=self.hands.visible_play(),
            turn_view=self.hands.turn(),
            shown=self.hands.shown,
            account=account,
            re=re,
        )
        self.outbox.watch(viewer, self._seq)
        self.tell(answers=[(viewer, snapshot)])

    # --- messages ---------------------------------------------------------------------------------------------------

    def _request(self, viewer: Viewer, message: wire.Request) -> None:
        looking = isinstance(message, wire.Observe | wire.Unobserve | wire.GetSnapshot)
        if isinstance(self.hands.state, Frozen) and not looking:
            self.refuse(viewer, message, Code.TABLE_FROZEN)
            return
        if self.outbox.backed_up:
            self.refuse(viewer, message, Code.UNAVAILABLE)
            return
        self._handlers[type(message)](viewer, message)

    def _get_snapshot(self, viewer: Viewer, message: wire.GetSnapshot) -> None:
        if not self.outbox.watches(viewer):
            self.refuse(viewer, message, Code.NOT_OBSERVING)
        elif self._one_snapshot(viewer, message):
            self.send_snapshot(viewer, message.id)

    def _one_snapshot(self, viewer: Viewer, message: wire.Request) -> bool:
        """While a result is at the ledger a viewer may wait for one snapshot, not for any number."""
        if viewer in self._snapshot_pending:
            self.refuse(viewer, message, Code.REQUEST_PENDING)
            return False
        self._snapshot_pending.add(viewer)
        return True

    def _observe(self, viewer: Viewer, message: wire.Observe) -> None:
        if not self._one_snapshot(viewer, message):
            return
        self.send_snapshot(viewer, message.id)
        seat = self.chairs.held_by(viewer.account)
        if seat is None or seat.connected:
            return
        self.chairs.came_back(seat)
        self.hands.grace(seat)

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
        self._snapshot_pending.discard(viewer)
        seat = self.chairs.held_by(viewer.account)
        if seat is not None and seat.connected and not self.is_connected(seat.account):
            self.chairs.went_away(seat)

    def _chat(self, viewer: Viewer, message: wire.Chat) -> None:
        if not self.outbox.watches(viewer):
            self.refuse(viewer, message, Code.NOT_OBSERVING)
            return
        said = wire.ChatSaid(
            table=self.settings.table, seq=self.next_seq(), name=viewer.name, text=message.text
        )
        self.tell(views.public(said), answers=[(viewer, Outgoing(wire.Ok(re=message.id)))])

    # --- faults -----------------------------------------------------------------------------------------------------

    def _fault(self, error: Exception) -> None:
        """A bug of ours: this table stops where it is, loudly; the ledger has every stack as at hand start."""
        play = self.hands.play()
        self.chairs.stop()
        self.hands.freeze()
        self._log.critical("table.frozen", hand_id=None if play is None else play.hand_id, exc_info=error)
        self.notice("frozen", Code.TABLE_FROZEN)
