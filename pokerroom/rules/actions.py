"""What a player can do, as values. Amounts are always raise-to totals for the street (C3).

All-in is a condition, not an action: a short call and a short raise are different acts.
"""

from typing import ClassVar, Final

from pokerroom.rules.value import Number, Value


class Fold(Value):
    """Give up the hand. Always legal."""

    __slots__: ClassVar[tuple[str, ...]] = ()


class Check(Value):
    """Pass without betting, facing no bet."""

    __slots__: ClassVar[tuple[str, ...]] = ()


class Call(Value):
    """Match the bet, or put in what is left."""

    __slots__: ClassVar[tuple[str, ...]] = ()


class RaiseTo(Value):
    """Bet or raise: `amount` is the player's whole bet on this street afterwards. A bet raises from 0.

    Raises TypeError unless the amount is an `int`, which a bool is not (A1).
    """

    __slots__: ClassVar[tuple[str, ...]] = ("amount",)

    def __init__(self, *, amount: Number) -> None:
        if type(amount) is not int:
            raise TypeError("an amount is an int, in the smallest unit (A1)")
        self.amount: Final[int] = amount


class ClockAllIn(Value):
    """Treat the player as all-in for what is in, because the clock ran out (H2, H3).

    The player keeps the stack behind, acts no more, and contests only the layers up to what they have committed.
    """

    __slots__: ClassVar[tuple[str, ...]] = ()


Action = Fold | Check | Call | RaiseTo | ClockAllIn
