"""A swarm that waits for free seats: what it says meanwhile, and how it ends."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import msgspec
import pytest
from click.testing import CliRunner

from pokerroom.bots import cli
from pokerroom.bots.plan import groups_with_seats
from pokerroom.bots.swarm import activity
from pokerroom.bots.tally import SwarmTally
from pokerroom_protocol import messages as m
from tests.bots.test_plan import table


@dataclass
class Room:
    """A room of which the lobby alone is asked, so many times."""

    lobby: list[m.TableInfo]
    looks: int = 0

    async def request(self, _request, _answer):
        self.looks += 1
        return m.Tables(re=1, tables=self.lobby)


@pytest.fixture
def invoke(monkeypatch):
    """Run the command at a room of these tables, which is asked often; return its result and the room."""
    monkeypatch.setattr("pokerroom.bots.swarm.ASK_AGAIN_S", 0.01)

    def run(lobby, *arguments):
        room = Room(lobby)
        monkeypatch.setattr("pokerroom.bots.swarm.look_at_room", lambda _, look: asyncio.run(look(room)))
        return CliRunner().invoke(cli.swarm, ["--seed", "1", *arguments]), room

    return run


def full_of_bots(name):
    """A table of six with one free seat, the others held by house bots."""
    return msgspec.structs.replace(table(name, 6, 5), house_bots=5)


def test_seats_that_house_bots_hold_are_named_and_not_waited_for_without_end(invoke):
    """The exit code is one of its own, and the sentence tells what to do."""
    lobby = [full_of_bots("a"), full_of_bots("b"), table("c", 6)]
    result, room = invoke(lobby, "--bots", "6", "--tables", "3", "--wait", "1")
    assert result.exit_code == 3
    assert room.looks > 10
    _, waiting, ended = result.stderr.splitlines()
    assert "waiting for free seats, 1 of 3 tables with 2 free seats, house bots play at 2: " in waiting
    assert ended.startswith(
        "Error: 1 of 3 tables with 2 free seats were found within 1 s for 6 bots. House bots play at 2"
    )
    assert result.stdout == ""


def test_seats_that_players_hold_are_waited_for_as_long_as_is_said(invoke):
    """Not at all with 0; nothing is said of house bots where there are none."""
    result, room = invoke([table("a", 6, 5)], "--bots", "2", "--tables", "1", "--wait", "0")
    assert (result.exit_code, room.looks) == (3, 1)
    assert "house bots" not in result.stderr.lower()
    assert "--wait longer" in result.stderr


def test_too_few_tables_are_not_waited_for(invoke):
    """No table more will open."""
    result, room = invoke([full_of_bots("a")], "--bots", "4", "--tables", "2")
    assert (result.exit_code, room.looks) == (1, 1)
    assert "Use fewer --tables" in result.stderr


@pytest.mark.parametrize(
    ("free", "sizes", "found"),
    [([1, 1], [2, 2], 0), ([6, 1], [2, 2], 1), ([2, 3], [3, 2], 2), ([9], [2, 2], 1)],
)
def test_groups_with_seats_sit_at_a_table_each(free, sizes, found):
    """A large table takes one group, not two."""
    lobby = [table(str(number), 9, 9 - seats) for number, seats in enumerate(free)]
    assert groups_with_seats(lobby, sizes) == found


def test_bots_that_find_no_seat_say_why():
    """House bots of a room that has just started sit down at the same time."""
    tally = SwarmTally()
    assert activity(2, tally, False) == "opening accounts"
    tally.registered = 2
    assert activity(2, tally, False) == "taking seats"
    tally.races.update(["table_full", "rate_limited"])
    assert activity(2, tally, False) == "taking seats, refused with table_full"
    tally.first_hand_at = 1.0
    assert [activity(2, tally, leaving) for leaving in (False, True)] == ["playing", "leaving"]
