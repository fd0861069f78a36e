"""The checks over fields find what is planted: money that does not add up, and tournaments without a director."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
import redis

from pokerroom.coordination.redis.streams import Id
from pokerroom.ops.config import parse
from tests.chaos.fields import CONFIG, OFFERS, DirectorKilled, DirectorWatch, check_directors
from tests.chaos.nemesis import Recovered
from tests.chaos.nodes import Node, room_config
from tests.chaos.records import Books, Transfer
from tests.chaos.stage import Blow
from tests.chaos.tournaments import Played, check_tournaments

ONE = Played(
    tournament="heads.1",
    phase="finished",
    seats=100,
    buy_in=400,
    fee=60,
    prizes=(1_200,),
    players=(7, 8),
    places=((1, 1, 8, 1_200, 8), (2, 2, 7, 0, None)),
    starts=True,
    players_min=2,
    entries=3,
    bounty=90,
    guarantee=1_200,
    sold=((200, 10),),
    ended_s=1_000.0,
)
"""Two players and a re-entry, an add-on, and an overlay of 250."""


def transfer(number: int, key: str, kind: str, **legs: int) -> Transfer:
    """Legs by account, with an underscore for the colon before a player."""
    codes = {"escrow": "escrow:heads.1", "bounties": "bounties:heads.1", "w7": "wallet:7", "w8": "wallet:8"}
    return Transfer(
        number=number,
        key=f"sng:heads.1:{key}",
        kind=kind,
        committed_s=0.0,
        legs=tuple((codes.get(name, name), amount) for name, amount in legs.items()),
    )


TRANSFERS = (
    transfer(1, "entry:7:1", "entry", w7=-400, escrow=310, bounties=90),
    transfer(2, "entry:8:1", "entry", w8=-400, escrow=310, bounties=90),
    transfer(3, "start", "fees", escrow=-120, fees=120),
    transfer(4, "entry:7:2", "late_entry", w7=-400, escrow=250, bounties=90, fees=60),
    transfer(5, "add_on:8:1", "add_on", w8=-210, escrow=200, fees=10),
    transfer(6, "overlay", "overlay", bank=-250, escrow=250),
    transfer(7, "bounty:7:1", "bounty", bounties=-270, w8=270),
    transfer(8, "place:1", "prize", escrow=-1_200, w8=1_200),
)


def blamed(
    one: Played = ONE, transfers: tuple[Transfer, ...] = TRANSFERS, fees: int = 190
) -> list[tuple[str, str]]:
    lines: list[tuple[str, str]] = []
    balances = {"escrow:heads.1": 0, "bounties:heads.1": 0, "fees": fees}
    books = Books(transfers=transfers, hands=(), balances=balances, writes=(), names={})
    check_tournaments([one], books, lambda check, _table, _hand, line: lines.append((check, line)))
    return lines


def other(number: int, **legs: int) -> tuple[Transfer, ...]:
    """The transfers, of which this one has other legs."""
    before = TRANSFERS[number - 1]
    changed = transfer(number, before.key.removeprefix("sng:heads.1:"), before.kind, **legs)
    return tuple(changed if each is before else each for each in TRANSFERS)


def test_a_field_whose_money_adds_up_has_nothing_to_blame():
    """Entries, a re-entry, an add-on and an overlay are the prizes, the bounties and the fees."""
    assert blamed() == []


def test_a_field_with_too_few_players_may_be_cancelled():
    """One with enough of them may not."""
    returned = transfer(9, "cancel", "cancellation", escrow=-310, bounties=-90, w7=400)
    none = replace(ONE, phase="cancelled", prizes=(), players=(), places=(), entries=0, sold=())
    assert blamed(none, (TRANSFERS[0], returned), fees=0) == []
    both = transfer(9, "cancel", "cancellation", escrow=-620, bounties=-180, w7=400, w8=400)
    assert blamed(none, (*TRANSFERS[:2], both), fees=0) == [("C8", "it was cancelled with enough players")]


@pytest.mark.parametrize(
    ("line", "change", "transfers"),
    [
        ("bounties: 269 moved, 270 due", {}, other(7, bounties=-269, w8=269)),
        ("overlay: 249 moved, 250 due", {}, other(6, bank=-249, escrow=249)),
        ("overlay: 250 moved, 0 due", {"guarantee": 0}, TRANSFERS),
        ("paid in: 1409 moved, 1410 due", {}, other(5, w8=-209, escrow=199, fees=10)),
        ("fees: 189 moved, 190 due", {}, other(5, w8=-210, escrow=201, fees=9)),
        ("prizes: 1199 moved, 1200 due", {}, other(8, escrow=-1_199, w8=1_199)),
        ("1410 paid and 250 overlay are not the 1659 that went out", {}, other(7, bounties=-269, w8=269)),
        ("it has not ended: 2 of 2 places are given", {"phase": "running"}, TRANSFERS),
        ("it is rolled_back, and no order asked for that", {"phase": "rolled_back"}, TRANSFERS),
    ],
)
def test_money_that_does_not_add_up_is_found(line, change, transfers):
    """Each sum by its name."""
    assert line in {said for _, said in blamed(replace(ONE, **change), transfers)}


# --- directors ------------------------------------------------------------------------------------------------------


def struck(*, takeover: bool = True, limit_s: float = 5.0) -> Recovered:
    """A kill at 100 s."""
    blow = Blow(kind="kill", tables=frozenset(), struck_s=100.0, healed_s=100.0, takeover=takeover)
    return Recovered(blow=blow, recovery_s=1.0, pause_s=1.0, limit_s=limit_s, slowest="")


def killed(directed_s: float | None, wall_s: float = 900.0) -> DirectorKilled:
    return DirectorKilled(
        tournament="heads.1", node=1, at_s=100.0, wall_s=wall_s, epoch=4, directed_s=directed_s
    )


@pytest.mark.parametrize(
    ("one", "recovered", "said", "told"),
    [
        (killed(104.9), struck(), None, (1, 4.9)),
        (killed(105.1), struck(), "its director came after 5.1 s, allowed are 5", (1, 5.1)),
        (killed(None), struck(), "it has no director any more since the kill of node 1", (1, None)),
        (killed(112.0), struck(limit_s=15.0), None, (1, 12.0)),
        (killed(112.0), struck(takeover=False), None, (0, None)),
        (killed(None, wall_s=1_001.0), struck(), None, (0, None)),
        (killed(None, wall_s=999.9), struck(), None, (0, None)),
    ],
)  # fmt: skip
def test_a_director_that_does_not_come_is_found(one: Any, recovered: Any, said: Any, told: Any):
    """Within the limit of the tables, where other nodes take over; a tournament that had ended needs none."""
    lines: list[str] = []
    found = check_directors([one], [recovered], [ONE], lambda _check, _table, _hand, line: lines.append(line))
    assert lines == ([] if said is None else [said])
    assert found == {"takeovers": told[0], "takeover_s_max": told[1]}


class Process:
    """As much of a process as is asked for."""

    pid = 11


def test_a_director_is_seen_by_its_first_entry_under_a_greater_epoch():
    """Not by an entry of its predecessor, nor by the seal; tables and tournaments of other nodes are not of it."""
    now = [100.0]
    owners = {"tournament:heads.1": 11, "heads.1": 11, "tournament:six.1": 12, "tournament:new.1": 11}
    watch = DirectorWatch(owners=lambda: owners, now=lambda: now[0])
    watch.seen({"tournament:heads.1": Id(4, 7), "tournament:six.1": Id(9, 1)})
    node = Node(number=1, game_port=1, http_port=2, ops_port=3, process=Process())  # type: ignore[arg-type] # a part of it
    watch.node_killed(node, owners)
    (one,) = watch.killed
    told = [(101, Id(4, 8), None), (102, Id(5, 0), None), (103, Id(5, 1), 103), (104, Id(5, 2), 103)]
    for at_s, seen, directed_s in told:
        now[0] = at_s
        watch.seen({"tournament:heads.1": seen})
        assert one.directed_s == directed_s


def test_a_tournament_that_was_just_given_away_is_not_of_the_node_that_is_killed():
    """The last look at owners may be half a second old."""
    watch = DirectorWatch(owners=lambda: {"tournament:heads.1": 11}, now=lambda: 100.0)
    watch.seen({"tournament:heads.1": Id(5, 0)})
    node = Node(number=1, game_port=1, http_port=2, ops_port=3, process=Process())  # type: ignore[arg-type] # a part of it
    watch.node_killed(node, {"tournament:heads.1": 12})
    assert watch.killed == []


def test_the_room_of_a_run_takes_all_offers():
    """The settings are sound, and each swarm finds its offer."""
    offers = parse(room_config(1, 6) + CONFIG, "chaos").tournaments
    assert tuple(offer.id for offer in offers) == OFFERS


@pytest.mark.parametrize(
    "away", [redis.ConnectionError, redis.exceptions.RedisClusterException, ConnectionResetError]
)
def test_a_watch_goes_on_while_redis_is_away(monkeypatch, away):
    """Also where no server of a Cluster answers, which redis-py tells with an exception of another kind."""
    monkeypatch.setattr("tests.chaos.fields.WATCH_S", 0)
    asked = []

    class Away:
        def pipeline(self, **_: Any) -> None:
            asked.append(1)
            raise away

    async def watched() -> bool:
        looking = asyncio.create_task(DirectorWatch(owners=dict, now=lambda: 0.0).look(Away()))
        await asyncio.wait([looking], timeout=0.3)
        goes_on = len(asked) > 1 and not looking.done()
        looking.cancel()
        return goes_on

    assert asyncio.run(watched())
