"""Watches how long accounts play: counts it, sends reality checks, and applies limits of time, exclusions and locks.

Called every minute at each node, and every ten seconds for locks, exclusions and mutes alone, with the accounts that
are connected here and those with seats at its own tables. One call of the ledger serves all of them; nothing is done
per action.

House choices: a notice comes five minutes before a limit of time is reached. Then the player sits out from the next
hand on, and a minute later leaves the table; the ledger gives no new seat. At a table against the house the player
leaves at once. A sit-and-go is played to its end, also by an excluded player.

An excluded player leaves the tables, after a hand in progress, and is unregistered from sit-and-gos that have not
started. The connections of a locked account end, and a muted account may not chat. This is how the operator's commands
take effect: they change the ledger alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Final, Protocol

import structlog
from twisted.internet.defer import Deferred

from pokerroom.bridge import as_deferred
from pokerroom.ledger.account_standing import StandingLedger
from pokerroom.ledger.api import LedgerRefusal, LedgerUnavailable
from pokerroom.ledger.limits import LimitLedger, PlayWatched
from pokerroom.ops.periodic_task import log_fault
from pokerroom.ops.slots import TooManyWaiting
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom_protocol import messages as wire

WATCH_S: Final = 60

BARRED_S: Final = 10
"""[D] Seconds between two looks for locks, exclusions and mutes alone."""

NOTICE_S: Final = 300
"""[D] A player gets a notice when so much of a limit of time is left."""

_log = structlog.get_logger()


class WatchedTable(Protocol):
    """A table of this node that players join and leave themselves."""

    @property
    def table(self) -> str:
        """Its id."""

    def seated(self) -> list[int]:
        """Return the accounts with a seat."""

    def send_away(self, account: int) -> None:
        """Let the account sit out from the next hand on, or leave if it does so already."""

    def leave(self, account: int) -> None:
        """Let the account leave, after a hand in progress."""


class WatchLedger(LimitLedger, StandingLedger, Protocol):
    """The part of the ledger that is asked here."""


class Connected(Protocol):
    """The accounts that are connected to this node."""

    def accounts(self) -> Collection[int]:
        """Return them."""

    def deliver(self, account: int, outgoing: Outgoing | Bundle) -> None:
        """Send a message to all connections of the account."""

    def end(self, account: int) -> None:
        """Close all connections of the account."""

    def mute(self, account: int, until_ms: int | None) -> None:
        """Note until when the account may not chat (None: it may), and tell it if that is new."""


class PlayWatch:
    """The watch of one node. `unregister` returns an account's entry in the tournament of an offer that is filling."""

    def __init__(
        self,
        ledger: WatchLedger,
        connections: Connected,
        tables: Callable[[], Iterable[WatchedTable]],
        unregister: Callable[[int, str], Deferred[str]],
    ) -> None:
        self._ledger = ledger
        self._connections = connections
        self._tables = tables
        self._unregister = unregister
        self._returning: set[tuple[int, str]] = set()

    @as_deferred
    async def bar(self) -> None:
        """Apply exclusions, locks and mutes: end connections, seats, registrations and chats."""
        tables = list(self._tables())
        connected = list(self._connections.accounts())
        try:
            found = await self._ledger.barred(connected, _seated(tables))
        except LedgerUnavailable:
            return
        muted_until_ms = {one.account: one.until_ms for one in found if one.why == "muted"}
        for account in connected:
            self._connections.mute(account, muted_until_ms.get(account))
        for one in found:
            if one.why == "locked":
                self._connections.end(one.account)
            elif one.offer is not None:
                self._return(one.account, one.offer)
            for table in tables:
                if one.why == "seated" and one.account in table.seated():
                    table.leave(one.account)

    def _return(self, account: int, offer: str) -> None:
        """Give an entry back, once. It may wait behind a crowd, and locks and mutes do not wait with it."""
        entry = account, offer
        if entry not in self._returning:
            self._returning.add(entry)
            Deferred.fromCoroutine(self._return_entry(account, offer)).addErrback(log_fault).addBoth(
                lambda _: self._returning.discard(entry)
            )

    async def _return_entry(self, account: int, offer: str) -> None:
        try:
            await self._unregister(account, offer)
        except (LedgerRefusal, LedgerUnavailable, ConnectionError, TimeoutError, TooManyWaiting) as reason:
            # it has started meanwhile, another node was faster, or the next look tries again
            _log.info("exclusion.still_entered", account=account, offer=offer, reason=str(reason))

    @as_deferred
    async def look(self) -> None:
        """Count the time of play, send notices, and let players leave when their time is over."""
        await self.bar()
        tables = list(self._tables())
        seated = _seated(tables)
        connected = self._connections.accounts()
        if not seated and not connected:
            return
        try:
            found = await self._ledger.watch_play(connected, seated, WATCH_S)
        except LedgerUnavailable:
            return
        for one in found:
            self._tell(one)
        over = {one.account for one in found if one.left_s is not None and one.left_s <= 0}
        for table in tables:
            for account in over.intersection(table.seated()):
                _log.info("session_limit.reached", account=account, table=table.table)
                table.send_away(account)

    def _tell(self, one: PlayWatched) -> None:
        if one.check_due:
            self._connections.deliver(
                one.account, Outgoing(wire.RealityCheck(played_s=one.played_s, net=one.net))
            )
        if one.left_s is None or one.ends_ms is None:
            return
        before_s = one.left_s + one.added_s
        if one.left_s <= NOTICE_S < before_s or one.left_s <= 0 < before_s:
            left_s = max(0, one.left_s)
            self._connections.deliver(
                one.account, Outgoing(wire.SessionLimit(left_s=left_s, until_ms=one.ends_ms))
            )


def _seated(tables: Iterable[WatchedTable]) -> set[int]:
    return {account for table in tables for account in table.seated()}
