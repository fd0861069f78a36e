"""A hold'em cash table: one actor with one mailbox, from the first sitter to the last hand.

`chairs` knows who sits where and what they wish, `hands` plays one hand after the other; both run inside the mailbox,
one message at a time. What every table has, whatever is played, is in `base`; this module is what hold'em adds: its
messages, and the answers to what the base asks. A table knows no sockets and no SQL; time, randomness, journal and
ledger are handed to it.
"""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.defer import Deferred

from pokerroom.ledger.api import SeatRow
from pokerroom.table import recovery, views
from pokerroom.table.api import TableFacts, Told
from pokerroom.table.base import BaseTable
from pokerroom.table.chairs import Chairs
from pokerroom.table.delay import Gallery
from pokerroom.table.hands import Hands
from pokerroom.table.outbox import Batch, Viewer
from pokerroom.table.rebuilding import Rebuilding, Standing, standing
from pokerroom.table.seats import SeatState
from pokerroom.table.settings import TableSettings
from pokerroom.table.voiding import Voiding
from pokerroom.table.world import World
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

_DECIDING = (wire.Act, wire.PreAct, wire.CancelPreAct)


class Table(BaseTable):
    """See the module. All public methods are doors into the mailbox, but for the read-only ones."""

    settings: TableSettings

    def __init__(self, settings: TableSettings, world: World) -> None:
        super().__init__(settings, world)
        self.rebuilding = Rebuilding(self)
        self.voiding = Voiding(self)
        self.chairs = Chairs(self)
        self.hands = Hands(self)

    # --- questions -------------------------------------------------------------------------------------------------

    def info(self) -> wire.TableInfo:
        """The table's line in the lobby."""
        seats = list(self.chairs.seats)
        return self.settings.info(
            len(seats),
            sum(seat.state is SeatState.PLAYING for seat in seats),
            waiting=self.world.seating.waiting(self.settings.table),
            closing=self.chairs.closing,
        )

    def facts(self) -> TableFacts:
        """See `TableActor`."""
        seats = list(self.chairs.seats)
        hand_id = self.hand_id()
        return TableFacts(
            state=self.state_name,
            closing=self.closing,
            hand_id=None if hand_id == self.voiding.voided else hand_id,
            seats=self.settings.seats_max,
            occupied=len(seats),
            connected=sum(seat.connected for seat in seats),
            waiting=self.world.seating.waiting(self.settings.table),
            crashes=self.restarts.count,
            frozen=self.frozen_by,
        )

    @property
    def state_name(self) -> str:
        """One word for the operator."""
        return self.hands.course.state

    @property
    def closing(self) -> bool:
        """See `TableActor`."""
        return self.chairs.closing

    def hand_id(self) -> str | None:
        """The hand in progress, for the operator."""
        play = self.hands.play()
        return None if play is None else play.hand_id

    def holders(self) -> list[int]:
        """See `TableActor`."""
        return [seat.account for seat in self.chairs.seats]

    def seated(self) -> list[int]:
        """See `TableActor`."""
        return [account for account in self.holders() if self.chairs.held_by(account) is not None]

    def last_words(self) -> bytes:
        """See `TableActor`."""
        return self.hands.between_hands()

    # --- doors -----------------------------------------------------------------------------------------------------

    def restore(self, rows: list[SeatRow], entries: list[bytes], settled: frozenset[str]) -> None:
        """The table as it was when the room last stopped: its seats, and the hand in progress unless it is settled."""
        self.mailbox.post(self.rebuilding.restore, rows, entries, settled)

    def offer_seat(self, account: int, told: Told) -> None:
        """Holds a free seat for somebody from the waiting list; `told` gets its number and until when, or None."""
        self.mailbox.post(self.chairs.offer_seat, account, told)

    def withdraw_offer(self, account: int) -> None:
        """Who was offered a seat from the waiting list is not waiting any more."""
        self.mailbox.post(self.chairs.withdraw_offer, account)

    def void_hand(self) -> Deferred[str]:
        """By the operator: the hand of a frozen table is void; fires with its id. Fails with `OrderRefused`."""
        return self._ordered(self.voiding.void_hand)

    def stop(self) -> None:
        """The room is going down: a hand still in progress is left to its journal, and every timer is cancelled."""
        self.restarts.stop()
        self.hands.stop()
        self.chairs.stop()
        self.snapshots.stop()

    # --- what the base asks ----------------------------------------------------------------------------------------

    @property
    def playing(self) -> bool:
        """See `Played`."""
        return self.hands.course.play is not None

    @property
    def storing(self) -> bool:
        """See `Played`."""
        return self.hands.in_flight > 0

    @property
    def asking(self) -> bool:
        """See `Played`."""
        return self.chairs.waits_for_ledger()

    def progress(self) -> object:
        """See `Played`."""
        return self.hands.appended, self.chairs.asked

    def unfinished(self) -> bool:
        """See `Played`: with all of its players gone only clocks would run."""
        decision = self.hands.course.decision
        if decision is not None:
            return any(seat.connected for seat in decision.play.seats)
        return self.state_name == "settling"

    def rest_no_more(self) -> None:
        """See `Played`."""
        self.hands.rest_no_more()

    def hold_clocks(self) -> None:
        """See `Played`."""
        self.hands.decisions.hold()

    def restart_clocks(self) -> None:
        """See `Played`."""
        self.hands.decisions.ask_anew()

    def consider_next(self) -> None:
        """See `Played`."""
        self.hands.consider_dealing()

    def note_frozen(self, *, frozen: bool) -> None:
        """See `Played`."""
        self.hands.note(recovery.frozen_entry(frozen=frozen), Batch(ready=False), first=False)

    def abandon(self) -> None:
        """See `Played`."""
        self.chairs.abandon()
        self.hands.freeze()

    async def standing(self) -> Standing:
        """See `Played`."""
        return await standing(self)

    def begin_anew(self, found: Standing) -> None:
        """See `Played`."""
        self.rebuilding.begin_anew(*found)

    def made_gallery(self) -> Gallery | None:
        """See `BaseTable`."""
        settings, world = self.settings, self.world
        if not settings.observer_delay_s:
            return None
        return Gallery(
            clock=world.clock,
            delay_s=settings.observer_delay_s,
            post=self.mailbox.post,
            counted=world.observer.frames_out,
            info=settings.info(0, 0),
            seq=world.first_seq,
        )

    def sees_now(self, account: int | None) -> bool:
        """See `Played`."""
        return self.chairs.held_by(account) is not None

    def when_settled(self, then: Callable[[], None], *, first: bool) -> None:
        """See `Played`."""
        self.hands.when_settled(then, first=first)

    def snapshot(self, account: int | None, re: int | None) -> wire.Snapshot:
        """See `Played`; which cards are in it is decided in `views`."""
        chairs, hands = self.chairs, self.hands
        snapshot = views.snapshot(
            settings=self.settings,
            seats=chairs.seats,
            seq=self.seq,
            play=hands.visible_play(),
            turn_view=hands.turn(),
            shown=hands.shown,
            account=account,
            re=re,
            reserved=chairs.reserved(),
            pre_act=hands.decisions.pre_act_of(account),
            waiting=self.world.seating.waiting(self.settings.table),
            closing=chairs.closing,
        ).message
        assert isinstance(snapshot, wire.Snapshot)
        return snapshot

    def came_back(self, account: int | None) -> None:
        """See `Played`; called before a snapshot, which has his presence and grace."""
        seat = self.chairs.held_by(account)
        if seat is not None and not seat.connected:
            self.chairs.came_back(seat)
            self.hands.decisions.grace(seat)

    def holds_seat(self, account: int | None) -> bool:
        """See `Played`."""
        return self.chairs.seats.of(account) is not None

    def went(self, viewer: Viewer) -> None:
        """See `Played`."""
        self.chairs.viewer_gone(viewer)

    def close_doors(self) -> None:
        """See `Played`."""
        self.chairs.close()

    def open_doors(self) -> None:
        """See `Played`."""
        self.chairs.reopen()

    def empty(self) -> bool:
        """See `Played`."""
        return self.chairs.empty()

    def stranger(self, viewer: Viewer, message: wire.Request) -> bool:
        """See `Played`."""
        return isinstance(message, _DECIDING) and self.chairs.held_by(viewer.account) is None

    def handle(self, viewer: Viewer, message: wire.Request) -> None:  # noqa: C901, PLR0912 -- one case per message
        """See `Played`."""
        chairs, decisions = self.chairs, self.hands.decisions
        match message:
            case wire.Act():
                decisions.act(viewer, message)
            case wire.PreAct():
                decisions.pre_act(viewer, message)
            case wire.CancelPreAct():
                decisions.cancel_pre_act(viewer, message)
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
            case _ if isinstance(message, wire.UltimateMessage):
                self.refuse(viewer, message, Code.WRONG_GAME)
            case _:
                raise AssertionError(f"no message for a table: {type(message).__name__}")
