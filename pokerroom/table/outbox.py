"""The outgoing messages of a table, in order, held back until they may be told.

A step of a hand leaves only when its journal entry is stored, a result only when the ledger has it. Whatever the table
sends later waits behind it, so that every viewer gets the events in the order of their numbers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from itertools import chain

from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom.table.spectator_delay import SpectatorDelay
from pokerroom.table.viewer import Broadcast, Viewer

QUEUE_MAX = 200


class Batch:
    """The results of one message to the table; they leave together.

    `left` is called when it has left. No dataclass: what makes one of those is not compiled, and every action makes two
    batches.
    """

    __slots__ = ("answers", "asked_by", "broadcasts", "left", "ready")

    def __init__(
        self,
        *,
        broadcasts: list[Broadcast] | None = None,
        answers: list[tuple[Viewer, Outgoing]] | None = None,
        ready: bool = True,
        left: Callable[[], None] | None = None,
    ) -> None:
        self.broadcasts: list[Broadcast] = [] if broadcasts is None else broadcasts
        self.answers: list[tuple[Viewer, Outgoing]] = [] if answers is None else answers
        self.ready = ready
        self.left = left
        self.asked_by: list[int | None] = []
        """The accounts of the viewers that get the answers; noted when the batch is queued."""


class Outbox:
    """The queue of one table, and its viewers; `counted` is called with the number of events that have left.

    If spectators see the table later there is a `spectator_delay`: its viewers count as viewers, but get nothing from
    here.
    """

    def __init__(self, counted: Callable[[int], None], spectator_delay: SpectatorDelay | None = None) -> None:
        self._counted = counted
        self._spectator_delay = spectator_delay
        self._queue: deque[Batch] = deque()
        self._since: dict[Viewer, int] = {}
        self._asked: dict[Viewer, set[int]] = {}
        """Requests that are not answered yet."""
        self._expected: dict[Viewer, None] = {}
        """Viewers that are to be shown the table unasked, and have not been yet."""
        self._silent = False
        self._last_sent = 0
        self.last_seq = 0
        """Number of the last event that was put here."""

    def viewers(self) -> Iterable[Viewer]:
        """Return all viewers, live and delayed."""
        return (
            self._since.keys()
            if self._spectator_delay is None
            else chain(self._since, self._spectator_delay.viewers())
        )

    def audience(self) -> list[Viewer]:
        """Return all viewers, and those about to be: the table's next owner must show it to them."""
        return list(dict.fromkeys(chain(self.viewers(), self._expected)))

    def live_viewers(self) -> list[Viewer]:
        """Return the viewers that get events at once."""
        return list(self._since)

    def watches(self, viewer: Viewer) -> bool:
        """Return whether this client gets the table's events, live or delayed, or is about to."""
        return (
            viewer in self._since
            or viewer in self._expected
            or (self._spectator_delay is not None and self._spectator_delay.watches(viewer))
        )

    def expect(self, viewer: Viewer) -> None:
        """Note that the viewer is about to be shown the table; until then it counts as a viewer."""
        if viewer.connected:
            self._expected[viewer] = None

    def expects(self, viewer: Viewer) -> bool:
        """Return whether the viewer is still to be shown the table: it has neither left nor asked for it itself."""
        return viewer in self._expected

    def watch(self, viewer: Viewer, since: int) -> None:
        """Send the viewer every event with a number above `since`, at once.

        A viewer that gets events already misses none: those on their way to it come first.
        """
        self._expected.pop(viewer, None)
        if self._spectator_delay is not None:
            self._spectator_delay.unwatch(viewer)
        if viewer.connected:
            self._since.setdefault(viewer, since)

    def watch_later(self, viewer: Viewer, *, waiting: int, re: int | None) -> None:
        """Answer with the table as it was; the viewer gets every later event after the delay."""
        assert self._spectator_delay is not None
        if self._silent:
            return
        self._expected.pop(viewer, None)
        self._since.pop(viewer, None)
        self._answered(viewer, re)
        self._spectator_delay.show(viewer, waiting=waiting, re=re)

    def move_to_delayed(self, account: int) -> None:
        """Move the viewers of an account that has lost its seat to the delayed view; they have been told of that."""
        if self._spectator_delay is None:
            return
        for viewer in [viewer for viewer in self._since if viewer.account == account]:
            self._spectator_delay.follow(viewer, max(self._since.pop(viewer), self._last_sent))

    def unwatch(self, viewer: Viewer) -> None:
        """Send the viewer nothing any more."""
        self._expected.pop(viewer, None)
        self._since.pop(viewer, None)
        if self._spectator_delay is not None:
            self._spectator_delay.unwatch(viewer)

    def gone(self, viewer: Viewer) -> None:
        """Forget a client that lost its connection, or that logged out."""
        self.unwatch(viewer)
        self._asked.pop(viewer, None)

    def asked(self, viewer: Viewer, request: int) -> None:
        """Note a request of this number, which is to be answered."""
        requests = self._asked.get(viewer)
        if requests is None:
            self._asked[viewer] = {request}
        else:
            requests.add(request)

    def answer(self, viewer: Viewer, answer: Outgoing) -> None:
        """Send an answer at once: it does not depend on what waits in the queue."""
        if not self._silent:
            self._deliver_answer(viewer, answer)

    def unanswered(self) -> list[tuple[Viewer, int]]:
        """Return clients and their unanswered requests."""
        return [(viewer, request) for viewer, requests in self._asked.items() for request in requests]

    def silence(self) -> None:
        """Send nothing to any viewer any more."""
        self._silent = True

    @property
    def backed_up(self) -> bool:
        """Whether so many batches wait for the journal that requests are refused."""
        return len(self._queue) > QUEUE_MAX

    def put(self, batch: Batch) -> None:
        """Queue a batch behind all others; it leaves at once if nothing holds it back.

        An answer is for the account that asked: a client that has logged out by then, or in as another, does not get
        it.
        """
        if batch.answers:
            batch.asked_by = [viewer.account for viewer, _ in batch.answers]
        self._queue.append(batch)
        if batch.broadcasts:
            self.last_seq = batch.broadcasts[-1].seq
        if batch.ready:
            self._pump()

    def release(self, batch: Batch) -> None:
        """Let the batch leave: what held it back has happened."""
        batch.ready = True
        self._pump()

    def drop(self, batch: Batch) -> None:
        """Drop the last batch: what it waits for will never happen. Its numbers are free again."""
        assert batch is self._queue[-1]
        self._queue.pop()
        if batch.broadcasts:
            self.last_seq = batch.broadcasts[0].seq - 1
        self._pump()

    def _pump(self) -> None:
        while self._queue and self._queue[0].ready and not self._silent:
            batch = self._queue.popleft()
            for (viewer, answer), account in zip(batch.answers, batch.asked_by, strict=True):
                if viewer.account == account:
                    self._deliver_answer(viewer, answer)
            if batch.broadcasts:
                self._broadcast(batch.broadcasts)
            if batch.left is not None:
                batch.left()

    def _deliver_answer(self, viewer: Viewer, answer: Outgoing) -> None:
        self._answered(viewer, getattr(answer.message, "re", None))  # an event may be an answer, too
        viewer.deliver(answer)

    def _answered(self, viewer: Viewer, request: int | None) -> None:
        requests = self._asked.get(viewer)
        if requests is not None and request is not None:
            requests.discard(request)

    def _broadcast(self, broadcasts: list[Broadcast]) -> None:
        """Send each viewer all events at once, in bytes shared by viewers that may see the same."""
        first = broadcasts[0].seq
        private: set[int] = set()
        for broadcast in broadcasts:
            if broadcast.private is not None:
                private.update(broadcast.private)
        self._counted(len(broadcasts) * len(self._since))
        public = Bundle([broadcast.public for broadcast in broadcasts])
        if self._spectator_delay is not None:
            self._last_sent = broadcasts[-1].seq
            self._spectator_delay.take(public)
        for viewer, since in list(self._since.items()):
            if first <= since:
                later = [broadcast for broadcast in broadcasts if broadcast.seq > since]
                viewer.deliver(_bundle_for(viewer.account, later))
            elif viewer.account in private:
                viewer.deliver(_bundle_for(viewer.account, broadcasts))
            else:
                viewer.deliver(public)


def _bundle_for(account: int | None, broadcasts: list[Broadcast]) -> Bundle:
    return Bundle(
        [
            broadcast.public
            if broadcast.private is None or account is None
            else broadcast.private.get(account, broadcast.public)
            for broadcast in broadcasts
        ]
    )
