"""The nodes of the room for the operator, from what they say of themselves. Asks nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pokerroom.cluster.node_facts import NodeFacts
from pokerroom.ledger.tournaments import tournament_owned_as
from pokerroom.ops.reports import NodeReport


def node_reports(
    node: str, known: Mapping[str, NodeFacts | None], living: Sequence[str], now_ms: int
) -> list[NodeReport]:
    """Return all nodes by name; of those that live no longer only that they are gone.

    `known` is the last entry of each node, `node` too; None if it cannot be read. `living` is in order, the leader
    first; `now_ms` is the wall clock. The uptime of a node on another machine is as right as that machine's clock.
    """
    return [
        _report(
            name, facts, here=name == node, living=name in living, leader=name == living[0], now_ms=now_ms
        )
        for name, facts in sorted(known.items())
    ]


def _report(
    name: str, facts: NodeFacts | None, *, here: bool, living: bool, leader: bool, now_ms: int
) -> NodeReport:
    said = facts if living else None  # a dead node's tables belong to others now
    owned = () if said is None else tuple(sorted(said.tables))
    return NodeReport(
        node=name,
        here=here,
        living=living,
        leader=leader,
        draining=said is not None and said.draining,
        suspended=said is not None and said.suspended,
        tables=tuple(name for name in owned if tournament_owned_as(name) is None),
        tournaments=tuple(name for name in owned if tournament_owned_as(name) is not None),
        seats=0 if said is None else sum(table.seats for table in said.tables.values()),
        ops="" if said is None else said.ops,
        uptime_s=0 if said is None else max(0, now_ms - said.started_ms) // 1000,
    )
