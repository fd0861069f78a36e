"""The house's bots: at each table that wants some, so many as the table says and people leave room for.

It looks at the lobby as a client, and sends its bots in as clients. Their accounts are opened by whoever runs the room:
`enter` gives a token for a name. A seat is always left free for people, and one for each who waits; when people come,
bots leave.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

import structlog

from pokerroom.bots.judgement import Judgement, temper_of
from pokerroom.bots.regular import CLIENT, Broke, Place, Regular
from pokerroom_protocol import ConnectionEnded, PokerClient, Refused
from pokerroom_protocol import messages as m

LOOK_S: Final = 1.0
ALONE_TIMES: Final = 3
REST_S: Final = 10.0
"""How long a bot that was refused, or has lost its connection, stays away."""

_NAMES: Final = (
    "Ada", "Bea", "Cleo", "Dora", "Edda", "Fay", "Gus", "Hugo", "Ida", "Jan", "Kaja", "Leo", "Mia", "Nils", "Ola",
    "Pia", "Quin", "Rita", "Sven", "Tom", "Una", "Vito", "Wanda", "Xeno", "Yara", "Zoe",
)  # fmt: skip

_log = structlog.get_logger()


@dataclass(slots=True)
class _Chair:
    """A bot's place in the plan, with the same name at the same table always. `generation` counts broke accounts."""

    table: str
    number: int
    generation: int = 0
    rests_until: float = 0.0
    found: bool = False
    """Whether it is known by now if it has a seat from before: a room may have ended with bots at its tables."""
    bot: Regular | None = None
    task: asyncio.Task[None] | None = None

    def name(self, prefix: str) -> str:
        """The name of its account."""
        again, letter = divmod(self.number, len(_NAMES))
        parts = [_NAMES[letter] + (str(again + 1) if again else "")]
        if self.generation:
            parts.append(str(self.generation + 1))
        return prefix + ".".join(parts)


@dataclass(slots=True)
class _Watched:
    """A table that wants bots, as the lobby shows it."""

    chairs: list[_Chair]
    people: int = 0
    wanted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What the house needs. `enter` gives the token of a bot's account; `may_play` whether this process sends bots now.

    `prefix` begins the names of all bots; `think_ms` is the least a bot thinks about a decision.
    """

    host: str
    port: int
    prefix: str
    think_ms: int
    enter: Callable[[str], Awaitable[str]]
    may_play: Callable[[], bool]
    seed: int = field(default_factory=lambda: secrets.randbits(64))


class House:
    """See the module."""

    def __init__(self, around: Around) -> None:
        self._around = around
        self._tables: dict[str, _Watched] = {}
        self._numbers = 0
        self._task: asyncio.Task[None] | None = None
        self._resting = False

    def start(self) -> None:
        """Begins to look at the lobby."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    def rest(self) -> None:
        """Sends no more bots; those at tables play their hands to the end, at once."""
        self._resting = True
        if self._task is not None:
            self._task.cancel()

    async def stop(self) -> None:
        """Ends every bot's connection. Their seats are kept like anybody's, also for when the room starts again."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await self._drop_all()

    async def _run(self) -> None:
        while True:
            try:
                await self._watch()
            except (OSError, ConnectionEnded, Refused) as failure:
                _log.info("house.away", reason=type(failure).__name__)
            await asyncio.sleep(LOOK_S)

    async def _watch(self) -> None:
        """Looks at the lobby as long as the connection lives, and acts on it."""
        client = await PokerClient.connect(self._around.host, self._around.port, client=CLIENT)
        try:
            while True:
                if self._around.may_play():
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
        chairs = [chair for table in self._tables.values() for chair in table.chairs]
        tasks = [chair.task for chair in chairs if chair.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for chair in chairs:
            chair.found = False

    # --- how many ---------------------------------------------------------------------------------------------

    def _plan(self, info: m.TableInfo) -> None:
        if not info.house_bots:
            return
        table = self._tables.get(info.table)
        if table is None:
            chairs = [_Chair(info.table, self._numbers + index) for index in range(info.house_bots)]
            self._numbers += info.house_bots
            table = self._tables[info.table] = _Watched(chairs)
        if not self._find(table, info):
            return  # as long as it is not known who is a bot, nobody is taken for one
        bots = [chair for chair in table.chairs if chair.bot is not None]
        table.people = max(0, info.occupied - sum(chair.bot.seated for chair in bots if chair.bot))
        table.wanted = wanted(info, table.people)
        staying = [chair for chair in bots if chair.bot and not chair.bot.leaving]
        if len(staying) > table.wanted:
            chair = staying[-1]
            assert chair.bot is not None
            chair.bot.leave()
        elif len(staying) < table.wanted:
            now = asyncio.get_running_loop().time()
            free = [chair for chair in table.chairs if chair.bot is None and chair.rests_until <= now]
            if free:
                self._send(free[0], info, table)

    def _find(self, table: _Watched, info: m.TableInfo) -> bool:
        """Lets each bot look whether it has a seat there already; true when all have."""
        now = asyncio.get_running_loop().time()
        for chair in table.chairs:
            if chair.bot is not None and chair.bot.seated:
                chair.found = True
            elif not chair.found and chair.bot is None and chair.rests_until <= now:
                self._send(chair, info, table)
        return all(chair.found for chair in table.chairs)

    def _think_ms(self, table: _Watched) -> int:
        """With nobody there to wait for them bots take their time [D]; when the room is to stop they take none."""
        if self._resting:
            return 0
        return self._around.think_ms * (1 if table.people else ALONE_TIMES)

    def _send(self, chair: _Chair, info: m.TableInfo, table: _Watched) -> None:
        around = self._around
        place = Place(
            host=around.host,
            port=around.port,
            table=info.table,
            buy_in=max(info.min_buy_in, info.max_buy_in * 6 // 10),
        )
        judgement = Judgement(temper_of(chair.number), around.seed + chair.number)
        chair.bot = Regular(place, judgement, lambda: self._think_ms(table))
        chair.task = asyncio.get_running_loop().create_task(self._played(chair, chair.bot))

    async def _played(self, chair: _Chair, bot: Regular) -> None:
        """One stay of a bot; what ends it is remembered for the next."""
        try:
            token = await self._around.enter(chair.name(self._around.prefix))
            await bot.run(token, only_if_seated=not chair.found)
            chair.found = True
        except Broke:
            chair.generation += 1
        except (OSError, ConnectionEnded, Refused) as failure:
            chair.rests_until = asyncio.get_running_loop().time() + REST_S
            _log.info(
                "house.bot_away", table=chair.table, reason=getattr(failure, "code", type(failure).__name__)
            )
        except Exception as failure:  # noqa: BLE001 -- one bot's fault, or the ledger's, must not end the house
            chair.rests_until = asyncio.get_running_loop().time() + REST_S
            _log.warning("house.bot_failed", table=chair.table, exc_info=failure)
        finally:
            chair.bot = chair.task = None


def wanted(info: m.TableInfo, people: int) -> int:
    """How many bots should sit at a table where so many people do: one seat stays free, and one for each who waits."""
    if info.closing:
        return 0
    return max(0, min(info.house_bots, info.seats - people - max(1, info.waiting)))
