"""What a program with the room's role of the database can write: signing and erasing go on, and the audit names it."""

from __future__ import annotations

import asyncio
import json
from contextlib import ExitStack

import psycopg
import pytest
from psycopg import AsyncConnection

from pokerroom.adapters import opened_ledger
from pokerroom.audit.chain import follow_chain
from pokerroom.ledger.checkpoints import CheckpointKey
from pokerroom.ledger.postgres.checkpoints import Complete, PostgresCopies, written_checkpoint
from pokerroom.ledger.postgres.ledger import added_up
from tests.audit import rooms
from tests.audit.forgeries import differences
from tests.databases import copied_database

pytestmark = pytest.mark.services

RECORD = "(SELECT record FROM hands ORDER BY transfer DESC LIMIT 1)"

DEEP = "(repeat('[', 4000) || repeat(']', 4000))::jsonb"


def hand(**other):
    """A hand like the last one, with other values."""
    values = {
        "table_id": "(SELECT table_id FROM hands ORDER BY transfer DESC LIMIT 1)",
        "started": "now()",
        "ended": "now()",
        "record": RECORD,
    } | other
    return (
        "WITH new AS (INSERT INTO transfers (key, kind) VALUES ('hand:forged', 'hand') RETURNING id)"
        f" INSERT INTO hands (transfer, hand_id, {', '.join(values)}, epoch, rake)"
        f" SELECT id, 'forged', {', '.join(values.values())}, 1, 0 FROM new"
    )


def round_of(record="'{}'", started="now()", ended="now()"):
    """A round that is over, under a transfer of another kind."""
    return (
        "WITH new AS (INSERT INTO transfers (key, kind) VALUES ('place:' || repeat('0', 32), 'place') RETURNING id),"
        f" begun AS (INSERT INTO rounds SELECT id, 'forged', 'u1', 1, {started} FROM new RETURNING transfer)"
        f" INSERT INTO round_ends SELECT transfer, transfer, 1, {ended}, false, 0, 0, 0, 0, 0, {record} FROM begun"
    )


ROWS = {
    "a hand without an end in time": hand(ended="'infinity'"),
    "a hand before all times": hand(started="'-infinity'"),
    "a hand in a year that no count of microseconds reaches": hand(ended="timestamptz '294276-12-31'"),
    "a hand in a year before the first": hand(started="timestamptz '4713-01-01 BC'"),
    "a hand at a table with a very long name": hand(
        table_id="(SELECT string_agg(md5(n::text), '') FROM generate_series(1, 300) AS n)"
    ),
    "a hand at a table with control characters": hand(table_id=r"E'a\nb\t\\.\r\x1b[31m'"),
    "a record of nothing": hand(record="'null'"),
    "a record of a large number": hand(record="'1e100000'"),
    "a record of a name": hand(record="'\"hidden\"'"),
    "a record of a list": hand(record="'[\"hidden\"]'"),
    "a record that is a deep list": hand(record=DEEP),
    "a record with a deep list": hand(record=f"jsonb_set({RECORD}, '{{more}}', {DEEP})"),
    "a record with deep cards": hand(record=f"jsonb_set({RECORD}, '{{hidden}}', {DEEP})"),
    "a record with seats that are none": hand(record='\'{"seats": [7, null], "events": [7, ["show", 1]]}\''),
    "a record with cards in clear that were not shown": hand(
        record=f"""jsonb_set({RECORD}, '{{seats,0,cards}}', '["As", "Ah"]') - 'hidden'"""
    ),
    "a record of version 1 with cards in clear": hand(
        record=f"""jsonb_set({RECORD}, '{{seats,0,cards}}', '["As", "Ah"]') - 'hidden' || '{{"version": 1}}'"""
    ),
    "a record without a version and with cards in clear": hand(
        record=f"""jsonb_set({RECORD}, '{{seats,0,cards}}', '["As", "Ah"]') - 'hidden' - 'version'"""
    ),
    "a record of version 1.0 with cards in clear": hand(
        record=f"""jsonb_set({RECORD}, '{{seats,0,cards}}', '["As", "Ah"]') - 'hidden' || '{{"version": 1.0}}'"""
    ),
    "a record with a stack of 6,000 digits": hand(
        record=f"jsonb_set({RECORD}, '{{seats,0,stack}}', ('1' || repeat('0', 6000))::jsonb)"
    ),
    "a round that begins without a time": round_of(started="'infinity'"),
    "a round that ends without a time": round_of(ended="'infinity'"),
    "a round with a deep record": round_of(record=DEEP),
    "a round with a deep list in its record": round_of(record=f"jsonb_build_object('more', {DEEP})"),
    "a round in progress at another table": "INSERT INTO open_rounds SELECT 'other', round FROM round_ends LIMIT 1",
    "a meter filled once more": (
        "WITH new AS (INSERT INTO transfers (key, kind)"
        " SELECT 'seed:' || table_id || ':0', 'meter_seed' FROM ledger_accounts WHERE kind LIKE 'meter:%' LIMIT 1"
        " RETURNING id, key)"
        " INSERT INTO legs SELECT new.id, ledger_accounts.id, CASE kind WHEN 'bank' THEN -1000 ELSE 1000 END"
        " FROM new, ledger_accounts WHERE kind IN ('bank', 'meter:' || split_part(key, ':', 2))"
    ),
}


UNREADABLE = "deep list", "deep cards", "digits", "large number", "that are none"
"""The verifier does not read these records, and says that they were changed."""


@pytest.fixture(scope="module")
def played(services, ledger_template):
    """The addresses of a room of hold'em and of one of Ultimate, for the room and for the owner."""
    made = {}
    with ExitStack() as stack:

        async def play(address, room):
            async with opened_ledger(address) as ledger:
                await rooms.write(ledger, rooms.calls_of(*room))
                await rooms.at_the_cashier(ledger)
                await rooms.signed(ledger)

        for game, seed, hands in (("holdem", 7, 3), ("ultimate", 0, 8)):
            database = copied_database(services, ledger_template, f"room_role_{game}")
            made[game] = stack.enter_context(database)
            asyncio.run(play(made[game][1], (game, seed, hands)))
        yield made


def in_a_transaction(address, work):
    """What the work with a connection returns; what it has written is undone."""

    async def run():
        async with await AsyncConnection.connect(address, autocommit=True) as connection:
            await connection.execute("SET jit = off")
            async with connection.transaction(force_rollback=True):
                return await work(connection)

    return asyncio.run(run())


@pytest.mark.parametrize("row", ROWS)
def test_a_row_that_no_room_writes_is_named_and_stops_nothing(played, row):
    """What came with it is signed; the cards of others can be erased; the audit says what is wrong and does not end."""

    async def write(connection):
        written = await connection.execute(ROWS[row].encode())
        assert written.rowcount
        await connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
        await connection.execute(
            "INSERT INTO transfers (key, kind) VALUES ('place:' || repeat('1', 32), 'place')"
        )
        signed = await written_checkpoint(connection, CheckpointKey(rooms.KEYS[0]), Complete(), 0)
        await connection.execute("SELECT without_hidden_cards(record) FROM hands")
        chain = await follow_chain(PostgresCopies(connection), rooms.KEYS)
        return signed, chain, await differences(connection)

    of_hand = row.split()[1] in {"hand", "record"}
    signed, chain, found = in_a_transaction(played["holdem" if of_hand else "ultimate"][0], write)
    assert signed is not None
    assert json.loads(signed.body)["links"] == 1 + ("progress" not in row)
    assert chain.open == 0
    if row.split()[1] in {"hand", "record"} and not row.endswith(UNREADABLE):
        assert chain.differences == (), "the verifier hashes it as the database does"
    assert found


def test_a_meter_holds_the_seed_of_the_settings_when_an_owner_has_filled_it(played):
    """Also where the meter of each round was changed with it, so that rounds and legs agree."""

    async def forge(connection):
        await connection.execute("SET LOCAL session_replication_role = replica")
        await connection.execute(
            "UPDATE legs SET amount = amount + sign(amount) * 1000"
            " WHERE transfer IN (SELECT id FROM transfers WHERE kind = 'meter_seed')"
        )
        await connection.execute(
            "UPDATE ledger_accounts SET balance = coalesce((SELECT sum(amount) FROM legs WHERE ledger_account = id), 0)"
            " WHERE kind = 'bank' OR kind LIKE 'meter:%'"
        )
        await connection.execute(
            "UPDATE round_ends SET record ="
            " jsonb_set(record, '{meter,before}', to_jsonb((record #> '{meter,before}')::bigint + 1000))"
        )
        return (await added_up(connection)).differences

    found = in_a_transaction(played["ultimate"][1], forge)
    assert found
    assert all(" fills the meter to " in sentence for sentence in found)


@pytest.mark.parametrize(
    ("transfer", "place"),
    [("max(id) + 1", "1"), ("max(id)", f"{2**63 - 1}")],
    ids=["no transfer", "far place"],
)
def test_a_link_that_would_stop_the_chain_is_refused(played, transfer, place):
    """A link is of a transfer that there is, at a place that its stream can have."""

    async def forge(connection):
        await connection.execute(
            "INSERT INTO transfers (key, kind) VALUES ('place:' || repeat('1', 32), 'place')"
        )
        await connection.execute(
            f"INSERT INTO chain_links (transfer, stream, n, hash)"
            f" SELECT {transfer}, 'transfers', {place}, sha256('') FROM transfers".encode()
        )

    with pytest.raises(psycopg.errors.IntegrityError):
        in_a_transaction(played["holdem"][0], forge)
