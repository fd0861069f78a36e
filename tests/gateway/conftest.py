"""A room without sockets and the sessions of its clients, for tests that need no other one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pokerroom.gateway.sessions import Sessions
from tests.gateway.evening import Evening
from tests.gateway.session_parties import Counting, made_sessions
from tests.lobby.support import Cardroom


@pytest.fixture
def room() -> Iterator[Cardroom]:
    room = Cardroom()
    yield room
    room.stop()


@pytest.fixture
def observer() -> Counting:
    return Counting()


@pytest.fixture
def sessions(room: Cardroom, observer: Counting) -> Sessions:
    return made_sessions(room, observer)


@pytest.fixture
def evening() -> Evening:
    return Evening()
