"""Slots for slow work: a few things of a node at once, and what waits is begun owner by owner.

A thing may hold its slot for long, also one that is refused: it asks a store, which may be away. An owner that asks
many times waits behind itself: while others wait, it gets one slot of each round. What waits has a bound, for a store
may be away for hours.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from typing import Any, Final, ParamSpec, TypeVar

from twisted.internet.defer import Deferred, fail, maybeDeferred

P = ParamSpec("P")
T = TypeVar("T")

OF_OWNER_MAX: Final = 32
"""[D] Things of one owner that wait for slots of `Slots.run`."""


class TooManyWaiting(Exception):  # noqa: N818 -- an answer to the client
    """The client has too many things that wait for a store: it is to ask later."""


class Slots:
    """At most `count` slots are taken.

    They are given in a loop. Twisted's semaphore gives the next slot inside the call that returns one: after some
    hundred things that end at once the stack is exceeded, and the slot is lost.
    """

    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: OrderedDict[Hashable, deque[Callable[[], None]]] = OrderedDict()
        """What is to be begun, by owner; the owner that is next comes first."""
        self._gives = False

    def enter(self, start: Callable[[], None], owner: Hashable = None) -> None:
        """Call `start` once a slot is free. It needs one `leave`. Of one owner the first that came is the first."""
        self._waiting.setdefault(owner, deque()).append(start)
        self._give()

    def leave(self) -> None:
        """Give a slot back."""
        self._free += 1
        self._give()

    def run(
        self, owner: Hashable, work: Callable[P, Deferred[T]], *args: P.args, **named: P.kwargs
    ) -> Deferred[T]:
        """Call `work` in a slot, which it has until its answer; fires as that does.

        Fails with `TooManyWaiting` if the owner has `OF_OWNER_MAX` things that wait.
        """
        if len(self._waiting.get(owner, ())) >= OF_OWNER_MAX:
            return fail(TooManyWaiting())
        answer: Deferred[T] = Deferred()

        def left(result: Any) -> Any:
            self.leave()
            return result

        def start() -> None:
            maybeDeferred(work, *args, **named).addBoth(left).chainDeferred(answer)

        self.enter(start, owner)
        return answer

    def _give(self) -> None:
        if self._gives:
            return
        self._gives = True
        try:
            while self._free and self._waiting:
                owner, starts = self._waiting.popitem(last=False)
                start = starts.popleft()
                if starts:
                    self._waiting[owner] = starts
                self._free -= 1
                start()
        finally:
            self._gives = False
