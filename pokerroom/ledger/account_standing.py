"""The contract for what an account may do at all, with the rules of `api`: exclusions, locks, its name, and its end.

An excluded account may log in and withdraw; it brings no money to a game or to the room. An exclusion cannot be lifted
or shortened: the database refuses it to every program. A locked account cannot log in, until an operator unlocks it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.ledger.account_history import SettingValue
from pokerroom.ledger.api import Facts, LedgerRefusal
from pokerroom.ledger.operator_log import Acting

MUTE_MINUTES_MAX: Final = 366 * 24 * 60
"""[D] The longest time for which an operator takes the right to chat: a year."""

SAME_EXCLUSION_S: Final = 600
"""An exclusion that ends at most so much later than another one is the same: each is kept for ever."""


class Excluded(LedgerRefusal):
    """The account is excluded from play, until `until_ms`, or for ever (None)."""

    code = "excluded"

    def __init__(self, *, until_ms: int | None) -> None:
        super().__init__("the account is excluded from play")
        self.until_ms = until_ms

    @property
    def facts(self) -> Facts:
        """See `LedgerRefusal`."""
        return {"until_ms": self.until_ms}


class AccountLocked(LedgerRefusal):
    """The operator has locked the account."""

    code = "account_locked"


class AccountInUse(LedgerRefusal):
    """The account has seats, hosted tables, sit-and-gos, bets, unpaid prizes or pending requests of the cashier."""

    code = "account_in_use"


class WalletNotEmpty(LedgerRefusal):
    """The account holds money, and nothing says where it goes."""

    code = "wallet_not_empty"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """The longest exclusion that is in force; `until_ms` None: for ever."""

    until_ms: int | None


def gone_name(account: int) -> str:
    """Return the name of a deleted account; no new account may have it."""
    return f"gone-{account}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountOverview:
    """What a client is told of its account when it logs in. `tables` are those with a seat, in order.

    `last_log_in_ms` is the log-in before the latest one with a password, or the opening of the account; None before
    that one.
    """

    balance: Money
    tables: list[str]
    settings: Mapping[str, SettingValue]
    last_log_in_ms: int | None
    exclusion: Exclusion | None
    muted_until_ms: int | None = None
    """Until when the account may not chat; None: it may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Barred:
    """What is left to do about an account: end its connections, its seats, or its registration for `offer`.

    A muted one may not chat until `until_ms`.
    """

    account: int
    why: Literal["locked", "seated", "entered", "muted"]
    offer: str | None = None
    until_ms: int | None = None


class StandingLedger(Protocol):
    """The contract, in addition to that of `Ledger`. Raises LookupError for an account that does not exist."""

    def overview(self, account: int) -> Deferred[AccountOverview]:
        """What a log-in needs, in one round trip."""

    def exclude(self, account: int, days: int | None, *, by: Acting) -> Deferred[None]:
        """Excludes an account for so many days, at least 1; None: for ever.

        A shorter exclusion, and the same again within `SAME_EXCLUSION_S`, change nothing and have no line in the log.
        """

    def exclusion(self, account: int) -> Deferred[Exclusion | None]:
        """The exclusion that is in force."""

    def lock_out(self, account: int, *, by: Acting) -> Deferred[list[int]]:
        """Locks an account and ends its sessions. Returns those ended."""

    def unlock(self, account: int, *, by: Acting) -> Deferred[None]:
        """Lets a locked account log in again."""

    def mute(self, account: int, minutes: int, *, by: Acting) -> Deferred[None]:
        """Takes the right to chat for so many minutes, 1 to `MUTE_MINUTES_MAX`, in place of an earlier time."""

    def unmute(self, account: int, *, by: Acting) -> Deferred[None]:
        """Lets an account chat again."""

    def names_beginning(self, text: str, limit: int, *, but: str) -> Deferred[Sequence[str]]:
        """At most `limit` names of accounts that begin with `text`, in order; none that begins with `but`.

        Case is ignored. Deleted accounts are left out.
        """

    def rename(self, account: int, name: str, *, by: Acting) -> Deferred[None]:
        """Gives an account another name. Raises `NameTaken`, as for a new account."""

    def barred(self, connected: Collection[int], seated: Collection[int]) -> Deferred[Sequence[Barred]]:
        """What is left to do, by account.

        About locked and muted accounts in `connected`, and excluded ones in `seated` or registered.
        """

    def delete_account(self, account: int, source: str | None, *, by: Acting) -> Deferred[list[int]]:
        """Erases what identifies a person: name, password, sessions, codes, second factor, settings. For ever.

        The name is `gone-<account>` then. The rest of the wallet goes to this source of the cashier; with None the
        wallet must be empty. The books and the records of games stay. Returns the sessions ended; the same call again
        changes nothing. Raises `AccountInUse`, `WalletNotEmpty`, `Excluded`, and what `request_cash` raises for
        the source.
        """
