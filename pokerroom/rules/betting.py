"""Betting structures as data: what a raise must be, may be, and when it reopens the betting (D, E).

The hand asks its structure and holds no `if` about variants. A structure keeps nothing and changes nothing:
it looks at where the street stands (`BettingRound`, which the hand's state is) and answers.
"""
# ruff: noqa: ARG002 -- each structure looks at its own part of what all of them are shown

from abc import ABCMeta, abstractmethod
from typing import ClassVar, Final

from pokerroom.rules.events import Street
from pokerroom.rules.value import Number, Value


class BettingRound:
    """Where the betting of one street stands: the part of a hand's state that structures look at."""

    __slots__: ClassVar[tuple[str, ...]] = ()

    current_bet: int
    """The bet to match. Pre-flop it starts at the nominal blind, whatever was posted (B5)."""
    full_bet: int
    """The bet as of the last full bet or raise; a short all-in moves only `current_bet`."""
    full_raise: int
    """The increment of the last full bet or raise."""
    raises: int
    """Full bets and raises so far; the big blind counts as one."""
    heads_up: bool
    """Whether the street began with two players."""

    def nominal_pot(self) -> int:
        """All chips put in so far; pre-flop the blinds count at their nominal size (D4)."""
        raise NotImplementedError


class BettingStructure(Value, metaclass=ABCMeta):
    """What a structure answers. A new one is a new value, not a new branch in the hand."""

    @abstractmethod
    def opening_raise(self, street: Street, big_blind: int, blind: int) -> int:
        """The street's first increment; `blind` is the largest blind or straddle pre-flop, later 0."""

    @abstractmethod
    def blind_raises(self, blind: int) -> int:
        """How many bets the largest blind or straddle counts for (D5)."""

    @abstractmethod
    def min_raise_to(self, betting: BettingRound) -> int:
        """The smallest full raise-to. A stack that cannot reach it may still go all-in."""

    @abstractmethod
    def max_raise_to(self, betting: BettingRound, facing: int) -> int | None:
        """The largest raise-to for who faces `facing` more, or None where the stack is the only bound."""

    @abstractmethod
    def is_full(self, betting: BettingRound, raise_to: int) -> bool:
        """Whether a raise counts as a full one; one that does not is all-in."""

    @abstractmethod
    def next_raise(self, betting: BettingRound, raise_to: int) -> int:
        """The increment once `raise_to` has been made as a full raise."""

    @abstractmethod
    def reopens(self, betting: BettingRound, facing: int) -> bool:
        """Whether who has acted may raise again when he faces `facing` more (E)."""

    @abstractmethod
    def may_raise(self, betting: BettingRound) -> bool:
        """Whether the cap on raises leaves room."""


class NoLimit(BettingStructure):
    """No-limit: raise by at least the last full raise, at most the stack (D1), without a cap (D6)."""

    def opening_raise(self, street: Street, big_blind: int, blind: int) -> int:
        """The big blind on every street (D1); a straddle is a larger blind [D]."""
        return max(big_blind, blind)

    def blind_raises(self, blind: int) -> int:
        """Nobody counts: there is no cap (D6)."""
        return 1 if blind else 0

    def min_raise_to(self, betting: BettingRound) -> int:
        """A short all-in before it lifts the base, not the increment (D2, D3)."""
        return betting.current_bet + betting.full_raise

    def max_raise_to(self, betting: BettingRound, facing: int) -> int | None:
        """The stack (D1)."""
        return None

    def is_full(self, betting: BettingRound, raise_to: int) -> bool:
        """The increment is at least the last full one (D2)."""
        return raise_to - betting.current_bet >= betting.full_raise

    def next_raise(self, betting: BettingRound, raise_to: int) -> int:
        """The largest full bet or raise of the street, which is always its last one (D1)."""
        return raise_to - betting.current_bet

    def reopens(self, betting: BettingRound, facing: int) -> bool:
        """At least the last full increment; short all-ins accumulate (E1)."""
        return facing >= betting.full_raise

    def may_raise(self, betting: BettingRound) -> bool:
        """Always (D6)."""
        return True


class PotLimit(NoLimit):
    """Pot-limit: as no-limit, but a raise by at most the pot after the call (D4)."""

    def max_raise_to(self, betting: BettingRound, facing: int) -> int | None:
        """The bet plus the pot once called; a pot below the minimum bet still allows the minimum [D]."""
        return betting.current_bet + max(betting.nominal_pot() + facing, betting.full_raise)


class FixedLimit(BettingStructure):
    """Fixed limit: bets and raises of one size, and a cap on them (D5).

    Raises TypeError unless sizes and cap are `int` (A1), ValueError unless a bet is 1 or more and the cap 0 or more.
    """

    __slots__: ClassVar[tuple[str, ...]] = ("small_bet", "big_bet", "raises_max", "cap_heads_up")

    def __init__(
        self, *, small_bet: Number, big_bet: Number, raises_max: Number = 3, cap_heads_up: bool = True
    ) -> None:
        if not (type(small_bet) is int and type(big_bet) is int and type(raises_max) is int):
            raise TypeError("bets and cap are ints (A1)")
        if small_bet < 1 or big_bet < 1 or raises_max < 0:
            raise ValueError("a bet is 1 or more, a cap 0 or more")
        self.small_bet: Final[int] = small_bet
        """Pre-flop and flop."""
        self.big_bet: Final[int] = big_bet
        """Turn and river."""
        self.raises_max: Final[int] = raises_max
        """Raises on top of the bet, in one street."""
        self.cap_heads_up: Final = cap_heads_up
        """False: a street that begins with two players has no cap [D]."""

    def opening_raise(self, street: Street, big_blind: int, blind: int) -> int:
        """The small bet or the big one."""
        return self.small_bet if street in {Street.preflop, Street.flop} else self.big_bet

    def blind_raises(self, blind: int) -> int:
        """The big blind is the first bet; a straddle of two bets counts as a raise too [D]."""
        return max(1, blind // self.small_bet) if blind else 0

    def min_raise_to(self, betting: BettingRound) -> int:
        """One bet above the last full one: after a short all-in that is a completion (E2)."""
        return betting.full_bet + betting.full_raise

    def max_raise_to(self, betting: BettingRound, facing: int) -> int | None:
        """The only size there is."""
        return betting.full_bet + betting.full_raise

    def is_full(self, betting: BettingRound, raise_to: int) -> bool:
        """Half a bet or more counts as a full one, also towards the cap (E2). Short all-ins add up [D]."""
        return 2 * (raise_to - betting.full_bet) >= betting.full_raise

    def next_raise(self, betting: BettingRound, raise_to: int) -> int:
        """The same all street long."""
        return betting.full_raise

    def reopens(self, betting: BettingRound, facing: int) -> bool:
        """Facing less than half a bet does not reopen the betting for who has acted (E2)."""
        return 2 * facing >= betting.full_raise

    def may_raise(self, betting: BettingRound) -> bool:
        """One bet and `raises_max` raises (D5)."""
        return betting.raises <= self.raises_max or (betting.heads_up and not self.cap_heads_up)
