"""Stopping PostgreSQL in the middle of something, and noticing that it waits."""

import asyncio
from contextlib import contextmanager

import psycopg

from pokerroom.bridge import deferred


def waiting_for_a_lock(run, database, *, count=1):
    """Drives the loop until so many backends of this database wait for a lock; the process id of one."""

    async def look():
        async with await psycopg.AsyncConnection.connect(database, autocommit=True) as connection:
            while True:
                cursor = await connection.execute(
                    "SELECT pid FROM pg_stat_activity"
                    " WHERE datname = current_database() AND wait_event_type = 'Lock'"
                )
                rows = await cursor.fetchall()
                if len(rows) >= count:
                    return rows[0][0]
                await asyncio.sleep(0.005)

    return run(deferred(look()))


@contextmanager
def locked_stacks(database):
    """Another connection holds the stacks: a settlement waits in the middle of its batch."""
    with psycopg.connect(database) as connection:
        connection.execute("SELECT FROM ledger_accounts WHERE kind = 'stack' FOR UPDATE")
        yield connection
        connection.rollback()


def terminate(database, process_id):
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(%s, 5000)", (process_id,))


def cut_every_connection(database):
    """As a restart of the server does."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
