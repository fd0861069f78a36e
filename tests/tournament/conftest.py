"""Rooms of one tournament, which end with the test."""

import pytest

from tests.tournament.directed import TABLES, Stage
from tests.tournament.playing import Room


@pytest.fixture
def make():
    rooms = []

    def made(**changes):
        room = Room(**changes)
        rooms.append(room)
        return room

    yield made
    for room in rooms:
        room.stop()


@pytest.fixture
def room(make):
    found = make()
    found.begin()
    return found


@pytest.fixture
def stage():
    found = Stage()
    yield found
    found.stop()


@pytest.fixture
def tables(stage):
    return [stage.tables[name] for name in TABLES]
