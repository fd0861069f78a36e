"""What the operator's pages and commands exchange, as JSON. Knows neither of the two."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class TableReport:
    """A table as its operator sees it; it shows no card.

    `node` is where it lives; None while it has no owner. `state` is then `unowned`, and `unreachable` if that node does
    not answer; nothing else is known of the table in either case. `occupied` of `seats` are held, by accounts of which
    `connected` are connected; `seats` is None if any number may sit. `waiting` accounts are on its waiting list.
    `closing` holds until the table is opened again. `hand_id` is the hand in progress. `crashes` counts since the table
    came to live there. `frozen` says why it is frozen: `operator`, or the type of an exception; never an exception's
    text, which may quote the hand. `host` is the name of the player that hosts it; None for a table of the room.
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
    host: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatReport:
    """A taken seat as the operator sees it: no card has a place in it.

    Amounts are in the smallest unit, or tournament chips. `stack` is None at a table against the house, where players
    bet from their wallets; `bet` is then all bets of the box. `acts`: the table waits for this player's decision.
    """

    seat: int
    name: str
    status: str
    connected: bool
    bot: bool
    stack: int | None
    bet: int
    in_hand: bool
    acts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDetail:
    """A table with its seats. `pot` is the sum of the pots, without bets of the street; None between hands.

    `in_chips`: amounts are tournament chips.
    """

    report: TableReport
    seats: tuple[SeatReport, ...] = ()
    pot: int | None = None
    in_chips: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeNow:
    """A node at this moment. `reasons` are those against readiness; empty: it may take players.

    `hands`, `rounds` and `actions` count since the node started, and `processor_ms` is the time of a processor that it
    has used; `at_ms` is a clock of its own that only goes forward, so that two answers of a node give a rate.
    `connections` are the connected clients, by transport.
    """

    node: str
    at_ms: int
    reasons: tuple[str, ...]
    hands: int
    rounds: int
    actions: int
    connections: dict[str, int]
    processor_ms: int = 0  # a node of an earlier version does not tell it


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeCharts:
    """What a node counted over time, in steps of `step` minutes, the oldest first; the last one may be in progress.

    `first_ms` is the beginning of the first step, and `until_ms` the end of the last minute that is over: Unix
    milliseconds. Every series has a number for each step, None where the node knows none. `minutes` are those that it
    knows of each step: it knows none of the time before its start. `connections` and `seats` are those at the end of
    the step. `hands`, `rounds`, `actions`, `refusals` (of clients' messages) and `faults` (of tables) are counts of the
    known minutes. Of the busiest minute are `processor`, in 1/1000 of one processor, and `action_us` and
    `settlement_us`: microseconds that 99 in 100 did not exceed, from the receipt of an action to its fan-out, and to
    settle a batch of hands. These two are bounds of the metrics' buckets; the highest one stands for all that took
    longer.
    """

    node: str
    first_ms: int
    until_ms: int
    step: int
    minutes: tuple[int, ...]
    connections: tuple[int | None, ...]
    seats: tuple[int | None, ...]
    hands: tuple[int | None, ...]
    rounds: tuple[int | None, ...]
    actions: tuple[int | None, ...]
    refusals: tuple[int | None, ...]
    faults: tuple[int | None, ...]
    processor: tuple[int | None, ...]
    action_us: tuple[int | None, ...]
    settlement_us: tuple[int | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerReport:
    """A player's account as an operator sees it. `wallet` is in the smallest unit, `tables` are those with a seat.

    `excluded_until_ms` is None for an exclusion without an end, and without an exclusion. `muted_until_ms`: until when
    the player may not chat; None: the player may.
    """

    account: int
    name: str
    wallet: int
    tables: tuple[str, ...]
    is_locked: bool
    is_excluded: bool
    excluded_until_ms: int | None
    muted_until_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerSession:
    """A log-in of one device that is still valid. `address` is shortened, as in the player's own list."""

    client: str
    address: str
    opened_ms: int
    seen_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerGame:
    """A hand, a round or a tournament that is over for a player. `number` grows in the order of the ledger.

    `subject` is the id of the hand, the round or the tournament, `result` what the player has won or lost in the
    smallest unit, without tips. In a hand of a tournament (`in_chips`) these are its chips. `place` is that of a
    tournament; None for one that was rolled back. The record of an `archived` hand or round is in a file of
    `pokerroom archive`.
    """

    number: int
    kind: Literal["hand", "round", "tournament"]
    subject: str
    table: str
    ended_ms: int
    result: int
    in_chips: bool = False
    place: int | None = None
    archived: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerNote:
    """A note of an operator about a player. `number` is that of its line in the operators' log."""

    number: int
    who: str
    text: str
    at_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryCode:
    """A code with which a player sets a new password, once. It is told once, and stored as a hash."""

    player: str
    code: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerAccepted:
    """The order to a player's account is carried out."""

    player: str
    asked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorIdentity:
    """The operator that asks, and the verbs of the role, sorted."""

    operator: str
    role: str
    verbs: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeReport:
    """A node of the room, as the node that answers (`here`) knows it from the directory.

    `leader` keeps the waiting lists. A node that lives no longer is listed until it is forgotten, without tables: other
    nodes own them. `tournaments` are the ids under which it owns tournaments beside their tables. `seats` are those
    held at its tables. `ops` is the address of its operations port, empty until it is known. `suspended`: it cannot
    reach the directory, and its tables wait.
    """

    node: str
    here: bool
    living: bool
    leader: bool
    draining: bool
    suspended: bool
    tables: tuple[str, ...]
    tournaments: tuple[str, ...] = ()
    seats: int
    ops: str
    uptime_s: int

    @property
    def is_drained(self) -> bool:
        """Whether it is draining, and owns no table and no tournament any more."""
        return self.living and self.draining and not self.tables and not self.tournaments


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountTimeouts:
    """How often the clock put an account all-in (H2).

    `today` (UTC) counts the hand in progress too, `total` all settled hands.
    """

    account: int
    name: str
    today: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """The order is carried out, or will be in the table's own time: a freeze and a void are done.

    `node` is where a table moves, `hand_id` the hand that is void.
    """

    table: str
    asked: str
    node: str | None = None
    hand_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeAccepted:
    """The node is about to do what was asked, or has done it."""

    node: str
    asked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SitAndGoReport:
    """A tournament that takes entries or runs: `taken` of `seats`, and `left` players are not out.

    `node` is where it runs, and `state` what it does there; None before the start and while it has no owner. `tables`
    are those that are open. `starts_ms` is the announced start, Unix milliseconds; None for a sit-and-go. Money is in
    the smallest unit.
    """

    tournament: str
    offer: str
    phase: str
    seats: int
    taken: int
    left: int
    buy_in: int
    tables: int = 0
    starts_ms: int | None = None
    node: str | None = None
    state: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SitAndGoEntry:
    """An account's entry, also of one that left before the start. `chips` are as of the last settled hand.

    `table` is the number of the table of the tournament, and `seat` that of the seat there; None before the start.

    `returned`: the account has its buy-in back, since it left or the tournament was cancelled before the start.
    """

    account: int
    name: str
    returned: bool
    table: int | None
    seat: int | None
    chips: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SitAndGoPlace:
    """The place of an account; `number` belongs to it alone, accounts that tie share `place`."""

    number: int
    place: int
    account: int
    name: str
    prize: int
    paid: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SitAndGoDetail:
    """All that is known of one tournament, however long it is over."""

    report: SitAndGoReport
    fee: int
    prizes: tuple[int, ...]
    entries: tuple[SitAndGoEntry, ...]
    places: tuple[SitAndGoPlace, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SitAndGoAccepted:
    """The order is carried out, or was before: the same order again moves nothing."""

    tournament: str
    asked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferVersion:
    """An order about an offer. `standing` is `offered`, `retired`, or `settings`: as the settings say.

    `terms` are those of an offer that is offered; `before` are those that held until then, if any did.
    """

    number: int
    standing: str
    who: str
    reason: str
    at_ms: int
    terms: dict[str, Any] | None
    before: dict[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferReport:
    """An offer of tournaments. `terms` have the keys of the settings; of one that is retired those that held before.

    `kind` is `sit_and_go` or `tournament`. `ordered` is the order that holds; None while the settings do.
    """

    offer: str
    kind: str
    is_offered: bool
    ordered: OfferVersion | None
    terms: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewWebhookSecret:
    """A new webhook, with the secret that signs its messages. It is told once."""

    number: int
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookTested:
    """A test message was sent. `result` is the HTTP status, or why no answer came."""

    number: int
    is_delivered: bool
    result: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookDecided:
    """Messages of a webhook are tried again, or dropped: so many."""

    number: int
    messages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketEnded:
    """The ticket of this number has ended, now or before."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerWallet:
    """A player of the room; `wallet` is the player's id in the operator's wallet, None without a link."""

    player: str
    account: int
    wallet: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorRefusal:
    """The room refuses; `code` is stable."""

    code: str
    message: str


class OrderRefused(Exception):  # noqa: N818 -- an answer to the operator, not a fault
    """An order was not carried out, and nothing has changed. `code` is stable."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
