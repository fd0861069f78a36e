"""A statement that is called again and again on a connection of its own: what it is given, and how it fails."""

import asyncio

import psycopg
import pytest
from psycopg import errors

from pokerroom.bridge import deferred
from pokerroom.ledger.postgres.calls import parameters_of
from pokerroom.ledger.postgres.prepared_call import PreparedCall, binaries, numbers, texts
from tests.ledger.locks import cut_every_connection, terminate, waiting_for_a_lock

pytestmark = pytest.mark.services

MUCH = 3 << 20
"""Bytes that no socket takes at once."""


@pytest.fixture
def rows(database):
    """Creates a table, and reads its rows."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("CREATE TABLE seen (n integer, word text, data bytea)")
        yield lambda: connection.execute("SELECT n, word, data FROM seen ORDER BY n").fetchall()


@pytest.fixture
def opened(run, database, rows):
    """Opens a call of a statement."""
    made = []

    def opens(statement):
        made.append(run(deferred(PreparedCall.open(parameters_of(database), statement))))
        return made[-1]

    yield opens
    for call in made:
        run(deferred(call.close()))


@pytest.fixture
def inserts(opened):
    return opened("INSERT INTO seen SELECT * FROM unnest($1::integer[], $2::text[], $3::bytea[])")


@pytest.fixture
def called(run):
    """Waits for the answer to a call."""

    def answer(call, *values):
        async def wait():
            await call.call(values)

        return run(deferred(wait()))

    return answer


def test_arrays_arrive_as_they_are(called, inserts, rows):
    """Texts with what quotes and separates, bytes of every value, negative numbers, and arrays without an element."""
    words, data = ['quo"te, {brace}, \\back', "", "Ünï NULL"], [bytes(range(256)), b"", b"NULL"]
    called(inserts, numbers([-1, 2, 3]), texts(words), binaries(data))
    called(inserts, numbers([]), texts([]), binaries([]))
    assert rows() == list(zip([-1, 2, 3], words, data, strict=True))


def test_what_the_socket_does_not_take_at_once_follows(called, inserts, rows):
    """A large batch is sent as the server reads it."""
    called(inserts, numbers([1]), texts(["large"]), binaries([b"." * MUCH]))
    ((_, _, data),) = rows()
    assert len(data) == MUCH


def test_a_refusal_at_the_commit_counts(called, opened, database, rows):
    """The server answers with rows first, and refuses the transaction at its end."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("ALTER TABLE seen ADD UNIQUE (n) DEFERRABLE INITIALLY DEFERRED")
    call = opened("INSERT INTO seen SELECT * FROM unnest($1::integer[]) RETURNING n")
    with pytest.raises(errors.UniqueViolation) as refused:
        called(call, numbers([1, 1]))
    assert refused.value.diag.constraint_name == "seen_n_key"
    called(call, numbers([2]))
    assert [n for n, _, _ in rows()] == [2]


def test_a_call_whose_connection_is_cut_fails(run, opened, database):
    """In the middle of it: the outcome is unknown."""
    call = opened("INSERT INTO seen SELECT * FROM unnest($1::integer[])")
    with psycopg.connect(database) as other:
        other.execute("LOCK TABLE seen")

        async def wait():
            await call.call([numbers([1])])

        answer = deferred(wait())
        terminate(database, waiting_for_a_lock(run, database))
        with pytest.raises(psycopg.OperationalError):
            run(answer)
    assert call.lost


def test_a_connection_that_is_cut_between_two_calls_is_known_to_be_lost(run, opened, database):
    """The next call can begin with a new one."""
    call = opened("SELECT 1")
    assert not call.lost
    cut_every_connection(database)

    async def notices():
        while not call.lost:  # noqa: ASYNC110 -- only the socket of the call tells
            await asyncio.sleep(0.001)

    run(deferred(asyncio.wait_for(notices(), 10)))


def test_a_call_fails_when_it_is_closed(run, opened):
    """Whoever waits for it waits no longer."""
    call = opened("SELECT pg_sleep(20)")

    async def wait():
        await call.call([])

    answer = deferred(wait())
    run(deferred(call.close()))
    with pytest.raises(psycopg.OperationalError):
        run(answer)


def test_a_statement_that_cannot_be_prepared_leaves_no_connection(run, database):
    """The caller learns why."""
    with pytest.raises(errors.UndefinedFunction):
        run(deferred(PreparedCall.open(parameters_of(database), "SELECT no_such_function()")))
    with psycopg.connect(database) as connection:
        (others,) = connection.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ).fetchone()
    assert others == 0
