"""Requests of a seat's holder: sitting out, sitting in, leaving, and the options of the seat.

A request is journalled before its `ok` is sent, because the ledger does not know it. Runs inside the table's mailbox.
It knows no cards, and moves money only through `buy_ins`.
"""

from __future__ import annotations

from pokerroom.poker.cash.buy_ins import BuyIns
from pokerroom.poker.cash.ports import OwnSeats
from pokerroom.poker.ports import HandPorts
from pokerroom.poker.seats import Seat, SeatState
from pokerroom.table.game import GamePorts
from pokerroom.table.viewer import THE_ROOM, Viewer
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code


class SeatRequests:
    """The requests of the holders of seats."""

    def __init__(self, ports: GamePorts, hands: HandPorts, seats: OwnSeats, buy_ins: BuyIns) -> None:
        self._announcer = ports.announcer
        self._host = ports.context.host
        self._hands = hands
        self._seats = seats
        self._buy_ins = buy_ins

    def sit_out(self, viewer: Viewer, message: wire.SitOut) -> None:
        """Sit out from the next hand on, or from when the player would post the big blind."""
        seat = self._seats.own_seat(viewer, message)
        if seat is None:
            return
        if seat.state is not SeatState.PLAYING:
            self._announcer.refuse(viewer, message, Code.NOT_PLAYING)
            return
        seat.sits_out_next_big_blind = message.when == "next_big_blind"
        if not seat.sits_out_next_big_blind:
            seat.state = SeatState.SITTING_OUT
            seat.returns_playing = False
        self._confirm(viewer, message, seat)

    def sit_in(self, viewer: Viewer, message: wire.SitIn) -> None:
        """Sit in from the next hand on, with what is owed (B7, B8); cancel a planned sit-out at the big blind."""
        seat = self._seats.own_seat(viewer, message)
        if seat is None:
            return
        if seat.state is SeatState.PLAYING and seat.sits_out_next_big_blind:
            seat.sits_out_next_big_blind = False
            self._confirm(viewer, message, seat)
            return
        if seat.state is not SeatState.SITTING_OUT:
            self._announcer.refuse(viewer, message, Code.ALREADY_PLAYING)
            return
        if self._hands.hand.stack_of(seat) + seat.topped_up == 0:
            self._announcer.refuse(viewer, message, Code.NO_CHIPS)
            return
        seat.state = SeatState.PLAYING
        seat.returns_playing = False
        seat.posts_now = message.post
        seat.sits_out_next_big_blind = False
        seat.timeouts_in_row = 0
        self._confirm(viewer, message, seat)
        self._hands.consider_dealing()

    def stand_up(self, viewer: Viewer, message: wire.StandUp) -> None:
        """Leave: at once between hands, else after the hand, in which the player is folded at their turn.

        A player that the host has removed leaves by no order of the room in a hand: the host, who may be in it, decides
        nothing there. The hand's end lets them leave (`SeatManager.hand_settled`).
        """
        seat = self._seats.own_seat(viewer, message)
        if seat is None:
            return
        removed = viewer.instance == THE_ROOM and not self._host.admits(seat.account)
        if removed and self._hands.hand.in_hand(seat):
            self._announcer.refuse(viewer, message, Code.LEAVING)
            return
        seat.state = SeatState.LEAVING
        self._confirm(viewer, message, seat)
        self._hands.leaves(seat)
        self._buy_ins.cash_out(seat)

    def top_up(self, viewer: Viewer, message: wire.TopUp) -> None:
        """Buy more chips; those bought during a hand play from the next one on (A3)."""
        seat = self._seats.own_seat(viewer, message)
        if seat is not None:
            self._buy_ins.top_up(viewer, message, seat)

    def set_options(self, viewer: Viewer, message: wire.SeatOptions) -> None:
        """Set the options of the seat from the next hand on; options missing in the message stay as they are."""
        seat = self._seats.own_seat(viewer, message)
        if seat is None:
            return
        settings = self._seats.settings_now
        if (message.auto_top_up_to or 0) > settings.max_buy_in:
            self._announcer.refuse(viewer, message, Code.BUY_IN_TOO_LARGE)
            return
        if 0 < (message.auto_top_up_to or 0) < settings.min_buy_in:
            self._announcer.refuse(viewer, message, Code.BUY_IN_TOO_SMALL)
            return
        if message.straddle and not settings.stakes.straddle:
            self._announcer.refuse(viewer, message, Code.NO_STRADDLE)
            return
        if message.auto_top_up_to is not None:
            seat.auto_top_up_to = message.auto_top_up_to
        if message.straddle is not None:
            seat.straddles = message.straddle
        if message.muck_losing is not None:
            seat.muck_losing = message.muck_losing
        self._hands.journal.confirm(viewer, message)
        if not self._hands.hand.in_hand(seat):
            self._buy_ins.top_up_automatically(seat)

    def _confirm(self, viewer: Viewer, message: wire.Request, seat: Seat) -> None:
        self._hands.journal.confirm(viewer, message)
        self._seats.changed(seat)
