"""What would become of the hands of sit-and-gos if their tables were taken now, for an audit. Changes nothing.

As `table.journalled` for cash tables: the settings are those of the tournament's own terms, at the level that the hand
was dealt at, and the seats have the chips that the ledger counts.
"""

from __future__ import annotations

from pokerroom.coordination.api import Journal
from pokerroom.ledger.tournaments import TournamentLedger, TournamentRow
from pokerroom.poker import recovery
from pokerroom.poker.journal_audit import fate_of
from pokerroom.poker.play import HandPlay
from pokerroom.poker.seats import Seat, SeatState
from pokerroom.table.journal import UnreadableJournal
from pokerroom.table.journal_audit import JournalledHand
from pokerroom.table.seal import Seal
from pokerroom.tournament.journal import decode_facts
from pokerroom.tournament.restore import journalled
from pokerroom.tournament.settings import tournament_settings


def is_tournament(table: str) -> bool:
    """Whether a table of this id is a tournament's: no table of the settings has a full stop in its id."""
    return "." in table


async def journalled_tournament_hands(
    journal: Journal, ledger: TournamentLedger, seal: Seal | None
) -> list[JournalledHand]:
    """All hands of sit-and-gos in the journal, by table. Raises as `Journal.peek` and the ledger do."""
    entries = {table: await journal.peek(table) for table in await journal.tables() if is_tournament(table)}
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
        row = await ledger.tournament(table)  # before it is asked what is settled, as for cash tables
        if hand_id in await ledger.settled_hands([hand_id]):
            return JournalledHand(table=table, hand_id=hand_id, fate="settled")
        if row.phase != "running":
            reason = f"the tournament is {row.phase}"
            return JournalledHand(table=table, hand_id=hand_id, fate="void", reason=reason)
        if seal is None:
            return JournalledHand(table=table, hand_id=hand_id, fate="sealed")
        play = _rebuilt(read, row, seal)
    except UnreadableJournal as unreadable:
        return JournalledHand(table=table, hand_id=hand_id, fate="void", reason=str(unreadable))
    except LookupError:
        reason = "there is no such tournament"
        return JournalledHand(table=table, hand_id=hand_id, fate="void", reason=reason)
    return fate_of(table, hand_id, play)


def _rebuilt(read: recovery.JournalledPoker, row: TournamentRow, seal: Seal) -> HandPlay:
    settings = tournament_settings(row.opening)
    data = decode_facts(read.facts).tournament
    said = journalled(data, settings.terms, row)
    if said is None or said.hand is None:
        raise UnreadableJournal("the journal does not tell of the tournament that the hand is of")
    level = settings.terms.schedule.levels[said.hand.level]
    return recovery.rebuild(read, settings.at(level), _seats(row), seal).play


def _seats(row: TournamentRow) -> dict[int, Seat]:
    return {
        entry.account: Seat(
            time_bank_ms=0,
            number=entry.seat,
            account=entry.account,
            name="",
            stack=entry.chips or 0,
            state=SeatState.PLAYING,
        )
        for entry in row.entries
        if entry.seat
    }
