"""One process of a swarm: its tables' bots on one event loop, and a pipe to the process that counts.

Up the pipe goes the tally, several times a second; down comes a word to stop. It ends when every bot has
left, when the time for leaving is over, or when the other end of the pipe is gone.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import traceback
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any, Final, Protocol

from pokerroom.bots.bot import Bot
from pokerroom.bots.guest import Room
from pokerroom.bots.plan import TablePlan
from pokerroom.bots.player import Table
from pokerroom.bots.sitter import Gate
from pokerroom.bots.sng_bot import Agenda, Offer, SngBot
from pokerroom.bots.tally import TableWatch, Tally

REPORT_S: Final = 0.2
LEAVE_S: Final = 45.0  # a hand that waits for an absent player's clock ends within
SNG_LEAVE_S: Final = 120.0  # what has started is played to its end
REGISTERING_MAX: Final = 8  # a room hashes passwords; a crowd at the door only waits longer


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyWork:
    """What one process of a swarm is to do. `rate` is decisions per second of it, 0 for as fast as can be.

    `think_s` is before each decision, at least; accounts get names with `name_prefix`.
    """

    host: str
    port: int
    name_prefix: str
    seed: int
    think_s: float
    rate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Work(AnyWork):
    """At cash tables: bots to each of these."""

    plans: tuple[TablePlan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SngWork(AnyWork):
    """In sit-and-gos: so many bots play these tournaments, in this order."""

    tournaments: tuple[Offer, ...]
    bots: int


class Life(Protocol):
    """A bot, as far as its process knows it."""

    async def run(self) -> None:
        """Until it is done."""

    def stop(self) -> None:
        """It is to leave."""


class Pacer:
    """Spreads decisions evenly: each gets the next free slot of `rate` per second, and no less than
    `think_s`.
    """

    def __init__(self, think_s: float, rate: float, clock: Callable[[], float] = monotonic) -> None:
        self._think_s = think_s
        self._between_s = 1 / rate if rate > 0 else 0.0
        self._clock = clock
        self._next_slot = 0.0

    def delay_s(self) -> float:
        """How long the decision that is asked for now has to wait."""
        if not self._between_s:
            return self._think_s
        now = self._clock()
        slot = max(now, self._next_slot)
        self._next_slot = slot + self._between_s
        return max(self._think_s, slot - now)


class Names:
    """Fresh account names: a prefix of the run and the process, and a number."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._last = 0

    def new(self) -> str:
        """The next name."""
        self._last += 1
        return f"{self._prefix}{self._last}"


def work_in_process(work: Work, pipe: Connection) -> None:
    """The whole life of a worker process."""
    in_process(_work(work, pipe))


def sng_work_in_process(work: SngWork, pipe: Connection) -> None:
    """The same of a process that plays sit-and-gos."""
    in_process(_sng_work(work, pipe))


def in_process(working: Coroutine[Any, Any, None]) -> None:
    """Runs a worker's bots to their end; without somebody at the other end of the pipe that is at once."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the counting process, which then says stop
    try:
        asyncio.run(working)
    except (BrokenPipeError, EOFError):
        sys.exit(1)


async def _work(work: Work, pipe: Connection) -> None:
    watches = [TableWatch(plan.table) for plan in work.plans]
    room = room_of(work)
    gate = Gate(sum(plan.bots for plan in work.plans))
    bots: list[Bot] = []
    for plan, watch in zip(work.plans, watches, strict=True):
        table = Table(name=plan.table, buy_in=plan.buy_in, watch=watch)
        bots += [Bot(room, gate, table, work.seed + len(bots) + number) for number in range(plan.bots)]
    await live(bots, pipe, room.tally, lambda: watches, LEAVE_S)


async def _sng_work(work: SngWork, pipe: Connection) -> None:
    room = room_of(work)
    agenda = Agenda(work.tournaments)
    bots = [SngBot(room, agenda, work.seed + number) for number in range(work.bots)]
    await live(bots, pipe, room.tally, agenda.watches, SNG_LEAVE_S)


def room_of(work: AnyWork) -> Room:
    """The room as the bots of this process share it."""
    return Room(
        host=work.host,
        port=work.port,
        tally=Tally(),
        new_name=Names(work.name_prefix).new,
        delay_s=Pacer(work.think_s, work.rate).delay_s,
        registering=asyncio.Semaphore(REGISTERING_MAX),
    )


async def live(
    bots: Sequence[Life],
    pipe: Connection,
    tally: Tally,
    watches: Callable[[], list[TableWatch]],
    leave_s: float,
) -> None:
    """Until every bot is done, or the time for leaving is over."""
    tasks = [asyncio.create_task(bot.run()) for bot in bots]
    running = set(tasks)
    stopping_since: float | None = None
    while running:
        _, running = await asyncio.wait(running, timeout=REPORT_S)
        if stopping_since is None and pipe.poll():
            pipe.recv()
            stopping_since = monotonic()
            for bot in bots:
                bot.stop()
        if stopping_since is not None and monotonic() - stopping_since > leave_s:
            tally.errors["did_not_leave"] += len(running)
            for task in running:
                task.cancel()
            running = set()
        _report(pipe, tally, watches())
    for outcome in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(outcome, Exception):
            tally.errors["swarm_fault"] += 1
            traceback.print_exception(outcome)
    _report(pipe, tally, watches())
    pipe.send(None)


def _report(pipe: Connection, tally: Tally, watches: list[TableWatch]) -> None:
    tally.at = monotonic()
    tally.stuck_tables = [watch.table for watch in watches if watch.is_stuck(tally.at)]
    pipe.send(tally)
