"""The contract for the operators' log: what operators did to the room, and what players did for their accounts.

A line is written in the transaction of the change that it tells of, or before an order is carried out, and stays for
ever. Each line has the hash of the line before it, so a line that is changed, removed, added or moved later does not
fit. No line has a password, a code, a token or a card.

    hash = SHA-256(hash of the line before, then each field in the order of `LoggedAct` and `LogLine` as a netstring)

The first line follows 32 bytes of zero. A netstring is `<number of bytes>:<bytes>,`. The arguments are hashed as the
JSON text that is stored.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

import msgspec
from twisted.internet.defer import Deferred

ArgumentValue = str | int | bool | None

NO_HASH: Final = bytes(32)
"""What the first line follows."""

TEXT_MAX: Final = 200
REASON_MAX: Final = 500
"""The longest texts of a line, in characters."""

SAME_PER_HOUR: Final = 10
RARE_PER_HOUR: Final = 100
"""[D] Bounds of `record_rarely`: lines of one verb in an hour, with the same actor, subject and address, and in all."""

HOUR_MS: Final = 3_600_000

ORDERED: Final = "ordered"
"""The result in the line of an order that is about to be carried out."""

DONE: Final = "done"

SIGNIFICANT: Final = frozenset({
    "account.delete", "account.exclude", "account.lock", "account.recovery_code", "account.unlock", "audit.failed",
    "cashier.adjust", "cashier.approve_adjustment", "cashier.close", "cashier.end_ticket", "cashier.four_eyes",
    "cashier.fund", "cashier.give_ticket", "cashier.open", "offer.change", "operator.add", "operator.revoke",
    "operator.token", "sng.cancel", "sng.roll_back", "sng.roll_forward", "table.fault", "table.freeze", "table.move",
    "table.resume", "table.void", "table.void_complete", "wallet.link", "wallet.unlink", "webhook.add", "webhook.off",
    "webhook.remove",
})  # fmt: skip
"""The verbs of significant events; the SQL function `is_significant` has the same."""

_SECRETS: Final = ("password", "secret", "token", "code", "card", "deck", "hole", "hash", "sealed")


def legible(text: str, longest: int = TEXT_MAX) -> str:
    """Text from outside as a line can have it: cut, and each character that cannot be shown is a question mark."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:longest])


@dataclass(frozen=True, slots=True, kw_only=True)
class Acting:
    """Who acts, why, and from where.

    `who` is an operator's name, `local:<user>` for a user of the room's machine, `account:<number>` for a player, or
    `room`. `role` is the operator's, `player`, or empty.
    """

    who: str
    role: str = ""
    reason: str = ""
    address: str = ""

    def row(self) -> tuple[str, str, str, str]:
        """The fields in the order of the database's type."""
        return self.who, self.role, self.reason, self.address


def account_subject(account: int) -> str:
    """How a line names a player's account, as its actor or as what it is about."""
    return f"account:{account}"


def acting_row(by: Acting | None) -> tuple[str | None, ...]:
    """The fields of an actor for the database, nulls if there is none: then the change has no line."""
    return (None, None, None, None) if by is None else by.row()


NOTE_VERB: Final = "account.note"
"""The verb of lines that are notes of operators about an account: the reason is the note. They have an index."""

THE_ROOM: Final = Acting(who="room")
"""The room itself, by its settings."""

STRANGER: Final = "stranger"
"""The actor for a client that did not log in, or has no valid token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedAct:
    """What was done or refused. `verb` is that of `operator_roles.VERBS`, or an event such as `password.changed`."""

    by: Acting
    verb: str
    subject: str = ""
    arguments: Mapping[str, ArgumentValue] = field(default_factory=dict)
    result: str = DONE

    def __post_init__(self) -> None:
        """Refuse a secret, as the last line of defence: no caller should name one in the first place."""
        for name in self.arguments:
            if any(secret in name.lower() for secret in _SECRETS):
                raise ValueError(f"the argument {name} does not belong in the log")

    @property
    def in_all_per_hour(self) -> int | None:
        """After how many lines of its verb in an hour it is not written. None: strangers hide no operator."""
        return RARE_PER_HOUR if self.by.who == STRANGER else None


def refusal_line(by: Acting, verb: str, refused: Exception) -> LoggedAct:
    """Return the line of an order that the ledger refused."""
    return LoggedAct(
        by=by,
        verb="operator.refused",
        subject=verb,
        arguments={"refused": type(refused).__name__},
        result=legible(first_line(refused)),
    )


def first_line(refused: Exception) -> str:
    """Return the first line of an exception's message; PostgreSQL adds where it was raised."""
    return str(refused).splitlines()[0] if str(refused) else type(refused).__name__


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """A line of the log. `n` counts from 1 without gaps; `arguments` is the JSON text."""

    n: int
    at_ms: int
    by: Acting
    verb: str
    subject: str
    arguments: str
    result: str
    prev_hash: bytes
    hash: bytes

    @property
    def is_significant(self) -> bool:
        """Whether it is a significant event: something that was done. A ticket that the room ends by itself is none."""
        by_itself = self.verb == "cashier.end_ticket" and self.by.who == THE_ROOM.who
        return self.result == DONE and self.verb in SIGNIFICANT and not by_itself

    def named(self) -> dict[str, ArgumentValue]:
        """The arguments by name."""
        return msgspec.json.decode(self.arguments, type=dict[str, ArgumentValue])

    def facts(self) -> dict[str, ArgumentValue]:
        """The line as JSON shows it: `arguments` as their text, hashes in hex digits."""
        by = self.by
        return {
            "n": self.n,
            "at_ms": self.at_ms,
            "who": by.who,
            "role": by.role,
            "verb": self.verb,
            "subject": self.subject,
            "arguments": self.arguments,
            "reason": by.reason,
            "result": self.result,
            "address": by.address,
            "prev_hash": self.prev_hash.hex(),
            "hash": self.hash.hex(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class LogHead:
    """The last line of the log: its number and hash. Without a line 0 and zeros."""

    n: int = 0
    hash: bytes = NO_HASH

    def __str__(self) -> str:
        return f"{self.n}:{self.hash.hex()}"

    @classmethod
    def read(cls, text: str) -> LogHead:
        """The head of such a text. Raises ValueError."""
        found = re.fullmatch(r"([0-9]{1,18}):([0-9a-f]{64})", text)
        if found is None:
            raise ValueError("write a head as NUMBER:HASH, with the 64 hex digits of the hash")
        return cls(n=int(found[1]), hash=bytes.fromhex(found[2]))


@dataclass(frozen=True, slots=True, kw_only=True)
class LogQuery:
    """Which lines: at or after `since_ms`, of one actor, of one verb or its group (`cashier`), about one subject.

    `before`: with lower numbers.

    With `until_ms` before that time. `is_significant`: only significant events. The first `skip` are left out.
    """

    since_ms: int = 0
    until_ms: int | None = None
    is_significant: bool = False
    who: str | None = None
    verb: str | None = None
    subject: str | None = None
    before: int | None = None
    skip: int = 0
    limit: int = 200


class OperatorLog(Protocol):
    """The log. Every method may fail with `LedgerUnavailable`: then nothing may be done that needs a line."""

    def record(self, act: LoggedAct) -> Deferred[int]:
        """Writes a line and returns its number. Changes of the ledger write their line themselves."""

    def record_rarely(self, act: LoggedAct) -> Deferred[int | None]:
        """Writes a line of what strangers can cause. None, and nothing is written, beyond the bounds of an hour.

        They are `SAME_PER_HOUR` lines of a verb with the same actor, subject and address, and for strangers
        `RARE_PER_HOUR` lines of the verb. Such a verb has no lines of `record`.
        """

    def log_lines(self, query: LogQuery) -> Deferred[list[LogLine]]:
        """The newest lines that fit, newest first."""

    def log_head(self) -> Deferred[LogHead]:
        """The last line."""


def stored_arguments(arguments: Mapping[str, ArgumentValue]) -> str:
    """The JSON text of arguments."""
    return msgspec.json.encode(arguments, order="sorted").decode()


def hash_of(line: LogLine) -> bytes:
    """The hash that belongs to a line, from its fields and `prev_hash`. The SQL function `line_hash` is the same."""
    by = line.by
    digest = hashlib.sha256(line.prev_hash)
    for part in (
        *(str(line.n), str(line.at_ms), by.who, by.role, line.verb, line.subject),
        *(line.arguments, by.reason, line.result, by.address),
    ):
        encoded = part.encode()
        digest.update(b"%d:%b," % (len(encoded), encoded))
    return digest.digest()


class ChainCheck:
    """Follows the chain, line by line, and keeps the last one only. It names the first line that does not fit."""

    def __init__(self) -> None:
        self.head = LogHead()
        self.problem: str | None = None

    def follow(self, line: LogLine) -> bool:
        """Whether the chain fits up to this line."""
        before = self.head
        if line.n != before.n + 1:
            self.problem = f"line {before.n + 1} of the operators' log is missing"
        elif line.hash != hash_of(line):
            self.problem = f"line {line.n} of the operators' log was changed"
        elif line.prev_hash != before.hash:
            self.problem = f"line {line.n} of the operators' log does not follow line {before.n}"
        else:
            self.head = LogHead(n=line.n, hash=line.hash)
        return self.problem is None

    def end(self, head: LogHead) -> None:
        """Compares the end with the stored head."""
        if self.problem is None and head != self.head:
            other = " with another hash" if head.n == self.head.n else ""
            self.problem = (
                f"the operators' log ends with line {self.head.n}, its head is line {head.n}{other}"
            )
