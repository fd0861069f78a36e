"""Hashing and verifying passwords: bounded, fair between addresses, and slower after each wrong guess.

A wrong password costs its address a growing wait, for the account that was tried (`OF_NAME`) and later for all accounts
(`OF_ADDRESS`). Other addresses do not wait, so a stranger cannot lock an account. The failures are counted in Redis for
all nodes; while it is away, only the queue bounds the guesses.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

import structlog
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from twisted.internet.defer import Deferred

from pokerroom.coordination.api import GuessLimit, LogInAttempts
from pokerroom.gateway.addresses import owner_of
from pokerroom.gateway.password_queue import Claimant, PasswordQueue, QueueFull
from pokerroom.ledger.api import AccountRow
from pokerroom.ops.observer import Observer
from pokerroom_protocol.errors import Code

# OWASP's second choice for argon2id: 19 MiB, two passes, one lane
_TIME_COST, _MEMORY_KIB, _PARALLELISM = 2, 19 * 1024, 1

OF_NAME: Final = GuessLimit(free=5, wait_s_max=300)
"""[D] For one account from one address."""

OF_ADDRESS: Final = GuessLimit(free=50, wait_s_max=60)
"""[D] For all accounts from one address, which many players may share."""

FULL_MS: Final = 1_000
"""[D] A client that finds the queue full is asked to wait this long."""

InThread = Callable[..., Deferred[Any]]
"""Runs blocking work off the reactor, as `twisted.internet.threads.deferToThread(work, *args)` does."""

_T = TypeVar("_T")

_log = structlog.get_logger()


class AuthenticationRefused(Exception):  # noqa: N818 -- a refusal is an answer to the client
    """The name or password cannot be used, the session is over, or the client has to wait.

    `detail` is for the player, in place of the sentence of the code.
    """

    def __init__(self, code: Code, retry_after_ms: int | None = None, detail: str | None = None) -> None:
        super().__init__(code.value)
        self.code = code
        self.retry_after_ms = retry_after_ms
        self.detail = detail


def password_hasher() -> PasswordHasher:
    """Return a hasher with parameters that are fit for passwords."""
    return PasswordHasher(time_cost=_TIME_COST, memory_cost=_MEMORY_KIB, parallelism=_PARALLELISM)


class Passwords:
    """The work with passwords of a node. A weaker `hasher` is for those that protect nothing, of the simulation."""

    def __init__(
        self,
        in_thread: InThread,
        attempts: LogInAttempts,
        observer: Observer,
        hasher: PasswordHasher | None = None,
    ) -> None:
        self._in_thread = in_thread
        self._attempts = attempts
        self._observer = observer
        self._hasher = hasher or password_hasher()
        self._queue = PasswordQueue()
        # verified for unknown names too, so that the answer's time does not tell whether a name exists
        self._of_no_account = self._hasher.hash(secrets.token_urlsafe())

    async def hash(self, client: Claimant, password: str) -> str:
        """Return what is stored. Raises `AuthenticationRefused` if too many wait, `ClientGone` after a hang-up."""
        await self._enter(client)
        try:
            hashed: str = await self._in_thread(self._hasher.hash, password)
        finally:
            self._queue.leave()
        return hashed

    async def check(
        self,
        client: Claimant,
        name: str,
        password: str,
        find: Callable[[], Awaitable[AccountRow | None]],
        also: Callable[[AccountRow], Awaitable[None]] | None = None,
    ) -> AccountRow:
        """Return the account of the name if the password is its own. `find` looks it up, when it is its turn.

        `also` raises `AuthenticationRefused` if the password alone is not enough. A wrong code is a wrong guess; that a
        code is needed is none.

        Raises `AuthenticationRefused` with `bad_credentials`, or with `log_in_delayed` without having looked, and
        what `hash` and `also` raise.
        """
        await self._enter(client)
        try:
            owner = owner_of(client.address)
            of_name, of_address = store_key(owner, name.casefold()), store_key(owner)
            row = await find()  # before the attempt counts: it may fail
            await self._begin(client, of_name, of_address)
            stored = row.password_hash if row else self._of_no_account
            if not await self._in_thread(self._fits, stored, password) or row is None:
                _log.warning("log_in.failed", address=client.address)
                self._observer.log_in("failed")
                raise AuthenticationRefused(Code.BAD_CREDENTIALS)
            if also is not None:
                await self._also(row, also, of_name, of_address)
            self._observer.log_in("succeeded")
            await self._succeeded(of_name, of_address)
        finally:
            self._queue.leave()
        return row

    async def _also(
        self,
        row: AccountRow,
        also: Callable[[AccountRow], Awaitable[None]],
        of_name: str,
        of_address: str,
    ) -> None:
        try:
            await also(row)
        except AuthenticationRefused as refused:
            if (
                refused.code is Code.CODE_NEEDED
            ):  # the failures before stay: else it would allow more guesses of codes
                await self._take_back(of_name, of_address)
            else:
                self._observer.log_in("failed")
            raise

    async def _take_back(self, *keys: str) -> None:
        try:
            for key in keys:
                await self._attempts.take_back(key)
        except (ConnectionError, TimeoutError):  # the failures are forgotten in an hour
            return

    async def redeem(
        self,
        client: Claimant,
        name: str,
        new_password: str,
        find: Callable[[], Awaitable[AccountRow | None]],
        redeem: Callable[[AccountRow, str], Awaitable[_T | None]],
        *,
        also: Callable[[AccountRow], Awaitable[None]],
    ) -> tuple[AccountRow, _T]:
        """Set a new password with a code. `redeem` gets the account and the hash; None means that the code is wrong.
        `also` is as for `check`, but that a code is needed is a wrong guess, too.

        A wrong code is a wrong guess, as a wrong password is. Raises `AuthenticationRefused` with `bad_code`, and what
        `check` raises.
        """
        await self._enter(client)
        try:
            owner = owner_of(client.address)
            of_name, of_address = store_key(owner, name.casefold()), store_key(owner)
            row = await find()
            await self._begin(client, of_name, of_address)
            hashed = await self._in_thread(self._hasher.hash, new_password)
            if row is not None:
                await also(row)  # a wrong guess also if a code is needed: nothing is proven yet
            redeemed = None if row is None else await redeem(row, hashed)
            if row is None or redeemed is None:
                _log.warning("log_in.failed", address=client.address)
                self._observer.log_in("failed")
                raise AuthenticationRefused(Code.BAD_CODE)
            self._observer.log_in("succeeded")
            await self._succeeded(of_name, of_address)
        finally:
            self._queue.leave()
        return row, redeemed

    async def _enter(self, client: Claimant) -> None:
        try:
            await self._queue.enter(client)
        except QueueFull:
            raise AuthenticationRefused(Code.UNAVAILABLE, FULL_MS) from None

    async def _begin(self, client: Claimant, of_name: str, of_address: str) -> None:
        """Count the attempt as a failure until it has succeeded; refuse it if it has to wait."""
        try:
            wait_ms = await self._attempts.begin(of_address, OF_ADDRESS)
            if not wait_ms:
                wait_ms = await self._attempts.begin(of_name, OF_NAME)
                if wait_ms:  # the password is not looked at, so the address has not failed
                    await self._attempts.take_back(of_address)
        except (ConnectionError, TimeoutError):
            return
        if wait_ms:
            _log.warning("log_in.delayed", address=client.address, wait_ms=wait_ms)
            self._observer.log_in("delayed")
            raise AuthenticationRefused(Code.LOG_IN_DELAYED, wait_ms)

    async def _succeeded(self, of_name: str, of_address: str) -> None:
        try:
            await self._attempts.clear(of_name)
            await self._attempts.take_back(of_address)
        except (ConnectionError, TimeoutError):  # the failures are forgotten in an hour
            return

    def _fits(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False


def store_key(*parts: str) -> str:
    """Return a key that tells no name and no address to a reader of Redis who does not guess them."""
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()
