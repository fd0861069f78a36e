"""The rules engine beside its peers: PokerKit and clubs (Python), pokers (Rust behind Python).

What each plays: six-handed no-limit hold'em, 100 big blinds each at the start of every hand, blinds 50/100, from the
shuffle to the last chip, showdowns ranked. Who acts follows the dice, one for each action: 0 folds where there is a bet
to call, 8 and 9 raise by the minimum where raising is legal, all else checks or calls. So it is 10 % fold, 70 %
check or call and 20 % raise, and about 31 actions a hand. The dice are drawn before the clock starts and are the same
for all. Each engine is asked only for what the policy needs, by its documented interface, and shuffles for itself;
ours takes its deck from the room's own shuffle.

Each runs in a process of its own, pinned to one core. What an engine prints while it plays goes to /dev/null.
"""

from collections.abc import Sequence
from typing import Protocol

PLAYERS, SMALL_BLIND, BIG_BLIND, STACK = 6, 50, 100, 10_000
FOLD, RAISE = 0, 8
"""A die of 0 to 9 folds at 0 and raises from 8 up."""


class Engine(Protocol):
    """One engine of the comparison: a module of this package with these two names."""

    NAME: str

    def play(self, dice: Sequence[int], hands: int) -> int:
        """Plays so many hands by the dice, again from the first when they are used up; returns the actions taken."""
