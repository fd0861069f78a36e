"""What the operator's pages and the commands that ask them say to each other, as JSON. Knows neither of the two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

OPERATOR_HEADER: Final = "X-Pokerroom-Operator"
"""Must be `1` with every POST."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableReport:
    """A table as its operator sees it; no card is in it.

    `occupied` of `seats` are held, by accounts of which `connected` are; `waiting` are on its waiting list.
    `closing` stands until the table is opened again. `hand_id` is the hand in progress; `crashes` counts since the
    room started; `frozen` says why it is frozen, for example the type of an exception, and never an exception's text,
    which may quote the hand.
    """

    table: str
    name: str
    state: str
    closing: bool
    hand_id: str | None
    seats: int
    occupied: int
    connected: int
    waiting: int
    crashes: int
    frozen: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountTimeouts:
    """How often an account was all-in by the clock (H2).

    `today` (UTC) counts the hand in progress too, `total` the settled hands since ever.
    """

    account: int
    name: str
    today: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """The room will do it in its own time."""

    table: str
    asked: Literal["close", "open"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The room will not do it; `code` is stable."""

    code: str
    message: str
