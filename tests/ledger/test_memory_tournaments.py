"""`pokerroom.ledger.memory.tournaments`: both contracts, and that its audit finds what its rules would not allow."""

import pytest
from twisted.internet.task import Clock

from pokerroom.chips import Money
from pokerroom.ledger.memory.ledger import MemoryLedger
from tests.ledger.contract import AddsUp
from tests.ledger.contract_of_bounties import Bounties
from tests.ledger.contract_of_chip_sales import ChipSales
from tests.ledger.contract_of_day_reports import TournamentDayReports
from tests.ledger.contract_of_deals import Deals
from tests.ledger.contract_of_leagues import LeagueContract
from tests.ledger.contract_of_scheduled_tournaments import ScheduledTournamentContract
from tests.ledger.contract_of_tickets import Tickets
from tests.ledger.contract_of_tournament_hands import TournamentHands
from tests.ledger.contract_of_tournament_tables import TournamentTables
from tests.ledger.contract_of_tournaments import Tournaments, finished, given
from tests.ledger.tampering import Inside


class TestMemoryTournaments(
    Bounties,
    ChipSales,
    Deals,
    TournamentDayReports,
    LeagueContract,
    ScheduledTournamentContract,
    Tickets,
    TournamentHands,
    TournamentTables,
    Tournaments,
    AddsUp,
):
    """The contract for sit-and-gos, in memory."""

    @pytest.fixture
    def clock(self):
        return Clock()

    @pytest.fixture
    def ledger(self, clock):
        return MemoryLedger(clock.seconds)

    @pytest.fixture
    def later(self, clock):
        return clock.advance


def chips(inside, account, chips):
    inside.tournaments["six.1"].entries[account - 1].chips = chips


def give(inside, number, place):
    inside.tournaments["six.1"].places[number] = place


@pytest.mark.parametrize(
    ("tamper", "sentence"),
    [
        (
            lambda m: m.tournaments["six.1"].paid.discard(1),
            "escrow:six.1 holds 0, of a tournament that owes 500",
        ),
        (lambda m: m.tournaments["six.1"].places.pop(3), "tournament six.1 has ended with 2 of 3 places"),
        (
            lambda m: give(m, 1, given(1, 1, Money(501))),
            "tournament six.1 has ended with 3 of 3 places and prizes",
        ),
        (
            lambda m: give(m, 3, given(3, 1, Money(0))),
            "account 1 has more than one place in tournament six.1",
        ),
        (lambda m: m.transfers.pop("sng:six.1:place:2"), "there is no transfer sng:six.1:place:2"),
        (lambda m: m.transfers.pop("sng:six.1:entry:2:1"), "there is no transfer sng:six.1:entry:2:1"),
        (lambda m: m.tournaments["six.1"].paid.discard(2), "transfer sng:six.1:place:2 belongs to no entry"),
        (
            lambda m: m.transfers.pop("sng:six.1:start"),
            "fees holds 0, the tournaments that were played say 180",
        ),
        (lambda m: chips(m, 1, 1_501), "the chips of tournament six.1 are 4501, not 4500"),
    ],
)
def test_the_audit_names_what_was_tampered_with(run, tamper, sentence):
    """Whatever is changed behind the ledger's back is a difference with its ids."""
    ledger = MemoryLedger()
    finished(run, ledger)
    for number in (1, 2):
        run(ledger.pay_place("six.1", number))
    assert run(ledger.audit()).differences == ()
    tamper(Inside(ledger))
    assert any(found.startswith(sentence) for found in run(ledger.audit()).differences)


def test_a_prize_that_no_account_pays_is_a_difference_after_a_minute(run):
    """Until then a payout may be under way."""
    clock = Clock()
    ledger = MemoryLedger(clock.seconds)
    finished(run, ledger)
    run(ledger.pay_place("six.1", 2))
    clock.advance(60)
    assert run(ledger.audit()).differences == ()
    clock.advance(1)
    assert run(ledger.audit()).differences == (
        "place 1 of tournament six.1 is not paid, and it ended more than a minute ago",
    )
