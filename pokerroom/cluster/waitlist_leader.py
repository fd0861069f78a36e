"""The waiting lists of the whole room, at the node that leads them.

The leader holds the lists (`lobby.waitlist`) and in them a `WaitlistTable` for each table, which asks the table's owner
over the bus. The owners report what it must know: which accounts hold a seat or a claim and whether the table is
closing (`TableSeats`, then each `SeatEvent`). Every other node gets all entries, so that it can lead next, and the
number of accounts that come before a newcomer. Knows no rules; moves no money.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import Protocol, assert_never

from pokerroom.cluster.bus_sender import BusSender
from pokerroom.cluster.messages import (
    SeatEvent,
    SeatOfferAnswered,
    SeatOfferRequested,
    SeatOfferWithdrawn,
    TableSeats,
    WaiterAdded,
    WaiterCounts,
    WaiterDelivery,
    WaiterEntry,
    WaiterList,
    WaiterRemoved,
    WaitersConnected,
    WaitlistRequested,
)
from pokerroom.lobby.lobby import AccountSeats
from pokerroom.lobby.waitlist import Waitlist, WaitlistEntry
from pokerroom.table.api import ActorSettings, SeatOffered
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom.table.viewer import Viewer
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

Soon = Callable[[Callable[[], None]], object]


class LeaderTables(Protocol):
    """The tables and viewers of the leader's own node."""

    def offer(self, table: str, account: int, told: SeatOffered) -> None:
        """See `WaitlistTable.offer_seat`."""

    def withdraw(self, table: str, account: int) -> None:
        """See `WaitlistTable.withdraw_offer`."""

    def viewer_of(self, account: int) -> Viewer | None:
        """Return the viewer of an account that is connected to this node."""


class _RemoteWaiter:
    """A waiting account that is connected to another node: a `Viewer`."""

    def __init__(self, sender: BusSender, home: str, account: int, name: str) -> None:
        self._sender = sender
        self.home = home
        self.account: int | None = account
        self.name = name
        self.instance = ""
        self.address_group = ""
        self.wants_pause = False
        self.connected = True

    def deliver(self, outgoing: Outgoing | Bundle) -> None:
        assert self.account is not None
        for part in outgoing.parts:
            re = getattr(part.message, "re", None)
            self._sender.to(self.home, WaiterDelivery(self.account, part.framed(), re))


class _Table:
    """A table of the room: a `WaitlistTable`."""

    def __init__(self, leader: WaitlistLeader, settings: ActorSettings) -> None:
        self._leader = leader
        self.settings = settings
        self.closing = False
        self.seated: set[int] = set()
        self.owner: str | None = None
        self.epoch = 0
        self.reported_by: str | None = None
        """The node that reported the table's seats under this epoch; only its seat events count."""

    @property
    def known(self) -> bool:
        """Whether the owner has reported its seats. Until then no seat is offered: the account might sit there."""
        return self.owner is not None and self.owner == self.reported_by

    def sits(self, account: int) -> bool:
        return account in self.seated

    def offer_seat(self, account: int, told: SeatOffered) -> None:
        self._leader.offer(self, account, told)

    def withdraw_offer(self, account: int) -> None:
        self._leader.withdraw(self, account)


class WaitlistLeader:
    """See the module. `local` is the leader's own node, `owners` the owner of each table that has one."""

    def __init__(
        self,
        *,
        settings: Mapping[str, ActorSettings],
        tables_max: int,
        now: Callable[[], float],
        now_ms: Callable[[], int],
        sender: BusSender,
        soon: Soon,
        local: LeaderTables,
        owners: Mapping[str, str],
    ) -> None:
        self._sender = sender
        self._soon = soon
        self._local = local
        self.claims = AccountSeats(tables_max)
        self.tables = {name: _Table(self, each) for name, each in settings.items()}
        for name, owner in owners.items():
            self.tables[name].owner = owner
        self._waiters: dict[tuple[str, int], _RemoteWaiter] = {}
        self._calls: dict[int, tuple[str, SeatOffered]] = {}
        self._numbers = count(1)
        self._counted: dict[str, int] = {}
        self._counting = False
        self.list = Waitlist(
            self.tables.values(),
            may_sit=self.claims.may_sit,
            now=now,
            now_ms=now_ms,
            entered=self._entered,
            ended=self._ended,
        )

    # --- the lists ----------------------------------------------------------------------------------------------------

    def take_over(self, waiters: list[WaiterEntry]) -> None:
        """Take over entries, in their order, as the last leader sent them."""
        for each in waiters:
            self.list.take_over(
                account=each.account,
                table=each.table,
                any_table=each.any_table,
                joined=each.joined,
                viewer=self._viewer_of(each.account),
            )

    def waiters(self) -> list[WaiterEntry]:
        """Return all entries in their order."""
        return [_waiter(entry) for entry in self.list.entries()]

    def request(self, viewer: Viewer, message: wire.JoinWaitlist | wire.LeaveWaitlist) -> Code | None:
        """See `Waitlist.request`."""
        self._count_soon()
        return self.list.request(viewer, message)

    def connected(self, viewer: Viewer) -> None:
        """Note that the account is connected again."""
        self.list.connected(viewer)
        self._count_soon()

    def disconnected(self, viewer: Viewer) -> None:
        """Note a lost connection or a log-out. Another connection of the account takes its place."""
        elsewhere = None if viewer.account is None else self._viewer_of(viewer.account)
        if elsewhere is None:
            self.list.disconnected(viewer)
        else:
            self.list.connected(elsewhere)
        self._count_soon()

    def waiting(self, table: str) -> int:
        """See `SeatDirectory.waiting`."""
        return self.list.waiting(table)

    def send_state_to(self, node: str) -> None:
        """Send all entries and counts to a node that is new or has missed messages."""
        self._count()
        self._sender.to(node, WaiterList(self.waiters()))
        self._sender.to(node, WaiterCounts(self._counted))

    # --- from other nodes' clients ------------------------------------------------------------------------------------

    def requested(self, home: str, requested: WaitlistRequested) -> None:
        """Join or leave a list for a client of another node."""
        waiter = self._waiter(home, requested.account, requested.name)
        code = self.request(waiter, requested.request)
        if code is not None:
            error = wire.Error(re=requested.request.id, code=code.value, message=code.sentence)
            waiter.deliver(Outgoing(error))

    def present(self, home: str, present: WaitersConnected) -> None:
        """Note which waiting accounts are connected to another node."""
        if present.all:
            named = {account for account, _ in present.accounts}
            for node, account in list(self._waiters):
                if node == home and account not in named:
                    self.absent(home, account)
        for account, name in present.accounts:
            self.connected(self._waiter(home, account, name))

    def absent(self, home: str, account: int) -> None:
        """Note that an account is not connected to that node any more."""
        waiter = self._waiters.pop((home, account), None)
        if waiter is not None:
            self.disconnected(waiter)

    def lost(self, home: str) -> None:
        """Disconnect all accounts of a node that lives no longer."""
        for node, account in list(self._waiters):
            if node == home:
                self.absent(home, account)

    # --- from the tables' owners --------------------------------------------------------------------------------------

    def moved(self, table: str, owner: str | None) -> None:
        """Note the table's new owner; None while it has no living owner."""
        place = self.tables[table]
        place.owner = owner
        self.calls_lost([table])
        if place.known:  # the owner's report was faster than the directory
            self.list.opening(table)

    def calls_lost(self, tables: list[str]) -> None:
        """Give up the offers that these tables have not answered: an answer may have been lost."""
        self._calls = {call: each for call, each in self._calls.items() if each[0] not in tables}
        for table in tables:
            self.list.calls_lost(table)
        self._count_soon()

    def missed(self, node: str) -> None:
        """Distrust what that node reported, after lost messages: it will report its seats and accounts again."""
        tables = [name for name, place in self.tables.items() if place.reported_by == node]
        for table in tables:
            self.tables[table].reported_by = None
        self.calls_lost(tables)

    def stands(self, node: str, said: TableSeats) -> None:
        """Take over the report of all seats of a table."""
        table, place = said.table, self.tables[said.table]
        if said.epoch < place.epoch:
            return
        if said.epoch > place.epoch:
            self.calls_lost([table])
        place.epoch, place.reported_by = said.epoch, node
        before, place.seated = place.seated, set(said.seated)
        was_closing, place.closing = place.closing, said.closing
        held_before = self.claims.at(table)
        self.claims.forget(table)
        for account in said.held:
            self.claims.note(account, table)
        for account in sorted(place.seated - before):
            self.list.seated(account, table)
        for account in sorted(set(held_before).difference(said.held)):
            self.list.freed(account, table)
        self.list.stands(table, {account: (seat, until_ms) for account, seat, until_ms in said.offered})
        if not said.closing:
            self.list.opening(table)
        elif not was_closing:
            self.list.closed(table)
        self._count_soon()

    def noticed(self, node: str, said: SeatEvent) -> None:
        """Handle one seat event. Events of the last owner may be late, those of the next one too early: both are
        ignored.
        """
        table, account = said.table, said.account
        place = self.tables[table]
        if place.reported_by != node:
            return
        match said.occasion:
            case "claimed":
                self.claims.note(account, table)
            case "freed":
                place.seated.discard(account)
                self.claims.freed(account, table)
                self.list.freed(account, table)
            case "seated":
                place.seated.add(account)
                self.list.seated(account, table)
            case "opening":
                place.closing = False
                self.list.opening(table)
            case "lapsed":
                self.list.held_seat_lapsed(account, table)
            case "calls_lost":
                self.calls_lost([table])
            case "closed":
                place.closing = True
                self.list.closed(table)
            case _:
                assert_never(said.occasion)
        self._count_soon()

    def offered(self, said: SeatOfferAnswered) -> None:
        """Handle the answer to a seat offer."""
        _, told = self._calls.pop(said.call, ("", None))
        if told is not None:
            told(said.seat, said.until_ms)
            self._count_soon()

    # --- to the owners ------------------------------------------------------------------------------------------------

    def offer(self, place: _Table, account: int, told: SeatOffered) -> None:
        """See `WaitlistTable.offer_seat`."""
        table, owner = place.settings.table, place.owner
        if owner is None or not place.known:
            told(None, 0)
        elif owner == self._sender.node:
            self._local.offer(table, account, told)
        else:
            call = next(self._numbers)
            self._calls[call] = table, told
            self._sender.to(owner, SeatOfferRequested(call, table, account))

    def withdraw(self, place: _Table, account: int) -> None:
        """See `WaitlistTable.withdraw_offer`."""
        if place.owner == self._sender.node:
            self._local.withdraw(place.settings.table, account)
        elif place.owner is not None:
            self._sender.to(place.owner, SeatOfferWithdrawn(place.settings.table, account))

    # --- inside -------------------------------------------------------------------------------------------------------

    def _waiter(self, home: str, account: int, name: str) -> _RemoteWaiter:
        waiter = self._waiters.get((home, account))
        if waiter is None:
            waiter = self._waiters[home, account] = _RemoteWaiter(self._sender, home, account, name)
        return waiter

    def _viewer_of(self, account: int) -> Viewer | None:
        remote = (waiter for waiter in self._waiters.values() if waiter.account == account)
        return self._local.viewer_of(account) or next(remote, None)

    def _entered(self, entry: WaitlistEntry) -> None:
        self._sender.to_all(WaiterAdded(_waiter(entry)))
        self._count_soon()

    def _ended(self, entry: WaitlistEntry) -> None:
        self._sender.to_all(WaiterRemoved(_waiter(entry)))
        self._count_soon()

    def _counts(self) -> dict[str, int]:
        if not self.list.entries():
            return {}
        found = {table: self.list.waiting(table) for table in self.tables}
        return {table: number for table, number in found.items() if number}

    def _count_soon(self) -> None:
        """Count once at the end of the turn, if another node lives."""
        if self._sender.others and not self._counting:
            self._counting = True
            self._soon(self._count)

    def _count(self) -> None:
        self._counting = False
        before, self._counted = self._counted, self._counts()
        changed = {table: self._counted.get(table, 0) for table in before.keys() | self._counted.keys()}
        changed = {
            table: number for table, number in sorted(changed.items()) if number != before.get(table, 0)
        }
        if changed:
            self._sender.to_all(WaiterCounts(changed))


def _waiter(entry: WaitlistEntry) -> WaiterEntry:
    return WaiterEntry(entry.account, entry.table, entry.any_table, entry.joined)
