"""Which nodes live: this node writes a heartbeat to the directory, reads those of the others, and knows its own lease.

A node holds a lease of `LEASE_S`. It counts as gone for nodes that have read nothing new of it for that long, provided
that they could read all that time. The node itself stops a little earlier when it could not write. All times are of a
clock that only goes forward, never of another node's clock. An entry that is missing in the directory is treated like
one that did not change, so that a store that lost its data makes no node count as gone too early. Knows no tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import structlog
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.internet.task import deferLater
from twisted.python.failure import Failure

from pokerroom.cluster.node_facts import NodeFacts, UnreadableNodeFacts, packed, unpacked
from pokerroom.coordination.api import Directory

HEARTBEAT_S: Final = 0.5
LEASE_S: Final = 2.5
OWN_LEASE_S: Final = LEASE_S - 0.5
"""Of this node, from the start of its last heartbeat: it stops before the others count it as gone."""

_GAP_S = 2 * HEARTBEAT_S
"""Between two readings at most this much counts as watched: a node that was slow itself has not seen
which others live.
"""

_FORGET_S = 60
"""The leader removes a node from the directory that has been gone for this long."""

_AWAY = (ConnectionError, TimeoutError)

_log = structlog.get_logger()


class IncompatibleNode(Exception):  # noqa: N818 -- what the operator reads, not a fault
    """A living node of this room differs in what all nodes must have in common."""


@dataclass(slots=True, kw_only=True, eq=False)
class _Peer:
    """The last entry of another node, and since when it says so, in watched seconds."""

    said: bytes
    facts: NodeFacts | None
    since_s: float
    heard: bool = False
    """Whether its entry changed since this node watches: before that the entry may be a dead node's last one."""
    killed: bool = False
    """Whether its process is gone for certain."""
    listed: bool = True


class Membership:
    """The nodes of the room as this one sees them.

    `facts(count)` returns what this node writes. `refreshed(announced)` is called after every heartbeat, with whether
    `announce_now` had asked for it. `lapsed` is called when this node's lease is over; the next `refreshed` is the
    first to know that it holds again. `was_killed` returns whether the process of another node is gone for certain, as
    only nodes of the same machine can know; it is asked about nodes that say nothing new.
    """

    def __init__(
        self,
        *,
        node: str,
        clock: IReactorTime,
        directory: Directory,
        facts: Callable[[int], NodeFacts],
        refreshed: Callable[[bool], None],
        lapsed: Callable[[], None],
        was_killed: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self.node = node
        self._clock = clock
        self._directory = directory
        self._facts = facts
        self._refreshed = refreshed
        self._lapsed = lapsed
        self._was_killed = was_killed
        self._count = 0
        self._peers: dict[str, _Peer] = {}
        self._read_at: float | None = None
        self._watched_s = 0.0
        """How long this node has seen which nodes live: never more than has passed."""
        self._trusted_s = 0.0
        """Readings since then, in watched seconds, show which nodes are gone: each node has a whole
        lease from there.
        """
        self._missed = False
        """Whether the last reading failed."""
        self._written_at: float | None = None
        self._held_since = 0.0
        self._writing = False
        self._again = False
        self._news = False
        """Whether a change of this node is not written yet."""
        self._stopped = False
        self._beat: IDelayedCall | None = None
        self._alarm: IDelayedCall | None = None

    # --- questions ----------------------------------------------------------------------------------------------------

    def holds_lease(self) -> bool:
        """Return whether the other nodes must still count this node as living."""
        return self._written_at is not None and self._clock.seconds() - self._written_at < OWN_LEASE_S

    def held_since(self, when: float) -> bool:
        """Return whether this node has held its lease all the time since `when`, in seconds of the clock."""
        return self.holds_lease() and when >= self._held_since

    def gone(self, node: str) -> bool:
        """Return whether a node, of the directory or only of the ledger, has ended for certain."""
        if node == self.node or self._read_at is None:
            return False
        peer = self._peers.get(node)
        if peer is not None and (peer.killed or (peer.facts is not None and peer.facts.ended)):
            return True
        return self._silent_s(peer) >= LEASE_S

    def _silent_s(self, peer: _Peer | None) -> float:
        return self._watched_s - (self._trusted_s if peer is None else max(peer.since_s, self._trusted_s))

    def leads(self) -> bool:
        """Return whether this node does what one node of the room does."""
        return self.living()[0] == self.node

    def living(self) -> list[str]:
        """Return the nodes that live or may live, this one too, in order; the first is the leader.

        The order is that of the names as text. Which node is first does not matter, since none is better for it. It
        matters that all nodes that see the same nodes name the same one, and names are never used twice. So a new node
        may take the place of a living leader, which sends it the waiting lists. Where two nodes see different nodes
        there are two leaders for a moment. That costs no chip and no seat: a leader only asks, and the owners of tables
        decide.
        """
        others = (name for name in self._peers if not self.gone(name))
        return sorted((self.node, *others))

    def others(self) -> dict[str, NodeFacts]:
        """Return what the other living nodes say, in the order of their names, as far as it can be read."""
        return {
            name: peer.facts
            for name, peer in sorted(self._peers.items())
            if peer.facts is not None and not self.gone(name)
        }

    def known(self) -> dict[str, NodeFacts | None]:
        """Return the last entry of every node, this one and dead ones too; None if it cannot be read."""
        own = {self.node: self._facts(self._count)}
        return own | {name: peer.facts for name, peer in self._peers.items() if peer.listed}

    @property
    def unannounced(self) -> bool:
        """Whether a change that `announce_now` was called for is still to be written."""
        return self._news

    # --- joining ------------------------------------------------------------------------------------------------------

    async def look_around(self) -> None:
        """Wait until it is certain of every node in the directory whether it lives. Nothing is written before.

        Raises `IncompatibleNode`, and what `Directory` raises.
        """
        while True:
            self._read(await self._directory.read())
            self._check_alike()
            if all(peer.heard or self.gone(name) for name, peer in self._peers.items()):
                return
            await deferLater(self._clock, HEARTBEAT_S)

    async def join(self) -> None:
        """Write the first heartbeat. Raises what `look_around` raises: two nodes may have looked at the same time."""
        began = self._clock.seconds()
        said = await self._directory.tell(self.node, self._own())
        self._written(said, began)
        self._check_alike()

    def _check_alike(self) -> None:
        own = self._facts(self._count)
        for name, peer in sorted(self._peers.items()):
            if not peer.heard or self.gone(name):
                continue
            if peer.facts is None or abs(peer.facts.speaks - own.speaks) > 1:
                raise IncompatibleNode(
                    f"node {name} of this room has a version of the program that is more than one upgrade away. Upgrade"
                    " version by version, or stop the other nodes first"
                )
            if peer.facts.common != own.common:
                raise IncompatibleNode(
                    f"node {name} of this room has other tables or table settings, or another journal key."
                    " All nodes must have the same: stop the other nodes before you change them"
                )

    def start(self) -> None:
        """Write a heartbeat every `HEARTBEAT_S` from now on."""
        self._beat = self._clock.callLater(HEARTBEAT_S, self._write)

    def announce_now(self) -> None:
        """Write a change of this node at once."""
        self._news = True
        self.refresh_now()

    def refresh_now(self) -> None:
        """Read the directory at once: another node has announced a change."""
        if self._stopped or (self._beat is None and not self._writing):
            return
        if self._writing:
            self._again = True
            return
        assert self._beat is not None
        self._beat.reset(0)

    def stop(self) -> None:
        """Write nothing more, and leave nothing on the clock."""
        self._stopped = True
        for call in (self._beat, self._alarm):
            if call is not None and call.active():
                call.cancel()
        self._beat = self._alarm = None

    def leave(self) -> Deferred[None]:
        """Write the last entry, after `stop`: what it says of the tables stands, and no node waits for the lease.

        Fails as `Directory` does.
        """
        self._count += 1
        last = packed(replace(self._facts(self._count), ended=True))
        return self._directory.tell(self.node, last).addCallback(lambda _: None)

    # --- writing ------------------------------------------------------------------------------------------------------

    def _own(self) -> bytes:
        self._count += 1
        return packed(self._facts(self._count))

    def _write(self) -> None:
        self._beat = None
        self._writing = True
        news, self._news = self._news, False
        began = self._clock.seconds()
        self._directory.tell(self.node, self._own()).addCallbacks(
            self._written, self._news_not_written, callbackArgs=(began, news), errbackArgs=(news,)
        ).addErrback(_fault).addBoth(lambda _: self._next(began))

    def _written(self, said: Mapping[str, bytes], began: float, news: bool = False) -> None:
        if self._stopped:
            return
        if self._written_at is None or began - self._written_at >= OWN_LEASE_S:
            self._held_since = began
        self._written_at = began
        if self._alarm is not None and self._alarm.active():
            self._alarm.cancel()
        left = began + OWN_LEASE_S - self._clock.seconds()
        self._alarm = self._clock.callLater(max(0.0, left), self._lapsed)
        self._read(said)
        self._clean_up()
        self._refreshed(news)

    def _news_not_written(self, failure: Failure, news: bool) -> None:
        self._news = self._news or news
        self._not_written(failure)

    def _not_written(self, failure: Failure) -> None:
        failure.trap(*_AWAY)
        self._missed = True
        _log.warning("directory.unavailable", error=type(failure.value).__name__)

    def _next(self, began: float) -> None:
        self._writing = False
        if self._stopped:
            return
        again, self._again = self._again, False
        passed = self._clock.seconds() - began
        self._beat = self._clock.callLater(0 if again else max(0.0, HEARTBEAT_S - passed), self._write)

    # --- reading ------------------------------------------------------------------------------------------------------

    def _read(self, said: Mapping[str, bytes]) -> None:
        now = self._clock.seconds()
        first = self._read_at is None
        if self._read_at is not None:
            self._watched_s += min(now - self._read_at, _GAP_S)
        if self._missed:  # perhaps no node could write
            self._trusted_s = self._watched_s
        self._read_at, self._missed = now, False
        for name, peer in list(self._peers.items()):
            peer.listed = name in said
            if not peer.listed and self.gone(name):
                del self._peers[name]
        for name, what in said.items():
            if name != self.node and (not self._hear(name, what, first=first) or first):
                self._look_after(name)

    def _look_after(self, name: str) -> None:
        peer = self._peers[name]
        if not peer.killed and not self.gone(name) and self._was_killed(name):
            _log.warning("node.killed", node=name)
            peer.killed = True

    def _hear(self, name: str, said: bytes, *, first: bool) -> bool:
        """Note what a node says. Return whether it is news."""
        peer = self._peers.get(name)
        if peer is not None and peer.said == said:
            return False
        facts = None
        try:
            facts = unpacked(said)
        except UnreadableNodeFacts as unreadable:
            if peer is None or peer.facts is not None:
                _log.error("node.unreadable", node=name, reason=str(unreadable))
        if peer is None:
            self._peers[name] = _Peer(said=said, facts=facts, since_s=self._watched_s, heard=not first)
        else:
            peer.said, peer.facts, peer.since_s, peer.heard = said, facts, self._watched_s, True
            peer.killed = False
        return True

    def _clean_up(self) -> None:
        """Remove nodes that are long gone, if this node leads; one that comes back writes its entry again."""
        if self.living()[0] != self.node:
            return
        for name, peer in self._peers.items():
            if peer.listed and self._silent_s(peer) > _FORGET_S:
                _log.warning("node.forgotten", node=name)
                self._directory.forget(name).addErrback(self._not_written).addErrback(_fault)


def _fault(failure: Failure) -> None:
    _log.critical("membership.fault", exc_info=failure.value)
