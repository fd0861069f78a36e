"""Tournaments of several tables under the nemesis: fields with rebuys, an add-on, bounties, an overlay and deals; and a
satellite to one of them, the bots of which use the tickets that they win.

A swarm of the room (`pokerroom swarm --mtt`) plays each offer, through one node after the other: one tournament, then
the next. `tournaments` looks at the ledger in the end. `DirectorWatch` measures how long after the kill of a node
another one directs the tournaments that were there: the first entry in the journal of each under a greater epoch.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import redis

from pokerroom.coordination.redis.streams import Id, last_id, stream_key
from tests.chaos.nemesis import Recovered
from tests.chaos.nodes import Node
from tests.chaos.swarms import Blame, Swarms
from tests.chaos.tournaments import Played

_PLAY: Final = """
start = "* * * * *"
announce_s = 120
seats_per_table = 6
starting_stack = 1_500
level_hands = 4
action_clock_s = 2
countdown_s = 1
hand_pause_ms = 0
levels = [
    { small_blind = 25 }, { small_blind = 50 }, { small_blind = 100 }, { small_blind = 200 },
    { small_blind = 400 }, { small_blind = 800 }, { small_blind = 1_600 }, { small_blind = 3_200 },
]
"""
_FIELD: Final = f"""
buy_in = 400
fee = 60
deals = true
{_PLAY}
"""
CONFIG: Final = f"""
[[tournament]]
id = "rebuys"
players_min = 4
guarantee = 8_000
rebuys_max = 2
rebuy_levels = 2
rebuy_price = 300
rebuy_fee = 40
add_on_price = 200
add_on_fee = 10
add_on_stack = 2_000
add_on_break_s = 10
{_FIELD}
[[tournament]]
id = "heads"
players_min = 2
bounty = 90
bounty_kind = "progressive"
late_levels = 1
{_FIELD}
[[tournament]]
id = "step"
players_min = 4
buy_in = 160
fee = 20
satellite_to = "heads"
{_PLAY}
"""
OFFERS: Final = ("rebuys", "heads", "step")
STEP_BOTS: Final = 6
"""So few play the satellite: two seats and some money."""

LEAVE_S: Final = 150.0
AGAIN_S: Final = 2.0
"""How often it is looked whether a swarm has ended, and another one begins."""

_FIGURES: Final = (
    "finished", "entries", "hands", "moves", "rebuys", "add_ons", "deals", "tickets", "prizes_expected", "prizes_paid",
    "bounties_expected", "bounties_paid",
)  # fmt: skip
_OURS: Final = ("swarm_fault", "cannot_reconnect", "received_bad_message")
"""What no fault excuses."""


class FieldSwarms(Swarms):
    """One swarm for each of `OFFERS`, again and again."""

    name = "fields"
    arguments = ("--mtt",)

    def __init__(self, *, ports: Sequence[int], **given: Any) -> None:
        super().__init__(ports=[ports[number % len(ports)] for number in range(len(OFFERS))], **given)
        self._ports = list(ports)

    def offered(self, number: int) -> Sequence[str]:
        """See `Swarms`."""
        offer = OFFERS[number % len(OFFERS)]
        return ("--offer", offer, *(("--bots", str(STEP_BOTS)) if offer == "step" else ()))

    async def keep(self) -> None:
        """A swarm that has played its tournament is followed by the next one, at the next node. Until cancelled."""
        while True:
            await asyncio.sleep(AGAIN_S)
            for number, process in enumerate(self.processes):
                if process.poll() is not None:
                    self.begin(number, self._ports[self.begun_count % len(self._ports)])

    async def leave(self, blame: Blame) -> dict[str, Any]:
        """They play out what has started; what they tell, added up. A swarm that found no room tells nothing."""
        for number in await self.stopped(LEAVE_S):
            blame("C8", "", "", f"the field of swarm {number} has not ended within {LEAVE_S:.0f} s")
        self.forget_unstarted()
        sums, errors = self.told(_FIGURES, blame)
        for what in ("prizes", "bounties"):
            if sums[f"{what}_paid"] != sums[f"{what}_expected"]:
                line = f"fields: {sums[f'{what}_paid']} of {sums[f'{what}_expected']} {what} were seen to be paid"
                blame("C4", "", "", line)
        for name in _OURS:
            if errors[name]:
                blame("C8", "", "", f"fields: {name}: {errors[name]}")
        return {**sums, "errors": dict(sorted(errors.items()))}


# --- the director ---------------------------------------------------------------------------------------------------

OWNED_AS: Final = "tournament:"
WATCH_S: Final = 0.1

LAST_ACTS_S: Final = 1.0
"""A tournament that ends so soon after the kill was ended by the node that died: PostgreSQL carries out what it has
asked for, and no other node directs it so soon."""


@dataclass(slots=True, kw_only=True)
class DirectorKilled:
    """A tournament of an owner that was killed, at `at_s` of the run and `wall_s` of the clock. `directed_s`: its new
    owner has written to its journal.
    """

    tournament: str
    node: int
    at_s: float
    wall_s: float
    epoch: int
    directed_s: float | None = None


@dataclass(slots=True, kw_only=True)
class DirectorWatch:
    """See the module. `owners` is (table or tournament) -> process, `now` the seconds of the run."""

    owners: Callable[[], Mapping[str, int]]
    now: Callable[[], float]
    killed: list[DirectorKilled] = field(default_factory=list)
    _last: dict[str, Id] = field(default_factory=dict)

    def node_killed(self, node: Node, owners: Mapping[str, int]) -> None:
        """Call it just before, with the owners of this moment: a tournament that was just given away is not of it."""
        at_s, wall_s = self.now(), time.time()
        self.killed += [
            DirectorKilled(
                tournament=name.removeprefix(OWNED_AS),
                node=node.number,
                at_s=at_s,
                wall_s=wall_s,
                epoch=self._last[name].epoch,
            )
            for name, pid in owners.items()
            if pid == node.pid and name in self._last
        ]

    def seen(self, ids: Mapping[str, Id]) -> None:
        """The last entries in the journals now."""
        self._last.update(ids)
        now = self.now()
        for one in self.killed:
            found = self._last[OWNED_AS + one.tournament]
            if one.directed_s is None and found.epoch > one.epoch and found.n:
                one.directed_s = now

    async def look(self, client: redis.Redis) -> None:
        """Until it is cancelled."""
        while True:
            await asyncio.sleep(WATCH_S)
            names = {name for name in self.owners() if name.startswith(OWNED_AS)}
            names |= {OWNED_AS + one.tournament for one in self.killed if one.directed_s is None}
            try:
                self.seen(await asyncio.to_thread(_ids, client, sorted(names)))
            except (redis.RedisError, redis.exceptions.RedisClusterException, OSError):
                continue  # it is away: that is one of the faults


def check_directors(
    killed: Sequence[DirectorKilled], recovered: Sequence[Recovered], played: Sequence[Played], blame: Blame
) -> dict[str, Any]:
    """C8: where others take over the tables of a node that was killed, they have to direct its tournaments, as soon.

    Return how many were taken over so, and the longest time. One that had ended needs no director.
    """
    ended_s = {one.tournament: one.ended_s for one in played}
    times = []
    for one in killed:
        over_s = ended_s.get(one.tournament)
        limit_s = next(
            (
                each.limit_s
                for each in recovered
                if each.blow.takeover and each.blow.struck_s - 1 < one.at_s < each.blow.healed_s + 1
            ),
            None,
        )
        if limit_s is None or (over_s is not None and over_s <= one.wall_s + LAST_ACTS_S):
            continue
        took_s = None if one.directed_s is None else one.directed_s - one.at_s
        if took_s is None:
            blame("C8", one.tournament, "", f"it has no director any more since the kill of node {one.node}")
        elif took_s > limit_s:
            blame(
                "C8", one.tournament, "", f"its director came after {took_s:.1f} s, allowed are {limit_s:.0f}"
            )
        times.append(took_s)
    known = [took_s for took_s in times if took_s is not None]
    return {"takeovers": len(times), "takeover_s_max": round(max(known), 3) if known else None}


def _ids(client: redis.Redis, names: Sequence[str]) -> dict[str, Id]:
    pipeline = client.pipeline(transaction=False)
    for name in names:
        pipeline.xinfo_stream(stream_key(name))
    found = zip(names, pipeline.execute(raise_on_error=False), strict=True)
    return {name: known for name, reply in found if (known := last_id(reply)) is not None}
