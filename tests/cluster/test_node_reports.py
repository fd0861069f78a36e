"""What the operator is told of the nodes of a room."""

from __future__ import annotations

from pokerroom.cluster.node_facts import NodeFacts, OwnedTable
from pokerroom.cluster.node_reports import node_reports
from pokerroom.ledger.tournaments import owned_as
from pokerroom.ops.reports import NodeReport


def test_every_known_node_is_told_of_with_its_tables_and_seats():
    """Seats are listed beside tables; a node with an unreadable entry is listed, too."""
    two = NodeFacts(
        count=7,
        common="x",
        started_ms=40_000,
        ops="h:4193",
        draining=True,
        tables={"b": OwnedTable(epoch=1, seats=0, load=1), "a": OwnedTable(epoch=3, seats=4, load=21)},
    )
    one = NodeFacts(count=1, common="x", started_ms=90_000, ops="h:4192", suspended=True)
    reports = node_reports("one", {"two": two, "one": one, "odd": None}, ["one", "two", "odd"], 100_999)
    assert reports == [
        NodeReport(
            node="odd", here=False, living=True, leader=False, draining=False, suspended=False,
            tables=(), seats=0, ops="", uptime_s=0,
        ),
        NodeReport(
            node="one", here=True, living=True, leader=True, draining=False, suspended=True,
            tables=(), seats=0, ops="h:4192", uptime_s=10,
        ),
        NodeReport(
            node="two", here=False, living=True, leader=False, draining=True, suspended=False,
            tables=("a", "b"), seats=4, ops="h:4193", uptime_s=60,
        ),
    ]  # fmt: skip


def test_a_node_whose_clock_is_ahead_has_just_started():
    """Never less than nothing."""
    facts = NodeFacts(count=1, common="x", started_ms=90_000)
    assert node_reports("one", {"one": facts}, ["one"], 1_000)[0].uptime_s == 0


def test_of_a_node_that_is_gone_no_more_is_told():
    """Its tables belong to other nodes, and its address does not answer."""
    facts = NodeFacts(
        count=1, common="x", started_ms=1, ops="h:1", tables={"a": OwnedTable(epoch=1, seats=2, load=21)}
    )
    gone, _ = node_reports("one", {"gone": facts, "one": facts}, ["one"], 90_000)
    assert (gone.node, gone.living, gone.tables, gone.seats, gone.ops, gone.uptime_s) == (
        "gone",
        False,
        (),
        0,
        "",
        0,
    )


def test_a_tournament_beside_its_table_is_no_table():
    """A running sit-and-go has one table, and the node owns both."""
    tables = {name: OwnedTable(epoch=1, seats=2, load=21) for name in ("six.1", owned_as("six.1"), "cash")}
    facts = NodeFacts(count=1, common="x", started_ms=1, tables=tables)
    [report] = node_reports("one", {"one": facts}, ["one"], 1_000)
    assert (report.tables, report.tournaments) == (("cash", "six.1"), (owned_as("six.1"),))
