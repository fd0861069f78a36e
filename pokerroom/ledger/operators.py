"""The accounts of operators, apart from those of players: a name, a role, and a token that is stored as its SHA-256.

A token has 256 random bits, so a plain hash cannot be guessed back. An operator has one token; a new one replaces it.
A name is used once: it stays in the log after its operator has left. The clock is that of the ledger.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from twisted.internet.defer import Deferred

from pokerroom.ledger.api import LedgerRefusal
from pokerroom.ledger.operator_log import REASON_MAX, THE_ROOM, Acting, legible

_NAME: Final = re.compile(r"[a-z][a-z0-9._-]{0,31}")


class Role(StrEnum):
    """What kind of work an operator does."""

    VIEWER = "viewer"
    """Looks, and changes nothing."""

    SUPPORT = "support"
    """Helps players with their accounts."""

    FLOOR = "floor"
    """Runs tables and tournaments."""

    CASHIER = "cashier"
    """Decides deposits and withdrawals."""

    ADMIN = "admin"
    """May do everything, and names the other operators."""


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator. `name` is of an operator's account, or `local:USER` for a user of this machine."""

    name: str
    role: Role


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorRow:
    """The account of an operator. `expires_ms` is the end of its token; None: it does not end by itself."""

    name: str
    role: Role
    created_ms: int
    expires_ms: int | None
    is_revoked: bool

    @property
    def operator(self) -> Operator:
        """Who the row is about, with the role."""
        return Operator(self.name, self.role)


class OperatorExists(LedgerRefusal):
    """An operator has or had this name."""

    code = "operator_exists"


class OperatorUnknown(LedgerRefusal):
    """No operator has this name, or it is revoked."""

    code = "operator_unknown"


class OperatorAccounts(Protocol):
    """The part of the ledger that knows operators. Every method may fail with `LedgerUnavailable`.

    What `by` changes is in the operators' log, in the same transaction.
    """

    def add_operator(
        self,
        name: str,
        role: Role,
        token_hash: bytes,
        valid_s: int | None = None,
        *,
        by: Acting = THE_ROOM,
    ) -> Deferred[None]:
        """Stores an operator, with a token that is valid for `valid_s` seconds or without an end.

        Raises `OperatorExists`, also for the name of a revoked one, and `ValueError` for a text that is no name.
        """

    def replace_operator_token(
        self, name: str, token_hash: bytes, valid_s: int | None = None, *, by: Acting = THE_ROOM
    ) -> Deferred[None]:
        """Stores a new token; the old one is void. Raises `OperatorUnknown`."""

    def revoke_operator(self, name: str, *, by: Acting = THE_ROOM) -> Deferred[None]:
        """Ends an operator for ever. Again it is no error. Raises `OperatorUnknown` for a name that was never used."""

    def operators(self) -> Deferred[list[OperatorRow]]:
        """Returns all operators by name, those revoked too."""

    def find_operator(self, token_hash: bytes) -> Deferred[OperatorRow | None]:
        """Returns the operator of a token that is valid now."""


def check_operator_name(name: str) -> None:
    """Raises `ValueError` for a text that is no name of an operator. `local:USER` never is one."""
    if not _NAME.fullmatch(name):
        raise ValueError(
            "The name of an operator has 1 to 32 characters: a small letter, then small letters, digits, '.', '_', '-'."
        )


def new_operator_token() -> str:
    """Return a new token."""
    return f"pko_{secrets.token_urlsafe(32)}"


def operator_token_hash(token: str) -> bytes:
    """Return the hash of a token, as it is stored."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()


def acting_as(operator: Operator, reason: str, address: str = "") -> Acting:
    """Return an operator as the operators' log names one."""
    return Acting(
        who=operator.name, role=operator.role.value, reason=legible(reason, REASON_MAX), address=address
    )
