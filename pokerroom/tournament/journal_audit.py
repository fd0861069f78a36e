"""An audit of the hands of sit-and-gos: the result of a takeover of their tables now. Changes nothing.

As `poker.journal_audit` for cash tables, with these differences: the settings are those of the tournament's own terms
at the level of the hand, and the seats have the chips that the ledger counts.
"""

from __future__ import annotations

from pokerroom.coordination.api import Journal
from pokerroom.ledger.tournament_entries import table_and_seat
from pokerroom.ledger.tournaments import (
    TournamentLedger,
    TournamentRow,
    table_number,
    tournament_at,
    tournament_owned_as,
)
from pokerroom.poker import recovery
from pokerroom.poker.journal_audit import fate_of
from pokerroom.poker.play import HandPlay
from pokerroom.poker.seats import Seat, SeatState
from pokerroom.table.journal import UnreadableJournal
from pokerroom.table.journal_audit import JournalledHand
from pokerroom.table.seal import Seal
from pokerroom.tournament.restore import is_closed
from pokerroom.tournament.seating import settings_of_hand
from pokerroom.tournament.settings import tournament_settings


def is_tournament(table: str) -> bool:
    """Return whether this is the id of a tournament or its table: that of a configured table has no full stop."""
    return "." in table


def _is_table(name: str) -> bool:
    return is_tournament(name) and tournament_owned_as(name) is None


async def journalled_tournament_hands(
    journal: Journal, ledger: TournamentLedger, seal: Seal | None
) -> list[JournalledHand]:
    """Return all hands of sit-and-gos in the journal, by table. Raises as `Journal.peek` and the ledger do."""
    entries = {table: await journal.peek(table) for table in await journal.tables() if _is_table(table)}
    found = [await _hand(ledger, table, entries[table], seal) for table in sorted(entries)]
    return [hand for hand in found if hand is not None]


async def _hand(
    ledger: TournamentLedger, table: str, entries: list[bytes], seal: Seal | None
) -> JournalledHand | None:
    hand_id: str | None = None
    try:
        read = recovery.read(entries)
        hand_id = read.hand_id
        if hand_id is None:
            return None
        row = await ledger.tournament(tournament_at(table))  # before `settled_hands`, as for cash tables
        if hand_id in await ledger.settled_hands([hand_id]):
            return JournalledHand(table=table, hand_id=hand_id, fate="settled")
        if is_closed(row, table_number(table)):
            over = row.phase != "running"
            reason = f"the tournament is {row.phase}" if over else "its players have moved to other tables"
            return JournalledHand(table=table, hand_id=hand_id, fate="void", reason=reason)
        if seal is None:
            return JournalledHand(table=table, hand_id=hand_id, fate="sealed")
        play = _rebuilt(read, row, table_number(table), seal)
    except UnreadableJournal as unreadable:
        return JournalledHand(table=table, hand_id=hand_id, fate="void", reason=str(unreadable))
    except LookupError:
        reason = "there is no such tournament"
        return JournalledHand(table=table, hand_id=hand_id, fate="void", reason=reason)
    return fate_of(table, hand_id, play)


def _rebuilt(read: recovery.JournalledPoker, row: TournamentRow, table: int, seal: Seal) -> HandPlay:
    settings = settings_of_hand(tournament_settings(row.opening).table_numbered(table), read)
    return recovery.rebuild(read, settings, _seats(row, table), seal).play


def _seats(row: TournamentRow, table: int) -> dict[int, Seat]:
    return {
        entry.account: Seat(
            time_bank_ms=0,
            number=table_and_seat(entry.seat)[1],
            account=entry.account,
            name="",
            stack=entry.chips or 0,
            state=SeatState.PLAYING,
        )
        for entry in row.entries
        if entry.seat and table_and_seat(entry.seat)[0] == table
    }
