"""What follows single requests through the room, as the parts see it that a request passes. Most rooms have none.

A request is followed from its connection to its answer, with what it brings about: the step in the journal, what all
viewers are told, and the hand in the ledger. A part is asked only where there are traces.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pokerroom.coordination.api import Journal
from pokerroom.table.context import HandSettler
from pokerroom.table.outgoing import Bundle, Outgoing


class ConnectionTraces(Protocol):
    """The traced requests of one connection."""

    def begin(self, table: str, kind: str, re: int, handle: Callable[[], None]) -> None:
        """Call `handle`, which hands request `re` of this kind to the table; follow it, or not."""

    def delivered(self, outgoing: Outgoing | Bundle) -> None:
        """Note what the client is sent: the answer ends a trace."""

    def end(self) -> None:
        """Note that the connection is closed: what is not answered will not be."""


class Traces(Protocol):
    """Makes the traces of a node."""

    def connection(self) -> ConnectionTraces:
        """Return what follows the requests of a new connection."""

    def journal(self, journal: Journal) -> Journal:
        """Return a journal that also follows what is written, and what is told when it is stored."""

    def settler(self, settler: HandSettler) -> HandSettler:
        """Return a settler that also follows each hand."""

    def carried(self) -> str:
        """Return the present trace in the form in which it travels to another node; empty if there is none."""

    def arrived(self, carried: str, table: str, kind: str, handle: Callable[[], None]) -> None:
        """Call `handle`, which hands a request from another node to its table; follow it if a trace has travelled."""
