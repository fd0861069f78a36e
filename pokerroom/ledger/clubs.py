"""The contract for clubs of players, with the rules of `api`.

A club has members, an invitation code, and play money of its own. Its bank alone may be negative: it owes the chips
that members hold, in their balances and at the club's tables. A buy-in at a table of a club comes from the member's
balance, and a cash-out goes back there. Only members know of a club and its tables.

A role has what the roles below it have: a member opens tables and plays; a manager invites, issues chips to others and
takes those of members back, and removes members; the owner names managers, hands the club over and closes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerRefusal
from pokerroom.ledger.hosted_tables import HostedTableRow

MEMBERS_MAX: Final = 200
"""A club has at most so many members [D]."""

CLUBS_MAX: Final = 50
"""An account is a member of at most so many clubs [D]."""

CLUBS_PER_DAY: Final = 20
"""An account creates no club once it has been in so many that are not a day old [D]: each leaves a row for ever."""

ISSUED_MAX: Final = 10**12
"""A bank owes at most so much [D], in the smallest unit. Won 9 million times, it is still no sum beyond a bigint."""

ClubRole = Literal["owner", "manager", "member"]

ROLES: Final[tuple[ClubRole, ...]] = ("member", "manager", "owner")
"""The lowest first."""


class UnknownClub(LedgerRefusal):
    """There is no such club, or the account is no member."""

    code = "unknown_club"


class UnknownClubCode(LedgerRefusal):
    """No club has this invitation code, or it has expired."""

    code = "unknown_club_code"


class TooManyClubs(LedgerRefusal):
    """The account owns as many clubs as it may, is a member of `CLUBS_MAX`, or has created too many of late."""

    code = "too_many_clubs"


class TooManyMembers(LedgerRefusal):
    """The club has `MEMBERS_MAX` members."""

    code = "too_many_members"


class ClubRoleNeeded(LedgerRefusal):
    """A member gives an order for which the role is too low."""

    code = "club_role_needed"


class UnknownMember(LedgerRefusal):
    """The club has no member of this name."""

    code = "unknown_member"


class MemberAtTable(LedgerRefusal):
    """The member has a seat at a table of the club or hosts one, or is in a sit-and-go of it that is not over."""

    code = "member_at_table"


class ClubInUse(LedgerRefusal):
    """A table of the club is open, or a sit-and-go of it not over."""

    code = "club_in_use"


class ClubKeyUsed(LedgerRefusal):
    """The key belongs to another movement of the club."""

    code = "key_used"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubMember:
    """A member. `balance` does not have the chips at tables."""

    name: str
    role: ClubRole
    balance: Money

    @property
    def manages(self) -> bool:
        """Whether it is a manager or the owner."""
        return ROLES.index(self.role) >= ROLES.index("manager")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubSitAndGo:
    """A private sit-and-go of a club that fills or runs. `table` is the id under which it is hosted."""

    table: str
    tournament: str
    name: str
    host_name: str
    seats: int
    players: int
    buy_in: Money
    runs: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubRow:
    """A club that is not closed. `code` is None if the club takes no new members; `code_until_ms` is None for ever.

    `issued` is what the bank owes: all balances, all stacks at tables of the club, and the escrows of its sit-and-gos.
    """

    club: str
    name: str
    code: str | None
    code_until_ms: int | None
    issued: Money
    members: Mapping[int, ClubMember]
    """By account, in the order of the accounts."""
    tables: Sequence[str]
    """The tables that are not closed for good, the oldest first."""
    sit_and_gos: Sequence[ClubSitAndGo] = ()
    """The oldest first."""

    @property
    def hosted(self) -> list[str]:
        """The ids under which its tables and its sit-and-gos are hosted."""
        return [*self.tables, *(one.table for one in self.sit_and_gos)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubChips:
    """Chips that a manager issues to a member, by name, or takes back (`amount` below 0). A club uses a `key` once."""

    club: str
    manager: int
    name: str
    key: str
    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubResult:
    """What an account has won at the tables and in the sit-and-gos of a club; negative for a loss."""

    account: int
    name: str
    net: int


class ClubLedger(Protocol):
    """The contract, in addition to that of `HostedTableLedger`."""

    def create_club(self, club: str, owner: int, name: str, code: str, per_account: int) -> Deferred[ClubRow]:
        """Creates a club. Raises `TooManyClubs`, `AccountLocked`, LookupError for an unknown account, and
        LedgerConflict for an id that is used.
        """

    def club(self, club: str, account: int) -> Deferred[ClubRow]:
        """The club, for a member. Raises `UnknownClub`, as do all calls below that name a club."""

    def clubs_of(self, account: int) -> Deferred[Sequence[ClubRow]]:
        """The clubs of which the account is a member, the oldest first."""

    def set_club_code(
        self, club: str, manager: int, code: str | None, valid_s: int | None
    ) -> Deferred[ClubRow]:
        """Gives the club another code, or none; the old one is void. Raises `ClubRoleNeeded`."""

    def join_club(self, code: str, account: int) -> Deferred[ClubRow]:
        """Makes the account a member, if it is none.

        Raises `UnknownClubCode`, `TooManyMembers`, `TooManyClubs`, `AccountLocked`.
        """

    def set_club_role(
        self, club: str, owner: int, name: str, role: ClubRole, per_account: int
    ) -> Deferred[ClubRow]:
        """Gives another member a role; the owner who makes another one the owner is a manager from then on.

        A member that was to be removed stays. Raises `ClubRoleNeeded`, `UnknownMember`, and for a new owner
        `AccountLocked`, or `TooManyClubs` if it owns `per_account` clubs.
        """

    def leave_club(self, club: str, account: int) -> Deferred[None]:
        """Ends a membership. The balance goes back to the bank. The owner cannot leave (`ClubRoleNeeded`).

        Raises `MemberAtTable`. An account that is no member changes nothing.
        """

    def remove_member(self, club: str, manager: int, name: str, new_code: str) -> Deferred[ClubRow]:
        """Ends the membership of a member with a lower role, as `leave_club`. Raises `UnknownMember` as well.

        A member at a table is not removed (`MemberAtTable`), and from then on takes no seat at tables and in
        sit-and-gos of the club (`SeatNotAccepted`) and opens none (`ClubRoleNeeded`). An invitation that the club has
        becomes `new_code`.
        """

    def move_club_chips(self, chips: ClubChips) -> Deferred[ClubRow]:
        """Issues chips or takes them back, once for each key.

        Raises `ClubRoleNeeded`, `UnknownMember`, `ClubKeyUsed`, and `InsufficientBalance` if the member has less than
        is taken, or the bank would owe more than `ISSUED_MAX`.
        """

    def close_club(self, club: str, owner: int) -> Deferred[None]:
        """Closes the club for good; all balances go back to the bank. Raises `ClubRoleNeeded`, `ClubInUse`."""

    def join_club_table(self, table: str, account: int) -> Deferred[HostedTableRow]:
        """Makes a member a guest of a table or a sit-and-go of the club.

        Raises `UnknownHostedTable` for other accounts, an account that the host has removed, and a table that closes;
        `TooManyGuests`, and `AccountLocked`.
        """

    def close_club_table(self, table: str, manager: int) -> Deferred[HostedTableRow]:
        """Lets a table of the club close, as its host may. The same order again changes nothing more.

        Raises `UnknownHostedTable` for an account that is no member and for a sit-and-go, and `ClubRoleNeeded`.
        """

    def club_results(self, club: str, account: int, since_ms: int) -> Deferred[Sequence[ClubResult]]:
        """What each account has won since then, in the order of the accounts.

        Hands at tables of the club count when they have ended, sit-and-gos, with prize less buy-in, when they have
        ended; one that was cancelled or rolled back does not. They sum to zero. Accounts that are no members any more
        are among them.
        """
