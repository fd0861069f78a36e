"""How the cost of one node grows: with busy tables, seated connections, observers, hands in progress and tables at all.

Each part of `PARTS` has a room of its own with its own PostgreSQL and Redis. Players are processes of `load`; observers
and the players of killed hands are in this process, with accounts that SQL puts into the ledger.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any, Final

from pokerroom.ops.embedded import running
from pokerroom_protocol import messages as m
from tests.bench.field import QuickAccounts
from tests.bench.printing import note, row
from tests.bench.windows import Side, side_of
from tests.chaos.crowd import open_accounts
from tests.chaos.reading import Heard, Reader
from tests.chaos.wire import Lost, Wire
from tests.integration.support import RunningRoom, running_room

BUSY: Final = (10, 100, 1_000)
RATE: Final = 250.0
"""Actions a second that are offered at all tables together."""
WINDOWS: Final = 3
WINDOW_S: Final = 8.0
REST_S: Final = 6.0

SEATED_TABLES: Final = 1_000
SEATS: Final = 10

OBSERVERS: Final = 1_000
OBSERVED_RATE: Final = 10.0

HANDS: Final = 500
AGAIN_S: Final = 0.2
COMING_AT_ONCE: Final = 200
BUY_IN: Final = 10_000
SIT_S: Final = 500.0
GIVE_UP_S: Final = 120.0

BLOCKS: Final = (1, 10)
"""Of a thousand tables each, which a room starts with."""
READY_S: Final = 600

ROOM: Final = """
[limits]
messages_per_s = 100000
message_burst = 100000
connections_max = 11_000
idle_s = 3600
"""
TABLES: Final = """
[[tables]]
id = "{id}"
count = {count}
seats = {seats}
small_blind = 50
hand_pause_ms = 0
action_clock_s = 600
"""


class Patient(QuickAccounts):
    """A room that may take long to start."""

    ready_s = READY_S


# --- busy tables --------------------------------------------------------------------------------------------------


def busy_tables() -> dict[str, Any]:
    """What an action costs the node at so many tables, and what the tables cost it while no player acts."""
    return {str(count): _busy(count) for count in BUSY}


def _busy(count: int) -> dict[str, Any]:
    config = ROOM + TABLES.format(id="six", count=count, seats=6)
    with side_of(f"{count} tables", [Patient], config, count, 1) as side:
        windows, answers = zip(*(side.play_open(RATE, WINDOW_S) for _ in range(WINDOWS)), strict=True)
        return {
            "actions_per_s": round(sum(one.actions for one in windows) / sum(one.took_s for one in windows)),
            "cpu_us_per_action": round(median(one.cpu_us_per_action for one in windows)),
            "p99_ms": _p99_ms(answer for window in answers for answer in window),
            "at_rest_cpu": _at_rest(side.rooms[0]),
        }


def _p99_ms(answers: Iterable[Mapping[str, str]]) -> float:
    """The 99th percentile of the latencies that processes of players have found."""
    from tests.bench import latency  # not in every environment, and only streams need it

    return latency.figures(latency.merged(answer["latency"] for answer in answers))["p99"]


def _at_rest(room: RunningRoom) -> float:
    """Processor time of the node for each second in which no player acts, in seconds."""
    time.sleep(1)
    cpu_s, began_s = room.cpu_s(), time.monotonic()
    time.sleep(REST_S)
    return round((room.cpu_s() - cpu_s) / (time.monotonic() - began_s), 3)


# --- seated connections -------------------------------------------------------------------------------------------


def seated() -> dict[str, Any]:
    """What the node's memory grows by for each connection that has a seat, with its share of the hands."""
    config = ROOM + TABLES.format(id="six", count=SEATED_TABLES, seats=SEATS)
    with (
        tempfile.TemporaryDirectory() as folder,
        running_room(Path(folder) / "data", config, Patient) as room,
    ):
        found = asyncio.run(_all_seated(room))
        return found | {"differences": room.audit()["differences"]}


async def _all_seated(room: RunningRoom) -> dict[str, Any]:
    before_kb, began_s = _memory_kb(room), time.monotonic()
    crowd = _Crowd(room, SEATED_TABLES, SEATS)
    await crowd.sit_down()
    took_s = time.monotonic() - began_s
    at_rest = await asyncio.to_thread(_at_rest, room)
    grown_kb, players = _memory_kb(room) - before_kb, SEATED_TABLES * SEATS
    return {
        "connections": players,
        "kb_per_connection": round(grown_kb / players, 1),
        "node_mb": round((before_kb + grown_kb) / 1024),
        "seated_in_s": round(took_s, 1),
        "at_rest_cpu": at_rest,
    }


def _memory_kb(room: RunningRoom) -> int:
    """Resident memory of the node."""
    status = Path(f"/proc/{room.node_pids()[0]}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


# --- observers ----------------------------------------------------------------------------------------------------


def observers() -> dict[str, Any]:
    """What an observer costs the node for each event of its table."""
    config = ROOM + TABLES.format(id="six", count=2, seats=6)  # ids have numbers from two on
    with side_of("one table", [Patient], config, 1, 1) as side:
        alone, _ = side.play_open(OBSERVED_RATE, WINDOW_S)
        crowd = _Observers(side.rooms[0])
        watched, answers = asyncio.run(crowd.watch(side))
    events = crowd.heard["events"] / crowd.heard["acted"]
    each = (watched.cpu_us_per_action - alone.cpu_us_per_action) / OBSERVERS
    return {
        "observers": OBSERVERS,
        "events_per_action": round(events, 2),
        "cpu_us_per_action": round(watched.cpu_us_per_action),
        "cpu_us_per_action_alone": round(alone.cpu_us_per_action),
        "cpu_us_per_observer_and_event": round(each / events, 2),
        "p99_ms": _p99_ms(answers),
    }


class _Observers:
    """`OBSERVERS` clients that watch the one table; the first counts what it hears."""

    def __init__(self, room: RunningRoom) -> None:
        self._room = room
        self._reader = Reader()
        self.heard: Counter[str] = Counter()

    async def watch(self, side: Side) -> Any:
        """Come, and play a window; its figures."""
        note(f"{OBSERVERS} observers come")
        wires = await asyncio.gather(*map(self._come, range(OBSERVERS), _tokens(self._room, OBSERVERS)))
        try:
            return await asyncio.to_thread(side.play_open, OBSERVED_RATE, WINDOW_S)
        finally:
            for wire in wires:
                wire.abort()

    async def _come(self, number: int, token: str) -> Wire:
        wire = Wire(self._reader, (lambda _: None) if number else self._count, lambda: None)
        await wire.open(self._room.game_port)
        await _expect(wire, m.Resume(id=wire.number(), token=token))
        await _expect(wire, m.Observe(id=wire.number(), table="six-1"))
        return wire

    def _count(self, heard: Heard) -> None:
        if isinstance(heard.message, m.Event):
            self.heard["events"] += 1
        if isinstance(heard.message, m.Acted):
            self.heard["acted"] += 1


def _tokens(room: RunningRoom, count: int, chips: int = 0) -> list[str]:
    services = running(room.data_dir)
    assert services is not None
    url = services.owner_database_url or services.database_url
    return [token for _, token in open_accounts(url, count, "scale", chips)]


async def _expect(wire: Wire, message: m.ClientMessage) -> m.ServerMessage:
    answer = await wire.ask(message)
    if isinstance(answer, m.Error):
        raise Lost(f"{type(message).__name__}: {answer.code} {answer.message}")
    return answer


# --- hands that go on after a kill --------------------------------------------------------------------------------


def killed() -> dict[str, Any]:
    """The node of `HANDS` hands is killed and started: how soon each hand has gone on by an action."""
    config = ROOM + TABLES.format(id="six", count=HANDS, seats=2)
    with (
        tempfile.TemporaryDirectory() as folder,
        running_room(Path(folder) / "data", config, Patient) as room,
    ):
        found = asyncio.run(_gone_on(room))
        differences = room.audit()["differences"]
    return {"hands": HANDS, **found, "differences": differences}


class _Hand:
    """The hand in progress at one table."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.hand_id = ""
        self.began = asyncio.Event()
        self.went_on = asyncio.Event()
        self.went_on_s = 0.0
        self.is_lost = False
        """Whether another hand was dealt after the kill."""

    def asked(self, hand_id: str) -> None:
        """A player is to move."""
        self.hand_id = self.hand_id or hand_id
        self.is_lost |= hand_id != self.hand_id
        self.began.set()

    def acted(self) -> None:
        """An action is told."""
        if not self.went_on.is_set():
            self.went_on_s = time.monotonic()
            self.went_on.set()


class _Player:
    """One of the players of a hand. It acts only after the kill, and once."""

    def __init__(self, crowd: _Crowd, hand: _Hand, token: str) -> None:
        self._crowd = crowd
        self._hand = hand
        self._token = token
        self._seat: int | None = None
        self._wire: Wire | None = None

    async def come(self) -> None:
        """Log in and take the seat, or look at the table; try again until that is done."""
        while True:
            self._wire = wire = Wire(self._crowd.reader, self._heard, lambda: None)
            with suppress(Lost, OSError):
                await wire.open(self._crowd.room.game_port)
                await _expect(wire, m.Resume(id=wire.number(), token=self._token))
                table = self._hand.table
                if self._seat is None:
                    await _expect(wire, m.SitDown(id=wire.number(), table=table, buy_in=BUY_IN, post=True))
                else:
                    await _expect(wire, m.Observe(id=wire.number(), table=table))
                return
            wire.abort()
            await asyncio.sleep(AGAIN_S)

    def _heard(self, heard: Heard) -> None:
        message = heard.message
        if isinstance(message, m.Snapshot):
            self._seat = message.your_seat
            if message.hand is not None and message.hand.turn is not None:
                self._asked(message.hand.hand_id, message.hand.turn)
        elif isinstance(message, m.Turn):
            self._asked(message.hand_id, message)
        elif isinstance(message, m.Acted) and self._crowd.is_killed:
            self._hand.acted()

    def _asked(self, hand_id: str, turn: m.Turn | m.TurnView) -> None:
        self._hand.asked(hand_id)
        wire = self._wire
        if (
            self._crowd.is_killed
            and turn.seat == self._seat
            and not self._hand.went_on.is_set()
            and wire is not None
        ):
            action: Any = "check" if turn.check else "call"
            wire.send(
                m.Act(id=wire.number(), table=self._hand.table, hand_id=hand_id, seq=turn.seq, action=action)
            )


class _Crowd:
    """Players at all seats of so many tables, with the hands in progress there."""

    def __init__(self, room: RunningRoom, tables: int, seats: int) -> None:
        self.room = room
        self.reader = Reader()
        self.is_killed = False
        self.hands = [_Hand(f"six-{number}") for number in range(1, tables + 1)]
        at = [hand for hand in self.hands for _ in range(seats)]
        tokens = _tokens(room, len(at), BUY_IN)
        self._players = [_Player(self, hand, token) for hand, token in zip(at, tokens, strict=True)]

    async def sit_down(self) -> None:
        """All take their seats; a hand is dealt at each table. Raises TimeoutError."""
        note(f"{len(self._players)} players take their seats")
        async with asyncio.timeout(SIT_S):
            await self.come()
            await asyncio.gather(*(hand.began.wait() for hand in self.hands))

    async def come(self) -> None:
        """All come, some at a time: for the first time, or back."""
        some = asyncio.Semaphore(COMING_AT_ONCE)

        async def come(player: _Player) -> None:
            async with some:
                await player.come()

        await asyncio.gather(*map(come, self._players))


async def _gone_on(room: RunningRoom) -> dict[str, Any]:
    """Deal, kill, start; seconds from the kill. Raises TimeoutError if a hand does not go on."""
    crowd = _Crowd(room, HANDS, 2)
    await crowd.sit_down()
    await asyncio.sleep(1)
    note("the node is killed and started")
    crowd.is_killed, began_s = True, time.monotonic()
    await asyncio.to_thread(room.kill)
    await asyncio.to_thread(room.start)
    ready_s = time.monotonic() - began_s
    async with asyncio.timeout(GIVE_UP_S):
        await crowd.come()
        await asyncio.gather(*(hand.went_on.wait() for hand in crowd.hands))
    times = sorted(hand.went_on_s - began_s for hand in crowd.hands)
    return {
        "ready_s": round(ready_s, 2),
        "half_s": round(median(times), 2),
        "all_s": round(times[-1], 2),
        "lost": sum(hand.is_lost for hand in crowd.hands),
    }


# --- start --------------------------------------------------------------------------------------------------------


def start() -> dict[str, Any]:
    """How long a room with so many tables takes to be ready, and what its node needs then."""
    return {f"{blocks}000": _started(blocks) for blocks in BLOCKS}


def _started(blocks: int) -> dict[str, Any]:
    config = ROOM + "".join(TABLES.format(id=f"six{block}", count=1_000, seats=6) for block in range(blocks))
    note(f"a room with {blocks},000 tables starts three times")
    began_s = time.monotonic()
    with (
        tempfile.TemporaryDirectory() as folder,
        running_room(Path(folder) / "data", config, Patient) as room,
    ):
        found = _ready("first", room, began_s) | {
            "node_mb": round(_memory_kb(room) / 1024),
            "at_rest_cpu": _at_rest(room),
        }
        for name, end in (("after_kill", room.kill), ("after_stop", room.stop)):
            end()
            began_s = time.monotonic()
            room.start()
            found |= _ready(name, room, began_s)
    return found


def _ready(name: str, room: RunningRoom, began_s: float) -> dict[str, float]:
    return {f"{name}_s": round(time.monotonic() - began_s, 1), f"{name}_cpu_s": round(room.cpu_s(), 1)}


GOALS: Final = (("seated", "kb_per_connection", 25.0), ("killed", "all_s", 10.0))

PARTS: Final[dict[str, Callable[[], dict[str, Any]]]] = {
    "tables": busy_tables,
    "seated": seated,
    "observers": observers,
    "killed": killed,
    "start": start,
}


def measure(parts: Sequence[str]) -> dict[str, Any]:
    """These parts, all of them if there are none."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # of the players, too
    load = round(os.getloadavg()[0], 1)
    return {"cores": os.cpu_count(), "load_before": load} | {part: PARTS[part]() for part in parts or PARTS}


def tell(measured: dict[str, Any]) -> None:
    """Prints the tables; the last line is JSON."""
    print(f"\nOne node, {measured['cores']} cores (load before: {measured['load_before']})")
    for part in [part for part in PARTS if part in measured]:
        for name, found in measured[part].items():
            row(f"{part}: {name}", found)
    for part, name, goal in GOALS:
        if part in measured:
            reached = measured[part][name] <= goal
            row(f"{part}: {name} is at most {goal:g}", "yes" if reached else "NO")
    print(json.dumps(measured))
