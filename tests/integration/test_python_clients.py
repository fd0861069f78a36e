"""The Python clients at a real room: their README's example as it stands there, and the driver for Twisted."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint

from pokerroom_protocol import messages as m
from pokerroom_protocol.twisted_client import connect
from tests.integration.conftest import rooms_in
from tests.integration.support import RunningRoom

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]

CONFIG = """
[[tables]]
id = "one"
seats = 2
small_blind = 50
hand_pause_ms = 0
[[tables]]
id = "bots"
seats = 6
small_blind = 50
hand_pause_ms = 0
house_bots = 1
[house]
think_ms = 100
"""
ROOT = Path(__file__).parents[2]
PACKAGE = (ROOT / "protocol" / "python" / "README.md").read_text(encoding="utf-8")
FRONT = (ROOT / "README.md").read_text(encoding="utf-8")
_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def room(tmp_path_factory, services, ledger_template) -> Iterator[RunningRoom]:
    with rooms_in(tmp_path_factory.mktemp("clients"), services, ledger_template) as rooms:
        yield rooms.started(CONFIG)


def test_the_example_of_the_package_plays(room):
    """Two players who do as the README of the package says find the bots and play hands to their end."""
    [source] = re.findall(r"```python\n(.*?)```", PACKAGE, re.DOTALL)
    ended: list[Any] = []
    example: dict[str, Any] = {"__name__": "example", "print": ended.append}
    exec(compile(source, "README.md", "exec"), example)

    async def scenario() -> None:
        names = [f"caller{next(_numbers)}" for _ in range(2)]
        playing = [
            asyncio.create_task(example["play"](name, "correct horse", port=room.game_port)) for name in names
        ]
        while len(ended) < 4 or not any(name.startswith("Bot.") for stacks in ended for name, _ in stacks):
            done, _ = await asyncio.wait(playing, timeout=0.05)
            assert not done, [task.exception() for task in done]
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)

    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        runner.run(asyncio.wait_for(scenario(), 60))

    assert all(sum(stack for _, stack in stacks) > 0 for stacks in ended)


def test_the_example_of_the_front_page_finds_a_table_with_bots(room):
    """A client over WebSocket in JSON, as the first README has it, registers and names a table where bots play."""
    [source] = re.findall(r"```python\n(.*?)```", FRONT, re.DOTALL)
    answers: list[Any] = []
    here = source.replace("127.0.0.1:4191", f"127.0.0.1:{room.http_port}")
    exec(compile(here, "README.md", "exec"), {"print": answers.append})

    assert here != source
    assert [answer.get("type") for answer in answers[:2]] == ["welcome", "authenticated"]
    assert answers[2]["table"] == "bots"


def test_the_driver_for_twisted_talks_to_a_room(run, room):
    """It greets, registers, sees the lobby and follows a table."""
    from twisted.internet import reactor

    async def scenario() -> tuple[str, list[str], int | None]:
        over: Deferred[None] = Deferred()
        endpoint = TCP4ClientEndpoint(reactor, "127.0.0.1", room.game_port)
        client = await connect(endpoint, lambda _: None, lambda _: over.callback(None))
        name = f"twisted{next(_numbers)}"
        me = await client.request(m.Register(id=0, name=name, password="correct horse"), m.Authenticated)
        lobby = await client.request(m.ListTables(id=0), m.Tables)
        table = await client.request(m.Observe(id=0, table="one"), m.Snapshot)
        client.close()
        await over
        return me.name, [info.table for info in lobby.tables], table.your_seat

    name, tables, seat = run(Deferred.fromCoroutine(scenario()))

    assert name.startswith("twisted")
    assert tables == ["one", "bots"]
    assert seat is None
