"""What is hashed and signed, byte by byte: written from this description, apart from the code that writes it.

- A *field* is the length of a text in bytes, a colon, the text and a comma; `-,` stands for none.
- The *content* of a transfer is SHA-256 of the fields of its row, of its legs by the code of the ledger account, and of
  its hand, its round, or the end of its round. Times are microseconds since 1970. Records are JSON as PostgreSQL writes
  `jsonb`; that of a hand is without its hidden cards, and the hash of the encrypted ones is a field of its own.
- A *link* is SHA-256 of `pokerroom link 1`, the link before, the stream as a field, its number there, the content.
- A *root* is the Merkle tree hash of RFC 6962 over the links of a checkpoint, by stream and number.
- A *checkpoint* is signed with Ed25519 over `pokerroom checkpoint 1` and its JSON text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from pokerroom.verifier.rows import Rows

NONE: Final = bytes(32)
"""Stands for the hash before the first."""

_CHECKPOINT: Final = b"pokerroom checkpoint 1\n"
_FRACTION: Final = re.compile(r'"\\u0000([^"]*)\\u0000"')


def fields(*values: object) -> bytes:
    """Values as fields, one after the other."""
    made = bytearray()
    for value in values:
        if value is None:
            made += b"-,"
        else:
            text = str(value).encode()
            made += b"%d:%b," % (len(text), text)
    return bytes(made)


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

_LEGS: Final = (
    "SELECT 'leg', code, amount FROM legs JOIN ledger_accounts ON id = ledger_account"
    " WHERE transfer = ? ORDER BY code"
)
_HAND: Final = (
    "SELECT hand_id, table_id, epoch, started, ended, rake, record FROM hands"
    " WHERE transfer = ? ORDER BY hand_id"
)
_ROUND: Final = "SELECT 'round', round_id, table_id, epoch, started FROM rounds WHERE transfer = ?"
_END: Final = (
    "SELECT round, epoch, ended, void, house, fed, paid, reseeded, tronc, record"
    " FROM round_ends WHERE transfer = ? ORDER BY round"
)
_STAKES: Final = (
    "SELECT 'stake', transfer, account, kind, amount FROM round_stakes"
    " WHERE round = ? ORDER BY transfer, account"
)


def content(rows: Rows, transfer: int, erased: bytes | None) -> tuple[bytes, bytes | None] | None:
    """The hash of a transfer and that of its encrypted cards; None if there is no such transfer.

    `erased` is the hash of encrypted cards that were erased since. Raises ValueError for a record that is no JSON.
    """
    found = rows.ask("SELECT id, key, kind, created FROM transfers WHERE id = ?", transfer)
    if not found:
        return None
    text, sealed = fields("pokerroom transfer 1", *found[0]), None
    text += b"".join(fields(*leg) for leg in rows.ask(_LEGS, transfer))
    for *columns, record in rows.ask(_HAND, transfer):
        opened, hidden = without_hidden(record)
        sealed = erased if hidden is None else sha256(fields("pokerroom hidden 1", hidden)).digest()
        text += fields("hand", *columns, sha256(opened).hexdigest(), None if sealed is None else sealed.hex())
    text += b"".join(fields(*begun) for begun in rows.ask(_ROUND, transfer))
    for *columns, record in rows.ask(_END, transfer):
        text += fields("end", *columns, sha256(record.encode()).hexdigest())
        text += b"".join(fields(*stake) for stake in rows.ask(_STAKES, columns[0]))
    return sha256(text).digest(), sealed


def without_hidden(record: str) -> tuple[bytes, str | None]:
    """A record of a hand as it is after its hidden cards were erased, and the encrypted cards."""
    try:
        read = json.loads(record, parse_float=lambda number: f"\0{number}\0")  # jsonb has no such text
    except RecursionError as error:
        raise ValueError("the record is too deep") from error
    if not isinstance(read, dict):
        return record.encode(), None
    if "hidden" in read:
        hidden = read.pop("hidden")
        return _jsonb(read).encode(), hidden if isinstance(hidden, str) else _jsonb(hidden)
    seats, events = read.get("seats"), read.get("events")
    if isinstance(seats, list) and isinstance(events, list):
        shown = [event[1] for event in events if isinstance(event, list) and event[:1] == ["show"]]
        read["seats"] = [seat if seat.get("seat") in shown else _folded(seat) for seat in seats]
    return _jsonb(read).encode(), None


def _folded(seat: Mapping[str, Any]) -> dict[str, Any]:
    names = sorted({*seat, "cards"}, key=lambda name: (len(name.encode()), name.encode()))
    return {name: None if name == "cards" else seat[name] for name in names}


def _jsonb(value: object) -> str:
    return _FRACTION.sub(r"\1", json.dumps(value, ensure_ascii=False))
