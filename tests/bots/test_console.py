"""How a swarm's progress is told where there is no terminal."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from pokerroom.bots import cli, console
from pokerroom.bots.load import SwarmProgress
from pokerroom.bots.tally import SwarmTally
from tests.bots.test_cli import report


def test_a_line_is_printed_when_what_is_done_changes_and_every_few_seconds(monkeypatch):
    """Not at every look: one line when it begins, one for each new thing that is done, one after five seconds."""
    clock = iter([100.0, 102.0, 103.0, 107.9, 108.0])
    monkeypatch.setattr(console, "monotonic", lambda: next(clock))

    def run_swarm(_options, progress):
        for seconds, doing in enumerate(["opening", "opening", "playing", "playing", "playing"]):
            progress(SwarmProgress(doing=doing, seconds=seconds, tally=SwarmTally(hands=seconds), wanted=9))
        return report()

    monkeypatch.setattr(cli, "run_swarm", run_swarm)
    result = CliRunner().invoke(cli.swarm, ["--seed", "1"])

    headline, *lines = result.stderr.splitlines()
    assert headline == "60 bots, 10 tables, 2000 hands, seed 1"
    assert [line.split(" seated, ")[1].split(" hands")[0] for line in lines] == ["0/9", "2/9", "4/9"]
    assert [line.split(":")[0].split() for line in lines] == [
        ["0.0", "s", "opening"],
        ["2.0", "s", "playing"],
        ["4.0", "s", "playing"],
    ]


@pytest.mark.parametrize(("at", "rate"), [(10.0, 0.0), (14.0, 25.0)])
def test_rates_are_of_the_time_since_the_first_deal(at, rate):
    """However long the swarm has taken to sit down; none where no time has passed."""
    progress = SwarmProgress(
        doing="playing",
        seconds=60.0,
        tally=SwarmTally(at=at, first_hand_at=10.0, hands=100, actions=200),
        wanted=9,
    )

    assert (progress.hands_per_s, progress.actions_per_s) == (rate, 2 * rate)
