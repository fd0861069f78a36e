"""Database and audit follow one grammar: what the one refuses, the other finds if it is written past the triggers."""

import asyncio
import re

import psycopg
import pytest
from psycopg import AsyncConnection

from pokerroom.audit.books import follow
from pokerroom.ledger.grammar import GRAMMAR, TransferKind, parse
from pokerroom.ledger.postgres.books import PostgresBooks
from pokerroom.ledger.postgres.transfer_rules import transfer_rules
from tests.effort import part
from tests.ledger.test_grammar import EXAMPLES

pytestmark = pytest.mark.services

RULE = "transfer_is_of_its_kind"

ACCOUNTS = """
INSERT INTO accounts (id, name, password_hash) OVERRIDING SYSTEM VALUE
    SELECT n, 'player' || n, '-' FROM generate_series(7, 10) AS n;
INSERT INTO ledger_accounts (kind, owner, table_id, code, balance)
    SELECT 'wallet', id, NULL, 'wallet:' || id, 1000 FROM accounts
    UNION ALL SELECT 'stack', id, place, 'stack:' || place || ':' || id, 1000
        FROM accounts, unnest(ARRAY['T1', 'T2', 'host:a:b']) AS place
    UNION ALL SELECT kind || place, NULL, place, kind || place, 1000
        FROM unnest(ARRAY['U1', 'U2', 'T1', 'desk', 'safe']) AS place,
             unnest(ARRAY['house:', 'meter:', 'stakes:', 'rake:', 'source:']) AS kind
    UNION ALL SELECT 'external', NULL, NULL, 'external', 1000
    UNION ALL SELECT 'club:' || place, NULL, place, 'club:' || place, 1000 FROM unnest(ARRAY['a1', 'b1']) AS place
    UNION ALL SELECT 'chips:a1', id, NULL, 'chips:a1:' || id, 1000 FROM accounts
    UNION ALL SELECT 'tickets', id, NULL, 'tickets:' || id, 1000 FROM accounts
    UNION ALL SELECT kind, NULL, place, kind || ':' || place, 1000
        FROM unnest(ARRAY['s.1', 's.2']) AS place, unnest(ARRAY['escrow', 'bounties']) AS kind;
UPDATE ledger_accounts SET balance = 1000 WHERE balance = 0;
"""

OTHERS = {
    "wallet:7": ("wallet:10", "held", "house"),
    "bank": ("fees", "wallet:10"),
    "stack:T1:7": ("stack:T2:7", "stack:T1:10", "rake:T1"),
    "stakes:U1": ("stakes:U2", "house:U2"),
    "escrow:s.1": ("escrow:s.2", "bank"),
    "bounties:s.1": ("bounties:s.2", "fees"),
    "source:desk": ("source:safe", "bank"),
    "house:U1": ("house", "meter:U2"),
    "external": ("bank", "held"),
    "club:a1": ("bank", "wallet:10"),
    "tickets:7": ("tickets:10", "wallet:10", "bank"),
    "chips:a1:7": ("chips:a1:10", "bank", "wallet:10"),
}


def variations(kind, key, legs):
    """The transfer, and others like it: of another kind, key, direction or account, with a leg less or more.

    Each kind is followed by every sixth of the other kinds; `make soak` tries all pairs.
    """
    yield kind, key, legs
    yield from (
        (kind, other, legs) for other in (key + "x", key + ":1", "x" + key, key.replace("7", "8"), key[:-1])
    )
    yield kind, key, {code: -amount for code, amount in legs.items()}
    for code, others in OTHERS.items():
        if code in legs:
            yield from (
                (kind, key, {other if one == code else one: legs[one] for one in legs}) for other in others
            )
    if legs:
        yield kind, key, {}
        yield kind, key, balanced({code: legs[code] for code in list(legs)[1:]})
        yield kind, key, balanced({"tronc": 1, "house": 1, **legs})
        yield kind, key, {code: 2 * amount for code, amount in legs.items()}
    kinds = list(GRAMMAR)
    first = kinds.index(kind)
    yield from ((other, key, legs) for other in part([*kinds[first + 1 :], *kinds[:first]], 6))


def balanced(legs):
    """The legs with amounts that sum to zero; empty if all have one direction."""
    signs = {code: 1 if amount > 0 else -1 for code, amount in legs.items()}
    counts = {sign: list(signs.values()).count(sign) for sign in (1, -1)}
    return {code: sign * counts[-sign] for code, sign in signs.items()} if all(counts.values()) else {}


async def written(connection, kind, key, legs):
    """Write a transfer as it is."""
    await connection.execute(
        "WITH made AS (INSERT INTO transfers (key, kind) VALUES (%s, %s) RETURNING id) INSERT INTO legs"
        " SELECT made.id, ledger_accounts.id, amount FROM made, unnest(%s::text[], %s::bigint[]) AS leg (code, amount)"
        " JOIN ledger_accounts USING (code)",
        [key, kind, list(legs), list(legs.values())],
    )


async def refused(connection, transfer):
    """The constraint that refuses a transfer of the role of the rooms, at the end of its transaction."""
    try:
        async with connection.transaction(force_rollback=True):
            await written(connection, *transfer)
            await connection.execute(f"SET CONSTRAINTS {RULE} IMMEDIATE")
    except psycopg.IntegrityError as error:
        return error.diag.constraint_name
    return None


async def found(connection, transfer):
    """What the audit says of a transfer that was written past the triggers."""
    async with connection.transaction(force_rollback=True):
        await connection.execute("SET LOCAL session_replication_role = replica")
        await written(connection, *transfer)
        report = await follow(await PostgresBooks.of(connection), None)
        return [one for one in report.differences if one.startswith(f"transfer {report.last} (")]


@pytest.mark.parametrize(("kind", "key", "legs"), EXAMPLES)
def test_what_the_database_refuses_is_what_the_audit_finds(server, emptied_database, kind, key, legs):
    """Every rule of the kind, one by one: the role of the rooms cannot break it, and what breaks it is found."""

    async def work():
        async with await AsyncConnection.connect(emptied_database) as connection:
            await connection.execute("SET LOCAL jit = off")  # compiling takes longer than the queries
            await connection.execute("SET LOCAL session_replication_role = replica")
            await connection.execute(ACCOUNTS.encode())
            await connection.execute("DELETE FROM legs; DELETE FROM transfers")
            await connection.execute("SET LOCAL session_replication_role = origin")
            verdicts = set()
            audited = set(
                part(range(100), 4)
            )  # the audit reads by the grammar that is compared for all of them
            for number, transfer in enumerate(variations(kind, key, legs)):
                if sum(transfer[2].values()):
                    continue  # which another rule refuses
                differences = parse(*transfer, {}).differences
                await connection.execute(f"SET LOCAL ROLE {server.room}")
                by = await refused(connection, transfer)
                await connection.execute("RESET ROLE")
                assert (by == RULE) == bool(differences), (transfer, by, differences)
                if differences and transfer[0] == kind and number in audited:
                    assert await found(connection, transfer), transfer
                verdicts.add(by)
            assert {None, RULE} <= verdicts
            await connection.rollback()

    asyncio.run(work())


@pytest.mark.parametrize(
    ("keys", "legs"),
    [
        (("x",), ("-wallet:{account}", "+wallet:{each}")),
        (("{client}:{account}",), ("-wallet:{account}", "+bank")),
    ],
)
def test_a_kind_that_the_database_could_not_tell_is_no_kind(monkeypatch, keys, legs):
    """Two legs of one word, or a key that names something else before an account."""
    monkeypatch.setitem(GRAMMAR, "gift", TransferKind(keys=keys, legs=legs, amount="free"))
    with pytest.raises(ValueError, match=r"cannot be told apart|has another part before"):
        transfer_rules()


def test_each_kind_has_a_statement_of_its_own_and_hands_come_first():
    """PostgreSQL prepares one expression of all kinds again in each transaction, before it knows which kind it is."""
    kinds = re.findall(r"WHEN '(\w+)' THEN RETURN ", transfer_rules().decode())
    assert kinds[0] == "hand"
    assert sorted(kinds) == sorted(GRAMMAR)
