"""A table as the rest of the room sees it: ownership, cluster, lobby and operator do not care what is played there.

A hold'em table is one such actor (`actor`). What all of them share is in `base`. Knows no rules and no seats.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

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
