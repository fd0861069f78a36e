"""What a fault of Redis excuses: what was lost when another server took over, or everything, or nothing."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from tests.chaos.evidence import Evidence
from tests.chaos.faults import Fault
from tests.chaos.hand_ids import begun_s, hand_id_at
from tests.chaos.hands import Hand
from tests.chaos.lost_hands import check_unsettled
from tests.chaos.outages import redis_lost, redis_restart
from tests.chaos.sentinels import SentinelServices

TABLE = "t-1"
LOST = hand_id_at(90.0)


class Redis(SentinelServices):
    """Sentinels that name a server, and after a restart another one, if they are to."""

    def __init__(self, *, replaced: bool) -> None:
        self._named = ["first"]
        self._then = ["second"] if replaced else self._named

    @property
    def redis_servers(self) -> list[str]:
        return self._named

    def stop_redis(self, *, hard: bool) -> None:
        """It is away."""

    def start_redis(self, *, empty: bool) -> None:
        self._named = self._then


@pytest.mark.parametrize(
    ("fault", "replaced", "missing", "wrong"),
    [
        (redis_restart, False, {}, ["C5"]),
        (redis_restart, False, {TABLE: [100.0]}, ["C5"]),
        (redis_restart, True, {TABLE: [100.0]}, []),
        (redis_restart, True, {}, ["C5"]),
        (redis_lost, False, {}, []),
        (redis_lost, True, {TABLE: [100.0]}, []),
        (redis_lost, True, {}, ["C5"]),
    ],
)
def test_a_hand_is_void_where_the_sentinels_name_another_master_or_redis_was_emptied(
    fault: Fault, replaced: bool, missing: dict[str, list[float]], wrong: list[str], monkeypatch: Any
) -> None:
    """C5: a restart of the same master loses nothing. A server that comes back empty may have been replaced before."""

    def now() -> float:
        return 100.0

    evidence = Evidence(now, now)

    async def at_once(_: float) -> None:
        pass

    monkeypatch.setattr(asyncio, "sleep", at_once)
    stage: Any = SimpleNamespace(
        evidence=evidence,
        services=Redis(replaced=replaced),
        random=SimpleNamespace(random=lambda: 0.5),
        now=now,
        everywhere=lambda *said: said,
    )
    asyncio.run(fault(stage))
    evidence.missing = missing
    hand = Hand(table=TABLE, hand_id=LOST, ends={"ann": True}, void_s=101.0)
    check_unsettled(hand, evidence, [begun_s(LOST)], evidence.blame)
    assert [violation.check for violation in evidence.violations] == wrong
