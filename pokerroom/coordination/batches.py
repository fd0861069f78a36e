"""How messages between nodes travel: packed by turn and receiver, and counted, so that a loss is noticed.

A batch is the msgpack array [sender, to all?, number of its first message, messages]. The messages from one sender to
one receiver are counted from 1, those from one sender to all are counted on their own. A batch without messages says
only which number comes next; it is sent for a while after the last message, which nothing else would show to be lost.
This module knows nothing of how a batch gets from one node to another.
"""

from __future__ import annotations

from collections.abc import Callable

import msgpack
import structlog

BEAT_S = 1.0
"""Between two batches that say how far a sender has counted."""

_BEATS = (
    30  # [D] who has heard none of them has heard nothing else either, and knows that his connection was gone
)

_log = structlog.get_logger()

Batch = tuple[str | None, bytes]
"""The receiver, None for all, and what he gets."""


class OutgoingBatches:
    """What a node is about to send. Receivers are named; None is everybody."""

    def __init__(self, node: str) -> None:
        self._node = node
        self._waiting: list[tuple[str | None, list[bytes]]] = []
        self._open: dict[str | None, list[bytes]] = {}
        self._next: dict[str | None, int] = {}
        self._beats: dict[str | None, int] = {}

    def put(self, receiver: str | None, message: bytes) -> None:
        """One more. Messages go together unless one that passes the border between one and all came in between."""
        batch = self._open.get(receiver)
        if batch is None:
            if receiver is None:
                self._open.clear()  # those to single nodes that come later must come after it
            else:
                self._open.pop(None, None)
            batch = self._open[receiver] = []
            self._waiting.append((receiver, batch))
        batch.append(message)

    def __bool__(self) -> bool:
        """Whether something waits."""
        return bool(self._waiting)

    def batches(self) -> list[Batch]:
        """What waits, in order; it is counted as sent."""
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
        """How far it has counted, for those to whom something was sent not long ago. To be called each `BEAT_S`."""
        beats = [self._packed(receiver, []) for receiver in self._beats]
        self._beats = {receiver: left - 1 for receiver, left in self._beats.items() if left > 1}
        return beats

    def again(self) -> None:
        """Nothing has got through for some time: all are to hear again how far it has counted."""
        self._beats = dict.fromkeys(self._next, _BEATS)

    def _packed(self, receiver: str | None, messages: list[bytes]) -> Batch:
        body = [self._node, receiver is None, self._next.get(receiver, 1), messages]
        packed: bytes = msgpack.packb(body)
        return receiver, packed


class IncomingBatches:
    """What a node hears: each message once and in order, and `lost(sender)` before the first one after a gap.

    What the two callables raise is logged, for the next message is none the worse for it.
    """

    def __init__(self, node: str, heard: Callable[[str, bytes], None], lost: Callable[[str], None]) -> None:
        self._node = node
        self._heard = heard
        self._lost = lost
        self._next: dict[tuple[str, bool], int | None] = {}

    def receive(self, batch: bytes) -> None:
        """A batch has come."""
        sender, to_all, first, messages = msgpack.unpackb(batch)
        if sender == self._node:
            return
        # who has just begun to listen has missed nothing that was meant for him, but much of what was said to all
        due = self._next.get((sender, to_all), None if to_all else 1)
        if due is not None and first > due:
            self._call(self._lost, sender)
        elif due is not None and first < due:
            messages = messages[due - first :]  # sent twice, after an unknown outcome
            first = due
        self._next[sender, to_all] = first + len(messages)
        for message in messages:
            self._call(self._heard, sender, message)

    def cut(self) -> None:
        """Anything may have been missed, and whoever needs to know was told: what comes next is in order."""
        self._next = dict.fromkeys(self._next)

    @staticmethod
    def _call(work: Callable[..., None], *args: object) -> None:
        try:
            work(*args)
        except Exception as fault:  # noqa: BLE001 -- whatever it is, it is logged as the fault that it is
            _log.critical("bus.fault", exc_info=fault)
