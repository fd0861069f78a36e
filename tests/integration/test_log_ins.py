"""Log-ins at two real nodes: what one has counted delays the other, and what the log has for fail2ban."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.integration.support import CONFIG

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]

TRIES_MAX = 5
"""The first delay is a second: a machine that is busy for longer lets the log-in through, which forgets the guesses."""

HANDBOOK = (Path(__file__).parents[2] / "deploy" / "operations" / "running.md").read_text(encoding="utf-8")


def test_wrong_passwords_delay_at_every_node(rooms):
    """Guesses at one node, and the owner waits at the other as long as the store says; the log has each address."""
    first, second = rooms.started(CONFIG), rooms.started(CONFIG)
    failed = 0
    with first.tcp() as owner, first.tcp() as guesser:
        owner.enter("anna")
        guesser.ask("hello", version=1, client="test")
        for _ in range(TRIES_MAX):
            for _ in range(5):
                answer = guesser.ask("log_in", name="anna", password="a wrong one")
                assert answer["code"] == "bad_credentials"
                failed += 1
            with second.tcp() as other:
                other.ask("hello", version=1, client="test")
                delayed = other.ask("log_in", name="ANNA", password="correct horse")
            if delayed["type"] == "error":
                break
    assert (delayed["code"], 0 < delayed["retry_after_ms"] <= 1_000) == ("log_in_delayed", True)
    metrics = first.get("/metrics"), second.get("/metrics")
    assert f'pokerroom_log_ins_total{{result="failed"}} {failed}.0' in metrics[0]
    assert 'pokerroom_log_ins_total{result="delayed"} 1.0' in metrics[1]
    for room in (first, second):
        room.stop()

    [expression] = re.findall(r"failregex = (.*)", HANDBOOK)
    banned = re.compile(expression.replace("<HOST>", r"(?P<host>[0-9a-f.:]+)"))
    lines = [line for room in (first, second) for line in room.output]
    found = [match for line in lines if (match := banned.match(line))]
    assert [match["host"] for match in found] == ["127.0.0.1"] * (failed + 1)
    events = [json.loads(match.string) for match in found]
    assert {event["event"] for event in events} == {"log_in.failed", "log_in.delayed"}
    assert all("anna" not in line.casefold() and "horse" not in line for line in map(str, events))
