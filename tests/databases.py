"""Databases of a test's own on the servers of a test run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import psycopg

from pokerroom.ops.embedded import Addresses


@contextmanager
def copied_database(services: Addresses, template: str, name: str) -> Iterator[tuple[str, str]]:
    """The addresses, for the room and for the owner, of a copy of the template. The end drops it."""
    assert services.owner_database_url is not None
    urls = services.database_url, services.owner_database_url
    room, owner = (urlsplit(url)._replace(path=f"/{name}").geturl() for url in urls)
    with psycopg.connect(services.owner_database_url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY wal_log".encode())
        try:
            yield room, owner
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
