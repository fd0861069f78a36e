"""Nodes that are stopped or cut off for longer than their lease, and services that go away and come back."""

from __future__ import annotations

import asyncio
import subprocess
from typing import Final

from tests.chaos.nodes import Node
from tests.chaos.proxy import How
from tests.chaos.redis_cluster import SERVERS, ClusterServices, MoveMode
from tests.chaos.sentinels import SentinelServices
from tests.chaos.stage import LEASE_S, Blow, NotReached, Stage

LACKING_S: Final = 0.3
"""What a replica may lack that is promoted: less than the Sentinels wait before they miss it."""

KILLED_S: Final = 10.0
"""A node that hangs is killed within so long, by the parent that it has."""


async def stop_continue(stage: Stage) -> Blow:
    """SIGSTOP for longer than the lease, then SIGCONT: whatever it still wants to write is another's by then."""
    return await _stopped(stage, "stop_continue", wipe=False)


async def stop_wipe_continue(stage: Stage) -> Blow:
    """As `stop_continue`, and meanwhile Redis forgets who had sealed which journal."""
    return await _stopped(stage, "stop_wipe_continue", wipe=True)


async def _stopped(stage: Stage, kind: str, *, wipe: bool) -> Blow:
    node = stage.a_node()
    tables, at = stage.tables_of(node), stage.now()
    stage.nodes.pause(node)
    try:
        await asyncio.sleep(LEASE_S + 1.0 + 2.0 * stage.random.random())
        if wipe:
            with stage.evidence.wipe():
                await asyncio.to_thread(stage.services.flush_redis)
            tables = frozenset(stage.tables)
    finally:
        stage.nodes.go_on(node)
    await asyncio.sleep(0.2)
    hung = node.process is not None and node.process.poll() is not None  # its parent was faster
    return Blow(
        hung=hung,
        killed=[node] if hung else [],
        kind=kind,
        tables=tables,
        struck_s=at,
        healed_s=stage.now(),
        takeover=not stage.alone and not wipe,
        holds_clients=not hung,
        note=f"node {node.number}",
    )


async def hang(stage: Stage) -> Blow:
    """SIGSTOP, and nothing continues it: its parent has to see that, and start it again."""
    node = stage.a_node()
    tables, at = stage.tables_of(node), stage.now()
    assert node.process is not None
    stage.nodes.pause(node)
    try:
        await asyncio.to_thread(node.process.wait, KILLED_S)
    except subprocess.TimeoutExpired:
        stage.evidence.blame(
            "C8", "", "", f"node {node.number} hangs, and was not killed in {KILLED_S:.0f} s"
        )
        stage.nodes.kill(node)
    took = stage.now() - at
    return Blow(
        kind="hang",
        hung=True,
        tables=tables,
        struck_s=at,
        healed_s=stage.now(),
        takeover=not stage.alone,
        note=f"node {node.number}, killed after {took:.1f} s",
        killed=[node],
    )


async def cut_from_redis(stage: Stage) -> Blow:
    """One node does not reach Redis for longer than its lease: others take its tables meanwhile, if there are any.

    Hands in progress go on there. The players come when the node that is cut off sends them away, or is mended.
    """
    node = stage.a_node()
    blow = await _cut(stage, "cut_from_redis", node, node.redis_line)
    blow.takeover = blow.holds_clients = not stage.alone
    return blow


async def cut_from_postgres(stage: Stage) -> Blow:
    """One node does not reach PostgreSQL: its finished hands wait untold."""
    node = stage.a_node()
    return await _cut(stage, "cut_from_postgres", node, node.postgres_line)


async def _cut(stage: Stage, kind: str, node: Node, line: str) -> Blow:
    how: How = stage.random.choice(("reset", "silent"))
    tables, at = stage.tables_of(node), stage.now()
    await asyncio.to_thread(stage.proxies.cut, line, how)
    try:
        await asyncio.sleep(LEASE_S + 1.0 + 2.0 * stage.random.random())
    finally:
        await asyncio.to_thread(stage.proxies.mend, line)
    return Blow(
        kind=kind,
        tables=tables,
        struck_s=at,
        healed_s=stage.now(),
        takeover=False,
        note=f"node {node.number}, {how}",
    )


async def redis_restart(stage: Stage) -> Blow:
    """Redis is gone for a moment and comes back with what it had; behind Sentinels a replica may take over."""
    hard = stage.random.random() < 0.5
    at = stage.now()
    end = await _redis_away(stage, 0.5 + 2.0 * stage.random.random(), hard=hard, empty=False)
    return stage.everywhere("redis_restart", at, f"{'kill -9' if hard else 'SIGTERM'}{end}")


async def redis_lost(stage: Stage) -> Blow:
    """Redis comes back empty, or forgets everything while it runs."""
    at = stage.now()
    if stage.random.random() < 0.4:
        with stage.evidence.wipe():
            await asyncio.to_thread(stage.services.flush_redis)
        return stage.everywhere("redis_lost", at, "FLUSHALL")
    hard = stage.random.random() < 0.5
    end = await _redis_away(stage, 0.5 + 2.0 * stage.random.random(), hard=hard, empty=True)
    return stage.everywhere("redis_lost", at, f"started empty{end}")


async def kill_with_redis_lost(stage: Stage) -> Blow:
    """Kill -9 of a node, and Redis comes back empty: its hands in progress are void, and nothing else is lost."""
    node = stage.a_node()
    at = stage.now()
    stage.nodes.kill(node)
    end = await _redis_away(stage, 0.0, hard=True, empty=True)
    await asyncio.to_thread(stage.nodes.reap, node)
    blow = stage.everywhere("kill_with_redis_lost", at, f"node {node.number}{end}")
    blow.killed.append(node)
    return blow


async def _redis_away(stage: Stage, away_s: float, *, hard: bool, empty: bool) -> str:
    """Redis is stopped, and comes back `empty` or with what it had. Return what a note says of another master.

    Where the Sentinels have named one meanwhile, nothing is lost but what that one lacks.
    """
    services = stage.services
    may_lose = empty or isinstance(services, SentinelServices)
    with stage.evidence.wipe(numbers_again=may_lose) as wipe:
        before = await asyncio.to_thread(lambda: services.redis_servers)
        await asyncio.to_thread(services.stop_redis, hard=hard)
        await asyncio.sleep(away_s)
        await asyncio.to_thread(services.start_redis, empty=empty)
        replaced = await asyncio.to_thread(lambda: services.redis_servers) != before
        if replaced:
            wipe.lost = "last moments"
        elif not empty:
            wipe.lost = "nothing"
    return ", and another server took over" if replaced else ""


async def postgres_restart(stage: Stage) -> Blow:
    """PostgreSQL is gone for a moment, in order or as after a crash."""
    hard = stage.random.random() < 0.5
    at = stage.now()
    await asyncio.to_thread(stage.services.stop_postgres, hard=hard)
    await asyncio.sleep(0.5 + 2.0 * stage.random.random())
    await asyncio.to_thread(stage.services.start_postgres)
    return stage.everywhere("postgres_restart", at, "immediate" if hard else "fast")


async def postgres_failover(stage: Stage) -> Blow:
    """PostgreSQL is killed, and its synchronous standby takes its place: the nodes are led there."""
    await asyncio.to_thread(stage.services.start_standby)
    await asyncio.sleep(1.0 + 2.0 * stage.random.random())
    at = stage.now()
    await asyncio.to_thread(stage.services.fail_over)
    for node in stage.nodes.all:
        await asyncio.to_thread(stage.proxies.lead, node.postgres_line, stage.services.postgres_socket)
    return stage.everywhere("postgres_failover", at, f"after {stage.now() - at:.1f} s")


async def redis_failover(stage: Stage) -> Blow:
    """A master of Redis is killed, and its Sentinels or the Cluster promote a replica. It may lack the last moments."""
    services = stage.services
    if isinstance(services, ClusterServices):
        return await _cluster_failover(stage, services)
    if not isinstance(services, SentinelServices):
        raise NotReached("there are no Sentinels")
    lacking_s = stage.random.choice((0.0, LACKING_S))
    try:
        await asyncio.to_thread(services.wait_followed)
    except TimeoutError as reason:
        raise NotReached(str(reason)) from None
    at = stage.now()
    with stage.evidence.wipe() as wipe:
        wipe.lost = "last moments"
        await asyncio.to_thread(services.fail_over_redis, lacking_s=lacking_s)
    lacks = f"which lacks the last {lacking_s} s" if lacking_s else "which follows closely"
    return stage.everywhere("redis_failover", at, f"in {stage.now() - at:.1f} s to a replica {lacks}")


async def _cluster_failover(stage: Stage, services: ClusterServices) -> Blow:
    number = await asyncio.to_thread(services.fullest)
    at = stage.now()
    with stage.evidence.wipe() as wipe:
        wipe.lost = "last moments"
        took_s = await asyncio.to_thread(services.fail_over_redis, number)
    return stage.everywhere("redis_failover", at, f"in {took_s:.1f} s to the replica")


async def redis_reshard(stage: Stage) -> Blow:
    """All that one server of the Cluster keeps moves to another while the room plays. Nothing is lost."""
    services = stage.services
    if not isinstance(services, ClusterServices):
        raise NotReached("Redis is no Cluster")
    source = await asyncio.to_thread(services.fullest)
    target = stage.random.choice([number for number in range(SERVERS) if number != source])
    mode: MoveMode = stage.random.choice(("key by key", "at once"))
    at = stage.now()
    slots, keys = await asyncio.to_thread(services.reshard, source, target, mode)
    note = f"{slots} slots with {keys} keys {mode} in {stage.now() - at:.1f} s"
    blow = stage.everywhere("redis_reshard", at, note)
    blow.takeover = True  # there is nothing to heal: tables have to go on while it lasts
    return blow
