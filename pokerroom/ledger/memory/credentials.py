"""Sessions, recovery codes and second factors in memory: see `CredentialLedger`."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from pokerroom.ledger.account_standing import AccountLocked, AccountOverview
from pokerroom.ledger.api import LedgerConflict
from pokerroom.ledger.credentials import (
    LIFETIME,
    NO_DEVICE,
    SEEN_EVERY_S,
    SESSIONS_MAX,
    Device,
    FoundSession,
    PasswordChanged,
    SecondFactorRow,
    SessionLifetime,
    SessionOver,
    SessionRow,
)
from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.operator_log import MemoryOperatorLog
from pokerroom.ledger.operator_log import THE_ROOM, Acting, ArgumentValue, LoggedAct, account_subject


@dataclass(slots=True, kw_only=True)
class _Session:
    number: int
    account: int
    token_hash: bytes = field(repr=False)
    device: Device
    opened_s: float
    seen_s: float
    rotated_s: float
    earlier_hash: bytes | None = field(default=None, repr=False)
    earlier_until_s: float = 0.0
    salt: bytes = field(default_factory=lambda: secrets.token_bytes(16), repr=False)


class MemoryCredentials(MemoryOperatorLog):
    """A `CredentialLedger` that looks at every session for each call: enough for tests and the simulation."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        super().__init__(now_s)
        self._sessions: dict[int, _Session] = {}
        self._session_numbers = count(1)
        self._recovery_codes: dict[int, dict[bytes, float | None]] = {}  # account -> hash -> when it ends
        self._log_ins: dict[
            int, tuple[float | None, float]
        ] = {}  # account -> the log-in before the last, the last
        self._second_factors: dict[int, SecondFactorRow] = {}

    @fired
    def open_session(
        self,
        account: int,
        token_hash: bytes,
        device: Device = NO_DEVICE,
        lifetime: SessionLifetime = LIFETIME,
        *,
        password_hash: str | None = None,
    ) -> int:
        self._check_account(account)
        if account in self._locked:
            raise AccountLocked(f"account {account} is locked")
        if password_hash not in {None, self._accounts[account].password_hash}:
            raise PasswordChanged(f"account {account} has another password now")
        now_s = self._now_s()
        for session in self._sessions.values():
            if session.token_hash == token_hash:
                if session.account != account:
                    raise LedgerConflict("two accounts have a session with the same token")
                session.seen_s = now_s
                return session.number
        own = [session for session in self._sessions.values() if session.account == account]
        own.sort(key=lambda session: (session.seen_s, session.number), reverse=True)
        for place, session in enumerate(own, 1):
            if place >= SESSIONS_MAX or not self._is_valid(session, lifetime):
                del self._sessions[session.number]
        if password_hash is not None:
            before = self._log_ins.get(account, (None, self._opened_s[account]))
            self._log_ins[account] = before[1], now_s
        number = next(self._session_numbers)
        self._sessions[number] = _Session(
            number=number,
            account=account,
            token_hash=token_hash,
            device=device,
            opened_s=now_s,
            seen_s=now_s,
            rotated_s=now_s,
        )
        return number

    def _last_log_in(self, account: int) -> int | None:
        before, _ = self._log_ins.get(account, (None, 0.0))
        return None if before is None else int(before * 1000)

    def _found_session(
        self,
        token_hash: bytes,
        device: Device | None,
        lifetime: SessionLifetime,
        overview: Callable[[int], AccountOverview],
    ) -> FoundSession | None:
        now_s = self._now_s()
        for session in self._by_token(token_hash):
            if self._is_valid(session, lifetime):
                if session.seen_s < now_s - SEEN_EVERY_S or device not in {None, session.device}:
                    session.seen_s, session.device = now_s, device or session.device
                return FoundSession(
                    account=self._accounts[session.account],
                    session=session.number,
                    token_age_s=int(now_s - session.rotated_s),
                    is_earlier=session.token_hash != token_hash,
                    salt=session.salt,
                    overview=overview(session.account),
                )
        return None

    @fired
    def rotate_session(self, token_hash: bytes, new_hash: bytes, overlap_s: int) -> None:
        now_s = self._now_s()
        for session in self._sessions.values():
            if session.token_hash == token_hash:
                session.earlier_hash, session.earlier_until_s = token_hash, now_s + overlap_s
                session.token_hash, session.rotated_s = new_hash, now_s

    @fired
    def use_sessions(self, sessions: Sequence[int], lifetime: SessionLifetime = LIFETIME) -> frozenset[int]:
        now_s = self._now_s()
        found = [self._sessions[number] for number in sessions if number in self._sessions]
        valid = [session for session in found if self._is_valid(session, lifetime)]
        for session in valid:
            if session.seen_s < now_s - SEEN_EVERY_S:
                session.seen_s = now_s
        return frozenset(session.number for session in valid)

    @fired
    def sessions_of(self, account: int, lifetime: SessionLifetime = LIFETIME) -> list[SessionRow]:
        found = [
            SessionRow(
                session=session.number,
                opened_ms=int(session.opened_s * 1000),
                seen_ms=int(session.seen_s * 1000),
                device=session.device,
            )
            for session in self._sessions.values()
            if session.account == account and self._is_valid(session, lifetime)
        ]
        return sorted(found, key=lambda row: (row.seen_ms, row.session), reverse=True)

    @fired
    def end_sessions(
        self, account: int, session: int | None = None, *, but: int | None = None, by: Acting | None = None
    ) -> list[int]:
        ended = self._end_sessions(account, session, but)
        if ended and by is not None:
            named: dict[str, ArgumentValue] = {"count": len(ended)}
            line = LoggedAct(by=by, verb="sessions.ended", subject=account_subject(account), arguments=named)
            self._write_rarely(line, None)
        return ended

    @fired
    def change_password(
        self, account: int, password_hash: str, *, but: int | None = None, by: Acting = THE_ROOM
    ) -> list[int]:
        self._check_account(account)
        if but is not None and (but not in self._sessions or self._sessions[but].account != account):
            raise SessionOver(f"session {but} has ended")
        self._recovery_codes.pop(account, None)
        ended = self._store_password(account, password_hash, but)
        self._log(by, "password.changed", account_subject(account), sessions_ended=len(ended))
        return ended

    @fired
    def replace_recovery_codes(self, account: int, hashes: Sequence[bytes], *, by: Acting = THE_ROOM) -> None:
        self._check_account(account)
        codes = self._recovery_codes.setdefault(account, {})
        for own in [code for code, until_s in codes.items() if until_s is None]:
            del codes[own]
        codes.update(dict.fromkeys(hashes))
        self._log(by, "recovery_codes.made", account_subject(account), count=len(hashes))

    @fired
    def add_recovery_code(
        self, account: int, code_hash: bytes, valid_s: int, *, by: Acting = THE_ROOM
    ) -> None:
        self._check_account(account)
        codes = self._recovery_codes.setdefault(account, {})
        for earlier in [code for code, until_s in codes.items() if until_s is not None]:
            del codes[earlier]
        codes[code_hash] = self._now_s() + valid_s
        self._log(by, "account.recovery_code", account_subject(account), valid_s=valid_s)

    @fired
    def recovery_codes_left(self, account: int) -> int:
        return sum(until_s is None for until_s in self._recovery_codes.get(account, {}).values())

    @fired
    def recover_account(
        self, account: int, code_hash: bytes, password_hash: str, *, by: Acting = THE_ROOM
    ) -> list[int] | None:
        self._check_account(account)
        if not self._is_code(account, code_hash):
            return None
        is_of_operator = self._recovery_codes[account].pop(code_hash) is not None
        if is_of_operator:
            del self._recovery_codes[account]
        ended = self._store_password(account, password_hash, None)
        subject, count = account_subject(account), len(ended)
        self._log(by, "account.recovered", subject, by_operator=is_of_operator, sessions_ended=count)
        return ended

    @fired
    def has_recovery_code(self, account: int, code_hash: bytes) -> bool:
        return self._is_code(account, code_hash)

    @fired
    def use_recovery_code(self, account: int, code_hash: bytes, *, by: Acting = THE_ROOM) -> bool:
        valid = self._is_code(account, code_hash)
        if valid:
            del self._recovery_codes[account][code_hash]
            self._log(by, "recovery_code.used", account_subject(account))
        return valid

    @fired
    def second_factor(self, account: int) -> SecondFactorRow | None:
        return self._second_factors.get(account)

    @fired
    def begin_second_factor(self, account: int, sealed: bytes, *, by: Acting = THE_ROOM) -> bool:
        self._check_account(account)
        present = self._second_factors.get(account)
        if present is not None and present.confirmed:
            return False
        self._second_factors[account] = SecondFactorRow(sealed=sealed, confirmed=False, last_step=0)
        self._log(by, "second_factor.begun", account_subject(account))
        return True

    @fired
    def use_second_factor(self, account: int, step: int, *, by: Acting = THE_ROOM) -> bool:
        present = self._second_factors.get(account)
        if present is None or present.last_step >= step:
            return False
        self._second_factors[account] = replace(present, confirmed=True, last_step=step)
        if not present.confirmed:
            self._log(by, "second_factor.confirmed", account_subject(account))
        return True

    @fired
    def end_second_factor(self, account: int, *, by: Acting = THE_ROOM) -> None:
        if self._second_factors.pop(account, None) is not None:
            self._log(by, "second_factor.ended", account_subject(account))

    def _is_code(self, account: int, code_hash: bytes) -> bool:
        codes = self._recovery_codes.get(account, {})
        if code_hash not in codes:
            return False
        until_s = codes[code_hash]
        return until_s is None or until_s > self._now_s()

    def _store_password(self, account: int, password_hash: str, but: int | None) -> list[int]:
        self._accounts[account] = replace(self._accounts[account], password_hash=password_hash)
        return self._end_sessions(account, None, but)

    def _forget(self, account: int) -> list[int]:
        """Removes all that proves the account; returns the sessions ended."""
        self._recovery_codes.pop(account, None)
        self._second_factors.pop(account, None)
        self._log_ins.pop(account, None)
        return self._end_sessions(account, None, None)

    def _end_sessions(self, account: int, session: int | None, but: int | None) -> list[int]:
        ended = [
            found.number
            for found in self._sessions.values()
            if found.account == account and session in {None, found.number} and found.number != but
        ]
        for number in ended:
            del self._sessions[number]
        return ended

    def _by_token(self, token_hash: bytes) -> Iterator[_Session]:
        now_s = self._now_s()
        for session in self._sessions.values():
            if session.token_hash == token_hash or (
                session.earlier_hash == token_hash and session.earlier_until_s > now_s
            ):
                yield session

    def _is_valid(self, session: _Session, lifetime: SessionLifetime) -> bool:
        now_s = self._now_s()
        return session.seen_s > now_s - lifetime.idle_s and session.opened_s > now_s - lifetime.absolute_s
