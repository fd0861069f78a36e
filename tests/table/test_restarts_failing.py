"""A fault while a table is made again: the next attempt starts from journal and ledger, and nothing of it is left."""

from __future__ import annotations

from unittest import mock

import pytest
from twisted.internet.defer import Deferred

from pokerroom.poker.cash.seat_manager import SeatManager
from pokerroom.poker.cash.seating import CashRecovery, CashSeating
from pokerroom.poker.decisions import HandDecisions
from pokerroom.poker.hands import HandRunner
from pokerroom.poker.rebuild import PokerRecovery
from pokerroom.table.snapshots import Snapshots
from pokerroom_protocol import messages as wire
from tests.compiled import replaces_parts
from tests.poker.support import Room
from tests.table.test_restarts import stacks

PLACES = [
    (CashSeating, "__init__"),
    (CashRecovery, "take_over"),
    (SeatManager, "restore"),
    (SeatManager, "opened"),
    (CashRecovery, "plays_on"),
    (HandRunner, "resume"),
    (HandDecisions, "remember"),
    (Snapshots, "show_to_all"),
    (HandRunner, "go_on"),
    (HandRunner, "consider_next"),
    (PokerRecovery, "restarted"),
]


@replaces_parts
@pytest.mark.parametrize(("owner", "method"), PLACES, ids=lambda place: getattr(place, "__name__", place))
@pytest.mark.parametrize("after", [False, True])
def test_a_fault_in_the_middle_of_a_restart_is_made_good_by_the_next(owner, method, after):
    """The hand goes on with the same cards, a request at the ledger counts once, and no clock is left over."""
    room = Room()
    anna, bert, carl = (room.client(name) for name in ("anna", "bert", "carl"))
    room.sit(anna, bert, buy_in=5_000)
    hand_id, cards = room.turn().hand_id, anna.last(wire.HoleCards).cards
    room.act("call")
    asked: Deferred[None] = Deferred()
    buy_in = room.ledger.buy_in
    with mock.patch.object(
        room.ledger, "buy_in", side_effect=lambda *args: asked.addCallback(lambda _: buy_in(*args))
    ):
        room.ask(carl, wire.SitDown, buy_in=5_000)
    room.table.mailbox.post(lambda: 1 / 0)
    original, failed = getattr(owner, method), []

    def once(*args, **others):
        if after or failed:
            original(*args, **others)
        if not failed:
            failed.append(True)
            raise ZeroDivisionError

    with mock.patch.object(owner, method, once):
        room.clock.advance(1)
        asked.callback(None)
        room.clock.advance(0)
        assert (failed, room.table.state_name) == ([True], "frozen")
        room.clock.advance(1)

    assert (room.table.state_name, room.table.game.play.hand_id()) == ("playing", hand_id)
    seen = anna.last(wire.Snapshot)
    assert next(seat.cards for seat in seen.seats if seat.seat == seen.your_seat) == cards
    assert {seat.name for seat in carl.last(wire.Snapshot).seats} == {"anna", "bert", "carl"}
    room.check_down()
    assert stacks(room).keys() == {client.account for client in (anna, bert, carl)}
    assert sum(stacks(room).values()) == 15_000
    assert [ended.void for ended in anna.all(wire.HandEnded)] == [False]
    room.clock.advance(0)
    assert len(room.turn().hand_id) > 0
    assert room.turn().hand_id != hand_id
    room.stop()
