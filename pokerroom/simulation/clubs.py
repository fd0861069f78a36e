"""What people do with clubs: some create them, invite others, issue chips, open tables for these chips, and close them.

The people of a run tell each other what they know of their clubs: `Fellowship`. A table of a club is a private table
(`hosting`) once a member has come to it. `ClubChecker` keeps the books.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from msgspec.structs import replace

from pokerroom.simulation.acting_client import ActingClient, Chance
from pokerroom.simulation.hosting import private_table
from pokerroom.simulation.streams import Stream
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

RUNS_CLUBS = 0.5
"""In so many of the runs with hosts people have clubs."""

CHIPS = (20_000, 100_000, 300_000, -500, -100_000)
"""What a manager issues to a member, or takes back."""

FIRST_CHIPS = 0.5
"""So many of the members without chips are issued some when a manager sees the club."""


@dataclass(slots=True)
class Fellowship:
    """The clubs that are known, as they were told last. `stream` decides what is done with them."""

    stream: Stream
    has_hosts: bool
    happens: bool = field(init=False)
    clubs: dict[str, wire.ClubView] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.happens = self.has_hosts and self.stream.random() < RUNS_CLUBS


class FellowWorld(Chance, Protocol):
    """The surroundings of a client that is in clubs."""

    fellowship: Fellowship


class Fellow(ActingClient, Protocol):
    """A client that may be in clubs."""

    @property
    def world(self) -> FellowWorld:
        """The run."""


def came(client: Fellow) -> None:
    """The client is logged in, and may have created a club without hearing of it."""
    if client.world.fellowship.happens and client.plan.hosts:
        client.wish(wire.GetClubs(id=0))


def look_around(client: Fellow) -> None:
    """From time to time."""
    known = client.world.fellowship
    draw = known.stream
    if not known.happens or draw.random() < 0.2:
        return
    if not known.clubs:
        return
    club = known.clubs[draw.choice(sorted(known.clubs))]
    if _role(client, club) is not None:
        client.wish(_order(client, club))
    elif club.code is not None:
        client.wish(wire.JoinClub(id=0, code=club.code))
    if draw.random() < 0.05:
        for request in _blunder(draw):
            client.ask(request)


def _role(client: Fellow, club: wire.ClubView) -> str | None:
    return next((member.role for member in club.members if member.name == client.account.name), None)


def _order(client: Fellow, club: wire.ClubView) -> wire.ClientMessage:
    """An order of any member, also of one that may not give it."""
    draw, own = client.world.fellowship.stream, club.club
    name = draw.choice([*(member.name for member in club.members), "no.body"])
    roll = draw.random()
    if roll < 0.25:
        return _issue(draw, own, name, draw.choice(CHIPS))
    if roll < 0.35:
        return replace(private_table(draw), club=own)
    if roll < 0.8:
        return wire.GetClub(id=0, club=own)
    return draw.choice(
        [
            wire.GetClubResults(id=0, club=own),
            wire.RemoveMember(id=0, club=own, name=name),
            wire.LeaveClub(id=0, club=own),
            wire.SetClubRole(id=0, club=own, name=name, role=draw.choice(["member", "manager", "owner"])),
            wire.SetClubCode(id=0, club=own, invites=draw.random() < 0.8),
            wire.CloseClub(id=0, club=own),
            wire.CloseClubTable(id=0, table=draw.choice([table.info.table for table in club.tables]))
            if club.tables
            else wire.GetClub(id=0, club=own),
        ]
    )


def _issue(draw: Stream, club: str, name: str, amount: int) -> wire.MoveClubChips:
    key = f"club-{draw.randint(0, 10**9):09d}"
    return wire.MoveClubChips(id=0, club=club, name=name, amount=amount, key=key)


def _blunder(draw: Stream) -> list[wire.ClientMessage]:
    """What the room has to refuse, if not all of it."""
    requests: list[list[wire.ClientMessage]] = [
        [wire.JoinClub(id=0, code="x" * 22)],
        [wire.GetClub(id=0, club="0" * 10)],
        [wire.CreateClub(id=0, name="another club")] * 4,
    ]
    return draw.choice(requests)


def answered(client: Fellow, request: wire.ClientMessage, answer: wire.ServerMessage) -> None:
    """The room has told a client of its clubs."""
    clubs = client.world.fellowship.clubs
    match answer:
        case wire.Club():
            _told(client, answer.club)
        case wire.Clubs():
            for line in answer.clubs:
                client.ask(wire.GetClub(id=0, club=line.club))
            if client.plan.hosts and all(line.your_role != "owner" for line in answer.clubs):
                client.wish(wire.CreateClub(id=0, name="club"))
        case wire.Ok() if isinstance(request, wire.CloseClub):
            clubs.pop(request.club, None)
            client.wish(wire.GetClubs(id=0))
        case wire.Ok() if isinstance(request, wire.LeaveClub) and request.club in clubs:
            _without(client, request.club)
        case _:
            pass


def _told(client: Fellow, view: wire.ClubView) -> None:
    """Keep the code that a manager is told, come to the tables, and issue the first chips."""
    draw = client.world.fellowship.stream
    before = client.world.fellowship.clubs.get(view.club)
    kept = view.code or (None if before is None else before.code)
    client.world.fellowship.clubs[view.club] = replace(view, code=kept)
    for table in view.tables:
        if table.info.table not in client.plan.wanted:
            client.wish(wire.JoinClubTable(id=0, table=table.info.table))
    if client.world.dice.quiet or _role(client, view) == "member":
        return
    for member in view.members:
        if not member.balance and draw.random() < FIRST_CHIPS:
            client.ask(_issue(draw, view.club, member.name, CHIPS[1]))


def _without(client: Fellow, club: str) -> None:
    view = client.world.fellowship.clubs[club]
    left = [member for member in view.members if member.name != client.account.name]
    client.world.fellowship.clubs[club] = replace(view, members=left)


def refused(client: Fellow, request: wire.ClientMessage, code: Code) -> None:
    """A club is closed, the client is no member any more, or a code is void."""
    clubs = client.world.fellowship.clubs
    club = str(getattr(request, "club", ""))
    if code is Code.UNKNOWN_CLUB and club in clubs:
        _without(client, club)
        if not clubs[club].members:
            del clubs[club]
    if code is Code.UNKNOWN_CLUB_CODE and isinstance(request, wire.JoinClub):
        for known, view in list(clubs.items()):
            if view.code == request.code:
                clubs[known] = replace(view, code=None)
