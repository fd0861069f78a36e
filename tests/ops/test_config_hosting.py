"""Which private tables players may open, by the settings."""

import json

import pytest

from pokerroom.ops.config import ConfigError, parse
from pokerroom.ops.config_hosting import GAMES, HostingConfig, HostingOffer

TABLE = '[[tables]]\nid = "t"\nsmall_blind = 100\n[hosting]\n'


def test_without_bounds_hosts_choose_what_there_is():
    """Every game with every structure that it is played with, up to ten seats."""
    offer = parse(TABLE).hosting
    assert offer == HostingConfig()
    assert GAMES == ("holdem no_limit", "holdem pot_limit", "holdem fixed_limit", "omaha pot_limit")
    assert all(
        offer.refused_field(*game.split(), small_blind=small, seats=10) is None
        for game in GAMES
        for small in (1, 10**10)
    )


def test_the_offer_as_json_has_what_an_order_may_change():
    """And nothing that only the settings have."""
    terms = json.loads(parse(TABLE + "idle_close_h = 5\nseats_max = 6\n").offer_terms["private_tables"])
    assert terms == {
        "tables_per_account": 3,
        "tables_max": 500,
        "games": list(GAMES),
        "small_blind_min": 1,
        "small_blind_max": 10**10,
        "seats_max": 6,
        "sit_and_go_buy_in_max": 10**13,
    }


@pytest.mark.parametrize(
    ("chosen", "field"),
    [
        (("holdem", "no_limit", 10, 6), None),
        (("holdem", "no_limit", 500, 2), None),
        (("holdem", "pot_limit", 10, 6), "game"),
        (("omaha", "pot_limit", 10, 6), "game"),
        (("holdem", "no_limit", 9, 6), "small_blind"),
        (("holdem", "no_limit", 501, 6), "small_blind"),
        (("holdem", "no_limit", 10, 7), "seats"),
    ],
)
def test_what_is_not_offered_is_named(chosen, field):
    """The bounds themselves are offered."""
    offer = HostingOffer(games=("holdem no_limit",), small_blind_min=10, small_blind_max=500, seats_max=6)
    game, structure, small_blind, seats = chosen
    assert offer.refused_field(game, structure, small_blind=small_blind, seats=seats) == field


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("games = []", "hosting.games: should be some of holdem no_limit"),
        ('games = ["omaha no_limit"]', "hosting.games: should be some of holdem no_limit"),
        ("games = 3", "hosting.games: should be a list of texts"),
        ("small_blind_min = 0", "hosting.small_blind_min: should be from 1"),
        ("small_blind_min = 500\nsmall_blind_max = 499", "hosting.small_blind_max: should be at least"),
        ("seats_max = 11", "hosting.seats_max: should be from 2 to 10"),
        ("tables_per_account = 101", "hosting.tables_per_account: should be from 0 to 100"),
        ("clubs_per_account = 51", "hosting.clubs_per_account: should be from 0 to 50"),
        ("seat_max = 5", 'hosting.seat_max: is not a setting here; did you mean "seats_max"?'),
    ],
)
def test_wrong_bounds_are_told(line, problem):
    """By key and line of the file."""
    with pytest.raises(ConfigError, match=r"settings:[0-9]+: ") as told:
        parse(TABLE + line + "\n")
    assert problem in str(told.value)
