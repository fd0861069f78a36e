"""One POST to a webhook, over real sockets."""

import asyncio
import socket
import ssl
import threading
from contextlib import suppress

import pytest

from pokerroom.bridge import deferred
from pokerroom.webhooks.addresses import BadAddress
from pokerroom.webhooks.post import Poster, Undelivered
from tests.gateway.certificates import Authority

LOOPBACK = ("127.0.0.0/8",)
HEADERS = {"webhook-id": "msg_1"}


@pytest.fixture
def post(run):
    """Posts a body; the status. Private addresses are allowed unless `networks` says otherwise."""

    def posted(url, networks=LOOPBACK, **parts):
        return run(deferred(Poster(networks, **parts).post(url, HEADERS, b'{"a":1}')))

    return posted


@pytest.fixture
def found(monkeypatch):
    """Lets each name have these addresses; returns the names that are asked for."""

    def set_addresses(*addresses):
        asked = []

        def looked_up(host, port, **more):
            asked.append(host)
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in addresses]

        monkeypatch.setattr(socket, "getaddrinfo", looked_up)
        return asked

    return set_addresses


def test_a_post_has_its_headers_and_its_body(post, receiver):
    """The status is what the endpoint answers."""
    here = receiver(204)
    assert post(here.url) == 204
    (request,) = here.received
    assert (request.target, request.body) == ("/hook?k=v", b'{"a":1}')
    assert request.headers == {
        "host": f"127.0.0.1:{here.port}",
        "connection": "close",
        "content-type": "application/json",
        "content-length": "7",
        "user-agent": "pokerroom",
        "webhook-id": "msg_1",
    }


def test_a_redirect_is_not_followed(post, receiver):
    """It could lead to an address that no operator has allowed."""
    other = receiver(200)
    here = receiver(b"HTTP/1.1 302 Found\r\nlocation: %s\r\n\r\n" % other.url.encode())
    assert post(here.url) == 302
    assert other.received == []


def test_an_answer_that_only_announces_one_is_passed_over(post, receiver):
    """And the body of an answer is not read, however long it is."""
    early = b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n"
    assert post(receiver(early * 4 + b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 100_000).url) == 200


@pytest.mark.parametrize(
    "flood", [b"HTTP/1.1 100 Continue\r\n\r\n" * 5, b"HTTP/1.1 103 x\r\n" + b"link: x\r\n" * 2_000 + b"\r\n"]
)
def test_an_answer_that_is_announced_without_end_fails(post, receiver, flood):
    """Lines that are there already never let the reactor do something else."""
    with pytest.raises(Undelivered, match="the connection failed: EOFError"):
        post(receiver(flood + b"HTTP/1.1 200 OK\r\n\r\n").url)


def test_a_receiver_that_does_not_read_keeps_no_connection(run):
    """What is left of a large body is thrown away with it."""
    body, ended = b"x" * 32_000_000, asyncio.Event()
    read = []

    async def reads_late(reader, writer):
        await ended.wait()
        with suppress(OSError):
            while part := await reader.read(1_000_000):
                read.append(len(part))
        writer.close()
        read.append(0)

    async def watched():
        async with await asyncio.start_server(reads_late, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            with pytest.raises(Undelivered, match="no answer"):
                await Poster(LOOPBACK, post_s=0.1).post(f"http://127.0.0.1:{port}/", HEADERS, body)
            ended.set()
            async with asyncio.timeout(20):
                while 0 not in read:  # noqa: ASYNC110 -- nothing tells when
                    await asyncio.sleep(0.01)

    run(deferred(watched()))
    assert sum(read) < len(body)


def test_a_name_server_that_does_not_answer_holds_nothing_else_up(run, receiver, monkeypatch):
    """Its name is looked up once at a time; other names and other work in threads go on."""
    here, answers, asked = receiver(204), threading.Event(), []

    def looked_up(host, port, **more):
        asked.append(host)
        if host == "slow.example":
            answers.wait(20)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    poster = Poster(LOOPBACK)

    async def watched():
        slow = f"http://slow.example:{here.port}/"
        waiting = [asyncio.ensure_future(poster.post(slow, HEADERS, b"")) for _ in range(40)]
        await asyncio.sleep(0)
        async with asyncio.timeout(5):
            await asyncio.to_thread(lambda: None)
            assert await poster.post(f"http://other.example:{here.port}/", HEADERS, b"") == 204
            assert await poster.post(here.url, HEADERS, b"") == 204
        assert asked == ["slow.example", "other.example"]
        answers.set()
        assert await asyncio.gather(*waiting) == [204] * len(waiting)

    try:
        run(deferred(watched()))
    finally:
        answers.set()


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (None, "no answer in 0.3 seconds"),
        (b"HTTP/1.1 1", "no answer in 0.3 seconds|the connection failed"),
        (b"", "the connection failed: EOFError"),
        (b"SSH-2.0-x\r\n", "the connection failed: EOFError"),
        (b"x" * 20_000 + b"\r\n", "the connection failed: ValueError"),
    ],
)
def test_what_is_no_answer_in_time_is_told(post, receiver, answer, why):
    """A slow, silent or strange endpoint ends within the time."""
    with pytest.raises(Undelivered, match=why):
        post(receiver(answer).url, post_s=0.3)


def test_a_private_address_gets_nothing(run, post, receiver):
    """Neither a message nor a connection; also under a name."""
    here = receiver()
    for host in ("127.0.0.1", "localhost"):
        url = here.url.replace("127.0.0.1", host)
        with pytest.raises(Undelivered, match="private"):
            post(url, networks=())
        with pytest.raises(BadAddress, match="private"):
            run(deferred(Poster(()).check(url)))
    assert here.received == []


def test_the_connection_goes_to_the_address_that_was_checked(run, post, receiver, found):
    """A name that is looked up again could have a private address by then; one of several is enough to refuse."""
    here, asked = receiver(), found("127.0.0.1")
    assert post(f"http://hook.example:{here.port}/") == 200
    assert asked == ["hook.example"]
    assert here.received[0].headers["host"] == f"hook.example:{here.port}"
    found("93.184.216.34", "10.0.0.1")
    with pytest.raises(BadAddress, match=r"10\.0\.0\.1 is private"):
        run(deferred(Poster(()).check("https://hook.example/")))


def test_a_name_without_an_address_is_told(run, post, monkeypatch):
    """To an operator who adds it, and at each try."""

    def nothing(*_, **__):
        raise socket.gaierror(-2, "unknown")

    monkeypatch.setattr(socket, "getaddrinfo", nothing)
    with pytest.raises(BadAddress, match="no address"):
        run(deferred(Poster(()).check("https://nowhere.example/")))
    with pytest.raises(Undelivered, match="no address"):
        post("https://nowhere.example/")


def test_an_endpoint_that_is_not_there_is_told(post):
    """Nothing listens at its port."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(Undelivered, match="ConnectionRefusedError"):
            post(f"http://127.0.0.1:{taken.getsockname()[1]}/")


def test_the_certificate_must_be_that_of_the_name(post, receiver, found, tmp_path):
    """By an authority that the machine trusts; else nothing is sent."""
    authority = Authority(tmp_path)
    authority.write()
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(authority.files.certificate, authority.files.key)
    here = receiver(200, tls=server)
    found("127.0.0.1")
    assert post(here.url, tls=authority.client()) == 200
    with pytest.raises(Undelivered, match="the certificate is refused"):
        post(here.url)
    with pytest.raises(Undelivered, match="the certificate is refused"):
        post(f"https://hook.example:{here.port}/", tls=authority.client())
    assert len(here.received) == 1


HEAD = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    "answer",
    [
        HEAD + b"content-length: 7\r\n\r\n[1,2,3]and more",
        HEAD + b"transfer-encoding: chunked\r\n\r\n3\r\n[1,\r\n4\r\n2,3]\r\n0\r\n\r\n",
        HEAD + b"\r\n[1,2,3]",
        b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n" * 4 + HEAD + b"content-length: 7\r\n\r\n[1,2,3]",
    ],
)
def test_the_body_of_an_answer_is_read_where_it_is_wanted(run, receiver, answer):
    """By its length, in chunks, or to the end of the connection; answers that only announce it are passed over."""
    here = receiver(answer)
    exchanged = Poster(LOOPBACK).exchange(here.url, HEADERS, b"{}")
    assert run(deferred(exchanged)) == (200, b"[1,2,3]")


@pytest.mark.parametrize(
    "answer",
    [
        HEAD + b"content-length: 99999\r\n\r\n" + b"x" * 99_999,
        HEAD + b"content-length: 9\r\n\r\nshort",
        HEAD + b"content-length: x\r\n\r\n",
        HEAD + b"link: x\r\n" * 4_000,
        b"HTTP/1.1 103 x\r\n\r\n" * 5 + HEAD + b"\r\n",
        b"SSH-2.0\r\n",
        b"",
    ],
)
def test_an_answer_that_is_too_long_or_broken_is_none(run, receiver, answer):
    """What came of the message is unknown then."""
    with pytest.raises(Undelivered, match="the connection failed"):
        run(deferred(Poster(LOOPBACK).exchange(receiver(answer).url, HEADERS, b"{}")))
