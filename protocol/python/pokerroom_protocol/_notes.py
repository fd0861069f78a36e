"""Messages about what an account notes of other players, for itself alone."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ._answers import Answer
from ._declarations import LOGGED_IN, declare, declare_request
from ._fields import ONE_LINE, Cursor, Name, PlayerName, RequestId
from ._requests import Request

NoteText = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=300,
        pattern=ONE_LINE,
        description="One line without control characters, direction marks and invisible characters",
    ),
]
NoteColor = Annotated[
    Literal["red", "orange", "yellow", "green", "blue", "violet"],
    Meta(description="Colour tag; its meaning is the account's own"),
]


class SetPlayerNote(Request, frozen=True, kw_only=True, tag="set_player_note"):
    """Note a text and a colour about another player, in place of those before. Without both the note is gone.

    Only the account itself is told its notes.
    """

    player: Annotated[Name, Meta(description="The other player")]
    text: Annotated[NoteText | None, Meta(description="null: no text")] = None
    color: Annotated[NoteColor | None, Meta(description="null: no colour")] = None


declare_request(
    SetPlayerNote(id=72, player="bob", text="Calls too much", color="green"),
    SetPlayerNote(id=72, player="bob"),
    sender=LOGGED_IN,
    answers="ok",
    refusals="unknown_player too_many_player_notes account_locked",
)


class GetPlayerNotes(Request, frozen=True, kw_only=True, tag="get_player_notes"):
    """Request the account's notes: those about some players, or all in pages, the latest begun first."""

    players: Annotated[
        Annotated[list[Name], Meta(max_length=10)] | None,
        Meta(description="These players alone, without pages; null: all"),
    ] = None
    before: Annotated[
        Cursor | None,
        Meta(description="`before` of the last `player_notes`, for the next page; null: from the latest"),
    ] = None
    limit: Annotated[int, Meta(ge=1, le=100, description="Largest number of notes")] = 50


declare_request(
    GetPlayerNotes(id=73, players=["bob", "carol"]),
    GetPlayerNotes(id=73, before=4_711, limit=100),
    sender=LOGGED_IN,
    answers="player_notes",
)


class PlayerNoteView(Struct, frozen=True, kw_only=True):
    """A note of the account about another player."""

    player: PlayerName
    text: Annotated[NoteText | None, Meta(description="null: none")]
    color: Annotated[NoteColor | None, Meta(description="null: none")]


class PlayerNotes(Answer, frozen=True, kw_only=True, tag="player_notes"):
    """Answer to `get_player_notes`."""

    re: RequestId
    notes: Annotated[list[PlayerNoteView], Meta(description="The latest begun first")]
    before: Annotated[Cursor | None, Meta(description="For the next page; null: there is none")]


declare(
    PlayerNotes(
        re=73,
        notes=[
            PlayerNoteView(player="bob", text="Calls too much", color="green"),
            PlayerNoteView(player="carol", text=None, color="red"),
        ],
        before=None,
    ),
    PlayerNotes(re=73, notes=[], before=None),
)
