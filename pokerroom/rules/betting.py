"""Betting structures as data: what a raise must be, may be, and when it reopens the betting (D, E).

The hand asks its structure and holds no branch for any of them. A structure keeps nothing and changes nothing: it reads
the state of the street (`BettingRound`, which the hand's state is) and answers. To add a structure, write its class
here and list it in `STRUCTURES`; then name it in the variants that allow it.
"""
# ruff: noqa: ARG002 -- each structure looks at its own part of what all of them are shown

from abc import ABCMeta, abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Final

from pokerroom.rules.errors import UnknownName
from pokerroom.rules.events import Street
from pokerroom.rules.value import Number, Value


class BettingRound:
    """The betting of one street: the part of a hand's state that structures read."""

    __slots__: ClassVar[tuple[str, ...]] = ()

    current_bet: int
    """The bet to match. Pre-flop it starts at the nominal blind, even where less was posted (B5)."""
    full_bet: int
    """The bet as of the last full bet or raise; a short all-in moves only `current_bet`."""
    full_raise: int
    """The increment of the last full bet or raise."""
    raises: int
    """Full bets and raises so far. The big blind counts as one."""
    heads_up: bool
    """Whether the street began with two players."""

    def nominal_pot(self) -> int:
        """Return all chips put in so far. Pre-flop the blinds count at their nominal size (D4)."""
        raise NotImplementedError


class BettingStructure(Value, metaclass=ABCMeta):
    """What a structure answers. Its parameters are its slots: ints, or flags written as 0 and 1.

    `name` is the one under which it is configured, journalled, recorded and told to clients. Raises TypeError for a
    class without a name of its own, or with that of another: it would be read back as another structure.
    """

    __slots__: ClassVar[tuple[str, ...]] = ()
    name: ClassVar[str] = ""

    def __init__(self) -> None:
        kind = type(self)
        if not vars(kind).get("name") or STRUCTURES.get(kind.name, kind) is not kind:
            raise TypeError(f"{kind.__name__} needs a name of its own: it is journalled and told under it")

    @property
    def parameters(self) -> dict[str, int]:
        """What `structure_named` needs beside the name to make an equal structure."""
        return {slot: int(getattr(self, slot)) for slot in type(self).__slots__}

    @abstractmethod
    def opening_raise(self, street: Street, big_blind: int, blind: int) -> int:
        """Return the street's first increment. `blind` is the largest blind or straddle pre-flop, later 0."""

    @abstractmethod
    def blind_raises(self, blind: int) -> int:
        """Return how many bets the largest blind or straddle counts for (D5)."""

    @abstractmethod
    def min_raise_to(self, betting: BettingRound) -> int:
        """Return the smallest full raise-to. A player with fewer chips may still go all-in."""

    @abstractmethod
    def max_raise_to(self, betting: BettingRound, facing: int) -> int | None:
        """Return the largest raise-to for a player who faces `facing` more; None: the stack is the only bound."""

    @abstractmethod
    def is_full(self, betting: BettingRound, raise_to: int) -> bool:
        """Return whether a raise counts as a full one. A raise that does not is all-in."""

    @abstractmethod
    def next_raise(self, betting: BettingRound, raise_to: int) -> int:
        """Return the increment once `raise_to` has been made as a full raise."""

    @abstractmethod
    def reopens(self, betting: BettingRound, facing: int) -> bool:
        """Return whether a player who has acted may raise again when they face `facing` more (E)."""

    @abstractmethod
    def may_raise(self, betting: BettingRound) -> bool:
        """Return whether the cap on raises leaves room for another."""


class NoLimit(BettingStructure):
    """No-limit: raise by at least the last full raise, at most the stack (D1), without a cap (D6)."""

    name: ClassVar[str] = "no_limit"

    def opening_raise(self, street: Street, big_blind: int, blind: int) -> int:
        """Return the big blind on every street (D1). A straddle is a larger blind [D]."""
        return max(big_blind, blind)

    def blind_raises(self, blind: int) -> int:
        """Return 1 where there is a blind. Without a cap the count decides nothing (D6)."""
        return 1 if blind else 0

    def min_raise_to(self, betting: BettingRound) -> int:
        """Add the increment to the bet. An earlier short all-in lifts the bet, not the increment (D2, D3)."""
        return betting.current_bet + betting.full_raise

    def max_raise_to(self, betting: BettingRound, facing: int) -> int | None:
        """Return None: the stack is the bound (D1)."""
        return None

    def is_full(self, betting: BettingRound, raise_to: int) -> bool:
        """Compare the increment with the last full one (D2)."""
        return raise_to - betting.current_bet >= betting.full_raise

    def next_raise(self, betting: BettingRound, raise_to: int) -> int:
        """Return the largest full bet or raise of the street, which is always the last one (D1)."""
        return raise_to - betting.current_bet

    def reopens(self, betting: BettingRound, facing: int) -> bool:
        """Ask for at least the last full increment. Short all-ins accumulate (E1)."""
        return facing >= betting.full_raise

    def may_raise(self, betting: BettingRound) -> bool:
        """Return True: there is no cap (D6)."""
        return True


class PotLimit(NoLimit):
    """Pot-limit: as no-limit, but a raise by at most the pot after the call (D4)."""

    name: ClassVar[str] = "pot_limit"

    def max_raise_to(self, betting: BettingRound, facing: int) -> int | None:
        """Add the pot after the call to the bet. A pot below the minimum bet still allows the minimum [D]."""
        return betting.current_bet + max(betting.nominal_pot() + facing, betting.full_raise)


class FixedLimit(BettingStructure):
    """Fixed limit: bets and raises of one size, and a cap on them (D5).

    Raises TypeError unless sizes and cap are `int` (A1), ValueError unless a bet is 1 or more and the cap 0 or more.
    """

    __slots__: ClassVar[tuple[str, ...]] = ("small_bet", "big_bet", "raises_max", "cap_heads_up")
    name: ClassVar[str] = "fixed_limit"

    def __init__(
        self, *, small_bet: Number, big_bet: Number, raises_max: Number = 3, cap_heads_up: Number = True
    ) -> None:
        super().__init__()
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
        self.cap_heads_up: Final = bool(cap_heads_up)
        """False: a street that begins with two players has no cap [D]."""

    def opening_raise(self, street: Street, big_blind: int, blind: int) -> int:
        """Return the small bet up to the flop, then the big bet (D5)."""
        return self.small_bet if street in {Street.preflop, Street.flop} else self.big_bet

    def blind_raises(self, blind: int) -> int:
        """Count the big blind as the first bet, and a straddle of two bets as a raise [D]."""
        return max(1, blind // self.small_bet) if blind else 0

    def min_raise_to(self, betting: BettingRound) -> int:
        """Add one bet to the last full one. After a short all-in that completes it (E2)."""
        return betting.full_bet + betting.full_raise

    def max_raise_to(self, betting: BettingRound, facing: int) -> int | None:
        """Return the only size there is."""
        return betting.full_bet + betting.full_raise

    def is_full(self, betting: BettingRound, raise_to: int) -> bool:
        """Count half a bet or more as a full one, also towards the cap (E2). Short all-ins add up [D]."""
        return 2 * (raise_to - betting.full_bet) >= betting.full_raise

    def next_raise(self, betting: BettingRound, raise_to: int) -> int:
        """Return the same increment for the whole street."""
        return betting.full_raise

    def reopens(self, betting: BettingRound, facing: int) -> bool:
        """Ask for half a bet or more (E2)."""
        return 2 * facing >= betting.full_raise

    def may_raise(self, betting: BettingRound) -> bool:
        """Allow one bet and `raises_max` raises (D5)."""
        return betting.raises <= self.raises_max or (betting.heads_up and not self.cap_heads_up)


STRUCTURES: Final[dict[str, type[BettingStructure]]] = {
    kind.name: kind for kind in (NoLimit, PotLimit, FixedLimit)
}
"""All betting structures by name."""


def structure_named(name: str, parameters: Mapping[str, int]) -> BettingStructure:
    """The structure that was written down under `name` with these parameters.

    Raises UnknownName for any other name, TypeError or ValueError for parameters that it does not take.
    """
    kind = STRUCTURES.get(name)
    if kind is None:
        raise UnknownName(f"no betting structure is called {name!r}: known are {', '.join(STRUCTURES)}")
    return kind(**parameters)
