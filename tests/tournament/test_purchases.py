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
from tests.ledger.contract_of_chip_sales import begun, rebuy, settled
from tests.ledger.contract_of_scheduled_tournaments import NAME
from tests.poker.support import now
from tests.tournament.playing import scheduled_offer

SOLD = scheduled_offer(
    rebuys_max=2, rebuy_levels=1, rebuy_price=220, rebuy_stack=1_500, add_on_price=150, add_on_stack=1_000
)


@pytest.fixture
def sold():
    """A tournament that sells rebuys and the add-on; what sells them, the ledger, and a player."""
    ledger = MemoryLedger()
    alice, *_ = begun(now, ledger, "rebuy", "add_on", terms=msgspec.json.encode(SOLD))
    return seller(ledger, ledger.tournament), ledger, alice


def seller(ledger, found):
    """What sells chips of the tournament that `found` reads."""
    return ScheduledTournaments(
        offers=(), ledger=ledger, clock=Clock(), now_ms=lambda: 0, leads=lambda: False, found=found,
        registrations=MemoryRegistrations({}), due=lambda _: None, cancel=lambda _: None,
    )  # fmt: skip


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


def test_no_rebuy_is_bought_with_too_many_chips_by_an_old_reading():
    """L2: a hand ends, or the chips of another rebuy come, after the request has read the tournament."""
    ledger = MemoryLedger()
    terms = msgspec.json.encode(replace(SOLD, rebuy_below=700))
    alice, bob, carol, _ = begun(now, ledger, "rebuy", terms=terms)
    settled(now, ledger, "h1", {alice: -800, bob: -800, carol: 1_600})
    readings = [now(ledger.tournament(NAME))]
    old = seller(ledger, lambda _: succeed(readings[-1]))
    settled(now, ledger, "h2", {bob: 1, carol: -1})
    before = now(ledger.wallet(bob))
    with pytest.raises(StackTooLarge, match="more than 700 chips"):
        now(old.buy(bob, NAME, "rebuy", 1))
    assert now(ledger.wallet(bob)) == before
    now(old.buy(alice, NAME, "rebuy", 1))
    readings.append(now(ledger.tournament(NAME)))
    now(ledger.add_chips(NAME, 1, [rebuy(alice)]))
    with pytest.raises(StackTooLarge):
        now(old.buy(alice, NAME, "rebuy", 2))
