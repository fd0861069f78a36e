"""One house bot at one cash table: it resumes its account, sits down, plays, and leaves when a seat is needed.

It is a client like any other and sees what its seat may see. `house_bots` gives it its account and its table.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from pokerroom.bots.house_turns import CLIENT, HouseTurns, OutOfMoney, Pace, beat
from pokerroom.bots.strategy import Strategy
from pokerroom_protocol import Code, ConnectionEnded, PokerClient, RequestRefused
from pokerroom_protocol import messages as m


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseBotSeat:
    """The place of a house bot. `buy_in` is in the smallest unit."""

    host: str
    port: int
    table: str
    buy_in: int


class HouseBot:
    """See the module."""

    def __init__(self, place: HouseBotSeat, strategy: Strategy, pace: Pace) -> None:
        self._place = place
        self.pace = pace
        self._turns = HouseTurns(strategy, pace)
        self._client: PokerClient | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._busy = False
        self._left = asyncio.Event()
        self.seated = False
        """Whether the bot holds a seat, by its latest snapshot."""
        self.leaving = False
        """Whether the bot was told to leave."""

    async def run(self, token: str, *, only_if_seated: bool = False) -> None:
        """Play until told to leave or until the connection ends. With `only_if_seated`, take no new seat.

        Raise `OutOfMoney`, `RequestRefused`, `ConnectionEnded`, OSError.
        """
        client = self._client = await PokerClient.connect(self._place.host, self._place.port, client=CLIENT)
        beating = asyncio.create_task(beat(client))
        try:
            resumed = await client.request(m.Resume(id=0, token=token), m.Authenticated)
            for table in resumed.tables:
                if table != self._place.table and "." not in table:  # a seat from before the settings changed
                    await client.request(m.Observe(id=0, table=table), m.Snapshot)
                    await client.request(m.StandUp(id=0, table=table), m.Ok)
            if only_if_seated and self._place.table not in resumed.tables:
                await client.request(m.LogOut(id=0), m.Ok)
                return
            await self._take_seat(client, seated=self._place.table in resumed.tables)
            self._look()
            async for _ in client:
                self._look()
                if self._left.is_set():
                    break
            if self._left.is_set():
                await client.request(m.LogOut(id=0), m.Ok)
        finally:
            self.seated = False
            beating.cancel()
            self._turns.stop()
            for task in self._tasks:
                task.cancel()
            client.close()

    def leave(self) -> None:
        """Stand up, after the hand in progress if there is one."""
        self.leaving = True
        self._look()

    async def _take_seat(self, client: PokerClient, *, seated: bool) -> None:
        table = self._place.table
        if seated:
            await client.request(m.Observe(id=0, table=table), m.Snapshot)
        else:
            try:
                await client.request(
                    m.SitDown(id=0, table=table, buy_in=self._place.buy_in, post=True), m.Snapshot
                )
            except RequestRefused as refused:
                if refused.code in {Code.INSUFFICIENT_BALANCE, Code.BRING_BACK}:
                    raise OutOfMoney from refused
                raise
        self.seated = True

    # --- at the table -----------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Do what the current state of the table asks for."""
        client = self._client
        table = None if client is None else client.session.tables.get(self._place.table)
        if client is None or table is None or not self.seated:
            return
        own = next((seat for seat in table.seats if seat.seat == table.your_seat), None)
        if own is None:
            self.seated = False
            self._left.set()
            return
        self._turns.look(client, table)
        if self.leaving:
            if not own.in_hand and own.status != "leaving":
                self._request(m.StandUp(id=0, table=self._place.table))
        elif not own.in_hand and 2 * own.stack < self._place.buy_in:
            self._request(m.TopUp(id=0, table=self._place.table, amount=self._place.buy_in - own.stack))
        elif own.status == "sitting_out" and own.stack > 0:
            self._request(m.SitIn(id=0, table=self._place.table, post=True))

    def _request(self, message: m.ClientMessage) -> None:
        if not self._busy:
            self._busy = True
            task = asyncio.get_running_loop().create_task(self._asked(message))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _asked(self, message: m.ClientMessage) -> None:
        assert self._client is not None
        try:
            await self._client.request(message, m.Ok)
        except RequestRefused as refused:
            if refused.code == Code.INSUFFICIENT_BALANCE:
                self.leaving = True  # it takes its remaining chips along
        except ConnectionEnded:
            pass  # `run` ends with the same exception
        finally:
            self._busy = False
