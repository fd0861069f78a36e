"""The ledger in PostgreSQL: accounts, owners, seats, settled hands.

Functions in the database move money (`schema/functions`): one round trip and one transaction each. This module calls
them and turns refusals of the database into the exceptions of `ledger.api`. It decides nothing itself.

psycopg uses asyncio, so every method is a coroutine inside and a Deferred outside. The reactor must be
`asyncioreactor`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib import resources
from typing import Any, Final, LiteralString

import psycopg
from psycopg import AsyncConnection, errors
from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.chips import Money
from pokerroom.ledger.api import (
    AccountRow,
    AuditReport,
    HandSettlement,
    LedgerConflict,
    NotOwner,
    OwnerRow,
    SeatRow,
)
from pokerroom.ledger.postgres.account_history import PostgresAccountHistory
from pokerroom.ledger.postgres.account_standing import PostgresStanding
from pokerroom.ledger.postgres.adjustments import PostgresAdjustments
from pokerroom.ledger.postgres.announcements import PostgresAnnouncements
from pokerroom.ledger.postgres.archives import PostgresArchives
from pokerroom.ledger.postgres.books import PostgresAuditable
from pokerroom.ledger.postgres.calls import array
from pokerroom.ledger.postgres.cashier import PostgresCashier
from pokerroom.ledger.postgres.checkpoints import PostgresCheckpoints
from pokerroom.ledger.postgres.clubs import PostgresClubs
from pokerroom.ledger.postgres.constraints import OTHER_OWNER
from pokerroom.ledger.postgres.credentials import PostgresCredentials
from pokerroom.ledger.postgres.day_reports import PostgresDayReports
from pokerroom.ledger.postgres.hosted_sit_and_gos import PostgresHostedSitAndGos
from pokerroom.ledger.postgres.leagues import PostgresLeagues
from pokerroom.ledger.postgres.limits import PostgresLimits
from pokerroom.ledger.postgres.offers import PostgresOffers
from pokerroom.ledger.postgres.operated_clubs import PostgresOperatedClubs
from pokerroom.ledger.postgres.operator_log import PostgresOperatorLog, checked_chain
from pokerroom.ledger.postgres.operator_wallet import PostgresOperatorWallet
from pokerroom.ledger.postgres.operators import PostgresOperators
from pokerroom.ledger.postgres.order_keys import PostgresOrderKeys
from pokerroom.ledger.postgres.player_notes import PostgresPlayerNotes
from pokerroom.ledger.postgres.prepared_call import PreparedCall, binaries, numbers, texts
from pokerroom.ledger.postgres.rake import PostgresRake
from pokerroom.ledger.postgres.retention import PostgresRetention
from pokerroom.ledger.postgres.shared_hands import PostgresSharedHands
from pokerroom.ledger.postgres.statistics import PostgresStatistics
from pokerroom.ledger.postgres.tournaments import PostgresTournaments
from pokerroom.ledger.postgres.webhooks import PostgresWebhooks
from pokerroom.ledger.transfers import check_amount, distinct, wallet_code

SETTLE: Final[LiteralString] = (
    "SELECT settle_hands($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bytea[],"
    " $7::integer[], $8::bigint[], $9::bigint[], $10::boolean[], $11::bigint[],"
    " $12::integer[], $13::bigint[], $14::bigint[])"
)


class PostgresLedger(
    PostgresCashier,
    PostgresAccountHistory,
    PostgresAdjustments,
    PostgresAnnouncements,
    PostgresArchives,
    PostgresAuditable,
    PostgresCheckpoints,
    PostgresCredentials,
    PostgresClubs,
    PostgresHostedSitAndGos,
    PostgresOperatedClubs,
    PostgresDayReports,
    PostgresLeagues,
    PostgresLimits,
    PostgresStanding,
    PostgresOffers,
    PostgresOperatorLog,
    PostgresOperatorWallet,
    PostgresOperators,
    PostgresOrderKeys,
    PostgresRake,
    PostgresRetention,
    PostgresPlayerNotes,
    PostgresSharedHands,
    PostgresStatistics,
    PostgresTournaments,
    PostgresWebhooks,
):
    """`Ledger` over a PostgreSQL database (14 or newer), named by a URL or a connection string.

    Reads and single transfers share a pool of `CONNECTIONS_MAX` connections. Settlements of hands use one connection
    with a prepared statement. Lost connections are replaced. A call waits at most `wait_s` seconds for a connection.
    Raises `LedgerUnavailable` for an address that cannot be read.
    """

    def __init__(self, url: str, owner_url: str | None = None, *, wait_s: float = 5.0) -> None:
        super().__init__(url, owner_url, wait_s=wait_s)
        self._settling: PreparedCall | None = None
        self._settling_turn = asyncio.Lock()

    async def _close(self) -> None:
        await self._drop_settling()
        await super()._close()

    # --- accounts ------------------------------------------------------------------------------

    def create_account(self, name: str, password_hash: str, opening: Money) -> Deferred[AccountRow]:
        check_amount(opening, at_least=0)

        async def create() -> AccountRow:
            account = await self._value("SELECT create_account(%s, %s, %s)", name, password_hash, opening)
            return AccountRow(account=account, name=name, password_hash=password_hash)

        return deferred(create())

    def find_account(self, name: str) -> Deferred[AccountRow | None]:
        return deferred(
            self._account(
                "SELECT id, name, password_hash FROM accounts"
                ' WHERE lower(name COLLATE "C") = lower(%s::text COLLATE "C")',
                name,
            )
        )

    def account_names(self, accounts: Sequence[int]) -> Deferred[dict[int, str]]:

        async def named() -> dict[int, str]:
            return dict(
                await self._rows(
                    "SELECT id, name FROM accounts WHERE id = ANY(%s::bigint[])", array(accounts)
                )
            )

        return deferred(named())

    # --- owners ---------------------------------------------------------------------------------------------

    def owners(self, also: Sequence[str] = ()) -> Deferred[list[OwnerRow]]:

        async def owned() -> list[OwnerRow]:
            rows = await self._rows(
                "SELECT table_id, epoch, node FROM ("
                " SELECT table_id, epoch, node FROM table_owners WHERE NOT over"  # by a partial index
                " UNION SELECT table_id, epoch, node FROM table_owners WHERE table_id = ANY (%s)) AS owners"
                ' ORDER BY table_id COLLATE "C"',
                list(also),
            )
            return [OwnerRow(table=table, epoch=epoch, node=node) for table, epoch, node in rows]

        return deferred(owned())

    def take_table(self, table: str, node: str, last_epoch: int) -> Deferred[int | None]:
        """See `Ledger.take_table`. Raises `LedgerUnavailable` while a write of the last owner does not end."""
        return deferred(self._value("SELECT take_table(%s, %s, %s)", table, node, last_epoch))

    def release_table(self, table: str, epoch: int) -> Deferred[None]:
        return deferred(self._done("SELECT release_table(%s, %s)", table, epoch))

    # --- money and seats ------------------------------------------------------------------------------------

    def wallet(self, account: int) -> Deferred[Money]:
        """See `Ledger.wallet`. Raises LookupError for an unknown account."""

        async def balance() -> Money:
            row = await self._row("SELECT balance FROM ledger_accounts WHERE code = %s", wallet_code(account))
            if row is None:
                raise LookupError(f"there is no account {account}")
            return Money(row[0])

        return deferred(balance())

    def seats(self, tables: Sequence[str] | None = None) -> Deferred[list[SeatRow]]:

        async def held() -> list[SeatRow]:
            at = "" if tables is None else " WHERE seats.table_id = ANY (%s)"
            rows = await self._rows(
                "SELECT seats.table_id, seat, account, name, coalesce(balance, 0)"  # noqa: S608 -- two constants
                " FROM seats JOIN accounts ON accounts.id = account"
                f" LEFT JOIN ledger_accounts ON code = 'stack:' || seats.table_id || ':' || account{at}"
                ' ORDER BY seats.table_id COLLATE "C", seat',
                *([] if tables is None else [list(tables)]),
            )
            return [
                SeatRow(table=table, seat=seat, account=account, name=name, stack=Money(balance))
                for table, seat, account, name, balance in rows
            ]

        return deferred(held())

    def tables_of(self, account: int) -> Deferred[list[str]]:

        async def held() -> list[str]:
            return sorted(row[0] for row in await self._rows("SELECT tables_of(%s)", account))

        return deferred(held())

    def buy_in(  # noqa: PLR0917 -- see `Ledger.buy_in`
        self, key: str, table: str, epoch: int, seat: int, account: int, amount: Money, tables_max: int
    ) -> Deferred[None]:
        """See `Ledger.buy_in`. Raises LookupError for an unknown account."""
        check_amount(amount, at_least=1)
        what = (key, table, epoch, seat, account, amount, tables_max)
        return deferred(self._done("SELECT buy_in(%s, %s, %s, %s::smallint, %s, %s, %s)", *what))

    def top_up(self, key: str, table: str, epoch: int, account: int, amount: Money) -> Deferred[None]:
        check_amount(amount, at_least=1)
        return deferred(self._done("SELECT top_up(%s, %s, %s, %s, %s)", key, table, epoch, account, amount))

    def is_booked(self, key: str) -> Deferred[bool]:
        return deferred(self._value("SELECT EXISTS (SELECT FROM transfers WHERE key = %s)", key))

    def cash_out(self, key: str, table: str, epoch: int, account: int) -> Deferred[Money]:

        async def move() -> Money:
            return Money(await self._value("SELECT cash_out(%s, %s, %s, %s)", key, table, epoch, account))

        return deferred(move())

    def left_with(self, table: str, account: int, within_s: int) -> Deferred[Money | None]:
        """See `Ledger.left_with`. The clock is that of the database."""

        async def taken() -> Money | None:
            row = await self._row(
                "SELECT amount FROM departures WHERE table_id = %s AND account = %s AND amount > 0"
                " AND departed > now() - make_interval(secs => %s)",
                table,
                account,
                within_s,
            )
            return None if row is None else Money(row[0])

        return deferred(taken())

    # --- settled hands --------------------------------------------------------------------------------------

    def settle(self, settlements: Sequence[HandSettlement]) -> Deferred[None]:
        """See `Ledger.settle`. Raises `LedgerConflict` for a record that is not JSON."""
        return deferred(self._translated(lambda: self._settle(settlements)))

    async def _settle(self, settlements: Sequence[HandSettlement]) -> None:
        hands = distinct(settlements)
        if not hands:
            return
        players = [(n, account, delta) for n, hand in enumerate(hands, 1) for account, delta in hand.deltas]
        outs = [
            (n, out.account, winner)
            for n, hand in enumerate(hands, 1)
            for out in hand.knockouts
            for winner in out.winners
        ]
        arguments = (
            texts([hand.hand_id for hand in hands]),
            texts([hand.table for hand in hands]),
            numbers([hand.epoch for hand in hands]),
            numbers([hand.started_ms for hand in hands]),
            numbers([hand.ended_ms for hand in hands]),
            binaries([hand.record for hand in hands]),
            numbers([n for n, _, _ in players]),
            numbers([account for _, account, _ in players]),
            numbers([delta for _, _, delta in players]),
            numbers([account in hands[n - 1].timeout_all_ins for n, account, _ in players]),
            numbers([hand.rake for hand in hands]),
            numbers([n for n, _, _ in outs]),
            numbers([account for _, account, _ in outs]),
            numbers([winner for _, _, winner in outs]),
        )
        async with self._settling_turn:
            try:
                if self._settling is None or self._settling.lost:
                    await self._drop_settling()
                    self._settling = await PreparedCall.open(self._parameters, SETTLE)
                await self._settling.call(arguments)
            except (psycopg.IntegrityError, psycopg.DataError) as refused:
                # The text and the exception may quote the record with hidden cards: neither is passed on.
                why = refused.diag.constraint_name or refused.sqlstate
                kind = NotOwner if why == OTHER_OWNER else LedgerConflict
                raise kind(f"a batch of {len(hands)} hands is refused: {why}") from None
            except (errors.SerializationFailure, errors.DeadlockDetected):
                raise
            except BaseException:
                await self._drop_settling()  # whatever the error, the next batch starts on a new connection
                raise

    async def _drop_settling(self) -> None:
        if self._settling is not None:
            await self._settling.close()
            self._settling = None

    def timeout_all_ins(self, since_ms: int) -> Deferred[dict[int, int]]:

        async def counted() -> dict[int, int]:
            rows = await self._rows(
                "SELECT account, count(*) FROM timeout_all_ins"
                " WHERE ended >= timestamptz 'epoch' + %s * interval '1 millisecond' GROUP BY account",
                since_ms,
            )
            return dict(rows)

        return deferred(counted())

    def settled_hands(self, hand_ids: Sequence[str]) -> Deferred[frozenset[str]]:

        async def found() -> frozenset[str]:
            rows = await self._rows("SELECT hand_id FROM hands WHERE hand_id = ANY(%s)", list(hand_ids))
            return frozenset(row[0] for row in rows)

        return deferred(found())

    # --- audit ----------------------------------------------------------------------------------------------

    def audit(self, after: int = 0) -> Deferred[AuditReport]:
        """See `Ledger.audit`. Two queries (one is in `audit/`) with one snapshot; they block no other transaction."""

        async def add_up() -> AuditReport:
            async with self._pool.connection() as connection, connection.transaction():
                await connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                return await added_up(connection, after)

        return deferred(self._translated(add_up))


async def added_up(connection: AsyncConnection[Any], after: int = 0) -> AuditReport:
    """The sums of the ledger as the transaction of this connection sees it; see `Ledger.audit`."""
    folder = resources.files("pokerroom.ledger").joinpath("audit")
    files = [file for file in folder.iterdir() if file.name.endswith(".sql")]
    begins, *others = sorted(files, key=lambda file: (file.name != "sums.sql", file.name))
    query = b"\nUNION ALL\n".join(file.read_bytes() for file in (begins, *others))
    query = query.replace(b":after", b"'%d'::bigint" % (after or -(1 << 63)))  # a constant, for the planner
    rows = await (await connection.execute(query)).fetchall()
    chain = await checked_chain(connection)
    figures = {what: int(number) for what, _, number in rows if what != "difference"}
    differences = [text for what, text, _ in rows if what == "difference"]
    if chain.problem is not None:
        differences.append(chain.problem)
    return AuditReport(differences=tuple(sorted(differences)), log_lines=chain.head.n, **figures)
