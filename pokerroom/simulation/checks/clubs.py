"""Check the chips of clubs: what members hold, and what the bank of a club has issued, by what was booked.

A buy-in at a table of a club comes from the member's balance, and what a player leaves with goes back there; a payment
of the bank counts once for each key; a player that has left has nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from pokerroom.ledger.clubs import ClubRow
from pokerroom.ledger.hosted_tables import HostedTableRow
from pokerroom.simulation.checks.violation import Blame, Kind


class ClubChecker:
    """Books beside those of the ledger. `stacks` are all stacks, by table and account."""

    def __init__(self, blame: Blame, stacks: Mapping[tuple[str, int], int]) -> None:
        self._blame = blame
        self._stacks = stacks
        self._tables: dict[str, str] = {}
        """The club of each table of a club."""
        self._balances: defaultdict[tuple[str, int], int] = defaultdict(int)
        self._keys: set[tuple[str, str]] = set()
        self._names: dict[tuple[str, str], int] = {}
        self._owners: dict[str, int] = {}
        """The owner of each club that is not closed."""

    @property
    def owners(self) -> Sequence[tuple[str, int]]:
        """The clubs that are not closed, and a member of each."""
        return sorted(self._owners.items())

    def booked(self, name: str, args: tuple[Any, ...], result: Any) -> None:
        """The ledger has done something, perhaps not for the first time."""
        match name:
            case "open_hosted_table" if isinstance(result, HostedTableRow) and result.club is not None:
                self._tables[args[0]] = result.club
            case "move_club_chips":
                self._moved(args[0], result)
            case "leave_club":
                self._balances.pop((args[0], args[1]), None)
            case "remove_member":
                self._balances.pop((args[0], self._names[args[0], args[2].lower()]), None)
            case "close_club":
                for held in [one for one in self._balances if one[0] == args[0]]:
                    del self._balances[held]
                self._owners.pop(args[0], None)
            case _:
                pass
        for row in result if isinstance(result, list) else [result]:
            if isinstance(row, ClubRow):
                self.told(row)

    def pays(self, table: str, account: int, amount: int) -> bool:
        """Take chips that come to a stack from the member's balance; return False if the table is of no club."""
        club = self._tables.get(table)
        if club is not None:
            self._balances[club, account] -= amount
        return club is not None

    def told(self, row: ClubRow) -> None:
        """The ledger shows a club."""
        for account, member in row.members.items():
            self._names[row.club, member.name.lower()] = account
            if member.role == "owner":
                self._owners[row.club] = account
            if member.balance != self._balances[row.club, account]:
                booked = self._balances[row.club, account]
                self._wrong(row, f"{member.name} holds {member.balance}, booked were {booked}")
        played = self._outside(row.club)
        held = sum(balance for (club, _), balance in self._balances.items() if club == row.club)
        if row.issued != held + played:
            self._wrong(row, f"{row.issued} are issued, members hold {held}, and {played} are in games")

    def _outside(self, club: str) -> int:
        """What is at the tables of a club."""
        return sum(stack for (table, _), stack in self._stacks.items() if self._tables.get(table) == club)

    def _moved(self, chips: Any, row: ClubRow) -> None:
        if (chips.club, chips.key) in self._keys:
            return
        self._keys.add((chips.club, chips.key))
        taker = next(
            account for account, member in row.members.items() if member.name.lower() == chips.name.lower()
        )
        self._balances[chips.club, taker] += chips.amount

    def _wrong(self, row: ClubRow, line: str) -> None:
        self._blame(Kind.CHIPS, "", "", f"club {row.club}: {line}")
