"""What all values of the rules have in common: they compare by their fields, print them, and never change.

A plain class, not a dataclass: a hand makes a hundred of them, and a plain constructor costs a third of a
frozen dataclass's, and a tenth once compiled. That a field is set once is the type checker's to see (`Final`);
compiled, assigning to one raises.
"""

from typing import ClassVar

Number = int | bool
"""What a constructor takes as a whole number. It refuses a bool, which is no amount (A1): were `int` all it is said to
take, mypyc would have made True a 1 before anything could look at it."""


class Value:
    """Base of a hand's setup and events. `__slots__` of a subclass names its fields, in order."""

    __slots__: ClassVar[tuple[str, ...]] = ()
    _hidden: ClassVar[str] = ""
    """The field that holds cards nobody may see: it is not printed."""

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
        return self  # as nobody can tell the difference

    def __deepcopy__(self, memo: dict[int, object]) -> "Value":
        return self
