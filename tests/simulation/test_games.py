"""Every variant of the room is simulated, and the command offers what can be run."""

from __future__ import annotations

import click

from pokerroom.rules.variants import VARIANTS
from pokerroom.simulation.checks.results import STRENGTHS
from pokerroom.simulation.cli import simulate_command
from pokerroom.simulation.games import GAMES
from pokerroom.simulation.scenario import STRUCTURES


def test_every_variant_is_simulated_and_its_winners_are_checked():
    """With structures that it allows, and a strength of hands written apart from the rules."""
    assert VARIANTS.keys() == STRUCTURES.keys() == STRENGTHS.keys()
    for name, variant in VARIANTS.items():
        assert STRUCTURES[name].keys() == variant.structures


def test_the_command_offers_every_game():
    """No game is left out, and none is offered that cannot be run."""
    (game,) = [option for option in simulate_command.params if option.name == "game"]
    assert isinstance(game.type, click.Choice)
    assert set(game.type.choices) == GAMES.keys()
