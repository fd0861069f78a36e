"""The contract for what operators do about clubs, with the rules of `api`.

An operator is no member, and moves no chips but back to the bank of a club that is closed. The invitation code is told
to no operator. Each order is a line of the operators' log, with `club:<club>` as its subject.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.ledger.clubs import ClubRole
from pokerroom.ledger.operator_log import Acting

CLUB_NAME_MAX: Final = 40
"""The longest name of a club, in characters."""


def club_subject(club: str) -> str:
    """Return the subject of lines about a club."""
    return f"club:{club}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubQuery:
    """Which clubs are listed.

    `search` is a part of the name, ignoring case, or the id; empty: any. `player` is the name of a member. `before` is
    the number of the last club of the page before.
    """

    search: str = ""
    player: str | None = None
    before: int | None = None
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubOverview:
    """A club, in one line. `owner` is empty, and there is no member, once it is closed; `closed_ms` is None before."""

    number: int
    club: str
    name: str
    owner: str
    members: int
    tables: int
    issued: Money
    opened_ms: int
    closed_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatedMember:
    """A member. `balance` does not have the chips at tables; `leaving` is one that a manager has removed at a table."""

    name: str
    role: ClubRole
    balance: Money
    leaving: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatedClub:
    """A club with its members, in the order of their accounts, and its open tables, the oldest first.

    `invites` says whether it has an invitation, also an expired one; `code_until_ms` is None for ever.
    """

    overview: ClubOverview
    invites: bool
    code_until_ms: int | None
    members: Sequence[OperatedMember]
    tables: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubMove:
    """Chips that the bank of a club has issued to an account, or taken back (below 0).

    `number` is that of the transfer. `by` is the account that ordered it, and empty if that is not known; chips go back
    by the member's own account when it leaves, and when an operator closes the club (see the operators' log).
    """

    number: int
    at_ms: int
    name: str
    amount: int
    by: str


class OperatedClubLedger(Protocol):
    """The contract, in addition to that of `ClubLedger`."""

    def find_clubs(self, query: ClubQuery) -> Deferred[Sequence[ClubOverview]]:
        """The clubs of a query, the latest first, also those that are closed."""

    def operated_club(self, club: str) -> Deferred[OperatedClub]:
        """One club, also after its end. Raises `UnknownClub`."""

    def club_moves(self, club: str, before: int | None, limit: int) -> Deferred[Sequence[ClubMove]]:
        """What the bank has issued and taken back, with numbers below `before`, the latest first.

        Raises `UnknownClub`.
        """

    def rename_club(self, club: str, name: str, *, by: Acting) -> Deferred[OperatedClub]:
        """Gives a club another name. Raises `UnknownClub`, as do the orders below for a club that is closed."""

    def end_club_invitation(self, club: str, *, by: Acting) -> Deferred[OperatedClub]:
        """Makes the invitation of a club void; its managers may make another one."""

    def set_club_owner(self, club: str, name: str, *, by: Acting) -> Deferred[OperatedClub]:
        """Makes a member the owner; the owner before is a manager from then on. The owner changes nothing.

        Raises `UnknownMember`, and `AccountLocked`.
        """

    def close_club_by_order(self, club: str, *, by: Acting) -> Deferred[OperatedClub]:
        """Closes a club for good; all balances go back to the bank. Raises `ClubInUse` while a table is open."""
