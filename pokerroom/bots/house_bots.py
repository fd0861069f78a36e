"""The house bots: they fill the seats that a table reserves for bots and that players leave free, and sit-and-gos.

`HouseBots` reads the lobby as a client and starts its bots as clients. The room opens their accounts: `enter` returns a
session token for a name. When players come, bots leave; a lone player keeps an opponent (`wanted`).
"""

from __future__ import annotations

import asyncio
from itertools import count
from typing import Final

import structlog

from pokerroom.bots.house_bot import HouseBot, HouseBotSeat
from pokerroom.bots.house_entrants import HouseEntrants
from pokerroom.bots.house_slots import BotSlot, HouseBotsContext, drop
from pokerroom.bots.house_turns import CLIENT, Pace
from pokerroom.bots.strategy import Strategy, style_of
from pokerroom_protocol import ConnectionEnded, PokerClient, RequestRefused
from pokerroom_protocol import messages as m

LOOK_S: Final = 1.0
_log = structlog.get_logger()


class HouseBots:
    """See the module."""

    def __init__(self, context: HouseBotsContext) -> None:
        self._context = context
        self._tables: dict[str, list[BotSlot[HouseBot]]] = {}
        """The slots of each table with house bots."""
        self._numbers = count()
        self._entrants = HouseEntrants(context, self._numbers)
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to watch the lobby."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    def rest(self) -> None:
        """Start no more bots. Seated bots finish their hands without delay."""
        self._entrants.hurry()
        for slot in self._slots:
            if slot.bot is not None:
                slot.bot.pace.hurries = True
        if self._task is not None:
            self._task.cancel()

    async def stop(self) -> None:
        """End every bot's connection. The bots keep their seats, as players do, also over a restart of the room."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await self._drop_all()

    async def _run(self) -> None:
        while True:
            try:
                await self._watch()
            except (OSError, ConnectionEnded, RequestRefused) as failure:
                _log.info("house_bots.disconnected", reason=type(failure).__name__)
            await asyncio.sleep(LOOK_S)

    async def _watch(self) -> None:
        """Read the lobby again and again, and adjust the bots to it, until the connection ends."""
        client = await PokerClient.connect(self._context.host, self._context.port, client=CLIENT)
        try:
            while True:
                if self._context.may_play():
                    lobby = await client.request(m.ListTables(id=0), m.Tables)
                    for info in lobby.tables:
                        self._plan(info)
                    offers = await client.request(m.ListSitAndGos(id=0), m.SitAndGos)
                    scheduled = await client.request(m.ListTournaments(id=0), m.Tournaments)
                    now = await client.request(m.Ping(id=0), m.Pong)
                    self._entrants.plan(offers.sit_and_gos, scheduled.tournaments, now.server_time_ms)
                else:
                    await client.request(m.Ping(id=0), m.Pong)
                    await self._drop_all()
                await asyncio.sleep(LOOK_S)
        finally:
            client.close()

    async def _drop_all(self) -> None:
        await drop(self._slots)
        await self._entrants.drop()

    @property
    def _slots(self) -> list[BotSlot[HouseBot]]:
        return [slot for slots in self._tables.values() for slot in slots]

    # --- how many ---------------------------------------------------------------------------------------------

    def _plan(self, info: m.TableInfo) -> None:
        if not info.house_bots:
            return
        slots = self._tables.get(info.table)
        if slots is None:
            slots = [BotSlot[HouseBot](next(self._numbers)) for _ in range(info.house_bots)]
            self._tables[info.table] = slots
        if not self._find(slots, info):
            return  # until every bot has checked for its seat, the number of players is not known
        bots = [slot for slot in slots if slot.bot is not None]
        seated = sum(slot.bot.seated for slot in bots if slot.bot)
        held, playing = max(0, info.occupied - seated), max(0, info.players - seated)
        bots_wanted = wanted(info, held=held, playing=playing)
        staying = [slot for slot in bots if slot.bot and not slot.bot.leaving]
        if len(staying) > bots_wanted:
            slot = staying[-1]
            assert slot.bot is not None
            slot.bot.leave()
        elif len(staying) < bots_wanted:
            free = next((slot for slot in slots if slot.is_free()), None)
            if free is not None:
                self._send(free, info)

    def _find(self, slots: list[BotSlot[HouseBot]], info: m.TableInfo) -> bool:
        """Let each bot check whether it has a seat already; return whether all have checked."""
        for slot in slots:
            if slot.bot is not None and slot.bot.seated:
                slot.found = True
            elif not slot.found and slot.is_free():
                self._send(slot, info)
        return all(slot.found for slot in slots)

    def _send(self, slot: BotSlot[HouseBot], info: m.TableInfo) -> None:
        context = self._context
        place = HouseBotSeat(
            host=context.host,
            port=context.port,
            table=info.table,
            buy_in=max(info.min_buy_in, info.max_buy_in * 6 // 10),
        )
        strategy = Strategy(style_of(slot.number), context.seed + slot.number)
        bot, only_if_seated = HouseBot(place, strategy, Pace(context.think_ms)), not slot.found
        slot.send(context, bot, lambda token: bot.run(token, only_if_seated=only_if_seated))


def wanted(info: m.TableInfo, *, held: int, playing: int) -> int:
    """Return how many bots a table should have where people hold `held` seats, and `playing` of them are there to play.

    One seat stays free, and one for each player on the waiting list. But a lone player keeps an opponent, also where
    that takes the last seat: a bot leaves only when a player waits for its seat.
    """
    if info.closing:
        return 0
    room = info.seats - held
    bots = min(info.house_bots, room - max(1, info.waiting))
    if playing <= 1 and not info.waiting:
        bots = max(bots, min(info.house_bots, room, 1))
    return max(0, bots)
