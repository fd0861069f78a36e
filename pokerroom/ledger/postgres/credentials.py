"""Sessions, recovery codes and second factors in PostgreSQL: see `CredentialLedger`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import LiteralString

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.ledger.api import AccountRow, LedgerConflict
from pokerroom.ledger.credentials import (
    LIFETIME,
    NO_DEVICE,
    SEEN_EVERY_S,
    SESSIONS_MAX,
    Device,
    FoundSession,
    SecondFactorRow,
    SessionLifetime,
    SessionRow,
)
from pokerroom.ledger.operator_log import SAME_PER_HOUR, THE_ROOM, Acting, acting_row
from pokerroom.ledger.postgres.account_standing import OVERVIEW, overview_of
from pokerroom.ledger.postgres.calls import PostgresCalls, array


class PostgresCredentials(PostgresCalls):
    """A `CredentialLedger`."""

    def open_session(
        self,
        account: int,
        token_hash: bytes,
        device: Device = NO_DEVICE,
        lifetime: SessionLifetime = LIFETIME,
        *,
        password_hash: str | None = None,
    ) -> Deferred[int]:

        async def opened() -> int:
            session: int | None = await self._value(
                "SELECT open_session(%s, %s, %s, %s, %s, %s, %s, %s)",
                account,
                token_hash,
                device.client,
                device.address,
                lifetime.idle_s,
                lifetime.absolute_s,
                SESSIONS_MAX,
                password_hash,
            )
            if session is None:
                raise LedgerConflict("two accounts have a session with the same token")
            return session

        return deferred(opened())

    def find_session(
        self, token_hash: bytes, device: Device | None = None, lifetime: SessionLifetime = LIFETIME
    ) -> Deferred[FoundSession | None]:

        async def found() -> FoundSession | None:
            row = await self._row(
                "SELECT session, account, account_name, password_hash, token_age_s, is_earlier, salt,"  # noqa: S608 -- a constant
                f" {OVERVIEW} FROM find_session(%s, %s, %s, %s, %s, %s), account_overview(account)",
                token_hash,
                None if device is None else device.client,
                None if device is None else device.address,
                lifetime.idle_s,
                lifetime.absolute_s,
                SEEN_EVERY_S,
            )
            if row is None:
                return None
            session, account, name, password_hash, token_age_s, is_earlier, salt, *overview = row
            return FoundSession(
                account=AccountRow(account=account, name=name, password_hash=password_hash),
                session=session,
                token_age_s=token_age_s,
                is_earlier=is_earlier,
                salt=salt.bytes,
                overview=overview_of(overview),
            )

        return deferred(found())

    def rotate_session(self, token_hash: bytes, new_hash: bytes, overlap_s: int) -> Deferred[None]:
        return deferred(
            self._done(
                "UPDATE sessions SET token_hash = %s, rotated = now(), earlier_hash = token_hash,"
                " earlier_until = now() + make_interval(secs => %s) WHERE token_hash = %s",
                new_hash,
                overlap_s,
                token_hash,
            )
        )

    def use_sessions(
        self, sessions: Sequence[int], lifetime: SessionLifetime = LIFETIME
    ) -> Deferred[frozenset[int]]:

        async def used() -> frozenset[int]:
            rows = await self._rows(
                "SELECT use_sessions(%s::bigint[], %s, %s, %s)",
                array(sessions),
                lifetime.idle_s,
                lifetime.absolute_s,
                SEEN_EVERY_S,
            )
            return frozenset(row[0] for row in rows)

        return deferred(used())

    def sessions_of(self, account: int, lifetime: SessionLifetime = LIFETIME) -> Deferred[list[SessionRow]]:

        async def found() -> list[SessionRow]:
            rows = await self._rows(
                "SELECT id, (extract(epoch FROM created) * 1000)::bigint, (extract(epoch FROM seen) * 1000)::bigint,"
                " client, address FROM sessions WHERE account = %s AND is_valid_session(seen, created, %s, %s)"
                " ORDER BY seen DESC, id DESC",
                account,
                lifetime.idle_s,
                lifetime.absolute_s,
            )
            return [
                SessionRow(
                    session=session,
                    opened_ms=opened_ms,
                    seen_ms=seen_ms,
                    device=Device(client=client, address=address),
                )
                for session, opened_ms, seen_ms, client, address in rows
            ]

        return deferred(found())

    def end_sessions(
        self, account: int, session: int | None = None, *, but: int | None = None, by: Acting | None = None
    ) -> Deferred[list[int]]:

        async def ended() -> list[int]:
            rows = await self._rows(
                "SELECT end_sessions(%s, %s, %s, ROW(%s, %s, %s, %s)::acting, %s)",
                account,
                session,
                but,
                *acting_row(by),
                SAME_PER_HOUR,
            )
            return sorted(row[0] for row in rows)

        return deferred(ended())

    def change_password(
        self, account: int, password_hash: str, *, but: int | None = None, by: Acting = THE_ROOM
    ) -> Deferred[list[int]]:

        async def changed() -> list[int]:
            rows = await self._rows(
                "SELECT change_password(%s, %s, %s, ROW(%s, %s, %s, %s)::acting)",
                account,
                password_hash,
                but,
                *by.row(),
            )
            return sorted(row[0] for row in rows)

        return deferred(changed())

    def replace_recovery_codes(
        self, account: int, hashes: Sequence[bytes], *, by: Acting = THE_ROOM
    ) -> Deferred[None]:
        query: LiteralString = "SELECT replace_recovery_codes(%s, %s::bytea[], ROW(%s, %s, %s, %s)::acting)"
        return deferred(self._done(query, account, list(hashes), *by.row()))

    def add_recovery_code(
        self, account: int, code_hash: bytes, valid_s: int, *, by: Acting = THE_ROOM
    ) -> Deferred[None]:
        query: LiteralString = "SELECT add_recovery_code(%s, %s, %s, ROW(%s, %s, %s, %s)::acting)"
        return deferred(self._done(query, account, code_hash, valid_s, *by.row()))

    def recovery_codes_left(self, account: int) -> Deferred[int]:
        return deferred(
            self._value("SELECT count(*) FROM recovery_codes WHERE account = %s AND expires IS NULL", account)
        )

    def recover_account(
        self, account: int, code_hash: bytes, password_hash: str, *, by: Acting = THE_ROOM
    ) -> Deferred[list[int] | None]:

        async def recovered() -> list[int] | None:
            row = await self._row(
                "SELECT valid, ended FROM recover_account(%s, %s, %s, ROW(%s, %s, %s, %s)::acting)",
                account,
                code_hash,
                password_hash,
                *by.row(),
            )
            assert row is not None, "a function returns a row"
            valid, ended = row
            return sorted(ended) if valid else None

        return deferred(recovered())

    def has_recovery_code(self, account: int, code_hash: bytes) -> Deferred[bool]:
        return deferred(
            self._value(
                "SELECT EXISTS (SELECT FROM recovery_codes WHERE account = %s AND code_hash = %s"
                " AND coalesce(expires > now(), true))",
                account,
                code_hash,
            )
        )

    def use_recovery_code(self, account: int, code_hash: bytes, *, by: Acting = THE_ROOM) -> Deferred[bool]:
        query: LiteralString = "SELECT use_recovery_code(%s, %s, ROW(%s, %s, %s, %s)::acting)"
        return deferred(self._value(query, account, code_hash, *by.row()))

    def second_factor(self, account: int) -> Deferred[SecondFactorRow | None]:

        async def found() -> SecondFactorRow | None:
            row = await self._row(
                "SELECT sealed, confirmed, last_step FROM second_factors WHERE account = %s", account
            )
            if row is None:
                return None
            return SecondFactorRow(sealed=row[0], confirmed=row[1], last_step=row[2])

        return deferred(found())

    def begin_second_factor(self, account: int, sealed: bytes, *, by: Acting = THE_ROOM) -> Deferred[bool]:
        query: LiteralString = "SELECT begin_second_factor(%s, %s, ROW(%s, %s, %s, %s)::acting)"
        return deferred(self._value(query, account, sealed, *by.row()))

    def use_second_factor(self, account: int, step: int, *, by: Acting = THE_ROOM) -> Deferred[bool]:
        query: LiteralString = "SELECT use_second_factor(%s, %s, ROW(%s, %s, %s, %s)::acting)"
        return deferred(self._value(query, account, step, *by.row()))

    def end_second_factor(self, account: int, *, by: Acting = THE_ROOM) -> Deferred[None]:
        return deferred(
            self._done("SELECT end_second_factor(%s, ROW(%s, %s, %s, %s)::acting)", account, *by.row())
        )
