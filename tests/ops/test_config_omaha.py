"""Tables of Omaha in the settings: what may be set, and what is refused with a sentence."""

import pytest

from pokerroom.ops.config import parse
from pokerroom.ops.config_reader import ConfigError
from pokerroom.rules import OMAHA, PotLimit
from pokerroom.rules.variants import VARIANTS

TABLE = '[[tables]]\nid = "o"\ngame = "omaha"\nsmall_blind = 50\n'
OFFER = """
[[sit_and_go]]
id = "so"
game = "omaha"
buy_in = 300
prize_shares = [10_000]
level_hands = 10
levels = [{ small_blind = 10 }]
"""


def problems(text: str) -> list[str]:
    with pytest.raises(ConfigError) as refused:
        parse(text)
    return [str(problem) for problem in refused.value.problems]


@pytest.mark.parametrize("lines", ["", 'structure = "pot_limit"\n'])
def test_a_table_of_omaha(lines):
    """A table of Omaha is pot-limit; it need not say so."""
    (settings,) = parse(TABLE + lines).tables

    assert (settings.variant, settings.structure) == (OMAHA, PotLimit())
    info = settings.info(0, 0)
    assert (info.game, info.structure, info.seats) == ("omaha", "pot_limit", 6)


@pytest.mark.parametrize("structure", ["no_limit", "fixed_limit"])
def test_another_structure_is_refused(structure):
    """A structure that Omaha is not played with is named, with the one that is."""
    (problem,) = problems(TABLE + f'structure = "{structure}"\n')

    assert f"omaha is played pot_limit here, not {structure}" in problem


def test_an_unknown_game_is_refused():
    """A misspelt game is named with those that there are."""
    (problem,) = problems(TABLE.replace("omaha", "omah"))

    assert all(f'"{name}"' in problem for name in VARIANTS)
    assert 'did you mean "omaha"?' in problem


def test_a_sit_and_go_of_omaha():
    """A sit-and-go of Omaha is pot-limit, too, and any other structure is refused."""
    (offer,) = parse(TABLE + OFFER).sit_and_gos

    assert (offer.game, offer.structure) == ("omaha", "pot_limit")
    (problem,) = problems(TABLE + OFFER.replace("levels", 'structure = "no_limit"\nlevels'))
    assert "omaha is played pot_limit here, not no_limit" in problem
