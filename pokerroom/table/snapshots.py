"""Snapshots of the table: of the present for players, of the delayed view for spectators.

A snapshot begins what a viewer sees: from then on the viewer gets every later event. Runs inside the table's mailbox.
The game decides what is in a snapshot.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pokerroom.table.announcer import Announcer
from pokerroom.table.context import SeatDirectory
from pokerroom.table.game_parts import GameView
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.spectator_delay import SpectatorDelay
from pokerroom.table.viewer import Viewer
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code


class Snapshots:
    """The snapshots of one table. `game` returns the present game; `delay` is set if spectators see it later."""

    def __init__(
        self,
        game: Callable[[], GameView],
        announcer: Announcer,
        seat_directory: SeatDirectory,
        delay: SpectatorDelay | None,
    ) -> None:
        self._game = game
        self._announcer = announcer
        self._outbox = announcer.outbox
        self._seat_directory = seat_directory
        self._pending: set[Viewer] = set()
        self.spectator_delay = delay

    def answer(self, viewer: Viewer, message: wire.Observe | wire.GetSnapshot) -> bool:
        """Answer with a snapshot. Refuse (False) a second request of a viewer while its first waits for the ledger."""
        if viewer in self._pending:
            self._announcer.refuse(viewer, message, Code.REQUEST_PENDING)
            return False
        if not self._sees_later(viewer):
            self._pending.add(viewer)
        self.send(viewer, message.id)
        return True

    def send(self, viewer: Viewer, re: int | None, *, first: bool = False) -> None:
        """Send the visible state, and every event after it; wait for a result that is not in the ledger yet.

        `first`: ahead of other work that waits for that result. A delayed viewer gets its past at once: a wait would
        reveal something of the present.
        """
        if self._sees_later(viewer):
            self._send_past(viewer, re)
        else:
            if re is None:
                self._outbox.expect(viewer)
            sent = partial(self._send_present, viewer, viewer.account, re)
            self._game().when_settled(sent, first=first)

    def seated(self, account: int, *, but: Viewer) -> None:
        """Show the new seat of an account, unasked, on its other connections that watch the table."""
        for viewer in list(self._outbox.viewers()):
            if viewer.account == account and viewer is not but:
                self.send(viewer, None)

    def lost_seat(self, account: int) -> None:
        """Let the account see the table as spectators do, once it has been told that its seat is free."""
        if not self._game().sees_now(account):
            self._outbox.move_to_delayed(account)

    def show_to_all(self) -> None:
        """Show the table to all viewers, unasked: its state does not follow from the events so far.

        This comes before any further event, which may be about a seat that viewers do not know.
        """
        for viewer in self._outbox.live_viewers():
            self.send(viewer, None, first=True)
        if self.spectator_delay is not None:
            self._announcer.tell(left=partial(self.spectator_delay.reset, self._for_spectators()))

    def restored(self) -> None:
        """Begin the delayed view with the present state: the room has started."""
        if self.spectator_delay is not None:
            self.spectator_delay.begin(self._for_spectators())

    def gone(self, viewer: Viewer) -> None:
        """Forget a client that lost its connection, or that logged out."""
        self._pending.discard(viewer)

    def stop(self) -> None:
        """Cancel all timers."""
        if self.spectator_delay is not None:
            self.spectator_delay.stop()

    def _for_spectators(self) -> wire.Snapshot:
        snapshot = self._game().snapshot(None, None)
        assert isinstance(snapshot, wire.Snapshot)
        return snapshot

    def _sees_later(self, viewer: Viewer) -> bool:
        return self.spectator_delay is not None and not self._game().sees_now(viewer.account)

    def _send_past(self, viewer: Viewer, re: int | None) -> None:
        waiting = self._seat_directory.waiting(self._announcer.table)
        self._outbox.watch_later(viewer, waiting=waiting, re=re)

    def _send_present(self, viewer: Viewer, account: int | None, re: int | None) -> None:
        self._pending.discard(viewer)
        if viewer.account != account:  # the client logged out while the ledger was asked
            return
        if re is None and not self._outbox.expects(viewer):
            return
        if self._sees_later(viewer):  # the account has lost its seat meanwhile
            self._send_past(viewer, re)
            return
        snapshot = self._game().snapshot(account, re)
        self._outbox.watch(viewer, snapshot.seq)
        self._announcer.tell(answers=[(viewer, Outgoing(snapshot))])
