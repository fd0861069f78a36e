"""A table: one actor with one mailbox, at which any game is played.

The actor is the shell: it takes requests one at a time, tells events in order, freezes on a fault and restarts
from journal and ledger, waits while its node may not act, hands the table to another owner, and obeys the operator. It
has a game (`game.Game`), which decides everything else. Knows no rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import structlog
from twisted.internet.defer import Deferred, fail, succeed

from pokerroom.ledger.api import SeatRow
from pokerroom.ops.reports import OrderRefused
from pokerroom.table.announcer import Announcer, refusal
from pokerroom.table.api import ActorSettings, LobbyRow, SeatOffered, TableFacts
from pokerroom.table.chat import TableChat
from pokerroom.table.context import TableContext
from pokerroom.table.drain import Drain
from pokerroom.table.game import Game, GamePorts, MakeGame
from pokerroom.table.hosting import TableHosting
from pokerroom.table.journal_writer import JournalWriter
from pokerroom.table.ledger_requests import LedgerAnswers, LedgerRequests
from pokerroom.table.mailbox import Mailbox
from pokerroom.table.operator_orders import BY_OPERATOR, FROZEN, OperatorOrders
from pokerroom.table.outbox import Outbox
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.restarts import TableRestarts
from pokerroom.table.snapshots import Snapshots
from pokerroom.table.spectator_delay import SpectatorDelay
from pokerroom.table.suspension import Suspension
from pokerroom.table.viewer import THE_ROOM, Viewer
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

T = TypeVar("T")

_LOOKING = (wire.Observe, wire.Unobserve, wire.GetSnapshot)


class TableActor:
    """One table that lives on this node. Every method except the questions posts to its mailbox."""

    def __init__(self, settings: ActorSettings, context: TableContext, make_game: MakeGame) -> None:
        self.settings = settings
        self.context = context
        self.mailbox = Mailbox(self._fault)
        self._log = structlog.get_logger().bind(table=settings.table)
        name, delay = settings.table, _spectator_delay(settings, context, self.mailbox)
        self.outbox = Outbox(context.observer.frames_out, delay)
        self.announcer = Announcer(name, self.outbox, context.observer, context.first_seq)
        self.writer = JournalWriter(name, context.journal, self.outbox, self.mailbox, self._answered)
        answers = LedgerAnswers(lost_ownership=self._lost_ownership, answered=self._ledger_answered)
        self.requests = LedgerRequests(context.clock, self.mailbox, answers)
        self.restarts = TableRestarts(
            name,
            self.mailbox,
            context,
            self.writer,
            self.requests,
            recovery=lambda: self.game.recovery,
            restart=self._restart,
        )
        self.drain_state = Drain(
            lambda: self.game.play, self.announcer, self.writer, self.requests, self.restarts
        )
        self._suspension = Suspension(lambda: self.game.play, self.announcer)
        port = _Port(self)
        self.orders = OperatorOrders(
            port,
            lambda: self.game.recovery,
            self.mailbox,
            self.writer,
            requests=self.requests,
            restarts=self.restarts,
            name=name,
        )
        self.snapshots = Snapshots(lambda: self.game.view, self.announcer, context.seating, delay)
        self._chat = TableChat(settings, self.announcer, context.clock)
        self.frozen_by: str | None = None
        """The cause of the freeze, for the operator; a fault is in the log with its traceback."""
        self.relinquished = False
        """Whether the table has another owner: nothing that happens here counts any more."""
        self._closed: list[Deferred[None]] = []
        self._orders: list[Deferred[Any]] = []
        """The operator's orders that are not done."""
        ports = GamePorts(
            context=context,
            mailbox=self.mailbox,
            announcer=self.announcer,
            writer=self.writer,
            requests=self.requests,
            snapshots=self.snapshots,
            drain=self.drain_state,
            restarts=self.restarts,
            orders=self.orders,
            table=port,
        )
        self.hosting = TableHosting(
            context.host,
            context.clock,
            self.mailbox,
            self.announcer,
            self.snapshots,
            game=lambda: self.game,
            over=ports.over,
        )
        self._make_game = partial(make_game, replace(ports, context=replace(context, host=self.hosting)))
        self.game: Game = self._make_game()

    # --- questions ----------------------------------------------------------------------------------------------------

    @property
    def epoch(self) -> int:
        """The epoch under which the table lives here."""
        return self.context.epoch

    @property
    def state_name(self) -> str:
        """One word for the operator; `frozen` where nothing moves."""
        return self.game.play.state_name

    @property
    def frozen(self) -> bool:
        """Whether nothing moves, by a fault or by the operator."""
        return self.state_name == "frozen"

    @property
    def closing(self) -> bool:
        """Whether the operator lets no player sit down any more."""
        return self.game.seats.closing

    def info(self) -> LobbyRow:
        """Return the table's row in the lobby."""
        return self.game.view.info()

    def facts(self) -> TableFacts:
        """Return what the operator is shown of the table."""
        game, hand_id = self.game, self.game.play.hand_id()
        return TableFacts(
            state=self.state_name,
            closing=self.closing,
            hand_id=None if hand_id == self.orders.voided else hand_id,
            occupied=len(game.seats.holders()),
            connected=game.seats.connected(),
            waiting=game.view.waiting(),
            crashes=self.restarts.count,
            frozen=self.frozen_by,
        )

    def players(self) -> int:
        """Return how many are dealt in, whether a hand is in progress or not: the table's load follows from it."""
        return self.game.view.players()

    def holders(self) -> list[int]:
        """Return the accounts that have a seat, or are about to."""
        return self.game.seats.holders()

    def seated(self) -> list[int]:
        """Return the accounts with a booked seat."""
        return self.game.seats.seated()

    def handoff_state(self) -> bytes:
        """Return what the journal would say of the table between two hands; a hand in progress is no part of it."""
        return self.game.recovery.handoff_entry()

    def unanswered(self) -> list[tuple[Viewer, int]]:
        """Return clients and their unanswered requests: a table that is relinquished answers none."""
        return self.outbox.unanswered()

    # --- clients ------------------------------------------------------------------------------------------------------

    def request(self, viewer: Viewer, message: wire.Request) -> None:
        """Take a client's request for this table."""
        if self.relinquished:
            viewer.deliver(refusal(message.id, Code.UNAVAILABLE))
            return
        self.outbox.asked(viewer, message.id)
        self.mailbox.post(self._request, viewer, message)

    def rejoin(self, viewer: Viewer) -> None:
        """Show the table, unasked, to a client that watched it at its last owner or has missed events.

        The holder of a seat counts as come back. While the node may not act, the client waits: another node may have
        dealt on, and this one would show the past.
        """
        self.mailbox.post(self._rejoin, viewer)

    def viewer_gone(self, viewer: Viewer) -> None:
        """Forget a client that lost its connection, or that logged out."""
        self.mailbox.post(self._viewer_gone, viewer)

    def offer_seat(self, account: int, offered: SeatOffered) -> None:
        """Hold a free seat for an account from the waiting list; `offered` gets its number and until when, or None."""
        self.mailbox.post(lambda: self.game.seats.offer_seat(account, offered))

    def withdraw_offer(self, account: int) -> None:
        """Give up the seat that is held for an account from the waiting list."""
        self.mailbox.post(lambda: self.game.seats.withdraw_offer(account))

    # --- its owner ----------------------------------------------------------------------------------------------------

    def restore(self, rows: list[SeatRow], entries: list[bytes], settled: frozenset[str]) -> None:
        """Begin as ledger and journal know the table, which has come to live here."""
        self.mailbox.post(lambda: self.game.recovery.restore(rows, entries, settled))

    def suspended(self) -> None:
        """The node may not act (`context.lease`): the table waits, and its players are told."""
        self.mailbox.post(self._suspension.suspend)

    def lease_renewed(self, *, whole_clocks: bool) -> None:
        """The node may act again: what waited goes on, if need be with whole clocks."""
        self.mailbox.post(self._suspension.resume, whole_clocks=whole_clocks)

    def hand_over(self) -> Deferred[None]:
        """Deal no new hand, as the table is to live elsewhere; clients are not told.

        Fires when nothing is in flight. A hand that waits for an absent player is left to its journal.
        """
        return succeed(None) if self.relinquished else self._posted(self.drain_state.hand_over)

    def drain(self) -> Deferred[None]:
        """Deal no new hand, as the room shuts down. Fires when none is in progress and nothing waits for the ledger."""
        return succeed(None) if self.relinquished else self._posted(self.drain_state.drain)

    def relinquish(self) -> None:
        """Stop at once: the table has another owner, or its node goes down.

        It tells, stores and asks nothing any more. What is in progress is left to the journal; unanswered requests
        stay so (`unanswered`).
        """
        self._relinquish(lambda: None)

    def stop(self) -> None:
        """Leave nothing on the clock: what is in progress is left to journal and ledger."""
        self.restarts.stop()
        self.drain_state.draining = True
        self.game.play.stop()
        self.game.seats.stop()
        self.snapshots.stop()

    # --- the operator -------------------------------------------------------------------------------------------------

    def close(self) -> Deferred[None]:
        """Let no player sit down; the hand in progress is the last. Fires when the last seat is cashed out."""
        return self._posted(self._close)

    def reopen(self) -> None:
        """Let players sit down again."""
        self.mailbox.post(self._reopen)

    def freeze(self) -> Deferred[None]:
        """Stop where the table is, until `resume`. Fails with `OrderRefused`, as do the next two."""
        return self.order(self.orders.freeze)

    def resume(self) -> Deferred[None]:
        """Let a frozen table go on."""
        return self.order(self.orders.resume)

    def void_hand(self, *, complete: bool = False) -> Deferred[str]:
        """Declare what is in progress at a frozen table void; fires with its id.

        Refused with `hand_complete` where nothing is left to decide, unless that is what `complete` asks for.
        """
        return self.order(partial(self.orders.void, complete=complete))

    def look(self) -> Deferred[wire.Snapshot | wire.UltimateSnapshot | None]:
        """Return the table as its spectators see it at last, without delay; None if it is no table with seats.

        Nothing of a result is in it before the ledger has the result. Fails with `OrderRefused` if the table leaves.
        """
        return self.order(lambda done: done.callback(self.game.view.snapshot(None, None)))

    # --- requests -----------------------------------------------------------------------------------------------------

    def _request(self, viewer: Viewer, message: wire.Request) -> None:
        refuse = self.announcer.refuse
        if self.hosting.is_hidden_from(viewer):
            refuse(viewer, message, Code.UNKNOWN_TABLE)
            return
        if self._is_taken(viewer, message):
            refuse(viewer, message, Code.TABLE_TAKEN)
            return
        if self.game.stranger(viewer, message):
            refuse(viewer, message, Code.NOT_SEATED)
            return
        if self.frozen and not isinstance(message, _LOOKING):
            detail = FROZEN if self.frozen_by == BY_OPERATOR else None
            refuse(viewer, message, Code.TABLE_FROZEN, detail)
            return
        if self.outbox.backed_up or not (self.context.lease.acts or isinstance(message, _LOOKING)):
            refuse(viewer, message, Code.UNAVAILABLE)
            return
        before = self.writer.appended, self.requests.asked
        try:
            self._handle(viewer, message)
        except Exception:
            if before == (self.writer.appended, self.requests.asked):
                refuse(viewer, message, Code.INTERNAL)  # else the request may have been carried out
            raise

    def _is_taken(self, viewer: Viewer, message: wire.Request) -> bool:
        """Return whether another client of the account has the table open, and the request does not take it over."""
        if self.outbox.watches(viewer) or viewer.instance == THE_ROOM:
            return False
        if isinstance(message, wire.Observe) and message.take_over:
            return False
        return any(other.instance != viewer.instance for other in self.snapshots.others_of(viewer))

    def _handle(self, viewer: Viewer, message: wire.Request) -> None:
        code = self.game.admit(viewer, message)
        if code is not None:
            self.announcer.refuse(viewer, message, code)
            return
        match message:
            case wire.Observe():
                self.game.seats.attached(viewer.account)
                self.snapshots.answer(viewer, message)
            case wire.Unobserve():
                self._unobserve(viewer, message)
            case wire.GetSnapshot():
                self._get_snapshot(viewer, message)
            case wire.Chat():
                self._chat.say(viewer, message)
            case _:
                self.game.handle(viewer, message)

    def _get_snapshot(self, viewer: Viewer, message: wire.GetSnapshot) -> None:
        if not self.outbox.watches(viewer):
            self.announcer.refuse(viewer, message, Code.NOT_OBSERVING)
        else:
            self.snapshots.answer(viewer, message)

    def _rejoin(self, viewer: Viewer) -> None:
        if not self.context.lease.acts:
            self._suspension.later(partial(self._rejoin, viewer))
        elif viewer.connected:
            self.game.seats.attached(viewer.account)
            self.snapshots.send(viewer, None)

    def _unobserve(self, viewer: Viewer, message: wire.Unobserve) -> None:
        if self.game.seats.holds_seat(viewer.account):
            self.announcer.refuse(viewer, message, Code.SEATED_HERE)
        elif not self.outbox.watches(viewer):
            self.announcer.refuse(viewer, message, Code.NOT_OBSERVING)
        else:
            self.outbox.unwatch(viewer)
            self.outbox.answer(viewer, Outgoing(wire.Ok(re=message.id)))

    def _viewer_gone(self, viewer: Viewer) -> None:
        self.outbox.gone(viewer)
        self.snapshots.gone(viewer)
        self._chat.gone()
        self.game.seats.detached(viewer)

    # --- closing ------------------------------------------------------------------------------------------------------

    def _close(self, done: Deferred[None]) -> None:
        self._closed.append(done)
        if not self.closing:
            self.game.seats.close_doors()
            self.announcer.notice("closing", Code.TABLE_CLOSING.sentence)
        self._consider_closed()

    def _reopen(self) -> None:
        if self.closing:
            self.game.seats.open_doors()
            if not self.frozen:  # else the table says so when it goes on
                self.announcer.notice("running", "The table is open.")

    def _consider_closed(self) -> None:
        if not self.closing or not self.game.seats.empty():
            return
        waiting, self._closed = self._closed, []
        if waiting:
            self.announcer.notice("closed", "The table is closed.")
        for done in waiting:
            done.callback(None)

    # --- another owner ------------------------------------------------------------------------------------------------

    def _lost_ownership(self) -> None:
        """The ledger has refused what this table has asked of it: the table has another owner."""
        self._log.warning("table.not_owner", epoch=self.context.epoch)
        self._relinquish(self.context.relinquished)

    def _relinquish(self, then: Callable[[], None]) -> None:
        if self.relinquished:
            return
        self.relinquished = True
        self.outbox.silence()

        def last() -> None:
            self.stop()
            self.drain_state.release()
            orders, self._orders = self._orders, []
            for order in orders:
                if not order.called:
                    order.errback(_left())
            then()

        self.mailbox.close(last)

    # --- faults -------------------------------------------------------------------------------------------------------

    def _fault(self, error: Exception) -> None:
        """Stop this table where it is, and log the fault: a defect. The ledger has every chip as it was settled."""
        self._log.critical("table.frozen", hand_id=self.game.play.hand_id(), exc_info=error)
        if self.relinquished:
            return
        self._freeze_here(type(error).__name__, Code.TABLE_FROZEN.sentence)
        self.restarts.crashed()
        self.drain_state.consider()
        self.orders.consider_void()  # the answer that it waits for may be what has failed

    def _freeze_here(self, why: str, message: str) -> None:
        """Stop where the table is; `restarts` says what is next."""
        self.announcer.take_back()
        self.requests.abandon()
        self.game.seats.abandon()
        self.game.play.abandon()
        self.frozen_by = why
        self.announcer.notice("frozen", message)

    def _restart(self, found: Any) -> None:
        before, self.game = self.game, self._make_game()
        self.game.recovery.restart(found, before, partial(self.announcer.notice, "running"))
        self.frozen_by = None
        self.snapshots.show_to_all()
        self.game.play.go_on()
        self.game.play.consider_next()
        self.drain_state.consider()
        self.game.recovery.restarted()

    def _answered(self) -> None:
        self.restarts.consider()
        self.drain_state.consider()

    def _ledger_answered(self) -> None:
        if not self.relinquished:
            self.drain_state.consider()
            self.restarts.consider()
            self.hosting.seats_changed()
            self._consider_closed()
            self.orders.consider_void()

    # --- inside -------------------------------------------------------------------------------------------------------

    def _posted(self, handler: Callable[[Deferred[T]], None]) -> Deferred[T]:
        done: Deferred[T] = Deferred()
        self.mailbox.post(handler, done)
        return done

    def order(self, handler: Callable[[Deferred[T]], None]) -> Deferred[T]:
        """Carry out an operator's order inside the mailbox; fails with `OrderRefused` if the table leaves the node."""
        if self.relinquished:
            return fail(_left())
        done = self._posted(handler)
        if not done.called:
            self._orders = [order for order in self._orders if not order.called]
            self._orders.append(done)
        return done


class _Port:
    """What parts and game may ask of their table (`game.TableControl`, `operator_orders.Ordered`)."""

    def __init__(self, table: TableActor) -> None:
        self._table = table
        self.close = table.close
        self.consider_closed = table._consider_closed  # noqa: SLF001 -- the table's own port
        self.after_restart = table.restarts.afterwards
        self.lost_ownership = table._lost_ownership  # noqa: SLF001 -- as above
        self.freeze_here = table._freeze_here  # noqa: SLF001 -- as above

    @property
    def frozen(self) -> bool:
        return self._table.frozen

    @property
    def by_operator(self) -> bool:
        return self._table.frozen_by == BY_OPERATOR

    @property
    def relinquished(self) -> bool:
        return self._table.relinquished

    def attached(self, account: int) -> None:
        self._table.game.seats.attached(account)

    def detached(self, viewer: Viewer) -> None:
        self._table.game.seats.detached(viewer)


def _spectator_delay(
    settings: ActorSettings, context: TableContext, mailbox: Mailbox
) -> SpectatorDelay | None:
    if not settings.observer_delay_s:
        return None
    info = settings.info(0, 0)
    assert isinstance(info, wire.TableInfo)
    return SpectatorDelay(
        clock=context.clock,
        delay_s=settings.observer_delay_s,
        post=mailbox.post,
        counted=context.observer.frames_out,
        info=info,
        seq=context.first_seq,
    )


def _left() -> OrderRefused:
    return OrderRefused("table_stopped", "The table has left this node. Try again.")
