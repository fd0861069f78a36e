"""The rake in the settings (F4): where it may be set, and what is refused with a sentence."""

import pytest

from pokerroom.ops.config import parse
from pokerroom.ops.config_rake import RAKE_KEYS
from pokerroom.ops.config_reader import ConfigError
from pokerroom.ops.config_table import BadTerms, hosted_table_settings
from pokerroom.rules import RakeTerms
from pokerroom_protocol import Encoding, encode
from pokerroom_protocol import messages as wire

TABLE = '[[tables]]\nid = "t"\nsmall_blind = 50\n'
VALUES = {"rake_bps": 500, "rake_cap": {"2": 100}, "rake_unit": 1, "rake_min_pot": 0, "no_flop_no_drop": True}
LINES = "rake_bps = 500\nrake_cap = { 2 = 100 }\nrake_unit = 1\nrake_min_pot = 0\nno_flop_no_drop = true\n"


def problems(text: str) -> list[tuple[str, str]]:
    with pytest.raises(ConfigError) as refused:
        parse(text)
    return [(problem.key, problem.message) for problem in refused.value.problems]


@pytest.mark.parametrize(
    ("lines", "rake"),
    [
        ("", None),
        ("rake_bps = 0\nrake_cap = { 2 = 100 }\n", None),
        ("rake_bps = 500\n", RakeTerms(bps=500)),
        ("rake_bps = 500\nunit = 25\n", RakeTerms(bps=500, unit=25)),
        ("rake_bps = 500\nunit = 25\nrake_unit = 10\n", RakeTerms(bps=500, unit=10)),
        (
            "rake_bps = 1000\nrake_cap = { 5 = 300, 2 = 100, 3 = 200 }\nrake_min_pot = 250\n",
            RakeTerms(bps=1000, caps=((2, 100), (3, 200), (5, 300)), min_pot=250),
        ),
        ("rake_bps = 500\nno_flop_no_drop = false\n", RakeTerms(bps=500, no_flop_no_drop=False)),
    ],
)
def test_f4_a_table_with_a_rake(lines, rake):
    """F4: a table takes what its settings say, by default nothing; the unit is its smallest chip."""
    (table,) = parse(TABLE + lines).tables

    assert table.rake == rake


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ("rake_bps = 1001\n", ("rake_bps", "should be from 0 to 1000, not 1001")),
        ("rake_bps = 4.5\n", ("rake_bps", "should be a whole number from 0 to 1000, not 4.5")),
        (
            "rake_cap = 300\n",
            ("rake_cap", "should be caps by the number of players, as { 2 = 100, 5 = 300 }"),
        ),
        ("rake_cap = { 3 = 300 }\n", ("rake_cap", "should begin with two players, as { 2 = 100, 5 = 300 }")),
        ("rake_cap = { 2 = 0 }\n", ("rake_cap.2", "should be from 1 to 1000000000000000, not 0")),
        ("rake_cap = { 2 = 100, 11 = 300 }\n", ("rake_cap.11", "is not a setting here")),
        (
            "rake_unit = 100\nrake_cap = { 2 = 150 }\n",
            ("rake_cap.2", "should be a multiple of the unit of the rake (100)"),
        ),
        (
            "rake_cap = { 2 = 1.5 }\n",
            ("rake_cap.2", "amounts are whole numbers of 1/100 credit (2.50 is 250), not 1.5"),
        ),
        ("rake_unit = 0\n", ("rake_unit", "should be from 1 to 1000000000000, not 0")),
        ("no_flop_no_drop = 1\n", ("no_flop_no_drop", "should be true or false, not 1")),
    ],
)
def test_f4_what_no_table_may_take(lines, problem):
    """F4: each mistake is named with its key, also while the table takes no rake."""
    key, message = problem

    assert problems(TABLE + lines) == [(f"tables[1].{key}", message)]


def test_f4_a_sit_and_go_has_a_fee():
    """F4: an offer refuses each setting of a rake, with the reason."""
    offer = '[[sit_and_go]]\nid = "s"\nbuy_in = 300\nprize_shares = [10_000]\nlevel_hands = 10\n'
    text = TABLE + offer + LINES + "levels = [{ small_blind = 10 }]\n"

    why = "is for cash tables only: the room's part of a tournament is its fee"
    assert problems(text) == [(f"sit_and_go[1].{key}", why) for key in RAKE_KEYS]


def test_f4_ultimate_has_a_house():
    """F4: an Ultimate table refuses each setting of a rake, with the reason."""
    why = "is for cash tables of poker only: at an Ultimate table players play against the house"

    assert problems('[[ultimate]]\nid = "u"\n' + LINES) == [(f"ultimate[1].{key}", why) for key in RAKE_KEYS]


@pytest.mark.parametrize("key", RAKE_KEYS)
def test_f4_a_private_table_has_no_rake(key):
    """F4: the terms of a table that a player hosts have no rake, whatever they say."""
    assert hosted_table_settings("host:a", {"small_blind": 50}).rake is None
    with pytest.raises(BadTerms) as refused:
        hosted_table_settings("host:a", {"small_blind": 50, key: VALUES[key]})
    assert str(refused.value) == f"{key} is for tables of the room: a private table has no rake"


def test_f4_clients_hear_of_it():
    """F4: a table's line in the lobby tells the rake; without one it has not even the field."""
    (raked,) = parse(TABLE + "rake_bps = 500\nrake_cap = { 2 = 100, 5 = 300 }\n").tables
    (plain,) = parse(TABLE).tables

    caps = [wire.RakeCap(players=2, amount=100), wire.RakeCap(players=5, amount=300)]
    assert raked.info(0, 0).rake == wire.RakeView(bps=500, caps=caps, no_flop_no_drop=True, unit=1, min_pot=0)
    for encoding in Encoding:
        assert b"rake" in encode(raked.info(0, 0), encoding)
        assert b"rake" not in encode(plain.info(0, 0), encoding)


def test_f4_players_wait_for_the_same_price():
    """F4: a list of players who wait for a game is for tables with the same rake."""
    (raked,) = parse(TABLE + "rake_bps = 500\n").tables
    (plain,) = parse(TABLE).tables

    assert raked.waited_for != plain.waited_for
