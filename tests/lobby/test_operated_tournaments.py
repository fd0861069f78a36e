"""How a node carries out the operator's orders to a tournament: by the ledger, or by the table that runs here."""

from __future__ import annotations

from dataclasses import replace

import pytest
from twisted.internet.defer import fail, succeed
from twisted.internet.task import Clock

from pokerroom.chips import Money
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.tournament_entries import seat_number
from pokerroom.ledger.tournaments import PlaceGiven, owned_as
from pokerroom.lobby.operated_tournaments import OperatedTournaments
from pokerroom.ops.config import parse
from pokerroom.ops.reports import OrderRefused, SitAndGoAccepted, SitAndGoEntry, SitAndGoPlace
from pokerroom_protocol import messages as wire
from tests.tournament.registrations import made_registration
from tests.tournament.test_registration import TWO


class Actor:
    """A `TournamentActor` as far as the operator goes: it ends in the ledger, and counts what it was asked."""

    def __init__(self, ledger, tournament, epoch, players):
        self.asked = []
        self.refuses = None
        self._ledger = ledger
        self._started = tournament, epoch
        self._players = players

    def _do(self, what, done):
        self.asked.append(what)
        if self.refuses is not None:
            return fail(OrderRefused(self.refuses, "Not now."))
        return done()

    def _nothing(self):
        return self._ledger.wallet(self._players[0])

    def pause(self):
        return self._do("pause", self._nothing)

    def unpause(self):
        return self._do("unpause", self._nothing)

    def roll_back(self):
        return self._do("roll_back", lambda: self._ledger.roll_back_tournament(*self._started))

    def roll_forward(self):
        given = [PlaceGiven(place=1, account=account, prize=Money(240)) for account in self._players]
        return self._do(
            "roll_forward", lambda: self._ledger.give_places(*self._started, 1, given, rolled_forward=True)
        )


class Stage:
    """Two accounts, a registration, and a tournament of two that runs here if told so."""

    def __init__(self, run):
        self.run = run
        self.clock = Clock()
        self.ledger = MemoryLedger(self.clock.seconds)
        self.told = []
        self.tables = {}
        self.registration = made_registration(
            self.ledger,
            self.clock,
            offers=parse(TWO).sit_and_gos,
            tell=lambda *notice: self.told.append(notice),
        )
        self.operated = OperatedTournaments(self.tables, self.ledger, self.registration)
        self.players = [
            run(self.ledger.create_account(name, "hash", Money(1_000))).account for name in ("anna", "bert")
        ]

    def started(self):
        for account in self.players:
            self.run(self.registration.register(account, "duel"))
        epoch = self.run(self.ledger.take_table(owned_as("duel.1"), "a", 0))
        self.run(self.ledger.start_tournament("duel.1", epoch, self.players, 1_500))
        self.registration.started(self.run(self.ledger.tournament("duel.1")), "duel.1")
        self.told.clear()
        actor = self.tables[owned_as("duel.1")] = Actor(self.ledger, "duel.1", epoch, self.players)
        return actor

    def order(self, asked, tournament="duel.1"):
        return self.run(self.operated.order(tournament, asked))

    def refused(self, asked, tournament="duel.1"):
        with pytest.raises(OrderRefused) as refused:
            self.order(asked, tournament)
        return refused.value.code

    def wallets(self):
        return [self.run(self.ledger.wallet(account)) for account in self.players]


@pytest.fixture
def stage(run):
    stage = Stage(run)
    yield stage
    assert stage.clock.getDelayedCalls() == []


def test_before_the_start_it_is_cancelled_and_nothing_else(stage, run):
    """By any node, as often as asked."""
    run(stage.registration.register(stage.players[0], "duel"))
    for asked in ("pause", "resume", "roll_back", "roll_forward"):
        assert stage.refused(asked) == "tournament_not_running"
    for _ in range(2):
        assert stage.order("cancel") == SitAndGoAccepted(tournament="duel.1", asked="cancel")
    assert stage.wallets() == [1_000, 1_000]
    assert len(stage.told) == 1


def test_what_runs_here_is_paused_and_goes_on_by_its_table(stage):
    """And is not cancelled."""
    actor = stage.started()
    stage.order("pause")
    stage.order("resume")
    assert actor.asked == ["pause", "unpause"]
    assert stage.refused("cancel") == "registration_closed"


def test_what_is_over_is_not_said_to_have_just_started(stage):
    """No operator is told to roll back or forward what cannot be any more."""
    stage.started()
    stage.order("roll_back")
    with pytest.raises(OrderRefused, match=r"The tournament is rolled_back\.") as refused:
        stage.order("cancel")
    assert refused.value.code == "registration_closed"


def test_i3_a_roll_back_pays_all_back_once_and_tells_them(stage, run):
    """The same order again moves nothing and sends nothing."""
    actor = stage.started()
    assert stage.wallets() == [700, 700]
    stage.order("roll_back")
    del stage.tables[owned_as("duel.1")]
    assert stage.order("roll_back") == SitAndGoAccepted(tournament="duel.1", asked="roll_back")
    assert stage.wallets() == [1_000, 1_000]
    refund = wire.SngRefunded(tournament="duel.1", amount=300, reason="rolled_back")
    assert stage.told == [(account, refund) for account in stage.players]
    assert actor.asked == ["roll_back"]
    assert stage.refused("roll_forward") == "tournament_not_running"
    assert run(stage.ledger.audit()).differences == ()


def test_i3_a_roll_forward_ends_it_once(stage, run):
    """Asked again when it is over it is no error; the other ending is."""
    stage.started()
    stage.order("roll_forward")
    del stage.tables[owned_as("duel.1")]
    stage.order("roll_forward")
    assert stage.refused("roll_back") == "tournament_not_running"
    assert stage.refused("pause") == "tournament_not_running"
    assert run(stage.ledger.tournament("duel.1")).phase == "rolled_forward"


def test_what_the_table_refuses_is_refused_and_no_account_is_told(stage):
    """With its code."""
    actor = stage.started()
    actor.refuses = "tournament_prizes_won"
    assert stage.refused("roll_back") == "tournament_prizes_won"
    assert stage.told == []


def test_what_runs_elsewhere_is_its_owners(stage):
    """The pages pass it on."""
    stage.started()
    stage.tables.clear()
    assert stage.refused("pause") == "table_elsewhere"
    assert stage.refused("pause", "duel.9") == "unknown_tournament"


def test_a_player_who_is_out_and_has_no_place_yet_is_not_left(stage, run):
    """Places wait for the end of registration; the seat of a field is named by its table."""
    stage.started()
    first, second = stage.ledger._tournaments["duel.1"].entries  # private: no hand is played here
    first.chips, second.seat = 0, seat_number(3, 2)
    assert [one.left for one in run(stage.operated.going_on())] == [1]
    found = run(stage.operated.one("duel.1"))
    assert [(one.table, one.seat) for one in found.entries] == [(1, 1), (3, 2)]


def test_what_goes_on_is_reported_and_one_in_whole(stage, run):
    """Also of an offer that is no more; entries by seat, places as they are given."""
    stage.started()
    run(stage.registration.register(stage.players[0], "limit"))
    run(
        stage.ledger.give_places(
            "duel.1", 1, 2, [PlaceGiven(place=2, account=stage.players[0], prize=Money(0))]
        )
    )
    offers = [offer for offer in parse(TWO).sit_and_gos if offer.id == "limit"]
    later = OperatedTournaments(
        stage.tables, stage.ledger, made_registration(stage.ledger, stage.clock, offers=offers)
    )
    reports = run(later.going_on())
    assert [(one.tournament, one.phase, one.seats, one.taken, one.left) for one in reports] == [
        ("limit.1", "registering", 3, 1, 1),
        ("duel.1", "running", 2, 2, 1),
    ]
    found = run(later.one("duel.1"))
    assert (found.report, found.fee, found.prizes) == (reports[1], 60, (480,))
    assert found.entries == (
        SitAndGoEntry(account=stage.players[0], name="anna", returned=False, table=1, seat=1, chips=1_500),
        SitAndGoEntry(account=stage.players[1], name="bert", returned=False, table=1, seat=2, chips=1_500),
    )
    assert found.places == (
        SitAndGoPlace(number=2, place=2, account=stage.players[0], name="anna", prize=0, paid=False),
    )
    with pytest.raises(OrderRefused):
        run(later.one("duel.9"))


def test_the_prizes_of_a_scheduled_tournament_are_shown_once_entries_have_closed(stage, run, monkeypatch):
    """Its opening has none: they follow from what was bought."""
    stage.started()
    row = run(stage.ledger.tournament("duel.1"))
    row = replace(row, opening=replace(row.opening, prizes=()), fixed_prizes=(Money(480),))
    monkeypatch.setattr(stage.ledger, "tournament", lambda _: succeed(row))
    assert run(stage.operated.one("duel.1")).prizes == (480,)
