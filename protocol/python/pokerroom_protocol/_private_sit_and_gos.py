"""Messages about private sit-and-gos, which a player opens for those who have the link."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from ._answers import Answer
from ._declarations import LOGGED_IN, declare, declare_request
from ._fields import (
    Amount,
    ClubId,
    GameName,
    HostedName,
    LinkCode,
    PlayerName,
    RequestId,
    Structure,
    TableId,
    TournamentId,
)
from ._requests import Request

_NAME = "private:7k2mq0xw94.1"
_CLUB = "4m7q0x2kw9"
_HOSTED = "host:7k2mq0xw94"
_CODE = "q8Zl0c1yQm2rT5uVwX9aBd"

Blind = Annotated[int, Meta(ge=1, le=10**9, description="Tournament chips")]


class PrivateLevel(Struct, frozen=True, kw_only=True):
    """One level of the structure. Blinds and ante are tournament chips."""

    small_blind: Annotated[Blind, Meta(description="At fixed limit it follows from the small bet")]
    big_blind: Annotated[Blind, Meta(description="At fixed limit the small bet; the big bet is twice that")]
    length_s: Annotated[int, Meta(ge=10, le=7_200, description="Length of the level, seconds")]
    big_blind_ante: Annotated[int, Meta(ge=0, le=10**9, description="The ante that the big blind pays")] = 0


class CreateSitAndGo(Request, frozen=True, kw_only=True, tag="create_sit_and_go"):
    """Create a private sit-and-go; you are its host, and may play too. It starts when all seats are taken.

    No part of the buy-in is for the room. After the last level the blinds double with each level.
    """

    name: HostedName
    seats: Annotated[int, Meta(ge=2, le=10, description="Number of seats, at one table")]
    buy_in: Annotated[
        Amount,
        Meta(description="What an entry costs: all of it is for the prizes. 0: it is free, without prizes"),
    ]
    starting_stack: Annotated[int, Meta(ge=1, le=10**9, description="Tournament chips of each player")]
    levels: Annotated[list[PrivateLevel], Meta(min_length=1, max_length=60, description="Levels in order")]
    prize_shares: Annotated[
        list[Annotated[int, Meta(ge=1, le=10_000)]],
        Meta(
            max_length=10,
            description="The prizes in 1/100 %, the best place first: 10000 together; none if an entry is free. If it "
            "starts with fewer players than places, the table of the room counts",
        ),
    ]
    game: Annotated[GameName, Meta(description="Game")] = "holdem"
    structure: Structure = "no_limit"
    action_clock_s: Annotated[
        int, Meta(ge=5, le=120, description="Time for a decision, seconds; the second half is a countdown")
    ] = 20
    chat: Annotated[bool, Meta(description="The table has a chat")] = True
    club: Annotated[
        ClubId | None,
        Meta(description="It is for members of this club, and played for its chips; null: from the wallet"),
    ] = None


_EXAMPLE = CreateSitAndGo(
    id=63,
    name="Friday final",
    seats=6,
    buy_in=1_000,
    starting_stack=1_500,
    levels=[
        PrivateLevel(small_blind=10, big_blind=20, length_s=300),
        PrivateLevel(small_blind=20, big_blind=40, length_s=300, big_blind_ante=40),
    ],
    prize_shares=[6_500, 3_500],
)

declare_request(
    _EXAMPLE,
    replace(_EXAMPLE, club=_CLUB),
    replace(_EXAMPLE, buy_in=0, prize_shares=[]),
    sender=LOGGED_IN,
    answers="private_sit_and_go",
    refusals="bad_table_settings settings_not_offered hosting_off too_many_hosted_tables unknown_club "
    "club_role_needed excluded",
)


class ChangeSitAndGo(Request, frozen=True, kw_only=True, tag="change_sit_and_go"):
    """Give an order to your private sit-and-go. The same order again is no error."""

    tournament: TournamentId
    order: Annotated[
        Literal["start", "cancel", "new_link"],
        Meta(
            description="`start`: it starts with those who have entered, two at least; `cancel`: before the start all "
            "buy-ins go back, also by the word of a manager or the owner of its club; `new_link`: the old one is void"
        ),
    ]


declare_request(
    ChangeSitAndGo(id=64, tournament=_NAME, order="start"),
    sender="host of the sit-and-go",
    answers="private_sit_and_go",
    refusals="unknown_tournament not_host tournament_not_full registration_closed",
)


class PrivateSitAndGoView(Struct, frozen=True, kw_only=True):
    """A private sit-and-go, for its host and for accounts that have opened its link."""

    tournament: TournamentId
    table: Annotated[
        TableId, Meta(description="Its id for `enter_table`, `set_table_password` and `remove_player`")
    ]
    name: Annotated[str, Meta(description="Display name")]
    host: PlayerName
    code: Annotated[
        LinkCode | None, Meta(description="For the host: the secret of the link; null for others")
    ]
    club: Annotated[
        ClubId | None,
        Meta(description="The club of which members play it for its chips; null: from the wallet"),
    ] = None
    has_password: Annotated[
        bool, Meta(description="It has a password, which lets accounts in beside the link")
    ] = False
    guests: Annotated[
        list[PlayerName] | None,
        Meta(description="For the host: all that were let in, with an entry or without; null for others"),
    ] = None


class PrivateSitAndGo(Answer, frozen=True, kw_only=True, tag="private_sit_and_go"):
    """Answer to `create_sit_and_go`, to orders of its host, and to those who come to it.

    They come by `find_table`, `enter_table` or `join_club_table`.

    `get_tournament` tells its state, `register_tournament` enters it.
    """

    re: RequestId
    sit_and_go: Annotated[PrivateSitAndGoView, Meta(description="The sit-and-go as this account may see it")]


EXAMPLE_SIT_AND_GO = PrivateSitAndGoView(
    tournament=_NAME, table=_HOSTED, name="Friday final", host="alice", code=_CODE, guests=["bob"]
)

declare(
    PrivateSitAndGo(re=63, sit_and_go=EXAMPLE_SIT_AND_GO),
    PrivateSitAndGo(
        re=51,
        sit_and_go=PrivateSitAndGoView(
            tournament=_NAME,
            table=_HOSTED,
            name="Friday final",
            host="alice",
            code=None,
            club=_CLUB,
            has_password=True,
        ),
    ),
)
