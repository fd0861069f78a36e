"""The contract for tables that players open for their guests, with the rules of `api`.

A hosted table has one host, and a code: the secret of its link. It may have a password beside it, of which the ledger
has a slow hash. An account that has used either is a guest, until the host removes it; the table does not take it
back. At a table that approves seats a guest asks for one, and the host accepts or refuses the guest. A table that
closes takes no guest. It is closed for good when its last seat is free. The ledger knows the terms of a table as a
document, and not what they mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias

from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerRefusal

GUESTS_MAX: Final = 100
"""A table has at most so many guests [D]: a link that became public does not fill the room's memory."""

PER_DAY: Final = 50
"""An account opens at most so many tables in 24 hours [D]: each leaves a row in the ledger for ever."""

RESULTS_S: Final = 86_400
"""Those who sat at a table read its results for so many seconds after it was closed for good [D]."""

RISE_REST_S: Final = 60
"""While others have a seat, the stakes rise at most once in so many seconds [D]: each rise is told, and holds later."""

SHOWN_S: Final = 3_600
"""A sit-and-go is known to its guests for about so long after its end, as others are listed."""

_PREFIX: Final = "host:"
_SIT_AND_GO: Final = "private:"

Terms: TypeAlias = Mapping[str, str | int | bool]
"""The settings of a table, as in the operator's file."""

HostOrder = Literal["pause", "resume", "new_link", "approve_seats", "open_seats", "close"]

SeatAnswer = Literal["asked", "accepted", "refused"]
"""How far a guest has come with the wish for a seat."""

SeatStanding = Literal["open", "ask", "asked", "refused"]
"""What an account may do about a seat: take one, ask for one, wait for the host, or watch only."""


def is_hosted(table: str) -> bool:
    """Return whether this is the id of a hosted table. No table of the settings has such an id."""
    return table.startswith(_PREFIX)


def hosted_id(letters: str) -> str:
    """Return the id of a hosted table."""
    return _PREFIX + letters


def is_private(tournament: str) -> bool:
    """Return whether this is the id of a sit-and-go of a host, or of a table of it. No offer has such an id."""
    return tournament.startswith(_SIT_AND_GO)


def private_offer(table: str) -> str:
    """Return the offer of the sit-and-go that is hosted under this id."""
    return _SIT_AND_GO + table.removeprefix(_PREFIX)


def hosted_as(name: str) -> str | None:
    """Return under which id a table or a tournament is hosted; None: no player hosts it. It may be a table's id."""
    if is_private(name):
        return hosted_id(name.removeprefix(_SIT_AND_GO).partition(".")[0])
    return name if is_hosted(name) else None


class UnknownHostedTable(LedgerRefusal):
    """There is no such hosted table, or the account has nothing to do with it."""

    code = "unknown_table"


class UnknownLink(LedgerRefusal):
    """No open table has this code, or its host has removed the account."""

    code = "unknown_link"


class WrongTablePassword(LedgerRefusal):
    """No open table has this id and this password, or its host has removed the account."""

    code = "wrong_table_password"


class TooManyHostedTables(LedgerRefusal):
    """The account hosts the maximum number of tables or has opened too many of late, or the room has the maximum."""

    code = "too_many_hosted_tables"


class TooManyGuests(LedgerRefusal):
    """The table has `GUESTS_MAX` guests."""

    code = "too_many_guests"


class NotHost(LedgerRefusal):
    """A guest gives an order."""

    code = "not_host"


class UnknownGuest(LedgerRefusal):
    """The table has no guest of this name."""

    code = "unknown_guest"


class HostedTableClosing(LedgerRefusal):
    """The table is closing."""

    code = "table_closing"


class StakesTooHigh(LedgerRefusal):
    """Others have a seat, and the stakes would more than double, or have risen in the last `RISE_REST_S` seconds."""

    code = "stakes_too_high"


class SeatNotAccepted(LedgerRefusal):
    """The table approves seats, and the host has not accepted the guest."""

    code = "seat_not_accepted"


class GiftKeyUsed(LedgerRefusal):
    """The giver has used the key for another gift."""

    code = "key_used"


@dataclass(frozen=True, slots=True, kw_only=True)
class HostedGuest:
    """A guest of a table. `given` is the sum of chips that hosts of the table have given to the account."""

    name: str = ""
    """As of now."""
    seat: SeatAnswer | None = None
    given: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class HostedTableRow:
    """A hosted table that is not closed for good, or a sit-and-go (`hosted_sit_and_gos`).

    `version` grows with every change.
    """

    table: str
    tournament: str | None = None
    """The sit-and-go that it is instead of a table."""
    host: int
    host_name: str
    club: str | None = None
    """The club that has the table: then it is played for chips of the club, by members."""
    terms: Terms
    code: str
    has_password: bool = False
    """Whether a password lets accounts in, beside the link."""
    paused: bool
    approves: bool
    """Whether a guest needs the host's word for a seat."""
    closing: bool
    version: int
    guests: Mapping[int, HostedGuest]
    """A host that was a guest before, too."""
    leaving: frozenset[int] = frozenset()
    """Removed guests that had a seat when this was read: they may be in a hand, which they play to its end."""

    def admits(self, account: int | None) -> bool:
        """Return whether the account may know of the table."""
        return account == self.host or account in self.guests

    def shows(self, account: int | None) -> bool:
        """Return whether the account may ask the table, which knows whether it still has a seat."""
        return self.admits(account) or account in self.leaving

    def seat_of(self, account: int) -> SeatStanding:
        """Return what an account that may know of the table may do about a seat."""
        if not self.approves or account == self.host:
            return "open"
        answer = self.guests[account].seat
        return "open" if answer == "accepted" else answer or "ask"

    def given_to(self, account: int) -> int:
        """Return what hosts of the table have given to an account."""
        return self.guests[account].given if account in self.guests else 0

    def told(self, account: int | None) -> object:
        """Return what an account is told of itself and, as the host, of the guests; None if it knows nothing."""
        if account is None or not self.admits(account):
            return None
        guests = self.guests if account == self.host else None
        return self.host, self.seat_of(account), self.given_to(account), guests


@dataclass(frozen=True, slots=True, kw_only=True)
class Gift:
    """Chips from the host's wallet to that of a guest, by name. `key` is the giver's own, and used once."""

    table: str
    giver: int
    name: str
    key: str
    amount: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class TableResult:
    """What one account has won or lost at a hosted table. Amounts are in the smallest unit, at least 0."""

    account: int
    name: str
    """As of now."""
    bought_in: Money
    """The sum of buy-ins and top-ups."""
    taken_out: Money
    """The sum of cash-outs."""
    on_table: Money
    """The stack as of the last settled hand."""

    @property
    def net(self) -> int:
        """What the account has won; negative if it has lost. A hosted table has no rake: all of them sum to zero."""
        return self.taken_out + self.on_table - self.bought_in


@dataclass(frozen=True, slots=True, kw_only=True)
class HostedLimits:
    """How many open tables there may be: of an account, and in the whole room."""

    per_account: int
    in_room: int


class HostedTableLedger(Protocol):
    """The contract, in addition to that of `Ledger`."""

    def open_hosted_table(
        self, table: str, host: int, terms: Terms, code: str, limits: HostedLimits, *, club: str | None = None
    ) -> Deferred[HostedTableRow]:
        """Opens a table, perhaps of a club: then it is played for chips of the club, by members (`clubs`).

        Raises `TooManyHostedTables` (also after `PER_DAY`), `AccountLocked`, `UnknownClub` for an account that is no
        member, and LookupError for an unknown account. The same id again is a bug, and a LedgerConflict.
        """

    def hosted_table(self, table: str) -> Deferred[HostedTableRow | None]:
        """The table; None if there is none, or if it is closed for good."""

    def hosted_versions(self) -> Deferred[Mapping[str, int]]:
        """The version of every table that is not closed for good."""

    def hosted_tables_of(self, account: int) -> Deferred[Sequence[HostedTableRow]]:
        """The tables of which the account is host or guest, the newest first."""

    def hosted_results(self, table: str, account: int) -> Deferred[Sequence[TableResult]]:
        """What each account that has ever bought in has won or lost, in the order of the accounts.

        Raises `UnknownHostedTable` for an account that may not know of the table. For `RESULTS_S` after a table was
        closed for good, those who sat there may, also one that the host has removed.
        """

    def join_hosted_table(self, code: str, account: int, address: str = "") -> Deferred[HostedTableRow]:
        """Makes the account a guest, unless it is one, or the host. Raises as above, `UnknownLink`, `TooManyGuests`.

        `address` is what the client's address has in common with others of one owner; empty if it is not known. An
        account that was opened after a guest with the same address was removed is not admitted.
        """

    def table_password(self, table: str) -> Deferred[str | None]:
        """The hash of the password of a table; None for a table without one, or that is closing, or is not there."""

    def enter_hosted_table(
        self, table: str, password_hash: str, account: int, address: str = ""
    ) -> Deferred[HostedTableRow]:
        """Makes the account a guest as `join_hosted_table`, by the password of which this is the hash.

        Raises as that, and `WrongTablePassword` if the table has another hash by now.
        """

    def set_table_password(
        self, table: str, host: int, password_hash: str | None
    ) -> Deferred[HostedTableRow]:
        """Sets the hash of the password of a table or a sit-and-go; None: only the link lets accounts in.

        Guests stay guests.

        Raises as `change_hosted_table`.
        """

    def change_hosted_table(
        self, table: str, host: int, order: HostOrder, new_code: str
    ) -> Deferred[HostedTableRow]:
        """Carries out an order of the host; `new_code` is for `new_link`. A repeated order changes nothing more.

        Raises `UnknownHostedTable` for an account that may not know of the table, `NotHost` for a guest, and
        `HostedTableClosing` for other orders than `close` once that was given.
        """

    def change_hosted_terms(
        self, table: str, host: int, terms: Terms, stake: str
    ) -> Deferred[HostedTableRow]:
        """Gives the table other terms. The same terms again change nothing more.

        `stake` names the amount of the terms that tells how high the stakes are. While another account than the host
        has a seat it at most doubles, and rises once in `RISE_REST_S` [D]: a host takes no stack by the blinds.

        Raises as `change_hosted_table`, and `StakesTooHigh`.
        """

    def remove_guest(self, table: str, host: int, name: str, address: str = "") -> Deferred[HostedTableRow]:
        """Removes the guest of this name for ever. Raises as `change_hosted_table`, and `UnknownGuest`.

        A guest of a sit-and-go is removed before the start, and the entry goes back; later, it raises
        `tournaments.RegistrationClosed`.

        New accounts at the guest's address stay out, too, unless it is that of the host, `address`: then friends of
        one household play.
        """

    def ask_seat(self, table: str, account: int) -> Deferred[HostedTableRow]:
        """Notes that a guest asks for a seat, if it may. Raises `UnknownHostedTable`, `HostedTableClosing`."""

    def answer_seat(self, table: str, host: int, name: str, *, accepts: bool) -> Deferred[HostedTableRow]:
        """Accepts or refuses a guest, who need not have asked. A seat that is held stays. Raises as `remove_guest`."""

    def give_host(self, table: str, host: int, name: str, limits: HostedLimits) -> Deferred[HostedTableRow]:
        """Makes a guest the host; the host before is an accepted guest from then on.

        Raises as `remove_guest`, and `TooManyHostedTables` if the guest hosts as many tables as an account may.
        """

    def give_chips(self, gift: Gift) -> Deferred[HostedTableRow]:
        """Moves chips from wallet to wallet, once for each key.

        Raises as `remove_guest`, `InsufficientBalance`, `AccountLocked`, and `GiftKeyUsed`.
        """

    def end_hosted_table(self, table: str) -> Deferred[bool]:
        """Closes a closing table for good. Returns False, and changes nothing, while a seat is held.

        True for a table that is closed for good already.
        """

    def close_idle_hosted_tables(self, idle_s: int) -> Deferred[Sequence[str]]:
        """Lets the tables close at which no call of the last `idle_s` seconds has found a seat held.

        Forgets the sit-and-gos that no call of the last `SHOWN_S` seconds has found to go on. Call it regularly.
        Returns those that close now.
        """
