"""What people ask about each other: they note players, read their notes, and look at statistics.

`PrivateNoteChecker` looks at what the room tells them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from pokerroom.simulation.acting_client import ActingClient, Chance
from pokerroom.simulation.streams import Stream
from pokerroom_protocol import messages as wire

RUNS_NOTE = 0.25
"""In so many of the runs with faults of the ledger people note players."""


@dataclass(slots=True)
class Curiosity:
    """What the people of a run ask about each other. `stream` decides it.

    They do so in some of the runs in which the ledger fails, for it alone has notes and statistics.
    """

    stream: Stream
    ledger_fails: bool
    happens: bool = field(init=False)

    def __post_init__(self) -> None:
        self.happens = self.ledger_fails and self.stream.random() < RUNS_NOTE


class NotingWorld(Chance, Protocol):
    """The surroundings of a client that notes players."""

    curiosity: Curiosity


class Noter(ActingClient, Protocol):
    """A client that may note players."""

    @property
    def world(self) -> NotingWorld:
        """The run."""


def look_around(client: Noter) -> None:
    """From time to time: note a player of a table, also oneself or no player, or read."""
    draw = client.world.curiosity.stream
    if not client.world.curiosity.happens or draw.random() < 0.5:
        return
    names = [seat.name for table in client.session.tables.values() for seat in table.seats]
    player = draw.choice([*names, "no.body"])
    roll = draw.random()
    if roll < 0.4:
        text = draw.choice([None, f"{client.account.name} noted {draw.randint(1, 99)}"])
        color = draw.choice([None, "red", "blue"])
        client.ask(wire.SetPlayerNote(id=0, player=player, text=text, color=color))  # type: ignore[arg-type] # one of both
    elif roll < 0.6:
        client.ask(wire.GetPlayerNotes(id=0, players=names[:10]))
    elif roll < 0.8:
        client.ask(wire.GetPlayerNotes(id=0, limit=draw.choice([1, 50])))
    elif roll < 0.9 and names:
        client.ask(wire.GetOpponents(id=0, players=names[:10], game=draw.choice(["holdem", "omaha"])))
    else:
        client.ask(wire.GetStatistics(id=0, player=draw.choice([None, player])))
