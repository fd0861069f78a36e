"""What the operator's pages and the commands that ask them say to each other, as JSON. Knows neither of the two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

OPERATOR_HEADER: Final = "X-Pokerroom-Operator"
"""Must be `1` with every POST."""

FORWARDED_HEADER: Final = "X-Pokerroom-Forwarded"
"""Names the node that passes a request on: it is answered for the node that gets it alone, and not passed on again."""

Asked = Literal["close", "open", "freeze", "resume", "void", "void_complete", "move"]
"""What may be asked of a table; `void_complete`: the hand is void even where nothing is left to decide."""

SitAndGoAsked = Literal["cancel", "roll_back", "roll_forward", "pause", "resume"]
"""What may be asked of a tournament."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableReport:
    """A table as its operator sees it; no card is in it.

    `node` is where it lives; None while nobody has it. `state` is then `unowned`, and `unreachable` where that node
    does not answer: nothing else is known of the table in either case. `occupied` of `seats` are held, by accounts of
    which `connected` are; `seats` is None where any number may sit. `waiting` are on its waiting list. `closing` stands
    until the table is opened again. `hand_id` is the hand in progress; `crashes` counts since the table came to live
    there; `frozen` says why it is frozen: `operator`, or the type of an exception, and never an exception's text, which
    may quote the hand.
    """

    table: str
    node: str | None
    name: str
    state: str
    closing: bool
    hand_id: str | None
    seats: int | None
    occupied: int
    connected: int
    waiting: int
    crashes: int
    frozen: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeReport:
    """A node of the room, as the one that answers (`here`) knows it from the directory.

    `leader` is the one that keeps the waiting lists. One that does not live any more is listed until it is forgotten,
    without tables: they are others' by then. `seats` are those that somebody holds at its tables; `ops` is the address
    of its operations port, empty before it is known; `suspended`: it cannot reach the directory, and its tables wait.
    """

    node: str
    here: bool
    living: bool
    leader: bool
    draining: bool
    suspended: bool
    tables: tuple[str, ...]
    seats: int
    ops: str
    uptime_s: int


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
    """The room will do it in its own time; a frozen table, a void hand is done.

    `node` is where a table is to move, `hand_id` the hand that is void.
    """

    table: str
    asked: Asked
    node: str | None = None
    hand_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SitAndGoReport:
    """A tournament that takes entries, or runs: `taken` of `seats`, of whom `left` play.

    `node` is where it runs, and `state` what its table does there; None before the start, and while nobody has it.
    Money is in the smallest unit.
    """

    tournament: str
    offer: str
    phase: str
    seats: int
    taken: int
    left: int
    buy_in: int
    node: str | None = None
    state: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SitAndGoEntry:
    """Who is in a tournament, or has left it before the start. `chips` are as of the last settled hand.

    `returned`: he has his buy-in back, as he has left before the start, or as it was cancelled then.
    """

    account: int
    name: str
    returned: bool
    seat: int | None
    chips: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SitAndGoPlace:
    """Where somebody has finished; `number` is his alone, `place` is shared by who tie."""

    number: int
    place: int
    account: int
    name: str
    prize: int
    paid: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SitAndGoDetail:
    """All there is to know of one tournament, however long it is over."""

    report: SitAndGoReport
    fee: int
    prizes: tuple[int, ...]
    entries: tuple[SitAndGoEntry, ...]
    places: tuple[SitAndGoPlace, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SitAndGoAccepted:
    """It is done, or was before: asked again, the same moves nothing."""

    tournament: str
    asked: SitAndGoAsked


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorRefusal:
    """The room will not do it; `code` is stable."""

    code: str
    message: str


class OrderRefused(Exception):  # noqa: N818 -- an answer to the operator's wish, not a fault
    """Nothing has changed; `refused` says why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.refused = OperatorRefusal(code=code, message=message)
