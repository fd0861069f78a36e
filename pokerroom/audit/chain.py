"""The signed checkpoints of a ledger, compared with its rows by `verifier`, which knows no other code of the room.

A part of a verification begins at a *base*: the newest checkpoint that covers no transfer of the part. Only what came
after it is read, so the work does not grow with what is before.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from pokerroom.ledger.checkpoints import Base, CheckpointKey, Copies
from pokerroom.verifier.rows import TABLES, Rows
from pokerroom.verifier.verify import Body, Verified, verify


async def follow_chain(copies: Copies, secrets: Sequence[bytes] | None, *, after: int = 0) -> Verified:
    """Verify the checkpoints. `secrets` are those of the keys that may have signed; None if they are not known.

    Transfers up to `after` need not be compared with their links. Raises `UnreadableRows`.
    """
    base = await _base(copies, after) if after else None
    rows = Rows()
    try:
        for table, columns in TABLES.items():
            async for lines in copies.table(table, list(columns), base):
                rows.read(table, list(columns), lines)
        rows.complete()
        keys = None if secrets is None else [CheckpointKey(secret).public for secret in secrets]
        return verify(rows, keys, base=0 if base is None else base.number)
    finally:
        rows.close()


async def _base(copies: Copies, after: int) -> Base | None:
    """Return the newest checkpoint that is of transfers up to `after`; None if there is none.

    Some later transfers may have been linked by the checkpoints before it: it is read from the first of them on.
    """
    base: Base | None = None
    signed: set[str] = set()
    waiting: set[str] = set()
    async for number, text in copies.newest_first():
        body = None
        with suppress(ValueError):  # the verification names it if it is read
            body = Body.read(text, number)
        streams = set() if body is None else {stream for stream, *_ in body.streams}
        if base is not None:
            base = replace(base, first=number)
        elif body is not None and body.complete_to <= after:
            base = Base(
                after=after, number=number, complete_to=body.complete_to, log_n=body.log_n, first=number
            )
            waiting = await copies.streams(body.complete_to) - signed
        signed |= streams
        waiting -= streams
        if base is not None and not waiting:
            break
    return base
