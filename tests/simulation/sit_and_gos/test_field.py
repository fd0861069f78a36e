"""One tournament of as many players as asked for, in a simulated room."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from pokerroom.simulation.cli import simulate_command
from pokerroom.simulation.faults import ALL, NONE
from pokerroom.simulation.run import run
from pokerroom.simulation.seeds import Trial
from pokerroom.simulation.sit_and_gos.field import field_scenario


def test_a_field_is_played_to_its_end():
    """At two tables, by as many players as asked for, through every fault."""
    outcome = run(3, 1, ALL, game="mtt", field=12)
    assert outcome.violations == ()
    assert outcome.hands > 1


def test_a_field_is_let_in_whole():
    """Each player of the largest field can be connected, from two devices for a moment."""
    scenario = field_scenario(10_000, 0)
    assert len(scenario.people) == 10_000
    assert scenario.config.limits.connections_max >= 20_000


def test_a_failure_is_shown_again_with_its_field():
    """The command names it."""
    trial = Trial(seed=3, hands=1, faults=NONE, game="mtt", field=12)
    assert trial.command == "pokerroom simulate --game mtt --field 12 --seeds 3 --hands 1 --faults none"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--seeds", "3", "--field", "12"],
        ["--seeds", "3", "--field", "10", "--game", "mtt"],
        ["--seeds", "3", "--field", "12", "--game", "mtt", "--explore", "corpus.jsonl"],
    ],
)
def test_a_field_is_of_several_tables(arguments):
    """Of tournaments alone, with more players than the final table has, and not explored."""
    result = CliRunner().invoke(simulate_command, arguments)
    assert (result.exit_code, "--field" in result.stderr) == (2, True)
