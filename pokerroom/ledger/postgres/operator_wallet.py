"""The operator's wallet in PostgreSQL: see `OperatorWalletLedger` and `OperatorWalletQueue`.

Functions of `schema/functions/operator_wallet.sql` decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, LiteralString

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.chips import Money
from pokerroom.ledger.operator_log import Acting
from pokerroom.ledger.operator_wallet import (
    FAILURE_MAX,
    REFUSALS_MAX,
    REFUSALS_S,
    REFUSED_S,
    DebitEnd,
    UnknownWalletTransfer,
    WalletBacklog,
    WalletDebit,
    WalletRow,
    WalletTransfer,
)
from pokerroom.ledger.postgres.calls import PostgresCalls
from pokerroom.ledger.transfers import check_amount

_ROWS: Final[LiteralString] = (
    "SELECT number, wallet_transfer_id(moved.id), account, name, kind, amount, state,"
    " (extract(epoch FROM asked) * 1000)::bigint, (extract(epoch FROM ended) * 1000)::bigint,"
    " (extract(epoch FROM due) * 1000)::bigint, tries, failure, undoes"
    " FROM wallet_transfers AS moved JOIN accounts ON accounts.id = account"
)

_CLAIMED: Final[LiteralString] = (
    "SELECT number, wallet_transfer_id(id), kind, player, amount, (extract(epoch FROM asked) * 1000)::bigint, tries,"
    " (SELECT wallet_transfer_id(debit.id) FROM wallet_transfers AS debit WHERE debit.number = moved.undoes)"
    " FROM claim_wallet_transfers(%s, %s) AS moved JOIN wallet_links USING (account) ORDER BY number"
)


class PostgresOperatorWallet(PostgresCalls):
    """An `OperatorWalletLedger`, and an `OperatorWalletQueue`."""

    def link_wallet(self, account: int, player: str, *, by: Acting) -> Deferred[None]:
        return deferred(
            self._done("SELECT link_wallet(%s, %s, ROW(%s, %s, %s, %s)::acting)", account, player, *by.row())
        )

    def unlink_wallet(self, account: int, *, by: Acting) -> Deferred[None]:
        return deferred(
            self._done("SELECT unlink_wallet(%s, ROW(%s, %s, %s, %s)::acting)", account, *by.row())
        )

    def wallet_player(self, account: int) -> Deferred[str | None]:

        async def found() -> str | None:
            row = await self._row("SELECT player FROM wallet_links WHERE account = %s", account)
            return None if row is None else row[0]

        return deferred(found())

    def wallet_transfers(
        self, account: int | None, *, waiting: bool, before: int | None, limit: int
    ) -> Deferred[Sequence[WalletRow]]:
        query: LiteralString = _ROWS + " WHERE true"
        if account is not None:
            query += " AND account = %(account)s"
        if waiting:
            query += " AND state = 'asked'"
        if before is not None:
            query += " AND number < %(before)s"

        async def found() -> Sequence[WalletRow]:
            rows = await self._rows(
                query + " ORDER BY number DESC LIMIT %(limit)s",
                account=account,
                before=before,
                limit=limit,
            )
            return [_transfer_row(row) for row in rows]

        return deferred(found())

    def wallet_transfer(self, number: int) -> Deferred[WalletRow]:

        async def found() -> WalletRow:
            row = await self._row(_ROWS + " WHERE number = %s", number)
            if row is None:
                raise UnknownWalletTransfer(f"there is no transfer {number}: list them, and choose one")
            return _transfer_row(row)

        return deferred(found())

    def retry_wallet_transfers(self, number: int | None, *, by: Acting) -> Deferred[int]:
        return deferred(
            self._value("SELECT retry_wallet_transfers(%s, ROW(%s, %s, %s, %s)::acting)", number, *by.row())
        )

    # --- what nodes need ----------------------------------------------------------------------------------------------

    def ask_wallet_debit(
        self, account: int, table: str | None, needed: Money, limit_s: int
    ) -> Deferred[WalletDebit | None]:
        check_amount(needed, at_least=0)
        what = (account, table, needed, limit_s, REFUSED_S, REFUSALS_MAX, REFUSALS_S)

        async def asked() -> WalletDebit | None:
            row = await self._row("SELECT * FROM ask_wallet_debit(%s, %s, %s, %s, %s, %s, %s)", *what)
            assert row is not None, "a function returns a row"
            number, name, player, amount = row
            if player is None:
                return None
            return WalletDebit(number=number, id=name or "", player=player, amount=Money(amount))

        return deferred(asked())

    def end_wallet_debit(self, number: int, end: DebitEnd, why: str = "") -> Deferred[DebitEnd]:
        return deferred(self._value("SELECT end_wallet_debit(%s, %s, %s)", number, end, why[:FAILURE_MAX]))

    def undo_late_wallet_debits(self) -> Deferred[int]:
        return deferred(self._value("SELECT undo_late_wallet_debits()"))

    def queue_wallet_credits(self, free_s: int, at_most: int) -> Deferred[int]:
        return deferred(self._value("SELECT queue_wallet_credits(%s, %s)", free_s, at_most))

    def claim_wallet_transfers(self, at_most: int, lease_s: int) -> Deferred[Sequence[WalletTransfer]]:

        async def claimed() -> Sequence[WalletTransfer]:
            return [_claimed(row) for row in await self._rows(_CLAIMED, at_most, lease_s)]

        return deferred(claimed())

    def end_wallet_transfer(self, transfer: WalletTransfer) -> Deferred[None]:
        return deferred(self._done("SELECT end_wallet_transfer(%s)", transfer.number))

    def fail_wallet_transfer(self, transfer: WalletTransfer, why: str, pause_s: int) -> Deferred[None]:
        what = (transfer.number, transfer.tries, why[:FAILURE_MAX], pause_s)
        return deferred(self._done("SELECT fail_wallet_transfer(%s, %s, %s, %s)", *what))

    def wallet_backlog(self) -> Deferred[WalletBacklog]:

        async def counted() -> WalletBacklog:
            row = await self._row(
                "SELECT count(*), coalesce(sum(amount) FILTER (WHERE kind = 'credit'), 0)::bigint,"
                " coalesce(extract(epoch FROM now() - min(asked)), 0)"
                " FROM wallet_transfers WHERE state = 'asked' AND kind <> 'debit'"
            )
            assert row is not None, "a count returns a row"
            return WalletBacklog(waiting=row[0], owed=row[1], oldest_s=float(row[2]))

        return deferred(counted())


def _transfer_row(row: tuple[Any, ...]) -> WalletRow:
    number, name, account, player, kind, amount, state, asked, ended, due, tries, failure, undoes = row
    return WalletRow(
        number=number,
        id=name,
        account=account,
        name=player,
        kind=kind,
        amount=amount,
        state=state,
        asked_ms=asked,
        ended_ms=ended,
        due_ms=due,
        tries=tries,
        failure=failure,
        undoes=undoes,
    )


def _claimed(row: tuple[Any, ...]) -> WalletTransfer:
    number, name, kind, player, amount, asked, tries, undoes = row
    return WalletTransfer(
        number=number,
        id=name,
        kind=kind,
        player=player,
        amount=Money(amount),
        asked_ms=asked,
        tries=tries,
        undoes=undoes,
    )
