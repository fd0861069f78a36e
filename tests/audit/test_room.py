"""The audit of ledger and journal together, on real services."""

from __future__ import annotations

import asyncio
import socket
from functools import partial

import psycopg
import pytest
from click.testing import CliRunner

from pokerroom.adapters import opened_journal, opened_ledger
from pokerroom.audit.books import BooksReport
from pokerroom.audit.room import Audit, audited
from pokerroom.cli import main
from pokerroom.ledger.api import AuditReport
from pokerroom.ledger.operator_log import THE_ROOM, LoggedAct, LogHead, LogQuery
from pokerroom.table.journal_audit import JournalledHand
from pokerroom.verifier.verify import Verified

pytestmark = pytest.mark.services


@pytest.fixture
def database(own_database):
    """The address for the owner of a database of its own."""
    return own_database[1]


@pytest.fixture
def audit(database):
    async def work(redis_url: str | None) -> Audit:
        open_journal = None if redis_url is None else partial(opened_journal, redis_url)
        async with opened_ledger(database) as ledger:
            return await audited(ledger, open_journal, {}, None)

    def run(redis_url: str | None) -> Audit:
        return asyncio.run(work(redis_url))

    return run


def test_a_new_room_has_no_hand_and_no_difference(audit, services):
    """Every fate is counted, with none."""
    found = audit(f"{services.redis_url}?db=9")  # which no other test uses
    assert (found.differences, found.journal, found.away) == ((), (), None)
    assert set(found.fates().values()) == {0}


def test_without_redis_the_ledger_alone_is_audited(audit):
    """And it is said."""
    found = audit(None)
    assert found.differences == ()
    assert (found.journal, found.fates(), found.away) == (None, None, "no Redis is configured")


def test_a_redis_that_does_not_answer_does_not_stop_the_audit(audit):
    """The ledger is the truth about chips; what the journal holds is not known then."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    found = audit(f"redis://127.0.0.1:{port}/0")
    assert found.journal is None
    assert found.away.startswith("Redis does not answer: ")
    assert found.ledger.differences == ()


def test_an_address_that_cannot_be_used_does_not_stop_the_audit(audit):
    """The reason names what is wrong with it, and nothing of the address."""
    found = audit("http://user:secret@host")
    assert (found.journal, found.ledger.differences) == (None, ())
    assert found.away == "the address of Redis cannot be used: it is not the address of a Redis server"


def test_a_head_of_the_operators_log_must_still_be_a_line(database):
    """An attacker who writes the whole chain again cannot write the room's own log again."""

    async def work():
        async with opened_ledger(database) as ledger:
            loop = asyncio.get_running_loop()
            for _ in range(2):
                await ledger.record(LoggedAct(by=THE_ROOM, verb="cashier.open")).asFuture(loop)
            first = await ledger.log_lines(LogQuery(before=2, limit=1)).asFuture(loop)
            good = LogHead(n=1, hash=first[0].hash)
            heads = [LogHead.read(str(good)), LogHead(), LogHead(n=2, hash=good.hash), LogHead(n=3)]
            return await audited(ledger, None, {}, None, heads)

    assert [difference.split(" with")[0] for difference in asyncio.run(work()).differences] == [
        "the operators' log has no line 2",
        "the operators' log has no line 3",
    ]


def test_a_name_in_a_difference_gives_the_terminal_no_order(own_database, services):
    """A line stays one line, and a colour its code. A very long name is cut. The operators' log tells of the audit."""
    url, owner = own_database
    with psycopg.connect(url, autocommit=True) as connection:
        for key, table in ("a", "\x1b[2J\n0 differences\u202e"), ("b", "long" * 10_000):
            connection.execute(
                "WITH new AS (INSERT INTO transfers (key, kind) VALUES ('hand:' || %(key)s, 'hand') RETURNING id)"
                " INSERT INTO hands (transfer, hand_id, table_id, started, ended, record, epoch, rake)"
                " SELECT id, %(key)s, %(table)s, now(), now(), '{}', 1, 0 FROM new",
                {"key": key, "table": table},
            )
    addresses = {
        "POKERROOM_DATABASE_URL": url,
        "POKERROOM_OWNER_DATABASE_URL": owner,
        "POKERROOM_REDIS_URL": services.redis_url,
    }
    result = CliRunner().invoke(main, ["audit"], env=addresses)
    assert result.exit_code == 1
    assert (
        "a hand at \\x1b[2J\\n0 differences\\u202e is of epoch 1, the table of epoch none\n" in result.stderr
    )
    assert all(line.isprintable() and len(line) < 2_000 for line in result.stderr.splitlines())
    with psycopg.connect(url) as connection:
        ((verb, told),) = connection.execute("SELECT verb, args FROM operator_log").fetchall()
    assert (verb, told["differences"] >= 2) == ("audit.failed", True)


@pytest.mark.parametrize("text", ["", "1", "1:zz", "-1:" + "0" * 64, "1:" + "0" * 63, "x:" + "0" * 64])
def test_what_is_no_head_is_refused(text):
    """With a sentence that says how one is written."""
    result = CliRunner().invoke(main, ["audit", "--log-head", text])
    assert (result.exit_code, "write a head as NUMBER:HASH" in result.stderr) == (2, True)


def test_a_difference_in_the_journal_is_one_of_the_audit():
    """Beside those of the ledger; a hand that would be void is none."""
    report = AuditReport(differences=("a",), accounts=0, transfers=0, hands=0, rounds=0, total=0)
    hands = (
        JournalledHand(table="t1", hand_id="h1", fate="in_progress", difference="b"),
        JournalledHand(table="t2", hand_id="h2", fate="void", reason="no key"),
    )
    chain = Verified(
        differences=("d",),
        count=4,
        signed=True,
        checkpoints=1,
        until_ms=1,
        transfers=1,
        open=0,
        erased=0,
        archived=0,
        lines=0,
        rows=0,
    )
    books = BooksReport(differences=("c",), count=3, not_played={})
    found = Audit(ledger=report, books=books, chain=chain, journal=hands)
    assert found.differences == ("a", "c", "d", "b")
    assert found.count == 9, "not all are kept"
    assert {fate: count for fate, count in found.fates().items() if count} == {"in_progress": 1, "void": 1}
