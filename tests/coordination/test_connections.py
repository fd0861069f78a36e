"""Connections to a server: replies in order, however they arrive, and an end that is noticed at once.

The server is a script that speaks RESP2; real ones are in the tests of the journal, the bus and the client.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hiredis
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from redis.exceptions import BusyLoadingError, ResponseError

from pokerroom.coordination.redis.connections import UNAVAILABLE, ServerConnection, answered, channel_to
from tests.coordination.support import free_port, later, turns, until

NOT_WAITED_FOR_S = 10
"""Of TLS itself: what it waits for the other side's word that it has understood the end is thrice as long."""

ECHO = {b"PING": b"+PONG\r\n", b"FAIL": b"-ERR no\r\n", b"LOAD": b"-LOADING it reads\r\n", b"MUTE": b""}


class Script:
    """Answers each command by `answers`, one chunk of bytes after the other."""

    def __init__(self) -> None:
        self.answers: dict[bytes, bytes | list[bytes]] = dict(ECHO)
        self.said: list[list[bytes]] = []
        self.writers: list[asyncio.StreamWriter] = []
        self._server: asyncio.Server | None = None
        self.port = 0

    async def open(self, context: ssl.SSLContext | None) -> None:
        self._server = await asyncio.start_server(self._client, "127.0.0.1", ssl=context)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writers.append(writer)
        resp = hiredis.Reader()
        try:
            while data := await reader.read(65536):
                resp.feed(data)
                while (command := resp.gets()) is not False:
                    if command[0] != b"CLIENT":  # redis-py tells its version
                        self.said.append(command)
                    answer = self.answers.get(command[0], b"+OK\r\n")
                    for chunk in [answer] if isinstance(answer, bytes) else answer:
                        writer.write(chunk)
                        await writer.drain()
                        await asyncio.sleep(0.01 if isinstance(answer, list) else 0)
        except OSError:
            pass
        finally:
            writer.close()
            if writer in self.writers:
                self.writers.remove(writer)

    def stand_still(self) -> None:
        for writer in self.writers:
            writer.transport.pause_reading()

    def go_on(self) -> None:
        for writer in self.writers:
            writer.transport.resume_reading()

    def hang_up(self) -> None:
        for writer in self.writers:
            writer.close()
        self.writers = []

    async def close(self) -> None:
        self.hang_up()
        assert self._server is not None
        self._server.close()


@pytest.fixture(params=["tcp", "tls"])
def script(request: pytest.FixtureRequest, run: Any, tmp_path: Path) -> Iterator[Script]:
    made = Script()
    run(later(lambda: made.open(own_certificate(tmp_path) if request.param == "tls" else None)))
    made.url = (  # type: ignore[attr-defined]  # of this fixture alone
        f"rediss://127.0.0.1:{made.port}?ssl_cert_reqs=none&ssl_check_hostname=false"
        if request.param == "tls"
        else f"redis://127.0.0.1:{made.port}"
    )
    yield made
    run(later(made.close))
    turns(run)


@pytest.fixture
def line(script: Any, client: Callable[[str], Any], run: Any) -> Iterator[ServerConnection]:
    made = ServerConnection(client(script.url))
    run(later(made.connect))
    yield made
    run(later(made.close))


def own_certificate(home: Path) -> ssl.SSLContext:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    day = dt.timedelta(days=1)
    today = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(today - day)
        .not_valid_after(today + day)
        .sign(key, hashes.SHA256())
    )
    (home / "cert.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (home / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(home / "cert.pem", home / "key.pem")
    return context


def test_replies_come_in_order_however_they_arrive(script, line, run):
    """Several commands in one write; a reply in pieces; one that Redis refuses is among them."""
    script.answers[b"LONG"] = [b"$6\r\nab", b"cdef", b"\r\n"]
    replies = run(later(lambda: line.exchange([(b"PING",), (b"LONG", b"x"), (b"FAIL",), (b"PING",)])))
    assert replies[0] == replies[3] == b"PONG"
    assert replies[1] == b"abcdef"
    assert isinstance(replies[2], ResponseError)
    assert script.said == [[b"PING"], [b"LONG", b"x"], [b"FAIL"], [b"PING"]]
    assert line.connected


def test_what_is_said_unasked_is_read_one_by_one(script, line, run):
    """As messages of channels: more may have arrived than the reader has waited for."""
    script.answers[b"SUBSCRIBE"] = b"*2\r\n$1\r\na\r\n:1\r\n*2\r\n$1\r\nb\r\n:2\r\n"
    line.send(b"SUBSCRIBE", b"a", b"b")
    assert [run(later(line.read)) for _ in range(2)] == [[b"a", 1], [b"b", 2]]


def test_a_server_that_has_gone_is_noticed_before_anything_is_asked(script, line, run):
    """And the next connection is a new one."""
    script.hang_up()
    until(run, lambda: not line.connected)
    with pytest.raises(UNAVAILABLE):
        run(later(lambda: line.exchange([(b"PING",)])))
    run(later(line.connect))
    assert run(later(lambda: line.exchange([(b"PING",)]))) == [b"PONG"]


def test_a_caller_that_waits_when_the_server_goes_hears_that(script, line, run):
    """So does a caller without a coroutine."""
    asked = line.ask([(b"MUTE",)])
    until(run, lambda: script.said)
    script.hang_up()
    until(run, asked.done)
    assert isinstance(asked.exception(), ConnectionError)
    assert not line.connected


def test_a_server_that_still_reads_its_data_is_away(script, line, run):
    """It breaks the connection, so that its user starts again."""
    with pytest.raises(BusyLoadingError):
        run(later(lambda: line.exchange([(b"LOAD",)])))
    assert not line.connected


def test_a_caller_that_reads_hears_a_refusal_as_one(script, line, run):
    """As for a user without access to the channels of the room: an error confirms nothing."""
    script.answers[b"SUBSCRIBE"] = b"-NOPERM no channels\r\n"
    line.send(b"SUBSCRIBE", b"a")
    with pytest.raises(ResponseError):
        run(later(line.read))
    assert not line.connected


def test_a_caller_that_reads_hears_at_once_that_the_line_is_closed(script, line, run):
    """Though the server has stopped, and would not say that it has understood."""
    line.send(b"MUTE")
    until(run, lambda: script.said)
    script.stand_still()
    reading, began = later(line.read), time.monotonic()
    turns(run)
    run(later(line.close))
    with pytest.raises(UNAVAILABLE):
        run(reading)
    assert time.monotonic() - began < NOT_WAITED_FOR_S
    script.go_on()
    until(run, lambda: not script.writers)


def test_a_cluster_that_cannot_be_reached_is_away(client, run):
    """By whatever name redis-py calls it."""
    nobody = client(f"redis+cluster://127.0.0.1:{free_port()}")
    for wire in (ServerConnection(nobody), channel_to(nobody)):
        with pytest.raises(UNAVAILABLE):
            run(later(wire.connect))
    with pytest.raises(ConnectionError):
        run(later(lambda: answered(nobody.get("x"), 5)))


def test_a_process_that_stands_still_does_not_take_redis_for_dead(run):
    """The answer has come, and is not read yet, when the time for it is over."""
    own, its = socket.socketpair()

    def stand_still() -> None:
        its.send(b"+PONG")
        time.sleep(0.4)

    async def reply() -> bytes:
        found = await asyncio.get_running_loop().sock_recv(own, 5)
        await asyncio.sleep(0)  # to read it takes more than a turn of the loop
        return found

    async def asked() -> bytes:
        own.setblocking(False)
        asyncio.get_running_loop().call_later(0.05, stand_still)
        return await answered(reply(), 0.2)

    with own, its:
        assert run(later(asked)) == b"+PONG"


def test_an_answer_that_never_comes_is_waited_for_no_longer_than_is_said(client, script, run):
    """Whoever asked can ask again at once."""
    redis = client(script.url)
    script.answers[b"GET"] = b""
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        run(later(lambda: answered(redis.get("x"), 0.5)))
    assert time.monotonic() - began >= 0.5
    script.answers[b"GET"] = b"$1\r\n1\r\n"
    assert run(later(lambda: answered(redis.get("x"), 5))) == b"1"


def test_what_is_not_redis_breaks_the_connection(script, line, run):
    """Nothing after it could be trusted."""
    script.answers[b"ODD"] = b"HTTP/1.1 400\r\n"
    with pytest.raises(UNAVAILABLE):
        run(later(lambda: line.exchange([(b"ODD",)])))
    assert not line.connected


def test_a_caller_that_gives_up_waiting_gives_up_the_connection(script, line, run):
    """The reply may still come, and would be taken for that to the next command."""

    async def impatient() -> None:
        async with asyncio.timeout(0.05):
            await line.exchange([(b"MUTE",)])

    with pytest.raises(TimeoutError):
        run(later(impatient))
    assert not line.connected
