"""How a node carries out the operator's orders to its tables."""

from dataclasses import fields, replace
from unittest import mock

import pytest
from twisted.internet.defer import fail

from pokerroom.ledger.api import LedgerConflict
from pokerroom.lobby.operated_tables import OperatedTables
from pokerroom.ops.reports import OrderRefused, SeatReport
from tests.poker.support import Room as CashRoom
from tests.tournament.playing import NAME, Room, now
from tests.ultimate.support import COMMON, House


async def no_pause(_table):
    """No table here is paused by a host."""
    return False


def operated_tables(house, *elsewhere):
    """The one table of `house`, beside tables that live at other nodes."""
    here = house.table.settings
    return OperatedTables(
        settings={each.table: each for each in (here, *elsewhere)},
        local={here.table: house.table},
        ledger=house.table.context.ledger,
        day=house.timeouts,
        node="n1",
        move=lambda _table, _node: True,
        host_name=lambda _table: None,
        end_pause=no_pause,
    )


@pytest.fixture
def room():
    room = Room()
    room.begin()
    yield room
    room.stop()


@pytest.fixture
def operated(room):
    return operated_tables(room)


@pytest.mark.parametrize("asked", ["close", "open"])
def test_a_sit_and_gos_table_is_not_closed_or_opened(room, operated, asked):
    """Its players are seated for the whole tournament: closing would have no effect."""
    seq = room.snapshot().seq
    with pytest.raises(OrderRefused) as refused:
        now(operated.order(NAME, asked, None))
    assert refused.value.code == "tournament_table"
    assert room.snapshot().seq == seq, "nobody was told anything"


def test_a_sit_and_gos_table_is_frozen_and_goes_on(room, operated):
    """As any table."""
    now(operated.order(NAME, "freeze", None))
    assert room.table.state_name == "frozen"
    now(operated.order(NAME, "resume", None))
    assert room.table.state_name != "frozen"


def test_the_seats_of_a_hand_are_shown_without_a_card():
    """Stacks, bets, the pot and the player to act, as any spectator sees them; a table elsewhere has its own."""
    room = CashRoom()
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    turn = room.turn()
    operated = operated_tables(room)
    shown = now(operated.detail(room.settings.table))
    assert shown.report == operated.tables()[0]
    assert {seat.name: seat.stack + seat.bet for seat in shown.seats} == {"anna": 10_000, "bert": 10_000}
    assert [seat.seat for seat in shown.seats if seat.acts] == [turn.seat]
    assert sorted(seat.bet for seat in shown.seats) == [50, 100]
    assert (shown.pot, shown.in_chips, all(seat.in_hand for seat in shown.seats)) == (0, False, True)
    assert not {field.name for field in fields(SeatReport)} & {"cards", "hole", "hand"}
    with pytest.raises(OrderRefused) as refused:
        now(operated.detail("none"))
    assert refused.value.code == "unknown_table"
    room.stop()


def test_a_frozen_table_shows_its_seats_without_the_hand():
    """Only the restart tells which steps of the hand stand."""
    room = CashRoom()
    room.sit(room.client("anna"), room.client("bert"))
    operated = operated_tables(room)
    now(operated.order(room.settings.table, "freeze", None))
    shown = now(operated.detail(room.settings.table))
    assert (shown.report.frozen, shown.pot, len(shown.seats)) == ("operator", None, 2)
    assert not any(seat.acts or seat.in_hand for seat in shown.seats)
    room.stop()


def test_the_boxes_of_a_round_are_shown_with_all_their_bets():
    """The Blind equals the Ante; players bet from their wallets, so there is no stack."""
    house = House()
    anna = house.player("anna")
    house.deal(anna, ante=100)
    operated = operated_tables(house)
    (shown,) = now(operated.detail(house.settings.table)).seats
    assert (shown.name, shown.stack, shown.bet, shown.acts, shown.connected) == (
        "anna",
        None,
        200,
        True,
        True,
    )
    house.stop()


def test_the_stacks_of_a_sit_and_go_are_chips_and_its_actor_has_no_seats(room):
    """Its table shows them."""
    operated = operated_tables(room)
    shown = now(operated.detail(NAME))
    assert (shown.in_chips, sum(seat.stack + seat.bet for seat in shown.seats) + shown.pot) == (True, 9_000)
    assert now(room.tournament.look()) is None


def test_any_number_may_sit_where_a_common_hand_is_dealt():
    """The operator sees no maximum, here or elsewhere; boxes are as many as they are."""
    live, boxes = House(COMMON), House()
    live.player("anna")
    for here, elsewhere, seats in ((live, boxes, [None, 6]), (boxes, live, [6, None])):
        operated = operated_tables(here, replace(elsewhere.settings, table="u2"))
        assert [report.seats for report in operated.tables()] == seats
    live.stop()
    boxes.stop()


def test_a_decided_round_is_void_at_the_express_word_alone():
    """`void_complete`; else it is finished."""
    house = House()
    anna = house.player("anna")
    round_id = house.deal(anna)
    operated = operated_tables(house)
    with mock.patch.object(house.books, "settle_round", return_value=fail(LedgerConflict("x"))):
        for decision in ("check", "check", "fold"):
            house.decide_later(anna, decision)
    now(operated.order("u1", "freeze", None))
    with pytest.raises(OrderRefused) as refused:
        now(operated.order("u1", "void", None))
    assert refused.value.code == "hand_complete"
    assert now(operated.order("u1", "void_complete", None)).hand_id == round_id
    house.stop()
