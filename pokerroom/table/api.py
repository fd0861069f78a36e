"""The port of a table to the rest of the room: ownership, cluster, lobby and operator do not depend on the game.

Every table is one `actor.TableActor` with a game. Knows no rules and no seats.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from pokerroom_protocol import messages as wire

SeatOffered: TypeAlias = Callable[[int | None, int], None]
"""Gets the number of a held seat and the end of the hold (epoch milliseconds), or None and 0."""


LobbyRow: TypeAlias = wire.TableInfo | wire.UltimateInfo
"""A table's row in the lobby."""


class ActorSettings(Protocol):
    """The settings of one table that do not depend on the game."""

    @property
    def table(self) -> str:
        """The table's id, under which its money is booked."""

    @property
    def name(self) -> str:
        """The table's name for players."""

    @property
    def seats_max(self) -> int:
        """The highest seat number."""

    @property
    def seats(self) -> int | None:
        """The number of seats; None: no limit."""

    @property
    def waited_for(self) -> Hashable | None:
        """Tables with an equal value serve the same waiting list; None: no waiting list."""

    @property
    def listed(self) -> bool:
        """Whether all clients list the table."""

    @property
    def free_to_leave(self) -> bool:
        """Whether players come and go as they like. Those of a tournament stay."""

    @property
    def observer_delay_s(self) -> int:
        """The delay of the table's view for accounts without a seat."""

    @property
    def chat_length_max(self) -> int:
        """Characters; 0: no chat."""

    @property
    def chat_per_minute(self) -> int:
        """The maximum number of chat messages of one account per minute."""

    def info(self, occupied: int, players: int, *, waiting: int = 0, closing: bool = False) -> LobbyRow:
        """Return the table's row in the lobby."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFacts:
    """The facts of a table for its operator: the table's own part of `ops.reports.TableReport`."""

    state: str
    closing: bool
    hand_id: str | None
    occupied: int
    connected: int
    waiting: int
    crashes: int
    frozen: str | None
