"""Clubs in a room of private sit-and-gos: hosts run one, and members open sit-and-gos that are played for its chips.

What people know of their clubs they tell each other, as at cash tables (`simulation.clubs`), which keeps that, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from msgspec.structs import replace

from pokerroom.simulation import clubs
from pokerroom.simulation.clubs import Fellow
from pokerroom.simulation.streams import Stream
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

OPENS = 0.25
"""So often a member opens a sit-and-go of the club when it looks around."""


def look_around(client: Fellow, sit_and_go: Callable[[Stream], wire.CreateSitAndGo]) -> None:
    """From time to time: join a club, or do something in it."""
    known = client.world.fellowship
    draw = known.stream
    if not known.happens or not known.clubs or draw.random() < 0.2:
        return
    club = known.clubs[draw.choice(sorted(known.clubs))]
    if all(member.name != client.account.name for member in club.members):
        if club.code is not None:
            client.wish(wire.JoinClub(id=0, code=club.code))
    elif draw.random() < OPENS:
        client.wish(replace(sit_and_go(draw), club=club.club))
    elif draw.random() < 0.7:
        client.wish(wire.GetClub(id=0, club=club.club))
    else:
        client.wish(_order(draw, club))


def _order(draw: Stream, club: wire.ClubView) -> wire.ClientMessage:
    """An order of any member, also of one that may not give it."""
    name = draw.choice([member.name for member in club.members])
    orders: list[wire.ClientMessage] = [
        wire.GetClubResults(id=0, club=club.club),
        wire.RemoveMember(id=0, club=club.club, name=name),
        wire.LeaveClub(id=0, club=club.club),
        wire.SetClubRole(id=0, club=club.club, name=name, role=draw.choice(["member", "manager"])),
        wire.CloseClub(id=0, club=club.club),
    ]
    orders += [
        wire.ChangeSitAndGo(id=0, tournament=one.tournament, order="cancel") for one in club.sit_and_gos[:1]
    ]
    return draw.choice(orders)


def answered(
    client: Fellow, request: wire.ClientMessage, answer: wire.ServerMessage, known: Collection[str]
) -> None:
    """The room has told of clubs: come to their sit-and-gos that are not among the `known`."""
    clubs.answered(client, request, answer)
    match answer:
        case wire.Club():
            for one in answer.club.sit_and_gos:
                if one.tournament not in known:
                    client.wish(wire.JoinClubTable(id=0, table=one.tournament))
        case wire.Error():
            clubs.refused(client, request, Code(answer.code))
        case _:
            pass
