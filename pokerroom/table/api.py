"""A table as the rest of the room sees it: ownership, cluster, lobby and operator do not care what is played there.

A hold'em table is one such actor (`actor`). What all of them share is in `base`. Knows no rules and no seats.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from twisted.internet.defer import Deferred

from pokerroom.ledger.api import SeatRow
from pokerroom.table.outbox import Outbox, Viewer
from pokerroom_protocol import messages as wire

SeatOffered: TypeAlias = Callable[[int | None, int], None]
"""Gets the number of a seat that is held and until when (epoch milliseconds), or None and 0."""


LobbyRow: TypeAlias = wire.TableInfo | wire.UltimateInfo
"""A table's line in the lobby."""


class ActorSettings(Protocol):
    """What an operator sets for one table, as far as it is the same whatever is played."""

    @property
    def table(self) -> str:
        """Its id, under which money on it is booked."""

    @property
    def name(self) -> str:
        """For people."""

    @property
    def seats_max(self) -> int:
        """The highest number of a seat."""

    @property
    def seats(self) -> int | None:
        """So many can sit here; None: as many as want to."""

    @property
    def waited_for(self) -> Hashable | None:
        """A seat here is as good as one at any table where this is equal; None: nobody waits for one."""

    @property
    def listed(self) -> bool:
        """Whether it is one of the tables that clients list."""

    @property
    def observer_delay_s(self) -> int:
        """Who has no seat sees the table so much later."""

    @property
    def chat_length_max(self) -> int:
        """Characters; 0: no chat."""

    @property
    def chat_per_minute(self) -> int:
        """Lines of one account."""

    def info(self, occupied: int, players: int, *, waiting: int = 0, closing: bool = False) -> LobbyRow:
        """The table's line in the lobby."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFacts:
    """A table for its operator; see `ops.reports.TableReport`, of which these are the table's own part."""

    state: str
    closing: bool
    hand_id: str | None
    occupied: int
    connected: int
    waiting: int
    crashes: int
    frozen: str | None


class TableActor(Protocol):
    """One table that lives on this node. Every method but the questions is a door into its mailbox."""

    # --- questions --------------------------------------------------------------------------------------------------

    @property
    def settings(self) -> ActorSettings:
        """What the operator has set."""

    @property
    def epoch(self) -> int:
        """Under which it lives here."""

    @property
    def state_name(self) -> str:
        """One word for the operator; `frozen` where nothing moves."""

    @property
    def frozen_by(self) -> str | None:
        """Who or what has frozen it."""

    @property
    def closing(self) -> bool:
        """Whether the operator lets nobody sit down any more."""

    @property
    def outbox(self) -> Outbox:
        """Who watches."""

    def info(self) -> LobbyRow:
        """The table's line in the lobby."""

    def facts(self) -> TableFacts:
        """For the operator."""

    def players(self) -> int:
        """How many are dealt in, whether something is in progress or not; the table's load follows from it."""

    def holders(self) -> list[int]:
        """The accounts that have a seat, or are about to."""

    def seated(self) -> list[int]:
        """Those of them whose seat is booked."""

    def handoff_state(self) -> bytes:
        """What the journal would say of it between two hands; the hand in progress is no part of it."""

    def unanswered(self) -> list[tuple[Viewer, int]]:
        """Clients and the requests of theirs that are not answered: a table that is relinquished answers none."""

    # --- clients ----------------------------------------------------------------------------------------------------

    def request(self, viewer: Viewer, message: wire.Request) -> None:
        """A client's message for this table."""

    def rejoin(self, viewer: Viewer) -> None:
        """A client that watched this table at its last owner, or has missed events: it is shown the table, unasked."""

    def viewer_gone(self, viewer: Viewer) -> None:
        """A client's connection is lost, or it logged out."""

    def offer_seat(self, account: int, told: SeatOffered) -> None:
        """Holds a free seat for somebody from the waiting list."""

    def withdraw_offer(self, account: int) -> None:
        """Who was offered a seat from the waiting list is not waiting any more."""

    # --- its owner --------------------------------------------------------------------------------------------------

    def restore(self, rows: list[SeatRow], entries: list[bytes], settled: frozenset[str]) -> None:
        """The table as ledger and journal know it, when it has come to live here."""

    def suspended(self) -> None:
        """The node may not act: the table waits, and its players are told."""

    def lease_renewed(self, *, clocks_anew: bool) -> None:
        """The node may act again: what waited goes on, if need be with whole clocks."""

    def hand_over(self) -> Deferred[None]:
        """No new hand, as the table is to live elsewhere; nobody is told. Fires when nothing is under way."""

    def drain(self) -> Deferred[None]:
        """No new hand, as the room goes down. Fires when none is in progress and nothing waits for the ledger."""

    def relinquish(self) -> None:
        """It has another owner, or its node goes down: it stops at once, and tells, stores and asks nothing any more.

        What is in progress is left to the journal.
        """

    # --- the operator -----------------------------------------------------------------------------------------------

    def close(self) -> Deferred[None]:
        """No new players; what is in progress is the last. Fires when the last seat is free."""

    def reopen(self) -> None:
        """Players may sit down again."""

    def freeze(self) -> Deferred[None]:
        """It stops where it is until `resume`. Fails with `operating.OrderRefused`, as do the next two."""

    def resume(self) -> Deferred[None]:
        """A frozen table goes on."""

    def void_hand(self, *, complete: bool = False) -> Deferred[str]:
        """What is in progress at a frozen table is void; fires with its id.

        Refused with `hand_complete` where nothing is left to decide, unless that is what `complete` asks for.
        """


class TournamentActor(TableActor, Protocol):
    """The table of a sit-and-go: what the operator may do to it, beside what he may do to any table.

    Each fires once it is stored, whichever node runs the table afterwards, and fails with `operating.OrderRefused`:
    `tournament_not_running`, `paused`, `not_paused`, `tournament_prizes_won`, `table_frozen`, `table_stopped`.
    """

    def pause(self) -> Deferred[None]:
        """The hand in progress is played out, no other is dealt, and the clock of the level stands."""

    def unpause(self) -> Deferred[None]:
        """It goes on from where it stood."""

    def roll_back(self) -> Deferred[None]:
        """All get their buy-ins back, with the fee; a hand in progress is void (I3). Also while the table is held."""

    def roll_forward(self) -> Deferred[None]:
        """Who is left shares what is left of the prizes (I3); a hand in progress is void."""
