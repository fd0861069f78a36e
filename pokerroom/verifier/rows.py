"""The rows of a room's database that a verification needs, read from PostgreSQL's COPY text into SQLite.

A dump has the tables one after the other, so they are kept in a temporary file until all are there: memory does not
grow with the room. Of a record its hashes are kept. Knows nothing else of what the rows mean.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, Final

from pokerroom.verifier.records import hand_digest, record_digest

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_US: Final = timedelta(microseconds=1)
_FAR: Final = re.compile(r"-?infinity|[0-9]{5,}-.*|.* BC")
_TIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?[+-][0-9]{2}(:[0-9]{2}){0,2}"
)
_INT: Final = re.compile(r"-?[0-9]{1,19}")
_BYTES: Final = re.compile(r"\\x((?:[0-9a-f]{2})*)")


# Each value is read in the one form that PostgreSQL writes: of another one it may read something else than Python does.


def _time(text: str) -> int:
    """Microseconds since 1970; of a time that no room writes a number that none has."""
    if _FAR.fullmatch(text):
        return -1 << 63
    return (datetime.fromisoformat(_matched(_TIME, text)[0]) - _EPOCH) // _US


def _int(text: str) -> int:
    number = int(_matched(_INT, text)[0])
    if not -1 << 63 <= number < 1 << 63:
        raise OverflowError("no bigint")
    return number


def _bool(text: str) -> str:
    return {"t": "true", "f": "false"}[text]


def _bytes(text: str) -> bytes:
    return bytes.fromhex(_matched(_BYTES, text)[1])


def _matched(form: re.Pattern[str], text: str) -> re.Match[str]:
    """Raises ValueError for a text of another form."""
    if (found := form.fullmatch(text)) is None:
        raise ValueError("not as PostgreSQL writes it")
    return found


TABLES: Final[dict[str, dict[str, Callable[[str], Any]]]] = {
    "transfers": {"id": _int, "key": str, "kind": str, "created": _time},
    "ledger_accounts": {"id": _int, "code": str},
    "legs": {"transfer": _int, "ledger_account": _int, "amount": _int},
    "hands": {
        "transfer": _int, "hand_id": str, "table_id": str, "epoch": _int,
        "started": _time, "ended": _time, "rake": _int, "record": hand_digest,
    },
    "rounds": {"transfer": _int, "round_id": str, "table_id": str, "epoch": _int, "started": _time},
    "round_stakes": {"round": _int, "transfer": _int, "account": _int, "kind": str, "amount": _int},
    "round_ends": {
        "transfer": _int, "round": _int, "epoch": _int, "ended": _time, "void": _bool, "house": _int,
        "fed": _int, "paid": _int, "reseeded": _int, "tronc": _int, "record": record_digest,
    },
    "retention": {"erased_to": _int},
    "operator_log": {
        "n": _int, "at_ms": _int, "who": str, "role": str, "verb": str, "subject": str, "args": str,
        "reason": str, "result": str, "address": str, "prev_hash": _bytes, "hash": _bytes,
    },
    "chain_links": {"transfer": _int, "stream": str, "n": _int, "sealed": _bytes, "hash": _bytes},
    "checkpoints": {"number": _int, "body": str, "signature": _bytes},
}  # fmt: skip
"""The tables with their columns that are needed, and how each is read."""

_MAY_BE_NULL: Final = {("hands", "epoch"), ("chain_links", "sealed")}

_KEYS: Final = {
    "transfers": "id", "ledger_accounts": "id", "legs": "transfer", "hands": "transfer", "rounds": "transfer",
    "round_stakes": "round", "round_ends": "transfer", "operator_log": "n",
    "chain_links": "stream, n", "checkpoints": "number",
}  # fmt: skip
_AT_A_TIME: Final = 1_000
_ESCAPE: Final = re.compile(r"\\(.?)", re.DOTALL)
_ESCAPED: Final = {"\\": "\\", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_HEADER: Final = re.compile(r'COPY public\.([a-z_]+) \(((?:"?[a-z_0-9]+"?(?:, (?!\)))?)+)\) FROM stdin;\n')
_BESIDE: Final = re.compile(
    r"(?:--[^\r\n]*"
    r"|\\(?:un)?restrict [0-9A-Za-z]+"
    r"|SET client_encoding = 'UTF8';"
    r"|SET (?!client_encoding)[a-z_]+ = (?:'[^'\\\r\n]*'|\w+);"
    r"|SELECT pg_catalog\.set_config\('search_path', '', false\);"
    r"|SELECT pg_catalog\.setval\('[^'\\\r\n]*', [0-9]+, (?:true|false)\);"
    r")?\n"
)
"""What stands between the tables of a dump. All else may change what was read when the dump is restored."""

_FAULTS: Final = (ValueError, KeyError, IndexError, TypeError, OverflowError, RecursionError)


class UnreadableRows(Exception):  # noqa: N818 -- what a dump is
    """The text is not a dump of a room: a column is missing, or a value is not one of its type.

    Says in one line where: by the line of the dump, or the row of the table.
    """


class Rows:
    """The rows that were read."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)  # a temporary file that SQLite removes
        self._database.execute("BEGIN")
        self._read: Counter[str] = Counter()  # rows by table
        self._line: int | None = None
        self.count = 0
        """How many rows were read."""
        self.without: Counter[tuple[str, str]] = Counter()
        """Rows left out by table and column, of which no row lacks a value in a database of a room."""
        for table, columns in TABLES.items():
            names = ", ".join(f"{name} {_affinity(kind)}" for name, kind in columns.items())
            self._database.execute(f"CREATE TABLE {table} ({names})")

    def read_dump(self, lines: Iterable[bytes]) -> None:
        """Read the SQL text of a dump, which has each table at most once. Raises UnreadableRows."""
        rest = self._decoded(lines)
        for line in rest:
            if (header := _HEADER.fullmatch(line)) is not None:
                copied = self._until_end(rest)
                if header[1] in TABLES:
                    if header[1] in self._read:
                        raise UnreadableRows(f"line {self._line}: the dump has the table {header[1]} twice")
                    self.read(header[1], [name.strip('"') for name in header[2].split(", ")], copied)
                for _ in copied:  # of a table that is not needed
                    pass
            elif _BESIDE.fullmatch(line) is None:
                raise UnreadableRows(f"line {self._line}: a dump of a room has no such statement")
        self._line = None

    def _decoded(self, lines: Iterable[bytes]) -> Iterator[str]:
        for number, line in enumerate(lines, 1):
            self._line = number
            try:
                yield line.decode()
            except UnicodeDecodeError as error:
                raise UnreadableRows(f"line {number} is not UTF-8") from error

    def _until_end(self, lines: Iterator[str]) -> Iterator[str]:
        for line in lines:
            if line.rstrip("\n") == "\\.":
                return
            if not line.endswith("\n"):
                break
            yield line
        raise UnreadableRows(f"line {self._line}: the dump ends in the middle of a table")

    def read(self, table: str, columns: Sequence[str], lines: Iterable[str]) -> None:
        """Read lines of COPY text with these columns. Raises UnreadableRows."""
        self._read[table] += 0
        if missing := [name for name in TABLES[table] if name not in columns]:
            raise UnreadableRows(f"the table {table} has no column {missing[0]}: it is of another version")
        insert = f"INSERT INTO {table} VALUES ({', '.join('?' * len(TABLES[table]))})"  # noqa: S608 -- of TABLES
        self._database.executemany(insert, self._rows(table, columns, lines))

    def _rows(self, table: str, columns: Sequence[str], lines: Iterable[str]) -> Iterator[list[Any]]:
        wanted = TABLES[table]
        places = [(columns.index(name), read) for name, read in wanted.items()]
        for line in lines:
            self._read[table] += 1
            try:
                row = _row(line, len(columns), places)
            except _FAULTS as error:
                where = f"row {self._read[table]}" if self._line is None else f"line {self._line}"
                raise UnreadableRows(f"{where}: a row of the table {table} cannot be read") from error
            empty = (
                [name for name, value in zip(wanted, row, strict=True) if value is None]
                if None in row
                else []
            )
            if lacking := [name for name in empty if (table, name) not in _MAY_BE_NULL]:
                self.without[table, lacking[0]] += 1
                continue
            self.count += 1
            yield row

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
    return "INTEGER" if read in {_int, _time} else "TEXT" if read in {str, _bool} else "BLOB"


def _row(line: str, width: int, places: Sequence[tuple[int, Callable[[str], Any]]]) -> list[Any]:
    """Raises ValueError or KeyError for what PostgreSQL does not write: it may read it otherwise."""
    fields = line.removesuffix("\n").split("\t")
    if len(fields) != width or "\r" in line:
        raise ValueError("not the columns of the table")
    return [None if fields[place] == "\\N" else read(_plain(fields[place])) for place, read in places]


def _plain(field: str) -> str:
    if "\\" not in field:
        return field
    return _ESCAPE.sub(lambda found: _ESCAPED[found[1]], field)
