"""The signed checkpoints of a ledger, compared with its rows by `verifier`, which knows no other code of the room."""

from __future__ import annotations

from collections.abc import Sequence

from pokerroom.ledger.checkpoints import CheckpointKey, Copies
from pokerroom.verifier.rows import OF_TRANSFERS, TABLES, Rows
from pokerroom.verifier.verify import Verified, verify


async def follow_chain(copies: Copies, secrets: Sequence[bytes] | None, *, after: int = 0) -> Verified:
    """Verify the checkpoints. `secrets` are those of the keys that may have signed; None if they are not known.

    Transfers up to `after` are not compared with their links.
    """
    rows = Rows()
    try:
        for table, columns in TABLES.items():
            since = (OF_TRANSFERS[table], after) if after and table in OF_TRANSFERS else None
            async for lines in copies.table(table, list(columns), since):
                rows.read(table, list(columns), lines)
        rows.complete()
        keys = None if secrets is None else [CheckpointKey(secret).public for secret in secrets]
        return verify(rows, keys, after=after)
    finally:
        rows.close()
