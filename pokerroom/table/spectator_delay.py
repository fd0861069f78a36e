"""The delayed view of a table for spectators (`observer_delay_s`), so that no spectator can tell a player what happens.

Spectators see the table as it was that long ago, and every later event when its time has come, in order and without a
gap. The view knows public events alone. It keeps the past with the protocol's own rule for following a table
(`after_event`), so a spectator who joins late sees what the others see. It stores the events of one delay and knows no
rules, seats or accounts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from msgspec.structs import replace
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom.table.viewer import Viewer
from pokerroom_protocol import messages as wire
from pokerroom_protocol.table_view import after_event


class SpectatorDelay:
    """The past of one table, and its viewers.

    `delay_s` is at least 1, `info` the row of the empty table in the lobby, `seq` the number before its first event.
    `post` puts work into the table's mailbox; `counted` is called with the number of events that have left.
    """

    def __init__(
        self,
        *,
        clock: IReactorTime,
        delay_s: int,
        post: Callable[[Callable[[], None]], None],
        counted: Callable[[int], None],
        info: wire.TableInfo,
        seq: int = 0,
    ) -> None:
        self._clock = clock
        self._delay_s = delay_s
        self._post = post
        self._counted = counted
        self._past = wire.Snapshot(table=info.table, seq=seq, info=info, seats=[], hand=None, your_seat=None)
        self._coming: deque[tuple[float, Bundle | wire.Snapshot]] = deque()
        self._since: dict[Viewer, int] = {}
        self._timer: IDelayedCall | None = None
        self._stopped = False

    # --- what happens at the table ------------------------------------------------------------------------------

    def take(self, events: Bundle) -> None:
        """Take the public events that players get now; spectators get them after the delay."""
        self._put(events)

    def reset(self, snapshot: wire.Snapshot) -> None:
        """Show this state of a restarted table, as an observer may see it, unasked and after the delay as well.

        Call it when all earlier events have been told; `snapshot.seq` is not below theirs.
        """
        assert snapshot.your_seat is None
        self._put(snapshot)

    def begin(self, snapshot: wire.Snapshot) -> None:
        """Begin with what the room knows of the table at its start; no client watches yet.

        Observers see an empty table for the delay [D], because the state before is not known. Events told on the way to
        this state are in it.
        """
        self._coming.clear()
        self.reset(snapshot)

    def stop(self) -> None:
        """Send nothing more, and cancel the timer."""
        self._stopped = True
        self._coming.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # --- who watches --------------------------------------------------------------------------------------------

    def viewers(self) -> Iterable[Viewer]:
        """Return the viewers of the delayed view."""
        return self._since.keys()

    def watches(self, viewer: Viewer) -> bool:
        """Return whether this client sees the delayed view."""
        return viewer in self._since

    def show(self, viewer: Viewer, *, waiting: int, re: int | None) -> None:
        """Answer with the table as it was; every later event follows after the delay.

        `waiting` is the one present fact in it: the lobby shows it to all clients, too.
        """
        if not viewer.connected:
            return
        self._since[viewer] = self._past.seq
        seats = self._past.seats
        info = replace(
            self._past.info,
            occupied=len(seats),
            players=sum(seat.connected and seat.status in {"playing", "waiting"} for seat in seats),
            waiting=waiting,
        )
        viewer.deliver(Outgoing(replace(self._past, info=info, re=re)))

    def follow(self, viewer: Viewer, since: int) -> None:
        """Add a client that has seen everything up to event `since`; it waits until the delayed view is there."""
        if viewer.connected:
            self._since[viewer] = since

    def unwatch(self, viewer: Viewer) -> None:
        """Send the client nothing from here any more."""
        self._since.pop(viewer, None)

    # --- inside -------------------------------------------------------------------------------------------------

    def _put(self, what: Bundle | wire.Snapshot) -> None:
        if self._stopped:  # an answer of the journal while the room shuts down
            return
        self._coming.append((self._clock.seconds() + self._delay_s, what))
        if self._timer is None:
            self._wait()

    def _wait(self) -> None:
        due, _ = self._coming[0]
        self._timer = self._clock.callLater(max(0.0, due - self._clock.seconds()), self._rang)

    def _rang(self) -> None:
        self._timer = None
        self._post(self._catch_up)

    def _catch_up(self) -> None:
        while self._coming and self._coming[0][0] <= self._clock.seconds():
            _, what = self._coming.popleft()
            if isinstance(what, Bundle):
                self._tell(what)
            else:
                self._show_state(what)
        if self._coming and self._timer is None:
            self._wait()

    def _tell(self, bundle: Bundle) -> None:
        events = [part.message for part in bundle.parts]
        for event in events:
            assert isinstance(event, wire.HoldemEvent | wire.TournamentEvent)
            self._past = _after(self._past, event)
        last = self._past.seq
        first = last - len(events) + 1
        self._counted(len(events) * len(self._since))
        for viewer, since in self._since.items():
            if since < first:
                viewer.deliver(bundle)
            elif since < last:
                viewer.deliver(Bundle(bundle.parts[since - last :]))

    def _show_state(self, snapshot: wire.Snapshot) -> None:
        self._past = snapshot
        outgoing = Outgoing(snapshot)
        for viewer in self._since:
            self._since[viewer] = snapshot.seq
            viewer.deliver(outgoing)


def _after(past: wire.Snapshot, event: wire.HoldemEvent | wire.TournamentEvent) -> wire.Snapshot:
    past = after_event(past, event)
    if isinstance(event, wire.TableNotice) and event.state in {"closing", "closed", "running"}:
        return replace(past, info=replace(past.info, closing=event.state != "running"))
    return past
