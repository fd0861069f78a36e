"""A random decision: a mixture of folds, calls, raises of all sizes and a few all-ins.

It plays badly on purpose: it exercises all of the rules. The same seed gives the same decisions. The policy sees only
what a `turn` allows, and knows neither cards nor connections.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final, Literal

from pokerroom_protocol import messages as m


def generator(seed: int) -> random.Random:
    """Return a seeded source of choices. Never use it for cards or secrets."""
    return random.Random(seed)  # noqa: S311 -- the same seed gives the same choices


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The legal actions of a `turn`. Amounts are in the smallest unit; raises are totals for the street."""

    check: bool
    call_amount: int
    min_raise_to: int | None
    max_raise_to: int | None


def options_of(turn: m.Turn | m.TurnView) -> Options:
    """Return the legal actions of a turn."""
    return Options(
        check=turn.check,
        call_amount=turn.call_amount,
        min_raise_to=turn.min_raise_to,
        max_raise_to=turn.max_raise_to,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The answer to a turn. `amount` is the total for the street of a raise, else None."""

    action: Literal["fold", "check", "call", "raise"]
    amount: int | None = None


CHECK: Final = Decision(action="check")
CALL: Final = Decision(action="call")
FOLD: Final = Decision(action="fold")


class Policy:
    """Decide for one bot: 10 % folds, 70 % checks and calls, 20 % raises, one all-in in fifty decisions.

    Poker engines are commonly timed with this mixture, apart from the sizes of the raises.
    """

    def __init__(self, seed: int) -> None:
        self._random = generator(seed)

    def decide(self, options: Options) -> Decision:
        """Return a legal answer to the turn that allows `options`."""
        roll = self._random.randrange(100)
        passive = CHECK if options.check else CALL
        if roll < 10:
            return CHECK if options.check else FOLD
        return passive if roll < 80 else self._raise_or(passive, options)

    def _raise_or(self, otherwise: Decision, options: Options) -> Decision:
        if options.min_raise_to is None or options.max_raise_to is None:
            return otherwise
        high = options.max_raise_to
        low = min(options.min_raise_to, high)
        roll = self._random.randrange(100)
        if roll < 10:
            return Decision(action="raise", amount=high)
        if roll < 75:
            return Decision(action="raise", amount=low)
        if roll < 97:  # most raises are small, so that stacks last
            high = min(high, 3 * low)
        return Decision(action="raise", amount=low + self._random.randrange(high - low + 1))
