"""A restore to a moment, for real: what was committed until then is there, nothing of later, and the audit agrees."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from pokerroom.adapters import opened_ledger
from tests.chaos.crowd import open_accounts
from tests.chaos.point_in_time import PointInTime
from tests.chaos.services import Services
from tests.chaos.support import services_of

# two servers of its own; `make chaos` itself relies on them
pytestmark = [pytest.mark.slow, pytest.mark.services, pytest.mark.timeout(240)]

CHIPS = 1000


@pytest.fixture
def services() -> Iterator[Services]:
    with services_of(Services) as found:
        found.archives = True
        found.start()
        yield found


async def differences(url: str) -> tuple[object, ...]:
    async with opened_ledger(url) as ledger:
        return (await ledger.audit().asFuture(asyncio.get_running_loop())).differences


def names(url: str) -> list[str]:
    with psycopg.connect(url) as connection:
        return [row[0] for row in connection.execute("SELECT name FROM accounts ORDER BY name").fetchall()]


def test_a_room_comes_back_as_it_was_at_a_moment(services: Services, tmp_path: Path) -> None:
    """Also with what was committed after the base backup."""
    tmp_path.chmod(0o711)
    asyncio.run(differences(services.database_url))  # makes the tables
    open_accounts(services.database_url, 2, "before", CHIPS)
    restored = PointInTime(services, tmp_path)
    try:
        restored.copy()
        open_accounts(services.database_url, 2, "between", CHIPS)
        moment = restored.moment()
        open_accounts(services.database_url, 2, "later", CHIPS)

        url = restored.restore(moment)

        assert names(url) == ["before-1", "before-2", "between-1", "between-2"]
        assert asyncio.run(differences(url)) == ()
        assert len(names(services.database_url)) == 6
        open_accounts(url, 1, "new", CHIPS)
    finally:
        restored.end()
