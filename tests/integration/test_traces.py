"""Traces of requests, from real nodes to a receiver of OpenTelemetry's form."""

from __future__ import annotations

import json
import signal
import time
from collections import Counter
from contextlib import ExitStack

import pytest

from tests.integration.test_nodes import STAY, play, seated, tables_of, within
from tests.otlp import Received, receiver

pytestmark = [pytest.mark.services, pytest.mark.timeout(120)]

TOLD = {"pokerroom.table", "pokerroom.refused"}
"""All that a span tells beside its times."""


def test_an_action_is_followed_from_its_connection_to_the_ledger(rooms):
    """Over two nodes: its step in the journal, what is told of it, the hand that it ends; and nothing else."""
    with receiver() as told, ExitStack() as opened:
        config = STAY + f'[traces]\nurl = "{told.url}"\nevery = 1\n'
        first, second = (rooms.started(config) for _ in range(2))
        within(20, lambda: all(len(tables_of(node)) >= 2 for node in (first, second)))
        names = {one["node"]: one["here"] for one in json.loads(first.get("/v1/nodes"))}
        table = tables_of(second)[0]
        players = seated(opened, first, first, table)
        play(players, next(iter(players.values())), lambda message: message["type"] == "hand_ended")
        for node in (first, second):
            for _ in range(2):  # the second one ends the wait for the hand that has begun
                node.signal(signal.SIGTERM)
                time.sleep(0.2)
            assert node.stop() == 0
        spans = told.spans()

    by_id = {one.span.span_id: one for one in spans}
    roots = [one for one in spans if not one.span.parent_span_id]
    acts = [one for one in roots if one.span.name == "Act"]
    assert len(acts) >= 2
    assert all(names[one.node] for one in roots), "the players are connected to the first node"

    def below(parent: Received) -> list[Received]:
        return [one for one in spans if one.span.parent_span_id == parent.span.span_id]

    settled = 0
    for act in acts:
        [owner] = below(act)
        assert owner.span.name == "Act at its owner"
        assert not names[owner.node]
        steps = Counter(one.span.name for one in below(owner))
        assert steps["journal"] >= 1
        assert steps["tell"] >= 1
        settled += steps["settle"]
        for step in below(owner):
            assert act.span.start_time_unix_nano <= step.span.start_time_unix_nano
    assert settled == 1
    for one in spans:
        assert one.span.end_time_unix_nano >= one.span.start_time_unix_nano
        assert {attribute.key for attribute in one.span.attributes} <= TOLD
        assert not one.span.events
        assert not one.span.parent_span_id or one.span.parent_span_id in by_id
