"""The base of the rules' values: they compare by their fields, print them, and never change.

It is a plain class, not a dataclass: a hand makes a hundred values, and a plain constructor costs a third of a frozen
dataclass's, and a tenth once compiled. The type checker sees that a field is set once (`Final`). Compiled, assigning to
a field raises.
"""

from typing import ClassVar

Number = int | bool
"""What a constructor takes as a whole number. It refuses a bool, which is no amount (A1). The type must name `bool` for
that: with `int` alone, mypyc turns True into 1 before the constructor can look at it."""


class Value:
    """Base of a hand's setup and events. `__slots__` of a subclass names its fields, in order."""

    __slots__: ClassVar[tuple[str, ...]] = ()
    _hidden: ClassVar[str] = ""
    """The field with hidden cards: it is not printed."""

    def _fields(self) -> tuple[object, ...]:
        return tuple([getattr(self, name) for name in type(self).__slots__])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and type(self) is type(other) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __repr__(self) -> str:
        cls = type(self)
        fields = [f"{name}={getattr(self, name)!r}" for name in cls.__slots__ if name != cls._hidden]
        return f"{cls.__name__}({', '.join(fields)})"

    def __copy__(self) -> "Value":
        return self  # a value never changes

    def __deepcopy__(self, memo: dict[int, object]) -> "Value":
        return self
