"""Slots for entries: one account that asks often does not keep others waiting."""

from dataclasses import replace

import msgspec
import pytest
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.task import Clock

from pokerroom.coordination.memory import MemoryRegistrations
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ops.slots import OF_OWNER_MAX, Slots, TooManyWaiting
from pokerroom.tournament.registrar import AT_ONCE, AddressRegistered
from pokerroom.tournament.scheduled import ScheduledTournaments
from tests.ledger.contract import opened
from tests.ledger.contract_of_chip_sales import selling
from tests.ledger.contract_of_scheduled_tournaments import NAME
from tests.poker.support import now
from tests.tournament.playing import scheduled_offer

GREEDY, OTHER, THIRD = 1, 2, 3


class Work:
    """What is done in slots: each piece begins when it gets one, and ends when it is told to."""

    def __init__(self):
        self.begun = []
        self._ends = []

    def __call__(self, what):
        self.begun.append(what)
        self._ends.append(Deferred())
        return self._ends[-1]

    def end_one(self, result=None):
        self._ends.pop(0).callback(result)


def test_accounts_are_served_in_turn():
    """Of one account the first request first. It delays others by one request."""
    slots, work = Slots(2), Work()
    for account in [GREEDY] * OF_OWNER_MAX + [OTHER, OTHER, THIRD]:
        slots.run(account, work, account)
    assert work.begun == [GREEDY] * 2
    for _ in range(5):
        work.end_one()
    assert work.begun == [GREEDY, GREEDY, GREEDY, OTHER, THIRD, GREEDY, OTHER]


def test_an_account_that_asks_on_while_nothing_ends_is_refused():
    """By however many connections: what waits has a bound. All that waits is begun, and then it may ask again."""
    slots, work = Slots(1), Work()
    told = [slots.run(GREEDY, work, number) for number in range(OF_OWNER_MAX + 3)]
    for one in told[-2:]:
        with pytest.raises(TooManyWaiting):
            now(one)
    other = slots.run(OTHER, work, "other")
    for _ in range(OF_OWNER_MAX + 2):
        work.end_one("entered")
    assert now(other) == "entered"
    assert [now(one) for one in told[:-2]] == ["entered"] * (OF_OWNER_MAX + 1)
    assert not slots.run(GREEDY, work, "again").called
    assert work.begun[-1] == "again"


def test_turns_that_end_at_once_are_all_given_back():
    """However many: calls in each other would exceed the stack. A failure is told."""
    slots, gate = Slots(1), Deferred()
    first = slots.run(GREEDY, lambda: gate)
    others = [slots.run(account, lambda: fail(ValueError("refused"))) for account in range(5_000)]
    last = slots.run(OTHER, lambda: succeed("entered"))
    gate.callback("begun")
    assert (now(first), now(last)) == ("begun", "entered")
    for one in others:
        with pytest.raises(ValueError, match="refused"):
            now(one)


def test_an_account_of_a_full_address_delays_no_entry_of_others():
    """A refused request reads the tournament twice; a crowd of them is not read before the entry of another account."""
    ledger, reads = MemoryLedger(), Work()
    ann, bob, greedy, other = opened(now, ledger, "ann", "bob", "greedy", "other")
    offer = scheduled_offer(seats_per_address=2)
    now(ledger.open_tournament(replace(selling(), terms=msgspec.json.encode(offer))))
    scheduled = ScheduledTournaments(
        offers=(), ledger=ledger, clock=Clock(), now_ms=lambda: 0, leads=lambda: False, found=reads,
        registrations=MemoryRegistrations({}), due=lambda _: None, cancel=lambda _: None,
    )  # fmt: skip

    def read():
        reads.end_one(now(ledger.tournament(NAME)))

    for account in (ann, bob):
        entered = scheduled.register(account, NAME, "full")
        read()
        assert now(entered).entry == 1
    refused = [scheduled.register(greedy, NAME, "full") for _ in range(OF_OWNER_MAX)]
    entered, before = scheduled.register(other, NAME, "elsewhere"), len(reads.begun)
    while not entered.called:
        read()
    assert len(reads.begun) - before <= 3 * AT_ONCE
    while not all(one.called for one in refused):
        read()
    for one in refused:
        with pytest.raises(AddressRegistered):
            now(one)
