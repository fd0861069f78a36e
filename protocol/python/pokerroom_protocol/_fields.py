"""The types of the fields of all messages, with their bounds. See `messages`, which re-exports them.

A pattern ends in `$` and a look-ahead that forbids a newline: to Python `$` alone also matches before a
last newline.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

PROTOCOL_VERSION = 1

RequestId = Annotated[
    int, Meta(ge=0, le=2**31 - 1, description="Chosen by the client; the answer repeats it as `re`")
]
Amount = Annotated[int, Meta(ge=0, le=2**53 - 1, description="Chips in the smallest unit")]
TableId = Annotated[str, Meta(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_.:-]+$(?!\n)")]
HandId = Annotated[str, Meta(min_length=1, max_length=40)]
SeatNumber = Annotated[int, Meta(ge=1, le=10)]
RoundId = Annotated[str, Meta(min_length=1, max_length=40)]
BoxNumber = Annotated[int, Meta(ge=1, le=32_767, description="A box; where a common hand is dealt, a place")]
Seq = Annotated[
    int, Meta(ge=0, le=2**53 - 1, description="Number of an event of one table; grows by one each event")
]
Name = Annotated[str, Meta(min_length=2, max_length=20, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$(?!\n)")]
Password = Annotated[str, Meta(min_length=8, max_length=128)]
CardText = Annotated[str, Meta(pattern=r"^[2-9TJQKA][cdhs]$(?!\n)")]
Millis = Annotated[
    int, Meta(ge=0, le=2**53 - 1, description="Milliseconds since the Unix epoch, server clock")
]
SeatStatus = Literal["playing", "waiting", "sitting_out", "leaving", "away"]
TournamentPhase = Literal["registering", "running", "finished", "cancelled", "rolled_back", "rolled_forward"]
StreetName = Literal["preflop", "flop", "turn", "river"]
Language = Literal["de", "pl", "en"]
Volume = Annotated[int, Meta(ge=0, le=100, description="In per cent; 0 is off")]
Cursor = Annotated[int, Meta(ge=1, le=2**53 - 1, description="A place in a history; opaque")]
CashAmount = Annotated[int, Meta(ge=1, le=10**15, description="In the smallest unit")]
CashKey = Annotated[
    str,
    Meta(
        min_length=8,
        max_length=40,
        pattern=r"^[A-Za-z0-9_.-]+$(?!\n)",
        description="Chosen by who asks, another one for each request, and never used again",
    ),
]
SourceName = Annotated[str, Meta(min_length=1, max_length=40, pattern=r"^[a-z0-9_-]+$(?!\n)")]


class AccountSettings(Struct, frozen=True, kw_only=True):
    """What is kept with an account and applied by each client that logs in; the defaults are a new account's."""

    language: Language = "en"
    chat: Annotated[bool, Meta(description="The chat is shown")] = True
    side_bets: Annotated[bool, Meta(description="Side bets are offered: Trips, progressive")] = True
    announcements: Annotated[Volume, Meta(description="How loud the dealer is")] = 100
    sounds: Annotated[Volume, Meta(description="How loud the game is")] = 100
    muck_losing: Annotated[bool, Meta(description="For `seat_options` at each seat that is taken")] = True
    straddle: Annotated[bool, Meta(description="As `muck_losing`, where there is a straddle")] = False
