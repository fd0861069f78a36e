"""File descriptors of a node: their limit, and their table."""

from __future__ import annotations

import subprocess
import sys

from pokerroom.ops.descriptors import OWN

SCRIPT = """
import os, resource, sys
from pokerroom.ops.descriptors import OWN, make_room_for
soft, hard, clients = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
before = os.listdir("/proc/self/fd")
make_room_for(clients)
assert os.listdir("/proc/self/fd") == before
sizes = [line.split()[1] for line in open("/proc/self/status") if line.startswith("FDSize")]
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0] - OWN, int(sizes[0]) - OWN)
"""


def made_room(soft, hard, clients):
    """The limit and the size of the table, without the node's own; and what was logged."""
    command = [sys.executable, "-c", SCRIPT, str(soft), str(hard), str(clients)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    *logged, figures = said.stdout.splitlines()
    limit, size = map(int, figures.split())
    return limit, size, "".join(logged) + said.stderr


def test_the_limit_is_raised_and_the_table_is_made_at_once():
    """So that no client waits for it later."""
    limit, size, logged = made_room(soft=256, hard=8_192, clients=4_000)
    assert limit == 4_000
    assert size >= 4_000
    assert "few_descriptors" not in logged


def test_a_higher_limit_stays():
    """A process may open more than it needs."""
    limit, _, _ = made_room(soft=8_000, hard=8_192, clients=1_000)
    assert limit == 8_000 - OWN


def test_a_system_that_allows_fewer_is_told():
    """All that it allows are taken, and the operator reads what to do."""
    limit, _, logged = made_room(soft=256, hard=1_024, clients=4_000)
    assert limit == 1_024 - OWN
    assert "few_descriptors" in logged
    assert "ulimit -n" in logged
