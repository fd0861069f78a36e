"""The contract for deposits and withdrawals, with the rules of `api`.

Money comes from a source that the operator has opened and funded, and returns to one. Ledger accounts:

    source:<name>    what can still be deposited through this source: funded from the bank and from withdrawals
    held             money that left wallets for pending withdrawals

A request has a key that its account uses once. The permanent keys of transfers:

    source:<name>:<key>          the operator funds a source
    cash:<account>:<key>         a withdrawal is requested: wallet to `held`
    cash:<account>:<key>:end     the decision: `held` to source or back to the wallet; for a deposit, source to wallet

Money moves once, however often a request is decided. A deposit that is refused moves nothing.

A *refill* of play money is a deposit that is approved at once, by fixed terms. Its key begins with `refill:`, which no
key of a client does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.ledger.api import InsufficientBalance, LedgerRefusal
from pokerroom.ledger.operator_log import THE_ROOM, Acting

NOTE_MAX: Final = 200
"""The longest note to a player, in characters."""

CashKind = Literal["deposit", "withdrawal"]
CashState = Literal["waiting", "approved", "refused"]


class UnknownSource(LedgerRefusal):
    """The source does not exist, or the operator has closed it."""

    code = "unknown_source"


class CashKeyUsed(LedgerRefusal):
    """The account has used the key for another request."""

    code = "key_used"


class TooManyRequests(LedgerRefusal):
    """The account has the maximum number of pending requests."""

    code = "too_many_requests"


class SourceEmpty(InsufficientBalance):
    """The source does not hold the amount of the deposit. The operator must fund it first."""


class RefillNotNeeded(LedgerRefusal):
    """The account owns as much as the floor of the refill, or more."""

    code = "refill_not_needed"


class RefillTooSoon(LedgerRefusal):
    """The account's last refill is too recent."""

    code = "refill_too_soon"


class CashDecided(Exception):  # noqa: N818 -- an answer to the operator
    """The request was decided differently before; nothing has changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CashRequest:
    """A deposit or a withdrawal. `amount` is at least 1."""

    account: int
    key: str
    kind: CashKind
    amount: Money
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CashRow:
    """A request and its state. `number` counts the requests of all accounts; `note` is a text of the operator."""

    number: int
    request: CashRequest
    name: str
    state: CashState
    asked_ms: int
    decided_ms: int | None
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RefillTerms:
    """An account that owns less than `floor` is given what it lacks to `to`, once in `every_s` seconds at most."""

    source: str
    floor: Money
    to: Money
    every_s: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RefillState:
    """What an account owns, and the seconds since its last refill, if it had one.

    It owns its wallet, its stacks, what is held for withdrawals, its bets in rounds in progress, and its buy-ins of
    sit-and-gos that go on without a place of its own yet.
    """

    owned: Money
    since_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRow:
    """A source and what can still be deposited through it."""

    source: str
    is_open: bool
    balance: Money


class CashierLedger(Protocol):
    """The contract, in addition to that of `Ledger`.

    What `by` changes is in the operators' log, in the same transaction; what is repeated and changes nothing is not.
    """

    def open_source(self, source: str, *, by: Acting = THE_ROOM) -> Deferred[None]:
        """Opens a source: requests may name it."""

    def close_source(self, source: str, *, by: Acting = THE_ROOM) -> Deferred[None]:
        """Closes a source: new requests cannot name it, pending ones can be decided. Raises `UnknownSource`."""

    def fund_source(self, key: str, source: str, amount: Money, *, by: Acting = THE_ROOM) -> Deferred[None]:
        """Moves money from the bank to a source. Raises `UnknownSource`, `BankEmpty`, `LedgerConflict`."""

    def sources(self) -> Deferred[Sequence[SourceRow]]:
        """All sources, open or closed, by name."""

    def request_cash(
        self, request: CashRequest, waiting_max: int, *, by: Acting | None = None
    ) -> Deferred[CashRow]:
        """Requests a deposit or a withdrawal. The same request again returns its state. `by` is None for the player.

        Raises `UnknownSource`, `CashKeyUsed`, `TooManyRequests` if the account has `waiting_max` pending requests,
        `InsufficientBalance` for a withdrawal, and LookupError for an unknown account.
        """

    def decide_cash(
        self, number: int, *, approve: bool, note: str, by: Acting = THE_ROOM
    ) -> Deferred[CashRow]:
        """Approves or refuses a request, once. The same decision again changes nothing, not even the note.

        Raises `CashDecided`, `SourceEmpty`, and LookupError for an unknown number.
        """

    def refill(self, account: int, key: str, terms: RefillTerms) -> Deferred[CashRow]:
        """Refills an account's play money from a source. The same key again returns the first refill.

        Raises `UnknownSource`, `RefillNotNeeded`, `RefillTooSoon`, `SourceEmpty`, and LookupError for no such account.
        """

    def refill_state(self, account: int) -> Deferred[RefillState]:
        """What an account owns, and when it had its last refill."""

    def cash_requests(
        self, account: int | None, waiting: bool, limit: int, before: int | None = None
    ) -> Deferred[Sequence[CashRow]]:
        """The last requests of one account or of all, newest first, with numbers below `before`; with `waiting` only
        pending ones.
        """

    def held(self, account: int) -> Deferred[Money]:
        """The sum held for pending withdrawals of the account."""
