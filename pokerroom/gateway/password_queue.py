"""The work with passwords, a few at a time, in turns between addresses.

Hashing a password takes tens of milliseconds of a processor. Without a bound a crowd of log-ins would be answered long
after its clients have gone, and a player would wait behind all of them. Here each address waits in a short queue of its
own, the queues are served in turns, and a client that hangs up gives its place back.
"""

from __future__ import annotations

import os
from collections import OrderedDict, deque
from typing import Final, Protocol

from twisted.internet.defer import Deferred, fail, succeed

from pokerroom.gateway.addresses import owner_of

AT_ONCE: Final = max(1, min(2, (os.cpu_count() or 1) - 1))
"""[D] Passwords that a node works on at the same time: two, or one where a second would take the tables' processor."""

WAITING_OF_ADDRESS: Final = 8
"""[D] Clients of one address that may wait."""

WAITING_IN_ALL: Final = 256
"""[D] Clients that may wait: the last of them waits for some 5 s."""


class Claimant(Protocol):
    """The client that has sent a password."""

    @property
    def address(self) -> str:
        """The address from which it is connected, without the port."""

    @property
    def connected(self) -> bool:
        """False once it has hung up."""


class QueueFull(Exception):  # noqa: N818 -- a refusal answers a request, it is not an error of the room
    """Too many clients wait for work with passwords, of this address or in all."""


class ClientGone(Exception):  # noqa: N818 -- ends a request that no client waits for
    """The client has hung up before its turn."""


_Place = tuple[Claimant, Deferred[None]]


class PasswordQueue:
    """Gives turns. Each `enter` that succeeds needs one `leave`."""

    def __init__(self) -> None:
        self._free = AT_ONCE
        self._count = 0
        """The number of clients that wait."""
        self._waiting: OrderedDict[str, deque[_Place]] = OrderedDict()
        """By address, a /64 of IPv6 as one; the address that is next comes first."""
        self._gives = False

    def __len__(self) -> int:
        """Return the number of clients that wait."""
        return self._count

    def enter(self, client: Claimant) -> Deferred[None]:
        """Fire when it is the client's turn. Fails with `QueueFull` at once, or with `ClientGone`."""
        if not client.connected:
            return fail(ClientGone())
        if self._free:
            self._free -= 1
            return succeed(None)
        owner = owner_of(client.address)
        queue = self._waiting.get(owner, ())
        if len(queue) >= WAITING_OF_ADDRESS or self._count >= WAITING_IN_ALL:
            raise QueueFull
        self._count += 1
        turn: Deferred[None] = Deferred()
        self._waiting.setdefault(owner, deque()).append((client, turn))
        return turn

    def leave(self) -> None:
        """End a turn: the next client has its own.

        A turn that begins here may end at once, where a store is away. So the next ones are given in a loop: nested
        turns would exceed the stack, and lose their places.
        """
        self._free += 1
        if self._gives:
            return
        self._gives = True
        try:
            while self._free and self._waiting:
                self._give()
        finally:
            self._gives = False

    def gone(self, client: Claimant) -> None:
        """Give back the places of a client that has hung up; nothing happens if it has none.

        Each hang-up costs its own turn of the reactor. Found together, those of a crowd would stop the tables.
        """
        owner = owner_of(client.address)
        queue = self._waiting.get(owner, ())
        turns = [turn for waiting, turn in queue if waiting is client]
        if not turns:
            return
        here = deque(place for place in queue if place[0] is not client)
        self._count -= len(turns)
        if here:
            self._waiting[owner] = here
        else:
            del self._waiting[owner]
        for turn in turns:
            turn.errback(ClientGone())

    def _give(self) -> None:
        address, queue = self._waiting.popitem(last=False)
        _, turn = queue.popleft()
        self._count -= 1
        if queue:
            self._waiting[address] = queue
        self._free -= 1
        turn.callback(None)
