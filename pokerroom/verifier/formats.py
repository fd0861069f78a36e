"""What is hashed and signed, byte by byte: written from this description, apart from the code that writes it.

- A *field* is the length of a text in bytes, a colon, the text and a comma; `-,` stands for none.
- The *content* of a transfer is SHA-256 of the fields of its row, of its legs by the code of the ledger account, and of
  its hand, its round, or the end of its round. Times are microseconds since 1970; one outside the years 1 to 9999 is
  -2^63. Records are JSON as PostgreSQL writes
  `jsonb`; that of a hand is without its hidden cards, and the hash of the encrypted ones is a field of its own. Of a
  record in a file there is an object with its hash as `digest`, and the number of the file as `archive`.
- A *link* is SHA-256 of `pokerroom link 1`, the link before, the stream as a field, its number there, the content.
- A *root* is the Merkle tree hash of RFC 6962 over the links of a checkpoint, by stream and number.
- A *checkpoint* is signed with Ed25519 over `pokerroom checkpoint 1` and its JSON text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from pokerroom.verifier.records import ELSEWHERE, fields
from pokerroom.verifier.rows import Rows

NONE: Final = bytes(32)
"""Stands for the hash before the first."""

_CHECKPOINT: Final = b"pokerroom checkpoint 1\n"


def link_hash(before: bytes, stream: str, n: int, content: bytes) -> bytes:
    """The hash of link `n` of a stream."""
    return sha256(b"pokerroom link 1\n" + before + fields(stream) + b"%d," % n + content).digest()


def line_hash(before: bytes, columns: Iterable[object]) -> bytes:
    """The hash of a line of the operators' log."""
    return sha256(before + fields(*columns)).digest()


def root(leaves: Sequence[bytes]) -> bytes:
    """The Merkle tree hash, as RFC 6962 section 2.1 defines it."""
    if len(leaves) < 2:
        return sha256(b"\0" + leaves[0] if leaves else b"").digest()
    half = 1 << (len(leaves) - 1).bit_length() - 1
    return sha256(b"\1" + root(leaves[:half]) + root(leaves[half:])).digest()


def checkpoint_hash(body: str) -> bytes:
    """What the next checkpoint names."""
    return sha256(_CHECKPOINT + body.encode()).digest()


def key_id(key: Ed25519PublicKey) -> str:
    """What a checkpoint calls the key."""
    return sha256(key.public_bytes(Encoding.Raw, PublicFormat.Raw)).hexdigest()[:16]


def is_signed(key: Ed25519PublicKey, body: str, signature: bytes) -> bool:
    """Whether the signature is that of the key over this body."""
    try:
        key.verify(signature, _CHECKPOINT + body.encode())
    except InvalidSignature:
        return False
    return True


# --- the content of a transfer ----------------------------------------------------------------------------------------

_TRANSFERS: Final = "SELECT id, key, kind, created FROM transfers ORDER BY id"
_LEGS: Final = (
    "SELECT transfer, code, amount FROM legs JOIN ledger_accounts ON id = ledger_account"
    " ORDER BY transfer, code"
)
_HANDS: Final = (
    "SELECT transfer, hand_id, table_id, epoch, started, ended, rake, record FROM hands"
    " ORDER BY transfer, hand_id"
)
_ROUNDS: Final = "SELECT transfer, round_id, table_id, epoch, started FROM rounds ORDER BY transfer"
_ENDS: Final = (
    "SELECT transfer, round, epoch, ended, void, house, fed, paid, reseeded, tronc, record FROM round_ends"
    " ORDER BY transfer, round"
)
_STAKES: Final = (
    "SELECT 'stake', transfer, account, kind, amount FROM round_stakes"
    " WHERE round = ? ORDER BY transfer, account"
)


class _Parts:
    """The rows of a table by transfer, read once in their order."""

    def __init__(self, rows: Iterator[tuple[Any, ...]]) -> None:
        self._rows = rows
        self._next = next(rows, None)

    def of(self, transfer: int) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a transfer, without its number; ask for one transfer after the other."""
        row = self._next
        while row is not None and row[0] <= transfer:
            if row[0] == transfer:
                yield row[1:]
            row = self._next = next(self._rows, None)


def contents(rows: Rows, erased_to: int) -> Iterator[tuple[int, bytes | None, bytes | None]]:
    """Each transfer in order, the hash of its content, and that of its encrypted cards.

    The content is None if a record cannot be one. Up to `erased_to`, and of a record in a file, the hash of encrypted
    cards that are not there is the one that the link has.
    """
    legs, hands = _Parts(rows.each(_LEGS)), _Parts(rows.each(_HANDS))
    begun, ends = _Parts(rows.each(_ROUNDS)), _Parts(rows.each(_ENDS))
    for transfer, key, kind, created in rows.each(_TRANSFERS):
        sealed, unreadable = None, False
        text = [fields("pokerroom transfer 1", transfer, key, kind, created)]
        text += [fields("leg", code, amount) for code, amount in legs.of(transfer)]
        for *columns, record in hands.of(transfer):
            unreadable = unreadable or not record
            opened, sealed = (record or b"")[:32], (record or b"")[32:] or None
            if sealed == ELSEWHERE or (sealed is None and transfer <= erased_to):
                linked = rows.ask("SELECT sealed FROM chain_links WHERE transfer = ?", transfer)
                sealed = linked[0][0] if linked else None
            text.append(fields("hand", *columns, opened.hex(), None if sealed is None else sealed.hex()))
        text += [fields("round", *columns) for columns in begun.of(transfer)]
        for *columns, record in ends.of(transfer):
            unreadable = unreadable or not record
            text.append(fields("end", *columns, (record or b"")[:32].hex()))
            text += [fields(*stake) for stake in rows.ask(_STAKES, columns[0])]
        yield transfer, None if unreadable else sha256(b"".join(text)).digest(), sealed
