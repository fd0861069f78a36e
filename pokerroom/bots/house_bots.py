"""The house bots: they fill the seats that a table reserves for bots and that players leave free.

`HouseBots` reads the lobby as a client and starts its bots as clients. The room opens their accounts: `enter` returns a
session token for a name. When players come, bots leave; a lone player keeps an opponent (`wanted`).
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

import structlog

from pokerroom.bots.house_bot import CLIENT, HouseBot, HouseBotSeat, OutOfMoney
from pokerroom.bots.strategy import Strategy, style_of
from pokerroom_protocol import ConnectionEnded, PokerClient, RequestRefused
from pokerroom_protocol import messages as m

LOOK_S: Final = 1.0
ALONE_TIMES: Final = 3
REST_S: Final = 10.0
"""How long a bot pauses after a refusal or a lost connection."""

_NAMES: Final = (
    "Ada", "Bea", "Cleo", "Dora", "Edda", "Fay", "Gus", "Hugo", "Ida", "Jan", "Kaja", "Leo", "Mia", "Nils", "Ola",
    "Pia", "Quin", "Rita", "Sven", "Tom", "Una", "Vito", "Wanda", "Xeno", "Yara", "Zoe",
)  # fmt: skip

_log = structlog.get_logger()


@dataclass(slots=True)
class _BotSlot:
    """One bot of a table; it keeps its name. `generation` counts the accounts that ran out of money."""

    table: str
    number: int
    generation: int = 0
    rests_until: float = 0.0
    found: bool = False
    """Whether the bot has checked for a seat from an earlier run: a room may have ended with bots at its tables."""
    bot: HouseBot | None = None
    task: asyncio.Task[None] | None = None

    def name(self, prefix: str) -> str:
        """Return the name of the bot's account."""
        again, letter = divmod(self.number, len(_NAMES))
        parts = [_NAMES[letter] + (str(again + 1) if again else "")]
        if self.generation:
            parts.append(str(self.generation + 1))
        return prefix + ".".join(parts)


@dataclass(slots=True)
class _Watched:
    """A table with house bots, as the lobby shows it."""

    slots: list[_BotSlot]
    people: int = 0
    wanted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseBotsContext:
    """What the house bots need. `enter` returns the session token of a bot's account.

    `may_play` tells whether this process runs the bots now. `prefix` begins the names of all bots. `think_ms` is the
    shortest delay of a decision.
    """

    host: str
    port: int
    prefix: str
    think_ms: int
    enter: Callable[[str], Awaitable[str]]
    may_play: Callable[[], bool]
    seed: int = field(default_factory=lambda: secrets.randbits(64))


class HouseBots:
    """See the module."""

    def __init__(self, context: HouseBotsContext) -> None:
        self._context = context
        self._tables: dict[str, _Watched] = {}
        self._numbers = 0
        self._task: asyncio.Task[None] | None = None
        self._resting = False

    def start(self) -> None:
        """Begin to watch the lobby."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    def rest(self) -> None:
        """Start no more bots. Seated bots finish their hands without delay."""
        self._resting = True
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
                else:
                    await client.request(m.Ping(id=0), m.Pong)
                    await self._drop_all()
                await asyncio.sleep(LOOK_S)
        finally:
            client.close()

    async def _drop_all(self) -> None:
        slots = [slot for table in self._tables.values() for slot in table.slots]
        tasks = [slot.task for slot in slots if slot.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for slot in slots:
            slot.found = False

    # --- how many ---------------------------------------------------------------------------------------------

    def _plan(self, info: m.TableInfo) -> None:
        if not info.house_bots:
            return
        table = self._tables.get(info.table)
        if table is None:
            slots = [_BotSlot(info.table, self._numbers + index) for index in range(info.house_bots)]
            self._numbers += info.house_bots
            table = self._tables[info.table] = _Watched(slots)
        if not self._find(table, info):
            return  # until every bot has checked for its seat, the number of players is not known
        bots = [slot for slot in table.slots if slot.bot is not None]
        seated = sum(slot.bot.seated for slot in bots if slot.bot)
        table.people = max(0, info.occupied - seated)
        table.wanted = wanted(info, held=table.people, playing=max(0, info.players - seated))
        staying = [slot for slot in bots if slot.bot and not slot.bot.leaving]
        if len(staying) > table.wanted:
            slot = staying[-1]
            assert slot.bot is not None
            slot.bot.leave()
        elif len(staying) < table.wanted:
            now = asyncio.get_running_loop().time()
            free = [slot for slot in table.slots if slot.bot is None and slot.rests_until <= now]
            if free:
                self._send(free[0], info, table)

    def _find(self, table: _Watched, info: m.TableInfo) -> bool:
        """Let each bot check whether it has a seat already; return whether all have checked."""
        now = asyncio.get_running_loop().time()
        for slot in table.slots:
            if slot.bot is not None and slot.bot.seated:
                slot.found = True
            elif not slot.found and slot.bot is None and slot.rests_until <= now:
                self._send(slot, info, table)
        return all(slot.found for slot in table.slots)

    def _think_ms(self, table: _Watched) -> int:
        """Return the delay of a decision: longer where no player waits [D], 0 when the room stops."""
        if self._resting:
            return 0
        return self._context.think_ms * (1 if table.people else ALONE_TIMES)

    def _send(self, slot: _BotSlot, info: m.TableInfo, table: _Watched) -> None:
        context = self._context
        place = HouseBotSeat(
            host=context.host,
            port=context.port,
            table=info.table,
            buy_in=max(info.min_buy_in, info.max_buy_in * 6 // 10),
        )
        strategy = Strategy(style_of(slot.number), context.seed + slot.number)
        slot.bot = HouseBot(place, strategy, lambda: self._think_ms(table))
        slot.task = asyncio.get_running_loop().create_task(self._run_bot(slot, slot.bot))

    async def _run_bot(self, slot: _BotSlot, bot: HouseBot) -> None:
        """Run one stay of a bot, and note how it ended."""
        try:
            token = await self._context.enter(slot.name(self._context.prefix))
            await bot.run(token, only_if_seated=not slot.found)
            slot.found = True
        except OutOfMoney:
            slot.generation += 1
        except (OSError, ConnectionEnded, RequestRefused) as failure:
            slot.rests_until = asyncio.get_running_loop().time() + REST_S
            _log.info(
                "house_bots.bot_paused",
                table=slot.table,
                reason=getattr(failure, "code", type(failure).__name__),
            )
        except Exception as failure:  # noqa: BLE001 -- a fault of one bot, or of the ledger, must not end the other bots
            slot.rests_until = asyncio.get_running_loop().time() + REST_S
            _log.warning("house_bots.bot_failed", table=slot.table, exc_info=failure)
        finally:
            slot.bot = slot.task = None


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
