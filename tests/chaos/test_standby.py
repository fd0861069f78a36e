"""The harness's standby: what was committed is on both servers, and the second one takes the first one's place."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from threading import Event, Thread
from urllib.parse import quote

import psycopg
import pytest

from pokerroom.adapters import opened_ledger
from tests.chaos.services import Services
from tests.chaos.support import services_of

# two servers of its own; `make chaos` itself relies on them
pytestmark = [pytest.mark.slow, pytest.mark.services, pytest.mark.timeout(240)]


@pytest.fixture
def services() -> Iterator[Services]:
    with services_of(Services) as found:
        found.start()
        yield found


def insert(url: str, number: int) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS kept (number int)")
        connection.execute("INSERT INTO kept VALUES (%s)", [number])


def test_what_was_committed_is_on_the_standby_that_takes_over(services: Services) -> None:
    """Also a second time, with a standby of its own. An address with both finds the one that writes."""
    for number in (1, 2):
        first = services.postgres_socket.parent
        services.start_standby()
        insert(services.database_url, number)
        services.fail_over()
        second = services.postgres_socket.parent
        assert second != first
        with psycopg.connect(services.database_url) as connection:
            found = connection.execute("SELECT number FROM kept ORDER BY number").fetchall()
        assert found == [(each,) for each in range(1, number + 1)]
    both = quote(f"{first},{second}", safe="")
    asyncio.run(_opens(f"postgresql://pokerroom@/pokerroom?host={both}&target_session_attrs=read-write"))


def test_no_commit_is_acknowledged_without_the_standby(services: Services) -> None:
    """Else the second server might lack it."""
    services.start_standby()
    services.stop_standby()
    ended = Event()

    def commit() -> None:
        with suppress(psycopg.OperationalError):  # the server is stopped below
            insert(services.database_url, 1)
        ended.set()

    thread = Thread(target=commit)
    thread.start()
    assert not ended.wait(1)
    services.stop_postgres(hard=True)
    thread.join(20)
    assert ended.is_set()


async def _opens(url: str) -> None:
    async with opened_ledger(url) as ledger:
        assert (await ledger.audit().asFuture(asyncio.get_running_loop())).differences == ()
