"""A disk that is full under PostgreSQL and Redis: nothing is half done, and all goes on when there is room again."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.integration.forked import ForkedRoom
from tests.integration.support import RunningRoom, running_room
from tests.integration.test_failures import hands_played, within

pytestmark = [pytest.mark.services, pytest.mark.timeout(240)]

LIMIT_S = 60
QUIET_S = 4
HANDS = 20
"""Enough for some of them to be under way at every table."""


@pytest.fixture
def disk() -> Iterator[Path]:
    """A small file system of its own, where the user `nobody` can reach it."""
    folder = Path(tempfile.mkdtemp(prefix="pokerroom-disk-", dir="/var/tmp"))
    folder.chmod(0o755)
    mount = ["mount", "-t", "tmpfs", "-o", "size=320m,mode=755", "none", str(folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        mounted = subprocess.CompletedProcess(mount, 1, stderr="there is no mount")
    if mounted.returncode != 0:
        folder.rmdir()
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
        folder.rmdir()


def fill(folder: Path) -> Path:
    """Takes all the room that is left; returns the file that has it."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(65_536))
    with filler.open("ab", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1))
    return filler


def until_none(room: RunningRoom) -> float:
    """Waits until for some time no hand was settled; how many there are then."""
    since, last = time.monotonic(), hands_played(room)

    def quiet() -> bool:
        nonlocal since, last
        if (found := hands_played(room)) != last:
            since, last = time.monotonic(), found
        return time.monotonic() - since > QUIET_S

    within(LIMIT_S, quiet)
    return last


def test_a_full_disk_stops_the_play_and_nothing_else(disk):
    """No hand is settled in part, none twice; with room again the same players play on, and the books are right."""
    with running_room(disk / "data", kind=ForkedRoom) as room:
        with room.start_command(
            "swarm", "--bots", "12", "--tables", "2", "--hands", "1000000", "--port", str(room.game_port)
        ) as swarm:
            try:
                within(LIMIT_S, lambda: hands_played(room) > HANDS)
                filler = fill(disk)
                settled = until_none(room)
                assert room.get("/livez")
                filler.unlink()
                within(LIMIT_S, lambda: hands_played(room) > settled + HANDS)
            finally:
                swarm.terminate()
        assert room.audit()["hands"] >= settled + HANDS
