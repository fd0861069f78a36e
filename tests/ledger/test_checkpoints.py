"""Checkpoints in PostgreSQL: what was settled is linked and signed, and what changed since is found and named."""

import json
import time
from dataclasses import replace

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from twisted.internet.defer import gatherResults

from pokerroom.audit.chain import follow_chain
from pokerroom.bridge import deferred
from pokerroom.history.hidden_cards import HAND_RECORDS, with_hidden_cards
from pokerroom.ledger import checkpoints
from pokerroom.ledger.checkpoints import (
    CheckpointKey,
    CheckpointsHeld,
    ForgedCheckpoint,
    checkpoint_hash,
    merkle_root,
)
from pokerroom.ledger.operator_log import THE_ROOM, LoggedAct
from pokerroom.ledger.postgres import checkpoints as adapter
from pokerroom.ledger.postgres.ledger import PostgresLedger
from pokerroom.table.seal import Seal
from tests.ledger.contract import hand, opened, seated
from tests.ledger.contract_of_rounds import bets, end, stake
from tests.ledger.test_migrations import VERSION_9

pytestmark = pytest.mark.services

SECRET = bytes(32)
KEY = CheckpointKey(SECRET)
SEAL = Seal(SECRET).of(HAND_RECORDS)
RULE = (
    "ALTER TABLE checkpoints ADD CONSTRAINT checkpoint_has_its_number"
    " CHECK (coalesce((body::json ->> 'number')::bigint = number, false)) NOT VALID"
)


def write(run, ledger, key=KEY):
    """A checkpoint of all that was committed; no transaction is open."""
    return run(ledger.write_checkpoint(key, open_s=0))


def verified(run, ledger, *, secrets=(SECRET,), after=0):
    async def work():
        async with ledger.copies() as copies:
            return await follow_chain(copies, secrets, after=after)

    return run(deferred(work()))


def record_of(hand_id, players):
    """A record in which seat 1 showed and seat 2 did not."""
    seats = [
        {"seat": seat, "account": account, "cards": cards}
        for seat, account, cards in zip((1, 2), players, (["As", "Ad"], ["Kh", "Kd"]), strict=True)
    ]
    return {"hand_id": hand_id, "seats": seats, "events": [["show", 1], ["award", 0, 20, [[1, 20]]]]}


@pytest.fixture
def players(run, postgres):
    """Two players at T1 with the changes of their stacks in a hand."""
    alice, bob = seated(run, postgres, "alice", "bob")
    return {alice: 10, bob: -10}


@pytest.fixture
def played(run, postgres, players):
    """Three hands at T1, a round with a tip, a line of the operators' log; two checkpoints."""

    def settled(hand_id, **changes):
        record = with_hidden_cards(record_of(hand_id, players), SEAL)
        run(postgres.settle([replace(hand(hand_id, players, record=json.dumps(record).encode()), **changes)]))

    settled("h1")
    settled("h2")
    assert write(run, postgres).number == 1
    settled("h3")
    (carol,) = opened(run, postgres, "carol")
    run(postgres.take_table("U1", "n1", 0))
    run(postgres.close_bets(bets({carol: 200}, table="U1")))
    run(postgres.add_stake(stake(carol, 25, key="round:r1:tip:1", kind="tip", table="U1")))
    run(
        postgres.settle_round(end({carol: -25}, tronc=25, table="U1", record=b'{"board": ["As"], "f": 1.50}'))
    )
    run(postgres.record(LoggedAct(by=THE_ROOM, verb="cashier.open")))
    assert write(run, postgres).number == 2
    return players


@pytest.fixture
def forge(run, postgres, emptied_database):
    """Executes statements past every trigger; returns the differences."""

    def forged(*statements):
        with psycopg.connect(emptied_database, autocommit=True) as connection:
            connection.execute("SET session_replication_role = replica")
            for statement in statements:
                connection.execute(statement)
        return verified(run, postgres).differences

    return forged


@pytest.fixture
def ids(played, emptied_database):
    """The numbers of the transfers by key."""
    with psycopg.connect(emptied_database) as connection:
        return dict(connection.execute("SELECT key, id FROM transfers").fetchall())


def test_all_that_was_settled_is_linked_and_signed_once(run, postgres, played):
    """Hands and rounds in the stream of their table; a checkpoint without anything new is not written."""
    assert write(run, postgres) is None
    first, second = (json.loads(each.body) for each in run(postgres.checkpoints(0, 9)))
    assert {stream: last for stream, _, last, _ in first["streams"]}["table:T1"] == 2
    ranges = {stream: (first, last) for stream, first, last, _ in second["streams"]}
    assert (ranges["table:T1"], ranges["table:U1"]) == ((3, 3), (1, 2))
    assert run(postgres.checkpoints(1, 9))[0].number == 2
    found = verified(run, postgres)
    assert (found.differences, found.signed, found.checkpoints, found.open) == ((), True, 2, 0)
    assert (found.transfers, found.lines) == (first["links"] + second["links"], 1)
    assert found.until_ms == second["at_ms"]
    assert verified(run, postgres, secrets=None).signed is False


def test_what_was_committed_since_waits_for_the_next_checkpoint(run, postgres, played):
    """It is no difference."""
    run(postgres.settle([hand("h4", played)]))
    found = verified(run, postgres)
    assert (found.differences, found.open) == ((), 1)
    assert write(run, postgres).links == 1
    assert verified(run, postgres).open == 0


def test_a_transfer_that_is_committed_late_is_linked_then(run, postgres, players, emptied_database):
    """One with a higher number was linked before it."""
    with psycopg.connect(emptied_database) as late:
        late.execute("INSERT INTO transfers (key, kind) VALUES ('hand:late', 'hand')")
        run(postgres.settle([hand("h1", players)]))
        assert run(postgres.write_checkpoint(KEY)).links > 1
        late.commit()
    assert run(postgres.write_checkpoint(KEY)).links == 1
    assert verified(run, postgres).differences == ()


def test_two_writers_write_one_checkpoint_after_the_other(run, postgres, players):
    """A node that finds another one writing leaves it alone, and says so."""

    def held(failure):
        failure.trap(CheckpointsHeld)

    written = run(
        gatherResults([postgres.write_checkpoint(KEY, open_s=0).addErrback(held) for _ in range(5)])
    )
    assert [each.number for each in written if each is not None] == [1]
    assert verified(run, postgres).differences == ()


def test_a_clock_of_the_database_that_was_set_forward_adds_nothing(run, postgres, players, emptied_database):
    """A transaction is open while the clock is set: its transfer is linked when it is committed."""
    assert run(postgres.write_checkpoint(KEY)).links > 1
    with psycopg.connect(emptied_database) as late:
        late.execute("INSERT INTO transfers (key, kind) VALUES ('hand:late', 'hand')")
        run(postgres.settle([hand("h1", players)]))
        with psycopg.connect(emptied_database) as clock:
            clock.execute("SET session_replication_role = replica")
            clock.execute("UPDATE transfers SET created = created - interval '1 hour'")
        assert run(postgres.write_checkpoint(KEY)).links == 1
        late.commit()
    assert run(postgres.write_checkpoint(KEY)).links == 1
    assert not [one for one in verified(run, postgres).differences if "was added" in one]


@pytest.mark.parametrize(
    "body",
    [
        "no JSON",
        '{"number": 2}',
        '{"number": 2, "key": 1, "complete_to": 1e999, "operators_log": [0, ""]}',
        '{"number": 2, "key": "KEY", "complete_to": 1, "operators_log": [0, ""]}',
        '{"number": 2, "key": "KEY", "complete_to": 9000000000000000000, "operators_log": [0, ""]}',
        '{"number": 2, "key": "another", "complete_to": 1, "operators_log": [0, ""]}',
    ],
)
def test_nothing_follows_a_checkpoint_that_no_room_has_signed(run, postgres, players, emptied_database, body):
    """Written by a superuser: it is named, and stays the last one."""
    write(run, postgres)
    with psycopg.connect(emptied_database, autocommit=True) as forger:
        forger.execute("ALTER TABLE checkpoints DROP CONSTRAINT checkpoint_has_its_number")
        try:
            forger.execute(
                "INSERT INTO checkpoints VALUES (2, %s, %s)", [body.replace("KEY", KEY.key_id), bytes(64)]
            )
            run(postgres.settle([hand("h1", players)]))
            with pytest.raises(ForgedCheckpoint, match="checkpoint 2 in the database"):
                write(run, postgres)
            assert verified(run, postgres).differences
        finally:
            forger.execute("SET session_replication_role = replica")
            forger.execute("DELETE FROM checkpoints WHERE number = 2")
            forger.execute(RULE)
    assert write(run, postgres).number == 2


def test_the_last_checkpoint_is_of_transfers_that_are_there(run, postgres, players, emptied_database, forge):
    """Otherwise an earlier state was put back below it."""
    body = json.loads(write(run, postgres).body) | {"number": 2, "complete_to": 2**62}
    text = json.dumps(body)
    forge(f"INSERT INTO checkpoints VALUES (2, '{text}', '\\x{KEY.sign(text).hex()}')")
    with pytest.raises(ForgedCheckpoint, match="is of transfer 4611686018427387904"):
        write(run, postgres)


def test_a_new_key_follows_the_one_before_it_and_no_other(run, postgres, played):
    """A key that is not known here may be of an attacker: what it has left out would never be signed."""
    new, other = bytes(31) + b"n", bytes(31) + b"o"
    run(postgres.settle([hand("h4", played)]))
    for key in CheckpointKey(new), CheckpointKey(new, other):
        with pytest.raises(ForgedCheckpoint, match="checkpoint 2 in the database"):
            write(run, postgres, key)
    assert write(run, postgres, CheckpointKey(new, other, SECRET)).links == 1
    assert verified(run, postgres, secrets=(new, SECRET)).differences == ()
    assert verified(run, postgres, secrets=(new,)).differences == (
        *(f"checkpoint {number} is signed with another key, {KEY.key_id}" for number in (1, 2)),
        "stream table:U1, number 2: no checkpoint has this link",
        "stream transfers, number 7: no checkpoint has this link",
    )


def test_a_forged_checkpoint_is_no_base_and_hides_nothing(run, postgres, played, forge, emptied_database):
    """The forger changes a hand, makes its link again, and signs with a key of its own."""
    after = last_transfer(emptied_database)
    run(postgres.settle([hand("h4", played)]))
    assert run(postgres.write_checkpoint(KEY)).links == 1
    forge(
        "UPDATE hands SET ended = ended + interval '1 s' WHERE hand_id = 'h4'",
        f"DELETE FROM chain_links WHERE transfer > {after}",
    )
    thief = CheckpointKey(bytes(31) + b"x", SECRET)
    assert run(postgres.write_checkpoint(thief)).links == 1
    for part in 0, after:
        assert (
            verified(run, postgres, after=part).differences
            == (
                "stream table:T1, number 4: the links are not those that checkpoint 3 has signed",
                f"checkpoint 4 is signed with another key, {thief.key_id}",
            )[:: 1 if part == 0 else -1]
        )


def test_a_key_that_was_replaced_does_not_come_back(run, postgres, played, forge):
    """It may have been replaced because it was stolen: what it signs later is named, and nothing follows it."""
    new = bytes(31) + b"n"
    run(postgres.settle([hand("h4", played)]))
    last = write(run, postgres, CheckpointKey(new, SECRET))
    number, before = last.number + 1, checkpoint_hash(last.body).hex()
    empty = {"links": 0, "streams": [], "root": merkle_root([]).hex()}
    facts = {"number": number, "before": before, "key": KEY.key_id}
    text = json.dumps(json.loads(last.body) | facts | empty)
    forge(f"INSERT INTO checkpoints VALUES ({number}, '{text}', '\\x{KEY.sign(text).hex()}')")
    assert verified(run, postgres, secrets=(new, SECRET)).differences == (
        f"checkpoint {number} is signed with the key {KEY.key_id}, which another has replaced",
    )
    run(postgres.settle([hand("h5", played)]))
    with pytest.raises(ForgedCheckpoint, match="a key that was replaced"):
        write(run, postgres, CheckpointKey(new, SECRET))


def test_the_database_refuses_a_checkpoint_that_is_no_json(run, postgres, emptied_database):
    """By the role of the rooms, too."""
    with psycopg.connect(emptied_database, autocommit=True) as forger:
        for body in "no JSON", "{}", '{"number": 2}', "[1]", '{"number": "x"}':
            with pytest.raises((psycopg.errors.CheckViolation, psycopg.DataError)):
                forger.execute("INSERT INTO checkpoints VALUES (1, %s, %s)", [body, bytes(64)])


def test_a_long_history_has_many_checkpoints(run, postgres, played, monkeypatch):
    """Each has a bounded number of links, and knows up to where nothing is left out."""
    for n in range(5):
        run(postgres.settle([hand(f"more-{n}", played)]))
    monkeypatch.setattr(adapter, "BATCH", 2)
    assert [made.links for made in iter(lambda: write(run, postgres), None)] == [2, 2, 1]
    found = verified(run, postgres)
    assert (found.differences, found.open, found.checkpoints) == ((), 0, 5)
    assert checkpoints.BATCH > 100


def test_history_from_before_the_chain_is_covered_by_the_first_checkpoint(run, server, new_database):
    """Also the cards in clear that older builds have stored."""
    address = new_database("template1")
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(VERSION_9)
    ledger = PostgresLedger(make_conninfo(address, user=server.room), address)
    run(ledger.upgrade())
    run(ledger.open())
    try:
        assert write(run, ledger).links > 10
        found = verified(run, ledger)
        assert (found.differences, found.open) == ((), 0)
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("SET session_replication_role = replica")
            connection.execute("UPDATE hands SET hand_id = hand_id || 'x'")
        assert verified(run, ledger).differences
    finally:
        run(ledger.close())


# --- a part of the history --------------------------------------------------------------------------------------------


def last_transfer(address):
    with psycopg.connect(address) as connection:
        return connection.execute("SELECT max(id) FROM transfers").fetchone()[0]


def test_a_part_reads_no_more_of_a_long_history_than_of_a_short_one(run, postgres, played, emptied_database):
    """Only what came after its checkpoint, whatever was before it."""
    read = []
    for before in 1, 25:
        for n in range(before):
            run(postgres.settle([hand(f"before-{before}-{n}", played)]))
        write(run, postgres)
        after = last_transfer(emptied_database)
        run(postgres.settle([hand(f"after-{before}-{n}", played) for n in range(2)]))
        write(run, postgres)
        found = verified(run, postgres, after=after)
        assert (found.differences, found.transfers) == ((), 2)
        read.append(found.rows)
    assert read[0] == read[1] < verified(run, postgres).rows


@pytest.fixture(params=[0, 600])
def forge_part(request, run, postgres, played, forge):
    """Executes a statement on a part of three transfers and a line of the log, and returns the differences of the part.

    `{h5}` stands for the number of a hand. With 600 the base is written at the end of the part.
    """
    database = request.getfixturevalue("emptied_database")
    after = last_transfer(database)
    run(postgres.settle([hand("h4", played)]))
    run(postgres.settle([hand("h5", played)]))
    run(postgres.record(LoggedAct(by=THE_ROOM, verb="cashier.open")))
    run(postgres.write_checkpoint(KEY, open_s=request.param))
    opened(run, postgres, "dora")
    run(postgres.write_checkpoint(KEY, open_s=request.param))
    with psycopg.connect(database) as connection:
        hands = connection.execute("SELECT substr(key, 6), id FROM transfers WHERE kind = 'hand'").fetchall()

    def forged(statement):
        forge(statement.format(**dict(hands)))
        return verified(run, postgres, after=after).differences

    return forged


@pytest.mark.parametrize(
    ("forgery", "named"),
    [
        ("UPDATE hands SET ended = ended + interval '1 s' WHERE hand_id = 'h4'", "hand:h4): it was changed"),
        ("UPDATE transfers SET created = 'infinity' WHERE id = {h5}", "hand:h5): it was changed"),
        ("DELETE FROM transfers WHERE key = 'hand:h5'", "): it was removed"),
        ("DELETE FROM chain_links WHERE transfer = {h4}", "stream table:T1, number 4: its link was removed"),
        ("UPDATE chain_links SET hash = sha256('') WHERE transfer = {h3}", "stream table:T1, number "),
        ("UPDATE checkpoints SET signature = substr(signature || 'x', 2)", "its signature does not fit"),
        ("UPDATE operator_log SET who = 'x' WHERE n = 2", "operators' log, line 2: it was changed or removed"),
        ("INSERT INTO chain_links VALUES (99999, 'table:T9', 1, NULL, sha256(''))", "no checkpoint has this link"),
        ("INSERT INTO chain_links VALUES (99999, 'table:U1', 3, NULL, sha256(''))", "number 3: no checkpoint has"),
    ],
)  # fmt: skip
def test_what_was_forged_in_a_part_is_named(forge_part, forgery, named):
    """Also of transfers that the base of the part has linked before it knew that none is missing."""
    assert forge_part("SELECT") == ()
    found = forge_part(forgery)
    assert any(named in each for each in found), found


# --- retention --------------------------------------------------------------------------------------------------------


def test_the_chain_survives_that_hidden_cards_are_erased(run, postgres, played, forge):
    """What is left of the hand is still proven; cards that went without the retention are missed."""
    assert forge("UPDATE transfers SET created = now() - interval '40 days' WHERE key = 'hand:h1'")
    assert not forge("UPDATE transfers SET created = (SELECT created FROM transfers WHERE key = 'genesis')"
                     " WHERE key = 'none'", "DELETE FROM chain_links", "DELETE FROM checkpoints")  # fmt: skip
    assert write(run, postgres).number == 1
    assert run(postgres.keep_cards(30))
    assert run(postgres.erase_cards(100, THE_ROOM))[1] == 1
    found = verified(run, postgres)
    assert (found.differences, found.erased) == ((), 1)
    (difference,) = forge("UPDATE hands SET record = record - 'hidden' WHERE hand_id = 'h2'")
    assert "hand:h2): it was changed" in difference
    differences = forge(
        "UPDATE hands SET record = jsonb_set(record, '{events,0,1}', '2') WHERE hand_id = 'h1'"
    )
    assert any("hand:h1): it was changed" in each for each in differences)


def test_no_hash_tells_cards_that_were_erased(run, postgres, players, emptied_database):
    """Clear cards of an older build are in no hash; the hash of encrypted ones is of a text with a random part."""
    clear = record_of("h1", players)
    run(postgres.settle([hand("h1", players, record=json.dumps(clear).encode())]))
    write(run, postgres)
    with psycopg.connect(emptied_database, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("UPDATE hands SET record = without_hidden_cards(record)")
        kept = connection.execute(
            "SELECT sealed FROM chain_links JOIN hands ON hands.transfer = chain_links.transfer"
        ).fetchall()
    assert kept == [(None,)]
    assert verified(run, postgres).differences == ()


# --- forgeries --------------------------------------------------------------------------------------------------------

H2 = "(SELECT id FROM transfers WHERE key = 'hand:h2')"
OF_T1 = "UPDATE chain_links SET n = {} WHERE stream = 'table:T1' AND n = {}"


MOVED = "UPDATE ledger_accounts SET (kind, code, table_id) = ('stakes:U9', 'stakes:U9', 'U9') WHERE code = 'stakes:U1'"
CHANGED = "number 2 (transfer {h2}, hand:h2): it was changed"


@pytest.mark.parametrize(
    ("statement", "difference"),
    [
        ("UPDATE hands SET record = record || '{\"x\": 1}' WHERE hand_id = 'h2'", CHANGED),
        (f"UPDATE legs SET amount = amount * 2 WHERE transfer = {H2}", CHANGED),
        (f"DELETE FROM legs WHERE transfer = {H2}", CHANGED),
        ("UPDATE transfers SET created = created + interval '1 s' WHERE key = 'hand:h2'", CHANGED),
        ("UPDATE hands SET record = '[]' WHERE hand_id = 'h2'", CHANGED),
        ("DELETE FROM transfers WHERE key = 'hand:h2'", "number 2 (transfer {h2}): it was removed"),
        (f"DELETE FROM chain_links WHERE transfer = {H2}", "number 2: its link was removed"),
        (f"UPDATE chain_links SET hash = sha256(hash) WHERE transfer = {H2}", CHANGED),
        (
            f"UPDATE chain_links SET sealed = sha256(hash) WHERE transfer = {H2}",
            "number 2 (transfer {h2}, hand:h2): the hash of its hidden cards was changed",
        ),
        (
            f"UPDATE chain_links SET stream = 'table:T9' WHERE transfer = {H2}",
            "number 2: its link was removed",
        ),
    ],
)
def test_a_change_of_a_hand_is_found_and_named(played, forge, ids, statement, difference):
    """By its stream, its number there, its transfer and the key of that."""
    differences = forge(statement)
    assert f"stream table:T1, {difference.format(h2=ids['hand:h2'])}" in differences, differences


@pytest.mark.parametrize(
    ("statement", "number", "key"),
    [
        ("UPDATE round_stakes SET amount = 1 WHERE kind = 'tip'", 2, "round:r1"),
        ("UPDATE round_ends SET record = '{}'", 2, "round:r1"),
        ("UPDATE rounds SET epoch = 7", 1, "round:r1:bets"),
        (
            MOVED,
            1,
            "round:r1:bets",
        ),
    ],
)
def test_a_change_of_a_round_is_found_and_named(played, forge, ids, statement, number, key):  # noqa: PLR0917 -- as above
    """Also one of the account to which it was booked."""
    differences = forge(statement)
    assert f"stream table:U1, number {number} (transfer {ids[key]}, {key}): it was changed" in differences


def test_a_transfer_that_was_added_later_is_named(run, postgres, played, forge):
    """Its number lies before what the checkpoints have."""
    added = (
        "INSERT INTO transfers (id, key, kind) OVERRIDING SYSTEM VALUE VALUES (-1, 'opening:9', 'opening')"
    )
    assert forge(added) == ("transfer -1, opening:9: it was added to what the checkpoints have",)


def test_links_that_were_exchanged_are_named(played, forge):
    """Two hands in another order. The next one follows what was signed."""
    differences = forge(OF_T1.format(5, 1), OF_T1.format(1, 2), OF_T1.format(2, 5))
    assert [difference.split(" (")[0] for difference in differences] == [
        "stream table:T1, number 1",
        "stream table:T1, number 2",
    ]


def test_a_chain_that_was_made_again_is_found_by_what_was_signed(run, postgres, played, forge, monkeypatch):
    """The forger has changed a hand and has made all links and checkpoints again, without the key."""
    signed = run(postgres.checkpoints(0, 9))
    differences = forge(
        "UPDATE hands SET record = record || '{\"x\": 1}' WHERE hand_id = 'h2'",
        "CREATE TEMP TABLE old AS SELECT * FROM checkpoints",
        "DELETE FROM chain_links",
        "DELETE FROM checkpoints",
    )
    assert differences == (), "without a checkpoint nothing is proven"
    thief = CheckpointKey(bytes(31) + b"x")
    assert write(run, postgres, thief)
    (forged,) = verified(run, postgres).differences
    assert forged.startswith("none of the 1 checkpoints is signed with the key that was given ")
    assert f", but with {thief.key_id}: " in forged

    def stored(checkpoint):
        body, signature = checkpoint.body.replace("'", "''"), checkpoint.signature.hex()
        return f"INSERT INTO checkpoints VALUES ({checkpoint.number}, '{body}', '\\x{signature}')"

    differences = forge("DELETE FROM checkpoints", *map(stored, signed))
    assert (
        "stream table:T1, number 1 to 2: the links are not those that checkpoint 1 has signed" in differences
    )


@pytest.mark.parametrize(
    ("statement", "difference"),
    [
        ("DELETE FROM checkpoints WHERE number = 1", "checkpoint 1 is missing"),
        (
            "UPDATE checkpoints SET body = body || ' ' WHERE number = 1",
            "checkpoint 1 was changed: its signature does not fit",
        ),
        (
            "UPDATE checkpoints SET body = '{\"number\": 1}' WHERE number = 1",
            "checkpoint 1 was changed: it is none",
        ),
        (
            "UPDATE checkpoints SET body = replace(body, '\"number\":2', '\"number\":3'), number = 3 WHERE number = 2",
            "checkpoint 2 is missing",
        ),
        (
            "UPDATE operator_log SET who = 'x' WHERE n = 1",
            "operators' log, line 1: it was changed or removed",
        ),
        (
            "DELETE FROM operator_log",
            "operators' log, line 1: it is not the line that checkpoint 2 has signed",
        ),
    ],
)
def test_a_changed_checkpoint_or_line_is_named(played, forge, statement, difference):
    """And so is a line of the operators' log that was signed."""
    assert difference in forge(statement)


def test_an_incremental_verification_compares_what_came_later(run, postgres, ids, forge):
    """Checkpoints and links are always compared, rows after the number."""
    forge("UPDATE hands SET record = '{}' WHERE hand_id = 'h2'")
    assert verified(run, postgres, after=ids["hand:h2"] - 1).differences
    assert not verified(run, postgres, after=ids["hand:h2"]).differences


def test_settlements_do_not_wait_for_a_checkpoint(run, postgres, players, emptied_database):
    """Nor does a checkpoint wait for them: the one holds no lock that the other takes."""
    with psycopg.connect(emptied_database) as other:
        other.execute("SELECT pg_advisory_xact_lock(%s)", [adapter.WRITER_LOCK])
        with pytest.raises(CheckpointsHeld):
            write(run, postgres)
        other.execute("LOCK TABLE chain_links, checkpoints IN SHARE ROW EXCLUSIVE MODE")
        begun = time.monotonic()
        run(postgres.settle([hand("h1", players)]))
        assert time.monotonic() - begun < 10
