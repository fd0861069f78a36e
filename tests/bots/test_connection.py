"""A bot's connection: answers reach their callers, samples are checked in full, an end wakes all callers."""

from __future__ import annotations

import asyncio

import msgpack
import pytest

from pokerroom.bots.connection import CHECK_EVERY, BotConnection, BotConnectionLost
from pokerroom_protocol import Code, Encoding, decode_request, encode
from pokerroom_protocol import messages as m


class PaperConnection:
    """Keeps what is sent, decoded."""

    def __init__(self) -> None:
        self.sent = []

    def send(self, body: bytes) -> None:
        self.sent.append(decode_request(body, Encoding.MSGPACK))

    def close(self) -> None:
        pass


class Bench:
    def __init__(self) -> None:
        self.seen = []
        self.nonsense = []
        self.lost = 0
        self.link = BotConnection(
            on_message=lambda fields, _body: self.seen.append(fields["type"]),
            on_lost=self._lost,
            on_nonsense=self.nonsense.append,
        )
        self.connection = PaperConnection()
        self.link.attach(self.connection)

    def _lost(self) -> None:
        self.lost += 1

    def receives(self, *messages) -> None:
        self.link.received([encode(message, Encoding.MSGPACK) for message in messages])


def run(scenario):
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        return runner.run(scenario)


def test_an_answer_finds_who_waits():
    """Each of two requests gets its own answer, checked in full; the owner has seen every message before."""

    async def scenario():
        bench = Bench()
        first = asyncio.create_task(bench.link.ask(m.Ping(id=bench.link.number())))
        second = asyncio.create_task(bench.link.ask(m.ListTables(id=bench.link.number())))
        await asyncio.sleep(0)
        ping, tables = bench.connection.sent
        bench.receives(m.Tables(re=tables.id, tables=[]), m.Ok(re=99), m.Pong(re=ping.id, server_time_ms=1))
        return bench.seen, await first, await second

    seen, pong, tables = run(scenario())

    assert seen == ["tables", "ok", "pong"]
    assert isinstance(pong, m.Pong)
    assert isinstance(tables, m.Tables)


def test_every_so_many_messages_one_is_checked():
    """The sample finds a message that breaks the protocol, although no bot reads its fields."""

    async def scenario():
        bench = Bench()
        bench.receives(*[m.Ok(re=1)] * (CHECK_EVERY - 1), m.Ok(re=-1), m.Ok(re=-1))
        return bench

    bench = run(scenario())

    assert [error.code for error in bench.nonsense] == [Code.BAD_MESSAGE]


def test_a_message_of_a_newer_room_is_no_nonsense():
    """A type that the bots do not know is handed on like any other, sampled or not: clients ignore it."""

    async def scenario():
        bench = Bench()
        bench.receives(*[m.Ok(re=1)] * (CHECK_EVERY - 1))
        bench.link.received([msgpack.packb({"type": "confetti_thrown", "table": "t", "seq": 1})])
        return bench

    bench = run(scenario())

    assert bench.nonsense == []
    assert bench.seen[-1] == "confetti_thrown"


def test_bytes_that_are_no_message_are_nonsense():
    """The bad one is reported, those context it are taken."""

    async def scenario():
        bench = Bench()
        bench.receives(m.Ok(re=1))
        bench.link.received([b"\xc1"])
        bench.receives(m.Ok(re=2))
        return bench

    bench = run(scenario())

    assert [error.code for error in bench.nonsense] == [Code.BAD_ENCODING]
    assert bench.seen == ["ok", "ok"]


def test_the_end_wakes_whoever_waits():
    """A request under way raises, later ones too, and the owner is told once."""

    async def scenario():
        bench = Bench()
        waiting = asyncio.create_task(bench.link.ask(m.Ping(id=bench.link.number())))
        await asyncio.sleep(0)
        bench.link.ended("cut")
        with pytest.raises(BotConnectionLost, match="cut"):
            await waiting
        with pytest.raises(BotConnectionLost):
            await bench.link.ask(m.Ping(id=bench.link.number()))
        return bench

    bench = run(scenario())

    assert bench.lost == 1
    assert not bench.link.is_open
