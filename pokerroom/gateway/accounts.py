"""Accounts of clients: registration, log-in and sessions.

Passwords are stored as argon2id, tokens as SHA-256 only. Hashing takes milliseconds and runs in a thread. Knows the
ledger's accounts; knows no connections.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.gateway.account_service import AccountService
from pokerroom.ledger.api import AccountRow, NameTaken
from pokerroom.ledger.whole import WholeLedger
from pokerroom.table.house_bots import is_house_bot
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

# OWASP's second choice for argon2id: 19 MiB, two passes, one lane
_TIME_COST, _MEMORY_KIB, _PARALLELISM = 2, 19 * 1024, 1

_NO_PASSWORD = "!house"  # noqa: S105 -- no password has this hash, so no log-in succeeds

InThread = Callable[..., Deferred[Any]]
"""Runs blocking work off the reactor, as `twisted.internet.threads.deferToThread(work, *args)` does."""


class AuthenticationRefused(Exception):  # noqa: N818 -- a refusal is an answer to the client
    """The credentials are wrong, the name is reserved, or the session is over."""

    def __init__(self, code: Code) -> None:
        super().__init__(code.value)
        self.code = code


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


def password_hasher() -> PasswordHasher:
    """Return a hasher with parameters that are fit for passwords."""
    return PasswordHasher(time_cost=_TIME_COST, memory_cost=_MEMORY_KIB, parallelism=_PARALLELISM)


class Accounts:
    """Registers and authenticates accounts. `opening` is the play money of a new account, in the smallest unit.

    A weaker `hasher` is for passwords that protect nothing: those of the simulation.
    """

    def __init__(
        self, ledger: WholeLedger, in_thread: InThread, opening: Money, hasher: PasswordHasher | None = None
    ) -> None:
        self._ledger = ledger
        self.side = AccountService(ledger)
        """What accounts ask about themselves."""
        self._in_thread = in_thread
        self._opening = opening
        self._hasher = hasher or password_hasher()
        # verified for unknown names too, so that the answer's time does not tell whether a name exists
        self._nobody = self._hasher.hash(secrets.token_urlsafe())

    async def register(self, name: str, password: str) -> Identity:
        """Open an account and a session. Raises `NameTaken`, or `AuthenticationRefused` for a name of
        the house bots.
        """
        if is_house_bot(name):
            raise AuthenticationRefused(Code.NAME_RESERVED)
        password_hash: str = await self._in_thread(self._hasher.hash, password)
        row = await self._ledger.create_account(name, password_hash, self._opening)
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

    async def log_in(self, name: str, password: str) -> Identity:
        """Open a session. Raises `AuthenticationRefused`."""
        row = await self._ledger.find_account(name)
        known: bool = await self._in_thread(
            self._verify, row.password_hash if row else self._nobody, password
        )
        if row is None or not known:
            raise AuthenticationRefused(Code.BAD_CREDENTIALS)
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

    def _verify(self, password_hash: str, password: str) -> bool:
        try:
            return self._hasher.verify(password_hash, password)
        except (VerificationError, InvalidHashError):
            return False


def _token_hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
