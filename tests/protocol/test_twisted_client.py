"""The driver for Twisted, against a scripted listener on loopback."""

from __future__ import annotations

from typing import ClassVar

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint
from twisted.internet.protocol import Factory, Protocol

from pokerroom_protocol import (
    ConnectionEnded,
    Encoding,
    FrameReader,
    RequestRefused,
    decode_request,
    encode,
    frame,
)
from pokerroom_protocol import messages as m
from pokerroom_protocol.twisted_client import connect
from tests.protocol.test_client import script
from tests.protocol.test_session import TABLE


class Listener(Protocol):
    """Answers as the script does; None in an answer hangs up."""

    made: ClassVar[list[Listener]] = []

    def connectionMade(self):  # noqa: N802 -- Twisted's name
        self.frames = FrameReader(10_000)
        self.gone: Deferred[None] = Deferred()
        self.made.append(self)

    def dataReceived(self, data):  # noqa: N802 -- as above
        for body in self.frames.feed(data):
            answers = script(decode_request(body, Encoding.MSGPACK))
            told = [frame(encode(answer, Encoding.MSGPACK)) for answer in answers if answer is not None]
            self.transport.write(b"".join(told))
            if None in answers:
                self.transport.loseConnection()

    def connectionLost(self, reason):  # noqa: N802 -- as above
        self.gone.callback(None)


def played(run, scenario):
    """Runs `scenario(endpoint, happened, ended)` against the listener; nothing stays open."""
    from twisted.internet import reactor

    async def whole():
        Listener.made.clear()
        happened, ended = [], []
        over: Deferred[None] = Deferred()

        def end(how):
            ended.append(how)
            over.callback(None)

        port = reactor.listenTCP(0, Factory.forProtocol(Listener), interface="127.0.0.1")
        endpoint = TCP4ClientEndpoint(reactor, "127.0.0.1", port.getHost().port)
        try:
            client = await connect(endpoint, happened.append, end)
            result = await scenario(client)
            client.close()
            await over
        finally:
            for listener in Listener.made:
                await listener.gone
            await port.stopListening()
        return result, happened, ended

    return run(Deferred.fromCoroutine(whole()))


def test_it_greets_asks_and_hears(run):
    """Hello is said, answers are awaited, events come in order, and a gap heals by itself."""

    async def scenario(client):
        answer = await client.request(m.Observe(id=0, table=TABLE), m.Snapshot)
        with pytest.raises(RequestRefused) as caught:
            await client.request(m.Chat(id=0, table=TABLE, text="hi"), m.Ok)
        return client.welcome.server, answer.seq, caught.value.code

    result, happened, ended = played(run, scenario)

    assert result == ("script", 5, "not_observing")
    assert [event.seq for event in happened] == [5, 6, 8, 9]
    assert len(ended) == 1


def test_the_end_of_a_connection_wakes_whoever_waits(run):
    """A request under way fails with the room's last word, later ones too, and `ended` is called once."""

    async def scenario(client):
        with pytest.raises(ConnectionEnded) as caught:
            await client.request(m.LogOut(id=0), m.Ok)
        with pytest.raises(ConnectionEnded):
            await client.request(m.LogOut(id=0), m.Ok)
        return caught.value.goodbye.code

    result, _, ended = played(run, scenario)

    assert result == "shutting_down"
    assert [how.goodbye.code for how in ended] == ["shutting_down"]
