"""Messages about hosted tables: private tables that a player opens, and shares by a link."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from ._answers import Answer
from ._declarations import LOGGED_IN, declare, declare_request
from ._fields import (
    Amount,
    CashAmount,
    CashKey,
    ClubId,
    GameName,
    HostedName,
    LinkCode,
    Name,
    NewPassword,
    Password,
    PlayerName,
    RequestId,
    Structure,
    TableId,
)
from ._private_sit_and_gos import (
    EXAMPLE_SIT_AND_GO,
    ChangeSitAndGo,
    CreateSitAndGo,
    PrivateSitAndGo,
    PrivateSitAndGoView,
)
from ._requests import Request
from ._views import EXAMPLE_INFO, TableInfo

_HOSTED = "host:7k2mq0xw94"
_CODE = "q8Zl0c1yQm2rT5uVwX9aBd"

BuyInBound = Annotated[
    CashAmount | None, Meta(description="null: as at a table of the room with these blinds")
]

SmallBlind = Annotated[int, Meta(ge=1, le=10**10, description="In the smallest unit")]


class CreateTable(Request, frozen=True, kw_only=True, tag="create_table"):
    """Create a private table; you are its host. The big blind is two small blinds.

    At fixed limit the small bet is two small blinds, and the big bet four.
    """

    name: HostedName
    small_blind: SmallBlind
    game: Annotated[GameName, Meta(description="Game")] = "holdem"
    structure: Structure = "no_limit"
    seats: Annotated[int, Meta(ge=2, le=10, description="Number of seats")] = 6
    min_buy_in: BuyInBound = None
    max_buy_in: BuyInBound = None
    action_clock_s: Annotated[
        int, Meta(ge=5, le=120, description="Time for a decision, seconds; the second half is a countdown")
    ] = 20
    chat: Annotated[bool, Meta(description="The table has a chat")] = True
    straddle: Annotated[
        bool, Meta(description="The player left of the big blind may straddle: four small blinds")
    ] = False
    club: Annotated[
        ClubId | None,
        Meta(description="The table is played by members of this club, for its chips; null: from the wallet"),
    ] = None


declare_request(
    CreateTable(id=50, name="Friday night", small_blind=100),
    CreateTable(
        id=50,
        name="Omaha at Łucja's",
        small_blind=50,
        game="omaha",
        structure="pot_limit",
        seats=9,
        min_buy_in=2_000,
        max_buy_in=20_000,
        action_clock_s=30,
        chat=False,
        straddle=True,
        club="4m7q0x2kw9",
    ),
    sender=LOGGED_IN,
    answers="hosted_table",
    refusals="bad_table_settings settings_not_offered hosting_off too_many_hosted_tables unknown_club club_role_needed "
    "excluded",
)


class FindTable(Request, frozen=True, kw_only=True, tag="find_table"):
    """Open the link of a private table, or of a private sit-and-go.

    From then on the account may observe the table and sit down, or enter the sit-and-go.
    """

    code: LinkCode


declare_request(
    FindTable(id=51, code=_CODE),
    sender=LOGGED_IN,
    answers="hosted_table private_sit_and_go",
    refusals="unknown_link too_many_attempts table_closing too_many_guests hosting_off excluded",
)


class EnterTable(Request, frozen=True, kw_only=True, tag="enter_table"):
    """Come to a private table or sit-and-go by its password, as `find_table` by its link."""

    table: Annotated[TableId, Meta(description="The id of the table, which its host tells")]
    password: Annotated[Password, Meta(description="The password of the table")]


declare_request(
    EnterTable(id=61, table=_HOSTED, password="mushroom risotto"),  # noqa: S106 - an example
    sender=LOGGED_IN,
    answers="hosted_table private_sit_and_go",
    refusals="wrong_table_password too_many_attempts table_closing too_many_guests hosting_off excluded",
)


class GetHostedTables(Request, frozen=True, kw_only=True, tag="get_hosted_tables"):
    """Request the private tables that you host, or of which you are a guest."""


declare_request(
    GetHostedTables(id=52),
    sender=LOGGED_IN,
    answers="hosted_tables",
)


class ChangeHostedTable(Request, frozen=True, kw_only=True, tag="change_hosted_table"):
    """Give an order to your private table. The same order again is no error."""

    table: TableId
    order: Annotated[
        Literal["pause", "resume", "new_link", "approve_seats", "open_seats", "close"],
        Meta(
            description="`pause`: no hand begins until `resume`; `new_link`: the old one is void; `approve_seats`: a "
            "guest without a seat needs your word for one, until `open_seats`; `close`: after the hand all players "
            "leave, and the table is gone"
        ),
    ]


declare_request(
    ChangeHostedTable(id=53, table=_HOSTED, order="pause"),
    ChangeHostedTable(id=53, table=_HOSTED, order="close"),
    sender="host of the table",
    answers="hosted_table",
    refusals="not_host table_closing",
)


class SetTablePassword(Request, frozen=True, kw_only=True, tag="set_table_password"):
    """Set, change or remove the password of your private table or sit-and-go.

    It lets accounts in beside the link. Guests stay.
    """

    table: TableId
    password: Annotated[NewPassword | None, Meta(description="null: the link alone lets accounts in")]


declare_request(
    SetTablePassword(id=62, table=_HOSTED, password="mushroom risotto"),  # noqa: S106 - an example
    SetTablePassword(id=62, table=_HOSTED, password=None),
    sender="host of the table",
    answers="hosted_table private_sit_and_go",
    refusals="not_host weak_password table_closing",
)


class ChangeStakes(Request, frozen=True, kw_only=True, tag="change_stakes"):
    """Change the stakes of your private table, for hands that begin ten seconds later or after that.

    While others have a seat, the stakes at most double, and rise once in a minute. The big blind is two small blinds.
    At fixed limit the small bet is two small blinds, and the big bet four. Stacks stay as they are.
    """

    table: TableId
    small_blind: SmallBlind
    min_buy_in: BuyInBound = None
    max_buy_in: BuyInBound = None


declare_request(
    ChangeStakes(id=56, table=_HOSTED, small_blind=200),
    ChangeStakes(id=56, table=_HOSTED, small_blind=50, min_buy_in=2_000, max_buy_in=20_000),
    sender="host of the table",
    answers="hosted_table",
    refusals="not_host table_closing bad_table_settings settings_not_offered stakes_too_high",
)


class RemovePlayer(Request, frozen=True, kw_only=True, tag="remove_player"):
    """Remove a player from your private table: at once between hands, else when the hand has ended.

    The chips go to the player's wallet, or to the balance in the club of the table. The table takes the account not
    back, by no link. A guest of your private sit-and-go is removed before the start; the buy-in of an entry goes back.
    """

    table: TableId
    name: Name


declare_request(
    RemovePlayer(id=54, table=_HOSTED, name="bob"),
    sender="host of the table",
    answers="ok",
    refusals="not_host unknown_guest table_closing registration_closed",
)


class AskSeat(Request, frozen=True, kw_only=True, tag="ask_seat"):
    """Ask the host of a private table for a seat. The host may have accepted or refused you already."""

    table: TableId


declare_request(
    AskSeat(id=57, table=_HOSTED),
    sender="account that has opened the link of the table",
    answers="hosted_table",
    refusals="table_closing excluded",
)


class AnswerSeat(Request, frozen=True, kw_only=True, tag="answer_seat"):
    """Accept or refuse a guest of your private table, who need not have asked. A seat that is held stays."""

    table: TableId
    name: Name
    accepts: Annotated[bool, Meta(description="The guest may sit down; false: the guest may watch only")]


declare_request(
    AnswerSeat(id=58, table=_HOSTED, name="bob", accepts=True),
    sender="host of the table",
    answers="hosted_table",
    refusals="not_host unknown_guest table_closing",
)


class GiveHost(Request, frozen=True, kw_only=True, tag="give_host"):
    """Make a guest the host of your private table. You are an accepted guest from then on."""

    table: TableId
    name: Name


declare_request(
    GiveHost(id=59, table=_HOSTED, name="bob"),
    sender="host of the table",
    answers="hosted_table",
    refusals="not_host unknown_guest table_closing too_many_hosted_tables account_locked",
)


class GiveChips(Request, frozen=True, kw_only=True, tag="give_chips"):
    """Give chips from your wallet to the wallet of a guest of your private table."""

    table: TableId
    name: Name
    amount: CashAmount
    key: CashKey


declare_request(
    GiveChips(id=60, table=_HOSTED, name="bob", amount=5_000, key="3f9c21d0a7b84e55"),
    sender="host of the table",
    answers="hosted_table",
    refusals="not_host unknown_guest table_closing insufficient_balance key_used account_locked club_role_needed",
)


class GetTableResults(Request, frozen=True, kw_only=True, tag="get_table_results"):
    """Request what each player has won or lost at a private table, and who pays whom to be square."""

    table: TableId


declare_request(
    GetTableResults(id=55, table=_HOSTED),
    sender="host of the table, account that has opened its link, or that sat there until a day ago",
    answers="table_results",
)


SeatStanding = Annotated[
    Literal["open", "ask", "asked", "refused"],
    Meta(
        description="What the account may do about a seat: `open`: sit down; `ask`: ask for a seat; `asked`: wait for "
        "the host; `refused`: watch only"
    ),
]


class GuestView(Struct, frozen=True, kw_only=True):
    """An account that has opened the link of a private table, for its host."""

    name: PlayerName
    seat: SeatStanding
    given: Annotated[Amount, Meta(description="What hosts of the table have given to the account, in all")]


class HostedTableView(Struct, frozen=True, kw_only=True):
    """A private table, for its host and for accounts that have opened its link."""

    info: Annotated[TableInfo, Meta(description="The line of the table, as in the lobby")]
    host: PlayerName
    paused: Annotated[bool, Meta(description="No hand begins: the host has paused the table")]
    code: Annotated[
        LinkCode | None, Meta(description="For the host: the secret of the link; null for others")
    ]
    approves: Annotated[bool, Meta(description="A guest needs the host's word for a seat")] = False
    your_seat: SeatStanding = "open"
    given: Annotated[Amount, Meta(description="What hosts of the table have given to you, in all")] = 0
    guests: Annotated[
        list[GuestView] | None,
        Meta(description="For the host: all that have opened the link, seated or not; null for others"),
    ] = None
    club: Annotated[
        ClubId | None,
        Meta(description="The club that the table plays the chips of; null: chips of the wallet"),
    ] = None
    has_password: Annotated[
        bool, Meta(description="The table has a password, which lets accounts in beside the link")
    ] = False


EXAMPLE_VIEW = HostedTableView(
    info=replace(EXAMPLE_INFO, table=_HOSTED, name="Friday night"),
    host="alice",
    paused=False,
    code=_CODE,
    approves=True,
    has_password=True,
    guests=[GuestView(name="bob", seat="asked", given=0), GuestView(name="carol", seat="open", given=5_000)],
)


class HostedTable(Answer, frozen=True, kw_only=True, tag="hosted_table"):
    """Answer to `create_table`, `find_table`, `enter_table`, and to orders of the host that change the table."""

    re: RequestId
    hosted: Annotated[HostedTableView, Meta(description="The table as it is now")]


declare(
    HostedTable(re=50, hosted=EXAMPLE_VIEW),
    HostedTable(re=57, hosted=replace(EXAMPLE_VIEW, code=None, guests=None, your_seat="asked", given=2_000)),
)


class OfferedGame(Struct, frozen=True, kw_only=True):
    """A game that hosts may choose."""

    game: Annotated[GameName, Meta(description="Game")]
    structure: Structure


class OfferedTables(Struct, frozen=True, kw_only=True):
    """Which private tables players may open. The operator may change it at any time; tables that are open stay."""

    tables_per_account: Annotated[int, Meta(ge=1, description="How many open tables an account may host")]
    games: Annotated[list[OfferedGame], Meta(min_length=1, description="What may be played")]
    small_blind_min: SmallBlind
    small_blind_max: SmallBlind
    seats_max: Annotated[int, Meta(ge=2, le=10, description="The most seats of a table")]
    sit_and_go_buy_in_max: Annotated[
        CashAmount | None,
        Meta(description="The largest buy-in of a private sit-and-go; null: the room has none"),
    ] = None


class HostedTables(Answer, frozen=True, kw_only=True, tag="hosted_tables"):
    """Answer to `get_hosted_tables`."""

    re: RequestId
    tables: Annotated[list[HostedTableView], Meta(description="Those that are not closed, the newest first")]
    offered: Annotated[
        OfferedTables | None, Meta(description="Which tables you may open; null: the room opens none now")
    ] = None
    sit_and_gos: Annotated[
        list[PrivateSitAndGoView],
        Meta(description="Sit-and-gos, the newest first; for an hour after their end, too"),
    ] = field(default_factory=list)


declare(
    HostedTables(
        re=52,
        tables=[EXAMPLE_VIEW],
        offered=OfferedTables(
            tables_per_account=3,
            games=[OfferedGame(game="holdem", structure="no_limit")],
            small_blind_min=10,
            small_blind_max=5_000,
            seats_max=9,
            sit_and_go_buy_in_max=100_000,
        ),
        sit_and_gos=[EXAMPLE_SIT_AND_GO],
    ),
    HostedTables(re=52, tables=[]),
)


class PlayerResult(Struct, frozen=True, kw_only=True):
    """What one player has won or lost at a private table."""

    name: PlayerName
    bought_in: Annotated[Amount, Meta(description="Sum of the player's buy-ins and top-ups")]
    taken_out: Annotated[Amount, Meta(description="What the player has left the table with, in all")]
    on_table: Annotated[Amount, Meta(description="The player's stack now, as of the last hand that is over")]
    net: Annotated[
        int,
        Meta(
            ge=-(2**53 - 1),
            le=2**53 - 1,
            description="`taken_out` + `on_table` - `bought_in`; negative for a loss. All of them sum to 0",
        ),
    ]


class ResultPayment(Struct, frozen=True, kw_only=True):
    """One player pays another, outside the room."""

    payer: PlayerName
    payee: PlayerName
    amount: Annotated[CashAmount, Meta(description="What to pay")]


class TableResults(Answer, frozen=True, kw_only=True, tag="table_results"):
    """Answer to `get_table_results`. No money moves by it: the wallets have the chips already."""

    re: RequestId
    table: TableId
    players: Annotated[
        list[PlayerResult],
        Meta(description="All that have ever bought in, also those who were removed; the largest net first"),
    ]
    payments: Annotated[
        list[ResultPayment],
        Meta(description="After these all are square; fewer than players"),
    ]


declare(
    TableResults(
        re=55,
        table=_HOSTED,
        players=[
            PlayerResult(name="alice", bought_in=10_000, taken_out=4_000, on_table=8_500, net=2_500),
            PlayerResult(name="carol", bought_in=5_000, taken_out=5_000, on_table=0, net=0),
            PlayerResult(name="bob", bought_in=5_000, taken_out=0, on_table=2_500, net=-2_500),
        ],
        payments=[ResultPayment(payer="bob", payee="alice", amount=2_500)],
    ),
    TableResults(re=55, table=_HOSTED, players=[], payments=[]),
)


class RemovedFromTable(Answer, frozen=True, kw_only=True, tag="removed_from_table"):
    """The host has removed you from this table. You leave your seat, and no further events of it come here."""

    table: TableId


declare(
    RemovedFromTable(table=_HOSTED),
)


class HostedTableNews(Answer, frozen=True, kw_only=True, tag="hosted_table_news"):
    """What you may do at a private table that you watch has changed, or that of its guests if you are the host.

    `get_hosted_tables` tells it.
    """

    table: TableId


declare(
    HostedTableNews(table=_HOSTED),
)


HostingMessage = (
    CreateTable
    | CreateSitAndGo
    | ChangeSitAndGo
    | FindTable
    | GetHostedTables
    | ChangeHostedTable
    | ChangeStakes
    | RemovePlayer
    | AskSeat
    | AnswerSeat
    | GiveHost
    | GiveChips
    | GetTableResults
)
TablePasswordMessage = EnterTable | SetTablePassword
HostingAnswer = (
    PrivateSitAndGo | HostedTable | HostedTables | TableResults | RemovedFromTable | HostedTableNews
)
