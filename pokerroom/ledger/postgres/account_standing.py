"""Exclusions, locks and names of accounts in PostgreSQL: see `StandingLedger`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, LiteralString

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.chips import Money
from pokerroom.ledger.account_standing import SAME_EXCLUSION_S, AccountOverview, Barred, Exclusion
from pokerroom.ledger.adjustments import PROPOSAL_S
from pokerroom.ledger.operator_log import Acting
from pokerroom.ledger.postgres.calls import PostgresCalls, array

OVERVIEW: Final = (
    "balance, tables, settings, (extract(epoch FROM last_log_in) * 1000)::bigint, is_excluded,"
    " (extract(epoch FROM nullif(excluded_until, 'infinity')) * 1000)::bigint,"
    " (extract(epoch FROM muted_until) * 1000)::bigint"
)
"""Of `account_overview`, in the order in which `overview_of` takes them."""


def overview_of(columns: Sequence[Any]) -> AccountOverview:
    """Return what `OVERVIEW` found."""
    balance, tables, settings, last_log_in_ms, is_excluded, until_ms, muted_until_ms = columns
    return AccountOverview(
        balance=Money(balance),
        tables=tables,
        settings=settings,
        last_log_in_ms=last_log_in_ms,
        exclusion=Exclusion(until_ms=until_ms) if is_excluded else None,
        muted_until_ms=muted_until_ms,
    )


class PostgresStanding(PostgresCalls):
    """A `StandingLedger`."""

    def overview(self, account: int) -> Deferred[AccountOverview]:

        async def found() -> AccountOverview:
            row = await self._row(f"SELECT {OVERVIEW} FROM account_overview(%s)", account)  # noqa: S608 -- of this module
            if row is None:
                raise LookupError(f"there is no account {account}")
            return overview_of(row)

        return deferred(found())

    def exclude(self, account: int, days: int | None, *, by: Acting) -> Deferred[None]:
        return deferred(
            self._done(
                "SELECT exclude_account(%s, %s, %s, ROW(%s, %s, %s, %s)::acting)",
                account,
                days,
                SAME_EXCLUSION_S,
                *by.row(),
            )
        )

    def exclusion(self, account: int) -> Deferred[Exclusion | None]:

        async def found() -> Exclusion | None:
            rows = await self._rows(
                "SELECT (extract(epoch FROM nullif(ends, 'infinity')) * 1000)::bigint FROM exclusion_end(%s) AS ends"
                " WHERE ends IS NOT NULL",
                account,
            )
            return Exclusion(until_ms=rows[0][0]) if rows else None

        return deferred(found())

    def lock_out(self, account: int, *, by: Acting) -> Deferred[list[int]]:

        async def ended() -> list[int]:
            rows = await self._rows("SELECT lock_out(%s, ROW(%s, %s, %s, %s)::acting)", account, *by.row())
            return sorted(row[0] for row in rows)

        return deferred(ended())

    def unlock(self, account: int, *, by: Acting) -> Deferred[None]:
        return deferred(
            self._done("SELECT unlock_account(%s, ROW(%s, %s, %s, %s)::acting)", account, *by.row())
        )

    def mute(self, account: int, minutes: int, *, by: Acting) -> Deferred[None]:
        return deferred(
            self._done(
                "SELECT mute_account(%s, %s, ROW(%s, %s, %s, %s)::acting)", account, minutes, *by.row()
            )
        )

    def unmute(self, account: int, *, by: Acting) -> Deferred[None]:
        return deferred(
            self._done("SELECT unmute_account(%s, ROW(%s, %s, %s, %s)::acting)", account, *by.row())
        )

    async def _mutes(self, connected: Collection[int]) -> Mapping[int, int]:
        return dict(
            await self._rows(
                "SELECT account, (extract(epoch FROM until) * 1000)::bigint FROM chat_mutes"
                " WHERE account = ANY (%s::bigint[]) AND until > now()",
                array(sorted(connected)),
            )
        )

    def names_beginning(self, text: str, limit: int, *, but: str) -> Deferred[Sequence[str]]:

        async def found() -> Sequence[str]:
            # a range, which the index of names has; all characters of a name come before "~"
            rows = await self._rows(
                'SELECT name FROM accounts WHERE lower(name COLLATE "C") >= %s::text'
                ' AND lower(name COLLATE "C") < %s::text AND NOT starts_with(lower(name), %s::text)'
                """ AND name <> 'gone-' || id ORDER BY lower(name COLLATE "C") LIMIT %s""",
                text.lower(),
                text.lower() + "~",
                but.lower(),
                limit,
            )
            return [name for (name,) in rows]

        return deferred(found())

    def rename(self, account: int, name: str, *, by: Acting) -> Deferred[None]:
        return deferred(
            self._done("SELECT rename_account(%s, %s, ROW(%s, %s, %s, %s)::acting)", account, name, *by.row())
        )

    def barred(self, connected: Collection[int], seated: Collection[int]) -> Deferred[Sequence[Barred]]:

        async def all_of_them() -> Sequence[Barred]:
            rows = await self._rows(
                "SELECT of_account, why, of_offer FROM barred_accounts(%s::bigint[], %s::bigint[]) ORDER BY 1, 2, 3",
                array(sorted(connected)),
                array(sorted(seated)),
            )
            found = [Barred(account=account, why=why, offer=offer) for account, why, offer in rows]
            muted = (await self._mutes(connected)).items() if connected else ()
            found += [Barred(account=account, why="muted", until_ms=until_ms) for account, until_ms in muted]
            return sorted(found, key=lambda each: (each.account, each.why, each.offer or ""))

        return deferred(all_of_them())

    def delete_account(self, account: int, source: str | None, *, by: Acting) -> Deferred[list[int]]:

        async def deleted() -> list[int]:
            query: LiteralString = "SELECT delete_account(%s, %s, %s, ROW(%s, %s, %s, %s)::acting)"
            rows = await self._rows(query, account, source, PROPOSAL_S, *by.row())
            return sorted(row[0] for row in rows)

        return deferred(deleted())
