"""Makes the transcripts of `protocol/transcripts` that a real room has said: memory, a virtual clock, fixed seeds.

    python -m tests.protocol.recording        writes them

`one_hand.jsonl` is older and was written by hand; a test plays it through the clients. Here a scenario drives several
clients; what one of them says and hears is the transcript.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

from argon2 import PasswordHasher
from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock

from pokerroom.coordination.memory import (
    MemoryBus,
    MemoryDirectory,
    MemoryHub,
    MemoryJournal,
    MemoryJournalStore,
    MemoryPayouts,
    MemoryPayoutStore,
    MemoryRegistrations,
)
from pokerroom.ledger.memory import MemoryLedger
from pokerroom.ops.config import parse
from pokerroom.room import Room, Surroundings
from pokerroom.simulation.streams import SeededBytes
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom.table.sealing import Seal
from pokerroom_protocol.codec import Encoding
from tests.cluster.rooms import RoomCounts

DIRECTORY = Path(__file__).parents[2] / "protocol" / "transcripts"
BEGINS_S = 1_767_225_600
TOKEN = "q8Zl0c1yQm2rT5uVwX9aBd3EfGhJkLnP"
TICK_S = 0.05
CONFIG = """
[room]
name = "example"
[[tables]]
id = "nl-6max-1"
name = "No-limit 0.50/1.00, six seats"
seats = 6
small_blind = 50
"""
TABLE = "nl-6max-1"


class Connection:
    """One client's connection, in JSON, and what passed over it."""

    encoding = Encoding.JSON
    kind = "websocket"
    peer = "192.0.2.1:40000"

    def __init__(self, house: House) -> None:
        self.house = house
        self.passed: list[dict[str, Any]] = []
        self.receiver = house.room.sessions.make(self)
        self._last = 0

    def send(self, outgoing: Outgoing | Bundle) -> None:
        """See `Link`."""
        bodies = outgoing.wrapped(Encoding.JSON, lambda body: struct.pack("!I", len(body)) + body)
        while bodies:
            (length,) = struct.unpack_from("!I", bodies)
            self.passed.append({"from": "room", "message": json.loads(bodies[4 : 4 + length])})
            bodies = bodies[4 + length :]

    def close(self, code: object) -> None:
        """See `Link`."""

    def lose(self) -> None:
        """The line breaks."""
        self.receiver.lost("closed by the client")

    def say(self, kind: str, **fields: Any) -> int:
        """Sends a request, without waiting."""
        self._last += 1
        message = {"type": kind, "id": self._last, **fields}
        self.passed.append({"from": "client", "message": message})
        self.receiver.received(json.dumps(message).encode())
        return self._last

    def ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Sends a request and waits for its answer."""
        number = self.say(kind, **fields)
        return self.wait_for(lambda message: message.get("re") == number)

    def wait_for(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first message of the room that is wanted, from the last one on that was waited for."""
        for _ in range(2_000):
            for entry in self.passed:
                if entry["from"] == "room" and not entry.get("seen") and wanted(entry["message"]):
                    for earlier in self.passed[: self.passed.index(entry) + 1]:
                        earlier["seen"] = True
                    found: dict[str, Any] = entry["message"]
                    return found
            self.house.clock.advance(TICK_S)
        raise AssertionError("it is never said")

    def enter(self, name: str) -> dict[str, Any]:
        """Greets and registers."""
        self.ask("hello", version=1, client="example 1.0")
        return self.ask("register", name=name, password="correct horse")


class House:
    """A room of one node on memory."""

    def __init__(self, seed: int) -> None:
        self.clock = Clock()
        self.clock.advance(BEGINS_S)
        hub = MemoryHub(self.clock)
        store = MemoryJournalStore()

        def bus(heard: Any, lost: Any, cut: Any) -> MemoryBus:
            return MemoryBus(hub, node="node", heard=heard, lost=lost, cut=cut)

        around = Surroundings(
            node="node",
            ledger=MemoryLedger(self.clock.seconds),
            journal=lambda sealed: MemoryJournal(store, self.clock, sealed=sealed),
            directory=MemoryDirectory({}),
            registrations=MemoryRegistrations({}),
            payouts=MemoryPayouts(MemoryPayoutStore(), self.clock),
            bus=bus,
            clock=self.clock,
            now_ms=lambda: round(self.clock.seconds() * 1000),
            random_bytes=SeededBytes(seed, "transcripts"),
            seal=Seal(bytes(32)),
            observer=RoomCounts(),
            in_thread=lambda work, *args: succeed(work(*args)),
            hasher=PasswordHasher(time_cost=1, memory_cost=8, parallelism=1),
        )
        self.room = Room(parse(CONFIG), around)
        started = Deferred.fromCoroutine(self.room.start())
        while not started.called:
            self.clock.advance(TICK_S)

    def close(self, passed: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Ends the room; returns what had passed until then, but for what nobody has waited for."""
        until = max(
            index for index, entry in enumerate(passed) if entry.get("seen") or entry["from"] == "client"
        )
        before = passed[: until + 1]
        self.room.stop()
        self.clock.pump([TICK_S] * 100)
        return before


def side_pot(seed: int = 34) -> list[dict[str, Any]]:
    """Three stacks, all of them all-in: a main pot for three, a side pot for two; as the longest sees it."""
    house = House(seed)
    alice, bob, carol = (Connection(house) for _ in range(3))
    alice.enter("alice")
    for player, name in ((bob, "bob"), (carol, "carol")):
        player.enter(name)
    alice.ask("sit_down", table=TABLE, buy_in=10_000, seat=1, post=False)
    bob.ask("sit_down", table=TABLE, buy_in=5_000, seat=3, post=True)
    carol.ask("sit_down", table=TABLE, buy_in=2_000, seat=5, post=True)
    players = {1: alice, 3: bob, 5: carol}
    hands = 0
    while True:
        message = alice.wait_for(lambda message: message["type"] in {"turn", "hand_started", "hand_ended"})
        if message["type"] == "hand_started":
            hands += 1
            three = len(message["seats"]) == 3
        elif message["type"] == "hand_ended":
            if three:
                break
        elif three:
            _all_in(players[message["seat"]], message)
        else:
            _act(players[message["seat"]], message, "check" if message["check"] else "fold")
    alice.ask("stand_up", table=TABLE)
    alice.wait_for(lambda message: message["type"] == "seat_left" and message["seat"] == 1)
    return _entries(house.close(alice.passed))


def _all_in(player: Connection, turn: dict[str, Any]) -> None:
    """All that a player has, by a raise where he may, else by a call."""
    if turn["max_raise_to"] is not None:
        _act(player, turn, "raise", turn["max_raise_to"])
    else:
        _act(player, turn, "call")


def _act(player: Connection, turn: dict[str, Any], action: str, amount: int | None = None) -> int:
    named = {"table": TABLE, "hand_id": turn["hand_id"], "seq": turn["seq"]}
    return player.say("act", **named, action=action, amount=amount)


def reconnect(seed: int = 4) -> list[dict[str, Any]]:
    """A line that is lost with a decision on the way: resume, observe, and the same `act` again."""
    house = House(seed)
    alice, bob = Connection(house), Connection(house)
    token = alice.enter("alice")["token"]
    bob.enter("bob")
    alice.ask("sit_down", table=TABLE, buy_in=10_000, seat=1, post=False)
    bob.ask("sit_down", table=TABLE, buy_in=10_000, seat=4, post=True)

    def turn_of(seat: int, viewer: Connection) -> dict[str, Any]:
        return viewer.wait_for(lambda message: message["type"] == "turn" and message["seat"] == seat)

    first = alice.wait_for(lambda message: message["type"] == "turn")
    if first["seat"] == 4:
        _act(bob, first, "call")
        first = turn_of(1, alice)
    decision = "check" if first["check"] else "call"
    heard = len(alice.passed)
    _act(alice, first, decision)
    alice.lose()
    said = alice.passed[: heard + 1]  # what the room answered never arrived
    note = "The line is lost before the answer comes. The room has the decision, and plays on."

    turn = turn_of(4, bob)
    _act(bob, turn, "bet", max(turn["min_raise_to"], 200))
    bob.wait_for(lambda message: message["type"] == "turn" and message["seat"] == 1)
    again = Connection(house)
    again.ask("hello", version=1, client="example 1.0")
    again.ask("resume", token=token)
    snapshot = again.ask("observe", table=TABLE)
    repeated = _act(again, first, decision)
    again.wait_for(lambda message: message.get("re") == repeated)
    hand = snapshot["hand"]
    _act(again, {"hand_id": hand["hand_id"], "seq": hand["turn"]["seq"]}, "fold")
    again.wait_for(lambda message: message["type"] == "hand_ended")
    return [
        *_entries(said),
        {"from": "note", "message": note},
        *_entries(house.close(again.passed)),
    ]


def _entries(passed: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without what differs from run to run."""
    entries = []
    for entry in passed:
        message = dict(entry["message"])
        if "token" in message:
            message["token"] = TOKEN
        entries.append({"from": entry["from"], "message": message})
    return entries


RECORDED = {"side_pot": side_pot, "reconnect": reconnect}


def text_of(entries: list[dict[str, Any]]) -> str:
    """As the file has it."""
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)


if __name__ == "__main__":
    for name, record in RECORDED.items():
        (DIRECTORY / f"{name}.jsonl").write_text(text_of(record()), encoding="utf-8")
