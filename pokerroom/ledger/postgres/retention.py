"""Retention in PostgreSQL: see `RetentionLedger`. Functions of `schema/functions/retention.sql` decide."""

from __future__ import annotations

from psycopg import AsyncConnection
from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.ledger.credentials import SessionLifetime
from pokerroom.ledger.operator_log import Acting
from pokerroom.ledger.postgres.calls import PostgresCalls
from pokerroom.ledger.postgres.migrations import owns_tables


class PostgresRetention(PostgresCalls):
    """`RetentionLedger` over the connections of a ledger."""

    def keep_cards(self, days: int) -> Deferred[bool]:

        async def keep() -> bool:
            parameters = self._owner_parameters or self._parameters
            async with await AsyncConnection.connect(**parameters) as connection:
                if await owns_tables(connection):
                    await connection.execute(
                        "UPDATE retention SET hands_days = %(days)s WHERE hands_days <> %(days)s",
                        {"days": days},
                    )
                cursor = await connection.execute("SELECT hands_days FROM retention")
                return await cursor.fetchone() == (days,)

        return deferred(self._translated(keep))

    def erase_cards(self, at_most: int, by: Acting) -> Deferred[tuple[int, int]]:

        async def erase() -> tuple[int, int]:
            row = await self._row(
                "SELECT looked, erased FROM erase_cards(%s, ROW(%s, %s, %s, %s)::acting)", at_most, *by.row()
            )
            assert row is not None, "the function returns a row"
            return row[0], row[1]

        return deferred(erase())

    def remove_old_sessions(
        self, lifetime: SessionLifetime, days: int, at_most: int, by: Acting
    ) -> Deferred[int]:
        what = (lifetime.idle_s, lifetime.absolute_s, days, at_most, *by.row())
        return deferred(
            self._value("SELECT remove_old_sessions(%s, %s, %s, %s, ROW(%s, %s, %s, %s)::acting)", *what)
        )

    def remove_old_webhook_messages(self, days: int, at_most: int, by: Acting) -> Deferred[int]:
        what = (days, at_most, *by.row())
        return deferred(
            self._value("SELECT remove_old_webhook_messages(%s, %s, ROW(%s, %s, %s, %s)::acting)", *what)
        )

    def remove_old_refused_debits(self, days: int, at_most: int, by: Acting) -> Deferred[int]:
        what = (days, at_most, *by.row())
        return deferred(
            self._value("SELECT remove_old_refused_debits(%s, %s, ROW(%s, %s, %s, %s)::acting)", *what)
        )
