"""Who waits for a seat: at one table, or at any table of the same game, structure and stakes.

There is one order of joining for both. When a table has an opening, the first who is connected and may sit there is
called: the table holds the seat for him, and he is told. Who is not connected is passed over, and keeps his place for
a while. Tables hold seats and decide about their chairs; this module only says whose turn it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from pokerroom.rules.betting import BettingStructure
from pokerroom.rules.stakes import Stakes
from pokerroom.table.outbox import Viewer
from pokerroom.table.outgoing import Outgoing
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

if TYPE_CHECKING:  # a table is given the lobby's Seating when it is made
    from pokerroom.table.actor import Table

AWAY_S = 120
"""Who is not connected for so long loses his place [D]."""
FORGOTTEN_S = 3600
"""Who is away for so long is not told any more that he has lost it."""

Kind = tuple[BettingStructure, Stakes]
"""What is played; the number of seats does not matter."""


@dataclass(slots=True, kw_only=True, eq=False)
class Entry:
    """One account on one list. `table` is the one that it named, also with `any_table`."""

    account: int
    table: str
    any_table: bool
    kind: Kind
    viewer: Viewer | None
    """None while the account is not connected."""
    away_since: float = 0.0
    """Since when not, in seconds of the clock."""
    called_to: str | None = None
    """The table that holds a seat for him, or is just asked to."""
    call: Call | None = None
    """The last: the answer to another one, which was given up, says nothing."""
    told: bool = False
    """Whether it does, and he was told."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Call:
    """A table is asked to hold a seat for an entry; `then` hears whether it does."""

    entry: Entry
    table: str
    then: Callable[[bool], None]


class Waitlist:
    """All waiting lists of the room. `may_sit` says of account and table whether a seat there could be claimed."""

    def __init__(self, may_sit: Callable[[int, str], bool]) -> None:
        self._may_sit = may_sit
        self._tables: dict[str, Table] = {}
        self._entries: list[Entry] = []

    def open(self, table: Table) -> None:
        """The room has this table."""
        self._tables[table.settings.table] = table

    # --- wishes -----------------------------------------------------------------------------------------------------

    def wish(self, viewer: Viewer, message: wire.JoinWaitlist | wire.LeaveWaitlist) -> Code | None:
        """Waits, or waits no longer. Returns why that cannot be, if so: then nothing has changed."""
        account, table = viewer.account, self._tables.get(message.table)
        assert account is not None  # a session passes this only when it is logged in
        if table is None:
            return Code.UNKNOWN_TABLE
        entry = Entry(
            account=account,
            table=message.table,
            any_table=message.any_table,
            kind=_kind(table),
            viewer=viewer,
        )
        if isinstance(message, wire.JoinWaitlist):
            return self._join(viewer, message, entry)
        return self._leave(viewer, message, entry)

    def _join(self, viewer: Viewer, message: wire.JoinWaitlist, entry: Entry) -> Code | None:
        """He is called at once if a seat is free."""
        if self._same(entry) is not None:
            return Code.ALREADY_WAITING
        tables = [self._tables[name] for name in self._served_by(entry)]
        open_ones = [table for table in tables if not table.chairs.closing]
        if not open_ones:
            return Code.TABLE_CLOSING
        if all(table.chairs.seats.of(entry.account) is not None for table in open_ones):
            return Code.ALREADY_SEATED
        self._forget_the_lost()
        position = self.waiting(entry.table) + 1
        self._entries.append(entry)
        joined = wire.Waitlisted(
            re=message.id, table=entry.table, any_table=entry.any_table, position=position
        )
        viewer.deliver(Outgoing(joined))
        self._seek(entry)
        return None

    def _leave(self, viewer: Viewer, message: wire.LeaveWaitlist, like: Entry) -> Code | None:
        """A seat that is held for him by his entry is the next one's."""
        entry = self._same(like)
        if entry is None:
            return Code.NOT_WAITING
        self._entries.remove(entry)
        viewer.deliver(Outgoing(wire.Ok(re=message.id)))
        self._withdraw(entry)
        return None

    # --- presence ---------------------------------------------------------------------------------------------------

    def connected(self, viewer: Viewer) -> None:
        """The account is here again: its places are kept, or it hears that they are lost."""
        for entry in [entry for entry in self._entries if entry.account == viewer.account]:
            if entry.viewer is None and self._away_s(entry) >= AWAY_S:
                entry.viewer = viewer
                self._end(entry, "away")
                continue
            entry.viewer = viewer
            self._seek(entry)

    def disconnected(self, viewer: Viewer) -> None:
        """The connection is lost, or logged out: a seat held for it is the next one's, its places are kept."""
        gone = [entry for entry in self._entries if entry.viewer is viewer]
        for entry in gone:
            entry.viewer = None
            entry.away_since = self._now(entry)
        for entry in gone:
            self._withdraw(entry)

    # --- told by the tables -----------------------------------------------------------------------------------------

    def waiting(self, table: str) -> int:
        """How many a free seat here would be offered to now: they come before a newcomer."""
        asked = (entry for entry in self._entries if entry.called_to == table and not entry.told)
        return len({entry.account for entry in (*self._takers(table), *asked)})

    def opening(self, table: str) -> None:
        """A seat of this table may be free: whose turn it is, is called, as long as there are seats."""
        entry = next(self._takers(table), None)
        if entry is not None:
            self._call(entry, table, lambda held: self.opening(table) if held else None)

    def freed(self, account: int, table: str) -> None:
        """The account has no seat here, and none is held for it, any more: it may be called elsewhere."""
        own = [entry for entry in self._entries if entry.account == account]
        for entry in own:
            if entry.called_to == table:
                entry.called_to, entry.told = None, False
        for entry in own:
            self._seek(entry)

    def held_seat_lapsed(self, account: int, table: str) -> None:
        """The account was called and has not come: it waits no longer on that list."""
        for entry in [entry for entry in self._entries if entry.account == account]:
            if entry.called_to == table:
                self._end(entry, "offer_lapsed")

    def calls_lost(self, table: str) -> None:
        """The table stops or begins anew: whom it has not answered is called elsewhere, or here when it goes on."""
        lost = [entry for entry in self._entries if entry.called_to == table and not entry.told]
        for entry in lost:
            entry.called_to, entry.call = None, None
        for entry in lost:
            self._seek(entry, (name for name in self._served_by(entry) if name != table))

    def seated(self, account: int, table: str) -> None:
        """The account has a seat here: it waits no longer for one like it."""
        for entry in [entry for entry in self._entries if entry.account == account]:
            if self._serves(entry, table):
                self._entries.remove(entry)
                if entry.called_to != table:
                    self._withdraw(entry)

    def closed(self, table: str) -> None:
        """No seat will be free here: who waits for no other table waits no longer."""
        for entry in [entry for entry in self._entries if self._serves(entry, table)]:
            others = (name for name in self._served_by(entry) if name != table)
            if all(self._tables[name].chairs.closing for name in others):
                self._end(entry, "table_closed")

    # --- inside -----------------------------------------------------------------------------------------------------

    def _serves(self, entry: Entry, table: str) -> bool:
        if entry.any_table:
            return table in self._tables and _kind(self._tables[table]) == entry.kind
        return entry.table == table

    def _served_by(self, entry: Entry) -> list[str]:
        return [name for name in self._tables if self._serves(entry, name)]

    def _same(self, entry: Entry) -> Entry | None:
        """The account's entry on the same list."""

        def on(one: Entry) -> object:
            return one.account, one.any_table, one.kind if one.any_table else one.table

        return next((other for other in self._entries if on(other) == on(entry)), None)

    def _takers(self, table: str) -> Iterator[Entry]:
        """Whom a seat of this table would be offered to now, in their order."""
        return (
            entry
            for entry in self._entries
            if entry.viewer is not None
            and entry.called_to is None
            and self._serves(entry, table)
            and self._may_sit(entry.account, table)
        )

    def _seek(self, entry: Entry, tables: Iterator[str] | None = None) -> None:
        """Asks the tables that would serve him, one after the other, for a seat that is free already."""
        rest = iter(self._served_by(entry)) if tables is None else tables
        for table in rest:
            # where somebody is before him, that one has been told already that no seat is free
            if next(self._takers(table), None) is entry:
                self._call(entry, table, lambda held: None if held else self._seek(entry, rest))
                return

    def _call(self, entry: Entry, table: str, then: Callable[[bool], None]) -> None:
        entry.called_to = table
        entry.call = call = Call(entry=entry, table=table, then=then)
        self._tables[table].offer_seat(entry.account, partial(self._told, call))

    def _told(self, call: Call, seat: int | None, until_ms: int) -> None:
        entry = call.entry
        if entry.call is not call:
            assert seat is None  # chairs that were given up hold no seat
            return
        entry.told = seat is not None
        if seat is None:
            entry.called_to = None
        elif entry.viewer is not None and entry in self._entries:  # else `_withdraw` is on its way
            entry.viewer.deliver(Outgoing(wire.SeatOffered(table=call.table, seat=seat, until_ms=until_ms)))
        call.then(seat is not None)

    def _withdraw(self, entry: Entry) -> None:
        """The table frees the seat that it holds for him; `freed` and `opening` follow."""
        if entry.called_to is not None:
            table = self._tables[entry.called_to]
            table.withdraw_offer(entry.account)

    def _end(self, entry: Entry, reason: Literal["offer_lapsed", "away", "table_closed"]) -> None:
        self._entries.remove(entry)
        if entry.viewer is not None:
            ended = wire.WaitEnded(table=entry.table, any_table=entry.any_table, reason=reason)
            entry.viewer.deliver(Outgoing(ended))

    def _now(self, entry: Entry) -> float:
        return self._tables[entry.table].world.clock.seconds()

    def _away_s(self, entry: Entry) -> float:
        return self._now(entry) - entry.away_since

    def _forget_the_lost(self) -> None:
        """Places that nobody came back for; nothing else looks at them."""
        self._entries = [
            entry for entry in self._entries if entry.viewer is not None or self._away_s(entry) < FORGOTTEN_S
        ]


def _kind(table: Table) -> Kind:
    return table.settings.structure, table.settings.stakes
