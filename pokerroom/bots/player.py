"""A bot's play at one table: answers turns, keeps chips in front of it, stands up when told to.

It follows the table by sequence numbers as the protocol asks, but keeps no picture of it: its own seat is all
it looks at. It knows neither accounts nor how the connection came about.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from enum import Enum, auto
from time import perf_counter
from typing import Any, Final

from pokerroom.bots.link import Link, LinkLost
from pokerroom.bots.policy import Decision, Options, Policy
from pokerroom.bots.tally import TableWatch, Tally
from pokerroom_protocol import Code, Encoding, decode_server
from pokerroom_protocol import messages as m

EXCUSED_AFTER_S: Final = 60.0
SLOW_ANSWER_S: Final = 5.0
RATE_LIMITED_PAUSE_S: Final = 0.25

# A decision that crossed with the clock, or with the end of the connection it was first sent over.
_CROSSED: Final = frozenset({Code.STALE_SEQ, Code.NOT_YOUR_TURN, Code.WRONG_HAND, Code.NO_HAND})
# A wish that crossed with a change of the own seat.
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


class Outcome(Enum):
    """How a stay at a table ends."""

    LEFT = auto()
    BROKE = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The table a bot is sent to. `buy_in` in the smallest unit; chips are topped up to it below half."""

    name: str
    buy_in: int
    watch: TableWatch


@dataclass(frozen=True, slots=True)
class _Asked:
    """A turn of ours: which, since when, and what was answered."""

    hand_id: str
    seq: int
    asked_at: float


class Player:
    """See the module. Feed it every message of the connection; await `outcome`."""

    def __init__(
        self,
        *,
        link: Link,
        table: Table,
        policy: Policy,
        tally: Tally,
        wallet: int,
        delay_s: Callable[[], float],
        came_back_at: float | None,
    ) -> None:
        self.link = link
        self._table = table
        self._policy = policy
        self._tally = tally
        self._wallet = wallet
        self._delay_s = delay_s
        self._came_back_at = came_back_at
        self._loop = asyncio.get_running_loop()
        self._outcome: asyncio.Future[Outcome] = self._loop.create_future()
        self._tasks: set[asyncio.Task[None]] = set()
        self._handlers = {
            "turn": self._on_turn,
            "acted": self._on_acted,
            "hand_started": self._on_hand_started,
            "hand_ended": self._on_hand_ended,
            "seat_changed": self._on_seat_changed,
            "seat_left": self._on_seat_left,
        }
        self._seq: int | None = None  # None: no snapshot yet
        self._healing: int | None = None  # our get_snapshot under way
        self._seat: int | None = None
        self._in_hand = False
        self._own = (0, "waiting")  # stack and status, as last told
        self._booked = 0  # topped up during this hand, added when it ends
        self._asked: _Asked | None = None
        self._thinking: asyncio.TimerHandle | None = None  # sends the decision
        self._act: tuple[m.Act, float] | None = None  # under way, and when it was sent
        self._busy = False  # a top-up or sit-in is under way
        self._stopping = False
        self._standing_up = False
        self._broke = False

    async def outcome(self) -> Outcome:
        """Waits for the end of the stay; raises `LinkLost` when the connection ends first."""
        return await self._outcome

    def stop(self) -> None:
        """Stands up, after the hand if one is being played."""
        self._stopping = True
        if self._seat is not None and not self._in_hand:
            self._stand_up()

    def link_lost(self) -> None:
        """The connection is gone; somebody else goes on."""
        if not self._outcome.done():
            self._outcome.set_exception(LinkLost("connection lost"))
            self._outcome.exception()  # nobody may be waiting yet

    def close(self) -> None:
        """Ends what is still under way."""
        for task in self._tasks:
            task.cancel()
        self._turn_over()
        self._set_seat(None)

    # --- messages -------------------------------------------------------------------------------------------

    def on_message(self, fields: dict[str, Any], body: bytes) -> None:
        """Any message of the connection, in order."""
        kind = fields["type"]
        seq = fields.get("seq")
        if seq is None:
            if kind == "error":
                self._on_error(fields)
            return
        if fields.get("table") != self._table.name:
            return
        if kind == "snapshot":
            self._on_snapshot(body)
            return
        if self._seq is None or seq <= self._seq:
            return
        if seq != self._seq + 1:
            self._heal()
            return
        self._seq = seq
        handler = self._handlers.get(kind)
        if handler is not None:
            handler(fields, body)

    def _heal(self) -> None:
        if self._healing is None:
            self._tally.gaps += 1
            self._healing = self.link.number()
            self.link.send(m.GetSnapshot(id=self._healing, table=self._table.name))

    def _on_snapshot(self, body: bytes) -> None:
        snapshot = decode_server(body, Encoding.MSGPACK)
        assert isinstance(snapshot, m.Snapshot)
        self._healing = None
        self._turn_over()
        self._seq = snapshot.seq
        self._set_seat(snapshot.your_seat)
        own = next((seat for seat in snapshot.seats if seat.seat == self._seat), None)
        if own is None:
            self._finish(Outcome.BROKE if self._broke else Outcome.LEFT)
            return
        hand = snapshot.hand
        self._in_hand = hand is not None and own.in_hand
        if hand is not None and hand.turn is not None and hand.turn.seat == self._seat:
            turn = hand.turn  # the turn event went to an earlier connection
            self._consider(hand.hand_id, turn.seq, _options(turn))
        if self._stopping and not self._in_hand:
            self._stand_up()
        else:
            self._own = (own.stack, own.status)
            self._look_after()

    def _on_error(self, fields: dict[str, Any]) -> None:
        """A refusal that nobody waits for: of `act`, or of `get_snapshot`."""
        act = self._act
        code, re = fields["code"], fields["re"]
        if re is None or re == self._healing:
            self._healing = None  # the next event asks again
            self._tally.errors[code] += 1
            return
        if act is None or re != act[0].id:
            return
        self._act = None
        now = self._loop.time()
        late = self._asked is None or now - self._asked.asked_at > SLOW_ANSWER_S
        came_back = self._came_back_at is not None and now - self._came_back_at < EXCUSED_AFTER_S
        if code == Code.LEAVING or (code in _CROSSED and (late or came_back or self._standing_up)):
            self._tally.races[code] += 1
            return
        self._tally.errors[code] += 1
        if code == Code.RATE_LIMITED:
            self._loop.call_later(RATE_LIMITED_PAUSE_S, self._send_act, act[0])
        elif act[0].action in {"raise", "call", "check"} and code not in _CROSSED:
            # The room and the bot disagree about what is legal: counted above; a fold is always possible.
            self._send_act(
                _act_message(self._table.name, act[0].hand_id, act[0].seq, Decision(action="fold"))
            )

    # --- hands ----------------------------------------------------------------------------------------------

    def _on_turn(self, fields: dict[str, Any], body: bytes) -> None:
        if fields["seat"] != self._seat:
            return
        turn = decode_server(body, Encoding.MSGPACK)
        assert isinstance(turn, m.Turn)
        if self._asked is not None and self._asked.hand_id == turn.hand_id and (self._act or self._thinking):
            return  # the same decision with another deadline: the number it was first asked with stays good
        self._consider(turn.hand_id, turn.seq, _options(turn))

    def _consider(self, hand_id: str, seq: int, options: Options) -> None:
        self._turn_over()
        self._asked = _Asked(hand_id, seq, self._loop.time())
        message = _act_message(self._table.name, hand_id, seq, self._policy.decide(options))
        delay_s = self._delay_s()
        if delay_s > 0:
            self._thinking = self._loop.call_later(delay_s, self._send_act, message)
        else:
            self._send_act(message)

    def _turn_over(self) -> None:
        self._asked = self._act = None
        if self._thinking is not None:
            self._thinking.cancel()
            self._thinking = None

    def _send_act(self, message: m.Act) -> None:
        self._thinking = None
        asked = self._asked
        if asked is None or (asked.hand_id, asked.seq) != (message.hand_id, message.seq):
            return  # decided by the clock meanwhile
        numbered = m.Act(
            id=self.link.number(),
            table=message.table,
            hand_id=message.hand_id,
            seq=message.seq,
            action=message.action,
            amount=message.amount,
        )
        self._act = (numbered, perf_counter())
        self.link.send(numbered)

    def _on_acted(self, fields: dict[str, Any], _body: bytes) -> None:
        if fields["seat"] != self._seat:
            return
        act = self._act
        self._turn_over()
        if fields["by_clock"]:
            self._tally.timeouts += 1
        elif act is not None:
            self._tally.acted(perf_counter() - act[1])

    def _on_hand_started(self, fields: dict[str, Any], _body: bytes) -> None:
        self._tally.hand_started()
        self._booked = 0
        stacks = [seat["stack"] for seat in fields["seats"] if seat["seat"] == self._seat]
        self._in_hand = bool(stacks)
        if stacks:
            self._own = (stacks[0], "playing")
            self._look_after()

    def _on_hand_ended(self, fields: dict[str, Any], _body: bytes) -> None:
        if self._table.watch.hand_ended(fields["hand_id"]):
            self._tally.hand_ended(void=fields.get("void", False))
        self._in_hand = False
        self._turn_over()
        if self._stopping:
            self._stand_up()
            return
        # Who has lost all gets a `seat_changed` next; others look at their stack when the next hand starts.
        self._booked = 0

    # --- the own seat ---------------------------------------------------------------------------------------

    def _on_seat_changed(self, fields: dict[str, Any], _body: bytes) -> None:
        if fields["seat"] == self._seat and not self._in_hand:
            self._own = (fields["stack"], fields["status"])
            self._look_after()

    def _on_seat_left(self, fields: dict[str, Any], _body: bytes) -> None:
        if fields["seat"] == self._seat:
            self._set_seat(None)
            self._finish(Outcome.BROKE if self._broke else Outcome.LEFT)

    def _set_seat(self, seat: int | None) -> None:
        by = (seat is not None) - (self._seat is not None)
        self._seat = seat
        if by:
            self._tally.seated += by
            self._table.watch.seat_changed(by)

    def _look_after(self) -> None:
        """Chips below half a buy-in are topped up, a seat that sits out is sat in, one without any hope left."""
        if self._busy or self._stopping or self._standing_up or self._booked:
            return
        stack, status = self._own
        missing = min(self._table.buy_in - stack, self._wallet)
        if 2 * stack < self._table.buy_in and missing > 0:
            self._start(self._top_up(missing))
        elif stack == 0:
            self._broke = True
            self._stand_up()
        elif status == "sitting_out":
            self._start(self._sit_in())

    def _start(self, wish: Coroutine[Any, Any, None]) -> None:
        self._busy = True
        self._spawn(wish)

    def _spawn(self, wish: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(self._unless_lost(wish))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _unless_lost(self, wish: Coroutine[Any, Any, None]) -> None:
        try:
            await wish
        except LinkLost:
            pass  # `link_lost` has told it
        finally:
            self._busy = False

    async def _top_up(self, amount: int) -> None:
        request = m.TopUp(id=self.link.number(), table=self._table.name, amount=amount)
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
            self._look_after()  # the seat has chips now, and may still sit out

    async def _sit_in(self) -> None:
        answer = await self.link.ask(m.SitIn(id=self.link.number(), table=self._table.name, post=True))
        if isinstance(answer, m.Error):
            self._count_refusal(answer)

    def _stand_up(self) -> None:
        if not self._standing_up:
            self._standing_up = True
            self._spawn(self._standing())

    async def _standing(self) -> None:
        answer = await self.link.ask(m.StandUp(id=self.link.number(), table=self._table.name))
        if isinstance(answer, m.Error):
            self._count_refusal(answer)
            if answer.code == Code.NOT_SEATED:
                self._finish(Outcome.BROKE if self._broke else Outcome.LEFT)
            elif answer.code != Code.LEAVING:
                self._standing_up = False  # tried again after the next hand

    def _count_refusal(self, error: m.Error) -> None:
        if error.code in _SEAT_MOVED_ON or error.code == Code.INSUFFICIENT_BALANCE:
            self._tally.races[error.code] += 1
        else:
            self._tally.errors[error.code] += 1

    def _finish(self, outcome: Outcome) -> None:
        if not self._outcome.done():
            self._outcome.set_result(outcome)


def _options(turn: m.Turn | m.TurnView) -> Options:
    return Options(
        check=turn.check,
        call_amount=turn.call_amount,
        min_raise_to=turn.min_raise_to,
        max_raise_to=turn.max_raise_to,
    )


def _act_message(table: str, hand_id: str, seq: int, decision: Decision) -> m.Act:
    return m.Act(id=0, table=table, hand_id=hand_id, seq=seq, action=decision.action, amount=decision.amount)
