"""One bot of the house at one table: it resumes its account, sits down, plays as people do, and makes room when told.

It is a client like any other and sees what its seat may see. Where its account comes from, and at which table it is
wanted, is told it (see `house`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pokerroom.bots.judgement import Judgement, Situation
from pokerroom.bots.policy import Decision, Options
from pokerroom_protocol import Code, ConnectionEnded, PokerClient, Refused
from pokerroom_protocol import messages as m

CLIENT: Final = "pokerroom house bot"
LEAVE_S: Final = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a bot plays. `buy_in` is in the smallest unit."""

    host: str
    port: int
    table: str
    buy_in: int


class Broke(Exception):  # noqa: N818 -- how a stay ends
    """The account cannot buy in: its money is gone, or too much of it has been won here a short while ago."""


class Regular:
    """See the module. `think_ms` says how long it thinks about a decision now, at least."""

    def __init__(self, place: Place, judgement: Judgement, think_ms: Callable[[], int]) -> None:
        self._place = place
        self._judgement = judgement
        self._think_ms = think_ms
        self._client: PokerClient | None = None
        self._answered: tuple[str, int] | None = None
        self._thinking: asyncio.TimerHandle | None = None
        self._wishes: set[asyncio.Task[None]] = set()
        self._wishing = False
        self._left = asyncio.Event()
        self.seated = False
        """Whether it holds a seat, as far as it knows."""
        self.leaving = False
        """Whether it was told to make room."""

    async def run(self, token: str, *, only_if_seated: bool = False) -> None:
        """Plays until told to leave, or the connection ends; a bot that has no seat yet may be told not to take one.

        Raises `Broke`, `Refused`, `ConnectionEnded`, OSError.
        """
        client = self._client = await PokerClient.connect(self._place.host, self._place.port, client=CLIENT)
        beat = asyncio.create_task(self._beat(client))
        try:
            who = await client.request(m.Resume(id=0, token=token), m.Authenticated)
            for table in who.tables:
                if table != self._place.table:  # from before the settings were changed
                    await client.request(m.Observe(id=0, table=table), m.Snapshot)
                    await client.request(m.StandUp(id=0, table=table), m.Ok)
            if only_if_seated and self._place.table not in who.tables:
                await client.request(m.LogOut(id=0), m.Ok)
                return
            await self._take_seat(client, seated=self._place.table in who.tables)
            self._look()
            async for _ in client:
                self._look()
                if self._left.is_set():
                    break
            if self._left.is_set():
                await client.request(m.LogOut(id=0), m.Ok)
        finally:
            self.seated = False
            beat.cancel()
            if self._thinking is not None:
                self._thinking.cancel()
            for wish in self._wishes:
                wish.cancel()
            client.close()

    def leave(self) -> None:
        """Makes room: stands up, after the hand if one is being played."""
        self.leaving = True
        self._look()

    async def _beat(self, client: PokerClient) -> None:
        assert client.welcome is not None
        while True:
            await asyncio.sleep(client.welcome.idle_s / 3)
            await client.request(m.Ping(id=0), m.Pong)

    async def _take_seat(self, client: PokerClient, *, seated: bool) -> None:
        table = self._place.table
        if seated:
            await client.request(m.Observe(id=0, table=table), m.Snapshot)
        else:
            try:
                await client.request(
                    m.SitDown(id=0, table=table, buy_in=self._place.buy_in, post=True), m.Snapshot
                )
            except Refused as refused:
                if refused.code in {Code.INSUFFICIENT_BALANCE, Code.BRING_BACK}:
                    raise Broke from refused
                raise
        self.seated = True

    # --- at the table -----------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Does what the table asks for as it is now."""
        client = self._client
        table = None if client is None else client.session.tables.get(self._place.table)
        if table is None or not self.seated:
            return
        own = next((seat for seat in table.seats if seat.seat == table.your_seat), None)
        if own is None:
            self.seated = False
            self._left.set()
            return
        hand = table.hand
        if hand is not None and hand.turn is not None and hand.turn.seat == own.seat:
            self._consider(hand, hand.turn)
        if self.leaving:
            if not own.in_hand and own.status != "leaving":
                self._wish(m.StandUp(id=0, table=self._place.table))
        elif not own.in_hand and 2 * own.stack < self._place.buy_in:
            self._wish(m.TopUp(id=0, table=self._place.table, amount=self._place.buy_in - own.stack))
        elif own.status == "sitting_out" and own.stack > 0:
            self._wish(m.SitIn(id=0, table=self._place.table, post=True))

    def _wish(self, message: m.ClientMessage) -> None:
        if not self._wishing:
            self._wishing = True
            task = asyncio.get_running_loop().create_task(self._asked(message))
            self._wishes.add(task)
            task.add_done_callback(self._wishes.discard)

    async def _asked(self, message: m.ClientMessage) -> None:
        assert self._client is not None
        try:
            await self._client.request(message, m.Ok)
        except Refused as refused:
            if refused.code == Code.INSUFFICIENT_BALANCE:
                self.leaving = True  # what is left in front of it goes along
        except ConnectionEnded:
            pass  # `run` hears of it
        finally:
            self._wishing = False

    def _consider(self, hand: m.HandView, turn: m.TurnView) -> None:
        if self._answered == (hand.hand_id, turn.seq) or self._thinking is not None:
            return
        least = self._think_ms()
        delay_ms = least + self._judgement.below(least + 1)
        self._thinking = asyncio.get_running_loop().call_later(delay_ms / 1000, self._act)

    def _act(self) -> None:
        self._thinking = None
        assert self._client is not None
        table = self._client.session.tables.get(self._place.table)
        hand = None if table is None else table.hand
        if table is None or hand is None or hand.turn is None or hand.turn.seat != table.your_seat:
            return  # decided meanwhile
        decision = self._decide(table, hand, hand.turn)
        self._answered = hand.hand_id, hand.turn.seq
        act = m.Act(
            id=0,
            table=table.table,
            hand_id=hand.hand_id,
            seq=hand.turn.seq,
            action=decision.action,
            amount=decision.amount,
        )
        task = asyncio.get_running_loop().create_task(self._asked(act))
        self._wishes.add(task)
        task.add_done_callback(self._wishes.discard)

    def _decide(self, table: m.Snapshot, hand: m.HandView, turn: m.TurnView) -> Decision:
        own = next(seat for seat in table.seats if seat.seat == turn.seat)
        options = Options(
            check=turn.check,
            call_amount=turn.call_amount,
            min_raise_to=turn.min_raise_to,
            max_raise_to=turn.max_raise_to,
        )
        situation = Situation(
            options=options,
            hole=own.cards or (),
            board=hand.board,
            opponents=max(1, sum(seat.in_hand for seat in table.seats) - 1),
            pot=sum(pot.amount for pot in hand.pots) + sum(seat.bet for seat in table.seats),
            own_bet=own.bet,
        )
        return self._judgement.decide(situation)
