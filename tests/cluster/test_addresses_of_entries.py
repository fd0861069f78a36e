"""How many accounts of one address enter a tournament with a start, at two nodes."""

import pytest
from twisted.internet.defer import Deferred, fail, succeed

from pokerroom.chips import Money
from pokerroom.ledger.api import InsufficientBalance
from pokerroom.ledger.tournaments import AlreadyEntered, RegistrationClosed
from pokerroom.tournament.address_permits import HOLD_MS
from pokerroom.tournament.registrar import AddressRegistered
from tests.cluster.rooms import rooms as made_rooms
from tests.cluster.test_scheduled_tournaments import (
    NAME,
    START_S,
    asked,
    finished,
    paid,
    play,
    refused,
    row,
    text,
)
from tests.poker.support import now


@pytest.fixture
def rooms():
    yield from made_rooms()


def nodes(rooms, permits, **terms):
    """Two nodes with an offer that lets so many of an address in."""
    limit = text(**terms).replace('id = "sun"', f'id = "sun"\nseats_per_address = {permits}')
    made = [rooms.start(name, limit) for name in "ab"]
    rooms.pass_s(5)
    return [node.room.scheduled for node in made]


def clients(rooms, count):
    return [rooms.client(f"c{number}").account for number in range(count)]


def test_an_address_has_so_many_entries_at_all_nodes(rooms):
    """One more is refused and pays nothing. Addresses that do not count, and others, are let in."""
    one, two = nodes(rooms, 2)
    ann, bob, cid, dan, eve = clients(rooms, 5)
    asked(rooms, one.register(ann, NAME, "here"))
    asked(rooms, two.register(bob, NAME, "here"))
    wallet = now(rooms.ledger.wallet(cid))
    for node in (one, two):
        refused(rooms, node.register(cid, NAME, "here"), AddressRegistered)
    assert now(rooms.ledger.wallet(cid)) == wallet
    asked(rooms, one.register(cid, NAME, "there"))
    asked(rooms, two.register(dan, NAME))
    refused(rooms, one.register(eve, NAME, "here"), AddressRegistered)
    assert set(row(rooms).players) == {ann, bob, cid, dan}


def test_of_many_at_once_no_more_come_in(rooms):
    """The requests of two nodes are decided one after the other."""
    both = nodes(rooms, 2)
    asking = [both[at % 2].register(account, NAME, "here") for at, account in enumerate(clients(rooms, 8))]
    failures = []
    for one in asking:
        one.addErrback(failures.append)
    rooms.pass_s(2)
    assert len(row(rooms).players) == 2
    assert [failure.type for failure in failures] == [AddressRegistered] * 6


def test_any_number_may_come_in_with_0(rooms):
    """As the settings say."""
    one, _ = nodes(rooms, 0)
    for account in clients(rooms, 4):
        asked(rooms, one.register(account, NAME, "here"))


def test_an_entry_that_is_returned_or_refused_leaves_its_permit(rooms):
    """A refused one at once; a returned one when the permit is wanted, once no entry can be on its way."""
    one, two = nodes(rooms, 1)
    ann, bob, cid = clients(rooms, 3)
    poor = now(rooms.ledger.create_account("poor", "x", Money(1))).account
    refused(rooms, two.register(poor, NAME, "here"), InsufficientBalance)
    asked(rooms, one.register(ann, NAME, "here"))
    refused(rooms, two.register(ann, NAME, "here"), AlreadyEntered)
    refused(rooms, two.register(bob, NAME, "here"), AddressRegistered)
    rooms.pass_s(HOLD_MS / 1000)
    refused(rooms, two.register(bob, NAME, "here"), AddressRegistered)
    asked(rooms, two.unregister(ann, NAME))
    asked(rooms, two.register(bob, NAME, "here"))
    asked(rooms, one.unregister(bob, NAME))
    refused(rooms, one.register(cid, NAME, "here"), AddressRegistered)
    rooms.pass_s(HOLD_MS / 1000)
    asked(rooms, one.register(cid, NAME, "here"))
    rooms.pass_s(HOLD_MS / 1000)
    refused(rooms, one.register(ann, NAME, "here"), AddressRegistered)


def test_entries_that_redis_has_lost_count_no_more(rooms):
    """The ledger knows no address. Of a store that is away nothing is booked."""
    one, _ = nodes(rooms, 1)
    ann, bob, cid = clients(rooms, 3)
    asked(rooms, one.register(ann, NAME, "here"))
    rooms.permits.clear()
    asked(rooms, one.register(bob, NAME, "here"))
    rooms.nodes[0].registrations.away = True
    refused(rooms, one.register(cid, NAME, "there"), ConnectionError)
    assert set(row(rooms).players) == {ann, bob}
    asked(rooms, one.unregister(ann, NAME))


def test_a_late_request_to_unregister_frees_no_permit(rooms):
    """It has read of an entry that was returned since; the account has another one now."""
    one, two = nodes(rooms, 1)
    ann, bob = clients(rooms, 2)
    asked(rooms, one.register(ann, NAME, "here"))
    before, its_ledger = row(rooms), rooms.nodes[1].ledger
    asked(rooms, one.unregister(ann, NAME))
    asked(rooms, one.register(ann, NAME, "here"))
    its_ledger.tournament = lambda _: succeed(before)
    asked(rooms, two.unregister(ann, NAME))
    del its_ledger.tournament
    refused(rooms, one.register(bob, NAME, "here"), AddressRegistered)


def test_a_refused_request_frees_no_permit_of_another_one(rooms):
    """Of two requests of one account the later one is refused while the ledger has not answered the earlier one."""
    one, two = nodes(rooms, 1)
    ann, bob = clients(rooms, 2)
    gate, enter = Deferred(), rooms.ledger.enter
    rooms.nodes[0].ledger.enter = lambda *entry: gate.addCallback(lambda _: enter(*entry))
    rooms.nodes[1].ledger.enter = lambda *_: fail(InsufficientBalance("poor"))
    first = one.register(ann, NAME, "here")
    rooms.pass_s(1)
    refused(rooms, two.register(ann, NAME, "here"), InsufficientBalance)
    gate.callback(None)
    asked(rooms, first)
    del rooms.nodes[0].ledger.enter
    assert row(rooms).players == (ann,)
    refused(rooms, one.register(bob, NAME, "here"), AddressRegistered)


def test_a_request_to_unregister_takes_no_permit_elsewhere(rooms):
    """It is refused after the start; who asks from an address that others share does not keep them out."""
    one, two = nodes(rooms, 1, late=3, entries=2)
    players = [rooms.client(f"p{number}") for number in range(4)]
    *first, late = [player.account for player in players]
    for at, account in enumerate(first):
        asked(rooms, one.register(account, NAME, f"home {at}"))
    rooms.pass_s(START_S - rooms.clock.seconds())
    rooms.until(lambda: row(rooms).phase == "running", 5)
    refused(rooms, two.unregister(first[0], NAME), RegistrationClosed)
    assert not [address for _, address in rooms.permits if not address.startswith("home")]
    asked(rooms, two.register(late, NAME, "cafe"))


def test_late_entries_count_and_a_re_entry_does_not_count_twice(rooms):
    """Also one from another address with all permits taken."""
    one, two = nodes(rooms, 1, late=3, entries=2)
    players = [rooms.client(f"p{number}") for number in range(4)]
    homes = {player.account: f"home {number}" for number, player in enumerate(players)}
    *first, late = homes
    for account in first:
        asked(rooms, one.register(account, NAME, homes[account]))
    rooms.pass_s(START_S - rooms.clock.seconds())
    rooms.until(lambda: row(rooms).phase == "running", 5)
    refused(rooms, two.register(late, NAME, homes[first[0]]), AddressRegistered)
    asked(rooms, two.register(late, NAME, homes[late]))

    def is_out():
        return any(entry.chips == 0 for entry in row(rooms).entries)

    play(rooms, rooms.nodes[0], players, is_out, shoves=lambda player: player in players[:2])
    (out, *_) = [entry.account for entry in row(rooms).entries if entry.chips == 0]
    asked(rooms, two.register(out, NAME, next(home for account, home in homes.items() if account != out)))
    assert row(rooms).bought == 5
    play(rooms, rooms.nodes[0], players, finished(rooms))
    paid(rooms)
