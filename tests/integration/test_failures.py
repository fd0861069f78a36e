"""What a room does when its services die, when it may not start, and when it is told to stop at a bad moment."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pokerroom.ops.early_end import EXIT_CODE
from pokerroom.ops.embedded import EmbeddedError, remove_data, running
from pokerroom.ops.embedded.places import places_of
from tests import clusters
from tests.integration.forked import ForkedRoom, run_command
from tests.integration.support import CONFIG, RunningRoom, running_room

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]


@pytest.fixture
def room(tmp_path: Path) -> Iterator[RunningRoom]:
    with running_room(tmp_path / "data", kind=ForkedRoom) as room:
        yield room


def server_pid(room: RunningRoom, name: str) -> int:
    places = places_of(room.data_dir)
    assert places is not None
    return int((places.home / f"{name}.lock").read_text().split()[0])


def hands_played(room: RunningRoom) -> float:
    line = next(
        line for line in room.get("/metrics").splitlines() if line.startswith("pokerroom_hands_total ")
    )
    return float(line.split()[1])


def within(seconds: float, happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, "not in time"
        time.sleep(0.1)


@pytest.mark.parametrize("service", ["postgres", "redis"])
def test_play_goes_on_after_a_service_was_killed(room, service):
    """Kill -9 of PostgreSQL or Redis under play: it is started again, hands go on, and no chip has moved wrongly."""
    with room.start_command(
        "swarm", "--bots", "12", "--tables", "2", "--hands", "1000000", "--port", str(room.game_port)
    ) as bots:
        try:
            within(30, lambda: hands_played(room) > 20)
            os.kill(server_pid(room, service), signal.SIGKILL)
            within(30, lambda: "has ended by itself" in "".join(room.output))
            before = hands_played(room)
            within(30, lambda: hands_played(room) > before + 20)
            within(10, lambda: json.loads(room.get("/readyz", any_status=True))["ready"])
            assert 'pokerroom_tables{state="frozen"}' not in room.get("/metrics")
        finally:
            bots.terminate()
    room.audit()


def test_ready_tells_of_a_database_that_hangs(room):
    """With PostgreSQL stopped `/readyz` says so within a few seconds, and is ready again when it goes on."""
    pid = server_pid(room, "postgres")
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    pids = [pid, *map(int, children)]
    for each in pids:
        with contextlib.suppress(ProcessLookupError):  # a worker of autovacuum ends by itself
            os.kill(each, signal.SIGSTOP)
    try:
        within(10, lambda: not json.loads(room.get("/readyz", any_status=True))["ready"])
        assert json.loads(room.get("/readyz", any_status=True))["reasons"] == ["postgresql does not answer"]
    finally:
        for each in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGCONT)
    within(20, lambda: json.loads(room.get("/readyz", any_status=True))["ready"])


def serve(
    room: RunningRoom, config: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    arguments = ("serve", "--config", str(config or room.config))
    return run_command(arguments, {**room.environment(), **environment})


def test_a_port_in_use_is_told_in_one_line(tmp_path):
    """The operator reads which port and which setting; nothing is left running."""
    room = ForkedRoom(tmp_path / "data")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        result = serve(room, POKERROOM_GAME_PORT=str(port))

    assert result.returncode == 1
    assert f"cannot listen on 127.0.0.1:{port} (game_port)" in result.stdout
    assert "set POKERROOM_GAME_PORT to a free port" in result.stdout
    assert "Traceback" not in result.stdout + result.stderr
    assert running(room.data_dir) is None
    remove_data(room.data_dir)


def test_a_second_room_on_the_same_data_is_refused(room):
    """It names the process that is there, and the first room does not notice."""
    result = serve(room)

    assert result.returncode == 2
    assert "another pokerroom (process" in result.stderr
    assert json.loads(room.get("/readyz"))["ready"]


def test_a_second_node_with_other_tables_is_refused(rooms, tmp_path):
    """All nodes of a room have the same tables; it says which node has others, and that one does not notice."""
    room = rooms.started(CONFIG)
    other = tmp_path / "other.toml"
    other.write_text(CONFIG.replace("seats = 3", "seats = 4"))

    result = serve(room, other)

    assert result.returncode == 1
    assert "of this room has other tables" in result.stdout
    assert "Traceback" not in result.stdout + result.stderr
    assert json.loads(room.get("/readyz"))["ready"]


def test_a_redis_that_says_nothing_is_told(rooms):
    """The start does not wait for ever for a service that is there and silent."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()

        result = serve(rooms.node(CONFIG), POKERROOM_REDIS_URL=f"redis://127.0.0.1:{silent.getsockname()[1]}")

    assert result.returncode == 1
    assert "Redis cannot be reached" in result.stdout
    assert "room.draining" not in result.stdout + result.stderr  # it has not begun, so nothing is to end


@pytest.mark.parametrize(
    ("database", "redis", "told"),
    [
        (
            "postgresql://h?secret=1",
            "redis://h",
            "PostgreSQL cannot be reached: the address of the database is",
        ),
        ("postgresql://h/room", "redis://:secret/0@h", "Redis cannot be reached: it is not the address of"),
        (
            "postgresql://h/room",
            "redis+sentinel://h",
            "Redis cannot be reached: an address of Sentinels must end",
        ),
    ],
)
def test_addresses_of_services_that_cannot_be_read_are_told(tmp_path, database, redis, told):
    """In one line, which quotes nothing of them."""
    room = ForkedRoom(tmp_path / "data")
    result = serve(room, POKERROOM_DATABASE_URL=database, POKERROOM_REDIS_URL=redis)

    assert result.returncode == 1
    assert told in result.stdout
    assert "secret" not in result.stdout + result.stderr
    assert "Traceback" not in result.stdout + result.stderr


@pytest.mark.parametrize(
    "after_s",
    [pytest.param(0.05, marks=pytest.mark.slow), 0.2, pytest.param(0.5, marks=pytest.mark.slow), 1.0],
)
def test_sigterm_during_the_start_leaves_nothing_running(tmp_path, after_s, monkeypatch):
    """Whatever was started by then is stopped again, `initdb` too."""
    monkeypatch.delenv(clusters.DIRECTORY)
    room = ForkedRoom(tmp_path / "data")
    with room.launch("serve", "--config", str(room.config)) as starting:
        time.sleep(after_s)
        starting.send_signal(signal.SIGTERM)
        starting.wait(60)

    assert running(room.data_dir) is None
    within(20, lambda: removed(room.data_dir))  # a helper of initdb that was cut off ends by itself


LOSE_THE_SIGNAL = """
import signal
from pokerroom import cli

class Library:
    def __del__(self):
        signal.raise_signal(signal.SIGTERM)

def migrations(*_):
    Library()
    print("lost", flush=True)

cli._upgrade = migrations
cli.main()
"""


def test_sigterm_that_a_library_loses_ends_the_start(tmp_path):
    """Psycopg calls Python for a notice of PostgreSQL, and an exception in that call goes nowhere."""
    room = ForkedRoom(tmp_path / "data")
    done = subprocess.run(
        [sys.executable, "-c", LOSE_THE_SIGNAL, "serve", "--config", str(room.config)],
        env=room.environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert "lost" in done.stdout
    assert done.returncode == EXIT_CODE
    assert running(room.data_dir) is None


def removed(data_dir: Path) -> bool:
    """Whether the data could be removed: refused as long as any process uses them."""
    try:
        remove_data(data_dir)
    except EmbeddedError:
        return False
    return True


def test_audit_without_any_room_says_so(tmp_path):
    """A mistyped data directory is not answered with an empty ledger."""
    room = ForkedRoom(tmp_path / "nowhere")

    result = room.command("audit", "--json")

    assert result.returncode == 2
    assert "there is no room's data" in result.stderr


def test_config_check_explains_settings_and_environment(tmp_path):
    """Errors of the file come with their line, those of the environment with their variable; exit code 2."""
    path = tmp_path / "bad.toml"
    path.write_text('[[tables]]\nid = "t"\nseats = 11\nsmall_blind = 0.5\n')
    check = ("config", "check", str(path))
    kept = {name: value for name, value in os.environ.items() if not name.startswith("POKERROOM_")}

    bad = run_command(check, kept)
    path.write_text('[[tables]]\nid = "t"\nsmall_blind = 50\n')
    good = run_command(check, kept)
    key = run_command(check, {**kept, "POKERROOM_JOURNAL_KEY": "zz"})
    half = run_command(check, {**kept, "POKERROOM_REDIS_URL": "redis://x"})

    assert bad.returncode == 2
    assert f"{path}:3: tables[1].seats" in bad.stderr
    assert f"{path}:4: tables[1].small_blind" in bad.stderr
    counted = ": 1 cash table, no errors"
    assert (good.returncode, counted in good.stdout) == (0, True)
    assert (key.returncode, "POKERROOM_JOURNAL_KEY" in key.stderr, "zz" in key.stderr) == (2, True, False)
    assert (half.returncode, "POKERROOM_DATABASE_URL" in half.stderr) == (2, True)
