"""Hashing and verifying passwords: bounded, fair between addresses, and slower after each wrong guess.

A wrong password costs its address a growing wait, for the account that was tried (`OF_NAME`) and later for all accounts
(`OF_ADDRESS`). Other addresses do not wait, so a stranger cannot lock an account. A wrong second code after a right
password also counts for the account (`OF_SECOND_CODE`). The failures are counted in Redis for all nodes; while it is
away, only the queue bounds the guesses.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final, TypeVar

import structlog
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from twisted.internet.defer import Deferred

from pokerroom.coordination.api import GuessCount, GuessLimit, LogInAttempts
from pokerroom.gateway.addresses import owner_of, short_form
from pokerroom.gateway.counted_attempts import CountedAttempts, store_key
from pokerroom.gateway.password_queue import Claimant, PasswordQueue, QueueFull
from pokerroom.ledger.api import AccountRow, LedgerUnavailable
from pokerroom.ledger.operator_log import (
    STRANGER,
    Acting,
    ArgumentValue,
    LoggedAct,
    OperatorLog,
    account_subject,
)
from pokerroom.ops.observer import Observer
from pokerroom_protocol.errors import Code

# OWASP's second choice for argon2id: 19 MiB, two passes, one lane
_TIME_COST, _MEMORY_KIB, _PARALLELISM = 2, 19 * 1024, 1

OF_NAME: Final = GuessLimit(free=5, wait_s_max=300)
"""[D] For one account from one address."""

OF_ADDRESS: Final = GuessLimit(free=50, wait_s_max=60)
"""[D] For all accounts from one address, which many players may share."""

OF_SECOND_CODE: Final = GuessLimit(free=10, wait_s_max=3_600, kept_s=86_400)
"""[D] For the codes of one account's authenticator app, from all addresses: 24 guesses a day after the first ones.

Only a player or a thief with the right password reaches it, so no stranger can lock an account.
"""

OF_CHANGES: Final = GuessLimit(free=20, wait_s_max=3_600)
"""[D] For changes of password, codes and second factor: each is a line of a log that is kept for ever."""

FULL_MS: Final = 1_000
"""[D] A client that finds the queue full is asked to wait this long."""

_Counted = tuple[GuessCount, GuessLimit]

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
        log: OperatorLog,
        hasher: PasswordHasher | None = None,
    ) -> None:
        self._in_thread = in_thread
        self._operator_log = log
        self._attempts = CountedAttempts(attempts)
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

    async def fits(self, client: Claimant, stored: str | None, password: str) -> bool:
        """Return whether the password is the one of which `stored` is the hash.

        None: there is none, which takes as long. Counts no guess. Raises as `hash`.
        """
        await self._enter(client)
        try:
            fits = await self._in_thread(self._fits, stored or self._of_no_account, password)
        finally:
            self._queue.leave()
        return bool(fits and stored is not None)

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

        async def proven(row: AccountRow | None) -> AccountRow:
            stored = row.password_hash if row else self._of_no_account
            if not await self._in_thread(self._fits, stored, password) or row is None:
                raise AuthenticationRefused(Code.BAD_CREDENTIALS)
            if also is not None:
                await also(row)
            return row

        return await self._attempt(client, name, find, proven)

    async def redeem(
        self,
        client: Claimant,
        name: str,
        new_password: str,
        find: Callable[[], Awaitable[AccountRow | None]],
        redeem: Callable[[AccountRow, str], Awaitable[_T | None]],
    ) -> _T:
        """Set a new password with a code. `redeem` gets the account and the hash; None means that the code is wrong.

        A wrong code is a wrong guess, as a wrong password is. Raises `AuthenticationRefused` with `bad_code`, and what
        `check` and `redeem` raise.
        """

        async def proven(row: AccountRow | None) -> _T:
            hashed = await self._in_thread(self._hasher.hash, new_password)
            redeemed = None if row is None else await redeem(row, hashed)
            if redeemed is None:
                raise AuthenticationRefused(Code.BAD_CODE)
            return redeemed

        return await self._attempt(client, name, find, proven)

    async def guess_second_code(
        self, client: Claimant, account: int, is_right: Callable[[], Awaitable[bool]]
    ) -> None:
        """Look at a second code of an account, after its password or a recovery code was right.

        Guesses from all addresses count together. Raises `AuthenticationRefused` with `bad_code`, or with
        `log_in_delayed` without having looked.
        """
        key = store_key("second code", str(account))
        count = await self._attempts.begin(key, OF_SECOND_CODE)
        if count.wait_ms:
            raise AuthenticationRefused(Code.LOG_IN_DELAYED, count.wait_ms)
        if not await is_right():
            await self._record_delay(client, account, second_factor=(count, OF_SECOND_CODE))
            raise AuthenticationRefused(Code.BAD_CODE)
        await self._attempts.clear(key)

    async def count_change(self, account: int) -> None:
        """Count a change that the account is about to make. Raises `AuthenticationRefused` with `log_in_delayed`.

        Only a right password comes so far, so no stranger can keep an account from a change.
        """
        count = await self._attempts.begin(store_key("changes", str(account)), OF_CHANGES)
        if count.wait_ms:
            many = "You have made too many changes. Wait before you try again."
            raise AuthenticationRefused(Code.LOG_IN_DELAYED, count.wait_ms, many)

    def gone(self, client: Claimant) -> None:
        """End what a client waits for that has hung up. See `PasswordQueue.gone`."""
        self._queue.gone(client)

    async def _attempt(
        self,
        client: Claimant,
        name: str,
        find: Callable[[], Awaitable[AccountRow | None]],
        proven: Callable[[AccountRow | None], Awaitable[_T]],
    ) -> _T:
        """Return what `proven` makes of the account that was found. What it refuses is a wrong guess."""
        await self._enter(client)
        try:
            owner = owner_of(client.address)
            of_name, of_address = store_key(owner, name.casefold()), store_key(owner)
            row = await find()  # before the attempt counts: it may fail
            counts = await self._begin(client, of_name, of_address)
            try:
                proof = await proven(row)
            except AuthenticationRefused as refused:
                if refused.code in {Code.CODE_NEEDED, Code.LOG_IN_DELAYED}:  # no guess was looked at
                    # The failures before stay: else a right password would allow more guesses of codes.
                    await self._attempts.take_back(of_name, of_address)
                if refused.code is Code.LOG_IN_DELAYED:
                    self._note_delay(client, refused.retry_after_ms)
                elif refused.code is not Code.CODE_NEEDED:
                    _log.warning("log_in.failed", address=client.address)
                    self._observer.log_in("failed")
                    await self._record_delay(client, None if row is None else row.account, **counts)
                raise
            self._observer.log_in("succeeded")
            await self._attempts.clear(of_name)
            await self._attempts.take_back(of_address)
        finally:
            self._queue.leave()
        return proof

    async def _enter(self, client: Claimant) -> None:
        try:
            await self._queue.enter(client)
        except QueueFull:
            raise AuthenticationRefused(Code.UNAVAILABLE, FULL_MS) from None

    async def _begin(self, client: Claimant, of_name: str, of_address: str) -> dict[str, _Counted]:
        """Count the attempt as a failure until it has succeeded; refuse it if it has to wait."""
        by_address = by_name = await self._attempts.begin(of_address, OF_ADDRESS)
        if not by_address.wait_ms:
            by_name = await self._attempts.begin(of_name, OF_NAME)
            if by_name.wait_ms:  # the password is not looked at, so the address has not failed
                await self._attempts.take_back(of_address)
        if by_name.wait_ms:
            self._note_delay(client, by_name.wait_ms)
            raise AuthenticationRefused(Code.LOG_IN_DELAYED, by_name.wait_ms)
        return {"name": (by_name, OF_NAME), "address": (by_address, OF_ADDRESS)}

    async def _record_delay(self, client: Claimant, account: int | None, **counts: _Counted) -> None:
        """Write to the operators' log that this failure begins a wait or makes it longer, with the seconds.

        Never the name that was tried: it may be a password. While the ledger is away only the room's own log has it.
        """
        waits: dict[str, ArgumentValue] = {
            f"{of}_wait_s": limit.wait_ms(count.failures) // 1000
            for of, (count, limit) in counts.items()
            if limit.begins_wait(count.failures)
        }
        if waits:
            by = Acting(who=STRANGER, address=short_form(client.address))
            subject = "" if account is None else account_subject(account)
            act = LoggedAct(by=by, verb="log_in.delayed", subject=subject, arguments=waits, result="refused")
            with suppress(LedgerUnavailable):
                await self._operator_log.record_rarely(act)

    def _note_delay(self, client: Claimant, wait_ms: int | None) -> None:
        _log.warning("log_in.delayed", address=client.address, wait_ms=wait_ms)
        self._observer.log_in("delayed")

    def _fits(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False
