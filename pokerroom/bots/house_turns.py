"""What house bots of every kind do: answer turns at a table after some thought, and keep the connection alive."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Final

from pokerroom.bots.policy import Decision, options_of
from pokerroom.bots.strategy import Situation, Strategy
from pokerroom_protocol import ConnectionEnded, PokerClient, RequestRefused
from pokerroom_protocol import messages as m

CLIENT: Final = "pokerroom house bot"
ALONE_TIMES: Final = 3
"""[D] How many times longer bots think where no player waits for them."""
NEWCOMER_PART: Final = 6
"""[D] Bots think for this part of their time until a new player has had a turn: a first hand should begin at once."""


class OutOfMoney(Exception):  # noqa: N818 -- how a stay ends
    """Raised when the account cannot buy in: its wallet is too small, or it must bring back more than its buy-in."""


class Pace:
    """How long a bot thinks at a table. `think_ms` is the shortest delay where players are that had a turn already."""

    def __init__(self, think_ms: int) -> None:
        self._think_ms = think_ms
        self._asked: set[str] = set()
        """The players of the table that had a turn."""
        self.hurries = False
        """Whether the bot decides without delay: the room stops."""

    def look(self, table: m.Snapshot) -> None:
        """Take note of the player to act, and forget players that have left."""
        turn = None if table.hand is None else table.hand.turn
        people = {seat.name: seat.seat for seat in table.seats if not seat.bot}
        asked = {name for name, seat in people.items() if turn is not None and seat == turn.seat}
        self._asked = (self._asked & people.keys()) | asked

    def newcomers(self, table: m.Snapshot) -> list[m.SeatView]:
        """Return the players that wait for their first turn at this table."""
        return [
            seat
            for seat in table.seats
            if not seat.bot and seat.name not in self._asked and seat.status in {"playing", "waiting"}
        ]

    def least_ms(self, table: m.Snapshot) -> int:
        """Return the shortest delay of a decision.

        It is longer where no player waits. Until each player has had a turn it is shorter, and 0 in a hand without the
        players that wait for it.
        """
        if self.hurries:
            return 0
        newcomers = self.newcomers(table)
        if newcomers:
            dealt_in = all(seat.in_hand for seat in newcomers)
            return self._think_ms // NEWCOMER_PART if dealt_in else 0
        return self._think_ms * (1 if any(not seat.bot for seat in table.seats) else ALONE_TIMES)


async def beat(client: PokerClient) -> None:
    """Ping until cancelled, so that the room does not take the connection for dead."""
    assert client.welcome is not None
    while True:
        await asyncio.sleep(client.welcome.idle_s / 3)
        await client.request(m.Ping(id=0), m.Pong)


class HouseTurns:
    """Answers the turns of one seat."""

    def __init__(self, strategy: Strategy, pace: Pace) -> None:
        self._strategy = strategy
        self._pace = pace
        self._answered: tuple[str, int] | None = None
        self._thinking: asyncio.TimerHandle | None = None
        self._least_ms = 0
        """The shortest delay of the decision that the bot thinks about."""
        self._tasks: set[asyncio.Task[None]] = set()

    def look(self, client: PokerClient, table: m.Snapshot) -> None:
        """Begin to think if it is the bot's turn."""
        self._pace.look(table)
        hand = table.hand
        if hand is None or hand.turn is None or hand.turn.seat != table.your_seat:
            return
        if self._answered == (hand.hand_id, hand.turn.seq):
            return
        least = self._pace.least_ms(table)
        if self._thinking is not None and least >= self._least_ms:
            return
        self._stop_thinking()  # a player has come: the bot hurries
        self._least_ms = least
        delay_ms = least + self._strategy.below(least + 1)
        self._thinking = asyncio.get_running_loop().call_later(
            delay_ms / 1000, self._act, client, table.table
        )

    def stop(self) -> None:
        """Answer nothing more."""
        self._stop_thinking()
        for task in self._tasks:
            task.cancel()

    def _stop_thinking(self) -> None:
        if self._thinking is not None:
            self._thinking.cancel()
            self._thinking = None

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
        decision = self._strategy.decide(situation)
        if decision.action == "fold" and turn.call_amount <= table.info.big_blind and self._welcomes(table):
            return Decision(action="call")  # a fold may end the hand before the new player has a turn
        return decision

    def _welcomes(self, table: m.Snapshot) -> bool:
        return any(seat.in_hand for seat in self._pace.newcomers(table))


async def _asked(client: PokerClient, message: m.ClientMessage) -> None:
    # refused: the clock was faster; ended: the bot's `run` ends with the same exception
    with contextlib.suppress(RequestRefused, ConnectionEnded):
        await client.request(message, m.Ok)
