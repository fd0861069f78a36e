"""Accounts of clients: registration, log-in and sessions.

Passwords are stored as argon2id (see `passwords`), tokens as SHA-256 only. Knows the ledger's accounts; of a connection
it knows the address alone.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from functools import partial

import structlog

from pokerroom.chips import Money
from pokerroom.gateway.account_service import AccountService
from pokerroom.gateway.names import ReservedNames
from pokerroom.gateway.password_queue import Claimant
from pokerroom.gateway.password_rules import PasswordRules
from pokerroom.gateway.passwords import AuthenticationRefused, Passwords
from pokerroom.ledger.api import AccountRow, NameTaken
from pokerroom.ledger.whole import WholeLedger
from pokerroom.table.house_bots import is_house_bot
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

_log = structlog.get_logger()

_NO_PASSWORD = "!house"  # noqa: S105 -- no password has this hash, so no log-in succeeds


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The account of a connection, with the secret that resumes its session."""

    account: int
    name: str
    token: str
    balance: Money
    tables: list[str]
    settings: wire.AccountSettings

    def __repr__(self) -> str:
        """Return the identity without its token."""
        return f"<Identity {self.account} {self.name}>"


class Accounts:
    """Registers and authenticates accounts. `opening` is the play money of a new account, in the smallest unit.

    `rules` are those for the passwords of new accounts, and `reserved` the names that they may not have.
    """

    def __init__(
        self,
        ledger: WholeLedger,
        passwords: Passwords,
        opening: Money,
        rules: PasswordRules,
        reserved: ReservedNames,
    ) -> None:
        self._ledger = ledger
        self.side = AccountService(ledger)
        """What accounts ask about themselves."""
        self._passwords = passwords
        self._opening = opening
        self._rules = rules
        self._reserved = reserved

    async def register(self, client: Claimant, name: str, password: str) -> Identity:
        """Open an account and a session.

        Raises `NameTaken`, or `AuthenticationRefused` for a name or password that no new account may have.
        """
        if name in self._reserved:
            raise AuthenticationRefused(Code.NAME_RESERVED)
        problem = self._rules.problem(name, password)
        if problem is not None:
            raise AuthenticationRefused(Code.WEAK_PASSWORD, detail=problem)
        password_hash = await self._passwords.hash(client, password)
        row = await self._ledger.create_account(name, password_hash, self._opening)
        _log.info("account.opened", account=row.account, address=client.address)
        return await self._opened(row)

    async def enter_house_bot(self, name: str, opening: Money) -> str:
        """Return the token of a new session for a house bot; its account is opened when it first comes.

        `opening` is the bank's play money that it brings then. Raises `NameTaken` if another account has the name, and
        `InsufficientBalance` if the bank is empty.
        """
        assert is_house_bot(name)
        row = await self._ledger.find_account(name)
        if row is None:
            row = await self._ledger.create_account(name, _NO_PASSWORD, opening)
        elif row.password_hash != _NO_PASSWORD:
            raise NameTaken(f"{name} was registered before such names were reserved for house bots")
        return (await self._opened(row)).token

    async def log_in(self, client: Claimant, name: str, password: str) -> Identity:
        """Open a session. Raises `AuthenticationRefused`, and `ClientGone` if the client hangs up meanwhile."""
        row = await self._passwords.check(client, name, password, partial(self._ledger.find_account, name))
        _log.info("log_in.succeeded", account=row.account, address=client.address)
        return await self._opened(row)

    async def resume(self, token: str) -> Identity:
        """Continue a session. Raises `AuthenticationRefused`."""
        row = await self._ledger.find_session(_token_hash(token))
        if row is None:
            raise AuthenticationRefused(Code.SESSION_UNKNOWN)
        return await self._known(row, token)

    async def log_out(self, token: str) -> None:
        """End the session: its token is void."""
        await self._ledger.close_session(_token_hash(token))

    async def holdings(self, account: int) -> tuple[Money, list[str]]:
        """Return the balance of the wallet, and the tables where the account has a seat, in order."""
        return await self._ledger.wallet(account), await self._ledger.tables_of(account)

    async def _opened(self, row: AccountRow) -> Identity:
        token = secrets.token_urlsafe(32)
        await self._ledger.open_session(row.account, _token_hash(token))
        return await self._known(row, token)

    async def _known(self, row: AccountRow, token: str) -> Identity:
        balance, tables = await self.holdings(row.account)
        return Identity(
            account=row.account,
            name=row.name,
            token=token,
            balance=balance,
            tables=tables,
            settings=await self.side.settings(row.account),
        )


def _token_hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
