"""Rebuys and add-ons as clients ask for them: a request that is repeated pays once."""

from dataclasses import replace

import msgspec
import pytest
from twisted.internet.defer import succeed
from twisted.internet.task import Clock

from pokerroom.coordination.memory import MemoryRegistrations
from pokerroom.ledger.chip_sales import SaleClosed, StackTooLarge
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.tournament.scheduled import ScheduledTournaments
from tests.ledger.contract_of_chip_sales import begun, rebuy
from tests.ledger.contract_of_scheduled_tournaments import NAME
from tests.poker.support import now
from tests.tournament.playing import scheduled_offer

SOLD = scheduled_offer(
    rebuys_max=2, rebuy_levels=1, rebuy_price=220, rebuy_stack=1_500, add_on_price=150, add_on_stack=1_000
)


@pytest.fixture
def terms():
    """The terms of the tournament, the last of which hold."""
    return [SOLD]


@pytest.fixture
def sold(terms):
    """A tournament that sells rebuys and the add-on; what sells them, the ledger, and a player."""
    ledger = MemoryLedger()
    alice, *_ = begun(now, ledger, "rebuy", "add_on")

    def found(name):
        """The tournament with terms that can be read."""
        row = now(ledger.tournament(name))
        return succeed(replace(row, opening=replace(row.opening, terms=msgspec.json.encode(terms[-1]))))

    scheduled = ScheduledTournaments(
        offers=(), ledger=ledger, clock=Clock(), now_ms=lambda: 0, leads=lambda: False, found=found,
        registrations=MemoryRegistrations({}), due=lambda _: None, cancel=lambda _: None,
    )  # fmt: skip
    return scheduled, ledger, alice


def test_a_rebuy_that_is_asked_for_again_is_paid_once(sold):
    """Also after its chips have come: the request names its number. The next number is the next rebuy."""
    scheduled, ledger, alice = sold
    first = now(scheduled.buy(alice, NAME, "rebuy", 1))
    paid = now(ledger.wallet(alice))
    assert now(scheduled.buy(alice, NAME, "rebuy", 1)) == first
    now(ledger.add_chips(NAME, 1, [rebuy(alice)]))
    assert now(scheduled.buy(alice, NAME, "rebuy", 1)) == first
    assert now(ledger.wallet(alice)) == paid
    assert first.number == 1


def test_an_add_on_that_is_asked_for_again_is_paid_once(sold):
    """There is one for each player."""
    scheduled, ledger, alice = sold
    first = now(scheduled.buy(alice, NAME, "add_on", 1))
    paid = now(ledger.wallet(alice))
    assert now(scheduled.buy(alice, NAME, "add_on", 1)) == first
    assert now(ledger.wallet(alice)) == paid


def test_no_number_is_left_out(sold):
    """A client that counts wrongly buys nothing."""
    scheduled, ledger, alice = sold
    before = now(ledger.wallet(alice))
    with pytest.raises(SaleClosed, match="the next rebuy of account 1"):
        now(scheduled.buy(alice, NAME, "rebuy", 2))
    assert now(ledger.wallet(alice)) == before


def test_a_rebuy_is_for_few_chips_by_the_terms(sold, terms):
    """L2: a player with more is refused and pays nothing; what is bought already is answered again all the same."""
    scheduled, ledger, alice = sold
    before = now(ledger.wallet(alice))
    terms.append(replace(SOLD, rebuy_below=1_499))
    with pytest.raises(StackTooLarge, match="more than 1499 chips"):
        now(scheduled.buy(alice, NAME, "rebuy", 1))
    assert now(ledger.wallet(alice)) == before
    terms.append(replace(SOLD, rebuy_below=1_500))
    bought = now(scheduled.buy(alice, NAME, "rebuy", 1))
    now(ledger.add_chips(NAME, 1, [rebuy(alice)]))
    terms.append(replace(SOLD, rebuy_below=0))
    assert now(scheduled.buy(alice, NAME, "rebuy", 1)) == bought
    assert now(scheduled.buy(alice, NAME, "add_on", 1)).number == 1
