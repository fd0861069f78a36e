"""The nodes of the room for their operator, from what they tell of themselves. Asks nobody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pokerroom.cluster.node_facts import NodeFacts
from pokerroom.ops.reports import NodeReport


def node_reports(
    node: str, known: Mapping[str, NodeFacts | None], living: Sequence[str], now_ms: int
) -> list[NodeReport]:
    """All nodes by name; of those that live no more only that they are gone.

    `known` is what each has said last, `node` too; None where that cannot be read.

    `living` is in order, the leader first; `now_ms` the wall clock. The uptime of a node on another machine is as right
    as that machine's clock.
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
    told = facts if living else None  # what a dead one had is others' now
    return NodeReport(
        node=name,
        here=here,
        living=living,
        leader=leader,
        draining=told is not None and told.draining,
        suspended=told is not None and told.suspended,
        tables=() if told is None else tuple(sorted(told.tables)),
        seats=0 if told is None else sum(owned.seats for owned in told.tables.values()),
        ops="" if told is None else told.ops,
        uptime_s=0 if told is None else max(0, now_ms - told.started_ms) // 1000,
    )
