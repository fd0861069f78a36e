"""Hosted tables in memory: see `HostedTableLedger`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerConflict
from pokerroom.ledger.hosted_tables import (
    GUESTS_MAX,
    PER_DAY,
    HostedLimits,
    HostedTableClosing,
    HostedTableRow,
    HostOrder,
    NotHost,
    TableResult,
    Terms,
    TooManyGuests,
    TooManyHostedTables,
    UnknownGuest,
    UnknownHostedTable,
    UnknownLink,
    is_hosted,
)
from pokerroom.ledger.memory.books import MemoryBooks, fired
from pokerroom.ledger.transfers import name_key, stack_code


@dataclass(slots=True, kw_only=True)
class _Row:
    host: int
    terms: Terms
    code: str
    opened_s: float
    used_s: float
    paused: bool = False
    closing: bool = False
    closed: bool = False
    version: int = 1
    guests: set[int] = field(default_factory=set)
    removed: set[int] = field(default_factory=set)


class MemoryHostedTables(MemoryBooks):
    """A `HostedTableLedger`."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        super().__init__(now_s)
        self._hosted: dict[str, _Row] = {}

    @fired
    def open_hosted_table(
        self, table: str, host: int, terms: Terms, code: str, limits: HostedLimits
    ) -> HostedTableRow:
        self._check_account(host)
        self._limits.check_not_locked(host)
        open_ones = self._open_hosted()
        if table in self._hosted or any(row.code == code for row in open_ones.values()):
            raise LedgerConflict(f"the hosted table {table} is there already")
        own = sum(row.host == host for row in open_ones.values())
        now_s = self._now_s()
        of_day = sum(row.host == host and row.opened_s > now_s - 86_400 for row in self._hosted.values())
        if own >= limits.per_account or of_day >= PER_DAY or len(open_ones) >= limits.in_room:
            raise TooManyHostedTables(f"account {host} hosts {own} tables, the room has {len(open_ones)}")
        self._hosted[table] = _Row(host=host, terms=dict(terms), code=code, opened_s=now_s, used_s=now_s)
        return self._hosted_table(table)

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
        row = self._open_hosted().get(table)
        if row is None or not self._hosted_table(table).admits(account):
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
    def join_hosted_table(self, code: str, account: int) -> HostedTableRow:
        self._check_account(account)
        self._limits.check_not_locked(account)
        found = ((table, row) for table, row in self._open_hosted().items() if row.code == code)
        table, row = next(found, ("", None))
        if row is None or row.closing or account in row.removed:
            raise UnknownLink("no open table has this code for the account")
        if account != row.host and account not in row.guests:
            if len(row.guests) >= GUESTS_MAX:
                raise TooManyGuests(f"{table} has {GUESTS_MAX} guests")
            row.guests.add(account)
            row.version += 1
        return self._hosted_table(table)

    @fired
    def change_hosted_table(self, table: str, host: int, order: HostOrder, new_code: str) -> HostedTableRow:
        row = self._of_host(table, host)
        if row.closing and order != "close":
            raise HostedTableClosing(f"{table} is closing")
        before = row.paused, row.closing, row.code
        match order:
            case "pause" | "resume":
                row.paused = order == "pause"
            case "new_link":
                row.code = new_code
            case "close":
                row.closing = True
        row.version += before != (row.paused, row.closing, row.code)
        return self._hosted_table(table)

    @fired
    def change_hosted_terms(self, table: str, host: int, terms: Terms) -> HostedTableRow:
        row = self._of_host(table, host)
        if row.closing:
            raise HostedTableClosing(f"{table} is closing")
        row.version += row.terms != terms
        row.terms = dict(terms)
        return self._hosted_table(table)

    @fired
    def remove_guest(self, table: str, host: int, name: str) -> HostedTableRow:
        row = self._of_host(table, host)
        if row.closing:
            raise HostedTableClosing(f"{table} is closing")
        guest = next(
            (each for each in row.guests if name_key(self._accounts[each].name) == name_key(name)), None
        )
        if guest is None:
            raise UnknownGuest(f"{table} has no such guest")
        row.guests.discard(guest)
        row.removed.add(guest)
        row.version += 1
        return self._hosted_table(table)

    @fired
    def end_hosted_table(self, table: str) -> bool:
        row = self._hosted.get(table)
        if row is None or row.closed:
            return True
        if not row.closing or self._is_played(table):
            return False
        row.closed, row.code, row.version = True, "", row.version + 1
        row.guests.clear()
        row.removed.clear()
        return True

    @fired
    def close_idle_hosted_tables(self, idle_s: int) -> Sequence[str]:
        now_s, closed = self._now_s(), []
        for table, row in sorted(self._open_hosted().items()):
            if self._is_played(table):
                row.used_s = now_s
            elif not row.closing and now_s - row.used_s >= idle_s:
                row.closing = True
                row.version += 1
                closed.append(table)
        return closed

    # --- inside -----------------------------------------------------------------------------------------------

    def _hosts(self, account: int) -> bool:
        """Return whether the account has a table that is not closed for good."""
        return any(row.host == account for row in self._open_hosted().values())

    def _check_hosted(self, table: str, account: int) -> None:
        """Refuse a seat to an account that is not admitted, or at a table that closes."""
        row = self._open_hosted().get(table)
        if is_hosted(table) and (row is None or row.closing or not self._hosted_table(table).admits(account)):
            raise UnknownHostedTable(f"there is no table {table} for account {account}")

    def _open_hosted(self) -> dict[str, _Row]:
        return {table: row for table, row in self._hosted.items() if not row.closed}

    def _is_played(self, table: str) -> bool:
        return any(at == table for at, _ in self._seat_of)

    def _of_host(self, table: str, host: int) -> _Row:
        row = self._open_hosted().get(table)
        if row is None or (host != row.host and host not in row.guests):
            raise UnknownHostedTable(f"there is no table {table} for account {host}")
        if host != row.host:
            raise NotHost(f"account {host} is a guest of {table}")
        return row

    def _hosted_table(self, table: str) -> HostedTableRow:
        row = self._hosted[table]
        return HostedTableRow(
            table=table,
            host=row.host,
            host_name=self._accounts[row.host].name,
            terms=dict(row.terms),
            code=row.code,
            paused=row.paused,
            closing=row.closing,
            version=row.version,
            guests=frozenset(row.guests),
        )
