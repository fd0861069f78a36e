"""Which tables live here: takes those without an owner, gives some to other nodes, and drops those it has lost.

`membership` says which nodes live, `placement` where a table should live, and the ledger alone who owns it. This node
may be wrong about the others at any time; the epoch of each table makes that harmless (`takeover`). Membership calls
after every reading of the directory. Ownership itself reads the owners from the ledger, which shows two things: that
its own tables are still its own, and that the ledger answers. Without its lease or the ledger it takes and gives
nothing. It is the only writer of `LocalTables`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeVar

import structlog
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.interfaces import IReactorTime
from twisted.python.failure import Failure

from pokerroom.cluster.local_tables import LocalTables
from pokerroom.cluster.membership import Membership
from pokerroom.cluster.node_facts import HandoverTarget, OwnedTable
from pokerroom.cluster.owned_tables import OwnedTables
from pokerroom.cluster.owner_watch import OwnerWatch
from pokerroom.cluster.placement import LOAD_OF_IDLE, NodeLoad, allocate, tables_to_give
from pokerroom.cluster.placement_view import PlacementListener, PlacementView
from pokerroom.cluster.releaser import Releaser
from pokerroom.cluster.takeover import AT_ONCE, TakenTable, Takeover
from pokerroom.coordination.api import Journal, Sealed
from pokerroom.ledger.api import Ledger, OwnerRow
from pokerroom.ledger.tournaments import tournament_owned_as
from pokerroom.lobby.lobby import AccountSeats
from pokerroom.table.actor import TableActor
from pokerroom.table.api import ActorSettings
from pokerroom.table.context import NodeLease

PATIENCE_S: Final = 1.0
"""Another node's share is left to that node for this long, and taken afterwards."""

UNEVEN_S: Final = 1.5
"""Tables move for the sake of balance after the loads were uneven for this long: all nodes have seen it by then."""

GIVEN_AT_ONCE: Final = 25
"""At most this many tables move to other nodes at a time for the sake of balance."""

TELL_S: Final = 5.0
"""A node that takes many tables says so often how far it has come."""

_log = structlog.get_logger()

T = TypeVar("T")


class Ownership:
    """The tables that live on this node. `settings` are all tables of the room, `seats` those of this node.

    `make(settings, epoch)` builds a table under this `lease`. `ended` is called when a table that this node owned is
    over for good.
    """

    def __init__(
        self,
        *,
        membership: Membership,
        clock: IReactorTime,
        ledger: Ledger,
        journal: Journal,
        settings: Mapping[str, ActorSettings],
        local: LocalTables,
        seats: AccountSeats,
        listener: PlacementListener,
        takeover: Takeover,
        lease: NodeLease,
        make: Callable[[ActorSettings, int], TableActor],
        ended: Callable[[str], None],
    ) -> None:
        self._clock = clock
        self._journal = journal
        self._settings = settings
        self._local = local
        self._owned = OwnedTables(local)
        self._seats = seats
        self._listener = listener
        self._takeover = takeover
        self._lease = lease
        self._make = make
        self._ended = ended
        self._nodes = membership
        self._handovers: dict[str, HandoverTarget | None] = {}
        """Tables of this node that are being handed over, with the node that shall have each."""
        self._pinned: set[str] = set()
        """Tables of this node that the operator moved here: they are not given away for the sake of balance."""
        self._taking: set[str] = set()
        self._releaser = Releaser(clock=clock, ledger=ledger, journal=journal, released=self._announce)
        self._owners = OwnerWatch(
            clock=clock, ledger=ledger, held_since=membership.held_since, seen=self.owners_read
        )
        self._claimed: set[str] = set()
        self._free_since: dict[str, float] = {}
        self._uneven_since: float | None = None
        self._handoff_states: dict[str, tuple[int, bytes]] = {}
        """Handoff states of tables that were lost here, with their epochs: the journal's state between hands."""
        self._placement = PlacementView(membership, listener)
        self._all_owned: list[Deferred[None]] = []
        self._emptied: list[Deferred[None]] = []
        self.draining = False
        self._stopped = False

    # --- questions ------------------------------------------------------------------------------------------------

    def tables(self) -> dict[str, OwnedTable]:
        """Return the tables of this node as the other nodes are told of them."""
        return self._owned.now()

    def given(self) -> dict[str, HandoverTarget]:
        """See `NodeFacts.given`."""
        return self._releaser.given()

    def suspended(self) -> bool:
        """Return whether the tables of this node wait for its lease."""
        return not self._lease.acts

    def free(self, row: OwnerRow) -> bool:
        """Return whether a table may be taken from its last owner."""
        return row.node is None or row.node == self._nodes.node or self._nodes.gone(row.node)

    # --- events of the membership and the stores ------------------------------------------------------------------

    def start(self) -> Deferred[None]:
        """Begin to take tables; fires when every table of the settings has an owner for the first time.

        Fails with any fault of our own code.
        """
        owned: Deferred[None] = Deferred()
        self._all_owned.append(owned)
        self.refreshed()
        return owned

    def refreshed(self, *, announced: bool = False) -> None:
        """Act on a new reading of the directory: nodes and owners may have changed.

        `announced`: this node has written a change of its own to the directory.
        """
        if self._stopped:
            return
        if announced:
            self._listener.tell_directory_changed()
        if not self._nodes.unannounced:
            self._consider_empty()
        self._update_placement()
        self._placement.forget_loads(self._settings)
        free, now = self._without_owner(), self._clock.seconds()
        self._free_since = {name: self._free_since.get(name, now) for name in free}
        self._owners.look(now=bool(free) or self.suspended())
        if self._lease.deals and self._owners.away:
            self._lease.deals = False
            _log.error("ledger.away", tables=len(self._local))
        if not free and not self._taking:
            waiting, self._all_owned = self._all_owned, []
            for one in waiting:
                one.callback(None)
            self._balance()

    def lapsed(self) -> None:
        """Suspend the tables: the other nodes may count this one as gone from now on."""
        if self._stopped or not self._lease.acts:
            return
        self._lease.acts = self._lease.deals = False
        _log.error("node.suspended", tables=len(self._local))
        for table in list(self._local.values()):
            table.suspended()

    def lost(self, name: str, epoch: int | None = None) -> None:
        """Stop a table that another node owns now, at once and without a word to its clients.

        With `epoch` only if the table still lives here under that one.
        """
        table = self._local.get(name)
        if table is None or (epoch is not None and table.epoch != epoch):
            return
        _log.warning("table.lost", table=name, epoch=table.epoch)
        self._handoff_states[name] = table.epoch, table.handoff_state()
        self._detach(name)
        self._journal.release(name).addErrback(_trap, Sealed).addErrback(_fault)
        self._announce()

    def owners_read(self, owners: Mapping[str, OwnerRow], lease_renewed: bool) -> None:
        """Act on the ledger's owners. `lease_renewed`: this node held its lease when they were read."""
        if self._stopped:
            return
        for name, table in list(self._local.items()):
            row = owners.get(name)
            if row is not None and row.epoch > table.epoch:
                self.lost(name)
        if lease_renewed:
            self._allow()
            if not self.draining:
                self._take(owners)

    def _allow(self) -> None:
        acts, deals = self._lease.acts, self._lease.deals
        if acts and deals:
            return
        self._lease.acts = self._lease.deals = True
        _log.info("node.goes_on", tables=len(self._local))
        for table in list(self._local.values()):
            table.lease_renewed(whole_clocks=not acts)

    # --- taking ---------------------------------------------------------------------------------------------------

    def claim(self, name: str) -> None:
        """Take a new table here unless another node has it: this node was the first to hear of it."""
        self._claimed.add(name)

    def _without_owner(self) -> list[str]:
        busy = self._taking | self._releaser.leaving | self._local.keys()
        return [name for name in self._placement.without_owner(self._settings) if name not in busy]

    def _take(self, owners: Mapping[str, OwnerRow]) -> None:
        """Take the free tables that are meant for this node, belong to its share, or were left by the others."""
        free = [name for name in self._without_owner() if name not in owners or self.free(owners[name])]
        if not free:
            self._claimed.clear()
            return
        node, now, loads = self._nodes.node, self._clock.seconds(), self._node_loads()
        epochs = {name: owners[name].epoch if name in owners else 0 for name in free}
        living = {load.node for load in loads}
        targets = self._placement.meant(self.given(), epochs)
        meant = {name: target.to for name, target in targets.items() if target.to in living}
        unmeant = [name for name in free if name not in meant]
        share = allocate(unmeant, loads, self._placement.loads)
        share |= {name: beside for name in unmeant if (beside := self._beside(name, share)) in living} | meant
        left = {name for name in free if now - self._free_since.get(name, now) >= PATIENCE_S}
        claimed, self._claimed = self._claimed, set()
        mine = [
            name
            for name in free
            if share[name] == node or name in claimed or (name in left and name not in self.given())
        ]
        if mine:
            self._taking.update(mine)
            epochs = {name: epochs[name] for name in mine}
            left = set(mine)
            taking = Deferred.fromCoroutine(self._take_all(epochs, left))
            taking.addBoth(self._no_more_taking, mine, left).addErrback(self._not_taken)

    def _beside(self, tournament: str, share: Mapping[str, str]) -> str | None:
        """Return the node of the first table of a tournament: they belong together, and may be apart."""
        table = tournament_owned_as(tournament)
        if table is None:
            return None
        return (
            self._nodes.node if table in self._local else self._placement.placed.get(table, share.get(table))
        )

    async def _take_all(self, epochs: dict[str, int], left: set[str]) -> None:
        """Take tables, some at a time. A name leaves `left` once it is taken or refused; it may be taken again then."""
        names, told_s = list(epochs), self._clock.seconds()
        for first in range(0, len(names), AT_ONCE):
            some = names[first : first + AT_ONCE]
            self._attach(await self._takeover.take({name: epochs[name] for name in some}))
            self._taking.difference_update(some)
            left.difference_update(some)
            if self._clock.seconds() - told_s >= TELL_S and first + AT_ONCE < len(names):
                told_s = self._clock.seconds()
                _log.info("tables.taken", tables=first + AT_ONCE, of=len(names))

    def _no_more_taking(self, result: T, names: Iterable[str], left: set[str]) -> T:
        """Clear the mark of tables that were still to be taken. Write the others to the directory, all at once.

        Until then a heartbeat writes them, and the bus tells the other nodes of each.
        This is no `finally` of the coroutine: that would also run when a coroutine that waits in vain is collected.
        """
        self._taking.difference_update(left)
        if any(name in self._local for name in names):  # if none, it is tried again soon
            self._announce()
        return result

    def _not_taken(self, failure: Failure) -> None:
        """Log a fault of ours. The tables are taken again at the next reading; a node that is starting fails."""
        _fault(failure)
        waiting, self._all_owned = self._all_owned, []
        for one in waiting:
            one.errback(failure)

    def _attach(self, taken: Iterable[TakenTable]) -> None:
        """Let tables live here. What looks at all tables of the room is told of them together."""
        tables: list[TableActor] = []
        try:
            for one in taken:
                self._taking.discard(one.table)
                settings = self._settings.get(one.table)
                if self._stopped or settings is None:  # the table is over by now
                    self._release(one.table, one.epoch)
                else:
                    tables.append(self._restored(settings, one))
        finally:  # those before a fault of ours live here, too
            self._listener.attached(tables)  # the next heartbeat updates the placement of all
        if self.draining:
            for table in tables:
                self._hand_over(table.settings.table, None)

    def _restored(self, settings: ActorSettings, taken: TakenTable) -> TableActor:
        name = taken.table
        table = self._make(settings, taken.epoch)
        given = self._placement.meant({}, {name: taken.epoch - 1}).get(name)
        if given is not None and given.by_operator:
            self._pinned.add(name)
        self._seats.restore(taken.rows)
        table.restore(taken.rows, taken.entries or self._remembered(name, taken.epoch), taken.settled)
        self._local.attach(table)
        return table

    def _remembered(self, name: str, epoch: int) -> list[bytes]:
        """Return the handoff state of a table whose journal is empty, if no other node has had it since.

        Nothing but the hand in progress is lost then.
        """
        lost_epoch, state = self._handoff_states.pop(name, (0, b""))
        return [state] if epoch == lost_epoch + 1 and state else []

    # --- giving ---------------------------------------------------------------------------------------------------

    def move(self, name: str, node: str) -> bool:
        """Give a table of this node to another one between hands, for the operator. False if that cannot be now."""
        table, facts = self._local.get(name), self._nodes.others().get(node)
        if table is None or name in self._handovers or self.draining or not self._lease.deals:
            return False
        if facts is None or facts.draining:
            return False
        self._hand_over(name, HandoverTarget(to=node, epoch=table.epoch, by_operator=True))
        return True

    def over(self, name: str, epoch: int) -> None:
        """Release a table of this node where nothing will be played any more."""
        table = self._local.get(name)
        if table is None or table.epoch != epoch or self._stopped:
            return
        self._detach(name)
        self._release(name, epoch)
        self._ended(name)

    def _balance(self) -> None:
        if self.draining or not self._lease.deals or self._releaser.leaving:
            return
        if not self._nodes.others():
            self._uneven_since = None
            return
        stay = {
            name
            for name, table in self._local.items()
            if name in self._handovers or name in self._pinned or table.state_name == "frozen"
        }
        count_max = GIVEN_AT_ONCE - len(self._handovers)
        wanted = tables_to_give(self._nodes.node, self._node_loads(), stay, count_max)
        if not wanted:
            self._uneven_since = None
            return
        now = self._clock.seconds()
        if self._uneven_since is None:
            self._uneven_since = now
        if now - self._uneven_since < UNEVEN_S:
            return
        for name, to in wanted.items():
            self._hand_over(name, HandoverTarget(to=to, epoch=self._local[name].epoch))

    def _hand_over(self, name: str, to: HandoverTarget | None) -> None:
        table = self._local[name]
        self._handovers[name] = to
        table.hand_over().addCallback(self._handed_over, table, to).addErrback(_fault)

    def _handed_over(self, _: None, table: TableActor, to: HandoverTarget | None) -> None:
        name = table.settings.table
        if self._local.get(name) is not table or self._stopped:
            return
        _log.info("table.given", table=name, to=None if to is None else to.to)
        self._detach(name)
        self._release(name, table.epoch, to)

    def _release(self, name: str, epoch: int, to: HandoverTarget | None = None) -> None:
        Deferred.fromCoroutine(self._releaser.release(name, epoch, to)).addErrback(_fault)

    def _detach(self, name: str) -> None:
        table = self._local.detach(name)
        self._handovers.pop(name, None)
        self._pinned.discard(name)
        table.relinquish()
        self._seats.forget(name)
        self._listener.detached(table)
        self._update_placement()

    # --- the end --------------------------------------------------------------------------------------------------

    def drain(self) -> Deferred[None]:
        """Begin no new hands, and give up each table as its hand ends. Fires when the other nodes know it.

        If there is no other node that could go on, the tables stay here until `stop`, and their players are told.
        """
        self.draining = True
        self._announce()
        if all(facts.draining for facts in self._nodes.others().values()):
            drained = DeferredList([table.drain() for table in self._local.values()])
            return drained.addCallback(lambda _: None)
        emptied: Deferred[None] = Deferred()
        self._emptied.append(emptied)
        for name in list(self._local):
            if name not in self._handovers:
                self._hand_over(name, None)
        self._consider_empty()
        return emptied

    def stop(self) -> Deferred[None]:
        """Stop every table where it is; fires when all are released in the stores. The caller bounds the wait."""
        self._stopped = True
        self._releaser.stop()
        tables = [self._local.detach(name) for name in list(self._local)]
        for table in tables:
            table.relinquish()
        releases = [self._releaser.release(table.settings.table, table.epoch) for table in tables]
        return DeferredList(
            [Deferred.fromCoroutine(release) for release in releases], consumeErrors=True
        ).addCallback(lambda _: None)

    def _consider_empty(self) -> None:
        if not (self._local or self._taking or self._releaser.leaving):
            emptied, self._emptied = self._emptied, []
            for one in emptied:
                one.callback(None)

    # --- the view of the room -------------------------------------------------------------------------------------

    def _announce(self) -> None:
        self._nodes.announce_now()

    def _update_placement(self) -> None:
        """Put together what the nodes say, and drop tables that another node has under a later epoch."""
        for name in self._placement.update({name: table.epoch for name, table in self._local.items()}):
            self.lost(name)

    def _node_loads(self) -> list[NodeLoad]:
        """Return the nodes that may have tables, with those that each has or is about to have."""
        tables = self._owned.now()
        here = {name: table.load for name, table in tables.items() if name not in self._handovers}
        here |= {name: self._placement.loads.get(name, LOAD_OF_IDLE) for name in self._taking}
        coming: dict[str, dict[str, int]] = {}
        for name, target in self._handovers.items():
            if target is not None:
                coming.setdefault(target.to, {})[name] = tables[name].load
        own = [] if self.draining else [NodeLoad(node=self._nodes.node, tables=here)]
        return own + self._placement.other_loads(coming)


def _trap(failure: Failure, *kinds: type[Exception]) -> None:
    failure.trap(*kinds)


def _fault(failure: Failure) -> None:
    _log.critical("ownership.fault", exc_info=failure.value)
