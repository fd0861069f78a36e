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
