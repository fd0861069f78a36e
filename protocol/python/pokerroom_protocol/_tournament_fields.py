"""Fields that several messages about tournaments have in common."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta

from ._fields import Amount, TournamentPhase

PAGE_MAX: Final = 100
"""The maximum number of rows in one answer."""

OfferId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=24,
        pattern=r"^[a-z0-9][a-z0-9:-]*$(?!\n)",
        description="Id of an offer of sit-and-gos",
    ),
]
Offset = Annotated[int, Meta(ge=0, le=100_000, description="Number of rows to skip")]
PageSize = Annotated[int, Meta(ge=1, le=PAGE_MAX, description="Maximum number of rows in the answer")]

CurrentPhase = Annotated[TournamentPhase, Meta(description="Current phase, or how the tournament ended")]
DisplayName = Annotated[str, Meta(description="Display name")]
BuyIn = Annotated[Amount, Meta(description="Total price of an entry")]
EntryFee = Annotated[Amount, Meta(description="Part of the buy-in that the house keeps")]
Bounty = Annotated[
    Amount,
    Meta(
        description="Part of the buy-in that is on the player's head, for those who knock the player out; 0 without"
    ),
]
BountyKind = Annotated[
    Literal["knockout", "progressive"] | None,
    Meta(
        description="`knockout`: a head is paid at once; `progressive`: a part of it goes on the winner's own head; "
        "null without bounties"
    ),
]
LevelUnit = Annotated[Literal["seconds", "hands"], Meta(description="Unit of the levels' lengths")]
TableSeats = Annotated[int, Meta(ge=2, le=10, description="Seats of each table")]
Guarantee = Annotated[Amount, Meta(description="The prizes sum to this at least; 0 without a guarantee")]
EntriesMax = Annotated[
    int, Meta(ge=0, description="Entries of one player, one after the other; 0 is any number")
]
EntriesBought = Annotated[int, Meta(ge=0, description="Number of entries, re-entries among them")]
PlayersEntered = Annotated[int, Meta(ge=0, description="Number of players who have entered")]
PlayersLeft = Annotated[
    int, Meta(ge=0, description="Number of players in; before the start those registered")
]
DealsAllowed = Annotated[bool, Meta(description="Players may make a deal at the final table")]
