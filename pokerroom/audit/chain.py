"""The signed checkpoints of a ledger, compared with its rows by `verifier`, which knows no other code of the room.

A part of a verification begins at a *base*: the newest checkpoint that covers no transfer of the part. Only what came
after it is read, so the work does not grow with what is before.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from pokerroom.ledger.checkpoints import Base, Checkpoint, CheckpointKey, Copies
from pokerroom.verifier.formats import is_signed, key_id
from pokerroom.verifier.published import Published
from pokerroom.verifier.rows import TABLES, Rows
from pokerroom.verifier.verify import KEPT_MAX, Body, Verified, differences_of_published, verify


async def follow_chain(
    copies: Copies, secrets: Sequence[bytes] | None, *, after: int = 0, published: Published | None = None
) -> Verified:
    """Verify the checkpoints. `secrets` are those of the keys that may have signed; None if they are not known.

    Transfers up to `after` need not be compared with their links. Each checkpoint that was `published` before the
    copies were opened must be there. Raises `UnreadableRows`.
    """
    keys = None if secrets is None else [CheckpointKey(secret).public for secret in secrets]
    base = await _base(copies, after, keys) if after else None
    rows = Rows()
    try:
        for table, columns in TABLES.items():
            async for lines in copies.table(table, list(columns), base):
                rows.read(table, list(columns), lines)
        rows.complete()
        found = verify(rows, keys, base=0 if base is None else base.number)
        if published is None:
            return found
        first = 0 if base is None else base.first
        lost = list(differences_of_published(rows, keys, published.lines(), first=first))
        return replace(
            found, differences=(*found.differences, *lost[:KEPT_MAX]), count=found.count + len(lost)
        )
    finally:
        rows.close()


async def _base(copies: Copies, after: int, keys: Sequence[Ed25519PublicKey] | None) -> Base | None:
    """Return the newest checkpoint that is of transfers up to `after`; None if there is none.

    It is one that these keys have signed: another may name transfers that were never compared.
    Some later transfers may have been linked by the checkpoints before it: it is read from the first of them on.
    """
    base: Base | None = None
    signed: set[str] = set()
    waiting: set[str] = set()
    async for checkpoint in copies.newest_first():
        number = checkpoint.number
        body = None
        with suppress(ValueError):  # the verification names it if it is read
            body = _signed(checkpoint, keys)
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


def _signed(checkpoint: Checkpoint, keys: Sequence[Ed25519PublicKey] | None) -> Body:
    """Raises ValueError for what none of these keys has signed."""
    body = Body.read(checkpoint.body, checkpoint.number)
    text, signature = checkpoint.body, checkpoint.signature
    if keys is None or any(key_id(key) == body.key and is_signed(key, text, signature) for key in keys):
        return body
    raise ValueError(f"checkpoint {checkpoint.number} is signed with no known key")
