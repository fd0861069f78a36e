"""`pokerroom.tournament.late_entries`: entries to a tournament that runs, until they close; its tables are fakes."""

from dataclasses import replace

import pytest

from pokerroom.ledger.tournaments import RegistrationClosed, table_of
from tests.tournament.directed import TABLES, Stage
from tests.tournament.playing import NAME, Room, held, level, now, scheduled_offer


@pytest.fixture
def stage():
    """Six players at two tables of three, four of whom are paid: with five left it is the bubble."""
    offer = scheduled_offer(players_max=6, prize_shares=(4_000, 3_000, 2_000, 1_000))
    found = Stage(room=Room(players=6, scheduled=offer))
    yield found
    found.stop()


def test_l8_no_hand_is_ordered_while_entries_are_about_to_close(stage, tables):
    """L8: until the ledger tells that no player has come, a table could deal one hand out of step on the bubble."""
    one, two = tables
    two.waits()
    two.deals()
    answer = held(stage.room, "unseated_entries")
    two.settles({1: 0, 2: 3_000})
    one.waits()
    assert (one.plan.order, one.plan.prizes) == (None, [])
    answer()
    assert len(one.plan.prizes) == 4
    assert one.plan.order is None  # the other table is not at rest
    two.waits()
    assert (one.plan.order.number, two.plan.order.number) == (1, 2)


@pytest.fixture
def late_stage():
    """Four of nine players sit at two tables of three, and entries are open."""
    found = Stage(room=Room(players=4, scheduled=scheduled_offer(players_max=9, entries_max=1)))
    yield found
    found.stop()


def test_l3_players_who_come_together_get_a_seat_each(late_stage):
    """And tables that have waited go on: what they have reported still holds."""
    one, two = (late_stage.tables[name] for name in TABLES)
    for table in (one, two):
        table.waits()
    one.deals()
    for number in (5, 6):
        client = late_stage.room.client(f"late{number}")
        now(late_stage.room.ledger.enter(NAME, client.account, 1))
    late_stage.room.clock.pump([1.0] * 8)
    seats = [(table.name, seat.seat) for table in (one, two) for seat in table.plan.seats]
    assert len(set(seats)) == 6
    assert [len(table.plan.seats) for table in (one, two)] == [3, 3]


@pytest.fixture
def crowded_stage():
    """Four players, a first level of five seconds after which entries close, and room for a crowd."""
    offer = scheduled_offer(players_max=40, entries_max=1)
    offer = replace(offer, levels=(replace(offer.levels[0], length=5), level(20)))
    names = (NAME, *(table_of(NAME, number) for number in range(2, 15)))
    found = Stage(names=names, room=Room(players=4, scheduled=offer))
    yield found
    found.stop()


def test_l1_a_crowd_cannot_keep_entries_open(crowded_stage, monkeypatch):
    """Once they are to close the ledger takes none; an account that entered before is seated, then they close."""
    room = crowded_stage.room
    clients = [room.client(f"crowd{number}") for number in range(30)]
    ask, came, refused = room.ledger.unseated_entries, [], []

    def one_more_comes(name):
        client = clients[len(came) + len(refused)]
        try:
            now(room.ledger.enter(NAME, client.account, 1))
            came.append(client)
        except RegistrationClosed:
            refused.append(client)
        return ask(name)

    room.clock.pump([1.0] * 4)
    monkeypatch.setattr(room.ledger, "unseated_entries", one_more_comes)
    room.clock.pump([1.0] * 4)
    row = now(room.ledger.tournament(NAME))
    assert row.closed
    assert refused
    plans = [table.plan for table in crowded_stage.tables.values() if table.plans]
    assert {client.account for client in came} <= {seat.account for plan in plans for seat in plan.seats}
    assert len(row.players) == 4 + len(came)
