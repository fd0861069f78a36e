"""The types of fields that many messages share: bounds, and the meaning that the reference prints.

`messages` re-exports them. A pattern ends in `$` and a look-ahead that forbids a newline: in Python `$` alone also
matches before a final newline.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from .errors import Code

PROTOCOL_VERSION = 1

RequestId = Annotated[
    int, Meta(ge=0, le=2**31 - 1, description="Chosen by the client; the answer repeats it as `re`")
]
Amount = Annotated[int, Meta(ge=0, le=2**53 - 1, description="Chips in the smallest unit")]
TableId = Annotated[
    str,
    Meta(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_.:-]+$(?!\n)", description="Id of a table"),
]
LinkCode = Annotated[
    str,
    Meta(
        min_length=22,
        max_length=22,
        pattern=r"^[A-Za-z0-9_-]+$(?!\n)",
        description="Secret of a link: whoever has it may open what it leads to",
    ),
]
ClubId = Annotated[
    str,
    Meta(min_length=10, max_length=10, pattern=r"^[a-z0-9]+$(?!\n)", description="Id of a club"),
]
TournamentId = Annotated[TableId, Meta(description="Id of a tournament and of its table: `<offer>.<number>`")]
HandId = Annotated[
    str,
    Meta(
        min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_.:-]+$(?!\n)", description="Permanent id of a hand"
    ),
]
SeatNumber = Annotated[int, Meta(ge=1, le=10, description="Number of a seat, clockwise from 1")]
RoundId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=40,
        pattern=r"^[A-Za-z0-9_.:-]+$(?!\n)",
        description="Permanent id of a round; it contains the UTC time of its start",
    ),
]
BoxNumber = Annotated[
    int, Meta(ge=1, le=32_767, description="Number of a box; at a table with a common hand, of a place")
]
Seq = Annotated[
    int, Meta(ge=0, le=2**53 - 1, description="Number of an event of one table; each event adds one")
]
Name = Annotated[
    str,
    Meta(
        min_length=2,
        max_length=20,
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$(?!\n)",
        description="Name of a player",
    ),
]
PlayerName = Annotated[str, Meta(description="Name of a player")]
DisplayText = Annotated[str, Meta(description="English text for display; not part of the contract")]
ErrorCode = Annotated[
    str,
    Meta(
        description="Stable code for programs: see errors.md",
        extra_json_schema={"x-codes": {code.value: code.kind for code in Code}},
    ),
]
Password = Annotated[str, Meta(min_length=8, max_length=128)]
PresentPassword = Annotated[Password, Meta(description="The present password")]
NewPassword = Annotated[Password, Meta(description="The new password; the room stores only a hash")]
CardText = Annotated[
    str, Meta(pattern=r"^[2-9TJQKA][cdhs]$(?!\n)", description="A card: rank and suit, as `As`")
]
Millis = Annotated[
    int, Meta(ge=0, le=2**53 - 1, description="Milliseconds since the Unix epoch, by the room's clock")
]
AnyTable = Annotated[bool, Meta(description="Any table of the same game, structure and stakes")]
Connected = Annotated[bool, Meta(description="The player's client is connected")]
AllIn = Annotated[bool, Meta(description="The seat has no chips left, or the clock made it all-in")]
GameName = Literal["holdem", "omaha"]
HandFormat = Literal["phh", "ohh", "pokerstars"]
"""Of a hand as text: what programs of others read."""

Game = Annotated[GameName, Meta(description="Game")]
Structure = Annotated[Literal["no_limit", "pot_limit", "fixed_limit"], Meta(description="Betting structure")]
SeatStatus = Annotated[
    Literal["playing", "waiting", "sitting_out", "leaving", "away"],
    Meta(description="State of the seat: see *Seats* in holdem.md"),
]
TournamentPhase = Literal["registering", "running", "finished", "cancelled", "rolled_back", "rolled_forward"]
PlaceNumber = Annotated[int, Meta(ge=1, le=10_000, description="Place of the player; tied players share one")]
DealKind = Literal["icm", "chips"]
DealNumber = Annotated[
    int, Meta(ge=1, le=2**53 - 1, description="Number of a deal; a later one has a larger number")
]
StandingsNumber = Annotated[
    int,
    Meta(
        ge=1,
        le=10_000,
        description="Own number in the standings, 1 is the best; never shared, and sets the prize",
    ),
]
TimeoutAction = Annotated[
    Literal["check", "fold", "all_in"],
    Meta(
        description="What the room does when the time is up, as it stands now; `all_in` is for the chips in the pot. "
        "Only the player to act is told; null for all others"
    ),
]
StreetName = Literal["preflop", "flop", "turn", "river"]
BoxAction = Annotated[Literal["check", "play", "fold"], Meta(description="Decision for a box")]
Language = Literal["de", "pl", "en"]
Volume = Annotated[int, Meta(ge=0, le=100, description="Per cent; 0 is off")]
Cursor = Annotated[int, Meta(ge=1, le=2**53 - 1, description="A position in a history; opaque")]
SessionNumber = Annotated[
    int, Meta(ge=1, le=2**53 - 1, description="Number of a session, never used again; no secret")
]
SecondCode = Annotated[
    str,
    Meta(
        min_length=6,
        max_length=40,
        pattern=r"^[A-Za-z0-9 -]+$(?!\n)",
        description="Code of the authenticator app (six digits), or a recovery code",
    ),
]
SecondCodeIfNeeded = Annotated[SecondCode | None, Meta(description="Needed after `code_needed`")]
RecoveryCode = Annotated[
    str,
    Meta(
        min_length=16,
        max_length=40,
        pattern=r"^[A-Za-z0-9 -]+$(?!\n)",
        description="A recovery code; small letters and spaces do no harm",
    ),
]
CashAmount = Annotated[int, Meta(ge=1, le=10**15, description="In the smallest unit")]
CashKey = Annotated[
    str,
    Meta(
        min_length=8,
        max_length=40,
        pattern=r"^[A-Za-z0-9_.-]+$(?!\n)",
        description="Idempotency key, chosen by the client; a new one for each request, never reused",
    ),
]
RefillKey = Annotated[
    str,
    Meta(
        min_length=8,
        max_length=32,
        pattern=r"^[A-Za-z0-9_.-]+$(?!\n)",
        description="Idempotency key, chosen by the client; a new one for each refill, never reused",
    ),
]
ONCE: Final = "Idempotency key, new for each request: a repetition with the same key does not act twice"
ONE_LINE: Final = (
    r"^(?:[^\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f"
    r"\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\u200d(?=[^\x00-\u206f]))+$(?!\n)"
)
"""One line without control characters, direction marks and invisible characters; U+200D may join emojis."""
HostedName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=40,
        pattern=ONE_LINE,
        description="Display name: one line, without control characters and invisible characters",
    ),
]
SourceName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=40,
        pattern=r"^[a-z0-9_-]+$(?!\n)",
        description="The operator's name for a source or destination of money",
    ),
]


LimitName = Annotated[
    Literal[
        "deposit_day", "deposit_week", "deposit_month", "loss_day", "loss_week", "loss_month", "session_day"
    ],
    Meta(description="Limit: of what, and of which window"),
]
LimitValue = Annotated[
    int, Meta(ge=0, le=10**15, description="In the smallest unit; of `session_day` in seconds")
]


RealityCheckMinutes = Annotated[int, Meta(ge=0, le=240)]


class AccountSettings(Struct, frozen=True, kw_only=True):
    """Settings stored with an account; each client applies them after it logs in. The defaults are a new account's."""

    language: Annotated[Language, Meta(description="Language of the client")] = "en"
    chat: Annotated[bool, Meta(description="The chat is shown")] = True
    side_bets: Annotated[bool, Meta(description="Side bets are offered: Trips, progressive")] = True
    announcements: Annotated[Volume, Meta(description="Volume of announcements, per cent; 0 is off")] = 100
    sounds: Annotated[Volume, Meta(description="Volume of sounds, per cent; 0 is off")] = 100
    muck_losing: Annotated[bool, Meta(description="For `seat_options` at each new seat")] = True
    straddle: Annotated[bool, Meta(description="For `seat_options` at each new seat with a straddle")] = False
    reality_check_min: Annotated[
        RealityCheckMinutes, Meta(description="Minutes of play between `reality_check`; 0: off")
    ] = 0
