"""Snapshots of the table: of the present for players, of the delayed view for spectators.

A snapshot begins what a viewer sees: from then on the viewer gets every later event. One connection of an account sees
the table: the latest that asked for it, and the others are told (`table_taken`). Runs inside the table's mailbox. The
game decides what is in a snapshot.
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
        self._pending: dict[Viewer, None] = {}
        """Viewers that get a snapshot by request, as soon as the ledger has answered."""
        self.spectator_delay = delay

    def answer(self, viewer: Viewer, message: wire.Observe | wire.GetSnapshot) -> bool:
        """Answer with a snapshot. Refuse (False) a second request of a viewer while its first waits for the ledger."""
        if viewer in self._pending:
            self._announcer.refuse(viewer, message, Code.REQUEST_PENDING)
            return False
        if isinstance(message, wire.Observe) and self.take_over(viewer):
            self._outbox.expect(viewer)  # so that the holder of a seat does not count as gone meanwhile
        if self._sees_later(viewer):
            self._send_past(viewer, message.id)
        else:
            self._pending[viewer] = None
            self._game().when_settled(partial(self._answer_present, viewer, viewer.account, message))
        return True

    def others_of(self, viewer: Viewer) -> list[Viewer]:
        """Return the other connections of the viewer's account that see the table, or are about to."""
        account = viewer.account
        if account is None:
            return []
        viewers = dict.fromkeys((*self._outbox.audience(), *self._pending))
        return [other for other in viewers if other.account == account and other is not viewer]

    def take_over(self, viewer: Viewer, *, asked: bool = True) -> bool:
        """Let this connection alone of its account see the table. Return False if no other did.

        Unless it has `asked`, other connections of its instance go on: this may be the one that is about to be closed.
        """
        others = self.others_of(viewer) if viewer.connected else []
        if not asked:
            others = [other for other in others if other.instance != viewer.instance]
        for other in others:
            self._outbox.unwatch(other)
            self._pending.pop(other, None)
            if other.instance != viewer.instance:  # else it is about to be closed
                taken = wire.TableTaken(table=self._announcer.table)
                self._announcer.tell(answers=[(other, Outgoing(taken))])
        return bool(others)

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

    def seated(self, account: int, *, but: Viewer | None = None) -> None:
        """Show the new seat of an account, unasked, on the connection that watches the table, if it is another."""
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
        self._pending.pop(viewer, None)

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
        self.take_over(viewer, asked=re is not None)
        waiting = self._seat_directory.waiting(self._announcer.table)
        self._outbox.watch_later(viewer, waiting=waiting, re=re)

    def _answer_present(
        self, viewer: Viewer, account: int | None, message: wire.Observe | wire.GetSnapshot
    ) -> None:
        if viewer in self._pending:
            del self._pending[viewer]
            self._send_present(viewer, account, message.id)
        elif (
            viewer.connected and viewer.account == account
        ):  # another connection has taken the table over meanwhile
            self._announcer.refuse(viewer, message, Code.TABLE_TAKEN)

    def _send_present(self, viewer: Viewer, account: int | None, re: int | None) -> None:
        if viewer.account != account:  # the client logged out while the ledger was asked
            return
        if re is None and not self._outbox.expects(viewer):
            return
        if self._sees_later(viewer):  # the account has lost its seat meanwhile
            self._send_past(viewer, re)
            return
        self.take_over(viewer, asked=re is not None)
        snapshot = self._game().snapshot(account, re)
        self._outbox.watch(viewer, snapshot.seq)
        self._announcer.tell(answers=[(viewer, Outgoing(snapshot))])
