"""The waiting lists as every node has them: its clients' requests, its tables' seats, and a copy of the entries.

Requests and what the tables report of their seats go to the leader (`waitlist_leader`), which is the first of the
living nodes. When another node becomes the leader it starts from its copy of the lists; every node then sends it the
seats of its tables and which waiting accounts are connected, and no account loses its place. How many accounts hold
seats at this node's tables is counted here (`AccountSeats`). Knows no rules; moves no money.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pokerroom.cluster.bus_sender import BusSender
from pokerroom.cluster.messages import (
    FromLeader,
    SeatEvent,
    SeatOccasion,
    SeatOfferAnswered,
    SeatOfferRequested,
    SeatOfferWithdrawn,
    TableSeats,
    ToLeader,
    WaiterAdded,
    WaiterCounts,
    WaiterDelivery,
    WaiterDisconnected,
    WaiterEntry,
    WaiterList,
    WaiterRemoved,
    WaitersConnected,
    WaitlistRequested,
)
from pokerroom.cluster.waitlist_leader import Soon, WaitlistLeader
from pokerroom.lobby.lobby import AccountSeats
from pokerroom.table.actor import TableActor
from pokerroom.table.api import ActorSettings, SeatOffered
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom.table.viewer import Viewer
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code


class NodeWaitlist:
    """The `SeatDirectory` and `LeaderTables` of this node's tables, and the waiting lists of its sessions.

    `local` are the tables of this node, `owners` the owners of all tables.
    """

    def __init__(
        self,
        *,
        settings: Mapping[str, ActorSettings],
        seats: AccountSeats,
        now: Callable[[], float],
        now_ms: Callable[[], int],
        sender: BusSender,
        soon: Soon,
        local: Mapping[str, TableActor],
        owners: Mapping[str, str],
        refused: Callable[[str], None],
    ) -> None:
        self._settings = settings
        self._seats = seats
        self._now = now
        self._now_ms = now_ms
        self._sender = sender
        self._soon = soon
        self._local = local
        self._owners = owners
        self._refused = refused
        self._viewers: dict[int, list[Viewer]] = {}
        """The viewers that are connected here, by account: last the one that was used last."""
        self._known_present: set[int] = set()
        """The accounts that the leader knows to be connected here."""
        self._unanswered: dict[int, list[tuple[Viewer, int]]] = {}
        """Viewers and their requests that the leader has not answered, by account and in order."""
        self._offered: dict[tuple[str, int], tuple[int, int]] = {}
        """The seats held here for the waiting lists: seat and end of the offer, by table and account."""
        self.entries: dict[tuple[int, str, bool], WaiterEntry] = {}
        """A copy of the leader's entries, by account, table and kind; out of date while this node leads."""
        self._counts: dict[str, int] = {}
        self._leader_node = sender.node
        self.leader: WaitlistLeader | None = self._make_leader()
        """The lists themselves, if this node leads them."""

    def knows(self, table: str) -> bool:
        """Return whether accounts can wait for this table, or could."""
        return table in self._settings

    # --- for sessions -------------------------------------------------------------------------------------------------

    def request(self, viewer: Viewer, message: wire.JoinWaitlist | wire.LeaveWaitlist) -> Code | None:
        """Join or leave a list. Return the reason of a refusal if it is known at once; nothing has changed then."""
        account = viewer.account
        assert account is not None  # a session passes this on only when it is logged in
        self._note_viewer(account, viewer)
        if self.leader is not None:
            return self.leader.request(viewer, message)
        self._unanswered.setdefault(account, []).append((viewer, message.id))
        self._known_present.add(account)
        self._sender.to(self._leader_node, WaitlistRequested(account, viewer.name, message))
        return None

    def connected(self, viewer: Viewer) -> None:
        """Note that the account is connected: its places are kept, or it is told that they are lost."""
        account = viewer.account
        assert account is not None
        self._note_viewer(account, viewer)
        if self.leader is not None:
            self.leader.connected(viewer)
        else:
            self._tell_present([account])

    def disconnected(self, viewer: Viewer) -> None:
        """Note a lost connection or a log-out: a seat held for the account goes to the next one, its
        places are kept.
        """
        account = viewer.account
        if account is None or not self.has(viewer):
            return
        viewers = self._viewers[account]
        viewers.remove(viewer)
        if not viewers:
            del self._viewers[account]
        unanswered = self._unanswered.pop(account, [])
        if left := [(asker, re) for asker, re in unanswered if asker is not viewer]:
            self._unanswered[account] = left
        if self.leader is not None:
            self.leader.disconnected(viewer)
        elif not viewers and account in self._known_present:
            self._known_present.discard(account)
            self._sender.to(self._leader_node, WaiterDisconnected(account))

    # --- for tables: `SeatDirectory` ----------------------------------------------------------------------------------

    def claim(self, account: int, table: str) -> bool:
        """See `SeatDirectory`. Seats at other nodes' tables are not counted here: the ledger refuses one too many."""
        if not self._seats.claim(account, table):
            return False
        self._seat_event("claimed", table, account)
        return True

    def freed(self, account: int, table: str) -> None:
        self._seats.freed(account, table)
        self._offered.pop((table, account), None)
        self._seat_event("freed", table, account)

    def opening(self, table: str) -> None:
        self._seat_event("opening", table)

    def waiting(self, table: str) -> int:
        """See `SeatDirectory`. Away from the leader this is its last report, which is milliseconds old."""
        return self._counts.get(table, 0) if self.leader is None else self.leader.waiting(table)

    def held_seat_lapsed(self, account: int, table: str) -> None:
        self._seat_event("lapsed", table, account)

    def calls_lost(self, table: str) -> None:
        self._seat_event("calls_lost", table)

    def seated(self, account: int, table: str) -> None:
        self._offered.pop((table, account), None)
        self._seat_event("seated", table, account)

    def closed(self, table: str) -> None:
        self._seat_event("closed", table)

    # --- nodes that join and leave, tables that move ------------------------------------------------------------------

    def led_by(self, node: str) -> None:
        """Set the node that leads the lists from now on."""
        if node == self._leader_node:
            return
        self._leader_node = node
        if self.leader is not None:  # this node led until now
            waiters, self.leader = self.leader.waiters(), None
            self.entries = {_key(waiter): waiter for waiter in waiters}
            self._sender.to(node, WaiterList(waiters))
        if node == self._sender.node:
            self.leader = self._make_leader()
            self.leader.take_over(sorted(self.entries.values(), key=lambda waiter: waiter.joined))
            for table in self._waitlist_tables():
                self.leader.stands(node, self._table_seats(table))
        self._tell_leader_all()

    def died(self, nodes: frozenset[str]) -> None:
        """Drop the accounts that were connected to nodes that live no longer."""
        if self.leader is not None:
            for node in nodes:
                self.leader.lost(node)

    def moved(self, table: str, owner: str | None) -> None:
        """Note the table's new owner, which may be this node; None while it has no living owner."""
        if self.leader is not None:
            self.leader.moved(table, owner)

    def attached(self, table: TableActor) -> None:
        """Report the seats of a table that lives here from now on."""
        self._tell_leader(self._table_seats(table))

    def detached(self, table: str) -> None:
        """Forget the offers of a table that lives here no longer."""
        for key in [key for key in self._offered if key[0] == table]:
            del self._offered[key]

    def send_state_to(self, node: str) -> None:
        """Send all entries to a node if this one leads the lists."""
        if self.leader is not None:
            self.leader.send_state_to(node)

    def missed(self, node: str) -> None:
        """Repair after lost messages to or from that node."""
        if self.leader is not None:
            self.leader.missed(node)
        elif node == self._leader_node:
            self._tell_leader_all()

    # --- messages -----------------------------------------------------------------------------------------------------

    def to_leader(self, node: str, message: ToLeader) -> None:
        """Handle a message for the leader. If this node does not lead, the sender repeats it to the node that does."""
        leader = self.leader
        if leader is None:
            if isinstance(message, WaitlistRequested):
                error = _refusal(message.request.id, Code.UNAVAILABLE)
                self._sender.to(node, WaiterDelivery(message.account, error.framed(), message.request.id))
            return
        match message:
            case WaitlistRequested():
                leader.requested(node, message)
            case WaitersConnected():
                leader.present(node, message)
            case WaiterDisconnected():
                leader.absent(node, message.account)
            case SeatEvent():
                leader.noticed(node, message)
            case TableSeats():
                leader.stands(node, message)
            case SeatOfferAnswered():
                leader.offered(message)

    def from_leader(self, node: str, message: FromLeader) -> None:
        """Handle a message of the leader, or of the node that led until now."""
        match message:
            case WaiterDelivery():
                self._deliver(message)
            case SeatOfferRequested():
                self.offer(
                    message.table,
                    message.account,
                    lambda seat, until_ms: self._sender.to(
                        node, SeatOfferAnswered(message.call, seat, until_ms)
                    ),
                )
            case SeatOfferWithdrawn():
                self.withdraw(message.table, message.account)
            case WaiterList():
                if self.leader is None:
                    self._counts.clear()
                    self.entries.clear()
                self._note(message.waiters)
            case WaiterAdded():
                self._note([message.waiter])
            case WaiterRemoved():
                self.entries.pop(_key(message.waiter), None)
            case WaiterCounts():
                self._counts.update(message.waiting)

    # --- for the leader: its own node's tables and clients ------------------------------------------------------------

    def offer(self, table: str, account: int, told: SeatOffered) -> None:
        found = self._local.get(table)
        if found is None:
            told(None, 0)
            return

        def answered(seat: int | None, until_ms: int) -> None:
            if seat is not None:
                self._offered[table, account] = seat, until_ms
            told(seat, until_ms)

        found.offer_seat(account, answered)

    def withdraw(self, table: str, account: int) -> None:
        found = self._local.get(table)
        if found is not None:
            found.withdraw_offer(account)

    def viewer_of(self, account: int) -> Viewer | None:
        viewers = self._viewers.get(account)
        return viewers[-1] if viewers else None

    def has(self, viewer: Viewer) -> bool:
        """Return whether this viewer is one of those that are connected here."""
        return viewer.account is not None and viewer in self._viewers.get(viewer.account, [])

    def waits(self, account: int) -> bool:
        """Return whether the account is on a waiting list, or has asked to be."""
        entries = self.entries.values() if self.leader is None else self.leader.list.entries()
        return bool(self._unanswered.get(account)) or any(entry.account == account for entry in entries)

    # --- inside -------------------------------------------------------------------------------------------------------

    def _note_viewer(self, account: int, viewer: Viewer) -> None:
        viewers = self._viewers.setdefault(account, [])
        if viewer in viewers:
            viewers.remove(viewer)
        viewers.append(viewer)

    def _make_leader(self) -> WaitlistLeader:
        return WaitlistLeader(
            settings=self._settings,
            tables_max=self._seats.tables_max,
            now=self._now,
            now_ms=self._now_ms,
            sender=self._sender,
            soon=self._soon,
            local=self,
            owners={table: owner for table, owner in self._owners.items() if self.knows(table)},
        )

    def _waitlist_tables(self) -> list[TableActor]:
        """Return the tables of this node that have waiting lists: all but those of tournaments."""
        return [table for name, table in self._local.items() if self.knows(name)]

    def _tell_leader(self, message: ToLeader) -> None:
        if self.leader is None:
            self._sender.to(self._leader_node, message)
        else:
            self.to_leader(self._sender.node, message)

    def _seat_event(self, occasion: SeatOccasion, table: str, account: int = 0) -> None:
        if self.knows(table):
            self._tell_leader(SeatEvent(occasion, table, account))

    def _tell_leader_all(self) -> None:
        """Send the leader everything: it knows nothing of this node yet, or has missed messages."""
        self._give_up()
        if self.leader is not None:
            return
        for table in self._waitlist_tables():
            self._sender.to(self._leader_node, self._table_seats(table))
        self._known_present.clear()
        self._tell_present(self._viewers, all_of_them=True)

    def _tell_present(self, accounts: Mapping[int, object] | list[int], *, all_of_them: bool = False) -> None:
        """Tell the leader which of these accounts wait and are connected here, unless it knows."""
        waiting = {account for account, _, _ in self.entries}
        found = [
            (account, self._viewers[account][-1].name)
            for account in accounts
            if account in waiting and account in self._viewers and account not in self._known_present
        ]
        self._known_present.update(account for account, _ in found)
        if found or all_of_them:
            self._sender.to(self._leader_node, WaitersConnected(found, all_of_them))

    def _table_seats(self, table: TableActor) -> TableSeats:
        name = table.settings.table
        return TableSeats(
            table=name,
            epoch=table.epoch,
            closing=table.closing,
            seated=table.seated(),
            held=sorted({*table.holders(), *self._seats.at(name)}),
            offered=[(account, *offer) for (at, account), offer in self._offered.items() if at == name],
        )

    def _note(self, waiters: list[WaiterEntry]) -> None:
        """Note entries that the leader sent, or the node that led until now."""
        if self.leader is not None:
            self.leader.take_over(waiters)
            return
        self.entries.update((_key(waiter), waiter) for waiter in waiters)
        self._tell_present([waiter.account for waiter in waiters])

    def _deliver(self, told: WaiterDelivery) -> None:
        viewer = self.viewer_of(told.account)
        if told.re is not None:
            unanswered = self._unanswered.get(told.account, [])
            found = next((asked for asked in unanswered if asked[1] == told.re), None)
            if found is None:
                return  # the request was given up
            unanswered.remove(found)
            viewer = found[0]
        if viewer is not None:
            viewer.deliver(Bundle(None, told.framed))

    def _give_up(self) -> None:
        """Refuse what the leader has not answered: its answer will not come, or come too late."""
        unanswered, self._unanswered = self._unanswered, {}
        for asked in unanswered.values():
            for viewer, re in asked:
                self._refused(Code.UNAVAILABLE)
                viewer.deliver(_refusal(re, Code.UNAVAILABLE))


def _key(waiter: WaiterEntry) -> tuple[int, str, bool]:
    return waiter.account, waiter.table, waiter.any_table


def _refusal(re: int, code: Code) -> Outgoing:
    return Outgoing(wire.Error(re=re, code=code.value, message=code.sentence))
