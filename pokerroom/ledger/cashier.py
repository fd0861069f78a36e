"""How money comes into a wallet and leaves it again. Beside `api`, and by the same rules.

It comes from a source that the operator has opened and funded, and goes back to one. Ledger accounts:

    source:<name>    what may still come in by this source: funded from the bank, and by what was paid out
    held             what has left wallets for withdrawals that wait for the operator

A request has a key that its account uses once. The permanent keys of transfers, each written at most once:

    source:<name>:<key>          the operator puts money into a source
    cash:<account>:<key>         a withdrawal is asked for: wallet to `held`
    cash:<account>:<key>:end     it is paid, from `held` to the source, or goes back; or a deposit, to the wallet

So whoever decides, and however often, money moves once. A deposit that is refused moves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.ledger.api import InsufficientBalance, LedgerRefusal

CashKind = Literal["deposit", "withdrawal"]
CashState = Literal["waiting", "approved", "refused"]


class UnknownSource(LedgerRefusal):
    """There is no such source, or the operator has closed it."""

    code = "unknown_source"


class CashKeyUsed(LedgerRefusal):
    """The account has used the key for another request."""

    code = "key_used"


class TooManyRequests(LedgerRefusal):
    """As many requests of the account wait as may."""

    code = "too_many_requests"


class SourceEmpty(InsufficientBalance):
    """The source does not hold the deposit: the operator funds it first."""


class CashDecided(Exception):  # noqa: N818 -- an answer to the operator
    """The request was decided the other way; nothing has changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CashRequest:
    """What an account asks for. `amount` is at least 1."""

    account: int
    key: str
    kind: CashKind
    amount: Money
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CashRow:
    """A request as it stands. `number` counts those of all accounts; `note` is what the operator says about it."""

    number: int
    request: CashRequest
    name: str
    state: CashState
    asked_ms: int
    decided_ms: int | None
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRow:
    """A source, and what may still come in by it."""

    source: str
    is_open: bool
    balance: Money


class CashierLedger(Protocol):
    """The contract, beside `Ledger`'s."""

    def open_source(self, source: str) -> Deferred[None]:
        """Requests may name the source from now on."""

    def close_source(self, source: str) -> Deferred[None]:
        """No new request may name it; those that wait can be decided. Raises `UnknownSource`."""

    def fund_source(self, key: str, source: str, amount: Money) -> Deferred[None]:
        """Bank to source, once under this key. Raises `UnknownSource`, `BankEmpty`, `LedgerConflict`."""

    def sources(self) -> Deferred[Sequence[SourceRow]]:
        """All there ever were, by name."""

    def request_cash(self, request: CashRequest, waiting_max: int) -> Deferred[CashRow]:
        """Asks for a deposit or a withdrawal; asked again, how it stands.

        Raises `UnknownSource`, `CashKeyUsed`, `TooManyRequests` if `waiting_max` requests of the account wait already,
        `InsufficientBalance` for a withdrawal; LookupError for an unknown account.
        """

    def decide_cash(self, number: int, *, approve: bool, note: str) -> Deferred[CashRow]:
        """The operator's decision, which is the last word; repeated it changes nothing, not the note either.

        Raises `CashDecided`, `SourceEmpty`; LookupError for an unknown number.
        """

    def cash_requests(self, account: int | None, waiting: bool, limit: int) -> Deferred[Sequence[CashRow]]:
        """The last requests of an account or of all, newest first; with `waiting` those not decided."""

    def held(self, account: int) -> Deferred[Money]:
        """What is held for the account's withdrawals that wait."""
