"""Kill -9 of a node at chosen points: the deal, a bet, and on either side of a COMMIT.

The room has no hooks for this. The first two points are seen on the wire; for a settlement the harness holds a lock in
PostgreSQL that `settle_hands` needs, and sees in `pg_stat_activity` which node waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from typing import Any, Final

import psycopg

from pokerroom_protocol import messages as m
from tests.chaos.nodes import Node
from tests.chaos.stage import LEASE_S, Blow, NotReached, Stage

WAIT_EVENT_S: Final = 10.0
WAIT_SETTLE_S: Final = 10.0

_SETTLING: Final = """
SELECT pid, split_part(application_name, ':', 2) FROM pg_stat_activity
WHERE wait_event_type = 'Lock' AND query LIKE '%%settle_hands%%' AND application_name LIKE 'pokerroom %%:chaos-%%'
"""


async def _kill_when(stage: Stage, kind: str, wanted: Callable[[m.TableEvent], bool]) -> Blow:
    """Kills the owner of a table in the moment in which a client is told of such an event there."""
    struck: asyncio.Future[tuple[float, Node, frozenset[str], str]] = (
        asyncio.get_running_loop().create_future()
    )

    def hook(event: m.TableEvent) -> None:
        if struck.done() or not wanted(event):
            return
        node = stage.owner_of(event.table)
        if node is None or node.stopped:
            return
        tables = stage.tables_of(node)
        stage.nodes.kill(node)
        struck.set_result((stage.now(), node, tables, event.table))

    stage.evidence.hooks.append(hook)
    try:
        async with asyncio.timeout(WAIT_EVENT_S):
            at, node, tables, table = await struck
    except TimeoutError:
        raise NotReached("no such event") from None
    finally:
        stage.evidence.hooks.remove(hook)
    await asyncio.to_thread(stage.nodes.reap, node)
    note = f"node {node.number}, at {table}"
    return Blow(kind=kind, tables=tables, struck_s=at, healed_s=at, takeover=True, note=note, killed=[node])


async def kill_at_deal(stage: Stage) -> Blow:
    """As soon as a client is told that a hand begins."""
    return await _kill_when(stage, "kill_at_deal", lambda event: isinstance(event, m.HandStarted))


async def kill_between_hands(stage: Stage) -> Blow:
    """As soon as a client is told how a hand ended: the next one is not dealt there."""
    return await _kill_when(stage, "kill_between_hands", lambda event: isinstance(event, m.HandEnded))


async def kill_mid_bet(stage: Stage) -> Blow:
    """As soon as a client is told of a bet that others have to answer."""
    skip = stage.random.randrange(5)

    def wanted(event: m.TableEvent) -> bool:
        nonlocal skip
        if not isinstance(event, m.Acted) or event.action not in {"bet", "raise", "call"}:
            return False
        skip -= 1
        return skip < 0

    return await _kill_when(stage, "kill_mid_bet", wanted)


@asynccontextmanager
async def _settlement_held(stage: Stage) -> Any:
    """Holds what `settle_hands` needs until a node waits for it; yields that node and PostgreSQL's process for it.

    The caller lets go with the third, a coroutine function. Until then no client may be told a result that was not
    committed before.
    """
    async with stage.database() as holder, stage.database() as watcher:
        await holder.execute("BEGIN")
        await holder.execute("SET LOCAL lock_timeout = '3s'")
        try:
            await holder.execute("LOCK TABLE hands IN SHARE MODE")
        except psycopg.errors.LockNotAvailable:
            raise NotReached("the lock cannot be had") from None

        committed = {hand for (hand,) in await (await holder.execute("SELECT hand_id FROM hands")).fetchall()}
        with ExitStack() as holding:
            holding.enter_context(stage.evidence.settled_alone(committed))

            async def let_go() -> None:
                holding.close()
                await holder.execute("ROLLBACK")

            node, pid = stage.random.choice(await _waiting(stage, watcher))
            yield node, pid, let_go, watcher


async def _waiting(stage: Stage, watcher: Any) -> list[tuple[Node, int]]:
    """The nodes that wait for their settlements, each with PostgreSQL's process for it; as soon as there is one."""
    give_up = stage.now() + WAIT_SETTLE_S
    while True:
        found = await (await watcher.execute(_SETTLING)).fetchall()
        waiting = [
            (node, pid) for pid, name in found for node in stage.running() if node.name == name and node.pid
        ]
        if waiting:
            return waiting
        if stage.now() > give_up:
            raise NotReached("no node settles")
        await asyncio.sleep(0.01)


async def kill_before_commit(stage: Stage) -> Blow:
    """While its settlement waits in PostgreSQL, which is rolled back then."""
    async with _settlement_held(stage) as (node, pid, let_go, watcher):
        tables, at = stage.tables_of(node), stage.now()
        stage.nodes.kill(node)
        await watcher.execute("SELECT pg_terminate_backend(%s, 2000)", [pid])
        await let_go()
    await asyncio.to_thread(stage.nodes.reap, node)
    return Blow(
        kind="kill_before_commit",
        tables=tables,
        struck_s=at,
        healed_s=at,
        takeover=True,
        note=f"node {node.number}",
        killed=[node],
    )


async def kill_after_commit(stage: Stage) -> Blow:
    """After its settlement is committed and before it can read the reply."""
    async with _settlement_held(stage) as (node, _, let_go, watcher):
        tables = stage.tables_of(node)
        before = await _written(watcher, node)
        stage.nodes.pause(node)
        at = stage.now()
        await let_go()
        committed = await _within(2.0, lambda: _grown(watcher, node, before))
        stage.nodes.kill(node)
    await asyncio.to_thread(stage.nodes.reap, node)
    note = f"node {node.number}, {'committed' if committed else 'nothing was committed'}"
    return Blow(
        kind="kill_after_commit",
        reached=committed,
        tables=tables,
        struck_s=at,
        healed_s=stage.now(),
        takeover=True,
        note=note,
        killed=[node],
    )


async def late_commit(stage: Stage) -> Blow:
    """Kill -9 while its settlement waits; PostgreSQL goes on with it when the others know that the node is dead."""
    async with _settlement_held(stage) as (node, _, let_go, _):
        tables, at = stage.tables_of(node), stage.now()
        stage.nodes.kill(node)
        await asyncio.sleep(LEASE_S + 0.5)
        await let_go()
        healed = stage.now()
    await asyncio.to_thread(stage.nodes.reap, node)
    return Blow(
        kind="late_commit",
        tables=tables | frozenset(stage.tables),  # the others' settlements have waited as well
        struck_s=at,
        healed_s=healed,
        takeover=False,
        note=f"node {node.number}",
        killed=[node],
    )


async def _written(connection: Any, node: Node) -> int:
    cursor = await connection.execute("SELECT count(*) FROM chaos.writes WHERE writer = %s", [node.name])
    (count,) = await cursor.fetchone()
    return int(count)


async def _grown(connection: Any, node: Node, before: int) -> bool:
    return await _written(connection, node) > before


async def _within(seconds: float, happened: Callable[[], Awaitable[bool]]) -> bool:
    try:
        async with asyncio.timeout(seconds):
            while not await happened():  # noqa: ASYNC110 -- what happens in PostgreSQL sets no event here
                await asyncio.sleep(0.005)
    except TimeoutError:
        return False
    return True
