"""Messages about clubs: members with roles, chips of the club's own, and private tables where they are played."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from ._answers import Answer
from ._declarations import LOGGED_IN, NOW_MS, declare, declare_request
from ._fields import (
    ONE_LINE,
    Amount,
    CashKey,
    ClubId,
    LinkCode,
    Millis,
    Name,
    PlayerName,
    RequestId,
    TableId,
    TournamentId,
)
from ._hosting import ResultPayment
from ._requests import Request
from ._views import EXAMPLE_INFO, TableInfo

_CLUB = "4m7q0x2kw9"
_TABLE = "host:7k2mq0xw94"
_SIT_AND_GO = "private:3v8ntc5e1a.1"
_CODE = "q8Zl0c1yQm2rT5uVwX9aBd"
_MEMBER = "member of the club"
_MANAGER = "manager or owner of the club"
_OWNER = "owner of the club"

ClubRole = Annotated[
    Literal["member", "manager", "owner"],
    Meta(description="Role in the club; each may do what the ones before it may"),
]
ClubName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=40,
        pattern=ONE_LINE,
        description="Display name: one line, without control characters and invisible characters",
    ),
]
Net = Annotated[
    int,
    Meta(ge=-(2**53 - 1), le=2**53 - 1, description="Chips won; negative for a loss. All of them sum to 0"),
]


class CreateClub(Request, frozen=True, kw_only=True, tag="create_club"):
    """Create a club; you are its owner. It has an invitation code at once."""

    name: ClubName


declare_request(
    CreateClub(id=60, name="Friday club"),
    CreateClub(id=60, name="Klub Łucji"),
    sender=LOGGED_IN,
    answers="club",
    refusals="clubs_off too_many_clubs excluded account_locked",
)


class JoinClub(Request, frozen=True, kw_only=True, tag="join_club"):
    """Become a member of the club with this invitation code. A member changes nothing."""

    code: LinkCode


declare_request(
    JoinClub(id=61, code=_CODE),
    sender=LOGGED_IN,
    answers="club",
    refusals="unknown_club_code too_many_attempts clubs_off too_many_members too_many_clubs excluded account_locked",
)


class GetClubs(Request, frozen=True, kw_only=True, tag="get_clubs"):
    """Request the clubs of which you are a member."""


declare_request(
    GetClubs(id=62),
    sender=LOGGED_IN,
    answers="clubs",
)


class GetClub(Request, frozen=True, kw_only=True, tag="get_club"):
    """Request a club: its members with their balances, its bank and its tables."""

    club: ClubId


declare_request(
    GetClub(id=63, club=_CLUB),
    sender=_MEMBER,
    answers="club",
    refusals="unknown_club",
)


class SetClubCode(Request, frozen=True, kw_only=True, tag="set_club_code"):
    """Replace the invitation code, or take it away. The old one is void; members stay members."""

    club: ClubId
    invites: Annotated[bool, Meta(description="There is a new code; false: the club takes no new members")]
    valid_s: Annotated[
        Annotated[int, Meta(ge=60, le=31_536_000)] | None,
        Meta(description="Seconds until the code expires; null: it does not"),
    ] = None


declare_request(
    SetClubCode(id=64, club=_CLUB, invites=True, valid_s=86_400),
    SetClubCode(id=64, club=_CLUB, invites=False),
    sender=_MANAGER,
    answers="club",
    refusals="unknown_club club_role_needed",
)


class SetClubRole(Request, frozen=True, kw_only=True, tag="set_club_role"):
    """Give another member a role. If you make a member the owner, you are a manager from then on."""

    club: ClubId
    name: Name
    role: ClubRole


declare_request(
    SetClubRole(id=65, club=_CLUB, name="bob", role="manager"),
    sender=_OWNER,
    answers="club",
    refusals="unknown_club club_role_needed unknown_member too_many_clubs account_locked",
)


class MoveClubChips(Request, frozen=True, kw_only=True, tag="move_club_chips"):
    """Issue chips of the club to a member, or take them back from the member's balance."""

    club: ClubId
    name: Name
    amount: Annotated[
        int,
        Meta(
            ge=-(10**12),
            le=10**12,
            description="In the smallest unit: above 0 from the bank to the member, below 0 back; never 0",
        ),
    ]
    key: CashKey


declare_request(
    MoveClubChips(id=66, club=_CLUB, name="bob", amount=50_000, key="3f9c21d0a7b84e55"),
    MoveClubChips(id=66, club=_CLUB, name="bob", amount=-20_000, key="b1e07c44d2f96a30"),
    sender=_MANAGER,
    answers="club",
    refusals="unknown_club club_role_needed unknown_member insufficient_balance key_used",
)


class RemoveMember(Request, frozen=True, kw_only=True, tag="remove_member"):
    """End the membership of a member with a lower role than yours. The member's balance goes to the bank.

    A member with a seat at a table of the club or in a sit-and-go of it, or that hosts one, stays until that is over,
    and takes no further seat and opens no further table of the club. The club has a new invitation code, if it has one.
    """

    club: ClubId
    name: Name


declare_request(
    RemoveMember(id=67, club=_CLUB, name="bob"),
    sender=_MANAGER,
    answers="club",
    refusals="unknown_club club_role_needed unknown_member member_at_table",
)


class LeaveClub(Request, frozen=True, kw_only=True, tag="leave_club"):
    """End your own membership. Your balance goes to the bank. The owner makes another member the owner first."""

    club: ClubId


declare_request(
    LeaveClub(id=68, club=_CLUB),
    sender=LOGGED_IN,
    answers="ok",
    refusals="club_role_needed member_at_table",
)


class CloseClub(Request, frozen=True, kw_only=True, tag="close_club"):
    """Close the club for good. All balances go to the bank."""

    club: ClubId


declare_request(
    CloseClub(id=69, club=_CLUB),
    sender=_OWNER,
    answers="ok",
    refusals="unknown_club club_role_needed club_in_use",
)


class JoinClubTable(Request, frozen=True, kw_only=True, tag="join_club_table"):
    """Come to a table or a sit-and-go of your club, as by its link: from then on you may observe it, and play."""

    table: Annotated[TableId, Meta(description="Id of the table, or of the sit-and-go")]


declare_request(
    JoinClubTable(id=70, table=_TABLE),
    JoinClubTable(id=70, table=_SIT_AND_GO),
    sender="member of the table's club",
    answers="hosted_table private_sit_and_go",
    refusals="table_closing too_many_guests excluded account_locked",
)


class CloseClubTable(Request, frozen=True, kw_only=True, tag="close_club_table"):
    """Close a table of your club, as its host may: after the hand all players leave, and the table is gone."""

    table: TableId


declare_request(
    CloseClubTable(id=71, table=_TABLE),
    sender="manager or owner of the table's club",
    answers="ok",
    refusals="club_role_needed",
)


class GetClubResults(Request, frozen=True, kw_only=True, tag="get_club_results"):
    """Request what each player has won or lost at tables and in sit-and-gos of the club, and who pays whom."""

    club: ClubId
    since_ms: Annotated[Millis, Meta(description="Hands and sit-and-gos that ended since then")] = 0


declare_request(
    GetClubResults(id=72, club=_CLUB, since_ms=NOW_MS),
    GetClubResults(id=72, club=_CLUB),
    sender=_MEMBER,
    answers="club_results",
    refusals="unknown_club",
)


class ClubLine(Struct, frozen=True, kw_only=True):
    """A club of the account, in short."""

    club: ClubId
    name: ClubName
    your_role: ClubRole
    your_balance: Annotated[
        Amount, Meta(description="Your chips of the club, without those at tables and in sit-and-gos")
    ]
    members: Annotated[int, Meta(ge=1, description="Number of members")]
    tables: Annotated[
        int, Meta(ge=0, description="Number of open tables, and of sit-and-gos that are not over")
    ]


class ClubMemberView(Struct, frozen=True, kw_only=True):
    """A member of a club."""

    name: PlayerName
    role: ClubRole
    balance: Annotated[
        Amount, Meta(description="Chips of the club, without those at tables and in sit-and-gos")
    ]


class ClubTableView(Struct, frozen=True, kw_only=True):
    """A table of a club, for its members."""

    info: Annotated[TableInfo, Meta(description="The line of the table, as in the lobby")]
    host: PlayerName


class ClubSitAndGoView(Struct, frozen=True, kw_only=True):
    """A private sit-and-go of a club, for its members."""

    tournament: TournamentId
    name: Annotated[str, Meta(description="Display name")]
    host: PlayerName
    players: Annotated[int, Meta(ge=0, le=10, description="Number of players that have entered")]
    seats: Annotated[int, Meta(ge=2, le=10, description="Number of seats")]
    buy_in: Annotated[Amount, Meta(description="What an entry costs, in chips of the club")]
    runs: Annotated[bool, Meta(description="It is played; false: it takes entries")]


class ClubView(Struct, frozen=True, kw_only=True):
    """A club, for its members."""

    club: ClubId
    name: ClubName
    your_role: ClubRole
    your_balance: Annotated[
        Amount, Meta(description="Your chips of the club, without those at tables and in sit-and-gos")
    ]
    issued: Annotated[
        Amount,
        Meta(
            description="What the bank has issued: all balances, all stacks at the club's tables, and what its "
            "sit-and-gos hold"
        ),
    ]
    code: Annotated[
        LinkCode | None,
        Meta(
            description="For managers and the owner: the invitation code; null for others, and if there is none"
        ),
    ]
    code_until_ms: Annotated[Millis | None, Meta(description="When the code expires; null: it does not")]
    members: Annotated[list[ClubMemberView], Meta(description="The oldest account first")]
    tables: Annotated[list[ClubTableView], Meta(description="Those that are not closed, the oldest first")]
    sit_and_gos: Annotated[
        list[ClubSitAndGoView], Meta(description="Those that are not over, the oldest first")
    ] = field(default_factory=list)


_VIEW = ClubView(
    club=_CLUB,
    name="Friday club",
    your_role="owner",
    your_balance=30_000,
    issued=100_000,
    code=_CODE,
    code_until_ms=NOW_MS + 86_400_000,
    members=[
        ClubMemberView(name="alice", role="owner", balance=30_000),
        ClubMemberView(name="bob", role="member", balance=20_000),
    ],
    tables=[
        ClubTableView(info=replace(EXAMPLE_INFO, table=_TABLE, name="Friday night"), host="alice"),
    ],
    sit_and_gos=[
        ClubSitAndGoView(
            tournament=_SIT_AND_GO,
            name="Friday final",
            host="bob",
            players=2,
            seats=6,
            buy_in=1_000,
            runs=False,
        ),
    ],
)


class Club(Answer, frozen=True, kw_only=True, tag="club"):
    """Answer to `create_club`, `join_club`, `get_club`, and to orders that change the club."""

    re: RequestId
    club: Annotated[ClubView, Meta(description="The club as it is now")]


declare(
    Club(re=60, club=_VIEW),
    Club(
        re=63,
        club=replace(_VIEW, your_role="member", code=None, code_until_ms=None, tables=[], sit_and_gos=[]),
    ),
)


class Clubs(Answer, frozen=True, kw_only=True, tag="clubs"):
    """Answer to `get_clubs`."""

    re: RequestId
    clubs: Annotated[list[ClubLine], Meta(description="The oldest first")]


declare(
    Clubs(
        re=62,
        clubs=[
            ClubLine(
                club=_CLUB, name="Friday club", your_role="owner", your_balance=30_000, members=2, tables=1
            )
        ],
    ),
    Clubs(re=62, clubs=[]),
)


class ClubPlayerResult(Struct, frozen=True, kw_only=True):
    """What one player has won or lost at tables and in sit-and-gos of a club."""

    name: PlayerName
    net: Net


class ClubResults(Answer, frozen=True, kw_only=True, tag="club_results"):
    """Answer to `get_club_results`. No chips move by it: the balances have them already."""

    re: RequestId
    club: ClubId
    since_ms: Millis
    players: Annotated[
        list[ClubPlayerResult],
        Meta(
            description="All that have won or lost, also those that are members no more; the largest net first"
        ),
    ]
    payments: Annotated[
        list[ResultPayment], Meta(description="After these all are square; fewer than players")
    ]


declare(
    ClubResults(
        re=72,
        club=_CLUB,
        since_ms=NOW_MS,
        players=[
            ClubPlayerResult(name="alice", net=2_500),
            ClubPlayerResult(name="carol", net=-1_000),
            ClubPlayerResult(name="bob", net=-1_500),
        ],
        payments=[
            ResultPayment(payer="bob", payee="alice", amount=1_500),
            ResultPayment(payer="carol", payee="alice", amount=1_000),
        ],
    ),
    ClubResults(re=72, club=_CLUB, since_ms=0, players=[], payments=[]),
)


ClubMessage = (
    CreateClub
    | JoinClub
    | GetClubs
    | GetClub
    | SetClubCode
    | SetClubRole
    | MoveClubChips
    | RemoveMember
    | LeaveClub
    | CloseClub
    | JoinClubTable
    | CloseClubTable
    | GetClubResults
)
ClubAnswer = Club | Clubs | ClubResults
