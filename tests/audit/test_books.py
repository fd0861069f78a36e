"""The books of rooms that were played, in PostgreSQL: followed from the first transfer, or from a later one."""

import asyncio
from contextlib import contextmanager
from functools import partial

import psycopg
import pytest

from pokerroom.adapters import opened_ledger
from pokerroom.audit import workers
from pokerroom.audit.books import follow
from pokerroom.audit.room import audited
from pokerroom.audit.since import Since
from pokerroom.chips import Money
from pokerroom.rules.tournament.prize_table import PayoutTerms
from pokerroom.simulation.checks import tournaments
from pokerroom.simulation.faults import Fault
from tests.audit import rooms
from tests.databases import copied_database

pytestmark = pytest.mark.services

LARGE = ("mtt", 2, 30)
"""It takes as long as all others; `make soak` has it."""
ROOMS = (
    ("holdem", 6, 12),
    ("omaha", 7, 8),
    ("sit_and_go", 9, 10),
    LARGE,
    ("mtt", 1, 8),
    ("ultimate", 8, 6),
)


one_room = pytest.mark.parametrize("played", ROOMS[:1], ids=["holdem-6"], indirect=True, scope="module")
"""For a test of what no game changes."""


@pytest.fixture(
    scope="module",
    params=[pytest.param(room, marks=pytest.mark.slow) if room == LARGE else room for room in ROOMS],
    ids=[f"{game}-{seed}" for game, seed, _ in ROOMS],
)
def played(request, services, ledger_template):
    """The address of a room that was played with crashes and faults of ledger and journal."""
    calls = rooms.calls_of(*request.param, frozenset([Fault.CRASH, Fault.LEDGER]))
    with written("test_books", services, ledger_template, calls) as url:
        yield url


@contextmanager
def written(name, services, ledger_template, calls):
    """The address of a database in which the calls were made."""
    with copied_database(services, ledger_template, name) as (_, url):

        async def work():
            async with opened_ledger(url) as ledger:
                await rooms.write(ledger, calls)
                await rooms.at_the_cashier(ledger)
                await rooms.at_the_club(ledger)
                await rooms.at_a_private_table(ledger)
                await rooms.at_private_sit_and_gos(ledger)
                await rooms.at_the_wallet(ledger)

        asyncio.run(work())
        yield url


def on(url, work):
    async def opened():
        async with opened_ledger(url) as ledger:
            return await work(ledger)

    return asyncio.run(opened())


def test_a_room_that_was_played_has_no_difference(played):
    """Every hand and round is played again, and every transfer is allowed."""
    found = on(played, lambda ledger: audited(ledger, None, {}, rooms.KEYS))
    assert found.differences == ()
    assert found.books.followed == found.ledger.transfers
    assert found.books.hands == found.ledger.hands
    assert found.books.hands + found.books.rounds > 0
    assert found.books.not_played == {}


def test_an_audit_can_begin_anywhere(played):
    """Stays, tournaments and meters go on from there."""

    async def work(ledger):
        async with ledger.books() as books:
            return [
                (await follow(books, rooms.KEYS, after=after)).differences
                for after in range(0, books.last, max(1, books.last // 8))
            ]

    assert set(on(played, work)) == {()}


@one_room
def test_processes_find_what_one_finds(played, monkeypatch):
    """They see the snapshot of the first, and what they find is followed in order."""
    monkeypatch.setattr(workers, "RUN", 20)
    others = workers.Workers(jobs=2, open_ledger=partial(opened_ledger, played), keys=rooms.KEYS)

    async def work(ledger):
        async with ledger.books() as books:
            with psycopg.connect(played, autocommit=True) as connection:
                connection.execute("SET session_replication_role = replica")
                connection.execute("INSERT INTO transfers (key, kind) VALUES ('late', 'place')")
            async with others.at_work(await books.snapshot()) as team:
                verifying = team.verify_chain(0)
                together = await follow(books, rooms.KEYS, examine_all=team.examine_all)
                assert (await verifying).differences == ()
            return together, await follow(books, rooms.KEYS)

    together, alone = on(played, work)
    with psycopg.connect(played, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("DELETE FROM transfers WHERE key = 'late'")
    assert together == alone
    assert together.differences == ()
    assert together.hands > 0


@one_room  # it has tables that take a rake
def test_terms_of_the_rake_that_were_removed_are_missed(played):
    """Older records lack them: none after the first that has them, and none since the upgrade of the database."""

    async def work(ledger):
        async with ledger.books() as books:
            since_upgrade = (await follow(books, rooms.KEYS)).differences
            books.rake_terms_since_ms += 10**12  # all of it is of an earlier build
            return [
                sum("the terms of its rake were removed" in each for each in differences)
                for differences in (since_upgrade, (await follow(books, rooms.KEYS)).differences)
            ]

    back = "UPDATE hands SET record = kept.record FROM kept WHERE kept.transfer = hands.transfer"

    with psycopg.connect(played) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(
            "CREATE TABLE kept AS SELECT transfer, record FROM hands WHERE record ? 'rake_terms'"
            " ORDER BY transfer"
        )
        connection.execute(
            "UPDATE hands SET record = hands.record - 'rake_terms' FROM kept WHERE kept.transfer = hands.transfer"
        )
        (raked,) = connection.execute(
            "SELECT count(*) FROM hands JOIN kept USING (transfer) WHERE rake > 0"
        ).fetchone()
        assert raked > 1
    try:
        assert on(played, work) == [raked, 0]
        with psycopg.connect(played) as connection:
            connection.execute("SET session_replication_role = replica")
            connection.execute(f"{back} AND kept.transfer = (SELECT min(transfer) FROM kept)")
        assert on(played, work)[1] >= raked - 1
    finally:
        with psycopg.connect(played) as connection:
            connection.execute("SET session_replication_role = replica")
            connection.execute(back)
            connection.execute("DROP TABLE kept")


@one_room
def test_a_time_without_end_is_a_difference_and_ends_no_audit(played):
    """PostgreSQL has such times, and numbers have not."""
    with psycopg.connect(played) as connection:
        connection.execute("SET session_replication_role = replica")
        number, created = connection.execute(
            "SELECT id, created FROM transfers ORDER BY id OFFSET 5 LIMIT 1"
        ).fetchone()
        connection.execute("UPDATE transfers SET created = 'infinity' WHERE id = %s", [number])
    try:
        found = on(played, lambda ledger: audited(ledger, None, {}, rooms.KEYS))
    finally:
        with psycopg.connect(played) as connection:
            connection.execute("SET session_replication_role = replica")
            connection.execute("UPDATE transfers SET created = %s WHERE id = %s", [created, number])
    assert any(f"was created long before transfer {number}," in each for each in found.differences)


@one_room
def test_an_audit_since_a_time_follows_what_was_created_then(played):
    """Nothing, if that is in the future."""

    async def work(ledger, since):
        return (await audited(ledger, None, {}, rooms.KEYS, since=Since.read(since))).books

    assert on(played, lambda ledger: work(ledger, "2999-01-01")).followed == 0
    assert on(played, lambda ledger: work(ledger, "2001-01-01")).followed > 0


@pytest.mark.parametrize("text", ["", "-1", "yesterday", "1.5"])
def test_what_is_no_number_and_no_time_is_refused(text):
    """With an example of both."""
    with pytest.raises(ValueError, match="write the number of a transfer, or a time"):
        Since.read(text)


@one_room
def test_an_audit_since_a_transfer_begins_a_minute_earlier(played):
    """A transfer with a lower number may have been committed after the last audit. The room is changed: it is last."""
    with psycopg.connect(played, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(
            "UPDATE transfers SET created = latest - CASE WHEN id <= 40 THEN interval '2 minutes' ELSE interval '0' END"
            " FROM (SELECT max(created) AS latest FROM transfers) AS all_of_them"
        )

    async def work(ledger):
        async with ledger.books() as books:
            begun = [await books.minute_before(number) for number in (0, 40, 41, books.last)]
        return (
            begun,
            (await audited(ledger, None, {}, rooms.KEYS, since=Since(number=books.last))).books,
            books.last,
        )

    begun, found, last = on(played, work)
    assert begun == [0, 0, 40, 40]
    assert found.followed <= last - 40
    assert found.last == last


def test_prizes_of_another_table_are_found(monkeypatch, services, ledger_template):
    """L11: tournaments of a room paid their places alike; the amounts are those of all entries, and are paid."""
    regular = PayoutTerms.prizes

    def alike(terms, **entries):
        prizes = regular(terms, **entries)
        each, left = divmod(sum(prizes), len(prizes))
        return tuple(Money(each + (place < left)) for place, _ in enumerate(prizes))

    with monkeypatch.context() as patch:
        patch.setattr(PayoutTerms, "prizes", alike)
        patch.setattr(tournaments, "PLACES_PAID", ())  # else the simulation finds it first
        calls = rooms.calls_of("mtt", 7, 12)
    with written("test_prizes", services, ledger_template, calls) as url:
        found = on(url, lambda ledger: audited(ledger, None, {}, rooms.KEYS)).differences
    assert found
    assert all("by its terms" in one for one in found), found


def test_tables_that_combine_while_rebuys_are_sold_draw_no_final_table(services, ledger_template):
    """L9: the last but one is broken as others are, so the button goes on, and who came owes what a mover owes."""
    with written("test_sales", services, ledger_template, rooms.calls_of("mtt", 25, 1)) as url:
        assert not on(url, lambda ledger: audited(ledger, None, {}, rooms.KEYS)).differences
