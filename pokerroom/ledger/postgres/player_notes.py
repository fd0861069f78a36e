"""Notes about players in PostgreSQL: see `PlayerNoteLedger`. `schema/functions/player_notes.sql` decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import LiteralString

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.ledger.player_notes import NOTES_MAX, PlayerNoteRow
from pokerroom.ledger.postgres.calls import PostgresCalls


class PostgresPlayerNotes(PostgresCalls):
    """A `PlayerNoteLedger`."""

    def set_player_note(
        self, account: int, player: str, text: str | None, color: str | None
    ) -> Deferred[None]:
        query: LiteralString = "SELECT set_player_note(%s, %s, %s, %s, %s)"
        return deferred(self._done(query, account, player, text, color, NOTES_MAX))

    def player_notes(self, account: int, before: int | None, limit: int) -> Deferred[Sequence[PlayerNoteRow]]:
        return deferred(self._notes(account, None, before, limit))

    def notes_about(self, account: int, players: Sequence[str]) -> Deferred[Sequence[PlayerNoteRow]]:
        return deferred(self._notes(account, list(players), None, len(players)))

    async def _notes(
        self, account: int, players: list[str] | None, before: int | None, limit: int
    ) -> list[PlayerNoteRow]:
        rows = await self._rows(
            "SELECT number, name, text, color FROM player_notes JOIN accounts ON accounts.id = about"
            " WHERE account = %(account)s AND (%(before)s::bigint IS NULL OR number < %(before)s)"
            ' AND (%(players)s::text[] IS NULL OR lower(name COLLATE "C") IN'
            ' (SELECT lower(one COLLATE "C") FROM unnest(%(players)s::text[]) AS one))'
            " ORDER BY number DESC LIMIT %(limit)s",
            account=account,
            players=players,
            before=before,
            limit=limit,
        )
        return [
            PlayerNoteRow(number=number, player=name, text=text, color=color)
            for number, name, text, color in rows
        ]
