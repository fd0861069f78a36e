"""What an account does for its own safety: its sessions, its password, recovery codes, second factor.

Knows the ledger and the work with passwords. A request that ends sessions also closes their connections, here and at
other nodes (`ended`). No token, password or code appears in a log or an error.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, assert_never

import structlog
from cryptography.exceptions import InvalidTag

from pokerroom.gateway.addresses import short_form
from pokerroom.gateway.password_queue import Claimant
from pokerroom.gateway.password_rules import PasswordRules
from pokerroom.gateway.passwords import AuthenticationRefused, Passwords
from pokerroom.gateway.second_factor import new_secret, picture, step_of, uri
from pokerroom.ledger.api import AccountRow
from pokerroom.ledger.credentials import LIFETIME, SecondFactorRow, SessionLifetime
from pokerroom.ledger.operator_log import Acting, account_subject
from pokerroom.ledger.recovery_codes import CODES, code_hash, new_code
from pokerroom.ledger.whole import WholeLedger
from pokerroom.table.seal import Seal
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

_log = structlog.get_logger()

SessionsEnded = Callable[[int, Sequence[int]], None]
"""Closes the connections of these sessions of an account, at all nodes."""


class Known(Protocol):
    """The account and the session of a connection that is logged in."""

    @property
    def account(self) -> int:
        """The account's number."""

    @property
    def name(self) -> str:
        """The account's name."""

    @property
    def session(self) -> int:
        """The session's number in the ledger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPolicy:
    """How long sessions are valid, and when their tokens are replaced. In seconds.

    A token older than `rotate_s` is replaced at the next `resume`, and stays valid for `overlap_s`.
    """

    lifetime: SessionLifetime = LIFETIME
    rotate_s: int = 86_400
    overlap_s: int = 3_600


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondFactorPolicy:
    """The room's name in authenticator apps, the key for secrets at rest, and the wall clock in milliseconds."""

    room: str
    seal: Seal
    now_ms: Callable[[], int]


class AccountSecurity:
    """Answers for accounts that are logged in."""

    def __init__(
        self,
        ledger: WholeLedger,
        passwords: Passwords,
        rules: PasswordRules,
        policy: SessionPolicy,
        second: SecondFactorPolicy,
    ) -> None:
        self._second = second
        self._ledger = ledger
        self._rules = rules
        self._passwords = passwords
        self._lifetime = policy.lifetime

    async def answered(
        self, message: wire.SecurityMessage, client: Claimant, known: Known, ended: SessionsEnded
    ) -> wire.Security | wire.RecoveryCodes | wire.SecondFactor:
        """Answer a request. Raises `AuthenticationRefused`, `ClientGone`, and what the ledger raises."""
        match message:
            case wire.GetSecurity():
                pass
            case wire.EndSessions():
                but = known.session if message.session is None else None
                by = acting(known.account, client)
                over = await self._ledger.end_sessions(known.account, message.session, but=but, by=by)
                _log.info("sessions.ended", account=known.account, count=len(over), address=client.address)
                ended(known.account, over)
            case wire.ChangePassword():
                await self._change_password(message, client, known, ended)
            case wire.MakeRecoveryCodes():
                return await self._make_recovery_codes(message, client, known)
            case wire.BeginSecondFactor():
                return await self._begin_second_factor(message, client, known)
            case wire.ConfirmSecondFactor():
                await self._confirm_second_factor(message, client, known, ended)
            case wire.EndSecondFactor():
                await self._check(
                    client, known, message.password, partial(self.check_code, client, code=message.code)
                )
                await self._ledger.end_second_factor(known.account, by=acting(known.account, client))
                _log.info("second_factor.ended", account=known.account, address=client.address)
            case _:
                assert_never(message)
        return await self._security(message.id, known)

    async def delete(
        self, client: Claimant, message: wire.DeleteAccount, known: Known, source: str | None
    ) -> list[int]:
        """Delete the account; the rest of its wallet goes to this source. Return the sessions ended.

        Raises `AuthenticationRefused`, `ClientGone`, and what the ledger raises.
        """
        await self._check(
            client, known, message.password, partial(self.check_code, client, code=message.code)
        )
        over = await self._ledger.delete_account(known.account, source, by=acting(known.account, client))
        _log.info("account.deleted", account=known.account)
        return over

    async def prove(self, client: Claimant, known: Known, password: str | None) -> None:
        """Let a player prove again who they are. Raises `AuthenticationRefused`, and `ClientGone`."""
        if password is None:
            raise AuthenticationRefused(Code.BAD_CREDENTIALS)
        await self._check(client, known, password)

    async def _change_password(
        self, message: wire.ChangePassword, client: Claimant, known: Known, ended: SessionsEnded
    ) -> None:
        self._check_rules(known.name, message.new_password)
        await self._check(client, known, message.password)
        password_hash = await self._passwords.hash(client, message.new_password)
        by = acting(known.account, client)
        over = await self._ledger.change_password(known.account, password_hash, but=known.session, by=by)
        _log.info("password.changed", account=known.account, address=client.address)
        ended(known.account, over)

    async def _make_recovery_codes(
        self, message: wire.MakeRecoveryCodes, client: Claimant, known: Known
    ) -> wire.RecoveryCodes:
        await self._check(
            client, known, message.password, partial(self.check_code, client, code=message.code)
        )
        codes = [new_code() for _ in range(CODES)]
        hashes = [code_hash(known.account, code) for code in codes]
        await self._ledger.replace_recovery_codes(known.account, hashes, by=acting(known.account, client))
        _log.info("recovery_codes.made", account=known.account, address=client.address)
        return wire.RecoveryCodes(re=message.id, codes=codes)

    async def _begin_second_factor(
        self, message: wire.BeginSecondFactor, client: Claimant, known: Known
    ) -> wire.SecondFactor:
        await self._check(client, known, message.password)
        secret = new_secret()
        sealed = self._second.seal.close(secret.encode(), _about(known.account))
        by = acting(known.account, client)
        if not await self._ledger.begin_second_factor(known.account, sealed, by=by):
            raise AuthenticationRefused(Code.SECOND_FACTOR_ON)
        address = uri(secret, known.name, self._second.room)
        return wire.SecondFactor(re=message.id, secret=secret, uri=address, qr=picture(address))

    async def _confirm_second_factor(
        self, message: wire.ConfirmSecondFactor, client: Claimant, known: Known, ended: SessionsEnded
    ) -> None:
        by = acting(known.account, client)

        async def fits(row: AccountRow) -> None:
            factor = await self._ledger.second_factor(row.account)
            if factor is None or not await self._is_of_app(row.account, factor, message.code, by):
                raise AuthenticationRefused(Code.BAD_CODE)

        await self._check(client, known, message.password, fits)
        over = await self._ledger.end_sessions(known.account, but=known.session, by=by)
        _log.info("second_factor.confirmed", account=known.account, address=client.address)
        ended(known.account, over)

    async def check_code(self, client: Claimant, row: AccountRow, code: str | None) -> None:
        """Check the second factor of an account, if it has one. The code is used up.

        Raises `AuthenticationRefused` with `code_needed` or `bad_code`, or with `log_in_delayed` after many guesses.
        """
        factor = await self._ledger.second_factor(row.account)
        if factor is None or not factor.confirmed:
            return
        if code is None:
            raise AuthenticationRefused(Code.CODE_NEEDED)
        # A recovery code cannot be guessed, so it is not bounded: it lets a player in while a thief guesses codes.
        by = acting(row.account, client)
        if not await self._ledger.use_recovery_code(row.account, code_hash(row.account, code), by=by):
            await self._passwords.guess_second_code(
                client, row.account, partial(self._is_of_app, row.account, factor, code, by)
            )

    async def _is_of_app(self, account: int, factor: SecondFactorRow, code: str, by: Acting) -> bool:
        try:
            secret = self._second.seal.open(factor.sealed, _about(account)).decode()
        except InvalidTag:  # the room has another key now: only a recovery code helps
            _log.error("second_factor.unreadable", account=account)
            return False
        step = step_of(secret, code.replace(" ", ""), self._second.now_ms() / 1000)
        return step is not None and await self._ledger.use_second_factor(account, step, by=by)

    async def recover(self, client: Claimant, message: wire.Recover, ended: SessionsEnded) -> AccountRow:
        """Set a new password with a recovery code, and end all sessions. Return the account as it is now.

        Raises `AuthenticationRefused`.
        """
        self._check_rules(message.name, message.new_password)

        async def redeem(row: AccountRow, password_hash: str) -> tuple[AccountRow, list[int]] | None:
            used = code_hash(row.account, message.code)
            if not await self._ledger.has_recovery_code(row.account, used):
                return None  # only after a right code the answer tells that the account has a second factor
            if message.second_code is not None and code_hash(row.account, message.second_code) == used:
                return None  # it would be used up as the second code, and recover nothing
            await self.check_code(client, row, message.second_code)
            by = acting(row.account, client)
            over = await self._ledger.recover_account(row.account, used, password_hash, by=by)
            return None if over is None else (replace(row, password_hash=password_hash), over)

        find = partial(self._ledger.find_account, message.name)
        row, over = await self._passwords.redeem(client, message.name, message.new_password, find, redeem)
        _log.info("account.recovered", account=row.account, address=client.address)
        ended(row.account, over)
        return row

    def _check_rules(self, name: str, new_password: str) -> None:
        problem = self._rules.problem(name, new_password)
        if problem is not None:
            raise AuthenticationRefused(Code.WEAK_PASSWORD, detail=problem)

    async def _check(
        self,
        client: Claimant,
        known: Known,
        password: str,
        also: Callable[[AccountRow], Awaitable[None]] | None = None,
    ) -> None:
        """Let a player prove again who they are. Raises `AuthenticationRefused`."""

        async def own() -> AccountRow | None:
            """Find it by its number: the operator may have given it a new name, and another account the old one."""
            names = await self._ledger.account_names([known.account])
            row = await self._ledger.find_account(names[known.account])
            return row if row is not None and row.account == known.account else None

        async def permitted(row: AccountRow) -> None:
            await self._passwords.count_change(row.account)  # before a code is used up
            if also is not None:
                await also(row)

        await self._passwords.check(client, known.name, password, own, permitted)

    async def _security(self, re: int, known: Known) -> wire.Security:
        factor = await self._ledger.second_factor(known.account)
        rows = await self._ledger.sessions_of(known.account, self._lifetime)
        return wire.Security(
            re=re,
            second_factor=factor is not None and factor.confirmed,
            recovery_codes=await self._ledger.recovery_codes_left(known.account),
            sessions=[
                wire.SessionView(
                    session=row.session,
                    opened_ms=row.opened_ms,
                    seen_ms=row.seen_ms,
                    client=row.device.client,
                    address=row.device.address,
                    current=row.session == known.session,
                )
                for row in rows
            ],
        )


def acting(account: int, client: Claimant) -> Acting:
    """Return the player as the actor in the operators' log. The address is shortened: a line stays for ever."""
    return Acting(who=account_subject(account), role="player", address=short_form(client.address))


def _about(account: int) -> str:
    return f"second factor of {account}"
