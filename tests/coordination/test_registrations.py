"""What both stores of registrations promise, and what may be done to a book."""

from __future__ import annotations

from dataclasses import replace

import pytest
import redis as redis_library
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.defer import gatherResults

from pokerroom.coordination.api import BookLost
from pokerroom.coordination.memory import MemoryRegistrations
from pokerroom.coordination.redis.registrations import TOGETHER_MAX, RedisRegistrations
from pokerroom.coordination.registrations import (
    HOLD_MS,
    Registering,
    RegistrationBook,
    RegistrationSeat,
    SeatHold,
    TournamentEntries,
    close,
    confirm,
    from_bytes,
    hold,
    reconciled,
    release,
    to_bytes,
)
from tests.coordination.support import later

NOW = 1_700_000_000_000


def has_expired(book: RegistrationBook, now_ms: int) -> bool:
    """Whether a hold has expired without a result."""
    return any(seat.held_until_ms <= now_ms for one in book.tournaments for seat in one.held.values())


def made(run, store, book=None):
    run(store.make("six", lambda found: (book or RegistrationBook(), None)))


def holding(account, *, seats=3, now_ms=NOW):
    return lambda book: hold(book, account, seats=seats, now_ms=now_ms)


def held(number, entry=1, *, confirmed=False, opened=False):
    return SeatHold(number=number, entry=entry, confirmed=confirmed, opened=opened)


def taken(book):
    """The accounts that have a seat, by tournament."""
    return {one.number: [*one.confirmed, *one.held] for one in book.tournaments}


def filled(*accounts, book=None, seats=3):
    """With these accounts, each confirmed."""
    book = book or RegistrationBook()
    for account in accounts:
        book, answer = hold(book, account, seats=seats, now_ms=NOW)
        book, _ = confirm(book, answer.number, account, answer.entry)
    return book


# --- the stores


def test_a_book_that_is_not_there_is_lost(shared, run):
    """New or gone, that is the same: it has to be made."""
    store = shared.registrations()
    assert run(store.read("six")) is None
    with pytest.raises(BookLost):
        run(store.change("six", holding(1)))
    made(run, store)
    assert run(store.change("six", holding(1))) == held(1)
    shared.lose_data()
    with pytest.raises(BookLost):
        run(store.change("six", holding(2)))


def test_all_nodes_share_the_books(shared, run):
    """What one has changed the other reads; each offer has its own."""
    first, second = shared.registrations(), shared.registrations()
    made(run, first)
    run(first.change("six", holding(1)))
    run(second.change("six", holding(2)))
    assert taken(run(first.read("six"))) == {1: [1, 2]}
    assert run(second.read("ten")) is None


def test_the_permits_of_an_address_are_for_so_many_accounts(shared, run):
    """Of both nodes together; an account has one, with its last time. Each tournament has its own, and each address."""
    first, second = shared.registrations(), shared.registrations()

    def took(store, account, at_ms, tournament="sun.1", address="here"):
        return run(store.take_permit(tournament, address, account, permits=2, now_ms=at_ms, kept_s=60))

    assert took(first, 1, 10) == {1: 10}
    assert took(second, 2, 20) == {1: 10, 2: 20}
    assert took(first, 3, 30) == {1: 10, 2: 20}
    assert took(second, 1, 40) == {1: 40, 2: 20}
    assert took(first, 3, 50, tournament="sun.2") == took(first, 3, 50, address="there") == {3: 50}
    run(first.free_permits("sun.1", "here", {1: 10, 2: 20, 9: 9}))  # 1 has taken its permit again since
    assert took(second, 3, 60) == {1: 40, 3: 60}
    shared.lose_data()
    assert took(first, 4, 70) == {4: 70}


@pytest.mark.services
def test_the_permits_of_an_address_are_forgotten(redis, run):
    """So that the tournaments of years leave nothing."""
    run(RedisRegistrations(redis).take_permit("sun.1", "here", 1, permits=2, now_ms=NOW, kept_s=60))
    (key,) = run(later(redis.keys))
    assert 0 < run(later(lambda: redis.ttl(key))) <= 60


@pytest.mark.services
def test_a_crowd_at_the_door_changes_the_book_together(redis, run):
    """Hundreds at once need few round trips, each gets an answer, and a refusal does not affect the others."""
    store = RedisRegistrations(redis)
    made(run, store)

    def refused(_):
        raise LookupError("not this one")

    run(later(redis.config_resetstat))
    asked = [store.change("six", holding(account, seats=10)) for account in range(100)]
    wrong = store.change("six", refused)
    asked += [store.change("six", holding(account, seats=10)) for account in range(100, 200)]
    answers = run(gatherResults(asked))
    with pytest.raises(LookupError, match="not this one"):
        run(wrong)
    assert sorted(answer.number for answer in answers) == [n // 10 + 1 for n in range(200)]
    calls = run(later(lambda: redis.info("commandstats")))["cmdstat_eval"]["calls"]
    assert calls <= 200 // TOGETHER_MAX + 2


def test_of_many_who_come_at_once_each_has_a_seat_and_none_is_sold_twice(shared, run):
    """Through two nodes: tournaments fill one after the other, each account once."""
    stores = shared.registrations(), shared.registrations()
    made(run, stores[0])
    asked = [store.change("six", holding(account)) for account in range(20) for store in stores]
    answers = run(gatherResults(asked))
    assert answers[::2] == answers[1::2], "both nodes were told the same seat"
    book = run(stores[0].read("six"))
    assert [len(accounts) for accounts in taken(book).values()] == [3] * 6 + [2]
    assert sorted(account for accounts in taken(book).values() for account in accounts) == list(range(20))


def test_what_cannot_be_decided_changes_nothing(shared, run):
    """The error is the caller's, and the store works on."""
    store = shared.registrations()
    made(run, store, filled(1))

    def broken(book):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        run(store.change("six", broken))
    assert taken(run(store.read("six"))) == {1: [1]}
    assert run(store.change("six", holding(2))) == held(1, opened=True)


@pytest.mark.services
def test_a_change_beside_another_is_decided_again(redis, services, run):
    """Another node was faster: the decision is made again with its book."""
    store = RedisRegistrations(redis)
    made(run, store)
    seen = []

    def decide(book):
        seen.append(taken(book))
        if len(seen) == 1:
            with redis_library.Redis.from_url(services.redis_url) as other:
                other.set("{sng:six}:registrations", to_bytes(filled(7)))
        return hold(book, 8, seats=3, now_ms=NOW)

    assert run(store.change("six", decide)) == held(1, opened=True)
    assert seen == [{}, {1: [7]}]
    assert taken(run(store.read("six"))) == {1: [7, 8]}


@pytest.mark.services
@pytest.mark.parametrize("away", ["gone", "silent"])
def test_a_store_that_is_away_is_told_within_a_second(server, way, client, run, away):
    """All calls fail as errors that do not need redis-py to be known, and work again afterwards."""
    store = RedisRegistrations(client(way.url))
    made(run, store)
    if away == "gone":
        server.kill()
    else:
        way.requests = lambda _: False
    asked = [store.change("six", holding(1)), store.change("six", holding(2)), store.read("six")]
    for one in asked:
        with pytest.raises(ConnectionError if away == "gone" else TimeoutError):
            run(one)
    way.requests = lambda _: True
    if away == "gone":
        server.start()
    assert run(store.change("six", holding(1))) == held(1)


@pytest.mark.services
def test_a_change_whose_answer_is_lost_is_made_once(server, way, client, run):
    """Tried again it finds itself done: the account has the seat that it was given, and no other."""
    store, lost = RedisRegistrations(client(way.url)), []
    made(run, store)

    def passes(data):
        if data != b":1\r\n" or lost:  # the answer of the script that has set the book
            return True
        lost.append(data)
        return False

    way.replies = passes
    assert run(store.change("six", holding(1))) == held(1)
    assert lost
    assert taken(run(store.read("six"))) == {1: [1]}


def test_a_node_of_the_memory_store_can_be_away(run):
    """It alone fails, and nothing that it wishes is done."""
    books = {}
    here, there = MemoryRegistrations(books), MemoryRegistrations(books)
    made(run, there)
    here.away = True
    for ask in (lambda: here.change("six", holding(1)), lambda: here.read("six")):
        with pytest.raises(ConnectionError):
            run(ask())
    assert taken(run(there.read("six"))) == {}


# --- the book


def test_when_one_is_full_the_next_opens():
    """Numbers go up; a seat that is free again is taken before a new tournament opens."""
    book = filled(1, 2, 3, 4)
    assert taken(book) == {1: [1, 2, 3], 2: [4]}
    book, _ = release(book, 1, 2, 1)
    book, answer = hold(book, 5, seats=3, now_ms=NOW)
    assert answer == held(1, opened=True)
    book, answer = hold(book, 6, seats=3, now_ms=NOW)
    assert answer == held(2, opened=True)


def test_an_account_has_one_seat_at_a_time():
    """Asked again it is told the same one, and whether it is paid for; after the start it may enter the next."""
    book, first = hold(RegistrationBook(), 1, seats=2, now_ms=NOW)
    assert hold(book, 1, seats=2, now_ms=NOW)[1] == first == held(1)
    book, full = confirm(book, 1, 1, 1)
    assert not full
    assert hold(book, 1, seats=2, now_ms=NOW)[1] == held(1, confirmed=True, opened=True)
    book = filled(2, book=book, seats=2)
    book, _ = close(book, 1)
    assert hold(book, 1, seats=2, now_ms=NOW)[1] == held(2)


def test_an_address_has_few_seats_of_one_tournament():
    """So that no one plays a tournament with himself; a further account takes part in another one, or later."""

    def asked(book, account, address, seats_per_address=2):
        return hold(book, account, seats=4, now_ms=NOW, address=address, seats_per_address=seats_per_address)

    book, first = asked(RegistrationBook(), 1, "here")
    book, _ = confirm(book, 1, 1, 1)
    book, _ = asked(book, 2, "here")
    assert asked(book, 3, "here") == (book, None)
    assert asked(book, 1, "here")[1] == replace(first, confirmed=True, opened=True)  # its own seat
    for address, seats_per_address in (("there", 2), ("", 2), ("here", 0), ("here", 3)):
        assert asked(book, 3, address, seats_per_address)[1] == replace(first, opened=True)

    entered = TournamentEntries(number=1, seats=4, entries={1: 1, 2: 1}, used={1: 1, 2: 1})
    book = reconciled(book, [entered], last_number=1, now_ms=NOW)
    assert asked(book, 3, "here") == (book, None)  # a look at the ledger forgets no address
    book, _ = release(book, 1, 2, 1)
    assert asked(book, 3, "here")[1] == replace(first, opened=True)

    book = filled(5, 6, 7, book=book, seats=4)
    assert asked(book, 3, "here")[1] == held(2)  # the first one is full


def test_it_is_full_when_all_are_confirmed():
    """A hold is no entry."""
    book = filled(1, 2)
    book, _ = hold(book, 3, seats=3, now_ms=NOW)
    assert not book.numbered(1).full
    book, full = confirm(book, 1, 3, 1)
    assert full
    assert confirm(book, 1, 3, 1) == (book, True)


def test_each_entry_of_an_account_has_its_number():
    """A returning account gets the next number; a late release or confirmation does not affect its present seat."""
    book, _ = hold(RegistrationBook(), 1, seats=3, now_ms=NOW)
    book, _ = release(book, 1, 1, 1)
    book, answer = hold(book, 1, seats=3, now_ms=NOW)
    assert answer.entry == 2
    assert release(book, 1, 1, 1) == (book, None)
    assert confirm(book, 1, 1, 1) == (book, False)
    assert release(book, 9, 1, 2) == (book, None)


def test_a_seat_whose_hold_has_expired_counts_for_its_address():
    """The ledger was slow, and another request has removed the hold; the entry is confirmed all the same."""
    book, _ = hold(RegistrationBook(), 1, seats=4, now_ms=NOW, address="here", seats_per_address=1)
    late = NOW + HOLD_MS + 1
    book, _ = hold(book, 2, seats=4, now_ms=late, address="there", seats_per_address=1)
    entered = TournamentEntries(number=1, seats=4, entries={1: 1}, used={1: 1})
    for found in (book, reconciled(book, [entered], last_number=1, now_ms=late)):
        confirmed, _ = confirm(found, 1, 1, 1, "here")
        refused = hold(confirmed, 3, seats=4, now_ms=late, address="here", seats_per_address=1)
        assert refused == (confirmed, None)


def test_a_hold_ends_by_itself():
    """Its seat goes to another account; a renewed or confirmed hold does not expire."""
    book, _ = hold(RegistrationBook(), 1, seats=1, now_ms=NOW)
    late = NOW + HOLD_MS
    assert (has_expired(book, late - 1), has_expired(book, late)) == (False, True)
    assert hold(book, 2, seats=1, now_ms=late - 1)[1] == held(2)
    assert hold(book, 2, seats=1, now_ms=late)[1] == held(1)
    renewed, _ = hold(book, 1, seats=1, now_ms=NOW + 5)
    assert not has_expired(renewed, late)
    assert not has_expired(confirm(book, 1, 1, 1)[0], late)


def test_an_entry_that_was_booked_counts_after_its_hold():
    """It is in the ledger, whatever the book has thought meanwhile."""
    book, _ = hold(RegistrationBook(), 1, seats=2, now_ms=NOW)
    book, _ = hold(book, 2, seats=2, now_ms=NOW + HOLD_MS)
    book, _ = confirm(book, 1, 1, 1)
    assert taken(book) == {1: [1, 2]}


def entered(number, entries, *, used=None, seats=3):
    return TournamentEntries(number=number, seats=seats, entries=entries, used={**entries, **(used or {})})


def test_a_lost_book_is_made_from_the_ledger():
    """Seats, numbers of entries, and the number of the next tournament."""
    truth = [entered(4, {1: 2, 2: 1}, used={3: 5}), entered(3, {5: 1, 6: 1, 7: 1})]
    book = reconciled(None, truth, last_number=6, now_ms=NOW)
    assert taken(book) == {3: [5, 6, 7], 4: [1, 2]}
    assert book.numbered(3).full
    assert book.next == 7
    book, answer = hold(book, 3, seats=3, now_ms=NOW)
    assert answer == held(4, entry=6, opened=True)


def test_a_book_that_differs_is_put_right():
    """What the ledger cannot know yet stays; what it knows better goes."""
    book = filled(1, 2, 3, 4)
    book, _ = hold(book, 5, seats=3, now_ms=NOW)  # on its way in 2
    book, _ = hold(book, 6, seats=3, now_ms=NOW)
    book, answer = hold(book, 7, seats=3, now_ms=NOW)  # 3 is not opened yet
    assert answer.number == 3
    truth = [entered(2, {4: 1, 8: 1}, used={6: 1})]  # 1 has started; 6 has left again; 8 came unseen
    after = reconciled(book, truth, last_number=2, now_ms=NOW)
    assert taken(after) == {2: [4, 8, 5], 3: [7]}
    assert after.next == 4
    assert reconciled(after, truth, last_number=2, now_ms=NOW) == after
    assert taken(reconciled(after, truth, last_number=2, now_ms=NOW + HOLD_MS)) == {2: [4, 8]}


def test_a_hold_gives_way_to_an_entry():
    """If the ledger has filled the seats, holds are dropped."""
    book, _ = hold(filled(1, 2), 3, seats=3, now_ms=NOW)
    after = reconciled(book, [entered(1, {1: 1, 2: 1, 9: 1})], last_number=1, now_ms=NOW)
    assert taken(after) == {1: [1, 2, 9]}


def is_there(book, account, answer):
    """Whether the seat was neither given back nor held for too long; where it was, `reconciled` finds it."""
    found = book.of(account)
    return found is not None and (found[0].number, found[1].entry) == (answer.number, answer.entry)


@given(
    st.lists(
        st.tuples(st.sampled_from(["hold", "confirm", "release"]), st.integers(0, 7), st.integers(0, 4_000)),
        max_size=60,
    )
)
def test_whatever_happens_no_seat_is_sold_twice(steps):
    """At most as many confirmed seats as there are, no account twice, and numbers that only go up."""
    book, now_ms, last = RegistrationBook(), NOW, {}
    for what, account, later_ms in steps:
        now_ms += later_ms
        if what == "hold":
            book, answer = hold(book, account, seats=3, now_ms=now_ms)
            last[account] = answer
        elif account in last and not has_expired(book, now_ms) and is_there(book, account, last[account]):
            change = confirm if what == "confirm" else release
            book, _ = change(book, last[account].number, account, last[account].entry)
        accounts = [account for seats in taken(book).values() for account in seats]
        assert len(accounts) == len(set(accounts))
        assert all(one.taken <= one.seats for one in book.tournaments)
        assert all(one.number < book.next for one in book.tournaments)
        assert from_bytes(to_bytes(book)) == book


def test_a_book_is_stored_as_it_is():
    """Also one with seats of all kinds."""
    one = Registering(
        number=3,
        seats=2,
        opened=True,
        confirmed={1: RegistrationSeat(account=1, entry=2, held_until_ms=None)},
        held={2: RegistrationSeat(account=2, entry=1, held_until_ms=NOW, address="here")},
        used={1: 2, 2: 1, 9: 4},
    )
    book = replace(RegistrationBook(), next=4, tournaments=(one,))
    assert from_bytes(to_bytes(book)) == book
