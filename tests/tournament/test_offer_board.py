"""What a node offers: the settings, and over them what operators order."""

from dataclasses import replace

import pytest
from structlog.testing import capture_logs
from twisted.internet.defer import Deferred, fail

from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.offers import OfferChange
from pokerroom.ledger.operator_log import Acting
from pokerroom.ops.config import parse
from pokerroom.tournament.offer_board import READ_S, OfferBoard
from pokerroom.tournament.registration import UnknownOffer
from tests.tournament.test_registration import TWO, Nodes

ANN = Acting(who="ann", role="admin", reason="", address="")
TURBO = '{"seats":2,"buy_in":500,"fee":20,"payout":"standard","speed":"turbo"}'
DAILY = '{"buy_in":100,"speed":"regular","start":"0 20 * * *"}'
DUEL = OfferChange(offer="duel", standing="offered", kind="sit_and_go", terms=TURBO)


class Boards(Nodes):
    """Two nodes: each a registration, and the board that tells it what to offer."""

    def __init__(self, run):
        super().__init__(run)
        self.scheduled = [[], []]
        self.registrations = [self.registration(), self.registration()]
        self.boards = [self.board(number) for number in range(2)]

    def board(self, number):
        settings = parse(TWO)
        return OfferBoard(
            settings=[*settings.sit_and_gos, *settings.tournaments, settings.hosting],
            written=settings.offer_terms,
            ledger=self.ledger,
            clock=self.clock,
            offer_sit_and_gos=self.registrations[number].offer,
            offer_tournaments=lambda offers: self.scheduled.__setitem__(number, offers),
        )

    def start(self):
        for board in self.boards:
            self.run(Deferred.fromCoroutine(board.start()))

    def order(self, **changes):
        return self.run(self.ledger.change_offer(replace(DUEL, **changes), by=ANN))

    def buy_ins(self, number):
        return {name: row.buy_in for name, row in self.rows(self.registrations[number]).items()}


@pytest.fixture
def boards(run):
    boards = Boards(run)
    boards.start()
    yield boards
    for board in boards.boards:
        board.stop()
    assert boards.clock.getDelayedCalls() == []


def test_the_settings_hold_without_an_order(boards):
    """With their terms as they are written."""
    assert boards.buy_ins(0) == {"duel": 300, "limit": 100}
    duel, limit, private = boards.boards[0].lines()
    assert (private.offer, private.kind, private.is_offered) == ("private_tables", "private_tables", True)
    assert (duel.is_offered, duel.ordered, '"buy_in":300' in duel.terms) == (True, None, True)
    assert (limit.offer, limit.kind) == ("limit", "sit_and_go")


def test_all_nodes_follow_an_order_within_seconds(boards, run):
    """A node that is asked reads at once; the other at its next reading."""
    boards.order()
    run(boards.boards[0].read())
    assert (boards.buy_ins(0)["duel"], boards.buy_ins(1)["duel"]) == (500, 300)
    boards.clock.advance(READ_S)
    assert boards.buy_ins(1) == {"duel": 500, "limit": 100}
    boards.order(standing="settings", terms=None)
    boards.clock.advance(READ_S)
    assert boards.buy_ins(0) == boards.buy_ins(1) == {"duel": 300, "limit": 100}


def test_who_waits_for_a_changed_offer_gets_the_buy_in_back(boards, run):
    """Once, and may register on the new terms; another offer is left alone."""
    anna, bert, *_ = boards.accounts
    run(boards.registrations[1].register(anna, "duel"))
    run(boards.registrations[1].register(bert, "limit"))
    boards.order()
    boards.clock.advance(READ_S)
    assert (run(boards.ledger.wallet(anna)), run(boards.ledger.wallet(bert))) == (1_000, 900)
    assert [message.type for _, message in boards.told if hasattr(message, "type")] or boards.told
    run(boards.registrations[0].register(anna, "duel"))
    assert run(boards.ledger.wallet(anna)) == 500


def test_a_tournament_on_old_terms_that_opens_during_the_change_is_cancelled(boards, run):
    """A node that does not know of the order yet opens it; it does not fill with players who were shown other terms."""
    anna, *_ = boards.accounts
    boards.order()
    run(boards.boards[0].read())
    run(boards.registrations[1].register(anna, "duel"))
    assert run(boards.ledger.wallet(anna)) == 700
    boards.clock.advance(READ_S)
    assert run(boards.ledger.wallet(anna)) == 1_000


def test_a_running_tournament_keeps_its_terms(boards, run):
    """Also if its offer is changed and retired."""
    anna, bert, *_ = boards.accounts
    tournament, _ = boards.started(boards.registrations[0], anna, bert)
    before = run(boards.ledger.tournament(tournament)).opening
    boards.order()
    boards.clock.advance(READ_S)
    boards.order(standing="retired", terms=None)
    boards.clock.advance(READ_S)
    row = run(boards.ledger.tournament(tournament))
    assert (row.phase, row.opening) == ("running", before)


def test_a_retired_offer_is_gone_and_a_restart_does_not_bring_it_back(boards, run):
    """The settings still have it; a new node reads the order before it offers anything."""
    anna, *_ = boards.accounts
    run(boards.registrations[0].register(anna, "duel"))
    boards.order(standing="retired", terms=None, before=TURBO)
    boards.clock.advance(READ_S)
    assert boards.buy_ins(0) == {"limit": 100}
    assert run(boards.ledger.wallet(anna)) == 1_000
    with pytest.raises(UnknownOffer):
        run(boards.registrations[0].register(anna, "duel"))
    boards.registrations[1] = boards.registration()
    boards.boards[1].stop()
    boards.boards[1] = boards.board(1)
    run(Deferred.fromCoroutine(boards.boards[1].start()))
    assert boards.buy_ins(1) == {"limit": 100}
    (line,) = [line for line in boards.boards[1].lines() if line.offer == "duel"]
    assert (line.is_offered, line.terms) == (False, TURBO)


def test_new_offers_are_beside_those_of_the_settings(boards):
    """Sit-and-gos for registration, tournaments for the schedule."""
    boards.order(offer="new")
    boards.order(offer="daily", kind="tournament", terms=DAILY)
    boards.clock.advance(READ_S)
    assert boards.buy_ins(0) == {"duel": 300, "limit": 100, "new": 500}
    assert [(offer.id, offer.recurrence) for offer in boards.scheduled[0]] == [("daily", "0 20 * * *")]
    boards.order(offer="daily", kind="tournament", standing="retired", terms=None)
    boards.clock.advance(READ_S)
    assert boards.scheduled[0] == []


def test_terms_of_another_version_are_not_offered(boards):
    """The log names the offer; the others are offered."""
    boards.order(terms='{"seats":2}')
    with capture_logs() as logs:
        boards.clock.advance(READ_S)
    assert {log["offer"] for log in logs if log["event"] == "offer.unreadable"} == {"duel"}
    assert boards.buy_ins(0) == {"limit": 100}


def test_private_tables_follow_orders_at_all_nodes(boards):
    """Fewer, none, then those of the settings again; what cannot be read offers none. Bounds of stakes stay."""

    def offered():
        boards.clock.advance(READ_S)
        first, second = (board.private_tables for board in boards.boards)
        assert first.limits == second.limits
        return first.tables_per_account, first.seats_max

    private = {"offer": "private_tables", "kind": "private_tables"}
    assert offered() == (3, 10)
    boards.order(**private, terms='{"tables_per_account":1,"seats_max":4}')
    assert offered() == (1, 4)
    boards.order(**private, standing="retired", terms=None)
    assert offered() == (0, 10)
    boards.order(**private, terms='{"seats_max":99}')
    assert offered() == (0, 10)
    boards.order(**private, standing="settings", terms=None)
    assert offered() == (3, 10)


def test_a_ledger_that_is_away_changes_nothing(boards, run):
    """The next reading follows."""
    boards.order()
    offers, boards.ledger.offers = boards.ledger.offers, lambda: fail(LedgerUnavailable("away"))
    boards.clock.advance(READ_S)
    assert boards.buy_ins(0)["duel"] == 300
    boards.ledger.offers = offers
    boards.clock.advance(READ_S)
    assert boards.buy_ins(0)["duel"] == 500
