"""Honest clients beside an attack: how long their pings, their actions and their log-ins take.

Players ping, and a newcomer without an account, which shares the turns with the attackers.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass, field
from typing import Any

from tests.siege.lines import Line

PING_PAUSE_S = 0.01
ACTION_PAUSE_S = 0.005
"""Two players that act at once send more than the 500 messages a second that a room allows."""
LOG_IN_PAUSE_S = 0.1
LOG_IN_S_MAX = 20.0
NAME, PINGING, PASSWORD = "honest", "pinging", "a password"
TABLE, BUY_IN = "duel", 10_000


@dataclass(slots=True)
class Seen:
    """What bystanders have seen, in seconds. `refused` are refusals and closed lines of honest clients."""

    pings: list[float] = field(default_factory=list)
    newcomers: list[float] = field(default_factory=list)
    """Pings of a client without an account."""
    actions: list[float] = field(default_factory=list)
    log_ins: list[float] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def quantile(values: list[float], part: float) -> float:
    """The value below which this part of them lies; 0 of none."""
    return sorted(values)[round(part * (len(values) - 1))] if values else 0.0


class Bystanders:
    """Two players at a table of their own, a client that pings, and a client that logs in, again and again."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._tasks: list[asyncio.Task[None]] = []
        self.seen = Seen()
        """Of the present attack; a new one is put here for the next."""
        self.last: dict[int, dict[str, Any]] = {}
        """The last message to each player, by seat: it tells why a table has stopped."""

    async def start(self) -> None:
        line = await Line.open(self._port)
        await line.ask("register", name=NAME, password=PASSWORD)
        line.close()
        players = [await self._player(name) for name in ("left", "right")]
        works = [
            self._pings(PINGING),
            self._pings(None),
            self._log_ins(),
            *(self._plays(*player) for player in players),
        ]
        self._tasks = [asyncio.create_task(work) for work in works]

    def check(self) -> None:
        """Raises what has ended one of them."""
        for task in self._tasks:
            if task.done():
                task.result()

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _pings(self, name: str | None) -> None:
        """Of an account, or of a newcomer."""
        line = await Line.open(self._port)
        if name is not None:
            await line.ask("register", name=name, password=PASSWORD)
        while True:
            began, seen = time.perf_counter(), self.seen
            await line.ask("ping")
            (seen.newcomers if name is None else seen.pings).append(time.perf_counter() - began)
            await asyncio.sleep(PING_PAUSE_S)

    async def _log_ins(self) -> None:
        """From the connection to the account; a refusal for the crowd is tried again, and its time counts."""
        while True:
            began, seen = time.perf_counter(), self.seen
            while time.perf_counter() - began < LOG_IN_S_MAX:
                with contextlib.suppress(OSError):
                    line = await Line.open(self._port)
                    said = await line.ask("log_in", name=NAME, password=PASSWORD)
                    line.close()
                    if said["type"] == "authenticated":
                        break
                    if said["code"] != "unavailable":
                        seen.refused.append(f"log_in: {said['code']}")
                await asyncio.sleep(0.05)
            seen.log_ins.append(time.perf_counter() - began)
            await asyncio.sleep(LOG_IN_PAUSE_S)

    async def _player(self, name: str) -> tuple[Line, int]:
        line = await Line.open(self._port)
        await line.ask("register", name=name, password=PASSWORD)
        said = await line.ask("sit_down", table=TABLE, buy_in=BUY_IN)
        if said["type"] != "snapshot":
            raise ConnectionError(f"a bystander cannot sit down: {said}")
        return line, said["your_seat"]

    async def _plays(self, line: Line, seat: int) -> None:
        """Checks and calls for ever, so that no player is broke for long; a broke player adds chips."""
        began, seen = 0.0, self.seen
        while True:
            said = self.last[seat] = await line.answer()
            match said["type"]:
                case "turn" if said["seat"] == seat:
                    await asyncio.sleep(ACTION_PAUSE_S)
                    began, seen = time.perf_counter(), self.seen
                    self._act(line, said)
                case "acted" if said["seat"] == seat and began:
                    seen.actions.append(time.perf_counter() - began)
                    began = 0.0
                case "hand_ended" if (seat, 0) in [(one["seat"], one["stack"]) for one in said["stacks"]]:
                    line.send("top_up", table=TABLE, amount=BUY_IN)
                case "error" | "goodbye" if said["code"] != "top_up_pending":
                    self.seen.refused.append(f"player: {said['code']}")

    @staticmethod
    def _act(line: Line, turn: dict[str, Any]) -> None:
        action = "check" if turn["check"] else "call" if turn["call_amount"] <= 200 else "fold"
        line.send("act", table=TABLE, hand_id=turn["hand_id"], seq=turn["seq"], action=action)
