"""Small PHH hands for the tests, as text and as documents."""

import tomllib
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from pokerroom.history.replay import Replayed, replay

NO_LIMIT = """
variant = 'NT'
antes = [0, 0, 0]
blinds_or_straddles = [50, 100, 0]
min_bet = 100
starting_stacks = [1000, 1000, 1000]
actions = ['d dh p1 AsAd', 'd dh p2 KsKd', 'd dh p3 QsQd', 'p3 f', 'p1 cc', 'p2 cbr 300', 'p1 f']
finishing_stacks = [900, 1100, 1000]
"""
"""Three players; every player folds to the big blind's raise."""

BOARD = ["d db 2c7d9h", "d db 3s", "d db 4h"]


def document(**changes: object) -> dict[str, Any]:
    """NO_LIMIT with some fields changed; None takes one away."""
    fields = {**tomllib.loads(NO_LIMIT, parse_float=Decimal), **changes}
    return {name: value for name, value in fields.items() if value is not None}


def played(*actions: str, **changes: object) -> Replayed:
    """The hand of these actions; without `finishing_stacks` unless given."""
    return replay(document(actions=list(actions), **{"finishing_stacks": None, **changes}))


def holes(*cards: str) -> list[str]:
    """The lines that deal these hole cards, p1's first."""
    return [f"d dh p{player} {two}" for player, two in enumerate(cards, start=1)]


def text(fields: Mapping[str, Any]) -> str:
    """A document as TOML: numbers, texts and arrays of them."""
    return "".join(f"{name} = {_value(value)}\n" for name, value in fields.items())


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, list):
        return f"[{', '.join(_value(item) for item in value)}]"
    return str(value)
