"""The accounts that are connected to this node, each with its sessions.

An account may have several connections, such as two windows at different tables. Each names itself (`hello.instance`);
a connection ends the account's earlier one of the same name. Which connection has a table is the table's to say.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from typing import Final, Protocol

from pokerroom.ledger.account_standing import Exclusion
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

CONNECTIONS_PER_ACCOUNT_MAX: Final = 4
"""An account has this many connections to a node; one more ends the oldest [D]."""


ENDED_REMEMBERED: Final = 1024
"""[D] So many ended sessions are remembered: a log-in that was on its way when one ended takes a second or so."""


class AccountSession(Protocol):
    """The session of an account that is logged in."""

    @property
    def instance(self) -> str:
        """The client's name for itself among those of its account."""

    @property
    def session_id(self) -> int | None:
        """The number of the session in the ledger."""

    def deliver(self, outgoing: Outgoing | Bundle) -> None:
        """Send a message to the client."""

    def goodbye(self, code: Code) -> None:
        """Tell the client why, and close the connection."""


class AccountConnections:
    """The sessions of each account, by their instances; the latest comes last."""

    def __init__(self) -> None:
        self._sessions: dict[int, dict[str, AccountSession]] = {}
        self._exclusions: dict[int, Exclusion] = {}
        """The longest that the ledger has told. An answer that comes late may have a shorter one."""
        self._muted_until_ms: dict[int, int] = {}
        self.announced = wire.Announcements(announcements=[])
        """What operators announce now, as far as this node knows."""
        self._ended: deque[int] = deque(maxlen=ENDED_REMEMBERED)

    def authenticated(self, account: int, session: AccountSession) -> None:
        """Note a session of the account. Close its earlier one of this instance, and the oldest of too many."""
        sessions = self._sessions.setdefault(account, {})
        earlier = sessions.pop(session.instance, None)
        sessions[session.instance] = session
        if earlier is not None and earlier is not session:
            earlier.goodbye(Code.TAKEN_OVER)
        if len(sessions) > CONNECTIONS_PER_ACCOUNT_MAX:
            next(iter(sessions.values())).goodbye(Code.TAKEN_OVER)
        if session.session_id in self._ended:  # while its log-in was on its way
            session.goodbye(Code.SESSION_ENDED)

    def has_room(self, account: int, more: int) -> bool:
        """Return whether so many more connections of the account would end none of its earlier ones."""
        return len(self._sessions.get(account, {})) + more <= CONNECTIONS_PER_ACCOUNT_MAX

    def left(self, account: int, session: AccountSession) -> None:
        """Note that the session is not this account's any more."""
        sessions = self._sessions.get(account, {})
        if sessions.get(session.instance) is session:
            del sessions[session.instance]
            if not sessions:
                del self._sessions[account]
                self._exclusions.pop(account, None)
                self._muted_until_ms.pop(account, None)

    def excluded(self, account: int, exclusion: Exclusion | None) -> None:
        """Note what the ledger has told of an account: the exclusion, if there is any."""
        if exclusion is None or account not in self._sessions:
            return
        known = self._exclusions.get(account)
        if known is None or _is_longer(exclusion, known):
            self._exclusions[account] = exclusion

    def exclusion(self, account: int, now_ms: int) -> Exclusion | None:
        """Return the exclusion of an account that is in force, as far as this node knows."""
        found = self._exclusions.get(account)
        over = found is None or (found.until_ms is not None and found.until_ms <= now_ms)
        return None if over else found

    def mute(self, account: int, until_ms: int | None) -> None:
        """Note until when an account may not chat (None: it may), and tell it if that is new."""
        if account not in self._sessions or self._muted_until_ms.get(account) == until_ms:
            return
        if until_ms is None:
            del self._muted_until_ms[account]
        else:
            self._muted_until_ms[account] = until_ms
        self.deliver(account, Outgoing(wire.ChatMuted(until_ms=until_ms)))

    def announce(self, announcements: wire.Announcements) -> None:
        """Keep what is announced now, and tell all connections if it is new."""
        if announcements == self.announced:
            return
        self.announced = announcements
        for account in self.accounts():
            self.deliver(account, Outgoing(announcements))

    def muted_until_ms(self, account: int, now_ms: int) -> int | None:
        """Return until when an account may not chat, as far as this node knows; None: it may."""
        until_ms = self._muted_until_ms.get(account)
        return None if until_ms is None or until_ms <= now_ms else until_ms

    def accounts(self) -> list[int]:
        """Return the accounts that are connected here."""
        return list(self._sessions)

    def deliver(self, account: int, outgoing: Outgoing | Bundle) -> None:
        """Send a message to all connections of the account here."""
        for session in list(self._sessions.get(account, {}).values()):
            session.deliver(outgoing)

    def end(self, account: int) -> None:
        """Close all connections of the account here: its sessions have ended in the ledger."""
        for session in list(self._sessions.get(account, {}).values()):
            session.goodbye(Code.SESSION_ENDED)

    def taken_over(self, account: int, instance: str) -> None:
        """Close a session of the account: this instance has connected to another node."""
        session = self._sessions.get(account, {}).get(instance)
        if session is not None:
            session.goodbye(Code.TAKEN_OVER)

    def sessions_ended(self, account: int, sessions: Collection[int]) -> None:
        """Close the account's connections of these sessions, which have ended in the ledger."""
        self._ended.extend(sessions)
        for session in list(self._sessions.get(account, {}).values()):
            if session.session_id in sessions:
                session.goodbye(Code.SESSION_ENDED)


def _is_longer(exclusion: Exclusion, other: Exclusion) -> bool:
    return other.until_ms is not None and (exclusion.until_ms is None or exclusion.until_ms > other.until_ms)
