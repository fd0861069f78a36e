"""The bounds of the operations port: connections, and requests of an address in a second."""

import pytest
from structlog.testing import capture_logs
from twisted.internet.address import IPv4Address, IPv6Address, UNIXAddress
from twisted.internet.error import ConnectionDone
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

from pokerroom.gateway.addresses import AddressCounts, AddressPolicy, networks
from pokerroom.ops.operations_bounds import REQUESTS_PER_S, OperationsBounds
from tests.ops.fake_rooms import FakeRoom, operator_site

ONE, OTHER = IPv4Address("TCP", "192.0.2.7", 1), IPv4Address("TCP", "192.0.2.8", 1)
TRUSTED = IPv4Address("TCP", "198.51.100.1", 1)
SOCKET = UNIXAddress("")


class Port:
    """An operations port with room for four connections, three of one address."""

    def __init__(self):
        self.clock = Clock()
        policy = AddressPolicy(per_address=3, unlimited=networks(["198.51.100.0/24"]))
        counts = AddressCounts(policy, 4)
        bounds = OperationsBounds(counts, policy.group_of, self.clock.seconds)
        self.site = operator_site(FakeRoom(), bounds=bounds)

    def connected(self, peer):
        """A connection; None if it was closed at once."""
        channel = self.site.buildProtocol(peer)
        if channel is not None:
            channel.makeConnection(StringTransport(peerAddress=peer))
        return channel

    def statuses(self, channel, path, times):
        """The statuses of so many requests one after the other."""
        for _ in range(times):
            channel.dataReceived(b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path)
        told = channel.transport.value().split(b"HTTP/1.1 ")[1:]
        channel.transport.clear()
        return [int(answer[:3]) for answer in told]


@pytest.fixture
def port():
    return Port()


def test_an_address_has_few_connections_and_all_have_few(port):
    """One that ends makes room for another; the Unix socket needs none."""
    mine = [port.connected(ONE) for _ in range(3)]
    assert port.connected(ONE) is None
    others = [port.connected(OTHER)]
    assert port.connected(TRUSTED) is None
    assert all(port.connected(SOCKET) for _ in range(9))
    for channel in mine + others:
        channel.connectionLost(ConnectionDone())
    assert all(port.connected(TRUSTED) for _ in range(4))


def test_an_address_has_few_requests_in_a_second(port):
    """Guesses of tokens, requests without one, and pages without proof alike; the next second has its own."""
    one, other = port.connected(ONE), port.connected(OTHER)
    for path, status in ((b"/v1/tables", 401), (b"/metrics", 200), (b"/nothing", 404)):
        with capture_logs() as logged:
            statuses = port.statuses(one, path, REQUESTS_PER_S + 9)
        assert statuses == [status] * REQUESTS_PER_S + [429] * 9
        assert [line for line in logged if line["event"] == "operations.flooded"] == [
            {"event": "operations.flooded", "log_level": "warning", "address": ONE.host, "bound": "requests"}
        ]
        assert port.statuses(other, path, 1) == [status]
        port.clock.advance(1)


def test_an_owner_of_a_network_is_one_client(port):
    """A /64 of IPv6 addresses."""
    many = [port.connected(IPv6Address("TCP", f"2001:db8::{n}", 1)) for n in (1, 2)]
    assert port.statuses(many[0], b"/metrics", REQUESTS_PER_S) == [200] * REQUESTS_PER_S
    assert port.statuses(many[1], b"/metrics", 1) == [429]


@pytest.mark.parametrize(
    ("peer", "path", "status"),
    [(ONE, b"/readyz", 200), (SOCKET, b"/metrics", 200), (TRUSTED, b"/metrics", 200)],
)
def test_probes_the_unix_socket_and_unlimited_addresses_have_no_bound(port, peer, path, status):
    """The probes tell nothing and cost nothing."""
    assert port.statuses(port.connected(peer), path, 2 * REQUESTS_PER_S) == [status] * 2 * REQUESTS_PER_S
