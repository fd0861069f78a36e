"""The room's own Redis (or Valkey): a Unix socket, an append-only file, no snapshots.

Redis holds what can be rebuilt or voided (leases, the journal, the bus), so a flush to disk every second is
enough.
"""

from __future__ import annotations

import socket
from pathlib import Path
from signal import SIGKILL, SIGTERM
from typing import ClassVar
from urllib.parse import quote

from pokerroom.ops.embedded.binaries import find_redis, usable_by
from pokerroom.ops.embedded.places import ServiceDirectories
from pokerroom.ops.embedded.server import Server

_ANSWER_S_MAX = 1.0


def redis_socket(places: ServiceDirectories) -> Path:
    """The Unix socket the server listens on."""
    return places.sockets / "redis.sock"


def redis_url(places: ServiceDirectories) -> str:
    """As redis-py reads it."""
    return f"unix://{quote(str(redis_socket(places)))}"


def redis_answers(places: ServiceDirectories) -> bool:
    """Whether a server answers on the socket and has loaded its data."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(_ANSWER_S_MAX)
        try:
            connection.connect(str(redis_socket(places)))
            connection.sendall(b"PING\r\n")
            return connection.recv(64).startswith(b"+PONG")
        except OSError:
            return False


class Redis(Server):
    """See `Server`."""

    name = "Redis"
    stop_signals: ClassVar = (SIGTERM, SIGKILL)

    def command(self) -> list[str | Path]:
        program = find_redis(self.places.user)
        self.places.own(self.working_directory())
        self.log(f"starting {program.product} {program.version} ({program.path})")
        options = {
            "port": "0",
            "unixsocket": str(redis_socket(self.places)),
            "unixsocketperm": "700",
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": "",
            "daemonize": "no",
            # Its command line says which directory it serves; Redis would write its own words over it.
            "set-proc-title": "no",
        }
        return [
            usable_by(program, self.places),
            *(word for name, value in options.items() for word in (f"--{name}", value)),
        ]

    def marker(self) -> str:
        return str(redis_socket(self.places))

    def answers(self) -> bool:
        return redis_answers(self.places)

    def working_directory(self) -> Path:
        return self.places.home / "redis"
