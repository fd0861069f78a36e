"""Compares the rows of a room with its signed checkpoints, and names what differs.

Trusted are the public keys alone. A stored hash only helps to name the row that was changed: what it says is compared
with what was signed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from pokerroom.verifier.formats import (
    NONE,
    checkpoint_hash,
    contents,
    is_signed,
    key_id,
    line_hash,
    link_hash,
    root,
)
from pokerroom.verifier.rows import Rows

KEPT_MAX: Final = 1_000
"""More differences are counted and not kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What was proven, and what differs, one sentence each; `count` may be more than are kept.

    `until_ms` is the Unix time of the last checkpoint, None without one. `transfers` have a link, `open` ones wait for
    the next checkpoint; the cards of `erased` hands are known by their hash alone. `signed` is false if no key was
    known: then it is only proven that rows and checkpoints fit.
    """

    differences: tuple[str, ...]
    count: int
    signed: bool
    checkpoints: int
    until_ms: int | None
    transfers: int
    open: int
    open_since_ms: int | None = None
    """When the first of the open transfers was created; None without one."""
    open_lines: int = 0
    """Lines of the operators' log after the one that the last checkpoint has signed."""
    erased: int
    archived: int
    """Records in files, of which the hash alone is here."""
    lines: int
    rows: int
    """How many rows were read for it."""


_YEAR_10000_MS: Final = 253_402_300_800_000


def _text(value: object) -> str:
    """Raises ValueError for a text that no database holds: half a character."""
    str(value).encode()
    return str(value)


def _number(value: object, below: int = 1 << 63) -> int:
    """Raises ValueError for what is no number that a checkpoint can have: its text may be of an attacker."""
    if not isinstance(value, int) or not 0 <= value < below:
        raise ValueError("no number of a checkpoint")
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """What a checkpoint says."""

    at_ms: int
    key: str
    before: bytes
    complete_to: int
    root: bytes
    links: int
    streams: tuple[tuple[str, int, int, bytes], ...]
    log_n: int
    log_hash: bytes

    @classmethod
    def read(cls, text: str, number: int) -> Self:
        """Raises ValueError for what is no checkpoint of this number."""
        try:
            facts = json.loads(text)
            (number,) = {number, facts["number"]}
            return cls(
                at_ms=_number(facts["at_ms"], _YEAR_10000_MS),
                key=_text(facts["key"]),
                before=bytes.fromhex(facts["before"]),
                complete_to=_number(facts["complete_to"]),
                root=bytes.fromhex(facts["root"]),
                links=_number(facts["links"]),
                streams=tuple(
                    (_text(stream), _number(first), _number(last), bytes.fromhex(head))
                    for stream, first, last, head in facts["streams"]
                ),
                log_n=_number(facts["operators_log"][0]),
                log_hash=bytes.fromhex(facts["operators_log"][1]),
            )
        except (KeyError, IndexError, TypeError, ValueError, RecursionError) as error:
            raise ValueError("no checkpoint") from error


_Link = tuple[int, bytes | None, bytes, int | None, bytes | None, bytes | None]
"""What is stored of a link: its transfer, the hash of the hidden cards, its own hash. And what the rows of the transfer
hash to: its number if it is there, its content, and the hash of the hidden cards."""

_LINKS: Final = (
    "SELECT n, chain_links.transfer, chain_links.sealed, hash, contents.transfer, content, contents.sealed"
    " FROM chain_links LEFT JOIN contents ON contents.transfer = chain_links.transfer"
    " WHERE stream = ? AND n BETWEEN ? AND ?"
)
_LOWEST: Final = "SELECT stream, min(n), transfer, hash FROM chain_links GROUP BY stream ORDER BY stream"
_ONCE: Final = (
    ("transfers", "id"),
    ("transfers", "key"),
    ("ledger_accounts", "id"),
    ("ledger_accounts", "code"),
    ("chain_links", "stream, n"),
)
"""Tables with what is there once in each: rows are found by it, so a second one would not be compared."""

_ARCHIVED: Final = (
    "SELECT (SELECT count(*) FROM hands WHERE length(record) = 33)"
    " + (SELECT count(*) FROM round_ends WHERE length(record) = 33)"
)
"""Counts the hashes with `ELSEWHERE` behind them."""

_HIGHEST: Final = "SELECT stream, max(n) FROM chain_links GROUP BY stream ORDER BY stream"


@dataclass(slots=True)
class _Check:
    rows: Rows
    keys: dict[str, Ed25519PublicKey] | None
    base: int
    """The checkpoint from which on the rows are compared; 0: all are."""
    after: int = 0
    """Transfers up to this one came before."""
    erased_to: int = 0
    erased: int = 0
    count: int = 0
    differences: list[str] = field(default_factory=list)
    heads: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)
    reached: set[str] = field(default_factory=set)
    """Streams of which a checkpoint after the base was followed."""
    not_proven: set[str] = field(default_factory=set)
    """Streams with links that no known key has signed yet. What it signs later covers them, too."""
    foreign: Counter[str] = field(default_factory=Counter)
    """How many checkpoints name a key that is not known."""
    signer: str = ""
    """The key of the last checkpoint that was followed."""
    replaced: set[str] = field(default_factory=set)
    """Keys after which another one has signed: they do not come back, also if they were stolen meanwhile."""
    signed_before: dict[str, tuple[int, int, bytes]] = field(default_factory=dict)
    """The last link of a stream in a checkpoint up to the base: the checkpoint, its number, its hash."""

    def differs(self, sentence: str) -> None:
        self.count += 1
        if len(self.differences) < KEPT_MAX:
            self.differences.append(sentence)

    def link(self, stream: str, n: int, transfer: int, why: str) -> None:
        """Name a link that is not as it was."""
        key = self.rows.ask("SELECT key FROM transfers WHERE id = ?", transfer)
        what = f"transfer {transfer}, {key[0][0]}" if key else f"transfer {transfer}"
        self.named.add(stream)
        self.differs(f"stream {stream}, number {n} ({what}): {why}")

    # --- checkpoints ----------------------------------------------------------------------------------------------

    def checkpoints(self) -> tuple[int, Body | None]:
        """Follow all checkpoints. Returns how many there are, and the last one that a known key has signed.

        What another one says is not followed: it would hide what one before it has signed, or transfers without a link.
        """
        followed, before, last = None if self.base else 0, NONE, None
        for number, text, signature in self.rows.each(
            "SELECT number, body, signature FROM checkpoints ORDER BY number"
        ):
            if followed is not None and number != followed + 1:
                self.differs(f"checkpoint {followed + 1} is missing")
            is_first, followed = followed is None, number
            try:
                body = Body.read(text, number)
            except ValueError:
                self.differs(f"checkpoint {number} was changed: it is none")
                continue
            if body.before != before and not is_first:
                self.differs(f"checkpoint {number} does not follow checkpoint {number - 1}")
            before = checkpoint_hash(text)
            if not self.signature(number, body, text, signature):
                self.not_proven.update(stream for stream, *_ in body.streams)
                continue
            if number > self.base:
                self.follow(number, body)
            else:
                self.came_before(number, body)
            last = body
        self.follow_rest()
        return followed or 0, last

    def signature(self, number: int, body: Body, text: str, signature: bytes) -> bool:
        """Whether a known key has signed it. Without any known key that cannot be asked."""
        if self.keys is None:
            return True
        key = self.keys.get(body.key)
        if key is None:
            self.foreign[body.key] += 1
            self.differs(f"checkpoint {number} is signed with another key, {body.key}")
        elif not is_signed(key, text, signature):
            self.differs(f"checkpoint {number} was changed: its signature does not fit")
        elif body.key in self.replaced:
            self.differs(f"checkpoint {number} is signed with the key {body.key}, which another has replaced")
        else:
            if self.signer not in {"", body.key}:
                self.replaced.add(self.signer)
            self.signer = body.key
            return True
        return False

    def follow(self, number: int, body: Body) -> None:
        """Compare the links of a checkpoint with the rows, and their root with that which was signed."""
        leaves: list[bytes] = []
        count = self.count
        for stream, first, last, head in body.streams:
            leaves += self.stream(number, stream, first, last, head)
        if self.count == count and (root(leaves), len(leaves)) != (body.root, body.links):
            self.differs(f"checkpoint {number}: its links do not have the root that was signed")
        self.line(number, body)

    def line(self, number: int, body: Body) -> None:
        """Compare the head of the operators' log with that which was signed."""
        line = self.rows.ask("SELECT hash FROM operator_log WHERE n = ?", body.log_n)
        if (line[0][0] if line else NONE) != body.log_hash or (not line and body.log_n):
            self.differs(
                f"operators' log, line {body.log_n}: it is not the line that checkpoint {number} has signed"
            )

    # --- what came before the rows ----------------------------------------------------------------------------------

    def came_before(self, number: int, body: Body) -> None:
        """Remember what a checkpoint up to the base has signed."""
        for stream, _, last, head in body.streams:
            self.signed_before[stream] = (number, last, head)
        if number != self.base:
            return
        self.after = body.complete_to
        self.line(number, body)
        # the lowest link of a stream is the one before: a wrong one does not lead to what was signed
        for stream, n, transfer, link in self.rows.each(_LOWEST):
            if transfer <= self.after:
                self.heads[stream] = (n, link)
            elif n > 1:
                self.named.add(stream)
                self.differs(f"stream {stream}, number {n - 1}: its link was removed")
                self.heads[stream] = (n, link)

    def follow_rest(self) -> None:
        """Follow links after the base's transfers that the base, or one before it, has signed."""
        for stream, highest in self.rows.each(_HIGHEST) if self.base else ():
            n, _ = self.heads.get(stream, (0, NONE))
            number, last, head = self.signed_before.get(stream, (0, 0, NONE))
            if highest > n and last > n:
                self.stream(number, stream, n + 1, last, head)

    # --- streams ----------------------------------------------------------------------------------------------------

    def stream(self, number: int, stream: str, first: int, last: int, head: bytes) -> list[bytes]:
        """The hashes of the links `first` to `last`. The head of the stream before is known from what was signed."""
        n, before = self.heads.get(stream, (0, NONE))
        begin = first
        if stream in self.not_proven or (self.base and stream not in self.reached):
            begin = min(first, n + 1)
            self.not_proven.discard(stream)
        elif first != n + 1:
            self.differs(f"checkpoint {number}: stream {stream} goes on with number {first} after number {n}")
        self.reached.add(stream)
        stored: dict[int, _Link] = {row[0]: row[1:] for row in self.rows.ask(_LINKS, stream, begin, last)}
        hashes, known = [], True
        named = stream in self.named
        for place in range(begin, min(last, begin + len(stored) + KEPT_MAX) + 1):
            found = stored.get(place)
            if found is None:
                self.named.add(stream)
                self.differs(f"stream {stream}, number {place}: its link was removed")
                known = False
                continue
            if found[0] > self.after and known:
                self.content(before, stream, place, found)
            known, before = True, found[2]
            if place >= first:
                hashes.append(before)
        # the rest of a stream that was named is as it was changed to
        if before != head and not named and stream not in self.named:
            self.named.add(stream)
            self.differs(
                f"stream {stream}, number {first}{f' to {last}' if last > first else ''}:"
                f" the links are not those that checkpoint {number} has signed"
            )
        self.heads[stream] = (last, head)
        return hashes

    def content(self, before: bytes, stream: str, n: int, stored: _Link) -> None:
        """Compare a link with the rows of its transfer."""
        transfer, sealed, link, is_there, content, found_sealed = stored
        if is_there is None:
            self.link(stream, n, transfer, "it was removed")
        elif content is None:
            self.link(stream, n, transfer, "its record was changed")
        elif link_hash(before, stream, n, content) != link:
            self.link(stream, n, transfer, "it was changed")
        elif found_sealed != sealed:
            self.link(stream, n, transfer, "the hash of its hidden cards was changed")
        elif sealed is not None and transfer <= self.erased_to:
            self.erased += 1

    # --- what no checkpoint has -------------------------------------------------------------------------------------

    def others(self, complete_to: int) -> tuple[int, int | None]:
        """Name links and transfers that no checkpoint has. Return what waits for the next one, as `open`."""
        self.not_followed()
        for stream, last in self.rows.each(_HIGHEST):
            if last > self.heads.get(stream, (0, NONE))[0]:
                self.differs(f"stream {stream}, number {last}: no checkpoint has this link")
        unlinked = "FROM transfers WHERE id NOT IN (SELECT transfer FROM chain_links)"
        for number, key in self.rows.ask(
            f"SELECT id, key {unlinked} AND id <= ? ORDER BY id LIMIT ?", complete_to, KEPT_MAX
        ):
            self.differs(f"transfer {number}, {key}: it was added to what the checkpoints have")
        for table in "legs", "hands", "rounds", "round_ends":
            for (number,) in self.rows.ask(
                f"SELECT DISTINCT transfer FROM {table} WHERE transfer NOT IN (SELECT id FROM transfers)"  # noqa: S608 -- of this line
                " AND transfer NOT IN (SELECT transfer FROM chain_links) ORDER BY transfer LIMIT ?",
                KEPT_MAX,
            ):
                self.differs(f"transfer {number}: {table} has it, and there is no such transfer")
        return self.open(complete_to)

    def open(self, complete_to: int) -> tuple[int, int | None]:
        """How many transfers wait for the next checkpoint, and since when, in Unix milliseconds."""
        ((count, created_us),) = self.rows.ask(
            "SELECT count(*), min(created) FROM transfers"
            " WHERE id > ? AND id NOT IN (SELECT transfer FROM chain_links)",
            complete_to,
        )
        return count, None if created_us is None else created_us // 1_000

    def wrong_key(self) -> None:
        """Say in one sentence that no checkpoint is of a known key: then nothing is proven, whatever differs."""
        named = ", ".join(sorted(self.foreign)[:3])
        known = ", ".join(self.keys or ())
        self.count, self.differences = 0, []
        self.differs(
            f"none of the {self.foreign.total()} checkpoints is signed with the key that was given ({known}), but with"
            f" {named}: it is not the public key of this room, or all checkpoints were forged. Nothing is proven"
        )

    def not_followed(self) -> None:
        """Name rows that belong to nothing that was followed."""
        for table, columns in _ONCE:
            for found in self.rows.ask(
                f"SELECT {columns} FROM {table} GROUP BY {columns} HAVING count(*) > 1 LIMIT ?",  # noqa: S608 -- of _ONCE
                KEPT_MAX,
            ):
                self.differs(f"{table} has {', '.join(map(str, found))} more than once")
        for stream, n in self.rows.ask("SELECT stream, n FROM chain_links WHERE n < 1 LIMIT ?", KEPT_MAX):
            self.differs(f"stream {stream}, number {n}: no checkpoint has this link")
        for transfer, account in self.rows.ask(
            "SELECT transfer, ledger_account FROM legs"
            " WHERE ledger_account NOT IN (SELECT id FROM ledger_accounts) ORDER BY transfer LIMIT ?",
            KEPT_MAX,
        ):
            self.differs(
                f"transfer {transfer}: a leg is of ledger account {account}, and there is no such account"
            )
        if self.base:  # a round may have begun before it
            return
        for transfer, begun in self.rows.ask(
            "SELECT transfer, round FROM round_stakes"
            " WHERE round NOT IN (SELECT transfer FROM rounds) ORDER BY transfer LIMIT ?",
            KEPT_MAX,
        ):
            self.differs(f"transfer {transfer}: a stake is of round {begun}, and there is no such round")

    def operators_log(self) -> int:
        """Follow the operators' log; name the first line that does not fit. Returns the number of lines."""
        n, before, began = 0, NONE, not self.base
        for line in self.rows.each(
            "SELECT n, at_ms, who, role, verb, subject, args, reason, result, address, prev_hash, hash"
            " FROM operator_log ORDER BY n"
        ):
            *columns, prev, stored = line
            if not began:  # what it says of the line before does not lead to what was signed if it is wrong
                n, before, began = line[0] - 1, prev, True
            if (line[0], prev) != (n + 1, before) or line_hash(before, columns) != stored:
                self.differs(f"operators' log, line {n + 1}: it was changed or removed")
                break
            n, before = line[0], stored
        return n


def verify(rows: Rows, keys: Sequence[Ed25519PublicKey] | None, *, base: int = 0) -> Verified:
    """Compare all rows with the checkpoints. `keys` may have signed them; None if no key is known.

    With `base` the rows are those after that checkpoint: of transfers, what came after its `complete_to`; of each
    stream with such a transfer the links from there on, and the one before; of the operators' log the line that it has
    signed or some before it, and those after it. Checkpoints are there from one on that has signed these links, or the
    base.
    """
    check = _Check(rows, None if keys is None else {key_id(key): key for key in keys}, base)
    for (table, column), count in sorted(rows.without.items()):
        check.differs(f"the table {table} has {count} rows without {column}")
    check.erased_to = max((number for (number,) in rows.ask("SELECT erased_to FROM retention")), default=0)
    rows.keep_contents(contents(rows, check.erased_to))
    checkpoints, last = check.checkpoints()
    if check.foreign.total() == len(rows.ask("SELECT number FROM checkpoints")) > 0:
        check.wrong_key()
        waiting, since_ms = check.open(0)
        lines = 0
    else:
        lines = check.operators_log()
        waiting, since_ms = check.others(0 if last is None else last.complete_to)
    (linked,) = rows.ask("SELECT count(*) FROM chain_links WHERE transfer > ?", check.after)[0]
    (archived,) = rows.ask(_ARCHIVED)[0]
    return Verified(
        differences=tuple(check.differences),
        count=check.count,
        signed=keys is not None,
        checkpoints=checkpoints,
        until_ms=None if last is None else last.at_ms,
        transfers=linked,
        open=waiting,
        open_since_ms=since_ms,
        open_lines=0 if last is None else max(0, lines - last.log_n),
        erased=check.erased,
        archived=archived,
        lines=lines,
        rows=rows.count,
    )


def differences_of_published(
    rows: Rows,
    keys: Sequence[Ed25519PublicKey] | None,
    published: Iterable[tuple[str, bytes]],
    *,
    first: int = 0,
) -> Iterator[str]:
    """Name each published checkpoint, its text and signature, that is not the one of its number in the rows.

    A checkpoint that was published and is not there any more was removed, with all that came after the one before.
    `keys` may have signed them; None if no key is known. The rows have the checkpoints from `first` on.
    """
    known = {key_id(key): key for key in keys or ()}
    newest = rows.ask("SELECT coalesce(max(number), 0) FROM checkpoints")[0][0]
    newer: list[int] = []
    for text, signature in published:
        try:
            facts = json.loads(_text(text))
            number, key = _number(facts["number"]), None if keys is None else known[facts["key"]]
        except (KeyError, TypeError, ValueError, RecursionError):
            yield "a published line is no checkpoint of a known key"
            continue
        if number < first:
            continue
        if key is not None and not is_signed(key, text, signature):
            yield f"published checkpoint {number}: its signature does not fit"
        elif number > newest:
            newer.append(number)
        elif rows.ask("SELECT body FROM checkpoints WHERE number = ?", number) != [(text,)]:
            yield f"checkpoint {number} was published, and is not there as it was"
    if newer:
        yield (
            f"checkpoints up to {max(newer)} were published, and the last one here is {newest}: later ones were removed"
            " with what they signed, or this is an older state, such as a backup from before the copy"
        )
