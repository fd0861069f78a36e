"""Sit-and-gos of hosts in PostgreSQL: see `HostedSitAndGoLedger`.

Functions of `schema/functions/hosted_sit_and_gos.sql` decide.
"""

from __future__ import annotations

from typing import Final, LiteralString

import msgspec
from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.ledger.hosted_sit_and_gos import SitAndGoOrder
from pokerroom.ledger.hosted_tables import PER_DAY, HostedLimits, HostedTableRow, Terms, hosted_as
from pokerroom.ledger.postgres.hosted_tables import PostgresHostedTables
from pokerroom.ledger.postgres.tournaments import OPEN, values_of
from pokerroom.ledger.tournaments import Opening

_OPEN: Final[LiteralString] = f"SELECT {OPEN}, open_hosted_table(%s, %s, %s::jsonb, %s, %s, %s, %s, %s, %s)"


class PostgresHostedSitAndGos(PostgresHostedTables):
    """A `HostedSitAndGoLedger`."""

    def open_hosted_sit_and_go(
        self,
        host: int,
        opening: Opening,
        terms: Terms,
        code: str,
        limits: HostedLimits,
        *,
        club: str | None = None,
    ) -> Deferred[HostedTableRow]:
        table = hosted_as(opening.tournament)
        assert table is not None
        document = msgspec.json.encode(terms).decode()
        bounds = limits.per_account, PER_DAY, limits.in_room
        hosted = table, host, document, code, club, *bounds, opening.tournament
        return deferred(self._hosted_after(table, _OPEN, *values_of(opening), *hosted))

    def change_hosted_sit_and_go(
        self, table: str, host: int, order: SitAndGoOrder, new_code: str
    ) -> Deferred[HostedTableRow]:
        query: LiteralString = "SELECT change_hosted_sit_and_go(%s, %s, %s, %s)"
        return deferred(self._hosted_after(table, query, table, host, order, new_code))
