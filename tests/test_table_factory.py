"""Which tables a room hosts, and the actor of each."""

from __future__ import annotations

from pokerroom.ops.config import parse
from pokerroom.poker.cash.seating import CashSeating
from pokerroom.table_factory import all_settings, make_table
from pokerroom.ultimate.game import UltimateGame
from tests.poker.support import Room

HOLDEM = '[[tables]]\nid = "h"\nsmall_blind = 50\nbig_blind = 100\n'


def test_the_tables_of_the_configuration_stand_in_its_order():
    """By their ids."""
    found = all_settings(parse(HOLDEM + HOLDEM.replace('"h"', '"g"')))
    assert list(found) == ["h", "g"]
    assert [settings.table for settings in found.values()] == ["h", "g"]


def test_a_holdem_table_is_played_by_its_actor():
    """It has the settings and the epoch that it was made with."""
    room = Room()
    [settings] = all_settings(parse(HOLDEM)).values()
    table = make_table(settings, room.table.context)
    assert isinstance(table.game.seating, CashSeating)
    assert (table.settings, table.epoch) == (settings, room.table.context.epoch)


def test_a_table_against_the_house_is_played_by_its_actor():
    """It comes after the others in the order of the configuration, and has no waiting list."""
    room = Room()
    found = all_settings(parse('[[ultimate]]\nid = "u"\n' + HOLDEM))
    assert list(found) == ["h", "u"]
    table = make_table(found["u"], room.table.context)
    assert isinstance(table.game, UltimateGame)
    assert table.settings.waited_for is None
