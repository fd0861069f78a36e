"""Which nodes live, seen from several nodes on one virtual clock and a directory that can be unavailable, or forget."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from pokerroom.cluster.membership import HEARTBEAT_S, LEASE_S, OWN_LEASE_S, IncompatibleNode, Membership
from pokerroom.cluster.node_facts import NodeFacts, UnreadableNodeFacts, packed, unpacked
from pokerroom.coordination.memory import MemoryDirectory


class Node:
    """A membership, and what it has told its owner."""

    def __init__(self, name: str, clock: Clock, said: dict[str, bytes], common: str, speaks: int) -> None:
        self.directory = MemoryDirectory(said)
        self.lapses: list[float] = []
        self.looks: list[bool] = []
        self.common = common
        self.killed: set[str] = set()
        """Nodes of which this one can see that their processes are gone."""
        self.members = Membership(
            node=name,
            clock=clock,
            directory=self.directory,
            facts=lambda count: NodeFacts(count=count, common=self.common, started_ms=0, speaks=speaks),
            refreshed=self._refreshed,
            lapsed=lambda: self.lapses.append(clock.seconds()),
            was_killed=lambda name: name in self.killed,
        )

    def _refreshed(self, news: bool) -> None:
        self.looks.append(news)


class Nodes:
    """The nodes of one room."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.said: dict[str, bytes] = {}
        self.all: list[Node] = []

    def make(self, name: str, common: str = "same", speaks: int = 1) -> Node:
        node = Node(name, self.clock, self.said, common, speaks)
        self.all.append(node)
        return node

    def start(self, name: str) -> Node:
        """A node that has joined."""
        node = self.make(name)
        joining = Deferred.fromCoroutine(joined(node.members))
        self.pass_s(LEASE_S + 1)
        assert joining.called
        return node

    def pass_s(self, seconds: float) -> None:
        """In small steps: what is due happens at its time."""
        self.clock.pump([0.05] * round(seconds / 0.05))


async def joined(members: Membership) -> None:
    await members.look_around()
    await members.join()
    members.start()


@pytest.fixture
def nodes() -> Iterator[Nodes]:
    made = Nodes()
    yield made
    for node in made.all:
        node.members.stop()
    assert made.clock.getDelayedCalls() == []


def until(nodes: Nodes, happened: Callable[[], bool], seconds_max: float = 30) -> float:
    """How long it takes."""
    began = nodes.clock.seconds()
    while not happened():
        nodes.pass_s(0.05)
        assert nodes.clock.seconds() - began < seconds_max
    return nodes.clock.seconds() - began


def test_nodes_that_tell_know_each_other(nodes):
    """All see the same, in the same order, each with what it says."""
    a, b = nodes.start("a"), nodes.start("b")

    assert a.members.living() == b.members.living() == ["a", "b"]
    assert a.members.others().keys() == {"b"}
    assert not a.members.gone("b")
    assert a.members.known().keys() == {"a", "b"}


def test_a_first_node_joins_at_once(nodes):
    """An empty directory has no node to wait for."""
    node = nodes.make("a")

    joining = Deferred.fromCoroutine(joined(node.members))

    assert joining.called
    assert node.members.holds_lease()


def test_a_node_that_says_nothing_new_is_gone_after_its_lease(nodes):
    """And not before; the ledger may know a node that is gone, the directory does not."""
    a, b = nodes.start("a"), nodes.start("b")
    b.members.stop()

    took = until(nodes, lambda: a.members.gone("b"))

    assert took + HEARTBEAT_S >= LEASE_S
    assert took <= LEASE_S + 2 * HEARTBEAT_S
    assert a.members.living() == ["a"]
    assert a.members.others() == {}


def test_a_node_of_this_machine_that_was_killed_is_gone_at_once(nodes):
    """No lease is waited for: neither by a node that plays, nor by one that starts. One that lives is not asked for."""
    a, b, c = (nodes.start(name) for name in "abc")
    a.killed |= {"b", "c"}
    nodes.pass_s(2 * HEARTBEAT_S)
    assert a.members.living() == ["a", "b", "c"]
    b.members.stop()

    assert until(nodes, lambda: a.members.gone("b")) <= 2 * HEARTBEAT_S
    assert not a.members.gone("c")
    assert not c.members.gone("b")

    c.members.stop()
    a.members.stop()
    again = nodes.make("d")
    again.killed |= {"a", "b", "c"}
    joining = Deferred.fromCoroutine(joined(again.members))
    assert joining.called
    assert again.members.living() == ["d"]


def test_a_node_that_says_something_was_not_killed(nodes):
    """Whatever its socket looked like for a moment."""
    a, b = nodes.start("a"), nodes.start("b")
    b.directory.away = True
    nodes.pass_s(HEARTBEAT_S)
    a.killed.add("b")
    until(nodes, lambda: a.members.gone("b"))
    a.killed.clear()
    b.directory.away = False
    until(nodes, lambda: not a.members.gone("b"))
    assert a.members.living() == ["a", "b"]


def test_the_own_lease_ends_before_the_others_think_so(nodes):
    """A node that cannot write its heartbeat knows it before any other node counts it as gone."""
    a, b = nodes.start("a"), nodes.start("b")
    b.directory.away = True

    until(nodes, lambda: b.lapses != [])
    lapsed_at = b.lapses[0]
    assert not a.members.gone("b")
    assert not b.members.holds_lease()
    until(nodes, lambda: a.members.gone("b"))

    assert nodes.clock.seconds() - lapsed_at > 0.2
    assert OWN_LEASE_S < LEASE_S


def test_a_lease_holds_again_with_the_next_telling(nodes):
    """Each outage laps it once."""
    node = nodes.start("a")

    for _ in range(2):
        node.directory.away = True
        nodes.pass_s(5)
        node.directory.away = False
        nodes.pass_s(1)
        assert node.members.holds_lease()

    assert len(node.lapses) == 2


def test_a_lease_that_was_interrupted_is_another_one(nodes):
    """What was true during the last one need not be true any more."""
    node = nodes.start("a")
    before = nodes.clock.seconds()
    nodes.pass_s(10)
    assert node.members.held_since(before)

    node.directory.away = True
    nodes.pass_s(5)
    assert not node.members.held_since(before)
    assert not node.members.held_since(nodes.clock.seconds())
    node.directory.away = False
    nodes.pass_s(1)

    assert node.members.holds_lease()
    assert not node.members.held_since(before)
    assert node.members.held_since(nodes.clock.seconds())


def test_a_node_that_cannot_read_declares_no_node_dead(nodes):
    """However long the store is away: afterwards every node has a whole lease to write its heartbeat."""
    a, b = nodes.start("a"), nodes.start("b")
    a.directory.away = b.directory.away = True
    nodes.pass_s(60)
    assert not a.members.gone("b")

    a.directory.away = False
    nodes.pass_s(2.0)
    assert not a.members.gone("b")
    b.directory.away = False
    nodes.pass_s(1.0)

    assert a.members.living() == b.members.living() == ["a", "b"]
    nodes.pass_s(10)
    assert not a.members.gone("b")


def test_a_store_that_has_forgotten_all_makes_no_node_dead(nodes):
    """What is missing is treated like what did not change."""
    a, b = nodes.start("a"), nodes.start("b")
    b.directory.away = True
    nodes.said.clear()
    nodes.pass_s(1.5)
    assert a.members.living() == ["a", "b"]

    b.directory.away = False
    nodes.pass_s(1)

    assert a.members.living() == b.members.living() == ["a", "b"]


def test_a_node_that_starts_on_an_empty_directory_waits_before_it_thinks_a_node_dead(nodes):
    """The ledger may know an owner that the directory has lost and that has not written again yet."""
    a = nodes.make("a")
    Deferred.fromCoroutine(joined(a.members))

    assert not a.members.gone("somebody")
    took = until(nodes, lambda: a.members.gone("somebody"))

    assert took >= LEASE_S - HEARTBEAT_S


def test_a_node_that_was_stopped_for_long_declares_no_node_dead(nodes):
    """It has not watched: what it reads first after the pause is as old as it may be."""
    a, b = nodes.start("a"), nodes.start("b")
    b.members.stop()

    nodes.clock.advance(30)  # a did not run: one late heartbeat
    assert not a.members.gone("b")

    until(nodes, lambda: a.members.gone("b"))


def test_a_node_that_comes_back_lives(nodes):
    """A node that counted as gone tells again, and is one of them."""
    a, b = nodes.start("a"), nodes.start("b")
    b.directory.away = True
    until(nodes, lambda: a.members.gone("b"))

    b.directory.away = False
    nodes.pass_s(1)

    assert a.members.living() == ["a", "b"]


def test_handoff_state_of_the_dead_holds_no_node_up_for_longer_than_a_lease(nodes):
    """A start waits until it is known which nodes of the directory live."""
    nodes.said["dead"] = packed(NodeFacts(count=7, common="other", started_ms=0))
    node = nodes.make("a")
    joining = Deferred.fromCoroutine(joined(node.members))

    took = until(nodes, lambda: joining.called)

    assert took + HEARTBEAT_S >= LEASE_S
    assert took <= LEASE_S + 2 * HEARTBEAT_S
    assert node.members.gone("dead")


def test_other_settings_than_a_living_nodes_are_refused(nodes):
    """The error names the node and the difference; the directory does not learn of the refused node."""
    nodes.start("a")
    node = nodes.make("b", common="other")
    found: list[Failure] = []
    Deferred.fromCoroutine(joined(node.members)).addErrback(found.append)

    until(nodes, lambda: found != [])

    assert found[0].check(IncompatibleNode)
    assert "node a of this room has other tables" in str(found[0].value)
    assert nodes.said.keys() == {"a"}


@pytest.mark.parametrize(("speaks", "alike"), [(0, True), (1, True), (2, True), (3, False)])
def test_nodes_of_neighbouring_versions_live_together(nodes, speaks, alike):
    """What is more than one version away is refused: it may send what the other cannot read."""
    nodes.start("a")
    node = nodes.make("b", speaks=speaks)
    found: list[object] = []
    Deferred.fromCoroutine(joined(node.members)).addBoth(found.append)

    until(nodes, lambda: found != [])

    if alike:
        assert found == [None]
    else:
        assert isinstance(found[0], Failure)
        assert found[0].check(IncompatibleNode)
        assert "more than one upgrade away" in str(found[0].value)


def test_the_long_gone_are_forgotten_by_the_head(nodes):
    """After a minute; and one that only could not tell is back as soon as it can."""
    a, b = nodes.start("a"), nodes.start("b")
    b.directory.away = True
    nodes.pass_s(65)
    assert nodes.said.keys() == {"a"}

    b.directory.away = False
    nodes.pass_s(2)

    assert a.members.living() == ["a", "b"]


def test_news_are_told_at_once(nodes):
    """Not with the next heartbeat only, and once; while the directory is away they wait."""
    a = nodes.start("a")
    before = nodes.said["a"]

    a.members.announce_now()
    a.directory.away = True
    nodes.pass_s(2)
    assert nodes.said["a"] == before
    assert True not in a.looks
    a.directory.away = False
    nodes.pass_s(1)
    assert a.looks.count(True) == 1

    before = nodes.said["a"]
    a.members.announce_now()
    nodes.clock.advance(0)
    assert nodes.said["a"] != before
    assert a.looks[-1]


def test_a_node_that_hears_of_news_looks_at_once(nodes):
    """And announces no change of its own."""
    a = nodes.start("a")
    looks = len(a.looks)

    a.members.refresh_now()
    nodes.clock.advance(0)

    assert len(a.looks) == looks + 1
    assert not a.looks[-1]


def test_what_cannot_be_read_is_said_to_live(nodes):
    """A node of another version has no tables that could be read, and is not declared dead."""
    a = nodes.start("a")
    nodes.said["z"] = b"{}"
    nodes.pass_s(0.6)

    assert a.members.living() == ["a", "z"]
    assert a.members.others() == {}
    with pytest.raises(UnreadableNodeFacts):
        unpacked(b"{}")


def test_facts_are_read_as_they_were_told():
    """Every field comes back."""
    facts = NodeFacts(count=3, common="s", started_ms=5, ops="h:1", draining=True, suspended=True)

    assert unpacked(packed(facts)) == facts


def test_no_node_waits_for_a_node_that_has_sent_its_handoff_state(nodes):
    """Neither nodes that knew it nor nodes that start later; the leader removes its entry."""
    a, b = nodes.start("a"), nodes.start("b")
    b.members.stop()
    b.members.leave()
    nodes.pass_s(HEARTBEAT_S + 0.1)

    assert a.members.gone("b")
    assert a.members.living() == ["a"]
    c = nodes.make("c")
    joining = Deferred.fromCoroutine(joined(c.members))
    nodes.pass_s(2 * HEARTBEAT_S)
    assert joining.called
    assert c.members.gone("b")
    nodes.pass_s(65)
    assert nodes.said.keys() == {"a", "c"}
