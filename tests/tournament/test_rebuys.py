"""`pokerroom.tournament.rebuys`: rebuys and add-ons at the owner of a tournament; its tables are fakes."""

from dataclasses import replace
from functools import partial

import pytest
from twisted.internet.defer import Deferred

from pokerroom.ledger.chip_sales import ChipPurchase, SaleClosed
from pokerroom.tournament.rebuys import DECIDE_S
from tests.tournament.directed import Stage
from tests.tournament.playing import NAME, Room, level, now, scheduled_offer

SOLD = {
    "late_levels": 0,
    "entries_max": 1,
    "rebuys_max": 2,
    "rebuy_levels": 1,
    "rebuy_price": 250,
    "rebuy_fee": 10,
    "rebuy_stack": 1_500,
    "add_on_price": 100,
    "add_on_stack": 2_000,
    "add_on_break_s": 30,
    "players_max": 6,
}


@pytest.fixture
def stage():
    """Six players at two tables of three, with rebuys in the first level, and their owner has begun to look."""
    offer = scheduled_offer(**SOLD)
    offer = replace(offer, levels=(replace(offer.levels[0], length=60), level(20)))
    found = Stage(room=Room(players=6, scheduled=offer))
    found.room.clock.pump([1.0] * 2)
    yield found
    found.stop()


@pytest.fixture
def sold_in_one_level():
    """The second of two levels: entries are still sold, and rebuys are not."""
    offer = scheduled_offer(
        **SOLD | {"late_levels": 2, "add_on_price": 0, "add_on_stack": 0, "add_on_break_s": 0}
    )
    offer = replace(offer, levels=(replace(offer.levels[0], length=5), level(20)))
    found = Stage(room=Room(players=6, scheduled=offer))
    found.room.clock.pump([1.0] * 8)
    yield found
    found.stop()


def bust(stage, table, seat=1, winner=2):
    """The player in this seat loses all chips; return the account."""
    accounts = {one.seat: one.account for one in table.plan.seats}
    table.waits()
    table.deals()
    hands = table.report.hands + 1
    stage.book({accounts[seat]: 0, accounts[winner]: 3_000}, hands)
    table.settles({seat: 0, winner: 3_000, 3: 1_500})
    table.waits()
    return accounts[seat]


def buys(stage, account, number=1, kind="rebuy"):
    now(stage.room.ledger.buy_chips(NAME, ChipPurchase(account=account, kind=kind, number=number)))


def chips_of(table):
    return {one.account: (one.seat, one.chips, one.bought) for one in table.plan.seats}


def test_a_rebuy_goes_on_in_the_same_seat_and_the_table_waits_for_it(stage, tables):
    """L2: the player is offered one, keeps the seat, and the next hand has the player."""
    one, two = tables
    account = bust(stage, one)
    assert chips_of(one)[account] == (1, 0, 0)
    assert one.plan.order is None
    ((told, offer),) = stage.offers
    assert (told, offer.kind, offer.price, offer.chips, offer.left) == (account, "rebuy", 250, 1_500, 2)
    two.waits()
    assert two.plan.order is not None
    buys(stage, account)
    stage.room.clock.pump([1.0] * 2)
    assert chips_of(one)[account] == (1, 1_500, 1_500)
    assert 1 in one.plan.order.plan.order


@pytest.mark.parametrize("declines", [True, False])
def test_a_player_that_buys_none_is_out(stage, tables, declines):
    """L2: at once if the player says so, else after a while; then the ledger sells none, and the table goes on."""
    one, _ = tables
    account = bust(stage, one)
    stage.room.clock.pump([1.0] * 5)
    assert one.plan.order is None
    if declines:
        now(stage.room.ledger.decline_rebuy(NAME, account))
    stage.room.clock.pump([1.0] * (2 if declines else round(DECIDE_S) - 2))
    assert account not in chips_of(one)
    with pytest.raises(SaleClosed):
        buys(stage, account)


def test_a_rebuy_that_is_bought_during_a_hand_counts_for_the_next(stage, tables):
    """L2: its chips come once the table is at rest."""
    one, _ = tables
    account = next(seat.account for seat in one.plan.seats if seat.seat == 3)
    one.waits()
    one.deals()
    buys(stage, account)
    stage.room.clock.pump([1.0] * 3)
    assert chips_of(one)[account] == (3, 1_500, 0)
    one.settles({1: 1_500, 2: 1_500, 3: 1_500})
    one.waits()
    stage.book({}, 0)
    stage.room.clock.pump([1.0] * 2)
    assert chips_of(one)[account] == (3, 3_000, 1_500)


def test_the_add_on_is_sold_in_its_break_and_then_entries_close(stage, tables):
    """L2: rebuys are not sold any more; the prizes have what was bought."""
    for table in tables:
        table.waits()
        table.deals()
    stage.room.clock.advance(60)
    for table in tables:
        table.settles({1: 1_500, 2: 1_500, 3: 1_500})
        table.waits()
    stage.room.clock.pump([1.0] * 3)
    row = now(stage.room.ledger.tournament(NAME))
    assert row.on_sale == {"add_on"}
    assert {offer.kind for _, offer in stage.offers} == {"add_on"}
    assert len(stage.offers) == 6
    account = tables[0].plan.seats[0].account
    buys(stage, account, kind="add_on")
    stage.room.clock.pump([1.0] * 35)
    assert chips_of(tables[0])[account][1:] == (3_500, 2_000)
    row = now(stage.room.ledger.tournament(NAME))
    assert sum(row.prizes) == row.brought
    assert (row.closed, sum(row.prizes)) == (True, 6 * row.opening.part + 100)


def test_a_new_owner_knows_who_decides(stage, tables):
    """By the ledger: the table still waits, and the rebuy is given once."""
    one, _ = tables
    account = bust(stage, one)
    buys(stage, account)
    epoch = now(stage.room.ledger.take_table(f"tournament:{NAME}", "n2", 1))
    stage.open(epoch)
    for _ in range(2):
        for table in tables:
            table.says(ready=True)
        stage.room.clock.pump([1.0] * 2)
    assert chips_of(one)[account] == (1, 1_500, 1_500)
    row = now(stage.room.ledger.tournament(NAME))
    assert [entry.bought for entry in row.entries if entry.account == account] == [1_500]


def test_an_answer_from_before_a_hand_lets_no_player_of_it_out(stage, tables, monkeypatch):
    """L2: a player that goes out while the ledger is being asked has the whole time for a decision."""
    one, _ = tables
    asked, clock, held = stage.room.ledger.sales_now, stage.room.clock, []

    def answers_later(tournament):
        done = Deferred()
        asked(tournament).addCallback(lambda sales: held.append(partial(done.callback, sales)))
        return done

    def answered(times):
        for _ in range(times):
            clock.advance(1.0)
            while held:
                held.pop(0)()

    monkeypatch.setattr(stage.room.ledger, "sales_now", answers_later)
    while not held:
        clock.advance(0.5)
    account = bust(stage, one)
    answered(4)
    assert chips_of(one)[account] == (1, 0, 0)
    buys(stage, account)
    answered(4)
    assert chips_of(one)[account] == (1, 1_500, 1_500)


def test_a_new_owner_gives_others_the_seat_of_who_came_too_late_for_a_rebuy(sold_in_one_level):
    """L2: else the seat would have two players."""
    stage = sold_in_one_level
    one = stage.tables[NAME]
    account = bust(stage, one)
    stage.room.clock.pump([1.0] * 3)
    assert account not in chips_of(one)
    row = now(stage.room.ledger.tournament(NAME))
    assert [entry.gone for entry in row.entries if entry.account == account] == [True]
    stage.open(now(stage.room.ledger.take_table(f"tournament:{NAME}", "n2", 1)))
    for table in stage.tables.values():
        table.says(ready=True)
    assert account not in chips_of(one)


def test_a_second_loss_has_an_offer_and_a_time_of_its_own(stage, tables):
    """L2: also in the hand right after the rebuy of the first one."""
    one, _ = tables
    account = bust(stage, one)
    stage.room.clock.pump([1.0] * 10)
    buys(stage, account)
    stage.room.clock.pump([1.0] * 2)
    one.deals()
    stage.book({account: 0}, 2)
    one.settles({1: 0, 2: 4_500, 3: 1_500})
    one.waits()
    assert [told for told, _ in stage.offers] == [account, account]
    stage.room.clock.pump([1.0] * 10)
    assert chips_of(one)[account] == (1, 0, 1_500)
    buys(stage, account, number=2)
    stage.room.clock.pump([1.0] * 2)
    assert chips_of(one)[account] == (1, 1_500, 3_000)


@pytest.fixture
def heads_up():
    """Two players at one table, with rebuys in a level of a minute."""
    offer = scheduled_offer(**SOLD | {"players_max": 3})
    found = Stage(
        names=(NAME,), room=Room(players=2, scheduled=replace(offer, levels=(level(10), level(20))))
    )
    found.room.clock.pump([1.0] * 2)
    yield found
    found.stop()


def test_the_last_player_has_won_once_the_other_declines(heads_up):
    """L1, L2: nothing waits for the end of the level."""
    table = heads_up.tables[NAME]
    seats = {one.seat: one.account for one in table.plan.seats}
    out, winner = sorted(seats)
    table.waits()
    table.deals()
    heads_up.book({seats[out]: 0, seats[winner]: 3_000}, 1)
    table.settles({out: 0, winner: 3_000})
    table.waits()
    heads_up.room.clock.pump([1.0] * 2)
    assert table.plan.phase == "running"
    now(heads_up.room.ledger.decline_rebuy(NAME, seats[out]))
    heads_up.room.clock.pump([1.0] * 3)
    row = now(heads_up.room.ledger.tournament(NAME))
    assert row.phase == "finished"
    assert [(place.number, place.account) for place in row.places] == [(1, seats[winner]), (2, seats[out])]
