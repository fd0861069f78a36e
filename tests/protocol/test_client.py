"""The asyncio client against a scripted listener: greeting, refusals, events, and the end of a connection."""

from __future__ import annotations

import asyncio

import pytest

from pokerroom_protocol import (
    ConnectionEnded,
    Encoding,
    FrameReader,
    PokerClient,
    RequestRefused,
    decode_request,
    encode,
    frame,
)
from pokerroom_protocol import messages as m
from tests.protocol.test_session import TABLE, chat, snapshot

WELCOME = {"version": 1, "server": "script", "server_time_ms": 0, "frame_bytes_max": 1_000, "idle_s": 60}


def played(script, scenario):
    """Runs `scenario(port)` against a listener that answers each request with `script(request)`; None hangs up."""
    handlers = []

    async def serve(reader, writer):
        handlers.append(asyncio.current_task())
        frames = FrameReader(10_000)
        while data := await reader.read(10_000):
            for body in frames.feed(data):
                answers = script(decode_request(body, Encoding.MSGPACK))
                for answer in answers:
                    if answer is not None:
                        writer.write(frame(encode(answer, Encoding.MSGPACK)))
                if None in answers:
                    writer.close()
        writer.close()
        await writer.wait_closed()

    async def run():
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server:
            result = await scenario(server.sockets[0].getsockname()[1])
            await asyncio.gather(*handlers)
            return result

    # Not asyncio.run, which would unset the event loop that the reactor of other tests runs on.
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        return runner.run(run())


def script(request):
    match request:
        case m.Hello():
            return [m.Welcome(re=request.id, **WELCOME)]
        case m.Observe():
            return [snapshot(5, re=request.id), chat(6), chat(8)]
        case m.GetSnapshot():
            return [snapshot(8, re=request.id), chat(9)]
        case m.Chat():
            return [m.Error(re=request.id, code="not_observing", message="x")]
        case _:
            return [m.Goodbye(code="shutting_down", message="x"), None]


def test_hello_is_said_and_events_come_in_order():
    """Connecting greets; a gap in the events heals by itself; events are iterated in order."""

    async def scenario(port):
        client = await PokerClient.connect("127.0.0.1", port)
        answer = await client.request(m.Observe(id=0, table=TABLE), m.Snapshot)
        events = [await anext(client) for _ in range(4)]
        client.close()
        return client.welcome, answer, events

    welcome, answer, events = played(script, scenario)

    assert welcome.server == "script"
    assert answer.seq == 5
    assert [event.seq for event in events] == [5, 6, 8, 9]


def test_a_refusal_is_raised_where_it_was_asked_for():
    """An `error` answer raises `RequestRefused` with its code."""

    async def scenario(port):
        client = await PokerClient.connect("127.0.0.1", port)
        with pytest.raises(RequestRefused) as caught:
            await client.request(m.Chat(id=0, table=TABLE, text="hi"), m.Ok)
        client.close()
        return caught.value.code

    assert played(script, scenario) == "not_observing"


def test_the_end_of_a_connection_wakes_whoever_waits():
    """A request under way raises with the room's last word, later ones too, and the iteration of events ends."""

    async def scenario(port):
        client = await PokerClient.connect("127.0.0.1", port)
        with pytest.raises(ConnectionEnded) as caught:
            await client.request(m.LogOut(id=0), m.Ok)
        with pytest.raises(ConnectionEnded):
            await client.request(m.LogOut(id=0), m.Ok)
        return caught.value.goodbye, [event async for event in client]

    goodbye, events = played(script, scenario)

    assert goodbye.code == "shutting_down"
    assert events == []
