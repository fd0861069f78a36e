"""The socket between the nodes of a machine, with real sockets: what it passes on, and what it leaves behind."""

from __future__ import annotations

import os
import socket
import stat
import tempfile
from pathlib import Path

import pytest
from twisted.internet.task import deferLater

from pokerroom.gateway.move_socket import MoveSocket, has_ended, socket_name
from tests.clusters import MEMORY


@pytest.fixture
def folder():
    """The path of a socket has 107 bytes at most, which that of `tmp_path` can be longer than."""
    with tempfile.TemporaryDirectory(prefix="moves-", dir=MEMORY) as path:
        yield Path(path)


@pytest.fixture
def nodes(folder):
    """Makes the sockets of nodes; `heard` of each keeps what came, and takes connections if its name says so."""
    from twisted.internet import reactor

    made = []

    def make(name):
        heard = []

        def take(said, connection):
            heard.append((said, connection))
            return name.startswith("taking") and connection is not None

        made.append(MoveSocket(reactor, folder, name, take))
        return made[-1], heard

    yield make
    for each in made:
        each.close()


def turns(run):
    """Time for the reactor to read."""
    from twisted.internet import reactor

    run(deferLater(reactor, 0.05))


def test_a_connection_goes_on_in_the_process_that_takes_it(run, nodes):
    """The descriptor that arrives is one of the same connection: both ends of it stay open."""
    one, _ = nodes("one")
    _, heard = nodes("taking")
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            assert one.send("taking", b"here it is", theirs.fileno())
        turns(run)
        [(said, connection)] = heard
        with connection:
            assert said == b"here it is"
            assert not connection.get_inheritable()
            ours.sendall(b"hello")
            assert connection.recv(10) == b"hello"


def test_a_node_that_was_killed_is_told_from_one_that_lives_or_has_ended(folder, nodes):
    """Its file is left behind, and no process has the socket. One that is stopped for a while has it still."""
    nodes("living")
    path = folder / socket_name("killed")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as killed:
        killed.bind(str(path))
        assert not has_ended(path)
    assert has_ended(path)
    assert not has_ended(folder / socket_name("living"))
    assert not has_ended(folder / socket_name("unknown"))


def test_another_user_cannot_say_that_a_node_was_killed(folder, monkeypatch):
    """A file that is not of this user says nothing."""
    path, user = folder / socket_name("left"), os.geteuid()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as left:
        left.bind(str(path))
    assert has_ended(path)
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    assert not has_ended(path)


def test_a_connection_that_is_not_taken_is_closed(run, nodes):
    """Its client sees the end of the stream."""
    one, _ = nodes("one")
    _, heard = nodes("other")
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            assert one.send("other", b"here it is", theirs.fileno())
        turns(run)
        assert [said for said, _ in heard] == [b"here it is"]
        assert ours.recv(10) == b""


def test_messages_come_whole_and_in_order(run, nodes):
    """More of them than are read at once, each way."""
    one, heard_by_one = nodes("one")
    other, heard_by_other = nodes("other")
    for number in range(40):
        while not one.send("other", b"%d" % number):
            turns(run)
    assert other.send("one", b"an answer")
    turns(run)
    assert heard_by_other == [(b"%d" % number, None) for number in range(40)]
    assert heard_by_one == [(b"an answer", None)]


def test_a_node_that_is_not_there_is_not_sent_to(run, nodes, folder):
    """One that never was on this machine, one that has ended, and one that was killed."""
    one, _ = nodes("one")
    assert not one.send("never", b"hello")
    ended, _ = nodes("ended")
    ended.close()
    assert not (folder / socket_name("ended")).exists()
    assert not one.send("ended", b"hello")
    _kill(folder, "killed")
    assert not one.send("killed", b"hello")


def test_the_socket_of_a_node_that_was_killed_is_removed(nodes, folder):
    """By the next node that starts; those of living nodes stay."""
    nodes("one")
    _kill(folder, "killed")
    nodes("two")
    assert {path.name for path in folder.iterdir()} == {socket_name("one"), socket_name("two")}
    assert all(stat.S_ISSOCK(path.stat().st_mode) for path in folder.iterdir())


def test_a_defect_costs_one_message(run, folder, nodes):
    """Those behind it are heard, and its connection is closed."""
    from twisted.internet import reactor

    heard = []

    def take(said, connection):
        heard.append(said)
        if said == b"bad":
            raise ZeroDivisionError
        return False

    failing = MoveSocket(reactor, folder, "failing", take)
    one, _ = nodes("one")
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            assert one.send("failing", b"bad", theirs.fileno())
        assert one.send("failing", b"good")
        turns(run)
        assert heard == [b"bad", b"good"]
        assert ours.recv(10) == b""
    failing.close()


def test_a_descriptor_that_is_no_socket_costs_one_message(run, nodes):
    """Those behind it are heard, and it is closed."""
    one, _ = nodes("one")
    _, heard = nodes("other")
    reading, writing = os.pipe()
    try:
        assert one.send("other", b"a pipe", writing)
        assert one.send("other", b"hello")
        turns(run)
        assert heard == [(b"hello", None)]
    finally:
        os.close(writing)
    assert os.read(reading, 10) == b"", "no process can write to it any more"
    os.close(reading)


def _kill(directory, name):
    """Leave the file of a socket that no process has."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as left:
        left.bind(str(directory / socket_name(name)))
