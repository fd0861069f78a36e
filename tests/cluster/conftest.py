"""Whole rooms of several nodes, and the people of one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cluster.hosting import Party
from tests.cluster.rooms import Rooms
from tests.cluster.rooms import rooms as made_rooms


@pytest.fixture
def rooms() -> Iterator[Rooms]:
    yield from made_rooms()


@pytest.fixture
def party(rooms: Rooms) -> Party:
    return Party(rooms)
