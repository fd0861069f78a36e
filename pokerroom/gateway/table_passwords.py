"""Answers requests about the passwords of private tables and sit-and-gos.

They wait in the queue of passwords, as a log-in does.
"""

from __future__ import annotations

from collections.abc import Awaitable
from functools import partial
from typing import Protocol, TypeAlias, assert_never

import structlog

from pokerroom.gateway.code_guesses import CodeGuesses
from pokerroom.gateway.password_queue import Claimant
from pokerroom.gateway.password_rules import PasswordRules
from pokerroom.gateway.passwords import AuthenticationRefused, Passwords
from pokerroom.ledger.hosted_tables import HostedTableLedger, HostedTableRow, WrongTablePassword
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

Told: TypeAlias = wire.HostedTable | wire.PrivateSitAndGo

_log = structlog.get_logger()


class HostedTableAnswers(Protocol):
    """The part of the hosted tables that lets accounts in (`hosting.HostingService`)."""

    def check_open(self, table: str | None) -> None:
        """Refuse a table that an operator keeps closed."""

    def check_on(self) -> None:
        """Refuse a room without private tables."""

    def row_of_host(self, table: str, account: int) -> Awaitable[HostedTableRow]:
        """Return a table for an order of its host."""

    def changed(self, re: int, row: HostedTableRow, account: int) -> Told:
        """Answer an order of the host that has changed a table or a sit-and-go."""

    def came(self, re: int, row: HostedTableRow, account: int) -> Awaitable[Told]:
        """Answer an account that was let in."""


class PasswordClient(Claimant, Protocol):
    """The session of an account that is logged in. `address_group` is as in `Viewer`."""

    @property
    def address_group(self) -> str:
        """See `Viewer`."""


class TablePasswords:
    """Sets passwords for hosts, and lets accounts in by them. Wrong ones count with wrong links (`CodeGuesses`)."""

    def __init__(
        self,
        ledger: HostedTableLedger,
        hosting: HostedTableAnswers,
        passwords: Passwords,
        rules: PasswordRules,
        guesses: CodeGuesses,
    ) -> None:
        self._ledger = ledger
        self._hosting = hosting
        self._passwords = passwords
        self._rules = rules
        self._guesses = guesses

    async def answered(
        self, message: wire.TablePasswordMessage, client: PasswordClient, account: int
    ) -> Told:
        """Answer a request. Raises `account_service.AccountRefused`, `AuthenticationRefused`, or as the ledger."""
        match message:
            case wire.EnterTable():
                self._hosting.check_on()
                enter = partial(self._entered, message, client, account)
                row = await self._guesses.looked_up(account, client.address_group, enter, table=message.table)
                return await self._hosting.came(message.id, row, account)
            case wire.SetTablePassword():
                row = await self._set(message, client, account)
                _log.info("hosted_table.password", table=row.table, account=account, is_set=row.has_password)
                return self._hosting.changed(message.id, row, account)
            case _:
                assert_never(message)

    async def _entered(
        self, message: wire.EnterTable, client: PasswordClient, account: int
    ) -> HostedTableRow:
        """Look at the password as slowly for a table without one, and for one that is not there."""
        table = message.table
        stored = await self._ledger.table_password(table)
        fits = await self._passwords.fits(client, stored, message.password)
        if stored is None or not fits:
            raise WrongTablePassword(f"no table {table} with this password")
        self._hosting.check_open(table)
        return await self._ledger.enter_hosted_table(table, stored, account, client.address_group)

    async def _set(
        self, message: wire.SetTablePassword, client: PasswordClient, account: int
    ) -> HostedTableRow:
        row = await self._hosting.row_of_host(message.table, account)
        password_hash = None
        if message.password is not None:
            problem = self._rules.problem(str(row.terms["name"]), message.password)
            if problem is not None:
                raise AuthenticationRefused(Code.WEAK_PASSWORD, detail=problem)
            password_hash = await self._passwords.hash(client, message.password)
        return await self._ledger.set_table_password(message.table, account, password_hash)
