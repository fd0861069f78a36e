"""Watches how long accounts play: notes it, tells reality checks, and keeps limits of time.

Called every minute at each node, with the accounts that are connected here and those with seats at its own tables. One
call of the ledger serves all of them; nothing is done per action.

House choices: a limit of time is told five minutes before it is reached. Then the player sits out from the next hand
on, and a minute later leaves the table; the ledger gives no new seat. At a table against the house the player leaves at
once. A sit-and-go is played to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Final, Protocol

import structlog
from twisted.internet.defer import Deferred

from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.limits import LimitLedger, PlayWatched
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom_protocol import messages as wire

WATCH_S: Final = 60

NOTICE_S: Final = 300
"""[D] A limit of time is told when so much of it is left."""

_log = structlog.get_logger()


class WatchedTable(Protocol):
    """A table of this node at which players have seats of their own choice."""

    @property
    def table(self) -> str:
        """Its id."""

    def seated(self) -> list[int]:
        """Return the accounts with a seat."""

    def send_away(self, account: int) -> None:
        """Let the account sit out from the next hand on, or leave if it does so already."""


class PlayWatch:
    """The watch of one node. `connected` returns the accounts here, `deliver` sends a message to one of them."""

    def __init__(
        self,
        ledger: LimitLedger,
        connected: Callable[[], Collection[int]],
        deliver: Callable[[int, Outgoing | Bundle], None],
        tables: Callable[[], Iterable[WatchedTable]],
    ) -> None:
        self._ledger = ledger
        self._connected = connected
        self._deliver = deliver
        self._tables = tables

    def look(self) -> Deferred[None]:
        """Note, tell, and send away."""
        return Deferred.fromCoroutine(self._look())

    async def _look(self) -> None:
        tables = list(self._tables())
        seated = {account for table in tables for account in table.seated()}
        connected = self._connected()
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
            self._deliver(one.account, Outgoing(wire.RealityCheck(played_s=one.played_s, net=one.net)))
        if one.left_s is None or one.ends_ms is None:
            return
        before_s = one.left_s + one.added_s
        if one.left_s <= NOTICE_S < before_s or one.left_s <= 0 < before_s:
            left_s = max(0, one.left_s)
            self._deliver(one.account, Outgoing(wire.SessionLimit(left_s=left_s, until_ms=one.ends_ms)))
