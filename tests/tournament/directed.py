"""A tournament's actor with tables that are fakes: they play no cards, and only send reports."""

from dataclasses import replace
from itertools import count

from msgspec import structs

from pokerroom.chips import Money
from pokerroom.ledger.tournament_entries import table_and_seat
from pokerroom.ledger.tournaments import table_of
from pokerroom.tournament.actor import TournamentActor
from pokerroom.tournament.messages import DeskReport
from pokerroom.tournament.settings import TournamentActorSettings, tournament_settings
from tests.tournament.playing import NAME, Room, level

TABLES = (NAME, table_of(NAME, 2))


class FakeTable:
    """A table that plays no cards: it says what a test tells it to."""

    def __init__(self, stage, name, epoch=1):
        self.name = name
        self._stage = stage
        self._numbers = count((epoch - 1 << 32) + 1)
        self.plans = []
        self.report = DeskReport(
            table=name,
            number=0,
            seen=0,
            hands=0,
            stacks={},
            playing=False,
            level=0,
            taken=0,
            ready=False,
            away=[],
            frozen=False,
            held=False,
        )

    @property
    def plan(self):
        return self.plans[-1]

    def says(self, **changes):
        """Report this, and what was reported before."""
        seen = self.plans[-1].number if self.plans else 0
        self.repeats(**{"number": next(self._numbers), "seen": seen, **changes})

    def repeats(self, **changes):
        """Send the last report once more; `changes` may tell of a plan that was seen since."""
        self.report = structs.replace(self.report, **changes)
        self._stage.actor.hear(self.report)

    def waits(self):
        """The next hand may come."""
        self.says(ready=True)

    def deals(self):
        """Deal the hand that was ordered."""
        order = self.plan.order
        self.says(ready=False, playing=True, taken=order.id, level=order.level, plan=order.plan)
        return order

    def settles(self, stacks):
        """The hand is in the ledger, and these seats have other stacks now."""
        before = dict.fromkeys((seat.account for seat in self.plan.seats), 1_500) | self.report.stacks
        after = {seat.account: stacks[seat.seat] for seat in self.plan.seats if seat.seat in stacks}
        self.says(playing=False, hands=self.report.hands + 1, stacks=before | after)

    def plays(self, stacks):
        """One hand with these results."""
        self.waits()
        self.deals()
        self.settles(stacks)


class Stage:
    """A tournament of tables of three, in its actor."""

    def __init__(self, names=TABLES, room=None):
        seats = 3 * len(names)
        prizes = (Money(240 * seats - 440), Money(440))
        self.room = room or Room(seats=seats, prizes=prizes, levels=(level(10, break_s=30), level(20)))
        self.tables = {name: FakeTable(self, name) for name in names}
        self.actor = None
        self.offers = []
        """What players were told that they can buy, with their accounts."""
        self.open(self.room.tournament_epoch)

    def open(self, epoch, entries=()):
        """An actor under this epoch."""
        if self.actor is not None:
            self.actor.stop()
        of = tournament_settings(self.room.opening)
        settings = TournamentActorSettings(of=replace(of, terms=replace(of.terms, table_seats=3)))
        context = replace(
            self.room.context(epoch, self.room.tournament_journal),
            send=lambda to, letter: self.tables[to].plans.append(letter),
            offered=lambda account, offer: self.offers.append((account, offer)),
        )
        self.actor = TournamentActor(settings, context)
        self.actor.restore([], list(entries), frozenset())

    def book(self, stacks, hands):
        """The ledger has so many hands of these accounts."""
        found = self.room.ledger._tournaments[NAME]  # private: the fakes settle nothing
        for entry in found.entries:
            if entry.account in stacks:
                entry.chips, entry.hands = stacks[entry.account], hands
                found.hands[table_and_seat(entry.seat)[0]] = hands

    def played_elsewhere(self, table):
        """The table has finished its hand, and another one that this tournament has not ordered."""
        stacks = dict.fromkeys((seat.account for seat in table.plan.seats), 1_500)
        self.book(stacks, 2)
        table.says(playing=False, ready=True, hands=2, stacks=stacks)

    def stop(self):
        """Leave nothing on the clock."""
        self.actor.stop()
        self.room.stop()
