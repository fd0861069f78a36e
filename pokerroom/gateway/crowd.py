"""The crowd: connections without an account, of which the event loop hears only a few in each turn.

Thousands of strangers can write or hang up at the same moment. An ordinary loop handles all of them in one turn, and
every table of the node waits. Here their sockets are in an epoll set of their own. The system reports them in turns, so
a busy stranger keeps no other one out. All other sockets are always reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from select import EPOLLIN, EPOLLOUT, epoll
from selectors import EVENT_READ, EVENT_WRITE, BaseSelector, SelectorKey
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
    """The selector of a loop; a `Crowd`. For Linux. The event loop gives descriptors as numbers."""

    def __init__(self) -> None:
        self._others = epoll()
        self._crowd = epoll()
        self._crowd_descriptor = self._crowd.fileno()
        self._members: set[int] = set()
        self._watched: dict[int, SelectorKey] = {}
        # an epoll set is ready when one of its descriptors is, so the crowd wakes the loop
        self._others.register(self._crowd_descriptor, EPOLLIN)

    def enter(self, descriptor: int) -> None:
        """See `Crowd`."""
        self._members.add(descriptor)

    def leave(self, descriptor: int) -> None:
        """See `Crowd`."""
        if descriptor not in self._members:
            return
        key = self.unregister(descriptor) if descriptor in self._watched else None
        self._members.remove(descriptor)
        if key is not None:
            self.register(descriptor, key.events, key.data)

    def register(self, fileobj: Any, events: int, data: Any = None) -> SelectorKey:
        """Watch a descriptor."""
        self._set_of(fileobj).register(fileobj, _mask(events))
        self._watched[fileobj] = key = SelectorKey(fileobj, fileobj, events, data)
        return key

    def modify(self, fileobj: Any, events: int, data: Any = None) -> SelectorKey:
        """Change what is watched. A descriptor that was closed is watched no longer. Raises OSError."""
        try:
            self._set_of(fileobj).modify(fileobj, _mask(events))
        except OSError:
            self._watched.pop(fileobj, None)
            raise
        self._watched[fileobj] = key = SelectorKey(fileobj, fileobj, events, data)
        return key

    def unregister(self, fileobj: Any) -> SelectorKey:
        """Watch a descriptor no longer. Raises KeyError."""
        key = self._watched.pop(fileobj)
        with suppress(OSError):  # it is closed
            self._set_of(fileobj).unregister(fileobj)
        return key

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        """Wait; return what is ready, of the crowd at most `REPORTED_AT_ONCE`."""
        ready: list[tuple[SelectorKey, int]] = []
        for descriptor, mask in self._others.poll(timeout):
            if descriptor == self._crowd_descriptor:
                for member, member_mask in self._crowd.poll(0, REPORTED_AT_ONCE):
                    self._note(member, member_mask, ready)
            else:
                self._note(descriptor, mask, ready)
        return ready

    def get_key(self, fileobj: Any) -> SelectorKey:
        """Return the key of a watched descriptor. Raises KeyError."""
        return self._watched[fileobj]

    def get_map(self) -> Mapping[Any, SelectorKey]:
        """Return what is watched."""
        return self._watched

    def close(self) -> None:
        """Free both sets."""
        self._crowd.close()
        self._others.close()

    def _set_of(self, descriptor: int) -> epoll:
        return self._crowd if descriptor in self._members else self._others

    def _note(self, descriptor: int, mask: int, ready: list[tuple[SelectorKey, int]]) -> None:
        key = self._watched.get(descriptor)
        if key is None:  # it was closed before it was unregistered
            return
        # an error or a hang-up is found by reading or writing
        happened = EVENT_WRITE if mask & ~EPOLLIN else 0
        happened |= EVENT_READ if mask & ~EPOLLOUT else 0
        ready.append((key, happened & key.events))


def _mask(events: int) -> int:
    return (EPOLLIN if events & EVENT_READ else 0) | (EPOLLOUT if events & EVENT_WRITE else 0)
