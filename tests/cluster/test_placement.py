"""Which node should have which table: shares by load, and no table that goes to and fro."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from pokerroom.cluster.placement import LOAD_OF_PLAYER, NodeLoad, allocate, load_of, tables_to_give


def load(node: str, *loads: int) -> NodeLoad:
    return NodeLoad(node=node, tables={f"{node}-{n}": load for n, load in enumerate(loads)})


def after(nodes: list[NodeLoad], node: str, given_up: Mapping[str, str]) -> list[NodeLoad]:
    """The nodes once the tables have moved."""
    loads = {table: load for one in nodes for table, load in one.tables.items()}
    moved: dict[str, dict[str, int]] = {one.node: {} for one in nodes}
    for one in nodes:
        for table in one.tables:
            moved[given_up.get(table, one.node) if one.node == node else one.node][table] = loads[table]
    return [NodeLoad(node=one.node, tables=moved[one.node]) for one in nodes]


bearers_lists = st.lists(st.lists(st.integers(1, 10), max_size=12), min_size=1, max_size=5).map(
    lambda rows: [load(f"n{n}", *loads) for n, loads in enumerate(rows)]
)


def test_free_tables_go_to_the_least_laden_first():
    """One after the other, so that in the end all carry alike; names decide where loads do not."""
    assert allocate(["x", "y", "z"], [load("a", 2), load("b"), load("c")], {}) == {
        "x": "b",
        "y": "c",
        "z": "b",
    }


def test_without_nodes_no_table_has_an_owner():
    """All nodes may be about to end."""
    assert allocate(["x"], [], {}) == {}


def test_free_tables_are_shared_by_what_they_weighed():
    """A dead node's busy tables do not all go to one of the others because there are as many idle ones."""
    loads = {"idle1": 1, "idle2": 1, "busy1": load_of(6), "busy2": load_of(6)}
    found = allocate(list(loads), [load("a"), load("b")], loads)

    assert found["busy1"] != found["busy2"]
    assert found["idle1"] != found["idle2"]


def test_players_are_what_a_table_weighs():
    """Nine idle tables are less than one that is played at."""
    assert 9 * load_of(0) < load_of(1) < load_of(2) < load_of(6)


def test_busy_tables_are_shared_however_many_idle_ones_there_are():
    """A node with all the players gives half of them away, though the other one has more tables."""
    nodes = [load("a", *[load_of(6)] * 4), load("b", *[load_of(0)] * 20)]

    assert sorted(tables_to_give("a", nodes, set(), 100).values()) == ["b", "b"]


four_busy_tables = st.lists(st.integers(4, 6), min_size=4, max_size=4)


@given(first=four_busy_tables, last=four_busy_tables)
def test_players_who_come_and_go_move_no_table(first, last):
    """Two nodes with four busy tables each, and idle ones: no busy table moves when players sit out or in."""
    nodes = [
        load(node, *[load_of(players) for players in busy], *[load_of(0)] * 5)
        for node, busy in (("a", first), ("b", last))
    ]

    for node in ("a", "b"):
        given_up = tables_to_give(node, nodes, set(), 100)
        assert all(int(table.split("-")[1]) >= 4 for table in given_up)


@given(steps=st.lists(st.tuples(st.sampled_from("ab"), st.integers(-1, 1)), max_size=30))
def test_what_was_moved_comes_back_only_for_more_than_a_few(steps):
    """Players come and go one by one, never more than two at once: after the first sharing nothing moves."""
    players = {"a": 24, "b": 24}
    for node, change in steps:
        if abs(players[node] + change - 24) <= 1:
            players[node] += change
        nodes = [
            load(name, *[LOAD_OF_PLAYER * count // 4 + 1] * 4, *[1] * 30) for name, count in players.items()
        ]
        assert not any(tables_to_give(name, nodes, set(), 100) for name in players)


@given(
    nodes=bearers_lists,
    count=st.integers(0, 20),
    loads=st.dictionaries(st.integers(0, 20).map("t{}".format), st.integers(1, 60)),
)
def test_every_free_table_is_one_nodes_and_all_agree(nodes, count, loads):
    """In whatever order a node knows the others: all tables are allocated, and to the same nodes."""
    free = [f"t{n}" for n in range(count)]

    found = allocate(free, nodes, loads)

    assert list(found) == free
    assert allocate(free, nodes[::-1], loads) == found


def test_a_newcomer_gets_its_share():
    """Of ten tables of one node a second one gets five."""
    given_up = tables_to_give("a", [load("a", *[1] * 10), load("b")], set(), 100)

    assert len(given_up) == 5
    assert set(given_up.values()) == {"b"}


@given(tables=st.integers(2, 300), players=st.integers(0, 10), idle=st.integers(0, 300))
def test_a_newcomer_gets_its_share_of_however_many(tables, players, idle):
    """Be one table as little as it may of what a node carries: a second node comes to carry nearly half of all."""
    first = load("a", *[load_of(players)] * tables, *[load_of(0)] * idle)

    moved = after([first, load("b")], "a", tables_to_give("a", [first, load("b")], set(), 1000))

    one, two = (sum(each.tables.values()) for each in moved)
    assert abs(one - two) <= load_of(players) + 0.1 * (one + two) / 2


def test_what_has_a_reason_to_stay_is_not_given():
    """Frozen tables, and those that the operator has put here."""
    given_up = tables_to_give("a", [load("a", 1, 1, 1, 1), load("b")], {"a-0", "a-1", "a-2"}, 100)

    assert set(given_up) == {"a-3"}


def test_no_more_than_asked_for_are_given_at_once():
    """Each has to end its hand first."""
    assert len(tables_to_give("a", [load("a", *[1] * 10), load("b")], set(), 2)) == 2


def test_a_single_busy_table_stays_where_it_is():
    """Moving it would only move the load."""
    assert tables_to_give("a", [load("a", 9), load("b")], set(), 100) == {}


def test_small_differences_are_left():
    """Fifty and forty-eight is near enough."""
    assert tables_to_give("a", [load("a", *[1] * 50), load("b", *[1] * 48)], set(), 100) == {}


@given(nodes=bearers_lists)
def test_a_given_table_does_not_come_back(nodes):
    """While loads stay as they are its taker does not give it away again, nor carry more than the giver did."""
    given_up = tables_to_give("n0", nodes, set(), 100)
    moved = after(nodes, "n0", given_up)

    most = sum(nodes[0].tables.values())
    for one in moved:
        if one.node in given_up.values():
            assert sum(one.tables.values()) <= most
            assert not tables_to_give(one.node, moved, set(), 100).keys() & given_up.keys()
