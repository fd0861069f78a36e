"""What a table asks of the game that is played at it, in five small interfaces.

A table has a game (`Game`). The game is a composition of parts, and each of its parts answers one kind of question.
After a fault the table makes a new game in place of one whose state may be wrong. Knows no rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from twisted.internet.defer import Deferred

from pokerroom.ledger.api import SeatRow
from pokerroom.table.announcer import Announcer
from pokerroom.table.api import LobbyRow, SeatOffered
from pokerroom.table.context import TableContext
from pokerroom.table.drain import Drain
from pokerroom.table.journal_writer import JournalWriter
from pokerroom.table.ledger_requests import LedgerRequests
from pokerroom.table.mailbox import Mailbox
from pokerroom.table.operator_orders import OperatorOrders, Voided
from pokerroom.table.restarts import TableRestarts
from pokerroom.table.snapshots import Snapshots
from pokerroom.table.viewer import Viewer
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code


class GamePlay(Protocol):
    """The hands or rounds of a game, one after the other."""

    @property
    def state_name(self) -> str:
        """One word for the operator; `frozen` where nothing moves."""

    def hand_id(self) -> str | None:
        """Return the id of the hand or round in progress, settled or not; in a frozen table of the one that was."""

    def unfinished(self) -> bool:
        """Return whether a player is there to finish what is in progress, so that it is worth waiting for."""

    def rest_no_more(self) -> None:
        """End a pause after a result: there is no next hand here."""

    def hold_clocks(self) -> None:
        """Stop the clocks of decisions: clients cannot act for a while."""

    def restart_clocks(self) -> None:
        """Give what is awaited its whole clock once more: clients can act again [D]."""

    def consider_next(self) -> None:
        """Begin the next hand or round if nothing stands in the way."""

    def go_on(self) -> None:
        """Ask the players to act, after a restart and when all viewers have been shown the table."""

    def abandon(self) -> None:
        """Stop at once, for a fault or the operator; what is in progress is kept for inspection."""

    def stop(self) -> None:
        """Leave nothing on the clock: what is in progress is left to journal and ledger."""


class GameSeats(Protocol):
    """The accounts that take part, and whether they are there."""

    @property
    def closing(self) -> bool:
        """Whether the operator lets no player sit down any more."""

    def holders(self) -> list[int]:
        """Return the accounts that have a seat, or are about to."""

    def seated(self) -> list[int]:
        """Return the accounts with a booked seat."""

    def connected(self) -> int:
        """Return the number of seats whose holder is connected."""

    def empty(self) -> bool:
        """Return whether no account has a seat or is about to."""

    def holds_seat(self, account: int | None) -> bool:
        """Return whether the account has a seat here, or is about to: then it cannot stop watching."""

    def attached(self, account: int | None) -> None:
        """The account watches the table: if it has a seat, its holder is here."""

    def detached(self, viewer: Viewer) -> None:
        """A viewer is gone."""

    def close_doors(self) -> None:
        """Let no new player sit down, by the operator's order."""

    def open_doors(self) -> None:
        """Let players sit down again, by the operator's order."""

    def offer_seat(self, account: int, offered: SeatOffered) -> None:
        """Hold a free seat for an account from the waiting list; `offered` gets its number and until when, or None."""

    def withdraw_offer(self, account: int) -> None:
        """Give up the seat that is held for an account from the waiting list."""

    def abandon(self) -> None:
        """The game is broken off, and another takes its place: change nothing any more."""

    def stop(self) -> None:
        """Leave nothing on the clock."""


class GameView(Protocol):
    """What others may know of the game."""

    def info(self) -> LobbyRow:
        """Return the table's row in the lobby."""

    def players(self) -> int:
        """Return how many are dealt in, whether a hand is in progress or not: the table's load follows from it."""

    def waiting(self) -> int:
        """Return how many accounts wait for a seat here."""

    def when_settled(self, then: Callable[[], None], *, first: bool = False) -> None:
        """Call `then` now, or once the result on its way to the ledger is there; `first`: ahead of seat changes."""

    def sees_now(self, account: int | None) -> bool:
        """Return whether the account sees the table at once where spectators see it later."""

    def snapshot(self, account: int | None, re: int | None) -> wire.Snapshot | wire.UltimateSnapshot:
        """Return the visible state of the table, as this account may see it."""


class GameRecovery(Protocol):
    """The game rebuilt from journal and ledger, and what it writes for that."""

    def restore(self, rows: list[SeatRow], entries: list[bytes], settled: frozenset[str]) -> None:
        """Begin as ledger and journal know the table, which has come to live here."""

    async def standing(self) -> Any:
        """Return what ledger and journal say of the table; waits for them as long as it takes."""

    def restart(self, found: Any, before: Any, goes_on: Callable[[str], None]) -> None:
        """Begin after a fault, as `standing` says, in place of the game `before`.

        Tell what became void, then call `goes_on` with the sentence with which the table goes on, and only then write
        to the journal: an event that waits for the journal would be covered by the snapshot that follows, unheard.
        """

    def restarted(self) -> None:
        """The restart is done: all viewers have been shown the table."""

    def handoff_entry(self) -> bytes:
        """Return what the journal would say of the table between two hands; the hand in progress is no part of it."""

    def frozen_entry(self, *, frozen: bool) -> bytes:
        """Return the journal's entry of the operator's freeze, or of its end."""

    @property
    def ledger_voids(self) -> bool:
        """Whether the ledger is about to declare what is in progress void: the table must not go on meanwhile."""

    async def prepare_void(self, *, complete: bool) -> Any:
        """Ask journal and ledger about what is in progress, to declare it void. Raises `OrderRefused`."""

    def declare_void(self, prepared: Any, *, complete: bool) -> Voided:
        """Say what is void. Raises `OrderRefused`."""


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


MakeGame = Callable[[GamePorts], Game]
