"""A bot at one table where hands are dealt: it answers the turns of its seat.

It keeps no state of the table but its own seat. The subclasses do the rest: `cash_player` keeps chips on the table,
`sng_player` plays a tournament to its end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final

from msgspec.structs import replace

from pokerroom.bots.connection import BotConnectionLost
from pokerroom.bots.policy import Decision, Options, Policy, options_of
from pokerroom.bots.stay import End, Handler, Stay, StayContext
from pokerroom_protocol import Code, Encoding, decode_server
from pokerroom_protocol import messages as m

SLOW_ANSWER_S: Final = 5.0
AGAIN_S: Final = 0.25

# Refusals of a decision that crossed with the clock, or that was first sent over a lost connection.
_CROSSED: Final = frozenset({Code.STALE_SEQ, Code.NOT_YOUR_TURN, Code.WRONG_HAND, Code.NO_HAND})
# The table moves to another node: the bot asks again there if its turn is not over.
_NOT_NOW: Final = frozenset({Code.UNAVAILABLE, Code.SHUTTING_DOWN})


@dataclass(frozen=True, slots=True)
class _Asked:
    """A turn of this seat, and when it came, in seconds of the event loop."""

    hand_id: str
    seq: int
    asked_at: float


class HandStay(Stay[End]):
    """See the module."""

    def __init__(self, context: StayContext, policy: Policy) -> None:
        super().__init__(context)
        self.policy = policy
        self._tasks: set[asyncio.Task[None]] = set()
        self._asked: _Asked | None = None
        self._thinking: asyncio.TimerHandle | None = None  # sends the decision
        self._act: tuple[m.Act, float] | None = None  # the unanswered request, and when it was sent

    # --- what a subclass says -------------------------------------------------------------------------------

    def on_snapshot(self, snapshot: m.Snapshot) -> m.SeatView | None:
        """Take a new snapshot: set `seat`, and return the bot's own seat if it has one."""
        raise NotImplementedError

    def on_own_turn(self) -> bool:
        """Tell whether the bot answers this turn."""
        return True

    def is_leaving(self) -> bool:
        """Tell whether a decision may cross with the bot's own leaving."""
        return False

    # --- what a stay implements -------------------------------------------------------------------------------

    def handlers(self) -> dict[str, Handler]:
        return {"turn": self._on_turn, "acted": self._on_acted}

    def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        self.turn_over()
        super().close()

    def on_table(self, body: bytes) -> None:
        snapshot = decode_server(body, Encoding.MSGPACK)
        assert isinstance(snapshot, m.Snapshot)
        self.turn_over()
        self._seq = snapshot.seq
        own = self.on_snapshot(snapshot)
        hand = snapshot.hand
        if own is not None and hand is not None and hand.turn is not None and hand.turn.seat == self.seat:
            turn = hand.turn  # the turn event went to an earlier connection
            self._consider(hand.hand_id, turn.seq, options_of(turn))

    def on_answer(self, kind: str, fields: dict[str, Any]) -> None:
        """See `Stay`: a refusal without an awaiting caller belongs to `act` or `get_snapshot`."""
        if kind != "error":
            return
        act = self._act
        code, re = fields["code"], fields["re"]
        if re is None or re == self._healing:
            self._healing = None  # the next event asks again
            self.tally.errors[code] += 1
            return
        if act is None or re != act[0].id:
            return
        self._act = None
        late = self._asked is None or self._loop.time() - self._asked.asked_at > SLOW_ANSWER_S
        if code in _NOT_NOW:
            self.tally.races[code] += 1
            self._loop.call_later(AGAIN_S, self._send_act, act[0])
            return
        if code == Code.LEAVING or (code in _CROSSED and (late or self.attached() or self.is_leaving())):
            self.tally.races[code] += 1
            return
        self.tally.errors[code] += 1
        if code == Code.RATE_LIMITED:
            self._loop.call_later(AGAIN_S, self._send_act, act[0])
        elif act[0].action in {"raise", "call", "check"} and code not in _CROSSED:
            # The room and the bot disagree about what is legal; counted above. A fold is always legal.
            self._send_act(_act_message(self.table, act[0].hand_id, act[0].seq, Decision(action="fold")))

    # --- turns ----------------------------------------------------------------------------------------------

    def _on_turn(self, fields: dict[str, Any], body: bytes) -> None:
        if fields["seat"] != self.seat:
            return
        turn = decode_server(body, Encoding.MSGPACK)
        assert isinstance(turn, m.Turn)
        if self._asked is not None and self._asked.hand_id == turn.hand_id and (self._act or self._thinking):
            return  # the same decision with another deadline: its first number stays valid
        self._consider(turn.hand_id, turn.seq, options_of(turn))

    def _consider(self, hand_id: str, seq: int, options: Options) -> None:
        self.turn_over()
        self._asked = _Asked(hand_id, seq, self._loop.time())
        if not self.on_own_turn():
            return
        message = _act_message(self.table, hand_id, seq, self.policy.decide(options))
        delay_s = self._delay_s()
        if delay_s > 0:
            self._thinking = self._loop.call_later(delay_s, self._send_act, message)
        else:
            self._send_act(message)

    def turn_over(self) -> None:
        """Forget the decision: none is pending now."""
        self._asked = self._act = None
        if self._thinking is not None:
            self._thinking.cancel()
            self._thinking = None

    def _send_act(self, message: m.Act) -> None:
        self._thinking = None
        asked = self._asked
        if asked is None or (asked.hand_id, asked.seq) != (message.hand_id, message.seq):
            return  # the clock has decided meanwhile
        numbered = replace(message, id=self.link.number())
        self._act = (numbered, perf_counter())
        self.link.send(numbered)

    def _on_acted(self, fields: dict[str, Any], _body: bytes) -> None:
        if fields["seat"] != self.seat:
            return
        act = self._act
        self.turn_over()
        if fields["by_clock"]:
            self.tally.timeouts += 1
        elif act is not None:
            self.tally.acted(perf_counter() - act[1])

    # --- requests ---------------------------------------------------------------------------------------------

    def spawn(self, request: Coroutine[Any, Any, None]) -> None:
        """Run it in a task of its own, until the connection ends."""
        task = self._loop.create_task(_unless_lost(request))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: request.close())  # it never began, if the task was cancelled at once


async def _unless_lost(request: Coroutine[Any, Any, None]) -> None:
    with suppress(BotConnectionLost):  # the owner of the connection knows
        await request


def _act_message(table: str, hand_id: str, seq: int, decision: Decision) -> m.Act:
    return m.Act(id=0, table=table, hand_id=hand_id, seq=seq, action=decision.action, amount=decision.amount)
