"""What PostgreSQL keeps of tournaments by its own rules, whatever is written; and what the audit finds past them."""

from dataclasses import replace

import psycopg
import pytest

from pokerroom.chips import Money
from pokerroom.ledger.postgres.ledger import PostgresLedger
from pokerroom.rules.tournament.points import league_points
from tests.ledger.conftest import UsedDatabase
from tests.ledger.contract import opened
from tests.ledger.contract_of_bounties import knocked_out, played, with_heads
from tests.ledger.contract_of_scheduled_tournaments import NAME as SCHEDULED
from tests.ledger.contract_of_scheduled_tournaments import begun
from tests.ledger.contract_of_tournaments import (
    finished,
    opening,
    started,
)

pytestmark = pytest.mark.services


@pytest.fixture(scope="module")
def sql(run, refusing):
    """Raw statements against a ledger with a tournament that is finished (six.1) and one that fills (six.2)."""
    ledger, execute = refusing
    alice, _, _ = finished(run, ledger)
    run(ledger.pay_place("six.1", 1))
    run(ledger.open_tournament(opening("six.2")))
    run(ledger.enter("six.2", alice, 1))
    return execute


MOVE = (
    "WITH made AS (INSERT INTO transfers (key, kind) VALUES ('sng:{0}:{3}', '{4}') RETURNING id)"
    " INSERT INTO legs SELECT made.id, ledger_accounts.id, amount"
    " FROM made, (VALUES ('escrow:{0}', {1}), ('wallet:1', {2})) AS leg (code, amount)"
    " JOIN ledger_accounts USING (code)"
)


@pytest.mark.parametrize(
    ("statement", "constraint"),
    [
        (MOVE.format("six.1", -220, 220, "place:9", "prize"), "escrow_is_what_is_owed"),
        (MOVE.format("six.1", 5, -5, "entry:1:9", "entry"), "escrow_is_what_is_owed"),
        (MOVE.format("six.2", -300, 300, "return:1:9", "entry_return"), "escrow_is_what_is_owed"),
        ("UPDATE tournament_places SET paid = 1 WHERE number = 2", "escrow_is_what_is_owed"),
        (
            "UPDATE tournament_entries SET returned = true WHERE tournament = 'six.2'",
            "escrow_is_what_is_owed",
        ),
        (
            "INSERT INTO tournament_entries (tournament, account, number) VALUES ('six.2', 2, 1)",
            "escrow_is_what_is_owed",
        ),
        (
            "INSERT INTO tournament_entries (tournament, account, number) VALUES ('six.2', 1, 2)",
            "account_is_entered_once",
        ),
        (
            "UPDATE tournaments SET phase = 'running', started = now(), stack = 1 WHERE id = 'six.2'",
            "escrow_is_what_is_owed",
        ),
        (
            "UPDATE tournaments SET phase = 'cancelled', ended = now() WHERE id = 'six.2'",
            "escrow_is_what_is_owed",
        ),
        ("INSERT INTO tournament_places VALUES ('six.1', 4, 4, 1, 0)", "account_has_one_place"),
        ("INSERT INTO tournament_places VALUES ('six.2', 2, 3, 1, 0)", "tie_begins_at_its_place"),
        ("UPDATE tournament_places SET paid = 1 WHERE number = 3", "nothing_is_not_paid"),
        (
            "INSERT INTO tournaments VALUES ('x.1', 'x', 1, 6, 300, 60, '{1000,441}', '{}')",
            "prizes_are_the_pool",
        ),
        (
            "INSERT INTO tournaments VALUES ('x.1', 'x', 1, 6, 300, -1, '{1806}', '{}')",
            "tournament_fee",
        ),
        (
            "INSERT INTO tournaments VALUES ('x.1', 'six', 1, 6, 300, 60, '{1440}', '{}')",
            "tournament_number_is_unique",
        ),
        (
            "INSERT INTO tournaments VALUES ('x.1', 'x', 1, 6, 300, 60, '{1440}', '{}')",
            "escrow_is_what_is_owed",  # there is none
        ),
        ("INSERT INTO ledger_accounts (kind, table_id) VALUES ('fees', 'x')", "ledger_account_table"),
        (
            "INSERT INTO ledger_accounts (kind, owner, table_id) VALUES ('escrow', 1, 'x')",
            "ledger_account_owner",
        ),
        ("INSERT INTO ledger_accounts (kind) VALUES ('fees')", "ledger_account_code_is_unique"),
    ],
)
def test_what_would_not_add_up_is_refused(sql, statement, constraint):
    """An escrow holds what is owed when a transaction ends, and the name of the rule is told."""
    with pytest.raises(psycopg.IntegrityError) as refused:
        sql(statement)
    assert refused.value.diag.constraint_name == constraint


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM tournaments",
        "TRUNCATE tournaments CASCADE",
        "DELETE FROM tournament_entries",
        "DELETE FROM tournament_places",
        "UPDATE tournaments SET prizes = '{720}' WHERE id = 'six.2'",
        "UPDATE tournaments SET phase = 'running', ended = NULL WHERE id = 'six.1'",
        "UPDATE tournaments SET phase = 'rolled_back' WHERE id = 'six.1'",
        "UPDATE tournament_entries SET number = 7 WHERE tournament = 'six.2'",
        "UPDATE tournament_entries SET seat = 4, chips = 1 WHERE tournament = 'six.1' AND seat = 1",
        "UPDATE tournament_tables SET hands = 7 WHERE tournament = 'six.1'",
        "DELETE FROM tournament_tables",
        "UPDATE tournament_moves SET to_seat = 7",
        "DELETE FROM tournament_moves",
        "UPDATE tournament_places SET prize = 221 WHERE number = 2",
        "UPDATE tournament_places SET paid = NULL WHERE number = 1",
    ],
)
def test_what_was_written_stays(sql, statement):
    """Terms, entries, places and payments: a tournament goes one way."""
    with pytest.raises(psycopg.errors.RestrictViolation):
        sql(statement)


CHANGES = {
    "integer": "{} + 1",
    "smallint": "{} + 1",
    "bigint": "{} + 1",
    "text": "coalesce({}, '') || 'x'",
    "json": "'{{}}'",
    "ARRAY": "array_append({}, 1::bigint)",
    "timestamp with time zone": "coalesce({}, now()) + interval '1 second'",
    "boolean": "NOT {}",
}
"""Another value of a column, by its type."""


def test_a_running_tournament_keeps_each_column_but_its_state(run, postgres, emptied_database):
    """By rules of the database; prizes are fixed when the entries are closed, and stay then."""
    begun(run, postgres)
    with psycopg.connect(emptied_database, autocommit=True) as connection:
        columns = connection.execute(
            "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'tournaments'"
        ).fetchall()

        def may_change():
            rules = {column: rule_against(connection, column, kind) for column, kind in columns}
            return {
                column: rule
                for column, rule in rules.items()
                if rule not in {"tournament_goes_on", "stack_stays"}
            }

        state = {"ended": "tournament_times", "paused": None, "late_open": None, "has_deal": None}
        assert may_change() == state | dict.fromkeys(("prizes", "closed"), "prizes_are_the_pool")
        run(postgres.close_entries(SCHEDULED, 1, 2, [Money(480)]))
        assert may_change() == state


def rule_against(connection, column, kind):
    """The rule that refuses another value of this column alone; None if there is none."""
    try:
        with connection.transaction(force_rollback=True):
            changed = connection.execute(f"UPDATE tournaments SET {column} = {CHANGES[kind].format(column)}")
            assert changed.rowcount == 1
    except psycopg.IntegrityError as refused:
        return refused.diag.constraint_name
    return None


# --- the audit ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def loose(run, new_database):
    """A database without the constraints that would refuse what these tests write, and the open ledger on it."""
    address = new_database()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("ALTER TABLE tournament_places DROP CONSTRAINT account_has_one_place")
        connection.execute("ALTER TABLE tournaments DROP CONSTRAINT prizes_are_the_pool")
        connection.execute("DROP INDEX account_is_entered_once")
    database, ledger = UsedDatabase(address), PostgresLedger(address, wait_s=50)
    run(ledger.open())
    yield database, ledger
    run(ledger.close())
    database.close()


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        (
            "UPDATE tournament_places SET paid = NULL WHERE number = 1",
            "escrow:six.1 holds 0, of a tournament that owes 500",
        ),
        (
            "DELETE FROM tournament_places WHERE number = 3",
            "tournament six.1 has ended with 2 of 3 places and prizes of 720, its pool is 720",
        ),
        (
            "UPDATE tournament_places SET account = 3 WHERE number = 2",
            "account 3 has more than one place in tournament six.1",
        ),
        (
            "UPDATE tournament_entries SET seat = NULL, chips = NULL, chips_before = NULL WHERE account = 3",
            "account 3 has place 3 of tournament six.1, and did not play it",
        ),
        (
            "UPDATE tournament_places SET paid = 1 WHERE number = 2",
            "place 2 of tournament six.1 is paid by transfer 1 (genesis), which is not its own",
        ),
        ("UPDATE tournament_places SET paid = 1 WHERE number = 2", "(sng:six.1:place:2) pays no place"),
        (
            "UPDATE tournament_places SET account = 3 WHERE number = 2",
            "account 2 has -80 from tournament six.1, by its entries and places it should be -300",
        ),
        (
            "INSERT INTO tournament_entries (tournament, account, number) VALUES ('six.1', 1, 2)",
            "account 1 has 200 from tournament six.1, by its entries and places it should be -100",
        ),
        (
            "INSERT INTO tournament_entries (tournament, account, number, returned) VALUES ('six.1', 1, 2, true)",
            "entry 2 of account 1 in tournament six.1 was bought, and no transfer has paid for that",
        ),
        (
            "INSERT INTO tournament_entries (tournament, account, number, returned) VALUES ('six.1', 1, 2, true)",
            "entry 2 of account 1 in tournament six.1 was returned, and no transfer has paid for that",
        ),
        (
            "UPDATE tournaments SET fee = 59 WHERE id = 'six.1'",
            "fees holds 180, the tournaments that were played say 177",
        ),
        (
            "DELETE FROM ledger_accounts WHERE code = 'escrow:six.1'",
            "escrow:six.1 holds nothing, of a tournament that owes 0",
        ),
    ],
)
def test_the_audit_names_what_was_tampered_with(run, loose, statement, sentence):
    """Each difference is a sentence with its ids."""
    database, ledger = loose
    database.empty()
    finished(run, ledger)
    for number in (1, 2):
        run(ledger.pay_place("six.1", number))
    assert run(ledger.audit()).differences == ()
    with psycopg.connect(database.address, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")  # no trigger and no foreign key is asked
        assert connection.execute(statement).rowcount > 0
    assert any(sentence in found for found in run(ledger.audit()).differences)


def test_a_prize_that_no_account_pays_is_a_difference_after_a_minute(run, postgres, emptied_database):
    """Until then a payout may be under way."""
    finished(run, postgres)
    run(postgres.pay_place("six.1", 2))
    assert run(postgres.audit()).differences == ()
    with psycopg.connect(emptied_database, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("UPDATE tournaments SET ended = ended - interval '61 seconds'")
    assert run(postgres.audit()).differences == (
        "place 1 of tournament six.1 is not paid, and it ended more than a minute ago",
    )


@pytest.mark.parametrize(
    "forbidden",
    [
        "UPDATE tournament_entries SET chips = chips + 1 WHERE seat = 1",
        "UPDATE tournament_entries SET chips = chips + 1, chips_before = chips + 5, hands = hands + 1 WHERE seat = 1",
        "UPDATE tournament_entries SET chips = -1, chips_before = chips, hands = hands + 1 WHERE seat = 1",
        "UPDATE tournaments SET stack = 5",
    ],
)
def test_chips_are_not_changed_but_by_a_hand(run, postgres, emptied_database, forbidden):
    """Whatever is written: by the database itself."""
    started(run, postgres)
    with psycopg.connect(emptied_database) as connection, pytest.raises(psycopg.IntegrityError):
        connection.execute(forbidden)


def test_the_audit_names_chips_that_no_hand_has_moved(run, postgres, emptied_database):
    """What goes round the functions of the ledger is a difference, by account and all in all."""
    started(run, postgres)
    with psycopg.connect(emptied_database) as connection:
        connection.execute(
            "UPDATE tournament_entries SET chips = chips + 1, chips_before = chips, hands = hands + 1 WHERE seat = 1"
        )
    assert run(postgres.audit()).differences == (
        "account 1 has 1501 chips after 1 hands of tournament six.1, by its hands it should be 1500 after 0",
        "the chips of tournament six.1 are 4501, not 4500",
    )


@pytest.mark.parametrize(
    ("statement", "constraint"),
    [
        ("UPDATE tournament_entries SET head = 0 WHERE account = 2", "bounties_are_the_heads"),
        ("UPDATE tournament_entries SET head = head + 1 WHERE account = 2", "bounties_are_the_heads"),
        (
            (
                "WITH made AS ("
                " INSERT INTO transfers (key, kind) VALUES ('sng:sun.1:bounty:2:1', 'bounty') RETURNING id)"
                " INSERT INTO legs SELECT made.id, ledger_accounts.id, amount"
                " FROM made, (VALUES ('bounties:sun.1', -50), ('wallet:1', 50)) AS leg (code, amount)"
                " JOIN ledger_accounts USING (code)"
            ),
            "bounties_are_the_heads",
        ),
        (
            (
                "UPDATE tournament_entries SET chips = 0, chips_before = chips, hands = hands + 1,"
                " out_in = (SELECT max(transfer) FROM hands) WHERE account = 2"
            ),
            "head_is_of_a_player",
        ),
    ],
)
def test_heads_without_their_money_are_refused(run, postgres, emptied_database, statement, constraint):
    """The account of the heads holds their sum, and a player that is out has none, when a transaction ends."""
    alice, bob, _carol, _dave = played(run, postgres)
    run(postgres.settle([knocked_out("h1", {alice: 500, bob: -500}, outs={})]))
    with (
        pytest.raises(psycopg.IntegrityError) as refused,
        psycopg.connect(emptied_database, autocommit=True) as connection,
    ):
        connection.execute(statement)
    assert refused.value.diag.constraint_name == constraint


def test_many_heads_are_checked_together(run, postgres, emptied_database):
    """To return four times the entries the ledger reads not even eight times the rows."""
    read = []
    for offer, entries in (("few", 8), ("many", 32)):
        terms = replace(with_heads(seats=entries), tournament=f"{offer}.1", offer=offer)
        players = opened(run, postgres, *(f"{offer}{n}" for n in range(entries)))
        run(postgres.open_tournament(terms))
        for account in players:
            run(postgres.enter(terms.tournament, account, 1))
        with psycopg.connect(emptied_database) as connection:
            connection.execute("SELECT cancel_tournament(%s)", [terms.tournament])
            connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
            (rows,) = connection.execute(
                "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'tournament_entries'"
            ).fetchone()
            read.append(rows)
    assert 0 < read[1] < 8 * read[0], read


def test_the_points_of_leagues_are_those_of_the_rules(run, refusing):
    """L17: the function of the database gives the same as the rule, to the hundredth."""
    _, execute = refusing
    cases = [
        (entries, place, buy_in)
        for entries in (1, 2, 3, 9, 180, 289, 6_561, 10_000)
        for place in (1, 2, 3, 7, 80, 256, 6_400, 9_999)
        for buy_in in (1, 75, 100, 300, 975, 1_100, 9_975, 10**9)
        if place <= entries
    ]
    values = ", ".join(f"({entries}, {place}, {buy_in})" for entries, place, buy_in in cases)
    points_of = "SELECT array_agg(league_points(e, p, league_weight(b)) ORDER BY e, p, b)"
    ((points,),) = execute(f"{points_of} FROM (VALUES {values}) AS v (e, p, b)")
    assert points == [
        int(100 * league_points(entries=entries, place=place, buy_in=buy_in))
        for entries, place, buy_in in cases
    ]
