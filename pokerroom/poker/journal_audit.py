"""An audit of the hands in a journal: the result of a takeover of their tables now. Changes nothing.

It follows the same path as a takeover: `recovery` reads and rebuilds. It only reads journal and ledger, while a room
plays or without one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from pokerroom.coordination.api import Journal
from pokerroom.ledger.api import Ledger, SeatRow
from pokerroom.ops.table_settings import TableSettings
from pokerroom.poker import recovery
from pokerroom.poker.play import HandPlay
from pokerroom.poker.seat_facts import restored_seat
from pokerroom.table.journal import UnreadableJournal
from pokerroom.table.journal_audit import JournalledHand
from pokerroom.table.seal import Seal


async def journalled_hands(
    journal: Journal,
    ledger: Ledger,
    tables: Mapping[str, TableSettings],
    seal: Seal | None,
    is_other: Callable[[str, list[bytes]], bool] = lambda *_: False,
) -> list[JournalledHand]:
    """Return all hands in the journal, by table. Raises as `Journal.peek` and the ledger do.

    `is_other` returns whether a table with its entries belongs to another kind: it is left out.

    The journal is read first, then the seats, then which hands are settled. So the seats of a hand that is not settled
    by then are those of its start, even while a room plays.
    """
    peeked = {table: await journal.peek(table) for table in await journal.tables()}
    entries = {table: found for table, found in peeked.items() if not is_other(table, found)}
    rows = await ledger.seats()
    named = {table: recovery.hand_in_progress(found) for table, found in entries.items()}
    settled = await ledger.settled_hands([hand for hand in named.values() if hand is not None])
    found = (
        _hand(
            table,
            entries[table],
            tables.get(table),
            [row for row in rows if row.table == table],
            settled=settled,
            seal=seal,
        )
        for table in sorted(entries)
    )
    return [hand for hand in found if hand is not None]


def _hand(
    table: str,
    entries: list[bytes],
    settings: TableSettings | None,
    rows: Iterable[SeatRow],
    *,
    settled: frozenset[str],
    seal: Seal | None,
) -> JournalledHand | None:
    try:
        read = recovery.read(entries)
    except UnreadableJournal as unreadable:
        return JournalledHand(table=table, hand_id=None, fate="void", reason=str(unreadable))
    hand_id = read.hand_id
    if hand_id is None:
        return None
    if hand_id in settled:
        return JournalledHand(table=table, hand_id=hand_id, fate="settled")
    if settings is None:
        reason = "these settings have no such table: name the settings file of the room with --config"
        return JournalledHand(table=table, hand_id=hand_id, fate="void", reason=reason)
    if seal is None:
        return JournalledHand(table=table, hand_id=hand_id, fate="sealed")
    seats = {row.account: restored_seat(row, None, running=False, time_bank_ms=0) for row in rows}
    try:
        play = recovery.rebuild(read, settings, seats, seal).play
    except UnreadableJournal as unreadable:
        return JournalledHand(table=table, hand_id=hand_id, fate="void", reason=str(unreadable))
    return fate_of(table, hand_id, play)


def fate_of(table: str, hand_id: str, play: HandPlay) -> JournalledHand:
    """Return the fate of a hand that can be played on: its seats must have the stacks of the ledger."""
    too_much = [
        seat.account
        for seat, stack in zip(play.seats, play.stacks_at_start, strict=True)
        if seat.stack < stack  # more is possible: a top-up meanwhile (A3)
    ]
    return JournalledHand(
        table=table,
        hand_id=hand_id,
        fate="complete" if play.state.finished else "in_progress",
        difference=f"hand {hand_id}: accounts {too_much} play with more than their stacks"
        if too_much
        else None,
    )
