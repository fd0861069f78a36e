"""File descriptors: as many as a node needs, and their table made before the first client comes."""

from __future__ import annotations

import fcntl
import os
import resource
from contextlib import suppress
from typing import Final

import structlog

from pokerroom.ops.operations_bounds import CONNECTIONS_MAX

OWN: Final = 256 + CONNECTIONS_MAX
"""Those of a node beside its players': of stores, other nodes, logs, and the operations port."""


def make_room_for(clients: int) -> None:
    """Let this process open descriptors for so many clients, or as many as the system allows: then a warning says so.

    The table of descriptors is made large at once. Otherwise Linux enlarges it in the middle of a crowd. In a process
    with threads `accept` then waits until every processor has changed its task (`synchronize_rcu`).
    """
    wanted = clients + OWN
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    with suppress(
        OSError
    ):  # no standard input, or a sandbox with a lower limit: then the table grows when it must
        os.close(fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, allowed - 1))
    if allowed < wanted:
        advice = "raise the limit of open files (ulimit -n, LimitNOFILE), or set fewer connections_max"
        structlog.get_logger().warning("room.few_descriptors", allowed=allowed, wanted=wanted, advice=advice)
