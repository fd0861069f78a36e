"""Hosted tables in memory: see `HostedTableLedger`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerConflict, LedgerRefusal
from pokerroom.ledger.clubs import ClubRoleNeeded, UnknownClub
from pokerroom.ledger.hosted_tables import (
    GUESTS_MAX,
    PER_DAY,
    RESULTS_S,
    RISE_REST_S,
    SHOWN_S,
    Gift,
    GiftKeyUsed,
    HostedGuest,
    HostedLimits,
    HostedTableClosing,
    HostedTableRow,
    HostOrder,
    NotHost,
    SeatNotAccepted,
    StakesTooHigh,
    TableResult,
    Terms,
    TooManyGuests,
    TooManyHostedTables,
    UnknownGuest,
    UnknownHostedTable,
    UnknownLink,
    WrongTablePassword,
    is_hosted,
)
from pokerroom.ledger.memory.books import MemoryBooks, fired
from pokerroom.ledger.transfers import (
    check_amount,
    chips_code,
    gift_key,
    host_key,
    name_key,
    stack_code,
    wallet_code,
    whole,
)


@dataclass(slots=True, kw_only=True)
class _Row:
    host: int
    tournament: str | None = None
    club: str | None
    terms: Terms
    code: str
    password_hash: str | None = None
    opened_s: float
    used_s: float
    paused: bool = False
    approves: bool = False
    closing: bool = False
    closed_s: float | None = None
    """When it was closed for good."""
    version: int = 1
    raised_s: float = 0
    """When the stakes rose last."""
    guests: dict[int, HostedGuest] = field(default_factory=dict)
    addresses: dict[int, str] = field(default_factory=dict)
    removed: dict[int, float] = field(default_factory=dict)
    """Account -> when."""


class MemoryHostedTables(MemoryBooks):
    """A `HostedTableLedger`."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        super().__init__(now_s)
        self._hosted: dict[str, _Row] = {}
        self._gifts: dict[tuple[int, str], Gift] = {}  # giver, key
        self._leaving: set[tuple[str | None, int]] = set()
        """Club and member that is to be removed."""

    @fired
    def open_hosted_table(
        self, table: str, host: int, terms: Terms, code: str, limits: HostedLimits, *, club: str | None = None
    ) -> HostedTableRow:
        self._open_hosted_row(table, host, terms, code, limits, club=club)
        return self._hosted_table(table)

    def _open_hosted_row(
        self, table: str, host: int, terms: Terms, code: str, limits: HostedLimits, *, club: str | None
    ) -> None:
        self._check_account(host)
        self._limits.check_not_locked(host)
        if club is not None and not self._is_member(club, host):
            raise UnknownClub(f"there is no club {club} for account {host}")
        if (club, host) in self._leaving:
            raise ClubRoleNeeded(f"account {host} leaves {club}")
        open_ones = {name: row for name, row in self._open_hosted().items() if self._goes_on(row)}
        if table in self._hosted or any(row.code == code for row in self._open_hosted().values()):
            raise LedgerConflict(f"the hosted table {table} is there already")
        own = sum(row.host == host for row in open_ones.values())
        now_s = self._now_s()
        of_day = sum(row.host == host and row.opened_s > now_s - 86_400 for row in self._hosted.values())
        if own >= limits.per_account or of_day >= PER_DAY or len(open_ones) >= limits.in_room:
            raise TooManyHostedTables(f"account {host} hosts {own} tables, the room has {len(open_ones)}")
        self._hosted[table] = _Row(
            host=host, club=club, terms=dict(terms), code=code, opened_s=now_s, used_s=now_s
        )
        self._note_host(table)

    @fired
    def hosted_table(self, table: str) -> HostedTableRow | None:
        return self._hosted_table(table) if table in self._open_hosted() else None

    @fired
    def hosted_versions(self) -> Mapping[str, int]:
        return {table: row.version for table, row in self._open_hosted().items()}

    @fired
    def hosted_tables_of(self, account: int) -> Sequence[HostedTableRow]:
        found = [self._hosted_table(table) for table in reversed(self._open_hosted())]
        return [one for one in found if one.admits(account)]

    @fired
    def hosted_results(self, table: str, account: int) -> Sequence[TableResult]:
        row = self._hosted.get(table)
        if (
            row is None
            or row.tournament is not None
            or not (
                self._hosted_table(table).admits(account)
                if row.closed_s is None
                else row.closed_s > self._now_s() - RESULTS_S and stack_code(table, account) in self._balances
            )
        ):
            raise UnknownHostedTable(f"there is no table {table} for account {account}")
        moved: dict[str, list[int]] = {}
        for kind, legs in self._transfers.values():
            if kind in {"buy_in", "top_up", "cash_out"}:
                for code, amount in legs:
                    moved.setdefault(code, []).append(amount)
        return [
            TableResult(
                account=one,
                name=self._accounts[one].name,
                bought_in=Money(sum(amount for amount in moved[stack] if amount > 0)),
                taken_out=Money(-sum(amount for amount in moved[stack] if amount < 0)),
                on_table=Money(self._balances[stack]),
            )
            for one, stack in ((one, stack_code(table, one)) for one in sorted(self._accounts))
            if stack in moved
        ]

    @fired
    def join_hosted_table(self, code: str, account: int, address: str = "") -> HostedTableRow:
        self._check_account(account)
        self._limits.check_not_locked(account)
        found = (table for table, row in self._open_hosted().items() if row.code == code)
        return self._admitted(next(found, None), account, address, UnknownLink)

    @fired
    def table_password(self, table: str) -> str | None:
        row = self._open_hosted().get(table)
        return None if row is None or row.closing else row.password_hash

    @fired
    def enter_hosted_table(
        self, table: str, password_hash: str, account: int, address: str = ""
    ) -> HostedTableRow:
        self._check_account(account)
        self._limits.check_not_locked(account)
        row = self._open_hosted().get(table)
        has_it = row is not None and row.password_hash == password_hash
        return self._admitted(table if has_it else None, account, address, WrongTablePassword)

    @fired
    def set_table_password(self, table: str, host: int, password_hash: str | None) -> HostedTableRow:
        row = self._of_host(table, host, sit_and_go=self._is_sit_and_go(table))
        if row.closing:
            raise HostedTableClosing(f"{table} is closing")
        row.version += row.password_hash != password_hash
        row.password_hash = password_hash
        return self._hosted_table(table)

    @fired
    def change_hosted_table(self, table: str, host: int, order: HostOrder, new_code: str) -> HostedTableRow:
        row = self._of_host(table, host)
        if row.closing and order != "close":
            raise HostedTableClosing(f"{table} is closing")
        before = row.paused, row.approves, row.closing, row.code
        match order:
            case "pause" | "resume":
                row.paused = order == "pause"
            case "new_link":
                row.code = new_code
            case "approve_seats" | "open_seats":
                row.approves = order == "approve_seats"
                seated = {holder for at, holder in self._seat_of if at == table} if row.approves else set()
                for guest in seated & row.guests.keys():
                    row.guests[guest] = replace(row.guests[guest], seat="accepted")
            case "close":
                row.closing = True
        row.version += before != (row.paused, row.approves, row.closing, row.code)
        return self._hosted_table(table)

    @fired
    def change_hosted_terms(self, table: str, host: int, terms: Terms, stake: str) -> HostedTableRow:
        row = self._of_host(table, host)
        if row.closing:
            raise HostedTableClosing(f"{table} is closing")
        before, now_s = int(row.terms[stake]), self._now_s()
        if int(terms[stake]) > before:
            others = any(at == table and holder != host for at, holder in self._seat_of)
            if others and (int(terms[stake]) > 2 * before or row.raised_s > now_s - RISE_REST_S):
                raise StakesTooHigh(f"others sit at {table}")
            row.raised_s = now_s
        row.version += row.terms != terms
        row.terms = dict(terms)
        return self._hosted_table(table)

    @fired
    def remove_guest(self, table: str, host: int, name: str, address: str = "") -> HostedTableRow:
        sit_and_go = self._is_sit_and_go(table)
        row, guest = self._guest_named(table, host, name, sit_and_go=sit_and_go)
        if sit_and_go:
            self._give_entry_back(row.tournament or "", guest)
        del row.guests[guest]
        if row.addresses.get(guest) == address:
            del row.addresses[guest]
        row.removed[guest] = self._now_s()
        row.version += 1
        return self._hosted_table(table)

    @fired
    def ask_seat(self, table: str, account: int) -> HostedTableRow:
        row = self._open_hosted().get(table)
        if row is None or row.tournament is not None or not self._hosted_table(table).admits(account):
            raise UnknownHostedTable(f"there is no table {table} for account {account}")
        if row.closing:
            raise HostedTableClosing(f"{table} is closing")
        if self._hosted_table(table).seat_of(account) == "ask":
            row.guests[account] = replace(row.guests[account], seat="asked")
            row.version += 1
        return self._hosted_table(table)

    @fired
    def answer_seat(self, table: str, host: int, name: str, *, accepts: bool) -> HostedTableRow:
        row, guest = self._guest_named(table, host, name)
        before = row.guests[guest]
        row.guests[guest] = replace(before, seat="accepted" if accepts else "refused")
        row.version += row.guests[guest] != before
        return self._hosted_table(table)

    @fired
    def give_host(self, table: str, host: int, name: str, limits: HostedLimits) -> HostedTableRow:
        row, guest = self._guest_named(table, host, name)
        self._limits.check_not_locked(guest)
        if (row.club, guest) in self._leaving:
            raise UnknownGuest(f"account {guest} leaves the club of {table}")
        if (
            sum(each.host == guest and self._goes_on(each) for each in self._open_hosted().values())
            >= limits.per_account
        ):
            raise TooManyHostedTables(f"account {guest} hosts as many tables as it may")
        before = row.guests.get(host, HostedGuest())
        row.host, row.guests[host] = guest, replace(before, seat="accepted")
        row.version += 1
        self._note_host(table)
        return self._hosted_table(table)

    @fired
    def give_chips(self, gift: Gift) -> HostedTableRow:
        check_amount(gift.amount, at_least=1)
        self._check_account(gift.giver)
        before = self._gifts.get((gift.giver, gift.key))
        if before is not None:
            if replace(before, name=name_key(before.name)) != replace(gift, name=name_key(gift.name)):
                raise GiftKeyUsed(f"the key {gift.key} was used for another gift")
            self._of_host(gift.table, gift.giver)
            return self._hosted_table(gift.table)
        self._limits.check_not_locked(gift.giver)
        row, guest = self._guest_named(gift.table, gift.giver, gift.name)
        if row.club is not None:
            raise ClubRoleNeeded(f"{gift.table} is played for chips of a club")
        legs = whole([(wallet_code(gift.giver), -gift.amount), (wallet_code(guest), gift.amount)])
        self._write(gift_key(gift.table, gift.giver, gift.key), "gift", legs)
        self._gifts[gift.giver, gift.key] = gift
        before_given = row.guests[guest].given
        row.guests[guest] = replace(row.guests[guest], given=before_given + gift.amount)
        row.version += 1
        return self._hosted_table(gift.table)

    @fired
    def end_hosted_table(self, table: str) -> bool:
        row = self._hosted.get(table)
        if row is None or row.closed_s is not None:
            return True
        if not row.closing or self._is_played(table):
            return False
        self._forget_hosted(row)
        return True

    @fired
    def close_idle_hosted_tables(self, idle_s: int) -> Sequence[str]:
        now_s, closed = self._now_s(), []
        for table, row in sorted(self._open_hosted().items()):
            if self._is_played(table) or (row.tournament is not None and self._goes_on(row)):
                row.used_s = now_s
            elif row.tournament is not None:
                if row.used_s <= now_s - SHOWN_S:
                    self._forget_hosted(row)
                    closed.append(table)
            elif not row.closing and now_s - row.used_s >= idle_s:
                row.closing = True
                row.version += 1
                closed.append(table)
        return closed

    def _forget_hosted(self, row: _Row) -> None:
        row.closing, row.closed_s, row.code, row.version = True, self._now_s(), "", row.version + 1
        row.password_hash = None
        row.guests.clear()
        row.removed.clear()

    # --- sit-and-gos ------------------------------------------------------------------------------------------

    def _goes_on(self, row: _Row) -> bool:
        """Whether it counts for the limits: a table does."""
        return row.tournament is None or self._fills_or_runs(row.tournament)

    def _is_sit_and_go(self, table: str) -> bool:
        row = self._open_hosted().get(table)
        return row is not None and row.tournament is not None

    def _check_takes_entries(self, tournament: str) -> None:
        """Refuse an order about the entries of a sit-and-go that starts, or has."""

    def _give_entry_back(self, tournament: str, account: int) -> None:
        """Return the entry of a guest, who perhaps has none."""

    def _fills_or_runs(self, tournament: str) -> bool:  # noqa: ARG002 -- a later part knows tournaments
        return True

    # --- clubs ------------------------------------------------------------------------------------------------

    def _is_member(self, club: str, account: int) -> bool:  # noqa: ARG002 -- a later part knows clubs
        """Whether the account is a member of a club that is not closed."""
        return False

    def _purse_code(self, table: str, account: int) -> str:
        """The ledger account that pays for chips at a table: the wallet, or the balance in the chips of its club."""
        row = self._hosted.get(table)
        return wallet_code(account) if row is None or row.club is None else chips_code(row.club, account)

    # --- inside -----------------------------------------------------------------------------------------------

    def _admitted(
        self, table: str | None, account: int, address: str, refusal: type[LedgerRefusal]
    ) -> HostedTableRow:
        """Make the account a guest of a table, unless it is one, or the host; None: no table was found."""
        row = None if table is None else self._hosted[table]
        if (
            table is None
            or row is None
            or row.closing
            or account in row.removed
            or (row.club is not None and not self._is_member(row.club, account))
        ):
            raise refusal("no open table admits the account by this")
        if account != row.host and account not in row.guests:
            if any(
                address and row.addresses.get(gone) == address and self._opened_s[account] > at
                for gone, at in row.removed.items()
            ):
                raise refusal("a guest of this address was removed")
            self._add_guest(table, row, account)
            row.addresses[account] = address
        return self._hosted_table(table)

    def _add_guest(self, table: str, row: _Row, account: int) -> None:
        """Makes an account a guest, unless it is one, or the host."""
        if account == row.host or account in row.guests:
            return
        if len(row.guests) >= GUESTS_MAX:
            raise TooManyGuests(f"{table} has {GUESTS_MAX} guests")
        row.guests[account] = HostedGuest()
        row.version += 1

    def _note_host(self, table: str) -> None:
        """Write the host of a table in the books."""
        row = self._hosted[table]
        self._write(host_key(table, row.host, row.version), "host", ())

    def _hosts(self, account: int) -> bool:
        """Return whether the account has a table that is not closed for good."""
        return any(row.host == account for row in self._open_hosted().values())

    def _check_hosted(self, table: str, account: int) -> None:
        """Refuse a seat to an account that is not admitted, or at a table that closes."""
        row = self._open_hosted().get(table)
        if is_hosted(table) and (row is None or row.closing or not self._hosted_table(table).admits(account)):
            raise UnknownHostedTable(f"there is no table {table} for account {account}")
        if row is not None and (
            self._hosted_table(table).seat_of(account) != "open" or (row.club, account) in self._leaving
        ):
            raise SeatNotAccepted(f"account {account} is not accepted at {table}")

    def _open_hosted(self) -> dict[str, _Row]:
        return {table: row for table, row in self._hosted.items() if row.closed_s is None}

    def _is_played(self, table: str) -> bool:
        return any(at == table for at, _ in self._seat_of)

    def _of_host(self, table: str, host: int, *, sit_and_go: bool = False) -> _Row:
        row = self._open_hosted().get(table)
        if (
            row is None
            or (row.tournament is not None) != sit_and_go
            or (host != row.host and host not in row.guests)
        ):
            raise UnknownHostedTable(f"there is no table {table} for account {host}")
        if host != row.host:
            raise NotHost(f"account {host} is a guest of {table}")
        return row

    def _guest_named(self, table: str, host: int, name: str, *, sit_and_go: bool = False) -> tuple[_Row, int]:
        """The table of a host that gives an order about a guest, and the guest."""
        row = self._of_host(table, host, sit_and_go=sit_and_go)
        if row.closing:
            raise HostedTableClosing(f"{table} is closing")
        if row.tournament is not None:
            self._check_takes_entries(row.tournament)
        for guest in row.guests:
            if guest != host and name_key(self._accounts[guest].name) == name_key(name):
                return row, guest
        raise UnknownGuest(f"{table} has no such guest")

    def _hosted_table(self, table: str) -> HostedTableRow:
        row = self._hosted[table]
        return HostedTableRow(
            table=table,
            tournament=row.tournament,
            host=row.host,
            host_name=self._accounts[row.host].name,
            club=row.club,
            terms=dict(row.terms),
            code=row.code,
            has_password=row.password_hash is not None,
            paused=row.paused,
            approves=row.approves,
            closing=row.closing,
            version=row.version,
            guests={
                account: replace(guest, name=self._accounts[account].name)
                for account, guest in row.guests.items()
            },
            leaving=frozenset(
                holder for at, holder in self._seat_of if at == table and holder in row.removed
            ),
        )
