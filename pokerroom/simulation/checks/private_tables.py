"""Check private tables: hosts open what the operator offers, and the players are those who were let in.

An account is let in as the host, by the code of the link or the password that are valid, or as a member of the club
that has the table.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pokerroom.ledger.hosted_tables import HostedTableRow
from pokerroom.simulation.checks.settings import CheckedOffer, CheckedSettings
from pokerroom.simulation.checks.violation import Blame, Kind
from pokerroom_protocol import messages as wire


@dataclass(slots=True, kw_only=True)
class _Table:
    host: int
    code: str
    guests: set[int] = field(default_factory=set)
    removed: set[int] = field(default_factory=set)
    password_hash: str | None = None
    passwords: set[str] = field(default_factory=set)
    """All that a host has asked for."""
    open: bool = True


class PrivateTableChecker:
    """Keeps who was let in, by what was booked. `offered` is what the operator lets hosts choose."""

    def __init__(self, blame: Blame, offered: CheckedOffer) -> None:
        self._blame = blame
        self._offered = offered
        self._tables: dict[str, _Table] = {}

    def opened(self, table: str, host: int, code: str, terms: CheckedSettings) -> None:
        """A table was opened with these terms."""
        self._tables[table] = _Table(host=host, code=code)
        if not self._offered.has(terms):
            self._wrong(table, f"{terms} is not offered")
        own = sum(each.open and each.host == host for each in self._tables.values())
        if own > self._offered.tables_per_account:
            self._wrong(
                table, f"account {host} hosts {own} tables, {self._offered.tables_per_account} are offered"
            )

    def booked(self, name: str, args: tuple[Any, ...], result: Any) -> None:
        """The ledger has done something, perhaps not for the first time."""
        match name:
            case "join_hosted_table":
                self._joined(result, *args)
            case "enter_hosted_table":
                self._entered(*args)
            case "join_club_table" if result.club is not None:
                self._tables[result.table].guests.add(args[1])
            case "end_hosted_table" if result:
                self._tables[args[0]].open = False
            case "buy_in" if args[1] in self._tables:
                known = self._tables[args[1]]
                if args[4] != known.host and args[4] not in known.guests:
                    self._wrong(args[1], f"account {args[4]} takes a seat, and was not let in")
            case "give_host" | "change_hosted_table" | "set_table_password" | "remove_guest":
                self._ordered(name, args, result)
            case _:
                pass

    def _ordered(self, name: str, args: tuple[Any, ...], row: HostedTableRow) -> None:
        """The host has given an order."""
        known = self._tables[row.table]
        match name:
            case "give_host":
                known.guests.add(known.host)
                known.host = row.host
            case "change_hosted_table" if args[2] == "new_link":
                known.code = row.code
            case "set_table_password":
                known.password_hash = args[2]
            case "remove_guest":
                gone = known.guests - row.guests.keys()
                known.guests -= gone
                known.removed |= gone
            case _:
                pass

    def asked(self, request: wire.Request) -> None:
        """A request has reached the room."""
        if isinstance(request, wire.SetTablePassword) and request.table in self._tables and request.password:
            self._tables[request.table].passwords.add(request.password)

    def answered(self, request: wire.Request, answer: wire.ServerMessage) -> None:
        """The room has answered."""
        if (
            isinstance(request, wire.EnterTable)
            and isinstance(answer, wire.HostedTable)
            and request.password not in self._tables[request.table].passwords
        ):
            self._wrong(request.table, "a player is let in by a password that no host has set")

    def seen(self, table: str, account: int | None) -> None:
        """An account is shown a table. One that was removed may be in a hand."""
        known = self._tables.get(table)
        if known is not None and account not in {known.host, *known.guests, *known.removed}:
            self._wrong(table, f"account {account} sees the table, and was not let in")

    def _joined(self, row: HostedTableRow, code: str, account: int, _address: str = "") -> None:
        known = self._tables[row.table]
        if code != known.code or account in known.removed:
            self._wrong(row.table, f"account {account} is let in by a link that is void for it")
        if account != known.host:
            known.guests.add(account)

    def _entered(self, table: str, password_hash: str, account: int, _address: str = "") -> None:
        known = self._tables[table]
        if password_hash != known.password_hash or account in known.removed:
            self._wrong(table, f"account {account} is let in by a password that is void for it")
        if account != known.host:
            known.guests.add(account)

    def _wrong(self, table: str, line: str) -> None:
        self._blame(Kind.HOSTING, table, "", line)
