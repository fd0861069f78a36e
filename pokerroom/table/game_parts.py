"""What a table asks of the parts of its game. Each part answers one kind of question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from pokerroom.ledger.api import SeatRow
from pokerroom.table.api import LobbyRow, SeatOffered
from pokerroom.table.viewer import Broadcast, Viewer
from pokerroom_protocol import messages as wire


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
        """Return the number of seats with a connected holder."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Voided:
    """What the game says of a hand or round that is declared void."""

    hand_id: str
    ended: Broadcast
    """Its end, for the clients."""
    entry: bytes
    """What the journal keeps in place of it."""


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
