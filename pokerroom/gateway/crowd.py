"""The crowd: connections without an account, of which the event loop hears only a few in each turn.

Thousands of strangers can write or hang up at the same moment. An ordinary loop handles all of them in one turn, and
every table of the node waits. Here their sockets are in an epoll set of their own. The system reports them in turns, so
a busy stranger keeps no other one out. All other sockets are always reported.
"""

from __future__ import annotations

import select
from collections import ChainMap
from collections.abc import Mapping
from contextlib import suppress
from selectors import EVENT_READ, EVENT_WRITE, BaseSelector, EpollSelector, SelectorKey
from typing import Any, Final, Protocol

REPORTED_AT_ONCE: Final = 4
"""[D] Connections of the crowd that the loop hears of in one turn."""


class Crowd(Protocol):
    """The members of the crowd. Descriptors are numbers, as `fileno()` returns them."""

    def enter(self, descriptor: int) -> None:
        """Put a descriptor into the crowd, before the loop watches it."""

    def leave(self, descriptor: int) -> None:
        """Take it out, watched or not. Nothing happens if it is not in the crowd."""


class CrowdSelector(BaseSelector):
    """The selector of a loop; a `Crowd`. For Linux."""

    def __init__(self) -> None:
        self._others = EpollSelector()
        self._crowd = select.epoll()
        self._members: set[int] = set()
        self._watched: dict[int, SelectorKey] = {}
        """The members that are watched."""
        # an epoll set is ready when one of its descriptors is, so the crowd wakes the loop
        self._others.register(self._crowd.fileno(), EVENT_READ, self)
        self._map: Mapping[Any, SelectorKey] = ChainMap(self._watched, self._others.get_map())  # type: ignore[arg-type]  # it is only read

    def enter(self, descriptor: int) -> None:
        """See `Crowd`."""
        self._members.add(descriptor)

    def leave(self, descriptor: int) -> None:
        """See `Crowd`."""
        self._members.discard(descriptor)
        key = self._watched.get(descriptor)
        if key is not None:
            self._forget(descriptor)
            self._others.register(descriptor, key.events, key.data)

    def register(self, fileobj: Any, events: int, data: Any = None) -> SelectorKey:
        """Watch a descriptor. The event loop gives numbers."""
        if fileobj not in self._members:
            return self._others.register(fileobj, events, data)
        self._crowd.register(fileobj, _mask(events))
        self._watched[fileobj] = key = SelectorKey(fileobj, fileobj, events, data)
        return key

    def modify(self, fileobj: Any, events: int, data: Any = None) -> SelectorKey:
        """Change what is watched."""
        if fileobj not in self._watched:
            return self._others.modify(fileobj, events, data)
        self._crowd.modify(fileobj, _mask(events))
        self._watched[fileobj] = key = SelectorKey(fileobj, fileobj, events, data)
        return key

    def unregister(self, fileobj: Any) -> SelectorKey:
        """Watch a descriptor no longer."""
        return self._forget(fileobj) if fileobj in self._watched else self._others.unregister(fileobj)

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        """Wait; return what is ready, of the crowd at most `REPORTED_AT_ONCE`."""
        ready = self._others.select(timeout)
        for place, (key, _) in enumerate(ready):
            if key.data is self:
                del ready[place]
                ready += self._few()
                break
        return ready

    def get_key(self, fileobj: Any) -> SelectorKey:
        """Return the key of a watched descriptor. Raises KeyError."""
        return self._watched.get(fileobj) or self._others.get_key(fileobj)

    def get_map(self) -> Mapping[Any, SelectorKey]:
        """Return what is watched."""
        return self._map

    def close(self) -> None:
        """Free both sets."""
        self._crowd.close()
        self._others.close()

    def _forget(self, descriptor: int) -> SelectorKey:
        key = self._watched.pop(descriptor)
        with suppress(OSError):  # it is closed
            self._crowd.unregister(descriptor)
        return key

    def _few(self) -> list[tuple[SelectorKey, int]]:
        few = []
        for descriptor, mask in self._crowd.poll(0, REPORTED_AT_ONCE):
            key = self._watched.get(descriptor)
            if key is None:  # it was closed before it was unregistered
                continue
            # an error or a hang-up is found by reading or writing
            happened = EVENT_WRITE if mask & ~select.EPOLLIN else 0
            happened |= EVENT_READ if mask & ~select.EPOLLOUT else 0
            few.append((key, happened & key.events))
        return few


def _mask(events: int) -> int:
    return (select.EPOLLIN if events & EVENT_READ else 0) | (select.EPOLLOUT if events & EVENT_WRITE else 0)
