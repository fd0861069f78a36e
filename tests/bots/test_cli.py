"""The command `swarm`: what it prints and how it exits, context a swarm that has been played elsewhere."""

from __future__ import annotations

import json
import socket

import pytest
from click.testing import CliRunner

from pokerroom.bots import cli
from pokerroom.bots.swarm import SwarmOptions, SwarmReport
from pokerroom.bots.tally import SwarmTally
from pokerroom_protocol import Code


def report(
    *, problem: str | None = None, errors: dict[str, int] | None = None, hands: int = 20
) -> SwarmReport:
    tally = SwarmTally(first_hand_at=1.0, at=3.0, hands=hands, actions=100, disconnects=1)
    tally.races["no_hand"] = 2
    tally.errors.update(errors or {})
    for milliseconds in [1] * 60 + [2] * 39 + [3]:
        tally.latency.add(milliseconds / 1000)
    return SwarmReport(wanted=20, measured=tally, final=tally, problem=problem)


def invoke(monkeypatch, result: SwarmReport, *arguments: str):
    asked = []

    def run_swarm(options: SwarmOptions, progress):
        asked.append(options)
        return result

    monkeypatch.setattr(cli, "run_swarm", run_swarm)
    return CliRunner().invoke(cli.swarm, arguments), asked


def test_json_is_one_object_on_stdout(monkeypatch):
    """With `--json` stdout is one JSON object with the figures, and nothing else."""
    result, (options,) = invoke(
        monkeypatch, report(), "--json", "--bots", "8", "--tables", "2", "--seed", "5", "--think", "7"
    )

    figures = json.loads(result.stdout)
    assert result.exit_code == 0
    assert tuple(
        figures[name]
        for name in (
            "hands", "actions", "seconds", "hands_per_s", "actions_per_s", "errors", "errors_by_code", "disconnects",
        )
    ) == (20, 100, 2.0, 10.0, 50.0, 0, {}, 1)  # fmt: skip
    assert figures["latency_ms"] == {"p50": 1.0, "p99": 2.0, "max": 3.0}
    assert (options.bots, options.tables, options.seed, options.think_ms) == (8, 2, 5, 7)


@pytest.mark.parametrize(
    "changes",
    [{"errors": {Code.INTERNAL: 2}}, {"hands": 19}, {"problem": "no hand has ended for 60 s"}],
)
def test_it_fails_when_anything_went_wrong(monkeypatch, changes):
    """An error, a missing hand or a stop before the end is exit code 1."""
    result, _ = invoke(monkeypatch, report(**changes))

    assert result.exit_code == 1


def test_people_get_lines(monkeypatch):
    """Without `--json` the report is lines with the same figures; errors are named."""
    result, _ = invoke(monkeypatch, report(errors={"internal": 2}, problem="interrupted"))

    assert "hands        20  (10.0/s)" in result.stdout
    assert "errors       2  internal=2" in result.stdout
    assert "interrupted" in result.stdout


def test_the_structure_of_the_tables_can_be_chosen(monkeypatch):
    """It is no-limit unless asked otherwise; one that does not exist is refused."""
    _, (plain,) = invoke(monkeypatch, report())
    _, (limit,) = invoke(monkeypatch, report(), "--structure", "fixed_limit")
    refused, nothing = invoke(monkeypatch, report(), "--structure", "spread_limit")

    assert (plain.structure, limit.structure) == ("no_limit", "fixed_limit")
    assert (refused.exit_code, nothing) == (2, [])


def test_no_room_is_said_plainly():
    """Without a room it fails at once with one sentence."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        result = CliRunner().invoke(cli.swarm, ["--port", str(port)])

    assert result.exit_code == 1
    assert f"No room answers at 127.0.0.1:{port}" in result.stderr


def test_too_few_bots_are_said_plainly():
    """A table of one bot would never deal."""
    result = CliRunner().invoke(cli.swarm, ["--bots", "3", "--tables", "2"])

    assert result.exit_code == 1
    assert "too few" in result.stderr
