"""Which node should have which table: shares by weight and load, and no table that goes to and fro."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from pokerroom.cluster.placement import Bearer, allotted, surplus


def bearer(node: str, *loads: int, weight: int = 1) -> Bearer:
    return Bearer(node=node, weight=weight, tables={f"{node}-{n}": load for n, load in enumerate(loads)})


def after(bearers: list[Bearer], node: str, given_up: Mapping[str, str]) -> list[Bearer]:
    """The nodes once the tables have moved."""
    loads = {table: load for one in bearers for table, load in one.tables.items()}
    moved: dict[str, dict[str, int]] = {one.node: {} for one in bearers}
    for one in bearers:
        for table in one.tables:
            moved[given_up.get(table, one.node) if one.node == node else one.node][table] = loads[table]
    return [Bearer(node=one.node, weight=one.weight, tables=moved[one.node]) for one in bearers]


bearers_lists = st.lists(
    st.tuples(st.integers(1, 4), st.lists(st.integers(1, 10), max_size=12)), min_size=1, max_size=5
).map(lambda rows: [bearer(f"n{n}", *loads, weight=weight) for n, (weight, loads) in enumerate(rows)])


def test_free_tables_go_to_the_least_laden_first():
    """One after the other, so that in the end all carry alike; names decide where loads do not."""
    assert allotted(["x", "y", "z"], [bearer("a", 2), bearer("b"), bearer("c")]) == {
        "x": "b",
        "y": "c",
        "z": "b",
    }


def test_a_heavier_node_carries_more():
    """Shares are in proportion to the weights."""
    given_to = list(allotted([f"t{n}" for n in range(9)], [bearer("a"), bearer("b", weight=2)]).values())

    assert (given_to.count("a"), given_to.count("b")) == (3, 6)


def test_without_nodes_nobody_gets_a_table():
    """All nodes may be about to end."""
    assert allotted(["x"], []) == {}


@given(bearers=bearers_lists, count=st.integers(0, 20))
def test_every_free_table_is_one_nodes_and_all_agree(bearers, count):
    """Whoever computes it, in whatever order he knows the nodes: all tables are allotted, and to the same nodes."""
    free = [f"t{n}" for n in range(count)]

    found = allotted(free, bearers)

    assert list(found) == free
    assert allotted(free, reversed(bearers)) == found


def test_a_newcomer_gets_its_share():
    """Of ten tables of one node a second one gets five."""
    given_up = surplus("a", [bearer("a", *[1] * 10), bearer("b")], set(), 100)

    assert len(given_up) == 5
    assert set(given_up.values()) == {"b"}


def test_what_has_a_reason_to_stay_is_not_given():
    """Frozen tables, and those that the operator has put here."""
    given_up = surplus("a", [bearer("a", 1, 1, 1, 1), bearer("b")], {"a-0", "a-1", "a-2"}, 100)

    assert set(given_up) == {"a-3"}


def test_no_more_than_asked_for_are_given_at_once():
    """Each has to end its hand first."""
    assert len(surplus("a", [bearer("a", *[1] * 10), bearer("b")], set(), 2)) == 2


def test_a_single_busy_table_stays_where_it_is():
    """Moving it would only move the load."""
    assert surplus("a", [bearer("a", 9), bearer("b")], set(), 100) == {}


def test_small_differences_are_left():
    """Fifty and forty-eight is near enough."""
    assert surplus("a", [bearer("a", *[1] * 50), bearer("b", *[1] * 48)], set(), 100) == {}


@given(bearers=bearers_lists)
def test_a_given_table_does_not_come_back(bearers):
    """While loads stay as they are its taker does not give it away again, nor carry more than the giver did."""
    given_up = surplus("n0", bearers, set(), 100)
    moved = after(bearers, "n0", given_up)

    most = sum(bearers[0].tables.values()) / bearers[0].weight
    for one in moved:
        if one.node in given_up.values():
            assert sum(one.tables.values()) / one.weight <= most
            assert not surplus(one.node, moved, set(), 100).keys() & given_up.keys()
