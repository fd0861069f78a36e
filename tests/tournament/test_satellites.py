"""Satellites (L14): their end over two tables that are fakes, the tickets of players, and their targets."""

from dataclasses import replace

import pytest
from twisted.internet.task import Clock

from pokerroom.coordination.memory import MemoryRegistrations
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import LogQuery
from pokerroom.ledger.tickets import TicketGift
from pokerroom.tournament.offers import scheduled_opening_of
from pokerroom.tournament.scheduled import TICKETS_S, ScheduledTournaments
from tests.ledger.contract import opened
from tests.ledger.contract_of_cashier import funded
from tests.ledger.contract_of_tickets import ANN
from tests.tournament.directed import Stage
from tests.tournament.playing import NAME, STARTS_MS, Room, now, scheduled_offer


@pytest.fixture
def stage():
    """Six players at two tables of three, for four seats of 3.60: entries close on the bubble or before."""
    offer = scheduled_offer(
        players_max=6, entries_max=1, late_levels=0, satellite_to="sun", ticket_days=90, ticket_value=360
    )
    found = Stage(room=Room(players=6, scheduled=offer))
    yield found
    found.stop()


def places(stage):
    """The places that the ledger has: place and prize by seat number."""
    row = now(stage.room.ledger.tournament(NAME))
    seats = {entry.account: entry.seat for entry in row.entries}
    return {seats[one.account]: (one.place, one.prize) for one in row.places}


def both_deal(tables):
    for table in tables:
        table.waits()
    for table in tables:
        table.deals()


def decided(stage, tables):
    """Both tables have a hand in progress, and that of the second puts two players out: four are left."""
    stage.room.clock.pump([1.0] * 3)
    both_deal(tables)
    tables[1].settles({1: 0, 2: 0, 3: 4_500})


def test_l14_the_hand_of_another_table_is_played_out_and_takes_no_seat(stage, tables):
    """L14: the two that are out are placed at once; the others are all first when the last table is at rest."""
    one, _ = tables
    decided(stage, tables)
    assert places(stage) == {11: (5, 0), 12: (5, 0)}
    assert now(stage.room.ledger.tournament(NAME)).phase == "running"
    one.settles({1: 0, 2: 1_500, 3: 3_000})
    assert places(stage) == dict.fromkeys((1, 2, 3, 13), (1, 360)) | {11: (5, 0), 12: (5, 0)}
    assert now(stage.room.ledger.tournament(NAME)).phase == "finished"
    assert one.plan.order is None


def test_l14_a_satellite_that_is_decided_ends_after_a_takeover(stage, tables):
    """L14: the new owner reads the players without a seat, and gives the seats when the last table is at rest."""
    one, two = tables
    decided(stage, tables)
    epoch = now(stage.room.ledger.take_table(f"tournament:{NAME}", "n2", stage.room.tournament_epoch))
    stage.book({account: chips for account, chips in two.report.stacks.items() if account}, 1)
    stage.open(epoch, stage.room.tournament_journal.kept)
    stage.room.clock.pump([1.0] * 3)
    two.waits()
    assert two.plan.order is None
    one.says()
    one.settles({1: 500, 2: 1_000, 3: 3_000})
    assert {place for seat, (place, _) in places(stage).items() if seat not in {11, 12}} == {1}
    assert now(stage.room.ledger.tournament(NAME)).phase == "finished"


class Lobby:
    """Tournaments of these offers at a leading node, and an account with money."""

    def __init__(self, *offers):
        self.clock = Clock()
        self.clock.advance(STARTS_MS / 1000 - 300)
        self.ledger = MemoryLedger(self.clock.seconds)
        funded(now, self.ledger)
        (self.alice,) = opened(now, self.ledger, "alice")
        self.scheduled = ScheduledTournaments(
            offers=offers,
            ledger=self.ledger,
            clock=self.clock,
            now_ms=lambda: round(self.clock.seconds() * 1000),
            registrations=MemoryRegistrations({}),
            leads=lambda: True,
            found=self.ledger.tournament,
            due=lambda _: None,
            cancel=self.ledger.cancel_tournament,
        )

    def give(self, offer):
        """An operator gives a ticket to alice."""
        gift = TicketGift(account=self.alice, key=offer, offer=offer, days=9, source="cash")
        return now(self.ledger.give_ticket(gift, by=ANN))

    def look(self, seconds=0.0):
        self.clock.advance(seconds)
        now(self.scheduled.look())


def named(offer, **changes):
    return replace(scheduled_offer(**changes), id=offer, name=offer.title())


TARGET = named("sun")
STEP = named("step", satellite_to="sun", ticket_days=90)


def test_l14_registering_uses_a_ticket_and_says_so():
    """L14: the answer tells; the list of tickets has the name of the offer, and what is left."""
    lobby = Lobby(TARGET)
    lobby.look()
    lobby.give("sun")
    (ticket,) = now(lobby.scheduled.tickets(lobby.alice))
    assert (ticket.offer, ticket.name, ticket.value) == ("sun", "Sun", TARGET.buy_in)
    assert ticket.gift
    assert now(lobby.scheduled.register(lobby.alice, "sun.1")).by_ticket
    assert now(lobby.scheduled.tickets(lobby.alice)) == []
    now(lobby.scheduled.unregister(lobby.alice, "sun.1"))
    assert now(lobby.scheduled.tickets(lobby.alice)) == [ticket]


def test_l14_a_satellite_is_opened_with_the_price_of_its_target():
    """L14: of the target that is offered then; without one that costs more it is not opened."""
    lobby = Lobby(STEP)
    lobby.look()
    assert now(lobby.ledger.last_number("step")) == 0
    lobby.scheduled.offer([STEP, named("sun", buy_in=200)])
    lobby.look()
    assert now(lobby.ledger.last_number("step")) == 0
    lobby.scheduled.offer([STEP, named("sun", buy_in=5_500)])
    lobby.look()
    opening = now(lobby.ledger.tournament("step.1")).opening
    assert (opening.ticket.offer, opening.ticket.value, opening.ticket.days) == ("sun", 5_500, 90)
    assert opening == scheduled_opening_of(replace(STEP, ticket_value=5_500), 1, STARTS_MS)


def test_l14_a_ticket_without_a_target_ends():
    """L14: a minute after the start at the earliest, because orders of operators may not be read before."""
    lobby = Lobby(TARGET, named("mon"))
    lobby.look()
    kept, gone = lobby.give("sun"), lobby.give("mon")
    now(lobby.ledger.cancel_tournament("mon.1"))
    lobby.scheduled.offer([TARGET])
    lobby.look()
    assert now(lobby.ledger.tickets(lobby.alice)) == [kept, gone]
    lobby.look(TICKETS_S)
    assert now(lobby.ledger.tickets(lobby.alice)) == [kept]
    (line,) = now(lobby.ledger.log_lines(LogQuery(verb="cashier.end_ticket")))
    assert line.by.who == "room"
    lobby.look(9 * 86_400)
    assert now(lobby.ledger.tickets(lobby.alice)) == []
