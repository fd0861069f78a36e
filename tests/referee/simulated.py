"""A referee that watches a room of the simulation. It is how the tests get honest streams; the referee is not in it."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

from pokerroom.simulation.games import GAMES
from pokerroom.simulation.network import Connection
from pokerroom.simulation.run import end, listening, play
from pokerroom.simulation.simulated_room import SimulatedRoom
from pokerroom_protocol.codec import Encoding
from tests.referee.report import Report
from tests.referee.watch import Watch

LOOK_S = 0.5


class Onlooker:
    """The client's end of a connection, in JSON. `heard` has every message of the room, with its time."""

    def __init__(self, world: SimulatedRoom, report: Report) -> None:
        self.plan = SimpleNamespace(encoding=Encoding.JSON, address="")
        self.watch = Watch(report, name="referee", password="outside eyes 11")
        self.heard: list[tuple[int, dict[str, Any]]] = []
        self._world = world
        self._connection: Connection | None = None

    def look(self) -> None:
        clock = self._world.clock
        clock.callLater(LOOK_S, self.look)
        if self._connection is None:
            self._connection = self._world.connect(self)  # type: ignore[arg-type]
            if self._connection is not None:
                self.watch.connected()
        self.watch.tick(round(1000 * clock.rightNow))
        self._send()

    def body(self, connection: Connection, body: bytes) -> None:
        now_ms = round(1000 * self._world.clock.rightNow)
        message = json.loads(body)
        self.heard.append((now_ms, message))
        self.watch.take(message, now_ms)
        self._send()

    def closed(self, connection: Connection) -> None:
        self._connection = None

    def _send(self) -> None:
        if self._connection is not None:
            bodies = [json.dumps(request).encode() for request in self.watch.outbox]
            self.watch.outbox.clear()
            self._connection.send_bodies(bodies)


def watched(seed: int, hands: int, game: str) -> tuple[Report, list[tuple[int, dict[str, Any]]]]:
    """Play a room without faults; return what the referee found, and all it heard."""
    import io

    report = Report(out=io.StringIO())
    world = SimulatedRoom(seed, GAMES[game], frozenset(), strict=True)
    onlooker = Onlooker(world, report)
    with listening(world):
        world.open()
        onlooker.look()
        play(world, hands)
        if not world.referee.violations:
            end(world)
    assert not world.referee.violations, world.referee.violations[:3]
    return report, onlooker.heard
