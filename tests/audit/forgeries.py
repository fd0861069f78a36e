"""Forgeries: changes of stored rows that no program of the room makes, written by a superuser past every trigger.

`of_columns` alters each column of each table of money and records, `of_records` each field of a record, and `named`
reads those that take more than one statement; `forged_files` changes files of archives.
Each is tried in a transaction of its own, which is rolled back.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg import AsyncConnection

from pokerroom.audit.books import follow
from pokerroom.audit.chain import follow_chain
from pokerroom.ledger.archive_files import ArchiveFolder
from pokerroom.ledger.archives import ArchiveRow
from pokerroom.ledger.postgres.books import PostgresBooks
from pokerroom.ledger.postgres.checkpoints import PostgresCopies
from pokerroom.ledger.postgres.ledger import added_up
from pokerroom.rules.cards import DECK, card_text
from tests.audit.rooms import KEYS

TABLES: Final = (
    "ledger_accounts",
    "transfers",
    "legs",
    "seats",
    "departures",
    "table_owners",
    "hands",
    "hand_players",
    "timeout_all_ins",
    "tournaments",
    "tournament_entries",
    "tournament_tables",
    "tournament_places",
    "tournament_moves",
    "tournament_bounties",
    "tournament_deals",
    "tournament_heads",
    "tournament_sales",
    "tournament_purchases",
    "tickets",
    "rounds",
    "open_rounds",
    "round_stakes",
    "round_ends",
    "round_players",
    "account_history",
    "play_results",
    "cash_sources",
    "cash_requests",
    "adjustments",
    "wallet_transfers",
    "hosted_gifts",
    "hosted_tables",
    "clubs",
    "club_members",
    "club_moves",
    "operators",
    "operator_log",
    "operator_log_head",
    "chain_links",
    "checkpoints",
    "archives",
    "statistics_mark",
    "account_locks",
    "account_limits",
    "exclusions",
    "retention",
)
"""Every table that says something of money, hands, rounds or tournaments. `tests/audit` asks the schema for others."""

_PLAYED: Final = "IN (SELECT tournament_at(table_id) FROM hands)"

REFERRED_TO: Final = {
    "ledger_accounts.id": "id IN (SELECT ledger_account FROM legs)",
    "tournament_entries.seat": f"tournament {_PLAYED}",
    "tournament_places.place": f"tournament {_PLAYED}",
    "tournaments.players_min": f"players_min IS NOT NULL AND id {_PLAYED}",
}
"""Which rows are changed. Of an account that has moved nothing no row knows the number, so it says nothing.

Nor do seats, equal places and the fewest players of a tournament without a hand: only its terms and entries tell of it.
"""

_INTEGERS: Final = {"bigint", "integer", "smallint"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgery:
    """`name` is `table.column change`, `table row change`, `record path change`, or a sentence."""

    name: str
    statements: tuple[str, ...]
    before: str = ""
    files: Mapping[str, bytes | None] = field(default_factory=dict)
    """What is changed in the directory of archives: files by name, None for one that goes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a forgery: `found`, `unseen`, `refused` by a constraint, or `no_row` to change."""

    forgery: Forgery
    what: str
    differences: tuple[str, ...] = ()


UNSEEN: Final = {
    "cash_requests.number + 100": "of a refill, which no line of the log names",
    "cash_requests.asked *": "when a request was made; the decision is in the operators' log",
    "cash_sources.is_open *": "a setting; its changes are in the operators' log",
    "play_results*": "a statistic for the limits of players; moves no money",
    "departures*": "for an hour after a player has left; moves no money",
    "seats*": "a place at a table of Ultimate, or the number of a seat; moves no money",
    "table_owners.epoch + *": "an epoch that is not used yet: the owner is refused until it takes the table again",
    "table_owners.over *": "whether nodes look at the table again",
    "table_owners.table_id *": "a table without a hand",
    "table_owners row removed": "a table without a hand",
    "tournaments.paused *": "a state that the operator sets",
    "tournaments.created *": "when a tournament was opened; decides nothing",
    "tournaments.started *": "the level follows from it only where the journal was lost",
    "tournaments.ended null": "of a tournament that goes on",
    "account_locks.since *": "since when an account is locked",
    "account_limits.value - 1": "a lower limit: it protects more, and of less not each has a line",
    "account_limits.wanted*": "an increase that a player has asked for; one that holds has a line in the log",
    "retention.hands_days *": "a setting, written from the settings at each start",
    "retention.erased_to *": "no hand with hidden cards is between",
    "retention row removed": "then nothing is erased",
    "tournament_entries.id *": "the order of entries",
    "tournament_entries.chips_before *": "for the next hand alone",
    "tournament_moves.epoch *": "which owner ordered a move; the hands of both tables say that it was made",
    "tournament_moves.moved *": "when a move was made; the hands before and after it say that, too",
    "tournament_moves.number [+-] 1": "players that moved together, as if one after the other, or the reverse",
    "tournament_moves.to_hands + 1": "a late player that came while a hand was played, as if after it",
    "tournament_deals.accepted_ms *": "when players accepted; that the proposer did so first is compared",
    "tournament_deals.agreed *": "when a deal was made; the hands before it say that, too",
    "tournament_bounties.position *": "the order in which winners are told; what each got is compared",
    "tournaments.late_open *": "whether players may enter now; who did is compared",
    "tournament_sales.is_open *": "whether it is sold now; what was sold is compared",
    "tournament_purchases.id *": "the order of purchases",
    "tickets.number *": "which of the tickets that were won it is; the log and the end of a ticket name it",
    "tournament_entries.gone *": "whether a player that is out may still buy a rebuy; what was bought is compared",
    "tournament_deals.kind of another row": "two players get the same by both kinds; else amounts are compared",
    "table_owners.node *": "which node has a table now; its hands name the epoch",
    "wallet_transfers.asked *": "when a transfer was asked for; decides nothing",
    "wallet_transfers.ended *": "when it ended; decides only whether its money is about to be used",
    "wallet_transfers.number *": "of a debit that moved nothing; the key of a transfer has it",
    "wallet_transfers.id *": "by which id the operator's server knows it",
    "wallet_transfers.due *": "when it is tried next",
    "wallet_transfers.tries *": "how often it was tried",
    "wallet_transfers.failure *": "why a try failed",
    "clubs.closed *": "whether a club takes orders; its movements are compared",
    "tournaments.closed a year later": "when entries closed; the prizes were fixed then, and are compared",
    "tournaments.starts_ms *": "when it was to start; the terms have no time, and the first hands say when it began",
    "club_members.leaving *": "whether a member takes a further seat; moves no chips",
    "clubs.name *": "what a club is called",
    "clubs.code*": "who may join a club",
    "clubs.number *": "the order in which clubs are listed",
    "clubs.opened *": "when a club was opened; moves no chips",
    "operators.token_hash *": "who holds the token; a change of it is a line of the log, which has no hash",
    "operators.created *": "when an operator was added; the line has it",
    "operators.expires *": "when the token ends",
    "operators.revoked *": "when an operator was revoked; the line has it",
    "operators row removed": "an operator without an account gives no orders",
    "hosted_tables.terms *": "what the next hands are played for; each hand has its own stakes in its record",
    "hosted_tables.code *": "who may come to a table",
    "hosted_tables.paused *": "a state that the host sets",
    "hosted_tables.version *": "when nodes look at the table again",
    "hosted_tables.number *": "the order in which tables are listed",
    "hosted_tables.opened *": "when a table was opened; moves no chips",
    "hosted_tables.used *": "when a seat was last held; moves no chips",
    "hosted_tables.approves *": "who may sit down",
    "hosted_tables.tournament *": "whom a link invites to what; entries are compared with the guests",
    "statistics_mark.counted_to - 1": "the same hands and tournaments, if none ended there",
    "account_history.*": "where the history lists a tournament; moves no money",
    "archive file header room other": "which room wrote a file; the ledger has its hash, and its records are compared",
    "checkpoints row removed": "the newest one: what was published tells it, see tests/test_verify_dump.py",
}
"""What the audit does not find: forgeries by pattern, with the reason why each is harmless or is found elsewhere."""


def reason(forgery: Forgery) -> str | None:
    """Why a forgery is not found, if it is one of those that are known."""
    return next((why for name, why in UNSEEN.items() if fnmatchcase(forgery.name, name)), None)


# --- trying ---------------------------------------------------------------------------------------------------------


async def differences(connection: AsyncConnection[Any], archive: Path | None = None) -> tuple[str, ...]:
    """What the audit finds, as this transaction sees the ledger; `archive` has archived records."""
    files = None if archive is None else ArchiveFolder(archive, await _archives(connection))
    followed = await follow(await PostgresBooks.of(connection), KEYS, archive=files)
    return (
        followed.differences
        or (() if files is None else tuple(files.differences()))
        or (await added_up(connection)).differences
        or (await follow_chain(PostgresCopies(connection), KEYS)).differences
    )


async def _archives(connection: AsyncConnection[Any]) -> list[ArchiveRow]:
    rows = await connection.execute("SELECT number, file, sha256, last, hands, rounds FROM archives")
    return [
        ArchiveRow(number=number, file=file, sha256=sha256, last=last, hands=hands, rounds=rounds)
        for number, file, sha256, last, hands, rounds in await rows.fetchall()
    ]


async def tried(connection: AsyncConnection[Any], forgery: Forgery, archive: Path | None = None) -> Outcome:
    """Commit a forgery in a savepoint, audit, and undo it."""
    what, found, changed = "no_row", tuple[str, ...](), 0
    try:
        async with connection.transaction():
            await connection.execute("SET LOCAL session_replication_role = replica; SET LOCAL jit = off")
            if forgery.before:
                await connection.execute(forgery.before.encode())
            for statement in forgery.statements:
                changed += await _changed_by(connection, statement)
            if changed:
                with _changed_files(forgery.files, archive):
                    found = await differences(connection, archive)
                what = "found" if found else "unseen"
            raise psycopg.Rollback
    except psycopg.IntegrityError:
        what = "refused"
    except (
        psycopg.DataError
    ):  # a constraint could not read the value; what the audit raises later is a fault of it
        if changed:
            raise
        what = "refused"
    return Outcome(forgery=forgery, what=what, differences=found)


@contextmanager
def _changed_files(files: Mapping[str, bytes | None], archive: Path | None) -> Iterator[None]:
    """Change these files for a while."""
    paths = {} if archive is None else {archive / name: content for name, content in files.items()}
    kept = {path: path.read_bytes() if path.exists() else None for path in paths}
    try:
        _write(paths)
        yield
    finally:
        _write(kept)


def _write(files: Mapping[Path, bytes | None]) -> None:
    for path, content in files.items():
        if content is None:
            path.unlink(missing_ok=True)
        else:
            path.write_bytes(content)


async def _changed_by(connection: AsyncConnection[Any], statement: str) -> int:
    """How many rows a statement changes; a function tells its number."""
    cursor = await connection.execute(statement.encode())
    if statement.startswith("SELECT"):
        return sum([number or 0 for (number,) in await cursor.fetchall()])
    return 0 if statement.startswith(("CREATE", "ALTER")) else max(0, cursor.rowcount)


# --- each column of each table --------------------------------------------------------------------------------------


async def of_columns(connection: AsyncConnection[Any]) -> list[Forgery]:
    """Each column of the tables changed in one row; a row removed, from the middle and the newest; a row doubled."""
    cursor = await connection.execute(
        "SELECT table_name, column_name, data_type, is_nullable, is_generated, is_identity"
        " FROM information_schema.columns"
        " WHERE table_schema = 'public' AND table_name = ANY (%s) ORDER BY table_name, ordinal_position",
        [list(TABLES)],
    )
    found = []
    for table, column, kind, nullable, generated, identity in await cursor.fetchall():
        if generated == "NEVER":
            first = (
                [f"ALTER TABLE {table} ALTER {column} SET GENERATED BY DEFAULT"] if identity == "YES" else []
            )
            found += list(_of_column(table, column, kind, first, may_be_null=nullable == "YES"))
    for table in TABLES:
        found.append(
            Forgery(
                name=f"{table} row removed", statements=(f"DELETE FROM {table} WHERE ctid = {_row(table)}",)
            )
        )
    return found


def _row(table: str, where: str = "true") -> str:
    """A row in the middle, always the same one."""
    return (
        f"(SELECT ctid FROM {table} WHERE {where} ORDER BY ctid OFFSET (SELECT count(*) / 2 FROM {table}"
        f" WHERE {where}) LIMIT 1)"
    )


def _of_column(
    table: str, column: str, kind: str, first: Sequence[str], *, may_be_null: bool
) -> Iterator[Forgery]:
    changes = {}
    if kind in _INTEGERS:
        changes = {"+ 1": f"{column} + 1", "+ 100": f"{column} + 100", "- 1": f"{column} - 1"}
    elif kind == "boolean":
        changes = {"inverted": f"NOT {column}"}
    elif kind == "text":
        other = f"(SELECT max(other.{column}) FROM {table} AS other WHERE other.{column} <> {table}.{column})"
        changes = {"longer": f"{column} || 'x'", "of another row": other}
    elif kind.startswith("timestamp"):
        changes = {"a year later": f"{column} + interval '1 year'"}
    elif kind == "bytea":
        changes = {"changed": f"sha256({column})"}
    elif kind == "ARRAY":
        changes = {
            "first and last more and less": f"array_append({column}[:cardinality({column}) - 1], 1::bigint)"
        }
    elif kind in {"json", "jsonb"}:
        changes = {"empty": f"'{{}}'::{kind}"}
    if may_be_null:
        changes["null"] = "NULL"
    where = REFERRED_TO.get(f"{table}.{column}", f"{column} IS NOT NULL")
    for change, value in changes.items():
        yield Forgery(
            name=f"{table}.{column} {change}",
            statements=(
                *first,
                f"UPDATE {table} SET {column} = {value} WHERE ctid = {_row(table, where)}",
            ),
        )


# --- each field of a record -----------------------------------------------------------------------------------------


async def of_records(connection: AsyncConnection[Any]) -> list[Forgery]:
    """Each field of some records changed: hands with side pots, a showdown, none, all-ins; rounds; archived ones."""
    found: list[Forgery] = []
    for table, key, choice in (
        ("hands", "transfer", "jsonb_path_query_array(record, '$.events[*] ? (@[0] == \"award\")')"),
        ("hands", "transfer", "jsonb_path_query_array(record, '$.events[*] ? (@[0] == \"muck\")')"),
        ("hands", "transfer", "record -> 'events'"),
        ("round_ends", "round", "record -> 'decisions'"),
        ("round_ends", "round", "record -> 'tips'"),
        ("hands", "transfer", "CASE WHEN record ? 'archive' THEN '[]'::jsonb END"),
        ("round_ends", "round", "CASE WHEN record ? 'archive' THEN '[]'::jsonb END"),
    ):
        cursor = await connection.execute(
            f"SELECT {key}, record FROM {table} WHERE jsonb_typeof({choice}) = 'array'"
            f" ORDER BY jsonb_array_length({choice}) DESC, {key} LIMIT 1".encode()
        )
        for number, record in await cursor.fetchall():
            for path, change, value in _changed(record):
                forged = json.dumps(_with(record, path, value)).replace("'", "''")
                name = f"{table}.record {'.'.join(map(str, path))} {change}"
                statement = f"UPDATE {table} SET record = '{forged}' WHERE {key} = {number}"
                if all(one.name != name for one in found):
                    found.append(Forgery(name=name, statements=(statement,)))
    return found


_GONE: Final = object()


def _changed(record: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], str, Any]]:
    """Each field of a record: (its path, the change, its new value)."""
    if path:
        yield path, "removed", _GONE
    match record:
        case dict():
            for name, value in record.items():
                yield from _changed(value, (*path, name))
        case list():
            for number, value in enumerate(record):
                yield from _changed(value, (*path, number))
            if record:
                yield path, "doubled", [*record, record[-1]]
                if len(record) > 1 and record[0] != record[1]:
                    yield path, "exchanged", [record[1], record[0], *record[2:]]
        case _:
            for change, value in _scalars(record):
                yield path, change, value


def _scalars(value: Any) -> Iterator[tuple[str, Any]]:
    match value:
        case bool():
            yield "inverted", not value
        case int():
            yield "+ 1", value + 1
            yield "+ 100000", value + 100_000
        case str():
            cards = [card_text(card) for card in DECK]
            yield "other", cards[(cards.index(value) + 17) % 52] if value in cards else value + "x"
        case None:
            yield "not null", []


def _with(record: Any, path: Sequence[Any], value: Any) -> Any:
    """The record with another value at the path."""
    if not path:
        return value
    first, *rest = path
    copied = dict(record) if isinstance(record, dict) else list(record)
    if not rest and value is _GONE:
        del copied[first]
    else:
        copied[first] = _with(record[first], rest, value)
    return copied


# --- more than one statement ----------------------------------------------------------------------------------------


def named() -> list[Forgery]:
    """The forgeries of `forgeries.sql`."""
    before, *parts = (Path(__file__).parent / "forgeries.sql").read_text().split("\n--- ")
    found = []
    for part in parts:
        name, _, text = part.partition("\n")
        found.append(
            Forgery(
                name=name, statements=tuple(filter(None, map(str.strip, text.split(";\n")))), before=before
            )
        )
    return found
