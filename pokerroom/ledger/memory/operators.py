"""The accounts of operators in memory: see `OperatorAccounts`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.operator_log import MemoryOperatorLog
from pokerroom.ledger.operator_log import THE_ROOM, Acting
from pokerroom.ledger.operators import OperatorExists, OperatorRow, OperatorUnknown, Role, check_operator_name


@dataclass(slots=True, kw_only=True)
class _Account:
    name: str
    role: Role
    token_hash: bytes = field(repr=False)
    created_s: float
    expires_s: float | None
    is_revoked: bool = False

    def row(self) -> OperatorRow:
        return OperatorRow(
            name=self.name,
            role=self.role,
            created_ms=int(self.created_s * 1000),
            expires_ms=None if self.expires_s is None else int(self.expires_s * 1000),
            is_revoked=self.is_revoked,
        )


class MemoryOperators(MemoryOperatorLog):
    """An `OperatorAccounts`."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        super().__init__(now_s)
        self._operators: dict[str, _Account] = {}

    @fired
    def add_operator(
        self,
        name: str,
        role: Role,
        token_hash: bytes,
        valid_s: int | None = None,
        *,
        by: Acting = THE_ROOM,
    ) -> None:
        check_operator_name(name)
        if name in self._operators:
            raise OperatorExists(f"the name {name} was used before: choose another one")
        self._operators[name] = _Account(
            name=name,
            role=role,
            token_hash=token_hash,
            created_s=self._now_s(),
            expires_s=self._end_s(valid_s),
        )
        self._log(by, "operator.add", name, role=role.value)

    @fired
    def replace_operator_token(
        self, name: str, token_hash: bytes, valid_s: int | None = None, *, by: Acting = THE_ROOM
    ) -> None:
        account = self._operators.get(name)
        if account is None or account.is_revoked:
            raise OperatorUnknown(f"there is no operator {name}, or it is revoked")
        account.token_hash, account.expires_s = token_hash, self._end_s(valid_s)
        self._log(by, "operator.token", name)

    @fired
    def revoke_operator(self, name: str, *, by: Acting = THE_ROOM) -> None:
        if name not in self._operators:
            raise OperatorUnknown(f"there is no operator {name}, or it is revoked")
        if not self._operators[name].is_revoked:
            self._operators[name].is_revoked = True
            self._log(by, "operator.revoke", name)

    @fired
    def operators(self) -> list[OperatorRow]:
        return [self._operators[name].row() for name in sorted(self._operators)]

    @fired
    def find_operator(self, token_hash: bytes) -> OperatorRow | None:
        for account in self._operators.values():
            if account.token_hash == token_hash and not account.is_revoked:
                valid = account.expires_s is None or account.expires_s > self._now_s()
                return account.row() if valid else None
        return None

    def _end_s(self, valid_s: int | None) -> float | None:
        return None if valid_s is None else self._now_s() + valid_s
