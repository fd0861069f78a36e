"""`pokerroom.cluster.common_settings`: equal for equal settings, also of a version that knows more of them."""

from dataclasses import dataclass, field
from enum import Enum

import pytest

from pokerroom.cluster.common_settings import fingerprint
from pokerroom.ops.config import parse
from pokerroom.table_factory import all_settings


class Kind(Enum):
    ONE = 1
    TWO = 2


@dataclass(frozen=True, kw_only=True)
class Table:
    name: str
    kind: Kind = Kind.ONE
    levels: tuple[int, ...] = field(default_factory=tuple)


def later_version():
    """The class as a later version has it."""

    @dataclass(frozen=True, kw_only=True)
    class Table:
        name: str
        kind: Kind = Kind.ONE
        levels: tuple[int, ...] = field(default_factory=tuple)
        more: int = 5

    return Table


def test_a_setting_that_a_later_version_adds_does_not_count_at_its_default():
    """It counts as soon as it is another."""
    later = later_version()
    assert fingerprint([Table(name="a")]) == fingerprint([later(name="a")])
    assert fingerprint([Table(name="a")]) != fingerprint([later(name="a", more=6)])


@pytest.mark.parametrize(
    "other",
    [
        Table(name="b"),
        Table(name="a", kind=Kind.TWO),
        Table(name="a", levels=(1,)),
        {"a": Table(name="a")},
        "a",
    ],
)
def test_what_differs_has_another_fingerprint(other):
    """A name, an enum, a collection, a shape."""
    assert fingerprint([Table(name="a")]) != fingerprint([other])


def test_each_setting_of_a_table_counts():
    """Of the room's own settings: a blind, a clock, the order of two tables."""
    text = '[[tables]]\nid = "one"\nsmall_blind = 50\n[[tables]]\nid = "two"\nsmall_blind = 50\n'

    def of(changed):
        return fingerprint(all_settings(parse(changed, "a test")).values())

    assert of(text) == of(text + "hand_pause_ms = 2000\n") != of(text + "hand_pause_ms = 2001\n")
    assert len({of(text), of(text.replace("50", "60", 1)), of(text.replace("one", "three"))}) == 3


OF_0_2_0 = """
[[tables]]
id = "cash"
small_blind = 50
[[tables]]
id = "omaha"
game = "omaha"
structure = "pot_limit"
seats = 6
small_blind = 50
rake_bps = 500
rake_cap = { 2 = 200 }
[[ultimate]]
id = "house"
[[sit_and_go]]
id = "six"
seats = 6
buy_in = 1_100
fee = 100
payout = "standard"
starting_stack = 1_500
level_s = 300
[[sit_and_go.levels]]
small_blind = 10
[[sit_and_go.levels]]
small_blind = 25
[[tournament]]
id = "evening"
start = 2030-01-01T20:00:00Z
buy_in = 1_100
fee = 100
starting_stack = 5_000
speed = "turbo"
rebuys_max = 2
rebuy_levels = 2
add_on_price = 1_000
add_on_stack = 5_000
add_on_break_s = 60
"""
"""Settings that the release 0.2.0 reads."""


def test_nodes_of_the_last_release_have_the_same_fingerprint():
    """The release said this one of the settings above. Without it its nodes and these refuse each other."""
    config = parse(OF_0_2_0)
    said = fingerprint("key", all_settings(config).values(), config.sit_and_gos, config.tournaments)
    assert said == "9e52832f04f41a9d88880465da167300"
