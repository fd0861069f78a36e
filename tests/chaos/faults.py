"""The faults that the nemesis knows, by name; and those of the clients.

A fault is a coroutine over a `Stage`: it strikes, heals what it has broken, and returns a `Blow`. What blocks runs in
threads. It does not wait for the recovery, which is measured by `nemesis`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

from pokerroom_protocol import messages as m
from tests.chaos import kills, outages, tournaments, versions
from tests.chaos.stage import Blow, Stage

FLOOD_S: Final = 3.0
RETURN_S: Final = 5.0

Fault = Callable[[Stage], Awaitable[Blow]]


async def drop_clients(stage: Stage) -> Blow:
    """All clients are gone at once and come back within five seconds, players and crowd."""
    at = stage.now()
    for player in stage.players:
        player.drop()
    stage.crowd.drop()
    await stage.crowd.come(RETURN_S)
    took = stage.now() - at
    blow = stage.everywhere("drop_clients", at, f"{len(stage.crowd)} were back after {took:.1f} s")
    blow.takeover = True  # the tables do not wait for every client: silence counts from the blow
    return blow


async def flood_table(stage: Stage) -> Blow:
    """Every client at one table sends all they can for a while: chat, snapshots, decisions that are not theirs."""
    table = stage.random.choice(stage.tables)
    floods = [player for player in stage.players if player.table == table]
    at, sent = stage.now(), 0
    makers: list[Callable[[int], m.Request]] = [
        lambda number: m.Chat(id=number, table=table, text="flood"),
        lambda number: m.GetSnapshot(id=number, table=table),
        lambda number: m.Act(id=number, table=table, hand_id="none", seq=1, action="check"),
        lambda number: m.Ping(id=number),
        lambda number: m.SitIn(id=number, table=table),
    ]
    while stage.now() < at + FLOOD_S:
        for player in floods:
            for _ in range(20):
                player.send_to_table(stage.random.choice(makers))
                sent += 1
        await asyncio.sleep(0.02)
    return Blow(
        kind="flood_table",
        tables=frozenset([table]),
        struck_s=at,
        healed_s=stage.now(),
        takeover=True,  # there is nothing to heal: the table has to go on while it lasts
        note=f"{table}, {sent} messages",
    )


def _named(faults: Iterable[Fault]) -> dict[str, Fault]:
    return {fault.__name__: fault for fault in faults}


FAULTS: Final = _named(
    [
        kills.kill_at_deal,
        kills.kill_between_hands,
        kills.kill_mid_bet,
        kills.kill_before_commit,
        kills.kill_after_commit,
        kills.late_commit,
        outages.hang,
        outages.stop_continue,
        outages.stop_wipe_continue,
        outages.redis_restart,
        outages.redis_lost,
        outages.kill_with_redis_lost,
        outages.postgres_restart,
        outages.postgres_failover,
        outages.redis_failover,
        outages.redis_reshard,
        outages.cut_from_redis,
        outages.cut_from_postgres,
        drop_clients,
        flood_table,
        tournaments.payouts_again,
        versions.change_version,
    ]
)

_BELOW_A_PARENT = frozenset({"hang"})
_EACH_WITH_ITS_OWN_LINES = frozenset(
    {"cut_from_redis", "cut_from_postgres", "kill_before_commit", "kill_after_commit", "late_commit"}
)

_NOT_WITH: Final = {
    "one": frozenset({"redis_failover", "redis_reshard"}),
    "sentinel": frozenset({"cut_from_redis", "redis_reshard"}),
    "cluster": frozenset({"cut_from_redis"}),
}
"""By what the room has for Redis. To Sentinels and to a Cluster nodes have no lines of their own."""

KILLS: Final = (
    "kill_at_deal", "kill_between_hands", "kill_mid_bet", "kill_before_commit", "kill_after_commit",
)  # fmt: skip
"""Those that kill a node and break nothing else: other nodes take over its tables."""


def kinds(*, supervised: bool, versions: int = 1, redis: str = "one") -> list[str]:
    """The faults that can be brought about with nodes below a parent or not, of so many versions, and this Redis."""
    cannot = _EACH_WITH_ITS_OWN_LINES if supervised else _BELOW_A_PARENT
    cannot |= _NOT_WITH[redis]
    if versions == 1:
        cannot |= {"change_version"}
    return [kind for kind in FAULTS if kind not in cannot]
