"""The game that is played at a table, and what the table gives it.

A table has a game (`Game`), a composition of parts (`game_parts`). After a fault the table makes a new game in place of
one with a state that may be wrong. Knows no rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from twisted.internet.defer import Deferred

from pokerroom.table.announcer import Announcer
from pokerroom.table.context import TableContext
from pokerroom.table.drain import Drain
from pokerroom.table.game_parts import GamePlay, GameRecovery, GameSeats, GameView
from pokerroom.table.journal_writer import JournalWriter
from pokerroom.table.ledger_requests import LedgerRequests
from pokerroom.table.mailbox import Mailbox
from pokerroom.table.operator_orders import OperatorOrders
from pokerroom.table.restarts import TableRestarts
from pokerroom.table.snapshots import Snapshots
from pokerroom.table.viewer import Viewer
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code


class Game(Protocol):
    """One incarnation of the game at a table."""

    @property
    def play(self) -> GamePlay:
        """Its hands or rounds."""

    @property
    def seats(self) -> GameSeats:
        """Its players."""

    @property
    def view(self) -> GameView:
        """What is shown of it."""

    @property
    def recovery(self) -> GameRecovery:
        """How it is rebuilt."""

    def stranger(self, viewer: Viewer, message: wire.Request) -> bool:
        """Return whether only players may send this request, and the viewer is none: then it learns nothing more."""

    def admit(self, viewer: Viewer, message: wire.Request) -> Code | None:
        """Take note of any request, ahead of its handling; return why it cannot be taken now, if so."""

    def handle(self, viewer: Viewer, message: wire.Request) -> None:
        """Handle a client's request that is about the game."""


class TableControl(Protocol):
    """What a game may ask of its table."""

    @property
    def frozen(self) -> bool:
        """Whether nothing moves, by a fault or by the operator."""

    @property
    def by_operator(self) -> bool:
        """Whether the operator has frozen it."""

    @property
    def relinquished(self) -> bool:
        """Whether the table has another owner: what happens here counts no more."""

    def close(self) -> Deferred[None]:
        """Close the table, as the operator does."""

    def attached(self, account: int) -> None:
        """Tell the present game that the account watches the table."""

    def detached(self, viewer: Viewer) -> None:
        """Tell the present game that a viewer is gone."""

    def consider_closed(self) -> None:
        """Tell that the table is closed, if it is closing and empty."""

    def after_restart(self, then: Callable[[], Any]) -> None:
        """Call `then` once the table goes on, or at once if it does."""

    def lost_ownership(self) -> None:
        """The ledger says that the table has another owner: stop here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePorts:
    """What a table gives its game; each part of the game takes what it needs of it."""

    context: TableContext
    mailbox: Mailbox
    announcer: Announcer
    writer: JournalWriter
    requests: LedgerRequests
    snapshots: Snapshots
    drain: Drain
    restarts: TableRestarts
    orders: OperatorOrders
    table: TableControl

    def over(self) -> None:
        """Say that nothing more is played here, and all viewers have been told; drop the journal."""
        self.writer.forget()
        self.context.over()


MakeGame = Callable[[GamePorts], Game]
