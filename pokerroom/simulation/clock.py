"""Virtual time: one clock of the simulated world, and on it one clock per process that ends with the process.

`task.Clock` sorts all its calls at every one that is made; a simulation makes a million. This one keeps them in a
heap, in the order of time and then of making, and runs one call after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

from twisted.internet.base import DelayedCall
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import Clock
from zope.interface import implementer

START_S = 1_700_000_000
"""Of every simulation: the wall clock is virtual, too."""


class VirtualClock(Clock):
    """A `task.Clock` that is led from one call to the next by `step`."""

    def __init__(self) -> None:
        super().__init__()
        self.rightNow = float(START_S)
        self.steps = 0
        """Calls run so far."""
        self._heap: list[tuple[float, int, DelayedCall]] = []
        self._made = 0

    def now_ms(self) -> int:
        """The wall clock, in milliseconds since the epoch."""
        return int(self.rightNow * 1000)

    def elapsed_s(self) -> float:
        """Since the simulation began."""
        return self.rightNow - START_S

    def callLater(  # noqa: N802 -- Twisted's name
        self,
        delay: float,
        callable: Callable[..., object],  # noqa: A002 -- as above
        *args: object,
        **kw: object,
    ) -> DelayedCall:
        """See `IReactorTime`."""
        call = DelayedCall(
            self.rightNow + delay, callable, args, kw, lambda _call: None, self._moved, lambda: self.rightNow
        )
        self._push(call)
        return call

    def step(self) -> bool:
        """Runs the next call at its time; False when there is none."""
        call = self._next()
        if call is None:
            return False
        heappop(self._heap)
        self.rightNow = max(self.rightNow, call.getTime())
        call.called = 1
        self.steps += 1
        call.func(*call.args, **call.kw)
        return True

    def _next(self) -> DelayedCall | None:
        """The first call to come, at the head of the heap."""
        heap = self._heap
        while heap:
            due, _, call = heap[0]
            if not call.cancelled and not call.called:
                if due == call.getTime():
                    return call
                self._push(call)  # it was put off
            heappop(heap)
        return None

    def getDelayedCalls(self) -> list[DelayedCall]:  # noqa: N802 -- Twisted's name
        """What is still to come."""
        active = (call for _, _, call in sorted(self._heap) if call.active())
        return list(dict.fromkeys(active))

    def advance(self, amount: float) -> None:
        """Runs everything that is due within `amount` seconds."""
        end = self.rightNow + amount
        while (call := self._next()) is not None and call.getTime() <= end:
            self.step()
        self.rightNow = max(self.rightNow, end)

    def _push(self, call: DelayedCall) -> None:
        self._made += 1
        heappush(self._heap, (call.getTime(), self._made, call))

    def _moved(self, call: DelayedCall) -> None:
        self._push(call)


@implementer(IReactorTime)
class ProcessClock:
    """The clock of one process on the world's: once the process is dead nothing that it had planned happens."""

    def __init__(self, world: VirtualClock) -> None:
        self._world = world
        self.alive = True

    def seconds(self) -> float:
        """See `IReactorTime`."""
        return self._world.rightNow

    def callLater(  # noqa: N802 -- Twisted's name
        self,
        delay: float,
        callable: Callable[..., Any],  # noqa: A002 -- as above
        *args: object,
        **kw: object,
    ) -> DelayedCall:
        """See `IReactorTime`."""
        return self._world.callLater(delay, self._run, callable, args, kw)

    def getDelayedCalls(self) -> list[DelayedCall]:  # noqa: N802 -- Twisted's name
        """What this process still has planned."""
        return [
            call
            for call in self._world.getDelayedCalls()
            if getattr(call.func, "__self__", None) is self and self.alive
        ]

    def kill(self) -> None:
        """The process is gone, and what it had planned with it."""
        for call in self.getDelayedCalls():
            call.cancel()
        self.alive = False

    def _run(self, what: Callable[..., object], args: tuple[object, ...], kw: dict[str, object]) -> None:
        if self.alive:
            what(*args, **kw)
