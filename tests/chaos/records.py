"""What the ledger holds after a run, and who wrote it: read by SQL of the harness's own, past the room's code.

To know who writes, the harness puts triggers of its own on the tables of settled hands and of seats. They note, within
the writer's transaction, the name of the writer's connection beside the owner that stands in `table_owners` at that
moment. The room knows nothing of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

import psycopg

from pokerroom.history.hidden_cards import HAND_RECORDS, with_all_cards
from pokerroom.table.seal import Seal

_OWNER_PID: Final = re.compile(r"-(\d+)-[^-]+$")

_WRITE: Final = ("what", "table", "hand_id", "writer", "owner", "epoch", "named", "owned")

WATCH: Final = """
CREATE SCHEMA IF NOT EXISTS chaos;
CREATE TABLE IF NOT EXISTS chaos.writes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    what text NOT NULL, table_id text NOT NULL, hand_id text, writer text NOT NULL, owner text, epoch bigint,
    named bigint, owned boolean NOT NULL);
CREATE OR REPLACE FUNCTION chaos.note() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    place text := CASE TG_OP WHEN 'DELETE' THEN OLD.table_id ELSE NEW.table_id END;
    owner text;
    era bigint;
BEGIN
    IF to_regclass('public.table_owners') IS NOT NULL THEN
        EXECUTE 'SELECT node, epoch FROM public.table_owners WHERE table_id = $1' INTO owner, era USING place;
    END IF;
    INSERT INTO chaos.writes (what, table_id, hand_id, writer, owner, epoch, named, owned)
    VALUES (TG_TABLE_NAME || ' ' || lower(TG_OP), place,
            CASE WHEN TG_TABLE_NAME = 'hands' THEN to_jsonb(NEW) ->> 'hand_id' END,
            split_part(current_setting('application_name'), ':', 2), owner, era,
            CASE WHEN TG_TABLE_NAME = 'hands' THEN (to_jsonb(NEW) ->> 'epoch')::bigint END,
            to_regclass('public.table_owners') IS NOT NULL);
    RETURN NULL;
END $$;
DROP TRIGGER IF EXISTS chaos_note ON hands;
CREATE TRIGGER chaos_note AFTER INSERT ON hands FOR EACH ROW EXECUTE FUNCTION chaos.note();
DROP TRIGGER IF EXISTS chaos_note ON seats;
CREATE TRIGGER chaos_note AFTER INSERT OR DELETE ON seats FOR EACH ROW EXECUTE FUNCTION chaos.note();
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """A change of a table's hands or seats, in the order of the ledger.

    `owner` and `epoch` are what stood in the ledger at that moment, `named` is the epoch that a settled hand names.
    `owned`: this room keeps owners.
    """

    what: str
    table: str
    hand_id: str | None
    writer: str
    owner: str | None
    epoch: int | None
    named: int | None
    owned: bool

    @property
    def owner_pid(self) -> int | None:
        """The process that the owner's name tells of."""
        found = None if self.owner is None else _OWNER_PID.search(self.owner)
        return None if found is None else int(found[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """One transfer with its legs (code of the ledger account, amount), and when it was committed by the wall clock."""

    number: int
    key: str
    kind: str
    committed_s: float
    legs: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledHand:
    """One row of the hands, with its record as plain data."""

    transfer: int
    hand_id: str
    table: str
    record: dict[str, Any] = field(repr=False)
    deltas: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Books:
    """The whole ledger. `balances` by code; `transfers` in the order in which they were begun."""

    transfers: tuple[Transfer, ...]
    hands: tuple[SettledHand, ...]
    balances: dict[str, int]
    writes: tuple[Write, ...]
    names: dict[str, int]
    """Name -> account."""
    in_chips: frozenset[str] = frozenset()
    """Tables whose hands move tournament chips, and no money."""


def read_books(database_url: str, key: bytes) -> Books:
    """Everything, as of one moment. `key` opens the cards in records. Blocks."""
    cards = Seal(key).of(HAND_RECORDS)
    with psycopg.connect(database_url) as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        legs: dict[int, list[tuple[str, int]]] = {}
        for number, code, amount in connection.execute(
            "SELECT transfer, code, amount FROM legs JOIN ledger_accounts ON id = ledger_account"
        ):
            legs.setdefault(number, []).append((code, amount))
        transfers = tuple(
            Transfer(
                number=number, key=key, kind=kind, committed_s=committed_s, legs=tuple(legs.pop(number, ()))
            )
            for number, key, kind, committed_s in connection.execute(
                "SELECT id, key, kind, coalesce(extract(epoch FROM pg_xact_commit_timestamp(xmin)), 0)::float8"
                " FROM transfers ORDER BY id"
            )
        )
        deltas: dict[int, list[tuple[int, int]]] = {}
        for hand, account, delta in connection.execute("SELECT hand, account, delta FROM hand_players"):
            deltas.setdefault(hand, []).append((account, delta))
        hands = tuple(
            SettledHand(
                transfer=transfer,
                hand_id=hand_id,
                table=table,
                record=with_all_cards(record, cards),
                deltas=tuple(sorted(deltas.get(transfer, ()))),
            )
            for transfer, hand_id, table, record in connection.execute(
                "SELECT transfer, hand_id, table_id, record FROM hands ORDER BY transfer"
            )
        )
        balances: dict[str, int] = dict(
            connection.execute("SELECT code, balance FROM ledger_accounts").fetchall()
        )
        writes = tuple(
            Write(**dict(zip(_WRITE, row, strict=True)))
            for row in connection.execute(
                "SELECT what, table_id, hand_id, writer, owner, epoch, named, owned FROM chaos.writes ORDER BY id"
            )
        )
        names: dict[str, int] = dict(connection.execute("SELECT name, id FROM accounts").fetchall())
        in_chips = frozenset(
            row[0]
            for row in connection.execute(
                "SELECT id FROM tournaments UNION ALL"
                " SELECT format('%s-%s', tournament, number) FROM tournament_tables WHERE number > 1"
            )
        )
        assert not legs, "legs without a transfer"
    return Books(
        transfers=transfers, hands=hands, balances=balances, writes=writes, names=names, in_chips=in_chips
    )


def chips(database_url: str) -> int:
    """Everything but the issuer, in the smallest unit. Blocks."""
    with psycopg.connect(database_url, connect_timeout=3) as connection:
        row = connection.execute("SELECT sum(balance) FROM ledger_accounts WHERE kind <> 'issuer'").fetchone()
    assert row is not None
    return int(row[0])


def owners(database_url: str) -> dict[str, int]:
    """Table -> the process that its owner's name tells of; empty for a room without owners. Blocks."""
    with psycopg.connect(database_url, connect_timeout=2) as connection:
        row = connection.execute("SELECT to_regclass('public.table_owners') IS NOT NULL").fetchone()
        if row is None or not row[0]:
            return {}
        return {
            table: int(pid)
            for table, pid in connection.execute(
                r"SELECT table_id, substring(node from '-(\d+)-[^-]+$') FROM table_owners WHERE node IS NOT NULL"
            )
            if pid is not None
        }
