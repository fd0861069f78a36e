"""What house bots of every kind do: answer turns at a table after some thought, and keep the connection alive."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final

from pokerroom.bots.policy import Decision, options_of
from pokerroom.bots.strategy import Situation, Strategy
from pokerroom_protocol import ConnectionEnded, PokerClient, RequestRefused
from pokerroom_protocol import messages as m

CLIENT: Final = "pokerroom house bot"
ALONE_TIMES: Final = 3
"""[D] How many times longer bots think where no player waits for them."""


class OutOfMoney(Exception):  # noqa: N818 -- how a stay ends
    """Raised when the account cannot buy in: its wallet is too small, or it must bring back more than its buy-in."""


def pace_ms(think_ms: int, *, people: bool, hurries: bool) -> int:
    """Return the shortest delay of a decision: longer where no player waits, 0 when the room stops."""
    if hurries:
        return 0
    return think_ms * (1 if people else ALONE_TIMES)


async def beat(client: PokerClient) -> None:
    """Ping until cancelled, so that the room does not take the connection for dead."""
    assert client.welcome is not None
    while True:
        await asyncio.sleep(client.welcome.idle_s / 3)
        await client.request(m.Ping(id=0), m.Pong)


class HouseTurns:
    """Answers the turns of one seat. `think_ms` returns the shortest delay of a decision at a table, in ms."""

    def __init__(self, strategy: Strategy, think_ms: Callable[[m.Snapshot], int]) -> None:
        self._strategy = strategy
        self._think_ms = think_ms
        self._answered: tuple[str, int] | None = None
        self._thinking: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def look(self, client: PokerClient, table: m.Snapshot) -> None:
        """Begin to think if it is the bot's turn."""
        hand = table.hand
        if hand is None or hand.turn is None or hand.turn.seat != table.your_seat:
            return
        if self._answered == (hand.hand_id, hand.turn.seq) or self._thinking is not None:
            return
        least = self._think_ms(table)
        delay_ms = least + self._strategy.below(least + 1)
        self._thinking = asyncio.get_running_loop().call_later(
            delay_ms / 1000, self._act, client, table.table
        )

    def stop(self) -> None:
        """Answer nothing more."""
        if self._thinking is not None:
            self._thinking.cancel()
        for task in self._tasks:
            task.cancel()

    def _act(self, client: PokerClient, name: str) -> None:
        self._thinking = None
        table = client.session.tables.get(name)
        hand = None if table is None else table.hand
        if table is None or hand is None or hand.turn is None or hand.turn.seat != table.your_seat:
            return  # the decision is over
        decision = self._decide(table, hand, hand.turn)
        self._answered = hand.hand_id, hand.turn.seq
        act = m.Act(
            id=0,
            table=name,
            hand_id=hand.hand_id,
            seq=hand.turn.seq,
            action=decision.action,
            amount=decision.amount,
        )
        task = asyncio.get_running_loop().create_task(_asked(client, act))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _decide(self, table: m.Snapshot, hand: m.HandView, turn: m.TurnView) -> Decision:
        own = next(seat for seat in table.seats if seat.seat == turn.seat)
        situation = Situation(
            options=options_of(turn),
            hole=own.cards or (),
            board=hand.board,
            opponents=max(1, sum(seat.in_hand for seat in table.seats) - 1),
            pot=sum(pot.amount for pot in hand.pots) + sum(seat.bet for seat in table.seats),
            own_bet=own.bet,
        )
        return self._strategy.decide(situation)


async def _asked(client: PokerClient, message: m.ClientMessage) -> None:
    # refused: the clock was faster; ended: the bot's `run` ends with the same exception
    with contextlib.suppress(RequestRefused, ConnectionEnded):
        await client.request(message, m.Ok)
