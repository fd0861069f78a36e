"""Checkpoints: what was settled, in chains of hashes that are signed at intervals.

Each transfer, with its hand or the end of its round, is a *link* of a *stream*: `table:<id>` for hands and rounds,
`transfers` for all others. A link has a number in its stream, and its hash follows from the link before. A *checkpoint*
signs the links that came since the one before: their Merkle root, the head of each of their streams, the head of the
operators' log, and the hash of the checkpoint before. `pokerroom/verifier` checks all of it; it shares no code with
this module, so a change of a format here must be made there, too.

The ledger in memory has no checkpoints: the database is what they protect.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from twisted.internet.defer import Deferred

from pokerroom.ledger.api import LedgerUnavailable

BATCH: Final = 1_000
"""Links of a checkpoint at most. What is left comes with the next checkpoint, at once."""

OPEN_S: Final = 600
"""No transaction of a room is open for half as long, in seconds."""

NO_HASH: Final = bytes(32)
"""Before the first link of a stream, and before the first checkpoint."""

_DOMAIN: Final = b"pokerroom checkpoint 1\n"

_COPY_ESCAPES: Final = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A signed checkpoint. `body` is JSON text, and `signature` that of Ed25519 over it."""

    number: int
    body: str
    signature: bytes

    @property
    def links(self) -> int:
        """How many links it has."""
        return int(json.loads(self.body)["links"])


class ForgedCheckpoint(Exception):  # noqa: N818 -- it names what was found
    """Raised where the last checkpoint in the database was not signed by the room: nothing may follow it."""


class CheckpointsHeld(LedgerUnavailable):
    """Raised while another session holds the lock of the node that writes checkpoints."""


class CheckpointKey:
    """The key that signs, made from a secret of 32 bytes. `earlier`: those of the keys before it."""

    def __init__(self, secret: bytes, *earlier: bytes) -> None:
        self._private = _private_key(secret)
        self.public: Ed25519PublicKey = self._private.public_key()
        self.key_id = _key_id(self.public)
        """Identifies the key in checkpoints."""
        known = [self.public, *(_private_key(each).public_key() for each in earlier)]
        self._known = {_key_id(each): each for each in known}

    def pem(self) -> str:
        """The public key, for whoever verifies."""
        return self.public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()

    def sign(self, body: str) -> bytes:
        """The signature of a body."""
        return self._private.sign(_DOMAIN + body.encode())

    def continues(self, last: Checkpoint) -> tuple[int, str, bool]:
        """What the next one needs of it: `complete_to`, the operators' log's head, whether an earlier key signed it.

        An earlier key signs nothing after this one has.

        Raises `ForgedCheckpoint` for what neither this key nor an earlier one has signed.
        """
        try:
            facts = json.loads(last.body)
            self._known[facts["key"]].verify(last.signature, _DOMAIN + last.body.encode())
            by_earlier = facts["key"] != self.key_id
            return int(facts["complete_to"]), str(facts["operators_log"][1]), by_earlier
        except (InvalidSignature, LookupError, OverflowError, RecursionError, TypeError, ValueError) as error:
            raise ForgedCheckpoint(
                f"checkpoint {last.number} in the database is signed with no key of this room"
            ) from error


def _private_key(secret: bytes) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(
        hashlib.blake2b(b"checkpoints", key=secret, digest_size=32).digest()
    )


def _key_id(key: Ed25519PublicKey) -> str:
    return hashlib.sha256(key.public_bytes(Encoding.Raw, PublicFormat.Raw)).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """The checkpoint from which on a verification reads the rows of transfers after `after`.

    `complete_to`, at most `after`, and `log_n` are what it says; `first` is the first checkpoint that is read.
    """

    after: int
    number: int
    complete_to: int
    log_n: int
    first: int


class Copies(Protocol):
    """The tables of the database at one moment, as text."""

    def table(self, name: str, columns: Sequence[str], after: Base | None = None) -> AsyncIterator[list[str]]:
        """The rows in the format of PostgreSQL's COPY, some lines at a time. Names are not from outside.

        `after`: only what came after that checkpoint, as far as a verification needs it.
        """

    def newest_first(self) -> AsyncIterator[Checkpoint]:
        """The checkpoints from the last one back."""

    async def streams(self, after: int) -> set[str]:
        """The streams of transfers after this number."""


class CheckpointLedger(Protocol):
    """The contract. Every method may fail with `LedgerUnavailable`."""

    def write_checkpoint(self, key: CheckpointKey, *, open_s: int = OPEN_S) -> Deferred[Checkpoint | None]:
        """Links what was committed since the last checkpoint, at most `BATCH` transfers, and signs it.

        None if there is nothing new. `open_s`: see `OPEN_S`. Settlements do not wait. Raises `ForgedCheckpoint` and
        `CheckpointsHeld`.
        """

    def checkpoints(self, after: int, at_most: int) -> Deferred[list[Checkpoint]]:
        """The checkpoints with a higher number, in order."""

    def copies(self) -> AbstractAsyncContextManager[Copies]:
        """Opens the tables for a verification. Raises `LedgerUnavailable`."""


# --- what a checkpoint says -------------------------------------------------------------------------------------------


class NewLink(NamedTuple):
    """A link that is made now. `content` is the hash of what was booked, `sealed` that of its encrypted cards."""

    transfer: int
    stream: str
    content: bytes
    sealed: bytes | None


class Head(NamedTuple):
    """The last link of a stream. Before the first one 0 and zeros."""

    n: int = 0
    hash: bytes = NO_HASH


@dataclass(slots=True, kw_only=True)
class NewLinks:
    """New links, each after the head of its stream. `heads` are the heads before; it then follows the links."""

    heads: dict[str, Head]
    placed: list[tuple[NewLink, Head]] = field(default_factory=list)

    def add(self, links: Sequence[NewLink]) -> None:
        """Put each link at the end of its stream."""
        for link in links:
            before = self.heads.get(link.stream, Head())
            head = Head(before.n + 1, _link_hash(before, link))
            self.heads[link.stream] = head
            self.placed.append((link, head))

    def rows(self) -> str:
        """The links as lines of PostgreSQL's COPY: transfer, stream, number, and both hashes in hex digits."""
        names = {stream: stream.translate(_COPY_ESCAPES) for stream in self.heads}
        return "".join(
            f"{link.transfer}\t{names[link.stream]}\t{head.n}\t{_copied(link.sealed)}\t{_copied(head.hash)}\n"
            for link, head in self.placed
        )

    def body(
        self,
        *,
        number: int,
        at_ms: int,
        key: str,
        before: Checkpoint | None,
        complete_to: int,
        log_head: tuple[int, bytes],
    ) -> str:
        """The JSON text of the checkpoint. `complete_to`: every transfer up to this one has a link."""
        leaves: dict[str, list[bytes]] = {}
        for link, head in self.placed:
            leaves.setdefault(link.stream, []).append(head.hash)
        ordered = sorted(leaves, key=str.encode)
        streams = [
            [stream, self.heads[stream].n - len(leaves[stream]) + 1, self.heads[stream].n,
             self.heads[stream].hash.hex()]
            for stream in ordered
        ]  # fmt: skip
        facts: Mapping[str, object] = {
            "number": number,
            "at_ms": at_ms,
            "key": key,
            "before": (NO_HASH if before is None else checkpoint_hash(before.body)).hex(),
            "complete_to": complete_to,
            "links": len(self.placed),
            "root": merkle_root([leaf for stream in ordered for leaf in leaves[stream]]).hex(),
            "streams": streams,
            "operators_log": [log_head[0], log_head[1].hex()],
        }
        return json.dumps(facts, separators=(",", ":"), ensure_ascii=False)


def _copied(value: bytes | None) -> str:
    return r"\N" if value is None else rf"\\x{value.hex()}"


def checkpoint_hash(body: str) -> bytes:
    """What the next checkpoint names."""
    return hashlib.sha256(_DOMAIN + body.encode()).digest()


def _link_hash(before: Head, link: NewLink) -> bytes:
    stream = link.stream.encode()
    place = b"%d:%b,%d," % (len(stream), stream, before.n + 1)
    return hashlib.sha256(b"pokerroom link 1\n" + before.hash + place + link.content).digest()


def merkle_root(leaves: Sequence[bytes]) -> bytes:
    """The Merkle tree hash of RFC 6962, section 2.1."""
    if not leaves:
        return hashlib.sha256().digest()
    level = [hashlib.sha256(b"\0" + leaf).digest() for leaf in leaves]
    while len(level) > 1:  # a last one without a partner goes up: that is the tree of the RFC
        paired = [
            hashlib.sha256(b"\1" + left + right).digest()
            for left, right in zip(level[::2], level[1::2], strict=False)
        ]
        level = paired + level[2 * len(paired) :]
    return level[0]
