"""Which node a table belongs at: pure decisions over what the nodes say of themselves.

Every node decides for itself alone and on much the same facts, so that mostly they agree; where they do not, the
ledger's epochs decide. A table weighs what its owner says (its load), a node carries in proportion to its weight. This
module asks nobody, and knows no time: who lives is `membership`'s business, doing it `ownership`'s.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

LOAD_OF_IDLE: Final = 1
"""Of a table at which no hand is played, or of which nothing is known: so little that such tables are shared, too."""

LOAD_OF_PLAYER: Final = 10
"""Of each player besides: what a node does is what its players do."""

_BAND: Final = 0.1
"""Nodes whose loads differ by less than this part of the mean are left as they are: moving a table is not free."""

_WIDE_BAND: Final = 0.2
"""The same before the first table is moved, so that those who come and go do not move tables to and fro."""


def load_of(players: int) -> int:
    """Of a table with so many who are dealt in (`TableActor.players`)."""
    return LOAD_OF_IDLE + LOAD_OF_PLAYER * players


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeLoad:
    """A node that may own tables: `tables` are those that it owns, with the load of each (at least 1)."""

    node: str
    weight: int
    tables: Mapping[str, int]


def allotted(free: Sequence[str], bearers: Collection[NodeLoad], loads: Mapping[str, int]) -> dict[str, str]:
    """Who should take which of the `free` tables: the heaviest first, always the least laden node.

    Tables that weigh the same go by their order, nodes that carry the same by their names. `loads` are those that are
    known from before.
    """
    weights = {bearer.node: bearer.weight for bearer in sorted(bearers, key=lambda bearer: bearer.node)}
    carried = {bearer.node: sum(bearer.tables.values()) for bearer in bearers}
    if not weights:
        return {}
    found: dict[str, str] = {}
    for table in sorted(free, key=lambda name: -loads.get(name, LOAD_OF_IDLE)):
        load = loads.get(table, LOAD_OF_IDLE)
        receiver = min(weights, key=lambda node: (carried[node] + load) / weights[node])
        found[table] = receiver
        carried[receiver] += load
    return {table: found[table] for table in free}


def surplus(node: str, bearers: Iterable[NodeLoad], stay: Collection[str], count_max: int) -> dict[str, str]:
    """Which tables `node` should give up so that others have their share, and to whom; `stay` are not given.

    At most `count_max`. Only what leaves the receiver clearly less laden than the giver was is given: then it is not
    given back before the loads have changed by twice as much. Of such tables always the one after which the more laden
    of the two carries least.
    """
    loads = {bearer.node: sum(bearer.tables.values()) for bearer in bearers}
    weights = {bearer.node: bearer.weight for bearer in bearers}
    own = {table: load for bearer in bearers if bearer.node == node for table, load in bearer.tables.items()}
    movable = {(load, table) for table, load in own.items() if table not in stay}
    mean = sum(loads.values()) / (sum(weights.values()) or 1)
    given: dict[str, str] = {}
    while movable and len(given) < count_max:
        carried = {name: loads[name] / weights[name] for name in loads}
        band = (_BAND if given else _WIDE_BAND) * mean
        if carried[node] - min(carried.values()) <= band:
            break
        one_of_each = dict(sorted(movable, reverse=True))  # of each load the first by name
        moves = [
            (max(left, taken), taken, -load, name, load, table)
            for load, table in one_of_each.items()
            for left in [(loads[node] - load) / weights[node]]
            for name in loads.keys() - {node}
            for taken in [(loads[name] + load) / weights[name]]
            if taken <= carried[node] - _BAND * mean
        ]
        if not moves:
            break
        *_, receiver, load, table = min(moves)
        movable.remove((load, table))
        given[table] = receiver
        loads[node] -= load
        loads[receiver] += load
    return given
