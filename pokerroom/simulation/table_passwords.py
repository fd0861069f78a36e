"""What people do with passwords of private tables: hosts set, change and remove them, and others come by them.

In some runs no table has any. The people of a run tell each other the passwords, as they do with links (`hosting`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Protocol

from pokerroom.simulation.hosting import Guest, Society
from pokerroom.simulation.streams import Stream
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

RUNS_PASSWORDS: Final = 0.4
"""In so many of the runs with hosts tables have passwords."""


@dataclass(slots=True)
class ToldPasswords:
    """The passwords that people know, by table. Draws are from a stream of its own."""

    stream: Stream
    has_hosts: bool
    known: dict[str, str] = field(default_factory=dict)
    happens: bool = field(init=False)

    def __post_init__(self) -> None:
        self.happens = self.has_hosts and self.stream.random() < RUNS_PASSWORDS


class PasswordSociety(Society, Protocol):
    """The surroundings of a client that knows passwords."""

    told_passwords: ToldPasswords


class PasswordGuest(Guest, Protocol):
    """A client that may come by a password."""

    @property
    def world(self) -> PasswordSociety:
        """The run."""


def look_around(client: PasswordGuest) -> None:
    """From time to time."""
    told, links = client.world.told_passwords, client.world.invitations.links
    if not told.happens:
        return
    draw = told.stream
    for table in [table for table, (_, host) in links.items() if host == client.account.name]:
        if draw.random() < 0.3:
            password = None if draw.random() < 0.2 else f"friends of {draw.randint(0, 10**9)}"
            client.wish(wire.SetTablePassword(id=0, table=table, password=password))
    elsewhere = [table for table in told.known if table in links and table not in client.plan.wanted]
    if elsewhere and draw.random() < 0.5:
        table = draw.choice(elsewhere)
        password = told.known[table] if draw.random() < 0.9 else "a guess of a stranger"
        client.wish(wire.EnterTable(id=0, table=table, password=password))


def answered(client: PasswordGuest, request: wire.ClientMessage) -> None:
    """The room has done what a client asked for."""
    if isinstance(request, wire.SetTablePassword):
        known = client.world.told_passwords.known
        if request.password is None:
            known.pop(request.table, None)
        else:
            known[request.table] = request.password


def refused(client: PasswordGuest, request: wire.ClientMessage, code: Code) -> None:
    """A password is void: people tell it no more."""
    known = client.world.told_passwords.known
    if (
        code is Code.WRONG_TABLE_PASSWORD
        and isinstance(request, wire.EnterTable)
        and known.get(request.table) == request.password
    ):
        del known[request.table]
