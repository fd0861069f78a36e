"""A hosted table: what follows at the table when its host has decided something, and its end.

What the host has decided is the ledger's, and asked for (`context.TableHost`): so it holds at every owner of the table.
Runs inside the table's mailbox; knows no seats and no money.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from twisted.internet.interfaces import IReactorTime

from pokerroom.ledger.hosted_tables import HostedTableRow
from pokerroom.table.announcer import Announcer
from pokerroom.table.api import ActorSettings
from pokerroom.table.context import NO_HOST, TableHost
from pokerroom.table.game import Game
from pokerroom.table.mailbox import Mailbox
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.snapshots import Snapshots
from pokerroom.table.viewer import THE_ROOM, Viewer, public
from pokerroom_protocol import messages as wire

NOTICE_S: Final = 10.0
"""[D] Seconds between the news of other stakes and the first hand that has them.

A player has so long to leave. A hand is no measure for it: one may be over in a second.
"""


class TableHosting:
    """The part of a table for its host. `game` returns the present game, `over` gives up what is played no more.

    For the game it is the `TableHost`: a pause and other stakes hold from when the viewers have been told of them, and
    the stakes of a hand `NOTICE_S` later. A new owner of the table shows the stakes to all viewers before it deals.
    """

    def __init__(
        self,
        host: TableHost,
        clock: IReactorTime,
        mailbox: Mailbox,
        announcer: Announcer,
        snapshots: Snapshots,
        *,
        game: Callable[[], Game],
        over: Callable[[], None],
    ) -> None:
        self._host = host
        self._clock = clock
        self._mailbox = mailbox
        self._announcer = announcer
        self._snapshots = snapshots
        self._game = game
        self._over = over
        self._paused = host.paused
        self._settings = self._dealt = host.settings
        self._dealt_from_s = 0.0
        """When hands have `_settings`; until then they have `_dealt`."""
        self._row = host.row

    @property
    def paused(self) -> bool:
        """See `TableHost`."""
        return self._paused

    @property
    def settings(self) -> ActorSettings | None:
        """See `TableHost`."""
        return self._settings

    @property
    def dealt(self) -> ActorSettings | None:
        """See `TableHost`."""
        if self._clock.seconds() >= self._dealt_from_s:
            self._dealt = self._settings
        return self._dealt

    def admits(self, account: int | None) -> bool:
        """See `TableHost`."""
        return self._host.admits(account)

    @property
    def row(self) -> HostedTableRow | None:
        """See `TableHost`."""
        return self._host.row

    def takes(self, account: int) -> bool:
        """See `TableHost`."""
        return self._host.takes(account)

    def is_hidden_from(self, viewer: Viewer) -> bool:
        """Return whether this viewer may not know of the table. The room itself may ask for any account.

        A player that the host has removed sees and plays the hand in progress to its end: until the seat is given up.
        """
        return self._host is not NO_HOST and not (
            viewer.instance == THE_ROOM
            or self.admits(viewer.account)
            or self._game().seats.holds_seat(viewer.account)
        )

    def seats_changed(self) -> None:
        """Send those away who have lost their seat, and may not watch."""
        if self._host is not NO_HOST:
            for viewer in self._announcer.outbox.audience():
                if self.is_hidden_from(viewer):
                    self._send_away(viewer)

    def changed(self) -> None:
        """Act on what the host has decided: a pause or its end, other stakes, and what guests may do."""
        self._mailbox.post(self._changed)

    def end(self) -> None:
        """Give the table up: it is empty, and closed for good."""
        self._mailbox.post(self._over)

    def _changed(self) -> None:
        for viewer in self._announcer.outbox.audience():
            if self.is_hidden_from(viewer):
                self._send_away(viewer)
            elif self._has_news_for(viewer.account):
                news = wire.HostedTableNews(table=self._announcer.table)
                self._announcer.tell(answers=[(viewer, Outgoing(news))])
        self._row = self._host.row
        decided = self._host.settings
        if decided is not None and decided != self._settings:
            self._dealt = self.dealt
            self._settings = decided
            self._dealt_from_s = self._clock.seconds() + NOTICE_S
            info = self._game().view.info()
            if isinstance(info, wire.TableInfo):
                self._announcer.tell(public(self._stakes_changed(info)))
        if self._paused != self._host.paused:
            self._paused = self._host.paused
            event = wire.TablePaused(
                table=self._announcer.table, seq=self._announcer.next_seq(), paused=self._paused
            )
            self._announcer.tell(public(event))
            self._game().play.consider_next()

    def _has_news_for(self, account: int | None) -> bool:
        before, now = self._row, self._host.row
        return before is not None and now is not None and before.told(account) != now.told(account)

    def _stakes_changed(self, info: wire.TableInfo) -> wire.StakesChanged:
        return wire.StakesChanged(
            table=self._announcer.table,
            seq=self._announcer.next_seq(),
            small_blind=info.small_blind,
            big_blind=info.big_blind,
            small_bet=info.small_bet,
            big_bet=info.big_bet,
            min_buy_in=info.min_buy_in,
            max_buy_in=info.max_buy_in,
            straddle=info.straddle,
        )

    def _send_away(self, viewer: Viewer) -> None:
        self._announcer.outbox.unwatch(viewer)
        self._snapshots.gone(viewer)
        self._game().seats.detached(viewer)
        removed = wire.RemovedFromTable(table=self._announcer.table)
        self._announcer.tell(answers=[(viewer, Outgoing(removed))])
