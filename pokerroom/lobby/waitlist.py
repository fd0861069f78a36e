"""The waiting lists: accounts that wait for a seat at one table, or at any table of the same game, structure and
stakes.

There is one order of joining for both kinds. When a table has an opening, the first account that is connected and may
sit there is called: the table holds the seat, and the account is told. An account that is not connected is passed over
and keeps its place for a while. Tables hold seats and decide about them; this module decides whose turn it is. It knows
each table as a `WaitlistTable`, not the node where it lives: a table's answer may take a while, or never come.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, Protocol

from pokerroom.table.api import ActorSettings, SeatOffered
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.viewer import Viewer
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

AWAY_S = 120
"""An account that is not connected for this long loses its place [D]."""
FORGOTTEN_S = 3600
"""An account that is away for this long is not told any more that it lost its place."""


class WaitlistTable(Protocol):
    """A table as the waiting lists see it."""

    settings: ActorSettings
    closing: bool
    """Whether the operator has closed it."""

    def sits(self, account: int) -> bool:
        """Return whether the account has a seat here."""

    def offer_seat(self, account: int, told: SeatOffered) -> None:
        """Ask the table to hold a free seat. `told` gets its number and the end of the offer, or None and 0, or is
        never called.
        """

    def withdraw_offer(self, account: int) -> None:
        """Give up the offer to an account that is not waiting any more."""


@dataclass(slots=True, kw_only=True, eq=False)
class WaitlistEntry:
    """One account on one list. `table` is the one that the account named, also with `any_table`.

    `joined` grows with every entry of the room, whichever node leads the lists: a new leader sorts by it.
    """

    account: int
    table: str
    any_table: bool
    kind: Hashable
    joined: int
    viewer: Viewer | None
    """None while the account is not connected."""
    away_since: float = 0.0
    """Since when it is not connected, in seconds of the clock."""
    called_to: str | None = None
    """The table that holds a seat for the account, or is being asked to."""
    call: SeatCall | None = None
    """The latest call: answers to earlier ones, which were given up, are ignored."""
    offer: wire.SeatOffered | None = None
    """The offer that the account is told when it connects."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SeatCall:
    """A request to a table to hold a seat for an entry; `then` is called with whether it does."""

    entry: WaitlistEntry
    table: str
    then: Callable[[bool], None]


class Waitlist:
    """All waiting lists of the room. `may_sit(account, table)` returns whether a seat there could be claimed.

    `now` is the clock's time in seconds, `now_ms` the wall clock's. `entered` and `ended` are called for every entry.
    """

    def __init__(
        self,
        places: Iterable[WaitlistTable],
        *,
        may_sit: Callable[[int, str], bool],
        now: Callable[[], float],
        now_ms: Callable[[], int],
        entered: Callable[[WaitlistEntry], None],
        ended: Callable[[WaitlistEntry], None],
    ) -> None:
        self._may_sit = may_sit
        self._now = now
        self._now_ms = now_ms
        self._entered = entered
        self._ended = ended
        self._tables = {place.settings.table: place for place in places}
        self._entries: list[WaitlistEntry] = []
        self._last_joined = 0

    # --- requests -----------------------------------------------------------------------------------------------------

    def request(self, viewer: Viewer, message: wire.JoinWaitlist | wire.LeaveWaitlist) -> Code | None:
        """Join or leave a list. Return the reason of a refusal, if any: then nothing has changed."""
        account, table = viewer.account, self._tables.get(message.table)
        assert account is not None  # a session passes this on only when it is logged in
        if table is None:
            return Code.UNKNOWN_TABLE
        if table.settings.waited_for is None:
            return Code.NO_WAITING_LIST
        entry = WaitlistEntry(
            account=account,
            table=message.table,
            any_table=message.any_table,
            kind=table.settings.waited_for,
            joined=max(self._last_joined + 1, self._now_ms()),
            viewer=viewer,
        )
        if isinstance(message, wire.JoinWaitlist):
            return self._join(viewer, message, entry)
        return self._leave(viewer, message, entry)

    def _join(self, viewer: Viewer, message: wire.JoinWaitlist, entry: WaitlistEntry) -> Code | None:
        """Add the account, and call it at once if a seat is free."""
        if self._same(entry) is not None:
            return Code.ALREADY_WAITING
        tables = [self._tables[name] for name in self._served_by(entry)]
        open_ones = [table for table in tables if not table.closing]
        if not open_ones:
            return Code.TABLE_CLOSING
        if all(table.sits(entry.account) for table in open_ones):
            return Code.ALREADY_SEATED
        self._forget_the_lost()
        position = self.waiting(entry.table) + 1
        self._add(entry)
        joined = wire.Waitlisted(
            re=message.id, table=entry.table, any_table=entry.any_table, position=position
        )
        viewer.deliver(Outgoing(joined))
        self._seek(entry)
        return None

    def _leave(self, viewer: Viewer, message: wire.LeaveWaitlist, like: WaitlistEntry) -> Code | None:
        """Remove the account; a seat that is held for this entry goes to the next account."""
        entry = self._same(like)
        if entry is None:
            return Code.NOT_WAITING
        self._remove(entry)
        viewer.deliver(Outgoing(wire.Ok(re=message.id)))
        self._withdraw(entry)
        return None

    # --- presence -----------------------------------------------------------------------------------------------------

    def connected(self, viewer: Viewer) -> None:
        """Note that the account is connected again: its places are kept, or it is told that they are lost."""
        for entry in [entry for entry in self._entries if entry.account == viewer.account]:
            if entry.viewer is None and self._away_s(entry) >= AWAY_S:
                entry.viewer = viewer
                self._end(entry, "away")
                continue
            entry.viewer = viewer
            if entry.offer is not None:
                viewer.deliver(Outgoing(entry.offer))  # it was lost on its way to the client
            self._seek(entry)

    def disconnected(self, viewer: Viewer) -> None:
        """Note a lost connection or a log-out: a held seat goes to the next account, the places are kept."""
        gone = [entry for entry in self._entries if entry.viewer is viewer]
        for entry in gone:
            entry.viewer = None
            entry.away_since = self._now()
        for entry in gone:
            self._withdraw(entry)

    # --- a new leader -------------------------------------------------------------------------------------------------

    def entries(self) -> list[WaitlistEntry]:
        """Return all entries in their order."""
        return list(self._entries)

    def take_over(
        self, *, account: int, table: str, any_table: bool, joined: int, viewer: Viewer | None
    ) -> None:
        """Take over an entry from another leader; `viewer` is None until the account is known to be connected."""
        place = self._tables.get(table)
        if place is None or place.settings.waited_for is None:
            return
        entry = WaitlistEntry(
            account=account,
            table=table,
            any_table=any_table,
            kind=place.settings.waited_for,
            joined=joined,
            viewer=viewer,
            away_since=self._now(),
        )
        if self._same(entry) is None:
            self._add(entry)
            self._entries.sort(key=lambda one: one.joined)
            if viewer is not None:
                self._seek(entry)

    def stands(self, table: str, offered: Mapping[int, tuple[int, int]]) -> None:
        """Take over the table owner's report of the seats that it holds for called accounts, and until when.

        An account that was called there, as far as was known here, and is missing in the report has lost its seat.
        """
        for entry in self._entries:
            here = offered.get(entry.account)
            if here is None or entry.called_to not in {None, table} or not self._serves(entry, table):
                continue
            offer = wire.SeatOffered(table=table, seat=here[0], until_ms=here[1])
            if entry.offer != offer:
                entry.called_to, entry.call, entry.offer = table, None, offer
                if entry.viewer is not None:
                    entry.viewer.deliver(Outgoing(offer))
        lost = [entry for entry in self._entries if entry.called_to == table and entry.offer is not None]
        for account in {entry.account for entry in lost} - offered.keys():
            self.freed(account, table)

    # --- events of the tables -----------------------------------------------------------------------------------------

    def waiting(self, table: str) -> int:
        """Return how many accounts a free seat here would be offered to now: they come before a newcomer."""
        asked = (entry for entry in self._entries if entry.called_to == table and entry.offer is None)
        return len({entry.account for entry in (*self._takers(table), *asked)})

    def opening(self, table: str) -> None:
        """Call the next accounts for a seat of this table that may be free, as long as there are seats."""
        entry = next(self._takers(table), None)
        if entry is not None:
            self._call(entry, table, lambda held: self.opening(table) if held else None)

    def freed(self, account: int, table: str) -> None:
        """Note that the account neither has nor is held a seat here: it may be called elsewhere."""
        own = [entry for entry in self._entries if entry.account == account]
        for entry in own:
            if entry.called_to == table and entry.offer is not None:  # else the table still owes an answer
                entry.called_to, entry.offer = None, None
        for entry in own:
            self._seek(entry)

    def held_seat_lapsed(self, account: int, table: str) -> None:
        """Remove an account that was called and did not come."""
        for entry in [entry for entry in self._entries if entry.account == account]:
            if entry.called_to == table:
                self._end(entry, "offer_lapsed")

    def calls_lost(self, table: str) -> None:
        """Give up calls that the table has not answered, since it stops or restarts: other tables are asked."""
        lost = [entry for entry in self._entries if entry.called_to == table and entry.offer is None]
        for entry in lost:
            entry.called_to, entry.call = None, None
        for entry in lost:
            self._seek(entry, (name for name in self._served_by(entry) if name != table))

    def seated(self, account: int, table: str) -> None:
        """Remove the entries of an account for tables like this one: it has a seat."""
        for entry in [entry for entry in self._entries if entry.account == account]:
            if self._serves(entry, table):
                self._remove(entry)
                if entry.called_to != table:
                    self._withdraw(entry)

    def closed(self, table: str) -> None:
        """Remove the entries that no other table serves: no seat will be free here."""
        for entry in [entry for entry in self._entries if self._serves(entry, table)]:
            others = (name for name in self._served_by(entry) if name != table)
            if all(self._tables[name].closing for name in others):
                self._end(entry, "table_closed")

    # --- inside -------------------------------------------------------------------------------------------------------

    def _serves(self, entry: WaitlistEntry, table: str) -> bool:
        if entry.any_table:
            return table in self._tables and self._tables[table].settings.waited_for == entry.kind
        return entry.table == table

    def _served_by(self, entry: WaitlistEntry) -> list[str]:
        return [name for name in self._tables if self._serves(entry, name)]

    def _same(self, entry: WaitlistEntry) -> WaitlistEntry | None:
        """Return the account's entry on the same list."""

        def on(one: WaitlistEntry) -> object:
            return one.account, one.any_table, one.kind if one.any_table else one.table

        return next((other for other in self._entries if on(other) == on(entry)), None)

    def _takers(self, table: str) -> Iterator[WaitlistEntry]:
        """Return the entries to which a seat of this table would be offered now, in their order."""
        return (
            entry
            for entry in self._entries
            if entry.viewer is not None
            and entry.called_to is None
            and self._serves(entry, table)
            and self._may_sit(entry.account, table)
        )

    def _seek(self, entry: WaitlistEntry, tables: Iterator[str] | None = None) -> None:
        """Ask the tables that would serve the entry, one after the other, for a seat that is free already."""
        rest = iter(self._served_by(entry)) if tables is None else tables
        for table in rest:
            # the first of several entries has already been told that no seat is free
            if next(self._takers(table), None) is entry:
                self._call(entry, table, lambda held: None if held else self._seek(entry, rest))
                return

    def _call(self, entry: WaitlistEntry, table: str, then: Callable[[bool], None]) -> None:
        entry.called_to = table
        entry.call = call = SeatCall(entry=entry, table=table, then=then)
        self._tables[table].offer_seat(entry.account, partial(self._told, call))

    def _told(self, call: SeatCall, seat: int | None, until_ms: int) -> None:
        entry = call.entry
        if entry.call is not call:
            if seat is not None:  # the call was given up, and its table does not know that
                self._tables[call.table].withdraw_offer(entry.account)
            return
        if seat is None:
            entry.called_to = None
        else:
            entry.offer = wire.SeatOffered(table=call.table, seat=seat, until_ms=until_ms)
            if entry.viewer is not None and entry in self._entries:  # else `_withdraw` is on its way
                entry.viewer.deliver(Outgoing(entry.offer))
        call.then(seat is not None)

    def _withdraw(self, entry: WaitlistEntry) -> None:
        """Free the seat that the table holds for the entry; `freed` and `opening` follow."""
        if entry.called_to is not None:
            table = self._tables[entry.called_to]
            table.withdraw_offer(entry.account)

    def _end(self, entry: WaitlistEntry, reason: Literal["offer_lapsed", "away", "table_closed"]) -> None:
        self._remove(entry)
        if entry.viewer is not None:
            ended = wire.WaitEnded(table=entry.table, any_table=entry.any_table, reason=reason)
            entry.viewer.deliver(Outgoing(ended))

    def _add(self, entry: WaitlistEntry) -> None:
        self._entries.append(entry)
        self._last_joined = max(self._last_joined, entry.joined)
        self._entered(entry)

    def _remove(self, entry: WaitlistEntry) -> None:
        self._entries.remove(entry)
        self._ended(entry)

    def _away_s(self, entry: WaitlistEntry) -> float:
        return self._now() - entry.away_since

    def _forget_the_lost(self) -> None:
        """Remove places whose accounts have not come back; nothing else looks at them."""
        for entry in [entry for entry in self._entries if entry.viewer is None]:
            if self._away_s(entry) >= FORGOTTEN_S:
                self._remove(entry)
