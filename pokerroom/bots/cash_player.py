"""A bot's play at one cash table: it tops up its stack, sits in, and stands up when told to.

`hand_stay` answers the turns. This module knows neither accounts nor connections.
"""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final

from pokerroom.bots.hand_stay import HandStay
from pokerroom.bots.policy import Policy
from pokerroom.bots.stay import Handler, StayContext
from pokerroom.bots.tally import TableWatch
from pokerroom_protocol import Code
from pokerroom_protocol import messages as m

# Refusals of a request that crossed with a change of the seat.
_SEAT_MOVED_ON: Final = frozenset(
    {
        Code.BUY_IN_TOO_LARGE,
        Code.REQUEST_PENDING,
        Code.ALREADY_PLAYING,
        Code.LEAVING,
        Code.NOT_SEATED,
        Code.NO_CHIPS,
        Code.TABLE_CLOSING,
        Code.UNAVAILABLE,
        Code.SHUTTING_DOWN,
    }
)


class CashOutcome(Enum):
    """How a stay at a cash table ends."""

    LEFT = auto()
    BROKE = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class CashAssignment:
    """The table that a bot plays at. `buy_in` is in the smallest unit; a stack below half of it is topped up to it."""

    name: str
    buy_in: int
    watch: TableWatch


class CashPlayer(HandStay[CashOutcome]):
    """See the module. `buy_in` is that of the assignment, `wallet` what the account has beside it."""

    def __init__(self, context: StayContext, policy: Policy, *, buy_in: int, wallet: int) -> None:
        super().__init__(context, policy)
        self._buy_in = buy_in
        self._wallet = wallet
        self._in_hand = False
        self._own = (0, "waiting")  # the latest stack and status
        self._booked = 0  # topped up during this hand; added to the stack when it ends
        self._busy = False  # a top-up or sit-in is under way
        self._stopping = False
        self._standing_up = False
        self._broke = False

    def stop(self) -> None:
        """Stand up, after the hand in progress if there is one."""
        self._stopping = True
        if self.seat is not None and not self._in_hand:
            self._stand_up()

    # --- what happens ---------------------------------------------------------------------------------------

    def handlers(self) -> dict[str, Handler]:
        return {
            **super().handlers(),
            "hand_started": self._on_hand_started,
            "hand_ended": self._on_hand_ended,
            "seat_changed": self._on_seat_changed,
            "seat_left": self._on_seat_left,
        }

    def is_leaving(self) -> bool:
        return self._standing_up

    def on_snapshot(self, snapshot: m.Snapshot) -> m.SeatView | None:
        self.sits(snapshot.your_seat)
        own = next((seat for seat in snapshot.seats if seat.seat == self.seat), None)
        if own is None:
            self.finish(CashOutcome.BROKE if self._broke else CashOutcome.LEFT)
            return None
        self._in_hand = snapshot.hand is not None and own.in_hand
        if self._stopping and not self._in_hand:
            self._stand_up()
        else:
            self._own = (own.stack, own.status)
            self._look_after()
        return own

    def _on_hand_started(self, fields: dict[str, Any], _body: bytes) -> None:
        self.tally.hand_started()
        self._booked = 0
        stacks = [seat["stack"] for seat in fields["seats"] if seat["seat"] == self.seat]
        self._in_hand = bool(stacks)
        if stacks:
            self._own = (stacks[0], "playing")
            self._look_after()

    def _on_hand_ended(self, fields: dict[str, Any], _body: bytes) -> None:
        if self._watch.hand_ended(fields["hand_id"]):
            self.tally.hand_ended(void=fields.get("void", False))
        self._in_hand = False
        self.turn_over()
        if self._stopping:
            self._stand_up()
            return
        # A seat without chips gets `seat_changed` next. The others check their stack when the next hand starts.
        self._booked = 0

    # --- its seat -------------------------------------------------------------------------------------------

    def _on_seat_changed(self, fields: dict[str, Any], _body: bytes) -> None:
        if fields["seat"] == self.seat and not self._in_hand:
            self._own = (fields["stack"], fields["status"])
            self._look_after()

    def _on_seat_left(self, fields: dict[str, Any], _body: bytes) -> None:
        if fields["seat"] == self.seat:
            self.sits(None)
            self.finish(CashOutcome.BROKE if self._broke else CashOutcome.LEFT)

    def _look_after(self) -> None:
        """Top up a stack below half a buy-in, sit in, or stand up when there are no chips and no money."""
        if self._busy or self._stopping or self._standing_up or self._booked:
            return
        stack, status = self._own
        missing = min(self._buy_in - stack, self._wallet)
        if 2 * stack < self._buy_in and missing > 0:
            self._start(self._top_up(missing))
        elif stack == 0:
            self._broke = True
            self._stand_up()
        elif status == "sitting_out":
            self._start(self._sit_in())

    def _start(self, request: Coroutine[Any, Any, None]) -> None:
        self._busy = True

        async def done() -> None:
            try:
                await request
            finally:
                self._busy = False

        self.spawn(done())

    async def _top_up(self, amount: int) -> None:
        request = m.TopUp(id=self.link.number(), table=self.table, amount=amount)
        answer = await self.link.ask(request)
        if isinstance(answer, m.Error):
            if answer.code == Code.INSUFFICIENT_BALANCE:
                self._wallet = 0
            self._count_refusal(answer)
            return
        self._wallet -= amount
        if self._in_hand:
            self._booked = amount
        else:
            self._busy = False
            self._look_after()  # the seat has chips now, but may still sit out

    async def _sit_in(self) -> None:
        answer = await self.link.ask(m.SitIn(id=self.link.number(), table=self.table, post=True))
        if isinstance(answer, m.Error):
            self._count_refusal(answer)

    def _stand_up(self) -> None:
        if not self._standing_up:
            self._standing_up = True
            self.spawn(self._standing())

    async def _standing(self) -> None:
        answer = await self.link.ask(m.StandUp(id=self.link.number(), table=self.table))
        if isinstance(answer, m.Error):
            self._count_refusal(answer)
            if answer.code == Code.NOT_SEATED:
                self.finish(CashOutcome.BROKE if self._broke else CashOutcome.LEFT)
            elif answer.code != Code.LEAVING:
                self._standing_up = False  # try again after the next hand

    def _count_refusal(self, error: m.Error) -> None:
        if error.code in _SEAT_MOVED_ON or error.code == Code.INSUFFICIENT_BALANCE:
            self.tally.races[error.code] += 1
        else:
            self.tally.errors[error.code] += 1
