"""How many bots the house sends to a table, and under which names."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pokerroom.bots.house_bots import _BotSlot, wanted
from tests.bots.support import INFO


@pytest.mark.parametrize(
    ("people", "waiting", "bots"),
    [(0, 0, 4), (1, 0, 4), (2, 0, 3), (4, 0, 1), (5, 0, 0), (6, 0, 0), (2, 2, 2), (4, 3, 0)],
)
def test_bots_make_room_for_people(people, waiting, bots):
    """At a table of six with four bots, one seat stays free, and one for each waiting player."""
    info = replace(INFO, house_bots=4, waiting=waiting)
    assert wanted(info, people) == bots


def test_no_bot_goes_to_a_table_that_closes_or_wants_none():
    """A table without `house_bots` gets none, a closing one none any more."""
    assert wanted(replace(INFO, house_bots=0), 0) == 0
    assert wanted(replace(INFO, house_bots=4, closing=True), 0) == 0


def test_names_are_short_and_all_different():
    """Every slot of a large room has a name of its own that an account may have, whatever its generation."""
    names = {
        _BotSlot("t", number, generation).name("Bot.") for number in range(200) for generation in range(10)
    }
    assert len(names) == 2000
    assert max(map(len, names)) <= 20
