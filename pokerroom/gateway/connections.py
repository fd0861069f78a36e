"""The accounts that are connected to this node, each with its session."""

from __future__ import annotations

from typing import Protocol

from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom_protocol.errors import Code


class AccountSession(Protocol):
    """The session of an account that is logged in."""

    def deliver(self, outgoing: Outgoing | Bundle) -> None:
        """Send a message to the client."""

    def goodbye(self, code: Code) -> None:
        """Tell the client why, and close the connection."""


class AccountConnections:
    """One session per account: the latest."""

    def __init__(self) -> None:
        self._sessions: dict[int, AccountSession] = {}

    def authenticated(self, account: int, session: AccountSession) -> None:
        """Note the account's session; an earlier one is closed."""
        earlier = self._sessions.get(account)
        self._sessions[account] = session
        if earlier is not None and earlier is not session:
            earlier.goodbye(Code.TAKEN_OVER)

    def left(self, account: int, session: AccountSession) -> None:
        """Note that the session is not this account's any more."""
        if self._sessions.get(account) is session:
            del self._sessions[account]

    def deliver(self, account: int, outgoing: Outgoing | Bundle) -> None:
        """Send a message to the account if it is connected here."""
        session = self._sessions.get(account)
        if session is not None:
            session.deliver(outgoing)

    def taken_over(self, account: int) -> None:
        """Close the account's session: the account has connected to another node."""
        session = self._sessions.get(account)
        if session is not None:
            session.goodbye(Code.TAKEN_OVER)
