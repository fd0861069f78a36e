"""Answers what an account asks about its notes on other players. No other account is told them."""

from __future__ import annotations

from typing import Any, cast

from pokerroom.ledger.player_notes import PlayerNoteLedger
from pokerroom_protocol import messages as wire


async def notes_answered(
    ledger: PlayerNoteLedger, message: wire.SetPlayerNote | wire.GetPlayerNotes, account: int
) -> wire.Ok | wire.PlayerNotes:
    """Store or remove a note; or return notes, about some players or a page of all. Raises what the ledger raises."""
    if isinstance(message, wire.SetPlayerNote):
        await ledger.set_player_note(account, message.player, message.text, message.color)
        return wire.Ok(re=message.id)
    if message.players is not None:
        found, more = await ledger.notes_about(account, message.players), False
    else:
        page = await ledger.player_notes(account, message.before, message.limit + 1)
        found, more = page[: message.limit], len(page) > message.limit
    notes = [
        wire.PlayerNoteView(player=row.player, text=row.text, color=cast("Any", row.color)) for row in found
    ]
    return wire.PlayerNotes(re=message.id, notes=notes, before=found[-1].number if more else None)
