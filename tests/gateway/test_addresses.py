"""Addresses of clients: what a trusted proxy tells, what belongs to one owner, and how many connections each has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.task import Clock

from pokerroom.gateway.addresses import AddressCounts, AddressPolicy, networks, short_form
from tests.gateway.parties import GONE, FakeSocket, House
from tests.gateway.test_http import make_factory

POLICY = AddressPolicy(
    per_address=2,
    trusted=networks(["10.0.0.0/8", "2001:db8:ffff::/48"]),
    unlimited=networks(["127.0.0.0/8", "::1"]),
)


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("192.0.2.1", [], "192.0.2.1"),
        ("192.0.2.1", ["198.51.100.1"], "192.0.2.1"),  # not a proxy of ours
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["203.0.113.9", "198.51.100.1"], "198.51.100.1"),  # the client wrote the first itself
        ("10.0.0.1", ["203.0.113.9", "198.51.100.1", "10.2.3.4"], "198.51.100.1"),  # two proxies
        ("10.0.0.1", ["10.9.9.9", "10.2.3.4"], "10.9.9.9"),
        ("10.0.0.1", ["203.0.113.9", "unknown"], "10.0.0.1"),
        ("10.0.0.1", [" [2001:db8::7] "], "2001:db8::7"),
        ("::ffff:10.0.0.1", ["::ffff:198.51.100.1"], "198.51.100.1"),
    ],
)
def test_the_client_behind_proxies(peer, forwarded, client):
    """The list is believed from its end, for as long as who noted an address is trusted."""
    assert POLICY.client_of(peer, forwarded) == client


@given(st.lists(st.text(max_size=20)))
def test_a_client_that_is_not_trusted_is_never_believed(forwarded):
    """Whatever a client writes, it keeps its own address."""
    assert POLICY.client_of("192.0.2.1", forwarded) == "192.0.2.1"


@pytest.mark.parametrize(
    ("address", "group"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
        ("127.0.0.9", None),
        ("::1", None),
        ("10.1.2.3", None),
        ("client-7", None),
    ],
)
def test_groups(address, group):
    """A /64 is one owner; this machine and the proxies have no bound."""
    assert POLICY.group_of(address) == group


def test_counting():
    """Of each group some, of all of them some, and a place that is given back is free."""
    counts = AddressCounts(POLICY, in_all=4)
    assert [counts.enter("192.0.2.1") for _ in range(3)] == [True, True, False]
    assert counts.enter("2001:db8::1")
    assert counts.enter("2001:db8::2")
    assert not counts.enter("127.0.0.1")
    counts.leave("192.0.2.1")
    assert counts.enter("127.0.0.1")
    for address in ("192.0.2.1", "2001:db8::1", "2001:db8::2", "127.0.0.1"):
        counts.leave(address)
    assert all(counts.enter("127.0.0.1") for _ in range(4))


def test_counting_with_fewer_for_an_address():
    """Whatever the policy allows; never more than it allows, and any number of an address without a bound."""
    counts = AddressCounts(POLICY, 9, 1)
    assert [counts.enter("192.0.2.1") for _ in range(2)] == [True, False]
    assert all(counts.enter("127.0.0.1") for _ in range(8))
    counts = AddressCounts(POLICY, 9, 5)
    assert [counts.enter("192.0.2.1") for _ in range(3)] == [True, True, False]


class Front:
    """A connection to the port for pages and WebSockets, from 192.0.2.1."""

    def __init__(self, factory) -> None:
        self.socket = FakeSocket()
        self.link = factory.buildProtocol(None)
        self.link.makeConnection(self.socket)

    def send(self, *headers: str) -> str:
        lines = ["GET /ws HTTP/1.1", "Host: a", "Connection: Upgrade", "Upgrade: websocket", *headers]
        lines += ["Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version: 13"]
        lines += ["Sec-WebSocket-Protocol: pokerroom.v1.msgpack", "", ""]
        self.link.dataReceived("\r\n".join(lines).encode())
        return bytes(self.socket.arrived).decode()


def front_factory(house: House, clock: Clock, *trusted: str):
    policy = AddressPolicy(per_address=2, trusted=networks(trusted))
    return make_factory(house, clock, policy)


@pytest.mark.parametrize(
    ("header", "peer"),
    [
        ("X-Forwarded-For: 203.0.113.9, 198.51.100.1", "198.51.100.1:0"),
        ('Forwarded: for=203.0.113.9, for="[2001:db8::7]:4711";proto=https', "[2001:db8::7]:0"),
        ("Forwarded: for=198.51.100.1:4711;by=10.0.0.1", "198.51.100.1:0"),
        ("Forwarded: for=_hidden", "192.0.2.1:40000"),
        ("Forwarded: for=203.0.113.9, for=unknown", "192.0.2.1:40000"),
        ("Forwarded: for=198.51.100.1\r\nX-Forwarded-For: 203.0.113.9, 198.51.100.1", "198.51.100.1:0"),
        ("X-Other: 1", "192.0.2.1:40000"),
    ],
)
def test_a_websocket_behind_a_proxy(header, peer):
    """The session has the client's address if the proxy is trusted, and the proxy's if not."""
    clock = Clock()
    for trusted, expected in ((["192.0.2.0/24"], peer), ([], "192.0.2.1:40000")):
        house = House()
        front = Front(front_factory(house, clock, *trusted))
        front.send(header)
        clock.advance(0)
        assert house.session.link.peer == expected
        front.link.connectionLost(GONE)


@pytest.mark.parametrize(
    ("forwarded", "common"), [("203.0.113.9", "198.51.100.1"), ("198.51.100.1", "203.0.113.9")]
)
def test_a_client_does_not_choose_its_address(forwarded, common):
    """A proxy writes one of the two headers and passes the other one on, which the client may have written."""
    clock, house = Clock(), House()
    front = Front(front_factory(house, clock, "192.0.2.0/24"))
    front.send(f"Forwarded: for={forwarded}", f"X-Forwarded-For: {common}")
    clock.advance(0)
    assert bytes(front.socket.arrived).startswith(b"HTTP/1.1 400 ")
    assert house.sessions == []
    front.link.connectionLost(GONE)


def test_web_connections_are_counted():
    """One too many of an address is answered and closed; after another has gone there is room."""
    clock, house = Clock(), House()
    factory = front_factory(house, clock)
    first, _, third = (Front(factory) for _ in range(3))
    third.send()
    clock.advance(0)
    assert bytes(third.socket.arrived).startswith(b"HTTP/1.1 503 ")
    third.link.connectionLost(GONE)
    first.link.connectionLost(GONE)
    fourth = Front(factory)
    fourth.send()
    clock.advance(0)
    assert bytes(fourth.socket.arrived).startswith(b"HTTP/1.1 101 ")


@pytest.mark.parametrize(
    ("address", "short"),
    [
        ("192.0.2.17", "192.0.2.*"),
        ("::ffff:192.0.2.17", "192.0.2.*"),
        ("2001:db8:7:9::1", "2001:db8:7:*"),
        ("::1", "0:0:0:*"),
        ("UNIXAddress('/run/room')", ""),
    ],
)
def test_addresses_are_shortened(address, short):
    """What is stored is enough to recognise a network, and no more."""
    assert short_form(address) == short
