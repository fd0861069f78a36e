"""Sessions, recovery codes and second factors in PostgreSQL: see `CredentialLedger`."""

from __future__ import annotations

from collections.abc import Sequence

from twisted.internet.defer import Deferred

from pokerroom.ledger.api import AccountRow, LedgerConflict
from pokerroom.ledger.credentials import (
    LIFETIME,
    NO_DEVICE,
    SEEN_EVERY_S,
    SESSIONS_MAX,
    Device,
    FoundSession,
    SecondFactor,
    SessionLifetime,
    SessionRow,
)
from pokerroom.ledger.postgres.calls import PostgresCalls, array
from pokerroom.ops.bridge import deferred


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
                "SELECT session, account, account_name, password_hash, token_age_s, is_earlier, salt"
                " FROM find_session(%s, %s, %s, %s, %s, %s)",
                token_hash,
                None if device is None else device.client,
                None if device is None else device.address,
                lifetime.idle_s,
                lifetime.absolute_s,
                SEEN_EVERY_S,
            )
            if row is None:
                return None
            session, account, name, password_hash, token_age_s, is_earlier, salt = row
            return FoundSession(
                account=AccountRow(account=account, name=name, password_hash=password_hash),
                session=session,
                token_age_s=token_age_s,
                is_earlier=is_earlier,
                salt=salt.bytes,
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
        self, account: int, session: int | None = None, *, but: int | None = None
    ) -> Deferred[list[int]]:

        async def ended() -> list[int]:
            rows = await self._rows(
                "DELETE FROM sessions WHERE account = %s AND id = coalesce(%s, id)"
                " AND id IS DISTINCT FROM %s::bigint RETURNING id",
                account,
                session,
                but,
            )
            return sorted(row[0] for row in rows)

        return deferred(ended())

    def change_password(
        self, account: int, password_hash: str, *, but: int | None = None
    ) -> Deferred[list[int]]:

        async def changed() -> list[int]:
            rows = await self._rows("SELECT change_password(%s, %s, %s)", account, password_hash, but)
            return sorted(row[0] for row in rows)

        return deferred(changed())

    def replace_recovery_codes(self, account: int, hashes: Sequence[bytes]) -> Deferred[None]:
        return deferred(self._done("SELECT replace_recovery_codes(%s, %s::bytea[])", account, list(hashes)))

    def add_recovery_code(self, account: int, code_hash: bytes, valid_s: int) -> Deferred[None]:
        return deferred(self._done("SELECT add_recovery_code(%s, %s, %s)", account, code_hash, valid_s))

    def recovery_codes_left(self, account: int) -> Deferred[int]:
        return deferred(
            self._value("SELECT count(*) FROM recovery_codes WHERE account = %s AND expires IS NULL", account)
        )

    def recover_account(
        self, account: int, code_hash: bytes, password_hash: str
    ) -> Deferred[list[int] | None]:

        async def recovered() -> list[int] | None:
            row = await self._row(
                "SELECT valid, ended FROM recover_account(%s, %s, %s)", account, code_hash, password_hash
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

    def use_recovery_code(self, account: int, code_hash: bytes) -> Deferred[bool]:

        async def used() -> bool:
            row = await self._row(
                "DELETE FROM recovery_codes WHERE account = %s AND code_hash = %s"
                " AND coalesce(expires > now(), true) RETURNING account",
                account,
                code_hash,
            )
            return row is not None

        return deferred(used())

    def second_factor(self, account: int) -> Deferred[SecondFactor | None]:

        async def found() -> SecondFactor | None:
            row = await self._row(
                "SELECT sealed, confirmed, last_step FROM second_factors WHERE account = %s", account
            )
            if row is None:
                return None
            return SecondFactor(sealed=row[0], confirmed=row[1], last_step=row[2])

        return deferred(found())

    def begin_second_factor(self, account: int, sealed: bytes) -> Deferred[bool]:

        async def begun() -> bool:
            row = await self._row(
                "INSERT INTO second_factors (account, sealed) VALUES (%s, %s) ON CONFLICT (account)"
                " DO UPDATE SET sealed = excluded.sealed, last_step = 0 WHERE NOT second_factors.confirmed"
                " RETURNING account",
                account,
                sealed,
            )
            return row is not None

        return deferred(begun())

    def use_second_factor(self, account: int, step: int) -> Deferred[bool]:

        async def used() -> bool:
            row = await self._row(
                "UPDATE second_factors SET confirmed = true, last_step = %s"
                " WHERE account = %s AND last_step < %s RETURNING account",
                step,
                account,
                step,
            )
            return row is not None

        return deferred(used())

    def end_second_factor(self, account: int) -> Deferred[None]:
        return deferred(self._done("DELETE FROM second_factors WHERE account = %s", account))
