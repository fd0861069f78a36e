"""Which tables live here: takes those that nobody has, gives some back, and drops what it has lost.

Who lives comes from `membership`, where a table should live from `placement`, whose it is says the ledger alone. This
node may be wrong about the others at any time; what makes that harmless is the epoch of each table (`taking`). It is
told by `membership` after every look at the directory, and looks at the owners in the ledger itself: that they are
still as it thinks, and that the ledger is there at all. Without its lease or the ledger it takes and gives nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

import structlog
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.interfaces import IReactorTime
from twisted.python.failure import Failure

from pokerroom.cluster.membership import Membership
from pokerroom.cluster.node_facts import HandoverTarget, OwnedTable
from pokerroom.cluster.owner_watch import OwnerWatch
from pokerroom.cluster.placement import LOAD_OF_IDLE, NodeLoad, allotted, load_of, surplus
from pokerroom.cluster.placement_view import PlacementListener, PlacementView
from pokerroom.cluster.releaser import Releaser
from pokerroom.cluster.takeover import AT_ONCE, TakenTable, Takeover
from pokerroom.coordination.api import Journal, Sealed
from pokerroom.ledger.api import Ledger, OwnerRow
from pokerroom.lobby.lobby import Lobby
from pokerroom.table.api import ActorSettings, TableActor
from pokerroom.table.context import NodeLease

PATIENCE_S: Final = 1.0
"""What is another node's share is left to it for so long, and then taken."""

UNEVEN_S: Final = 1.5
"""Tables are given for the sake of balance when it was wanting for so long: all have seen the same by then."""

GIVEN_AT_ONCE: Final = 25
"""So many tables at most are on their way to others for the sake of balance."""

_log = structlog.get_logger()

T = TypeVar("T")


@dataclass(slots=True, kw_only=True, eq=False)
class _Held:
    """A table that lives here. `to` is who shall have it, while it is being handed over."""

    table: TableActor
    epoch: int
    pinned: bool = False
    """The operator has moved it here: it is not given away for the sake of balance."""
    going: bool = False
    to: HandoverTarget | None = None

    @property
    def load(self) -> int:
        """Of its players."""
        return load_of(self.table.players())


class Ownership:
    """The tables of `lobby` that live on this node. `make(settings, epoch)` builds one under this `lease`."""

    def __init__(
        self,
        *,
        membership: Membership,
        clock: IReactorTime,
        ledger: Ledger,
        journal: Journal,
        lobby: Lobby,
        others: PlacementListener,
        takeover: Takeover,
        lease: NodeLease,
        make: Callable[[ActorSettings, int], TableActor],
        weight: int = 1,
    ) -> None:
        self._clock = clock
        self._journal = journal
        self._lobby = lobby
        self._others = others
        self._takeover = takeover
        self._lease = lease
        self._make = make
        self._weight = weight
        self._nodes = membership
        self._held: dict[str, _Held] = {}
        self._taking: set[str] = set()
        self._releaser = Releaser(clock=clock, ledger=ledger, journal=journal, released=self._released)
        self._owners = OwnerWatch(
            clock=clock, ledger=ledger, held_since=membership.held_since, seen=self._seen
        )
        self._claimed: set[str] = set()
        self._free_since: dict[str, float] = {}
        self._uneven_since: float | None = None
        self._last_words: dict[str, tuple[int, bytes]] = {}
        """Of tables that were lost here, with their epochs: what the journal says of one between hands."""
        self._placement = PlacementView(membership, others)
        self._all_owned: list[Deferred[None]] = []
        self._emptied: list[Deferred[None]] = []
        self.draining = False
        self._stopped = False

    # --- questions ------------------------------------------------------------------------------------------------

    def tables(self) -> dict[str, OwnedTable]:
        """The tables that live here, for the others."""
        return {
            name: OwnedTable(epoch=held.epoch, seats=held.table.info().occupied, load=held.load)
            for name, held in self._held.items()
        }

    def given(self) -> dict[str, HandoverTarget]:
        """See `NodeFacts.given`."""
        return self._releaser.given()

    def suspended(self) -> bool:
        """Whether the tables of this node wait for its lease."""
        return not self._lease.acts

    def free(self, row: OwnerRow) -> bool:
        """Whether a table may be taken from its last owner."""
        return row.node is None or row.node == self._nodes.node or self._nodes.gone(row.node)

    # --- told by the membership and the stores --------------------------------------------------------------------

    def start(self) -> Deferred[None]:
        """Begins to take tables; fires when every table of the settings has an owner for the first time.

        Fails with whatever goes wrong in our own code.
        """
        owned: Deferred[None] = Deferred()
        self._all_owned.append(owned)
        self.looked()
        return owned

    def looked(self, *, news: bool = False) -> None:
        """The directory was read: who lives, and which tables are whose, may be other than before.

        `news`: it was told something new of this node, too.
        """
        if self._stopped:
            return
        if news:
            self._others.tell_news()
        if not self._nodes.untold:
            self._consider_empty()
        self._look_around()
        free, now = self._without_owner(), self._clock.seconds()
        self._free_since = {name: self._free_since.get(name, now) for name in free}
        self._owners.look(now=bool(free) or self.suspended())
        if self._lease.deals and self._owners.away:
            self._lease.deals = False
            _log.error("ledger.away", tables=len(self._held))
        if not free and not self._taking:
            waiting, self._all_owned = self._all_owned, []
            for one in waiting:
                one.callback(None)
            self._balance()

    def lapsed(self) -> None:
        """The node may count as gone from now on: its tables wait until it knows better."""
        if self._stopped or not self._lease.acts:
            return
        self._lease.acts = self._lease.deals = False
        _log.error("node.suspended", tables=len(self._held))
        for held in list(self._held.values()):
            held.table.suspended()

    def lost(self, name: str, epoch: int | None = None) -> None:
        """The table is somebody else's: it stops at once, and nobody here is told anything by it.

        With `epoch` only if it is still that one.
        """
        held = self._held.get(name)
        if held is None or (epoch is not None and held.epoch != epoch):
            return
        _log.warning("table.lost", table=name, epoch=held.epoch)
        self._last_words[name] = held.epoch, held.table.handoff_state()
        self._detach(name, held)
        self._journal.release(name).addErrback(_trap, Sealed).addErrback(_fault)
        self._nodes.tell_now()

    def _seen(self, owners: Mapping[str, OwnerRow], lease_renewed: bool) -> None:
        """Of the ledger's owners; `lease_renewed`: what they say was true while this node held its lease."""
        if self._stopped:
            return
        for name, held in list(self._held.items()):
            row = owners.get(name)
            if row is not None and row.epoch > held.epoch:
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
        _log.info("node.goes_on", tables=len(self._held))
        for held in list(self._held.values()):
            held.table.lease_renewed(clocks_anew=not acts)

    # --- taking ---------------------------------------------------------------------------------------------------

    def _without_owner(self) -> list[str]:
        busy = self._taking | self._releaser.leaving
        return [name for name in self._placement.without_owner(self._lobby.settings) if name not in busy]

    def _take(self, owners: Mapping[str, OwnerRow]) -> None:
        """Of the tables that are nobody's those that are meant for this node, or its share, or left by the others."""
        node, now, bearers = self._nodes.node, self._clock.seconds(), self._bearers()
        free = [name for name in self._without_owner() if name not in owners or self.free(owners[name])]
        epochs = {name: owners[name].epoch if name in owners else 0 for name in free}
        living = {bearer.node for bearer in bearers}
        said = self._placement.meant(self.given(), epochs)
        meant = {name: given.to for name, given in said.items() if given.to in living}
        unmeant = [name for name in free if name not in meant]
        share = {**allotted(unmeant, bearers, self._placement.loads), **meant}
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
            taking = Deferred.fromCoroutine(self._take_all(epochs))
            taking.addBoth(self._no_more_taking, mine).addErrback(self._not_taken)

    async def _take_all(self, epochs: dict[str, int]) -> None:
        names = list(epochs)
        for first in range(0, len(names), AT_ONCE):
            some = names[first : first + AT_ONCE]
            for taken in await self._takeover.take({name: epochs[name] for name in some}):
                self._attach(taken)
            self._taking.difference_update(some)
            if any(name in self._held for name in some):
                self._nodes.tell_now()

    def _no_more_taking(self, result: T, names: list[str]) -> T:
        """No `finally` of the coroutine: that would run, too, when one that waits in vain is thrown away."""
        self._taking.difference_update(names)
        if any(name in self._held for name in names):  # else there is no news, and it is tried again soon
            self._nodes.tell_now()
        return result

    def _not_taken(self, failure: Failure) -> None:
        """A fault of ours. The tables are taken again at the next look; a node that is starting does not start."""
        _fault(failure)
        waiting, self._all_owned = self._all_owned, []
        for one in waiting:
            one.errback(failure)

    def _attach(self, taken: TakenTable) -> None:
        name = taken.table
        self._taking.discard(name)
        settings = self._lobby.settings.get(name)
        if self._stopped or settings is None:  # it is over since
            Deferred.fromCoroutine(self._releaser.release(name, taken.epoch)).addErrback(_fault)
            return
        table = self._make(settings, taken.epoch)
        given = self._placement.meant({}, {name: taken.epoch - 1}).get(name)
        pinned = given is not None and given.by_operator
        held = self._held[name] = _Held(table=table, epoch=taken.epoch, pinned=pinned)
        self._lobby.seats.restore(taken.rows)
        entries = taken.entries or self._remembered(name, taken.epoch)
        table.restore(taken.rows, entries, taken.settled)
        self._lobby.attached(table)
        self._others.attached(table)
        self._look_around()
        if self.draining:
            self._hand_over(name, held, None)

    def _remembered(self, name: str, epoch: int) -> list[bytes]:
        """Of a table whose journal is empty: nothing is lost but the hand if nobody has had it since we lost it."""
        lost_epoch, words = self._last_words.pop(name, (0, b""))
        return [words] if epoch == lost_epoch + 1 and words else []

    def claim(self, name: str) -> None:
        """The table is new, and was first heard of here: it is taken here unless somebody has it."""
        self._claimed.add(name)

    # --- giving ---------------------------------------------------------------------------------------------------

    def move(self, name: str, node: str) -> bool:
        """By the operator: gives a table of this node to another one between hands. False if that cannot be now."""
        held, facts = self._held.get(name), self._nodes.others().get(node)
        if held is None or held.going or self.draining or not self._lease.deals:
            return False
        if facts is None or facts.draining:
            return False
        self._hand_over(name, held, HandoverTarget(to=node, epoch=held.epoch, by_operator=True))
        return True

    def _balance(self) -> None:
        if self.draining or not self._lease.deals or self._releaser.leaving:
            return
        going = [name for name, held in self._held.items() if held.going]
        stay = {
            name
            for name, held in self._held.items()
            if held.going or held.pinned or held.table.state_name == "frozen"
        }
        wanted = surplus(self._nodes.node, self._bearers(), stay, GIVEN_AT_ONCE - len(going))
        if not wanted:
            self._uneven_since = None
            return
        now = self._clock.seconds()
        if self._uneven_since is None:
            self._uneven_since = now
        if now - self._uneven_since < UNEVEN_S:
            return
        for name, to in wanted.items():
            held = self._held[name]
            self._hand_over(name, held, HandoverTarget(to=to, epoch=held.epoch))

    def _hand_over(self, name: str, held: _Held, to: HandoverTarget | None) -> None:
        held.going, held.to = True, to
        held.table.hand_over().addCallback(self._handed_over, name, held).addErrback(_fault)

    def _handed_over(self, _: None, name: str, held: _Held) -> None:
        if self._held.get(name) is not held or self._stopped:
            return
        _log.info("table.given", table=name, to=None if held.to is None else held.to.to)
        self._detach(name, held)
        Deferred.fromCoroutine(self._releaser.release(name, held.epoch, held.to)).addErrback(_fault)

    def _detach(self, name: str, held: _Held) -> None:
        del self._held[name]
        held.table.relinquish()
        self._lobby.detached(name)
        self._others.detached(held.table)
        self._look_around()

    def over(self, name: str, epoch: int) -> bool:
        """Nothing will be played at this table of ours any more: it is nobody's. False if it is not ours, either."""
        held = self._held.get(name)
        if held is None or held.epoch != epoch or self._stopped:
            return False
        self._detach(name, held)
        Deferred.fromCoroutine(self._releaser.release(name, epoch)).addErrback(_fault)
        return True

    def _released(self) -> None:
        self._nodes.tell_now()

    # --- the end --------------------------------------------------------------------------------------------------

    def drain(self) -> Deferred[None]:
        """No new hands; each table is given up as its hand ends. Fires when that is done, and the others know it.

        If there is no other node that could go on, the tables stay here until `stop`, and their players are told.
        """
        self.draining = True
        self._nodes.tell_now()
        if all(facts.draining for facts in self._nodes.others().values()):
            drained = DeferredList([held.table.drain() for held in self._held.values()])
            return drained.addCallback(lambda _: None)
        emptied: Deferred[None] = Deferred()
        self._emptied.append(emptied)
        for name, held in list(self._held.items()):
            if not held.going:
                self._hand_over(name, held, None)
        return emptied

    def stop(self) -> Deferred[None]:
        """Every table stops where it is, and is nobody's as soon as that is stored. Bounded by the caller."""
        self._stopped = True
        self._releaser.stop()
        held, self._held = self._held, {}
        for one in held.values():
            one.table.relinquish()
        return DeferredList(
            [Deferred.fromCoroutine(self._releaser.release(name, one.epoch)) for name, one in held.items()],
            consumeErrors=True,
        ).addCallback(lambda _: None)

    def _consider_empty(self) -> None:
        if not (self._held or self._taking or self._releaser.leaving):
            emptied, self._emptied = self._emptied, []
            for one in emptied:
                one.callback(None)

    # --- what is known of all -------------------------------------------------------------------------------------

    def _look_around(self) -> None:
        """What is new of the nodes and their tables; and tables that others have from us."""
        for name in self._placement.look({name: held.epoch for name, held in self._held.items()}):
            self.lost(name)

    def _bearers(self) -> list[NodeLoad]:
        """The nodes that may have tables, with what they have, or are about to have."""
        here = {name: held.load for name, held in self._held.items() if not held.going}
        here |= {name: self._placement.loads.get(name, LOAD_OF_IDLE) for name in self._taking}
        coming: dict[str, dict[str, int]] = {}
        for name, held in self._held.items():
            if held.going and held.to is not None:
                coming.setdefault(held.to.to, {})[name] = held.load
        own = [] if self.draining else [NodeLoad(node=self._nodes.node, weight=self._weight, tables=here)]
        return own + self._placement.other_bearers(coming)


def _trap(failure: Failure, *kinds: type[Exception]) -> None:
    failure.trap(*kinds)


def _fault(failure: Failure) -> None:
    _log.critical("ownership.fault", exc_info=failure.value)
