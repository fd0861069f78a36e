"""The entries of a tournament and their seats, as the ledger returns them (see `tournaments`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pokerroom.chips import Money

SEATS_NUMBERED: Final = 10
"""So many numbers of seats are kept for each table, however many seats it has."""

_NOTHING: Final = Money(0)


def seat_number(table: int, seat: int) -> int:
    """Return the number in the tournament of a `seat` (1 to 10) at a table: ten for each table."""
    return SEATS_NUMBERED * (table - 1) + seat


def table_and_seat(number: int) -> tuple[int, int]:
    """Return the table and the seat that have this number (see `seat_number`)."""
    table, seat = divmod(number - 1, SEATS_NUMBERED)
    return table + 1, seat + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRow:
    """One entry. `number` counts the entries of the account in this tournament.

    `bought` are the chips of rebuys and add-ons that came to it. `gone`: the player is out, and can buy no rebuy.
    `replaced`: the account was out, and has entered again. `out_in` is the ledger's number of the hand in which the
    entry lost its last chips; None while it has chips.
    `seat` is the number of its seat in the tournament (`seat_number`), drawn at the start; a player may move.
    `hands` counts the settled hands of the player. `chips` is the stack after the last one, `chips_before` the stack at
    its start, which ranks the players who went out in it (I2). `head` is the bounty on the player; 0 once it is paid.
    """

    account: int
    number: int
    returned: bool
    seat: int | None
    chips: int | None = None
    chips_before: int | None = None
    hands: int = 0
    replaced: bool = False
    out_in: int | None = None
    head: Money = _NOTHING
    bought: int = 0
    gone: bool = False

    @property
    def counts(self) -> bool:
        """Whether it is the entry with which its account plays, or has played last."""
        return not self.returned and not self.replaced


class SeatedEntries:
    """The entries that got a seat. It is made once for a row, since each table of a field looks for its own players."""

    def __init__(self, entries: Sequence[EntryRow]) -> None:
        self._ever_at = dict[int, list[EntryRow]]()
        self._several = dict[int, list[EntryRow]]()
        """The entries of accounts with more than one, by account."""
        last = dict[int, EntryRow]()
        for entry in sorted(entries, key=lambda entry: entry.number):
            if entry.seat:
                before = last.get(entry.account)
                if before is not None:
                    self._several.setdefault(entry.account, [before]).append(entry)
                last[entry.account] = entry
                self._ever_at.setdefault(table_and_seat(entry.seat)[0], []).append(entry)
        by_seat = sorted(last.values(), key=lambda entry: entry.seat or 0)
        self.last: Mapping[int, EntryRow] = {entry.account: entry for entry in by_seat}
        """The last entry of each account, by seat; those of players that are out keep their last seat."""

    def of(self, account: int) -> Sequence[EntryRow]:
        """Return the entries of an account, in order: it may have entered again when it was out."""
        if account in self._several:
            return self._several[account]
        return [self.last[account]] if account in self.last else []

    def at(self, table: int) -> list[EntryRow]:
        """Return the last entries of the accounts that were last seated at this table, by seat."""
        here = [entry for entry in self.ever_at(table) if self.last[entry.account] is entry]
        return sorted(here, key=lambda entry: entry.seat or 0)

    def ever_at(self, table: int) -> Sequence[EntryRow]:
        """Return the entries with a seat at this table, also those after which an account entered again."""
        return self._ever_at.get(table, ())
