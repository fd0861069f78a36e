"""The event loop of a node: asyncio's, with an end of each turn.

A turn waits for sockets and timers, and calls what belongs to them. An action passes several callbacks that each ask
for the next one. An ordinary loop looks at the sockets before each of them, which costs more than they do. This one
calls what the callbacks of a turn have asked for in the same turn, once, and then what was put off to its end.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable


class NodeLoop(asyncio.SelectorEventLoop):
    """See the module. `_ready` and `_run_once` are asyncio's own names; they are the same in each Python since 3.4."""

    _ready: deque[asyncio.Handle]
    _last: list[Callable[[], object]] | None = None

    def at_turn_end(self, work: Callable[[], object]) -> None:
        """Call `work` at the end of this turn. At the end of a turn: at that of the next one, which does not wait.

        Call it in the loop's thread.
        """
        if self._last is None:
            self._last = []
            if not self.is_running():
                self.call_soon(_nothing)
        self._last.append(work)

    def _run_once(self) -> None:
        super()._run_once()  # type: ignore[misc] # typeshed has public names only
        ready = self._ready
        for _ in range(len(ready)):
            handle = ready.popleft()
            if not handle.cancelled():
                handle._run()  # noqa: SLF001 -- asyncio's own loop does the same
        last, self._last = self._last, None
        if last is not None:
            self._end(last)

    def _end(self, last: list[Callable[[], object]]) -> None:
        for work in last:
            try:
                work()
            except Exception as fault:  # noqa: BLE001 -- as of any other callback, the others are called
                self.call_exception_handler({"message": "fault at the end of a turn", "exception": fault})
        if self._last is not None:
            self.call_soon(_nothing)


def _nothing() -> None:
    """Keep the next turn from waiting."""
