"""How many bots the house sends to a table, and under which names."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pokerroom.bots.house_bots import wanted
from pokerroom.bots.house_slots import BotSlot
from pokerroom.bots.house_sng_bot import HouseSngBot
from pokerroom.bots.strategy import Strategy, style_of
from pokerroom_protocol import messages as m
from tests.bots.support import INFO


@pytest.mark.parametrize(
    ("people", "waiting", "bots"),
    [(0, 0, 4), (1, 0, 4), (2, 0, 3), (4, 0, 1), (5, 0, 0), (6, 0, 0), (2, 2, 2), (4, 3, 0)],
)
def test_bots_make_room_for_people(people, waiting, bots):
    """At a table of six with four bots, one seat stays free, and one for each waiting player."""
    info = replace(INFO, house_bots=4, waiting=waiting)
    assert wanted(info, held=people, playing=people) == bots


@pytest.mark.parametrize(
    ("held", "playing", "waiting", "bots"),
    [(0, 0, 0, 1), (1, 1, 0, 1), (1, 0, 0, 1), (1, 1, 1, 0), (2, 2, 0, 0), (2, 1, 0, 0)],
)
def test_a_lone_player_keeps_the_bot_of_a_heads_up_table(held, playing, waiting, bots):
    """The bot stays in the last seat while one player plays against it, and leaves when another player waits."""
    info = replace(INFO, seats=2, house_bots=1, waiting=waiting)
    assert wanted(info, held=held, playing=playing) == bots


def test_a_player_among_absent_ones_keeps_an_opponent():
    """Absent players hold all seats but one, and the game goes on for the one that is present."""
    info = replace(INFO, seats=6, house_bots=4)
    assert wanted(info, held=5, playing=1) == 1
    assert wanted(info, held=5, playing=2) == 0


def test_no_bot_goes_to_a_table_that_closes_or_wants_none():
    """A table without `house_bots` gets none, a closing one none any more."""
    assert wanted(replace(INFO, house_bots=0), held=0, playing=0) == 0
    assert wanted(replace(INFO, house_bots=4, closing=True), held=0, playing=0) == 0
    assert wanted(replace(INFO, house_bots=1, seats=2, closing=True), held=1, playing=1) == 0


def test_names_are_short_and_all_different():
    """Every slot of a large room has a name of its own that an account may have, whatever its generation."""
    names = {BotSlot(number, generation).name("Bot.") for number in range(200) for generation in range(10)}
    assert len(names) == 2000
    assert max(map(len, names)) <= 20


@pytest.mark.parametrize(
    ("hurries", "people", "delay_ms"), [(False, 1, 100), (False, 0, 300), (True, 1, 0), (True, 0, 0)]
)
def test_bots_of_a_sit_and_go_are_slower_among_themselves(hurries, people, delay_ms):
    """They play at a third of the pace once no player has a seat; when the room stops they do not wait."""
    seats = [
        m.SeatView(
            seat=number, name=f"p{number}", stack=100, status="playing", connected=True, bot=number > people
        )
        for number in (1, 2, 3)
    ]
    table = m.Snapshot(table="six.1", seq=1, info=INFO, seats=seats, hand=None, your_seat=3)
    bot = HouseSngBot("127.0.0.1", 1, Strategy(style_of(0), 0), 100)
    bot.hurries = hurries
    assert bot.delay_ms(table) == delay_ms
