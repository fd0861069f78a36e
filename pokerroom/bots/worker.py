"""One worker process of a swarm: its bots on one event loop, and a pipe to the parent process.

The process sends its tally several times a second, and receives `stop`. It ends when every bot has left, when the time
for leaving is over, or when the pipe is closed.
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

from pokerroom.bots.cash_bot import CashBot
from pokerroom.bots.cash_player import CashAssignment
from pokerroom.bots.mtt_bot import MttBot
from pokerroom.bots.plan import TablePlan
from pokerroom.bots.sng_bot import SngAgenda, SngBot, SngOffer
from pokerroom.bots.swarm_client import SwarmContext
from pokerroom.bots.table_bot import StartBarrier
from pokerroom.bots.tally import SwarmTally, TableWatch

REPORT_S: Final = 0.2
LEAVE_S: Final = 45.0  # longer than a hand with an absent player
SNG_LEAVE_S: Final = 120.0  # started tournaments are played to the end
REGISTERING_MAX: Final = 8  # the room hashes passwords: more at once would only wait longer


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerTask:
    """The task of one worker process. `rate` is its decisions per second; 0: no limit.

    `think_s` is the shortest delay of a decision. The names of accounts begin with `name_prefix`.
    """

    host: str
    port: int
    name_prefix: str
    seed: int
    think_s: float
    rate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CashWork(WorkerTask):
    """Bots at cash tables."""

    plans: tuple[TablePlan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SngWork(WorkerTask):
    """Bots in sit-and-gos: they play these tournaments in this order."""

    tournaments: tuple[SngOffer, ...]
    bots: int
    moving: bool = False
    """Whether the tournaments have several tables, and other processes play in them, too."""


class RunnableBot(Protocol):
    """What a worker process needs of a bot."""

    async def run(self) -> None:
        """Run until the bot is done."""

    def stop(self) -> None:
        """Tell the bot to leave."""


class Pacer:
    """Spread decisions evenly: each takes the next free slot of `rate` per second, after at least `think_s`."""

    def __init__(self, think_s: float, rate: float, clock: Callable[[], float] = monotonic) -> None:
        self._think_s = think_s
        self._between_s = 1 / rate if rate > 0 else 0.0
        self._clock = clock
        self._next_slot = 0.0

    def delay_s(self) -> float:
        """Return the delay of the next decision, in seconds."""
        if not self._between_s:
            return self._think_s
        now = self._clock()
        slot = max(now, self._next_slot)
        self._next_slot = slot + self._between_s
        return max(self._think_s, slot - now)


class Names:
    """New account names: a prefix of the run and the process, and a number."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._last = 0

    def new(self) -> str:
        """Return the next name."""
        self._last += 1
        return f"{self._prefix}{self._last}"


def cash_work_in_process(work: CashWork, pipe: Connection) -> None:
    """Run a worker process for cash tables."""
    in_process(_work(work, pipe))


def sng_work_in_process(work: SngWork, pipe: Connection) -> None:
    """Run a worker process for sit-and-gos."""
    in_process(_sng_work(work, pipe))


def in_process(working: Coroutine[Any, Any, None]) -> None:
    """Run the bots to their end; exit with 1 as soon as the parent process is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the parent process, which then sends stop
    try:
        asyncio.run(working)
    except (BrokenPipeError, EOFError):
        sys.exit(1)


async def _work(work: CashWork, pipe: Connection) -> None:
    watches = [TableWatch(plan.table) for plan in work.plans]
    room = room_of(work)
    gate = StartBarrier(sum(plan.bots for plan in work.plans))
    bots: list[CashBot] = []
    for plan, watch in zip(work.plans, watches, strict=True):
        table = CashAssignment(name=plan.table, buy_in=plan.buy_in, watch=watch)
        bots += [CashBot(room, gate, table, work.seed + len(bots) + number) for number in range(plan.bots)]
    await live(bots, pipe, room.tally, lambda: watches, LEAVE_S)


async def _sng_work(work: SngWork, pipe: Connection) -> None:
    room = room_of(work)
    agenda = SngAgenda(work.tournaments)
    gate = StartBarrier(work.bots)
    bots = [
        MttBot(room, agenda, seed, gate) if work.moving else SngBot(room, agenda, seed)
        for seed in range(work.seed, work.seed + work.bots)
    ]
    await live(bots, pipe, room.tally, agenda.watches, SNG_LEAVE_S)


def room_of(work: WorkerTask) -> SwarmContext:
    """Return the context that the bots of this process share."""
    return SwarmContext(
        host=work.host,
        port=work.port,
        tally=SwarmTally(),
        new_name=Names(work.name_prefix).new,
        delay_s=Pacer(work.think_s, work.rate).delay_s,
        registering=asyncio.Semaphore(REGISTERING_MAX),
    )


async def live(
    bots: Sequence[RunnableBot],
    pipe: Connection,
    tally: SwarmTally,
    watches: Callable[[], list[TableWatch]],
    leave_s: float,
) -> None:
    """Run all bots until they are done, or the time for leaving is over."""
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


def _report(pipe: Connection, tally: SwarmTally, watches: list[TableWatch]) -> None:
    tally.at = monotonic()
    tally.stuck_tables = [watch.table for watch in watches if watch.is_stuck(tally.at)]
    pipe.send(tally)
