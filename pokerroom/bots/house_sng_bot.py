"""One house bot in one tournament: it registers, plays to its end, and logs out.

It is a client like any other. A bot of an earlier run of the room finds the tournament that its account is in.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from pokerroom.bots.house_turns import CLIENT, HouseTurns, OutOfMoney, Pace, beat
from pokerroom.bots.strategy import Strategy
from pokerroom_protocol import Code, ConnectionEnded, PokerClient, RequestRefused
from pokerroom_protocol import messages as m
from pokerroom_protocol.table_view import tournament_of

LOOK_S: Final = 2.0
"""How often a bot asks whether its tournament has started, or is over: the message may be lost."""


class HouseSngBot:
    """See the module."""

    def __init__(self, host: str, port: int, strategy: Strategy, pace: Pace) -> None:
        self._host = host
        self._port = port
        self._turns = HouseTurns(strategy, pace)
        self.pace = pace
        self.tournament: str | None = None
        """The tournament, once the bot has registered."""
        self.leaving = False
        """Whether the bot is to unregister, unless the tournament has started."""
        self._scheduled: list[str] = []
        """Tournaments with a start for which the bot has registered."""
        self._refused = 0
        """The last deal that the bot has refused."""
        self._news = asyncio.Event()

    async def run(self, token: str, offer: str | None) -> None:
        """Register for the offer, or for a tournament with a start, and play.

        None: only if the account is in a tournament already.

        Raise `OutOfMoney`, `RequestRefused`, `ConnectionEnded`, OSError.
        """
        client = await PokerClient.connect(self._host, self._port, client=CLIENT)
        beating = asyncio.create_task(beat(client))
        listening = asyncio.create_task(self.listen(client))
        try:
            resumed = await client.request(m.Resume(id=0, token=token), m.Authenticated)
            self.tournament = next((tournament_of(table) for table in resumed.tables if "." in table), None)
            if self.tournament is None:
                self.tournament = await self._registered(client)
            if self.tournament is None and offer is not None:
                self.tournament = await self._register(client, offer)
            if self.tournament is not None and await self._started(client, self.tournament):
                await self._play(client, self.tournament)
            await client.request(m.LogOut(id=0), m.Ok)
        finally:
            beating.cancel()
            listening.cancel()
            self._turns.stop()
            client.close()

    def leave(self) -> None:
        """Unregister, unless the tournament has started."""
        self.leaving = True
        self._news.set()

    async def listen(self, client: PokerClient) -> None:
        """Read what the room tells, and decline rebuys at once, until the connection ends."""
        async for told in client:
            if isinstance(told, m.ChipsOffered) and told.kind == "rebuy":
                await self._decline(client, told.tournament)
            self._news.set()
        self._news.set()

    async def _decline(self, client: PokerClient, tournament: str) -> None:
        """Buy no rebuy, so that the table does not wait: a bot plays for the one stack of its operator [D]."""
        with suppress(RequestRefused, ConnectionEnded):
            await client.request(m.DeclineRebuy(id=0, tournament=tournament), m.Ok)

    async def _wait(self, client: PokerClient) -> None:
        """Wait for the next message, for `LOOK_S` at most. Raises `ConnectionEnded`."""
        try:
            async with asyncio.timeout(LOOK_S):
                await self._news.wait()
        except TimeoutError:
            pass
        self._news.clear()
        if client.ended is not None:
            raise client.ended

    # --- before the start ---------------------------------------------------------------------------------------------

    async def _registered(self, client: PokerClient) -> str | None:
        rows = (await client.request(m.ListSitAndGos(id=0), m.SitAndGos)).sit_and_gos
        entered = [row.your_tournament for row in rows if row.your_tournament is not None]
        listed = (await client.request(m.ListTournaments(id=0), m.Tournaments)).tournaments
        self._scheduled = [row.tournament for row in listed if row.your_status == "registered"]
        return next(iter(entered + self._scheduled), None)

    async def _register(self, client: PokerClient, offer: str) -> str:
        try:
            if "." in offer:
                await client.request(m.RegisterTournament(id=0, tournament=offer), m.TournamentRegistered)
                self._scheduled = [offer]
                return offer
            return (await client.request(m.RegisterSng(id=0, offer=offer), m.SngRegistered)).tournament
        except RequestRefused as refused:
            if refused.code == Code.INSUFFICIENT_BALANCE:
                raise OutOfMoney from refused
            raise

    async def _started(self, client: PokerClient, tournament: str) -> bool:
        """Wait for the start; return False if the bot is not registered any more."""
        while True:
            standings = await client.request(m.GetStandings(id=0, tournament=tournament), m.Standings)
            if standings.phase != "registering":
                return standings.phase == "running"
            if self.leaving and await self._unregistered(client, tournament, standings.offer):
                return False
            await self._wait(client)

    async def _unregistered(self, client: PokerClient, tournament: str, offer: str) -> bool:
        leave = (
            m.UnregisterTournament(id=0, tournament=tournament)
            if tournament in self._scheduled
            else m.UnregisterSng(id=0, offer=offer)
        )
        try:
            await client.request(leave, m.Ok)
        except RequestRefused as refused:
            return refused.code == Code.NOT_REGISTERED  # else it has just started
        return True

    # --- the tournament -----------------------------------------------------------------------------------------------

    async def _play(self, client: PokerClient, tournament: str) -> None:
        """Play at the table where the seat is: the client follows a move by itself."""
        while True:
            table = next((one for one in client.session.tables.values() if one.your_seat is not None), None)
            if table is not None and (table.tournament is None or table.tournament.phase != "running"):
                return
            if table is not None:
                self._turns.look(client, table)
                await self.refuse_deal(client, table)
            elif not await self._looks_for_seat(client, tournament):
                return
            await self._wait(client)

    async def refuse_deal(self, client: PokerClient, table: m.Snapshot) -> None:
        """Refuse a deal at once, so that the players do not wait: the bots play on for their operator [D]."""
        deal = None if table.tournament is None else table.tournament.deal
        if deal is None or deal.deal is None or deal.deal == self._refused:
            return
        self._refused = deal.deal
        with suppress(RequestRefused):
            await client.request(m.AnswerDeal(id=0, table=table.table, deal=deal.deal, accept=False), m.Ok)

    async def _looks_for_seat(self, client: PokerClient, tournament: str) -> bool:
        """Observe the table of the seat; its node may need a moment to open it; return False if there is no seat."""
        state = await client.request(m.GetTournament(id=0, tournament=tournament), m.TournamentState)
        if state.phase != "running" or state.you is None or state.you.status == "out":
            return False
        if state.you.table is not None:
            with suppress(RequestRefused):
                await client.request(m.Observe(id=0, table=state.you.table), m.Snapshot)
                self._news.set()
        return True
