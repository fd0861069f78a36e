"""Which tables a swarm takes, and how it is split over processes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokerroom.bots.plan import ANY, STRUCTURES, TablePlan, choose_tables, group_sizes, of_structure, split
from pokerroom_protocol.messages import TableInfo


def table(
    name: str,
    seats: int,
    occupied: int = 0,
    min_buy_in: int = 2_000,
    max_buy_in: int = 10_000,
    *,
    structure: str = "no_limit",
    closing: bool = False,
):
    return TableInfo(
        table=name,
        name=name,
        game="holdem",
        structure=structure,
        small_blind=50,
        big_blind=100,
        min_buy_in=min_buy_in,
        max_buy_in=max_buy_in,
        seats=seats,
        occupied=occupied,
        players=occupied,
        closing=closing,
    )


@given(st.integers(1, 50), st.integers(0, 400))
def test_groups_are_even_and_use_every_bot(tables, more):
    """No group is more than one larger than another, none has fewer than two."""
    sizes = group_sizes(2 * tables + more, tables)

    assert 2 * tables + more == sum(sizes)
    assert tables == len(sizes)
    assert max(sizes) - min(sizes) <= 1
    assert min(sizes) >= 2


@pytest.mark.parametrize(("bots", "tables"), [(3, 2), (0, 1), (10, 0)])
def test_too_few_bots_are_refused(bots, tables):
    """A table of one bot would never deal."""
    with pytest.raises(ValueError, match="too few"):
        group_sizes(bots, tables)


def test_tables_of_the_right_size_come_first():
    """Six bots go to a table for six, though a larger one is free; among equals the emptier one is taken."""
    lobby = [table("ten", 10), table("six-b", 6, 0), table("six-a", 6, 0), table("six-full", 6, 6)]

    plans = choose_tables(lobby, [6, 6], 40)

    assert plans is not None
    assert [plan.table for plan in plans] == ["six-a", "six-b"]
    assert [plan.bots for plan in plans] == [6, 6]


def test_occupied_seats_are_not_counted_on():
    """Without enough free seats there is no plan yet."""
    assert choose_tables([table("six", 6, 1)], [6], 40) is None
    assert choose_tables([table("six", 6)], [3, 3], 40) is None
    assert choose_tables([table("ten", 10, 4)], [6], 40) is not None


NAMES = [name for name in STRUCTURES if name != ANY]
LOBBY = [table(f"{name}-{number}", 6, structure=name) for name in NAMES for number in range(3)]


@pytest.mark.parametrize("structure", STRUCTURES)
def test_only_tables_of_the_structure_asked_for_are_used(structure):
    """Each structure has its tables; `any` has all of them."""
    tables = of_structure(LOBBY, structure)

    assert {info.structure for info in tables} == (set(NAMES) if structure == ANY else {structure})
    assert len(tables) == (len(LOBBY) if structure == ANY else 3)


def test_tables_that_close_are_not_used():
    """The operator is closing one: it takes no new players."""
    assert of_structure([table("six", 6, closing=True)], ANY) == []


def test_tables_of_any_structure_are_mixed():
    """Where all are free, each structure is played at as many tables as the others."""
    plans = choose_tables(LOBBY, [6] * 2 * len(NAMES), 40)

    assert plans is not None
    assert sorted(plan.table.split("-")[0] for plan in plans) == sorted(2 * NAMES)


@pytest.mark.parametrize(("big_blinds", "buy_in"), [(40, 4_000), (5, 2_000), (500, 10_000)])
def test_the_buy_in_stays_within_the_tables_range(big_blinds, buy_in):
    """Big blinds are turned into an amount that the table takes."""
    plans = choose_tables([table("six", 6)], [6], big_blinds)

    assert plans is not None
    assert buy_in == plans[0].buy_in


@given(st.lists(st.integers(2, 10), min_size=1, max_size=30), st.integers(1, 12))
def test_processes_get_whole_tables_and_alike_many_bots(sizes, processes):
    """Every table is in exactly one process, no process is idle, none has much more than its share."""
    plans = [TablePlan(table=str(number), bots=size, buy_in=1) for number, size in enumerate(sizes)]

    groups = split(plans, processes)

    assert sorted(plan.table for group in groups for plan in group) == sorted(plan.table for plan in plans)
    assert min(processes, len(plans)) == len(groups)
    assert all(groups)
    loads = [sum(plan.bots for plan in group) for group in groups]
    assert max(loads) - min(loads) <= 10
