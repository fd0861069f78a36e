"""What a game has of its own in a simulated room; all else is the same for every game. `games` names them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.room import Room
from pokerroom.simulation.checks.referee import Referee
from pokerroom.simulation.client import SimulatedClient
from pokerroom.simulation.clock import VirtualClock
from pokerroom.simulation.operator import SimulatedOperator
from pokerroom.simulation.scenario import Scenario
from pokerroom.table.seal import Seal

R = TypeVar("R", bound=Referee)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedGame(Generic[R]):
    """One game. Its parts are made once for each run."""

    scenario: Callable[[int], Scenario]
    """Draws the scenario of a seed."""
    referee: Callable[[Scenario, VirtualClock, bool], R]
    """Makes the referee. The flag is `run.STRICT`."""
    seal: Callable[[R], Seal]
    """Makes the seal that tells the referee every deck."""
    client: type[SimulatedClient]
    client_stream: str
    """Random streams are named, and the seed's outcome follows from their names."""
    operator: type[SimulatedOperator[R]]
    operator_stream: str
    audit: Callable[[R, MemoryLedger], None]
    """Shows the referee the whole ledger."""
    may_have_wallet: bool = True
    """Whether the operator may have a wallet of its own; Ultimate takes bets from the account, without a call."""
    stopping: Callable[[R, Room, MemoryLedger], None] = lambda referee, room, ledger: None  # noqa: ARG005 -- optional
    """Called after each step while the room stops."""
