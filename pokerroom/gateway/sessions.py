"""All connections of a node: makes them, counts them by address, and ends idle ones and those of ended sessions."""

from __future__ import annotations

from pokerroom.gateway.addresses import AddressCounts
from pokerroom.gateway.link import ClientLink
from pokerroom.gateway.moved_session import MovedSession
from pokerroom.gateway.session import Session
from pokerroom.gateway.session_context import SessionContext
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom_protocol.errors import Code


class Sessions:
    """The connections of one node. `context` is what their sessions share."""

    def __init__(self, context: SessionContext) -> None:
        self.context = context
        self._all: dict[Session, None] = {}  # not a set: the order of a set differs from run to run
        self._turns_away = False
        self._counts = AddressCounts(context.addresses, context.limits.connections_max)

    def make(self, link: ClientLink) -> Session:
        """Make the session of a new connection."""
        session = Session(self.context, link, self._gone)
        self.context.observer.connection_opened(link.kind)
        session.is_counted = self._counts.enter(session.address)
        self._all[session] = None
        if self._turns_away or not session.is_counted:
            session.goodbye(Code.UNAVAILABLE)
        return session

    def make_moved(self, moved: MovedSession, link: ClientLink) -> Session:
        """Make the session of a connection that comes from another node."""
        session = self.make(link)
        if session.connected:
            session.go_on(moved)
        return session

    def keep_place(self, address: str) -> bool:
        """Count a connection of this address that may come soon. Return False if it would not be accepted.

        Each `keep_place` that succeeds needs one `free_place`.
        """
        return not self._turns_away and self._counts.enter(address)

    def free_place(self, address: str) -> None:
        """Count that connection no longer: it is about to come, or does not."""
        self._counts.leave(address)

    def end_idle(self) -> None:
        """Close connections that have sent nothing for `idle_s`; called every few seconds."""
        before = self.context.clock.seconds() - self.context.limits.idle_s
        for session in list(self._all):
            if session.heard_at < before:
                session.goodbye(Code.IDLE)

    async def end_invalid(self) -> None:
        """Note which sessions are in use, and close connections of sessions that are over; called every few minutes.

        Most connections are told at once (`sessions_ended`). This finds sessions that are too old, and those of
        which this node has missed the end.
        """
        used = {session.session_id for session in self._all if session.session_id is not None}
        try:
            valid = await self.context.accounts.valid_sessions(sorted(used)) if used else frozenset()
        except LedgerUnavailable:
            return
        for session in list(self._all):
            if session.session_id in used - valid:
                session.goodbye(Code.SESSION_ENDED)

    def turn_away(self) -> None:
        """Close all connections, also new ones: this node can do nothing for its clients, but another node may."""
        self._turns_away = True
        for session in list(self._all):
            session.goodbye(Code.UNAVAILABLE)

    def let_in(self) -> None:
        """Accept clients again after `turn_away`."""
        self._turns_away = False

    def end_all(self) -> None:
        """Tell every client that the room shuts down, and close its connection."""
        for session in list(self._all):
            session.goodbye(Code.SHUTTING_DOWN)

    def _gone(self, session: Session) -> None:
        """Forget a connection that is lost."""
        self._all.pop(session, None)
        if session.is_counted:
            self._counts.leave(session.address)
        self.context.observer.connection_closed(session.kind)
