"""Says for an audit what would become of the rounds in progress if other nodes took their tables now. Changes nothing.

Follows the same path as a table that is taken: the ledger says which rounds are in progress, `recovery` reads and
rebuilds them. Reads journal and ledger only, beside a running room or without one.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from pokerroom.coordination.api import Journal
from pokerroom.ledger.api import Ledger
from pokerroom.table.journal import UnreadableJournal
from pokerroom.table.journal_audit import Fate, JournalledHand
from pokerroom.table.seal import Seal
from pokerroom.ultimate import recovery

LOOKS: Final = 3
"""How often a contradiction is looked at: a running room moves on between the journal's answer and the ledger's."""


async def journalled_rounds(
    journal: Journal, ledger: Ledger, tables: Collection[str], seal: Seal | None
) -> list[JournalledHand]:
    """Return all rounds that are in progress, or that a journal ends with, by table.

    `tables` are the tables in the settings. Raises as `peek` and the ledger do.
    """
    entries = {table: await journal.peek(table) for table in await journal.tables()}
    read = {table: _round_id(found) for table, found in entries.items() if is_ultimate(found)}
    rounds = await ledger.open_rounds()
    named = [round_id for table, round_id in read.items() if round_id is not None and table not in rounds]
    ended = await ledger.ended_rounds(named)
    settled = [
        JournalledHand(table=table, hand_id=round_id, fate="settled")
        for table, round_id in read.items()
        if round_id in ended
    ]  # of the others no bet was paid: there is no round
    going_on = [
        await _round(journal, ledger, table, known=table in tables, seal=seal) for table in sorted(rounds)
    ]
    found = [*settled, *(one for one in going_on if one is not None)]
    return sorted(found, key=lambda one: one.table)


def is_ultimate(entries: list[bytes]) -> bool:
    """Return whether these are entries of a table of Ultimate Texas Hold'em; an empty journal is of no game."""
    try:
        recovery.read(entries)
    except UnreadableJournal:
        return False
    return bool(entries)


def _round_id(entries: list[bytes]) -> str | None:
    return recovery.read(entries).round_id


async def _round(
    journal: Journal, ledger: Ledger, table: str, *, known: bool, seal: Seal | None
) -> JournalledHand | None:
    """Return the round in progress at a table; None if it is over by now."""
    round_id, reason = None, ""
    for _ in range(LOOKS):
        entries = await journal.peek(
            table
        )  # before the ledger: what it has beyond the journal is no contradiction
        of = await ledger.open_round(table)
        if of is None:
            return None
        round_id = of.round_id
        if not known:
            reason = "these settings have no such table: name the settings file of the room with --config"
            break
        if seal is None:
            return JournalledHand(table=table, hand_id=round_id, fate="sealed")
        try:
            play = recovery.rebuild(recovery.read(entries), table, of, seal).play
        except UnreadableJournal as unreadable:
            reason = str(unreadable)
            continue
        fate: Fate = "complete" if play.state.finished else "in_progress"
        return JournalledHand(table=table, hand_id=round_id, fate=fate)
    return JournalledHand(table=table, hand_id=round_id, fate="void", reason=reason)
