"""The accounts of operators in PostgreSQL: see `OperatorAccounts`."""

from __future__ import annotations

from typing import Any, Final, LiteralString

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.ledger.operator_log import THE_ROOM, Acting
from pokerroom.ledger.operators import OperatorExists, OperatorRow, OperatorUnknown, Role, check_operator_name
from pokerroom.ledger.postgres.calls import PostgresCalls

_SELECT: Final[LiteralString] = (
    "SELECT name, role, (extract(epoch FROM created) * 1000)::bigint, (extract(epoch FROM expires) * 1000)::bigint,"
    " revoked IS NOT NULL FROM operators"
)


class PostgresOperators(PostgresCalls):
    """An `OperatorAccounts`."""

    def add_operator(
        self,
        name: str,
        role: Role,
        token_hash: bytes,
        valid_s: int | None = None,
        *,
        by: Acting = THE_ROOM,
    ) -> Deferred[None]:

        async def added() -> None:
            check_operator_name(name)
            row = await self._row(
                "WITH changed AS (INSERT INTO operators (name, role, token_hash, expires)"
                " VALUES (%s, %s, %s, now() + make_interval(secs => %s)) ON CONFLICT (name) DO NOTHING RETURNING *)"
                " SELECT log_act(ROW(%s, %s, %s, %s)::acting, 'operator.add', name, json_build_object('role', role))"
                " FROM changed",
                *(name, role.value, token_hash, valid_s, *by.row()),
            )
            if row is None:
                raise OperatorExists(f"the name {name} was used before: choose another one")

        return deferred(added())

    def replace_operator_token(
        self, name: str, token_hash: bytes, valid_s: int | None = None, *, by: Acting = THE_ROOM
    ) -> Deferred[None]:
        return deferred(
            self._changed(
                name,
                "WITH changed AS (UPDATE operators SET token_hash = %s, expires = now() + make_interval(secs => %s)"
                " WHERE name = %s AND revoked IS NULL RETURNING name)"
                " SELECT log_act(ROW(%s, %s, %s, %s)::acting, 'operator.token', name, '{}') FROM changed",
                *(token_hash, valid_s, name, *by.row()),
            )
        )

    def revoke_operator(self, name: str, *, by: Acting = THE_ROOM) -> Deferred[None]:
        return deferred(
            self._changed(
                name,
                "WITH before AS (SELECT name, revoked FROM operators WHERE name = %s FOR UPDATE),"
                " changed AS (UPDATE operators SET revoked = now() FROM before"
                " WHERE operators.name = before.name AND before.revoked IS NULL)"
                " SELECT CASE WHEN revoked IS NULL"
                " THEN log_act(ROW(%s, %s, %s, %s)::acting, 'operator.revoke', name, '{}') END FROM before",
                *(name, *by.row()),
            )
        )

    def operators(self) -> Deferred[list[OperatorRow]]:

        async def found() -> list[OperatorRow]:
            return [_row(*row) for row in await self._rows(_SELECT + " ORDER BY name")]

        return deferred(found())

    def find_operator(self, token_hash: bytes) -> Deferred[OperatorRow | None]:

        async def found() -> OperatorRow | None:
            row = await self._row(
                _SELECT + " WHERE token_hash = %s AND revoked IS NULL AND coalesce(expires > now(), true)",
                token_hash,
            )
            return None if row is None else _row(*row)

        return deferred(found())

    async def _changed(self, name: str, query: LiteralString, *values: Any) -> None:
        if await self._row(query, *values) is None:
            raise OperatorUnknown(f"there is no operator {name}, or it is revoked")


def _row(name: str, role: str, created_ms: int, expires_ms: int | None, is_revoked: bool) -> OperatorRow:
    return OperatorRow(
        name=name, role=Role(role), created_ms=created_ms, expires_ms=expires_ms, is_revoked=is_revoked
    )
