"""At which node a table belongs: pure decisions over what the nodes say of themselves.

Every node decides for itself alone on much the same facts, so that they mostly agree; where they do not, the epochs in
the ledger decide. A table has the load that its owner reports. This module asks nothing and knows no time: `membership`
says which nodes live, `ownership` acts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

LOAD_OF_IDLE: Final = 1
"""Load of a table without a hand in progress or any report: so small that such tables are shared out, too."""

LOAD_OF_PLAYER: Final = 10
"""Additional load of each player: what a node does is what its players do."""

_BAND: Final = 0.1
"""Nodes whose loads differ by less than this part of the mean are left as they are: moving a table is not free."""

_WIDE_BAND: Final = 0.2
"""The same before the first table is moved, so that players who come and go do not move tables to and fro."""


def load_of(players: int) -> int:
    """Return the load of a table with this many players (`TableActor.players`)."""
    return LOAD_OF_IDLE + LOAD_OF_PLAYER * players


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeLoad:
    """A node that may own tables: `tables` are those that it owns, with the load of each (at least 1)."""

    node: str
    tables: Mapping[str, int]


def allocate(free: Sequence[str], nodes: Collection[NodeLoad], loads: Mapping[str, int]) -> dict[str, str]:
    """Return which node should take each of the `free` tables: the heaviest table first, always to the least loaded
    node.

    Tables of equal load go by their order, nodes of equal load by their names. `loads` are the last known ones.
    """
    carried = {one.node: sum(one.tables.values()) for one in sorted(nodes, key=lambda one: one.node)}
    if not carried:
        return {}
    found: dict[str, str] = {}
    for table in sorted(free, key=lambda name: -loads.get(name, LOAD_OF_IDLE)):
        found[table] = receiver = min(carried, key=carried.__getitem__)
        carried[receiver] += loads.get(table, LOAD_OF_IDLE)
    return {table: found[table] for table in free}


def tables_to_give(
    node: str, nodes: Iterable[NodeLoad], stay: Collection[str], count_max: int
) -> dict[str, str]:
    """Return which tables `node` should give so that others have their share, and to which node; `stay` are not given.

    At most `count_max`. A table is given only if its receiver is then clearly less loaded than the giver was: it is not
    given back before the loads have changed by twice as much. Of such tables the one is chosen after which the more
    loaded of the two nodes carries least.
    """
    loads = {one.node: sum(one.tables.values()) for one in nodes}
    own = {table: load for one in nodes if one.node == node for table, load in one.tables.items()}
    movable = {(load, table) for table, load in own.items() if table not in stay}
    mean = sum(loads.values()) / (len(loads) or 1)
    given: dict[str, str] = {}
    while movable and len(given) < count_max:
        band = (_BAND if given else _WIDE_BAND) * mean
        if loads[node] - min(loads.values()) <= band:
            break
        one_of_each = dict(sorted(movable, reverse=True))  # the first table by name of each load
        moves = [
            (max(left, taken), taken, -load, name, load, table)
            for load, table in one_of_each.items()
            for left in [loads[node] - load]
            for name in loads.keys() - {node}
            for taken in [loads[name] + load]
            if taken <= loads[node] - _BAND * mean
        ]
        if not moves:
            break
        *_, receiver, load, table = min(moves)
        movable.remove((load, table))
        given[table] = receiver
        loads[node] -= load
        loads[receiver] += load
    return given
