"""One connection of each instance of an account over all nodes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pokerroom.cluster import messages
from tests.cluster.support import Cluster
from tests.cluster.test_losses import lose


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    cluster = Cluster("a", "b", "c")
    yield cluster
    cluster.stop()


def over(cluster: Cluster) -> list[list[int]]:
    return [node.over for node in cluster.nodes.values()]


def test_an_account_that_arrives_elsewhere_is_over_here(cluster):
    """At the one node where it was, and nowhere else."""
    anna = cluster.client("anna", "b")

    anna.back("c")
    cluster.settle()

    assert over(cluster) == [[], [anna.account], []]
    anna.back("b")
    cluster.settle()
    assert over(cluster) == [[], [anna.account], [anna.account]]


def test_of_two_at_the_same_time_the_larger_node_keeps_it(cluster):
    """Both hear of each other after both have come: one stays."""
    anna = cluster.client("anna", "a")
    anna.lose()
    cluster.settle()
    anna.back("b")
    anna.back("c")

    cluster.settle()

    assert over(cluster) == [[], [anna.account], []]


def test_clocks_that_differ_decide_nothing(cluster):
    """A node with a slow clock has the later arrival all the same."""
    anna = cluster.client("anna", "a")
    cluster.settle()
    cluster.nodes["c"].now_ms = lambda: 5

    anna.back("c")
    cluster.settle()

    assert over(cluster) == [[anna.account], [], []]


def test_a_client_that_has_left_is_not_over(cluster):
    """Their session is gone already."""
    anna = cluster.client("anna", "b")
    anna.lose()

    anna.back("c")
    cluster.settle()

    assert over(cluster) == [[], [], []]


def test_an_arrival_that_was_lost_is_told_again(cluster):
    """As soon as the loss is noticed one connection is left."""
    anna = cluster.client("anna", "b")
    cluster.settle()
    lose(cluster, messages.AccountsArrived)
    anna.back("c")
    cluster.settle()
    lose(cluster)
    assert over(cluster) == [[], [], []]

    cluster.hub.notice("c", "b")
    cluster.settle()

    assert over(cluster) == [[], [anna.account], []]


def test_nodes_that_did_not_know_of_each_other_find_out(cluster):
    """Two connections of an account, made while each took the other for dead."""
    cluster.nodes["b"].room_bus.living(["a", "b"])
    cluster.nodes["c"].room_bus.living(["a", "c"])
    lose(cluster, messages.BusMessage)
    anna = cluster.client("anna", "b")
    cluster.settle()
    anna.back("c")
    cluster.settle()
    lose(cluster)
    cluster.hub.unnoticed.clear()
    assert over(cluster) == [[], [], []]

    cluster.tell_living()
    cluster.settle()

    assert over(cluster) == [[], [anna.account], []]


def test_a_node_that_has_missed_an_arrival_hears_of_it_again(cluster):
    """When it tells of an earlier one of the same instance, which ends then."""
    anna = cluster.client("anna", "a")
    cluster.settle()
    at_ms = cluster.now_ms()
    later = anna.back("b")
    cluster.settle()
    cluster.nodes["a"].over.clear()

    cluster.nodes["c"].room_bus.arrived(anna.account, later.instance, at_ms - 1)
    cluster.settle()

    assert over(cluster) == [[], [], [anna.account]]
