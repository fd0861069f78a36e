"""A random decision: a mixture of folds, calls, raises of all sizes and a few all-ins.

It plays badly on purpose: it exercises all of the rules. The same seed gives the same decisions. The policy sees only
what a `turn` allows, and knows neither cards nor connections.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from pokerroom_protocol import messages as m

_MASK: Final = 2**64 - 1


class SplitMix64:
    """A small seeded generator of integers. Never use it for cards or secrets.

    Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014).
    """

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def next(self) -> int:
        """Return the next integer, 0…2^64-1."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)

    def below(self, bound: int) -> int:
        """Return an unbiased integer 0…`bound`-1; `bound` is 1…2^64."""
        unfair_from = 2**64 - 2**64 % bound
        while (drawn := self.next()) >= unfair_from:
            pass
        return drawn % bound


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
        self._random = SplitMix64(seed)

    def decide(self, options: Options) -> Decision:
        """Return a legal answer to the turn that allows `options`."""
        roll = self._random.below(100)
        passive = CHECK if options.check else CALL
        if roll < 10:
            return CHECK if options.check else FOLD
        return passive if roll < 80 else self._raise_or(passive, options)

    def _raise_or(self, otherwise: Decision, options: Options) -> Decision:
        if options.min_raise_to is None or options.max_raise_to is None:
            return otherwise
        high = options.max_raise_to
        low = min(options.min_raise_to, high)
        roll = self._random.below(100)
        if roll < 10:
            return Decision(action="raise", amount=high)
        if roll < 75:
            return Decision(action="raise", amount=low)
        if roll < 97:  # most raises are small, so that stacks last
            high = min(high, 3 * low)
        return Decision(action="raise", amount=low + self._random.below(high - low + 1))
