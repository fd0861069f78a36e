"""The rows of a room's database that a verification needs, read from PostgreSQL's COPY text into SQLite.

A dump has the tables one after the other, so they are kept in a temporary file until all are there: memory does not
grow with the room. Of a record its hashes are kept. Knows nothing else of what the rows mean.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, Final

from pokerroom.verifier.records import hand_digest, record_digest

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_US: Final = timedelta(microseconds=1)
_FAR: Final = re.compile(r"-?infinity|\d{5,}-.*|.* BC")


def _time(text: str) -> int:
    """Microseconds since 1970; of a time that no room writes a number that none has."""
    if _FAR.fullmatch(text):
        return -1 << 63
    return (datetime.fromisoformat(text) - _EPOCH) // _US


def _bool(text: str) -> str:
    return {"t": "true", "f": "false"}[text]


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.removeprefix("\\x"))


TABLES: Final[dict[str, dict[str, Callable[[str], Any]]]] = {
    "transfers": {"id": int, "key": str, "kind": str, "created": _time},
    "ledger_accounts": {"id": int, "code": str},
    "legs": {"transfer": int, "ledger_account": int, "amount": int},
    "hands": {
        "transfer": int, "hand_id": str, "table_id": str, "epoch": int,
        "started": _time, "ended": _time, "rake": int, "record": hand_digest,
    },
    "rounds": {"transfer": int, "round_id": str, "table_id": str, "epoch": int, "started": _time},
    "round_stakes": {"round": int, "transfer": int, "account": int, "kind": str, "amount": int},
    "round_ends": {
        "transfer": int, "round": int, "epoch": int, "ended": _time, "void": _bool, "house": int,
        "fed": int, "paid": int, "reseeded": int, "tronc": int, "record": record_digest,
    },
    "retention": {"erased_to": int},
    "operator_log": {
        "n": int, "at_ms": int, "who": str, "role": str, "verb": str, "subject": str, "args": str,
        "reason": str, "result": str, "address": str, "prev_hash": _bytes, "hash": _bytes,
    },
    "chain_links": {"transfer": int, "stream": str, "n": int, "sealed": _bytes, "hash": _bytes},
    "checkpoints": {"number": int, "body": str, "signature": _bytes},
}  # fmt: skip
"""The tables with their columns that are needed, and how each is read."""

_KEYS: Final = {
    "transfers": "id", "ledger_accounts": "id", "legs": "transfer", "hands": "transfer", "rounds": "transfer",
    "round_stakes": "round", "round_ends": "transfer", "operator_log": "n",
    "chain_links": "stream, n", "checkpoints": "number",
}  # fmt: skip
_AT_A_TIME: Final = 1_000
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_HEADER: Final = re.compile(r"COPY public\.(\w+) \((.+)\) FROM stdin;")


class UnreadableRows(Exception):  # noqa: N818 -- what a dump is
    """The text is not a dump of a room: a column is missing, or a value is not one of its type."""


class Rows:
    """The rows that were read."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)  # a temporary file that SQLite removes
        self._database.execute("BEGIN")
        self._read: set[str] = set()
        self.count = 0
        """How many rows were read."""
        for table, columns in TABLES.items():
            names = ", ".join(f"{name} {_affinity(kind)}" for name, kind in columns.items())
            self._database.execute(f"CREATE TABLE {table} ({names})")

    def read_dump(self, lines: Iterable[str]) -> None:
        """Read the SQL text of a dump, which has each table at most once. Raises UnreadableRows."""
        rest = iter(lines)
        for line in rest:
            if (header := _HEADER.match(line)) is not None:
                copied = iter(_until_end(rest))
                if header[1] in TABLES:
                    if header[1] in self._read:
                        raise UnreadableRows(f"the dump has the table {header[1]} twice")
                    self.read(header[1], [name.strip(' "') for name in header[2].split(",")], copied)
                for _ in copied:  # of a table that is not needed
                    pass

    def read(self, table: str, columns: Sequence[str], lines: Iterable[str]) -> None:
        """Read lines of COPY text with these columns. Raises UnreadableRows."""
        self._read.add(table)
        wanted = TABLES[table]
        if missing := [name for name in wanted if name not in columns]:
            raise UnreadableRows(f"the table {table} has no column {missing[0]}: it is of another version")
        places = [(columns.index(name), read) for name, read in wanted.items()]
        insert = f"INSERT INTO {table} VALUES ({', '.join('?' * len(wanted))})"  # noqa: S608 -- of TABLES
        rest = iter(lines)
        try:
            while chunk := [_row(line, places) for line in islice(rest, _AT_A_TIME)]:
                self._database.executemany(insert, chunk)
                self.count += len(chunk)
        except (ValueError, KeyError, IndexError, OverflowError) as error:
            raise UnreadableRows(f"the table {table} has a row that cannot be read") from error

    def complete(self) -> None:
        """Make the indexes, once all is read. Raises UnreadableRows if a table was not read."""
        # a view, or a table of another schema, may stand in its place
        if missing := TABLES.keys() - self._read:
            raise UnreadableRows(f"there is no table public.{min(missing)}")
        for table, columns in _KEYS.items():
            self._database.execute(f"CREATE INDEX key_of_{table} ON {table} ({columns})")
        self._database.execute("CREATE INDEX link_of_transfer ON chain_links (transfer)")
        self._database.execute(
            "CREATE TABLE contents (transfer INTEGER PRIMARY KEY, content BLOB, sealed BLOB)"
        )
        self._database.execute("COMMIT")

    def keep_contents(self, contents: Iterator[tuple[int, bytes | None, bytes | None]]) -> None:
        """Keep what the transfers hash to, in the table `contents`."""
        self._database.execute("BEGIN")
        while chunk := list(islice(contents, _AT_A_TIME)):
            self._database.executemany("INSERT OR IGNORE INTO contents VALUES (?, ?, ?)", chunk)
        self._database.execute("COMMIT")

    def ask(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        return self._database.execute(query, values).fetchall()

    def each(self, query: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a query, one after the other."""
        yield from self._database.execute(query)

    def close(self) -> None:
        """Forget everything."""
        self._database.close()


def _affinity(read: Callable[[str], Any]) -> str:
    return "INTEGER" if read in {int, _time} else "TEXT" if read in {str, _bool} else "BLOB"


def _until_end(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        if line.rstrip("\n") == "\\.":
            return
        yield line
    raise UnreadableRows("the dump ends in the middle of a table")


def _row(line: str, places: Sequence[tuple[int, Callable[[str], Any]]]) -> list[Any]:
    fields = line.removesuffix("\n").split("\t")
    return [None if fields[place] == "\\N" else read(_plain(fields[place])) for place, read in places]


def _plain(field: str) -> str:
    if "\\" not in field:
        return field
    return _ESCAPE.sub(lambda found: _ESCAPED.get(found[1], found[1]), field)
