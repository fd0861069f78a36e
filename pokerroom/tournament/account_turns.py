"""The turns of a node for entries and purchases: a few at a time, and those that wait are served account by account.

A request may hold its turn for long, also one that is refused: it reads a large field, or the ledger is away. An
account that asks a thousand times waits behind itself alone, so it delays others by one request each.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from twisted.internet.defer import Deferred

P = ParamSpec("P")
T = TypeVar("T")


class AccountTurns:
    """Does at most `count` things at once."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: OrderedDict[int, deque[Callable[[], None]]] = OrderedDict()
        """What is to be begun, by account; the account that is next comes first."""
        self._gives = False

    def run(
        self, account: int, work: Callable[P, Deferred[T]], *args: P.args, **named: P.kwargs
    ) -> Deferred[T]:
        """Call `work` when it is the account's turn; fires as that does."""
        answer: Deferred[T] = Deferred()

        def begin() -> None:
            work(*args, **named).addBoth(self._ended).chainDeferred(answer)

        self._waiting.setdefault(account, deque()).append(begin)
        self._give()
        return answer

    def _ended(self, result: Any) -> Any:
        self._free += 1
        self._give()
        return result

    def _give(self) -> None:
        """Begin what can be begun. In a loop: calls in each other would exceed the stack if much ends at once."""
        if self._gives:
            return
        self._gives = True
        try:
            while self._free and self._waiting:
                account, begins = self._waiting.popitem(last=False)
                begin = begins.popleft()
                if begins:
                    self._waiting[account] = begins
                self._free -= 1
                begin()
        finally:
            self._gives = False
