"""The Unix socket of the operations port, between real ends."""

import os
import socket
import stat
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from structlog.testing import capture_logs
from twisted.internet.defer import maybeDeferred
from twisted.internet.threads import deferToThread

from pokerroom.ledger.operators import Operator, Role
from pokerroom.ops import local_socket
from pokerroom.ops.embedded import places
from pokerroom.ops.embedded.places import operations_socket
from pokerroom.ops.local_socket import listen_locally, peer
from pokerroom.ops.operator_client import LocalConnection, is_this_machine
from pokerroom.ops.operator_roles import local_operator
from tests.ops.fake_rooms import FakeRoom, operator_site
from tests.ops.test_operator_cli import Operations

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the kernel names the user on Linux")

ME = local_operator(os.geteuid()).name


@pytest.fixture
def short():
    """A directory with a short path."""
    with TemporaryDirectory() as made:
        yield Path(made)


@pytest.fixture
def room():
    return FakeRoom()


@pytest.fixture
def site(room):
    return operator_site(room)


@pytest.fixture
def listening(run):
    """Listens for a site in a data directory, as a room does; returns the path of the socket."""
    from twisted.internet import reactor

    ports = []

    def listen(site, data_dir, port=4192):
        ports.append(listen_locally(reactor, site, data_dir, port))
        return operations_socket(data_dir, port)

    yield listen
    for port in ports:
        if port is not None:
            run(maybeDeferred(port.stopListening))


def ask(path, method="POST", page="/v1/tables/one/close", **headers):
    """Status of the answer."""
    connection = LocalConnection(path)
    connection.request(method, page, headers=headers)
    with connection.getresponse() as answer:
        answer.read()
        connection.close()
        return answer.status


def test_the_rooms_own_user_needs_no_token(run, listening, site, room, short):
    """It is an admin by the name of the user; the modes keep every other user out."""
    path = listening(site, short)
    with capture_logs() as logged:
        assert run(deferToThread(ask, path)) == 202
    assert room.asked == [("close", "one")]
    assert [(line["operator"], line["role"]) for line in logged] == [(ME, "admin")]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_another_user_is_refused_whatever_the_modes_say(run, listening, room, short, monkeypatch):
    """The kernel is asked, also for one who could open the file."""
    path = listening(operator_site(room), short)
    monkeypatch.setattr("pokerroom.ops.operator_access.peer", lambda _: None)
    assert run(deferToThread(ask, path)) == 401
    assert run(deferToThread(ask, path, "GET", "/readyz")) == 200
    assert room.asked == []


def test_a_web_page_is_no_user_of_this_machine(run, listening, site, room, short):
    """A proxy in front of the socket would make admins of strangers: a page sends a token, here too."""
    path = listening(site, short)
    page = {"Origin": "http://localhost"}
    assert run(deferToThread(ask, path, **page)) == 401
    assert room.asked == []
    assert run(deferToThread(ask, path, **page, Authorization="Bearer floor-token")) == 202


@pytest.mark.parametrize(
    ("room_user", "expected"),
    [
        (os.geteuid(), Operator(ME, Role.ADMIN)),
        (54_321, Operator(ME, Role.ADMIN) if os.geteuid() == 0 else None),
    ],
)
def test_the_kernel_names_the_user(monkeypatch, room_user, expected):
    """The room's own and root are admins, and no other."""
    monkeypatch.setattr(local_socket.os, "geteuid", lambda: room_user)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert peer(ours) == expected


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_of_this_machine_is_not_the_rooms():
    """The user that connects counts, whoever asks later."""
    address = f"\0pokerroom-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(address)
        server.listen()
        os.seteuid(65_534)
        try:
            client.connect(address)
        finally:
            os.seteuid(0)
        connection, _ = server.accept()
        with connection:
            assert peer(connection) is None


def test_commands_use_the_socket_and_need_no_set_up(run, listening, room, short):
    """With a token they go over TCP, as the operator of the token."""
    told = []
    site = operator_site(room, acts=told.append)
    tcp = Operations(run, site)
    try:
        listening(site, short, tcp.port)
        for given in ("", "floor-token"):
            variables = {"POKERROOM_DATA_DIR": str(short), "POKERROOM_OPERATOR_TOKEN": given}
            assert tcp.pokerroom("table", "freeze", "one", **variables).exit_code == 0
        assert [act.operator.name for act in told] == [ME, "floor-1"]
    finally:
        run(tcp.stop())


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("localhost", True),
        ("0.0.0.0", True),
        ("192.0.2.1", False),
        ("no.such.name.invalid", False),
    ],
)
def test_the_room_of_another_machine_is_not_asked_by_the_socket_of_this_one(host, expected):
    """Its operations port may have the same number."""
    assert is_this_machine(host) is expected


def test_the_file_of_a_room_that_was_killed_is_replaced(run, listening, site, room, short):
    """Its port is free, so no other room has the socket."""
    path = operations_socket(short, 4192)
    path.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(path))
    assert listening(site, short) == path
    assert run(deferToThread(ask, path)) == 202


def test_the_room_ends_though_its_socket_is_gone(run, site, short):
    """A file that was removed stops nothing; a room that ends removes its own."""
    from twisted.internet import reactor

    for remove in (True, False):
        port = listen_locally(reactor, site, short, 4192)
        path = operations_socket(short, 4192)
        if remove:
            path.unlink()
        run(maybeDeferred(port.stopListening))
        assert not path.exists()


def test_a_directory_that_others_may_enter_is_not_used(listening, site, short):
    """The room runs without a socket, and says why."""
    (short / "operations").mkdir()
    (short / "operations").chmod(0o755)
    with capture_logs() as logged:
        assert not listening(site, short).exists()
    assert [line["event"] for line in logged] == ["operations.no_socket"]


def test_a_long_data_directory_has_its_socket_elsewhere(run, listening, room, monkeypatch, short):
    """The kernel takes about a hundred bytes for a path."""
    monkeypatch.setattr(places, "SHELTERS", short)
    path = listening(operator_site(room), short / ("d" * 100))
    assert path.parent.parent.parent == short
    assert run(deferToThread(ask, path)) == 202
