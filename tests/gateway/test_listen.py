"""Listening on ports, alone and together."""

from __future__ import annotations

import errno
import socket
import struct
from itertools import pairwise

import pytest
from twisted.internet.defer import maybeDeferred
from twisted.internet.error import ConnectionLost
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.task import deferLater
from twisted.internet.threads import deferToThread

from pokerroom.gateway.listen import ACCEPTED_AT_ONCE, ReservedPort, listen


class Greeting(Factory):
    """Counts its connections, and says its name to each."""

    def __init__(self, name):
        self.name, self.connected = name, 0

    def buildProtocol(self, addr):  # noqa: N802 -- Twisted's name
        return _Greeter(self)


class _Greeter(Protocol):
    def __init__(self, greeting):
        self._greeting = greeting

    def connectionMade(self):  # noqa: N802 -- Twisted's name
        self._greeting.connected += 1
        self.transport.write(self._greeting.name)
        self.transport.loseConnection()


class Staying(Factory):
    """Keeps its connections, in `here` and then in `lost`."""

    def __init__(self):
        self.here, self.lost = [], []

    def buildProtocol(self, addr):  # noqa: N802 -- Twisted's name
        self.here.append(_Stays(self.lost))
        return self.here[-1]


class _Stays(Protocol):
    is_account = False

    def __init__(self, lost):
        self._lost = lost

    def connectionLost(self, reason):  # noqa: N802 -- Twisted's name
        self._lost.append(self)


@pytest.fixture
def opened(run):
    """Makes listening ports; they stop after the test."""
    from twisted.internet import reactor

    ports = []

    def make(factory, port=0, host="127.0.0.1", **how):
        ports.append(listen(reactor, host, port, factory, **how))
        return ports[-1].getHost().port

    yield make
    for port in ports:
        run(maybeDeferred(port.stopListening))


def greeted(port, host="127.0.0.1"):
    with socket.create_connection((host, port), 10) as client:
        return client.recv(10)


@pytest.mark.parametrize("shared", [False, True])
def test_a_client_that_connects_is_served(run, opened, shared):
    """Port 0 lets the system choose; the number is that of the port."""
    port = opened(Greeting(b"one"), shared=shared)
    assert run(deferToThread(greeted, port)) == b"one"


def test_two_listen_on_one_port_and_both_get_connections(run, opened):
    """The kernel spreads them: of many each gets some, and none is lost."""
    one, two = Greeting(b"one"), Greeting(b"two")
    port = opened(one, shared=True)
    assert opened(two, port, shared=True) == port

    def many() -> set[bytes]:
        return {greeted(port) for _ in range(200)}

    assert run(deferToThread(many)) == {b"one", b"two"}
    assert one.connected + two.connected == 200


@pytest.mark.parametrize(("first", "second"), [(False, False), (False, True), (True, False)])
def test_a_port_is_shared_only_by_those_who_all_say_so(opened, first, second):
    """A process that wants a port alone gets it alone, or not at all."""
    port = opened(Greeting(b"one"), shared=first)
    with pytest.raises(OSError, match="in use") as refused:
        opened(Greeting(b"two"), port, shared=second)
    assert refused.value.errno == errno.EADDRINUSE


def test_a_reserved_number_serves_no_client_until_a_process_listens(run, opened):
    """Connections to it are refused; then the processes that share it get them all, released or not."""
    reserved = ReservedPort("127.0.0.1", 0)
    with pytest.raises(ConnectionRefusedError):
        run(deferToThread(greeted, reserved.port))
    one = Greeting(b"one")
    opened(one, reserved.port, shared=True)

    def many() -> set[bytes]:
        return {greeted(reserved.port) for _ in range(20)}

    assert run(deferToThread(many)) == {b"one"}
    reserved.release()
    assert run(deferToThread(many)) == {b"one"}


@pytest.mark.parametrize("shared", [False, True])
def test_a_number_on_which_a_process_listens_is_not_reserved(opened, shared):
    """Two rooms do not share a port by mistake, though both would."""
    port = opened(Greeting(b"one"), shared=shared)
    with pytest.raises(OSError, match="in use") as refused:
        ReservedPort("127.0.0.1", port)
    assert refused.value.errno == errno.EADDRINUSE


def test_a_port_that_stopped_listening_is_free(run):
    """At once, also for a process that wants it alone."""
    from twisted.internet import reactor

    first = listen(reactor, "127.0.0.1", 0, Greeting(b"one"), shared=True)
    port = first.getHost().port
    run(maybeDeferred(first.stopListening))
    second = listen(reactor, "127.0.0.1", port, Greeting(b"two"))
    assert run(deferToThread(greeted, port)) == b"two"
    run(maybeDeferred(second.stopListening))


def test_ipv6_is_listened_on_where_the_machine_has_it(run, opened):
    """Its numeric address is a host as any other."""
    try:
        port = opened(Greeting(b"six"), host="::1", shared=True)
    except OSError as missing:
        pytest.skip(f"no IPv6 on this machine: {missing}")
    assert run(deferToThread(greeted, port, "::1")) == b"six"


def test_a_host_that_is_none_is_refused():
    """As an OSError, as everything that cannot be listened on."""
    with pytest.raises(OSError):  # noqa: PT011 -- the resolver's number is the system's own
        ReservedPort("no.such.host.invalid", 0)
    assert issubclass(socket.gaierror, OSError)


def test_a_crowd_is_accepted_a_few_at_a_time(run, opened):
    """Between fifty connections that wait, other work has its turns."""
    from twisted.internet import reactor

    order = []
    greeting = Greeting(b"hello")
    number = opened(greeting)
    crowd = [socket.create_connection(("127.0.0.1", number)) for _ in range(50)]

    def other_work():
        order.append(greeting.connected)
        if greeting.connected < len(crowd):
            reactor.callLater(0, other_work)

    reactor.callLater(0, other_work)
    run(deferLater(reactor, 0.2))
    for one in crowd:
        one.close()
    assert order[-1] == len(crowd)
    assert max(later - earlier for earlier, later in pairwise(order)) <= ACCEPTED_AT_ONCE


class Noted:
    """A `Crowd` that notes its members."""

    def __init__(self):
        self.members = set()

    def enter(self, descriptor):
        self.members.add(descriptor)

    def leave(self, descriptor):
        self.members.discard(descriptor)


def test_a_connection_is_in_the_crowd_until_it_has_an_account(run, opened):
    """From its first byte to the message after the log-in; one that is lost without an account leaves it, too."""
    from twisted.internet import reactor

    staying, crowd = Staying(), Noted()
    number = opened(staying, crowd=crowd)
    clients = [socket.create_connection(("127.0.0.1", number)) for _ in range(2)]

    def wait_for(enough):
        return None if enough() else deferLater(reactor, 0, wait_for, enough)

    run(deferLater(reactor, 0, wait_for, lambda: len(staying.here) == len(clients)))
    player, stranger = (here.transport.fileno() for here in staying.here)
    assert crowd.members == {player, stranger}
    staying.here[0].is_account = True
    clients[0].sendall(b"the first message of an account")
    run(deferLater(reactor, 0, wait_for, lambda: crowd.members == {stranger}))
    clients[1].close()
    run(deferLater(reactor, 0, wait_for, lambda: not crowd.members))
    clients[0].close()
    run(deferLater(reactor, 0, wait_for, lambda: len(staying.lost) == len(clients)))


def test_a_full_socket_takes_nothing_and_a_reset_one_says_so(run, opened):
    """`writeSomeData` returns how many bytes left, and the error of a connection that the client has reset."""
    from twisted.internet import reactor

    staying = Staying()
    number = opened(staying)
    client = socket.create_connection(("127.0.0.1", number))
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closing it resets

    def wait_for(enough):
        return None if enough() else deferLater(reactor, 0, wait_for, enough)

    run(deferLater(reactor, 0, wait_for, lambda: staying.here))
    transport = staying.here[0].transport
    taken = [transport.writeSomeData(bytes(1 << 16))]
    while taken[-1]:
        taken.append(transport.writeSomeData(bytes(1 << 16)))
    assert len(taken) > 1
    client.close()
    assert isinstance(transport.writeSomeData(b"more"), ConnectionLost)
    run(deferLater(reactor, 0, wait_for, lambda: staying.lost))
