"""Check private tables: hosts open what the operator offers, and the players are those who were let in.

An account is let in as the host, by the code of the link that is valid, or as a member of the club that has the table.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pokerroom.ledger.hosted_tables import HostedTableRow
from pokerroom.simulation.checks.settings import CheckedOffer, CheckedSettings
from pokerroom.simulation.checks.violation import Blame, Kind


@dataclass(slots=True, kw_only=True)
class _Table:
    host: int
    code: str
    guests: set[int] = field(default_factory=set)
    removed: set[int] = field(default_factory=set)
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
            case "join_club_table" if result.club is not None:
                self._tables[result.table].guests.add(args[1])
            case "give_host":
                known = self._tables[result.table]
                known.guests.add(known.host)
                known.host = result.host
            case "change_hosted_table" if args[2] == "new_link":
                self._tables[result.table].code = result.code
            case "remove_guest":
                known = self._tables[result.table]
                gone = known.guests - result.guests.keys()
                known.guests -= gone
                known.removed |= gone
            case "end_hosted_table" if result:
                self._tables[args[0]].open = False
            case "buy_in" if args[1] in self._tables:
                known = self._tables[args[1]]
                if args[4] != known.host and args[4] not in known.guests:
                    self._wrong(args[1], f"account {args[4]} takes a seat, and was not let in")
            case _:
                pass

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

    def _wrong(self, table: str, line: str) -> None:
        self._blame(Kind.HOSTING, table, "", line)
