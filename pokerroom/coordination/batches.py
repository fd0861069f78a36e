"""Batches of bus messages: packed by reactor turn and receiver, and numbered, so that a loss is noticed.

A batch is the msgpack array [sender, to all?, number of its first message, messages]. Messages from one sender to one
receiver are numbered from 1; messages to all have numbers of their own. A heartbeat is a batch without messages: it
has only the next number. Heartbeats are sent for a while after the last message, because nothing else would show its
loss. The transport is in the adapters.
"""

from __future__ import annotations

from collections.abc import Callable

import msgpack
import structlog

BEAT_S = 1.0
"""The interval of heartbeats."""

_BEATS = 30  # [D] a receiver that has missed all of them has missed everything, and knows that its connection was lost

_log = structlog.get_logger()

Batch = tuple[str | None, bytes]
"""The receiver (None: all nodes), and the packed batch."""


class OutgoingBatches:
    """The unsent messages of a node. Receivers have names; None means all nodes."""

    def __init__(self, node: str) -> None:
        self._node = node
        self._waiting: list[tuple[str | None, list[bytes]]] = []
        self._open: dict[str | None, list[bytes]] = {}
        self._next: dict[str | None, int] = {}
        self._beats: dict[str | None, int] = {}

    def put(self, receiver: str | None, message: bytes) -> None:
        """Adds a message. Messages to one receiver share a batch, unless one to all nodes came between."""
        batch = self._open.get(receiver)
        if batch is None:
            if receiver is None:
                self._open.clear()  # later messages to single nodes must come after this one
            else:
                self._open.pop(None, None)
            batch = self._open[receiver] = []
            self._waiting.append((receiver, batch))
        batch.append(message)

    def __bool__(self) -> bool:
        """Whether messages wait."""
        return bool(self._waiting)

    def batches(self) -> list[Batch]:
        """Removes and returns the waiting messages as batches, in order."""
        if not self._waiting:
            return []
        waiting, self._waiting = self._waiting, []
        self._open = {}
        batches: list[Batch] = []
        for receiver, messages in waiting:
            batches.append(self._packed(receiver, messages))
            self._next[receiver] = self._next.get(receiver, 1) + len(messages)
            self._beats[receiver] = _BEATS
        return batches

    def beats(self) -> list[Batch]:
        """Heartbeats for the receivers of recent messages. Call it every `BEAT_S`."""
        beats = [self._packed(receiver, []) for receiver in self._beats]
        self._beats = {receiver: left - 1 for receiver, left in self._beats.items() if left > 1}
        return beats

    def again(self) -> None:
        """Restarts the heartbeats for all receivers, after an outage."""
        self._beats = dict.fromkeys(self._next, _BEATS)

    def _packed(self, receiver: str | None, messages: list[bytes]) -> Batch:
        body = [self._node, receiver is None, self._next.get(receiver, 1), messages]
        packed: bytes = msgpack.packb(body)
        return receiver, packed


class IncomingBatches:
    """Received batches: calls `heard` for each message once and in order, and `lost(sender)` before one after a gap.

    An exception of a callable is logged and does not stop the next message.
    """

    def __init__(self, node: str, heard: Callable[[str, bytes], None], lost: Callable[[str], None]) -> None:
        self._node = node
        self._heard = heard
        self._lost = lost
        self._next: dict[tuple[str, bool], int | None] = {}

    def receive(self, batch: bytes) -> None:
        """Handles a batch."""
        sender, to_all, first, messages = msgpack.unpackb(batch)
        if sender == self._node:
            return
        # A new listener expects messages to itself from the first on. Messages to all began before it listened.
        due = self._next.get((sender, to_all), None if to_all else 1)
        if due is not None and first > due:
            self._call(self._lost, sender)
        elif due is not None and first < due:
            messages = messages[due - first :]  # sent again after an unknown outcome
            first = due
        self._next[sender, to_all] = first + len(messages)
        for message in messages:
            self._call(self._heard, sender, message)

    def cut(self) -> None:
        """Accepts any next number: the connection was lost, and the node knows it."""
        self._next = dict.fromkeys(self._next)

    @staticmethod
    def _call(work: Callable[..., None], *args: object) -> None:
        try:
            work(*args)
        except Exception as fault:  # noqa: BLE001 -- any error of a receiver is logged as a fault
            _log.critical("bus.fault", exc_info=fault)
