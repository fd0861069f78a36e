"""The attacks of the siege, each bounded in time: what strangers and greedy players have done to the room.

    python -m tests.siege.attacks NAME --seconds 5 --game-port 4190 --http-port 4191

Each runs in a process of its own, behind the room and the bystanders: a stranger has a machine of its own, and what the
attack costs itself must not count as a stall of the room.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import os
import random
import resource
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pokerroom_protocol.framing import frame
from tests.siege.lines import Line, packed

EMPTY_FRAMES = bytes(4) * 16_384
GETS = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n" * 1_500
KEY = base64.b64encode(bytes(16)).decode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The room under attack."""

    game_port: int
    http_port: int
    seconds: float
    seed: int = 1

    async def until_end(self, work: Callable[[], Awaitable[None]], pause_s: float = 0.0) -> None:
        """Does something again and again; a closed line is no reason to stop."""
        ends = asyncio.get_running_loop().time() + self.seconds
        while asyncio.get_running_loop().time() < ends:
            with contextlib.suppress(OSError, TimeoutError):
                async with asyncio.timeout(max(0.1, ends - asyncio.get_running_loop().time())):
                    await work()
            await asyncio.sleep(pause_s)

    async def together(self, count: int, work: Callable[[int], Callable[[], Awaitable[None]]]) -> None:
        """Many of them at once, each until the end."""
        await asyncio.gather(*(self.until_end(work(number)) for number in range(count)))


NICENESS = 10
"""A process with it has a tenth of the share of a processor that the room has when both want it."""


def _address(number: int) -> str:
    """One of many addresses of this machine, none of them the bystanders'."""
    return f"127.0.{1 + number // 200}.{1 + number % 200}"


def bursts(
    payload: bytes, *, web: bool = False, connections: int = 32
) -> Callable[[Target], Awaitable[None]]:
    """Connections that write as much as they can, and read whatever comes."""

    async def attack(target: Target) -> None:
        async def burst() -> None:
            port = target.http_port if web else target.game_port
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                writer.write(payload)
                while await reader.read(1 << 16):
                    pass
            finally:
                writer.close()

        await target.together(connections, lambda _: burst)

    return attack


async def malformed(target: Target) -> None:
    """Frames of random bytes: every one is an error, and none is a surprise."""
    dice = random.Random(target.seed)

    async def write() -> None:
        line = await Line.open(target.game_port, _address(1))
        try:
            line.write(b"".join(frame(dice.randbytes(dice.randrange(1, 64))) for _ in range(1_000)))
            await line.swallow()
        finally:
            line.close()

    await target.together(8, lambda _: write)


async def hang_ups(target: Target) -> None:
    """Log-ins of clients that do not wait for the answer."""

    def hang_up(number: int) -> Callable[[], Awaitable[None]]:
        async def work() -> None:
            line = await Line.open(target.game_port, _address(number))
            line.send("log_in", name=f"nobody{number}", password="a password")
            await line.drain()
            await asyncio.sleep(0.02)
            line.close()

        return work

    await target.together(100, hang_up)


async def guesses(target: Target) -> None:
    """Passwords for the bystanders' account, from twenty addresses."""

    def guess(number: int) -> Callable[[], Awaitable[None]]:
        async def work() -> None:
            line = await Line.open(target.game_port, _address(number % 20))
            try:
                for count in range(1_000):
                    await line.ask("log_in", name="honest", password=f"guess {count}")
            finally:
                line.close()

        return work

    await target.together(50, guess)


def dear(kind: str, **fields: object) -> Callable[[Target], Awaitable[None]]:
    """Guests who ask for what is dear, as fast as they can."""

    async def attack(target: Target) -> None:
        def greedy(number: int) -> Callable[[], Awaitable[None]]:
            async def work() -> None:
                line = await Line.open(target.game_port, _address(number))
                try:
                    name = f"greedy{os.getpid()}x{random.randrange(1 << 30)}"
                    await line.ask("register", name=name[:20], password="a password")
                    line.write(packed(kind, id=9, **fields) * 950)
                    await line.swallow()
                finally:
                    line.close()

            return work

        await target.together(8, greedy)

    return attack


async def strangers_lists(target: Target) -> None:
    """The lobby, asked for by clients that are not logged in."""

    async def ask() -> None:
        line = await Line.open(target.game_port, _address(3))
        try:
            line.write(packed("list_tables", id=9) * 900)
            await line.swallow()
        finally:
            line.close()

    await target.together(8, lambda _: ask)


async def slow_heads(target: Target) -> None:
    """Slowloris: requests and frames that never end, on both ports."""

    def drip(number: int) -> Callable[[], Awaitable[None]]:
        async def work() -> None:
            port = target.http_port if number % 2 else target.game_port
            _, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(_address(number), 0))
            try:
                writer.write(b"GET / HTTP/1.1\r\nHost: a" if number % 2 else b"\0\0\x10\0")
                while True:
                    writer.write(b"a")
                    await writer.drain()
                    await asyncio.sleep(0.5)
            finally:
                writer.close()

        return work

    await target.together(500, drip)


async def connections(target: Target) -> None:
    """5,000 connections that say nothing, from a hundred addresses."""
    held: list[asyncio.StreamWriter] = []
    for number in range(5_000):
        try:
            async with asyncio.timeout(2):
                port = target.http_port if number % 2 else target.game_port
                source = (_address(number % 100), 0)
                held.append((await asyncio.open_connection("127.0.0.1", port, local_addr=source))[1])
        except (OSError, TimeoutError):
            await asyncio.sleep(0.01)
    await asyncio.sleep(target.seconds)
    for writer in held:
        writer.close()


async def web_socket_pings(target: Target) -> None:
    """A flood of empty pings over WebSocket."""
    head = (
        f"GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: {KEY}\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: pokerroom.v1.msgpack\r\n\r\n"
    )
    ping = b"\x89\x80\0\0\0\0"

    async def flood() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", target.http_port)
        try:
            writer.write(head.encode())
            await reader.read(1 << 16)
            while True:
                writer.write(ping * 10_000)
                await writer.drain()
        finally:
            writer.close()

    await target.together(8, lambda _: flood)


async def observers(target: Target) -> None:
    """Guests who observe a table and ask for snapshots of it without end."""

    def watch(number: int) -> Callable[[], Awaitable[None]]:
        async def work() -> None:
            line = await Line.open(target.game_port, _address(number))
            try:
                name = f"watch{random.randrange(1 << 40)}"
                await line.ask("register", name=name[:20], password="a password")
                line.send("observe", table="duel")
                line.write(packed("get_snapshot", id=9, table="duel") * 900)
                await line.swallow()
            finally:
                line.close()

        return work

    await target.together(20, watch)


ATTACKS: dict[str, Callable[[Target], Awaitable[None]]] = {
    "empty_frames": bursts(EMPTY_FRAMES),
    "pipelined_gets": bursts(GETS, web=True),
    "malformed_frames": malformed,
    "web_socket_pings": web_socket_pings,
    "log_in_hang_ups": hang_ups,
    "guesses": guesses,
    "cashier": dear("get_cashier"),
    "history": dear("get_history", before=None, limit=50),
    "standings": dear("get_standings", tournament="none"),
    "strangers_lists": strangers_lists,
    "observers": observers,
    "slow_heads": slow_heads,
    "connections": connections,
}
LOG_IN_ATTACKS = ("log_in_hang_ups", "guesses")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=list(ATTACKS))
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--game-port", type=int, required=True)
    parser.add_argument("--http-port", type=int, required=True)
    asked = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(20_000, most), most))
    os.nice(NICENESS)
    target = Target(game_port=asked.game_port, http_port=asked.http_port, seconds=asked.seconds)
    asyncio.run(ATTACKS[asked.name](target))


if __name__ == "__main__":
    main()
