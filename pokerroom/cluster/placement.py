"""Which node a table belongs at: pure decisions over what the nodes say of themselves.

Every node decides for itself alone and on much the same facts, so that mostly they agree; where they do not, the
ledger's epochs decide. A table weighs what its owner says (its load), a node carries in proportion to its weight. This
module asks nobody, and knows no time: who lives is `membership`'s business, doing it `ownership`'s.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heapreplace
from typing import Final

LOAD_OF_FREE: Final = 1
"""What a table counts for that nobody carries: its load is not known."""

_BAND = 0.1
"""Nodes whose loads differ by less than this part of the mean are left as they are: moving a table is not free."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bearer:
    """A node that may own tables: `tables` are those that it owns, with the load of each (at least 1)."""

    node: str
    weight: int
    tables: Mapping[str, int]


def allotted(free: Sequence[str], bearers: Iterable[Bearer]) -> dict[str, str]:
    """Who should take which of the `free` tables, by their order: always the least laden node, by name where alike."""
    heap = [
        (_laden(bearer, LOAD_OF_FREE), bearer.node, sum(bearer.tables.values()), bearer) for bearer in bearers
    ]
    heapify(heap)
    found: dict[str, str] = {}
    for table in free:
        if not heap:
            break
        _, node, load, bearer = heap[0]
        found[table] = node
        load += LOAD_OF_FREE
        heapreplace(heap, ((load + LOAD_OF_FREE) / bearer.weight, node, load, bearer))
    return found


def surplus(node: str, bearers: Iterable[Bearer], stay: Collection[str], count_max: int) -> dict[str, str]:
    """Which tables `node` should give up so that others have their share, and to whom; `stay` are not given.

    At most `count_max`. Given away is only what leaves the taker no more laden than the giver, so that no table goes
    to and fro.
    """
    loads = {bearer.node: sum(bearer.tables.values()) for bearer in bearers}
    weights = {bearer.node: bearer.weight for bearer in bearers}
    own = {table: load for bearer in bearers if bearer.node == node for table, load in bearer.tables.items()}
    movable = sorted((load, table) for table, load in own.items() if table not in stay)
    mean = sum(loads.values()) / (sum(weights.values()) or 1)
    given: dict[str, str] = {}
    while movable and len(given) < count_max:
        taker = min(loads, key=lambda name: (loads[name] / weights[name], name))
        gap = loads[node] / weights[node] - loads[taker] / weights[taker]
        if taker == node or gap <= _BAND * mean:
            break
        fitting = [
            (load, table)
            for load, table in movable
            if (loads[taker] + load) / weights[taker] <= (loads[node] - load) / weights[node]
        ]
        if not fitting:
            break
        load, table = fitting[-1]
        movable.remove((load, table))
        given[table] = taker
        loads[node] -= load
        loads[taker] += load
    return given


def _laden(bearer: Bearer, more: int) -> float:
    return (sum(bearer.tables.values()) + more) / bearer.weight
