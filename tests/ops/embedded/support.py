"""Rooms and services of tests, and what is left of them."""

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from pokerroom.ops.embedded import EmbeddedServices, remove_data
from pokerroom.ops.embedded.locks import Lock
from pokerroom.ops.embedded.places import places_of
from pokerroom.ops.embedded.postgres import Postgres
from pokerroom.ops.embedded.redis import Redis

ROOT = Path(__file__).parents[3]


@contextmanager
def room_process(data):
    """A room in a process, and a process group, of its own; it stops when its input ends."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.ops.embedded.room", data],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        cwd=ROOT,
    ) as process:
        try:
            assert process.stdout.readline() == "up True\n"
            yield process
        finally:
            process.kill()


STARTED: list[EmbeddedServices] = []  # by the test that runs; a failing one does not stop them


def clean_up(directory):
    while STARTED:
        STARTED.pop().stop()
    directory = directory.resolve()
    found = places_of(directory)
    if found is not None:
        for leftover in (Postgres(found, print), Redis(found, print)):
            lock = leftover._lock  # private: no room owns what a failed test leaves behind
            if not lock.acquire():
                leftover._force(leftover.stop_signals)  # private: as above
            lock.release()
    remove_data(directory)


def started(directory):
    """Starts services; answers them, their addresses and what they logged."""
    lines = []
    STARTED.append(EmbeddedServices(directory, lines.append))
    return STARTED[-1], STARTED[-1].start(), lines


def server_pids(directory):
    home = places_of(directory.resolve()).home
    return [Lock(home / name).holder() for name in ("postgres.lock", "redis.lock")]
