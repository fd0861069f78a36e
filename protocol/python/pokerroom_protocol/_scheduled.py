"""Tournaments that start at a time: the list of them, and entering and leaving one."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ._answers import Answer
from ._declarations import LOGGED_IN, NOW_MS, declare, declare_request
from ._fields import Amount, Game, Millis, RequestId, Structure, TournamentId
from ._requests import Request
from ._tournament_fields import (
    Bounty,
    BountyKind,
    BuyIn,
    CurrentPhase,
    DealsAllowed,
    DisplayName,
    EntriesBought,
    EntriesMax,
    EntryFee,
    Guarantee,
    LevelUnit,
    OfferId,
    PlayersEntered,
    PlayersLeft,
    TableSeats,
)

# --- requests ---------------------------------------------------------------------------------------------------


class ListTournaments(Request, frozen=True, kw_only=True, tag="list_tournaments"):
    """Request the tournaments that start at a time: announced, running, and those that ended in the last hour."""


declare_request(
    ListTournaments(id=40),
    sender="any client, after `hello`",
    answers="tournaments",
)


class RegisterTournament(Request, frozen=True, kw_only=True, tag="register_tournament"):
    """Enter a tournament, also late, or again after you are out: the buy-in leaves the wallet.

    A ticket of yours for the offer pays in place of the wallet, by itself (`by_ticket` of the answer).

    An account has one entry at a time (`already_registered`), so a repetition does not pay twice.
    """

    tournament: TournamentId


declare_request(
    RegisterTournament(id=41, tournament="sunday.3"),
    sender=LOGGED_IN,
    answers="tournament_registered",
    refusals="unknown_tournament registration_closed already_registered address_seated entries_used_up tournament_full "
    "seat_not_accepted insufficient_balance wallet_busy wallet_refused limit_reached excluded account_locked",
)


class UnregisterTournament(Request, frozen=True, kw_only=True, tag="unregister_tournament"):
    """Give the entry back before the start, for the whole buy-in. A ticket that has paid it is yours again."""

    tournament: TournamentId


declare_request(
    UnregisterTournament(id=42, tournament="sunday.3"),
    sender="registered",
    answers="ok",
    refusals="unknown_tournament not_registered registration_closed",
)


class GetTickets(Request, frozen=True, kw_only=True, tag="get_tickets"):
    """Request your unused tickets: entries to tournaments that are paid already."""


declare_request(
    GetTickets(id=46),
    sender=LOGGED_IN,
    answers="tickets",
)

EntryMessage = RegisterTournament | UnregisterTournament | GetTickets

ScheduledMessage = ListTournaments | EntryMessage

# --- parts ------------------------------------------------------------------------------------------------------


class ScheduledTournament(Struct, frozen=True, kw_only=True):
    """A tournament that starts at a time, in the list of them."""

    tournament: TournamentId
    offer: OfferId
    name: DisplayName
    game: Game
    structure: Structure
    phase: CurrentPhase
    starts_ms: Annotated[Millis, Meta(description="Time of the start as announced")]
    ended_ms: Annotated[Millis | None, Meta(description="Time of the end")] = None
    registration_open: Annotated[bool, Meta(description="Players can enter: before the start, or late")]
    late_levels: Annotated[
        int,
        Meta(
            ge=0,
            description="Registration closes at the end of this level, or earlier if so few players are left that the "
            "next one out decides over a prize; 0: at the start",
        ),
    ]
    seats_per_table: TableSeats
    players_min: Annotated[
        int, Meta(ge=2, le=10_000, description="With fewer players at the start it is cancelled")
    ]
    players_max: Annotated[int, Meta(ge=2, le=10_000, description="Maximum number of players")]
    entries_max: EntriesMax
    buy_in: BuyIn
    fee: EntryFee
    bounty: Bounty = 0
    bounty_kind: BountyKind = None
    guarantee: Guarantee
    starting_stack: Amount
    level_unit: LevelUnit
    level_length: Annotated[int, Meta(ge=1, description="Length of the first level")]
    entries: EntriesBought
    players: PlayersEntered
    left: PlayersLeft
    pool: Annotated[
        Amount, Meta(description="Sum of the prizes by the entries so far; final once registration is closed")
    ]
    house_bots: Annotated[int, Meta(ge=0, le=100, description="Maximum number of the house's bots")]
    your_entries: Annotated[int, Meta(ge=0, description="Number of your entries")]
    your_status: Annotated[
        Literal["registered", "playing", "out"] | None,
        Meta(
            description="State of your last entry; null without one. `registered` is also a late entry until its seat "
            "is drawn"
        ),
    ]
    satellite_to: Annotated[
        OfferId | None, Meta(description="The offer for which it pays tickets; null: it pays money")
    ] = None
    ticket_value: Annotated[Amount, Meta(description="The value of each of these tickets")] = 0
    rebuys_max: Annotated[
        int, Meta(ge=0, description="Rebuys that each player can buy; 0: none are sold")
    ] = 0
    rebuy_price: Annotated[Amount, Meta(description="Price of a rebuy; 0 without")] = 0
    add_on_price: Annotated[Amount, Meta(description="Price of the add-on; 0 without")] = 0
    deals: DealsAllowed = False


class TournamentTicket(Struct, frozen=True, kw_only=True):
    """A ticket: it pays one entry to a tournament of its offer, for a buy-in of exactly its value."""

    offer: OfferId
    name: DisplayName
    value: Amount
    expires_ms: Annotated[
        Millis,
        Meta(
            description="Then it pays no more. A ticket that you have won is paid to your wallet then, or when its "
            "tournaments are not offered any more"
        ),
    ]
    gift: Annotated[bool, Meta(description="The room has given it: it is never paid to your wallet")] = False


# --- answers ----------------------------------------------------------------------------------------------------


class Tournaments(Answer, frozen=True, kw_only=True, tag="tournaments"):
    """Answer to `list_tournaments`. Money is in the smallest unit; stacks are tournament chips."""

    re: RequestId
    tournaments: Annotated[list[ScheduledTournament], Meta(description="By the time of the start")]


declare(
    Tournaments(
        re=40,
        tournaments=[
            ScheduledTournament(
                tournament="sunday.3",
                offer="sunday",
                name="Sunday evening #3",
                game="holdem",
                structure="no_limit",
                phase="registering",
                starts_ms=NOW_MS + 3_600_000,
                registration_open=True,
                late_levels=6,
                seats_per_table=9,
                players_min=2,
                players_max=10_000,
                entries_max=3,
                buy_in=1_100,
                fee=100,
                bounty=400,
                bounty_kind="progressive",
                guarantee=50_000,
                starting_stack=5_000,
                level_unit="seconds",
                level_length=600,
                entries=17,
                players=17,
                left=17,
                pool=50_000,
                house_bots=0,
                your_entries=1,
                your_status="registered",
                deals=True,
            ),
            ScheduledTournament(
                tournament="nightly.41",
                offer="nightly",
                name="Nightly turbo #41",
                game="omaha",
                structure="pot_limit",
                phase="finished",
                starts_ms=NOW_MS - 7_200_000,
                ended_ms=NOW_MS - 60_000,
                registration_open=False,
                late_levels=0,
                seats_per_table=6,
                players_min=6,
                players_max=100,
                entries_max=1,
                buy_in=500,
                fee=50,
                rebuys_max=3,
                rebuy_price=450,
                add_on_price=450,
                guarantee=0,
                starting_stack=1_500,
                level_unit="seconds",
                level_length=300,
                entries=24,
                players=24,
                left=0,
                pool=10_800,
                house_bots=5,
                your_entries=0,
                your_status=None,
                satellite_to="sunday",
                ticket_value=1_100,
            ),
        ],
    ),
)


class TournamentRegistered(Answer, frozen=True, kw_only=True, tag="tournament_registered"):
    """Answer to `register_tournament`: the entry is yours and paid.

    `sng_started` tells your seat: at the start, or moments after a late entry.
    """

    re: RequestId
    tournament: TournamentId
    entry: Annotated[int, Meta(ge=1, description="Number of your entry; those that you gave back count")]
    buy_in: Amount
    by_ticket: Annotated[bool, Meta(description="A ticket has paid it, and not the wallet")] = False


declare(
    TournamentRegistered(re=41, tournament="sunday.3", entry=1, buy_in=1_100),
)


class Tickets(Answer, frozen=True, kw_only=True, tag="tickets"):
    """Answer to `get_tickets`."""

    re: RequestId
    tickets: Annotated[list[TournamentTicket], Meta(description="The first to expire first")]


declare(
    Tickets(
        re=46,
        tickets=[
            TournamentTicket(
                offer="sunday", name="Sunday evening", value=1_100, expires_ms=NOW_MS + 7_776_000_000
            ),
            TournamentTicket(
                offer="nightly",
                name="Nightly turbo",
                value=500,
                expires_ms=NOW_MS + 7_862_400_000,
                gift=True,
            ),
        ],
    ),
)

ScheduledAnswer = Tournaments | TournamentRegistered | Tickets
