"""The part of a simulated client that its habits and its mistakes use.

`client` implements it, and calls `habits` and `blunders`; these know nothing else of it.
"""

from __future__ import annotations

from typing import Protocol

from pokerroom.simulation.clock import VirtualClock
from pokerroom.simulation.faults import Dice
from pokerroom.simulation.scenario import ClientPlan
from pokerroom.simulation.streams import Stream
from pokerroom_protocol import messages as wire
from pokerroom_protocol.session import ClientSession


class Chance(Protocol):
    """When and whether something happens."""

    clock: VirtualClock
    dice: Dice


class KnownAccount(Protocol):
    """An account that the client uses; `known` tells whether it exists, as far as the client knows."""

    name: str
    password: str
    known: bool


class ActingClient(Protocol):
    """A client that decides, sends requests and keeps its wishes."""

    plan: ClientPlan
    stream: Stream
    session: ClientSession
    balance: int | None
    resumed: bool
    waits: set[tuple[str, type[wire.Request]]]
    resting: dict[str, float]
    floor: dict[str, int]
    had: dict[str, int]

    @property
    def world(self) -> Chance:
        """The clock and the dice of the run."""

    @property
    def account(self) -> KnownAccount:
        """The account that the client uses now."""

    def ask(self, request: wire.ClientMessage, *, at_s: float | None = None, overtakes: bool = False) -> None:
        """Send a request."""

    def wish(self, request: wire.ClientMessage) -> None:
        """Send a request, unless one of its kind for the same table has no answer yet."""

    def consider(self, table: str) -> None:
        """Begin to think if the room asks for a decision."""

    def log_out(self) -> None:
        """Log out, whatever is under way."""
