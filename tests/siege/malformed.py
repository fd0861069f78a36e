"""`make malformed`: a million malformed frames over real sockets, each answered by an error of the protocol.

    python -m tests.siege.malformed --frames 1000000 --seed 1

Frames are random bytes, and messages of the vectors that were cut off, changed in some bytes, or given fields of other
types. A part comes before the log-in, a part after it; over TCP, and over WebSocket in both encodings. A changed
message may by chance be a right one; any answer to it is right. What the room must not do: answer with `internal`, or
close a connection with it, log a fault, stop, or leave a difference for the audit.

The last line of standard output is one JSON object; exit code 1 if the room did one of these things.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import Any, Final

import click
import msgpack
import websockets

from pokerroom_protocol.framing import frame
from tests.integration.support import RunningRoom, running_room

ROOM = """
[limits]
messages_per_s = 100_000
message_burst = 1_000_000
[[tables]]
id = "duel"
seats = 2
small_blind = 50
"""
VECTORS = json.loads((Path(__file__).parents[2] / "protocol/vectors/client.json").read_text(encoding="utf-8"))
HARMLESS = [
    vector["json"]
    for vector in VECTORS
    if vector["type"] not in {"hello", "register", "log_in", "resume", "recover", "log_out", "delete_account"}
]
"""Messages that, changed a little, neither wait for the work with passwords nor end the connection."""
OTHERS: Final[tuple[Any, ...]] = (
    None, True, -1, 1 << 63, -(1 << 63), 1.5, float("inf"), "", "\0", "a" * 5_000, [], [[]] * 50, {}, {"": {}}, "2026",
)  # fmt: skip
AT_ONCE = 8
FRAMES_OF_A_LINE = 1_000
STEP = 50_000
QUIET_S = 10.0


def spoilt(dice: random.Random) -> dict[str, Any]:
    """A message of the vectors with one field of another type, or without it, or with one too many."""
    message = dict(dice.choice(HARMLESS))
    name = dice.choice([*message, "more"])
    if name != "more" and dice.randrange(4) == 0:
        del message[name]
    else:
        message[name] = dice.choice(OTHERS)
    return message


def hurt(dice: random.Random, body: bytes) -> bytes:
    """A body that was cut off, or has other bytes in a few places."""
    if dice.randrange(3) == 0:
        return body[: dice.randrange(len(body))]
    changed = bytearray(body)
    for _ in range(dice.randrange(1, 4)):
        changed[dice.randrange(len(changed))] = dice.randrange(256)
    return bytes(changed)


def packed_body(dice: random.Random) -> bytes:
    """A malformed body of msgpack."""
    kind = dice.randrange(3)
    if kind == 0:
        return dice.randbytes(dice.randrange(64))
    if kind == 1:
        return bytes(msgpack.packb(spoilt(dice)))  # msgpack has all of `OTHERS`
    return hurt(dice, msgpack.packb(dice.choice(HARMLESS)))


def text_body(dice: random.Random) -> str:
    """A malformed body of JSON."""
    kind = dice.randrange(3)
    if kind == 0:
        return dice.randbytes(dice.randrange(64)).decode("utf-8", "replace")
    if kind == 1:
        return json.dumps(spoilt(dice))
    return hurt(dice, json.dumps(dice.choice(HARMLESS)).encode()).decode("utf-8", "replace")


class Found:
    """What the room has answered, by code of errors and type of other answers."""

    def __init__(self, frames: int) -> None:
        self.left = frames
        self.sent = 0
        self.told = 0
        self.answers: Counter[str] = Counter()

    def note(self, message: dict[str, Any]) -> None:
        kind = message["type"]
        self.answers[f"{kind} {message['code']}" if kind in {"error", "goodbye"} else kind] += 1

    def take(self) -> int:
        """How many frames the next connection sends."""
        count = min(self.left, FRAMES_OF_A_LINE)
        self.left -= count
        self.sent += count
        return count


def opening(dice: random.Random) -> Iterable[dict[str, Any]]:
    """The right messages with which a connection begins: half of them log in."""
    yield {"type": "hello", "id": 1, "version": 1}
    if dice.randrange(2):
        yield {"type": "resume", "id": 2, "token": "no such token"}


async def tcp(room: RunningRoom, dice: random.Random, found: Found, token: str) -> None:
    """A connection with frames over TCP; the room may end it at any time."""
    reader, writer = await asyncio.open_connection("127.0.0.1", room.game_port)
    count = found.take()
    starts = [msgpack.packb(one | ({"token": token} if "token" in one else {})) for one in opening(dice)]
    writer.write(b"".join(frame(body) for body in [*starts, *(packed_body(dice) for _ in range(count))]))
    writer.write(frame(msgpack.packb({"type": "ping", "id": 999_999_999})))
    try:
        while True:
            length = int.from_bytes(await asyncio.wait_for(reader.readexactly(4), QUIET_S), "big")
            said = msgpack.unpackb(await reader.readexactly(length))
            found.note(said)
            if said.get("re") == 999_999_999:
                return
    except (asyncio.IncompleteReadError, ConnectionError):
        found.answers["end of the line"] += 1
    finally:
        writer.close()


async def web(room: RunningRoom, dice: random.Random, found: Found, token: str) -> None:
    """A connection with bodies over WebSocket, in one of the encodings."""
    binary = bool(dice.randrange(2))
    encode: Callable[[dict[str, Any]], bytes | str] = msgpack.packb if binary else json.dumps
    body: Callable[[random.Random], bytes | str] = packed_body if binary else text_body
    uri = f"ws://127.0.0.1:{room.http_port}/ws"
    protocol = websockets.Subprotocol(f"pokerroom.v1.{'msgpack' if binary else 'json'}")
    async with websockets.connect(uri, subprotocols=[protocol], max_queue=None) as line:
        reading = asyncio.create_task(read(line, found))
        try:
            for one in opening(dice):
                await line.send(encode(one | ({"token": token} if "token" in one else {})))
            for _ in range(found.take()):
                await line.send(body(dice))
            await line.send(encode({"type": "ping", "id": 999_999_999}))
            await asyncio.wait_for(reading, QUIET_S)
        except (ConnectionError, websockets.ConnectionClosed):
            found.answers["end of the line"] += 1
        finally:
            reading.cancel()


async def read(line: AsyncIterator[bytes | str], found: Found) -> None:
    async for said in line:
        message = json.loads(said) if isinstance(said, str) else msgpack.unpackb(said)
        found.note(message)
        if message.get("re") == 999_999_999:
            return


async def account(room: RunningRoom, name: str) -> str:
    """Registers an account, and returns its token."""
    reader, writer = await asyncio.open_connection("127.0.0.1", room.game_port)
    for message in (
        {"type": "hello", "id": 1, "version": 1},
        {"type": "register", "id": 2, "name": name, "password": "a long password"},
    ):
        writer.write(frame(msgpack.packb(message)))
    while True:
        length = int.from_bytes(await reader.readexactly(4), "big")
        said = msgpack.unpackb(await reader.readexactly(length))
        if said["type"] == "authenticated":
            writer.close()
            return str(said["token"])


async def send_all(room: RunningRoom, found: Found, seed: int) -> None:
    total = found.left

    async def lines(number: int) -> None:
        dice = random.Random(f"{seed} {number}")
        token = await account(room, f"mallory{number}")
        while found.left > 0:
            await (tcp if dice.randrange(2) else web)(room, dice, found, token)
            if found.sent - found.told >= STEP:
                found.told = found.sent
                click.echo(f"{found.sent:,} of {total:,} frames", err=True)

    await asyncio.gather(*(lines(number) for number in range(AT_ONCE)))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.siege.malformed", description=__doc__)
    parser.add_argument("--frames", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    found = Found(asked.frames)
    with tempfile.TemporaryDirectory() as folder, running_room(Path(folder) / "data", ROOM) as room:
        asyncio.run(send_all(room, found, asked.seed))
        differences = room.audit()["differences"]
        faults = [line for line in "".join(room.output).splitlines() if ".fault" in line]
    for line in faults:
        click.echo(line, err=True)
    internal = sum(count for answer, count in found.answers.items() if "internal" in answer)
    for answer, count in found.answers.most_common():
        click.echo(f"{count:9,} {answer}", err=True)
    last = {
        "frames": found.sent,
        "answers": sum(found.answers.values()),
        "internal": internal,
        "faults": len(faults),
        "differences": differences,
    }
    click.echo(json.dumps(last))
    return 1 if internal or faults or differences or not found.answers else 0


if __name__ == "__main__":
    sys.exit(main())
