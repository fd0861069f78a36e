"""A private table: what the decisions of its host change at the table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from pokerroom.table.context import TableContext
from pokerroom.table.viewer import THE_ROOM
from pokerroom_protocol import messages as wire
from tests.poker.support import Client, HeldJournal, Room


class Host:
    """What the host has decided."""

    def __init__(self) -> None:
        self.paused = False
        self.banned: set[int | None] = set()

    def admits(self, account: int | None) -> bool:
        return account not in self.banned


class HostedRoom(Room):
    """A room with one private table."""

    def __init__(self) -> None:
        self.host = Host()
        super().__init__()

    def context(self, epoch: int, journal: HeldJournal) -> TableContext:
        return replace(super().context(epoch, journal), host=self.host)

    def remove(self, client: Client) -> None:
        """As the lobby does it: the account is no guest, and leaves its seat."""
        self.host.banned.add(client.account)
        asks = Client("", client.account)
        asks.instance = THE_ROOM
        self.ask(asks, wire.StandUp)
        self.table.hosting.changed()


@pytest.fixture
def room() -> Iterator[HostedRoom]:
    room = HostedRoom()
    yield room
    room.stop()


def test_a_table_does_not_exist_for_an_account_that_is_no_guest(room):
    """It may not look on or sit down, and hears what it would hear of a table that is not there."""
    anna = room.client("anna")
    room.host.banned.add(anna.account)

    for request, fields in ((wire.Observe, {}), (wire.SitDown, {"buy_in": 5_000})):
        assert room.answer(anna, request, **fields).code == "unknown_table"
    assert room.table.game.seats.empty()


def test_h3_a_player_whom_the_host_removes_in_their_turn_is_all_in(room):
    """H3: the host, who may be in the hand, wins no pot by an order. The all-in counts towards the day's allowance."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    assert room.turn().seat == 1

    room.remove(anna)
    room.clock.advance(0)

    acted = bert.all(wire.Acted)[0]
    assert (acted.seat, acted.action, acted.by_clock) == (1, "clock_all_in", True)
    assert room.timeouts.today(anna.account) == 1
    assert bert.last(wire.SeatLeft).seat == 1
    assert bert.all(wire.RemovedFromTable) == []


def test_a_viewer_who_is_removed_sees_no_more(room):
    """It is told that it was removed, and nothing that happens afterwards; the others see on."""
    anna, olga = room.client("anna"), room.client("olga")
    for client in (anna, olga):
        room.ask(client, wire.Observe)
    room.host.banned.add(olga.account)

    room.table.hosting.changed()
    room.sit(room.client("bert"))

    assert olga.got[-1] == wire.RemovedFromTable(table="t1")
    assert anna.last(wire.SeatTaken).name == "bert"


def test_a_pause_is_told_once_and_no_hand_begins(room):
    """Nor is it told when something else changes. At its end the next hand begins at once."""
    anna, bert = room.client("anna"), room.client("bert")
    room.host.paused = True
    room.sit(anna, bert)
    for _ in range(2):
        room.table.hosting.changed()
    assert [told.paused for told in anna.all(wire.TablePaused)] == [True]
    assert not anna.all(wire.HandStarted)

    room.host.paused = False
    room.table.hosting.changed()

    assert [told.paused for told in anna.all(wire.TablePaused)] == [True, False]
    assert len(anna.all(wire.HandStarted)) == 1
