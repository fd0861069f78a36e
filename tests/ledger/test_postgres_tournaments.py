"""`pokerroom.ledger.postgres.tournaments`: the contract, and many nodes at once on a real server."""

from dataclasses import replace

import psycopg
import pytest
from twisted.internet.defer import DeferredList, gatherResults

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerConflict, LedgerRefusal, NotOwner
from pokerroom.ledger.postgres.ledger import PostgresLedger
from pokerroom.ledger.tournaments import (
    AlreadyEntered,
    LateSeat,
    MoveRow,
    RegistrationClosed,
    SeatChange,
    TournamentFull,
)
from pokerroom.ops.bridge import deferred
from tests.ledger.conftest import UsedDatabase
from tests.ledger.contract import AddsUp, opened, take_tournament
from tests.ledger.contract_of_bounties import Bounties, knocked_out, played, with_heads
from tests.ledger.contract_of_chip_sales import ChipSales
from tests.ledger.contract_of_deals import Deals
from tests.ledger.contract_of_scheduled_tournaments import NAME as SCHEDULED
from tests.ledger.contract_of_scheduled_tournaments import ScheduledTournamentContract, begun
from tests.ledger.contract_of_tournament_hands import TournamentHands, hand
from tests.ledger.contract_of_tournament_tables import (
    NAME,
    SECOND,
    TournamentTables,
    at_two_tables,
    move,
)
from tests.ledger.contract_of_tournaments import (
    Tournaments,
    entered,
    finished,
    given,
    opening,
    started,
    wallets,
)

pytestmark = pytest.mark.services


@pytest.fixture
def other(run, postgres, emptied_database):
    """Another node's ledger on the same database."""
    ledger = PostgresLedger(emptied_database, wait_s=50)
    run(ledger.open())
    yield ledger
    run(ledger.close())


class TestPostgresTournaments(
    Bounties,
    ChipSales,
    Deals,
    ScheduledTournamentContract,
    TournamentHands,
    TournamentTables,
    Tournaments,
    AddsUp,
):
    """The contract, in PostgreSQL."""

    @pytest.fixture
    def ledger(self, postgres):
        return postgres


def test_tables_of_two_nodes_pay_heads_at_once(run, postgres, other):
    """Each head once, whichever hand comes first; all of them are in one account, which both hands change."""
    players = opened(run, postgres, *(f"p{n}" for n in range(12)))
    terms = with_heads(seats=12)
    run(postgres.open_tournament(terms))
    for account in players:
        run(postgres.enter(terms.tournament, account, 1))
    take_tournament(run, postgres, terms.tournament)
    drawn = [*players[:6], 0, 0, 0, 0, *players[6:]]
    run(postgres.start_tournament(terms.tournament, 1, drawn, 1_500))
    run(postgres.take_table(second := f"{terms.tournament}-2", "n1", 0))
    for n in range(5):
        hands = []
        for at, (winner, *losers) in (terms.tournament, players[:6]), (second, players[6:]):
            deltas = {winner: 1_500, losers[n]: -1_500}
            hands.append(replace(knocked_out(f"{at}:{n}", deltas, {losers[n]: [winner]}), table=at))
        run(gatherResults([ledger.settle([one]) for ledger in (postgres, other) for one in hands]))
    row = run(postgres.tournament(terms.tournament))
    assert len(row.bounties) == 10
    assert sum(entry.head for entry in row.entries) + sum(won.cash for won in row.bounties) == 12 * 101
    assert run(postgres.audit()).differences == ()


def test_of_many_who_enter_at_once_as_many_have_a_seat_as_there_are(run, postgres, other):
    """No seat is sold twice and no account enters twice, through any node."""
    accounts = opened(run, postgres, *(f"p{n}" for n in range(9)))
    run(postgres.open_tournament(opening()))
    outcomes = run(
        DeferredList(
            [ledger.enter("six.1", account, 1) for account in accounts for ledger in (postgres, other)],
            consumeErrors=True,
        )
    )
    assert all(done or why.check(TournamentFull) for done, why in outcomes)
    row = run(postgres.tournament("six.1"))
    assert len(set(row.players)) == len(row.entries) == 3
    assert sum(wallets(run, postgres, accounts)) == -900
    assert run(postgres.audit()).differences == ()


def test_an_account_that_enters_everywhere_at_once_is_in_one(run, postgres, other):
    """Of an offer's tournaments, through two nodes."""
    (alice,) = opened(run, postgres, "alice")
    for number in range(1, 9):
        run(postgres.open_tournament(opening(f"six.{number}")))
    entering = [
        ledger.enter(f"six.{number}", alice, 1)
        for number, ledger in zip(range(1, 9), [postgres, other] * 4, strict=True)
    ]
    outcomes = run(DeferredList(entering, consumeErrors=True))
    assert sum(done for done, _ in outcomes) == 1
    assert all(done or why.check(AlreadyEntered) for done, why in outcomes)
    assert run(postgres.wallet(alice)) == 9_700


def test_moves_are_written_down_with_the_hands_before_them(run, postgres):
    """Once, however often they are made, in order, with the hands that both tables have settled; none if refused."""
    one, two, _, four, _ = at_two_tables(run, postgres)
    run(postgres.settle([hand("h1", {one: 100, two: -100})]))
    run(postgres.settle([hand("h2", {one: 100, two: -100})]))
    for _ in range(2):
        run(postgres.move_players(NAME, 1, [move(one, 1, 1, 2, 2)]))
    with pytest.raises(LedgerConflict):
        run(postgres.move_players(NAME, 1, [move(two, 1, 2, 1, 9), move(one, 1, 1, 2, 3)]))
    run(postgres.settle([hand("h3", {four: -70, one: 70}, table=SECOND)]))
    run(postgres.move_players(NAME, 1, [move(four, 2, 1, 1, 1), move(one, 2, 2, 1, 4)]))

    async def moves():
        async with postgres.books() as books:
            return [
                (row.number, row.account, row.seat, row.to, row.from_hands, row.to_hands)
                for row in await books.moves(NAME)
            ]

    assert run(deferred(moves())) == [
        (1, one, 1, 12, 2, 0),
        (2, one, 12, 4, 1, 2),
        (2, four, 11, 1, 1, 2),
    ]


def test_late_entries_are_written_down_as_moves_from_no_seat(run, postgres):
    """Once each, among the moves, with the hands of their table; so the tournament can be played again."""
    alice, bob, carol, _ = begun(run, postgres)
    run(postgres.enter(SCHEDULED, carol, 1))
    run(postgres.take_table(SCHEDULED, "n1", 0))
    run(postgres.settle([hand("h1", {alice: 1_500, bob: -1_500}, table=SCHEDULED)]))
    for _ in range(2):
        run(postgres.seat_entries(SCHEDULED, 1, [LateSeat(account=carol, number=1, seat=14)]))
    run(postgres.move_players(SCHEDULED, 1, [SeatChange(account=carol, seat=14, to=3)]))
    run(postgres.enter(SCHEDULED, bob, 2))
    run(postgres.seat_entries(SCHEDULED, 1, [LateSeat(account=bob, number=2, seat=2)]))

    async def moves():
        async with postgres.books() as books:
            return await books.moves(SCHEDULED)

    assert run(deferred(moves())) == [
        MoveRow(number=1, account=carol, seat=None, to=14, from_hands=None, to_hands=0),
        MoveRow(number=2, account=carol, seat=14, to=3, from_hands=0, to_hands=1),
        MoveRow(number=3, account=bob, seat=None, to=2, from_hands=None, to_hands=1),
    ]
    assert run(postgres.audit()).differences == ()


def test_a_player_that_moved_and_entered_again_is_no_difference(run, postgres):
    """The moves of each entry are compared with its own seat; a later entry sits elsewhere."""
    alice, bob, carol, _ = begun(run, postgres)
    run(postgres.enter(SCHEDULED, carol, 1))
    run(postgres.seat_entries(SCHEDULED, 1, [LateSeat(account=carol, number=1, seat=12)]))
    run(postgres.take_table(SCHEDULED, "n1", 0))
    run(postgres.move_players(SCHEDULED, 1, [SeatChange(account=bob, seat=2, to=4)]))
    run(postgres.settle([hand("h1", {alice: 1_500, bob: -1_500}, table=SCHEDULED)]))
    run(postgres.enter(SCHEDULED, bob, 2))
    run(postgres.seat_entries(SCHEDULED, 1, [LateSeat(account=bob, number=2, seat=13)]))
    assert run(postgres.audit()).differences == ()


def test_many_open_a_tournament_at_once(run, postgres, other):
    """All have opened the same one; a caller that opens another under its number gets a conflict."""
    for number in range(1, 16):
        run(
            gatherResults(
                ledger.open_tournament(opening(f"six.{number}")) for ledger in (postgres, other) * 4
            )
        )
    assert [row.opening.number for row in run(postgres.tournaments("six"))] == list(range(1, 16))
    with pytest.raises(LedgerConflict):
        run(postgres.open_tournament(replace(opening("six.3"), tournament="seven.3")))


def test_a_start_and_those_who_leave_at_once_agree(run, postgres, other):
    """Either a player has left and it does not start, or it starts with all and the return is refused."""
    for turn in range(12):
        name = f"six.{turn + 1}"
        if turn == 0:
            accounts = entered(run, postgres, "alice", "bob", "carol", tournament=name)
        else:
            run(postgres.open_tournament(opening(name)))
            run(gatherResults(postgres.enter(name, account, 1) for account in accounts))
        take_tournament(run, postgres, name, "n1", 0)
        moves = [
            postgres.start_tournament(name, 1, accounts, 1_500),
            other.return_entry(name, accounts[turn % 3], 1),
            other.cancel_tournament(name),
        ]
        outcomes = run(DeferredList(moves, consumeErrors=True))
        for done, why in outcomes:
            assert done or why.check(LedgerRefusal, LedgerConflict), why
        row = run(postgres.tournament(name))
        assert (row.phase, len(row.players)) in {("running", 3), ("cancelled", 0)}
    assert run(postgres.audit()).differences == ()


def test_two_nodes_that_pay_at_once_pay_once(run, postgres, other):
    """Ten times each, every place, in the middle of each other."""
    accounts = finished(run, postgres)
    paid = run(
        gatherResults(
            ledger.pay_place("six.1", number)
            for _ in range(10)
            for number in (1, 2, 3)
            for ledger in (postgres, other)
        )
    )
    assert paid == [500, 500, 220, 220, 0, 0] * 10
    assert wallets(run, postgres, accounts) == [200, -80, -300]
    assert run(postgres.audit()).differences == ()


def test_rolled_back_and_forward_at_once_it_ends_one_way(run, postgres, other):
    """And the last hand may end at that moment, too: one of the three, and all is paid by it."""
    for turn in range(6):
        name = f"six.{turn + 1}"
        if turn == 0:
            accounts = started(run, postgres, name)
        else:
            run(postgres.open_tournament(opening(name)))
            run(gatherResults(postgres.enter(name, account, 1) for account in accounts))
            take_tournament(run, postgres, name, "n1", 0)
            run(postgres.start_tournament(name, 1, accounts, 1_500))
        one, two, three = accounts
        shares = [given(1, one, 300), given(2, two, 220), given(3, three, 200)]
        result = [given(1, one, 500), given(2, two, 220), given(3, three, 0)]
        moves = [
            other.roll_back_tournament(name, 1),
            postgres.give_places(name, 1, 1, shares, rolled_forward=True),
            other.give_places(name, 1, 1, result),
        ]
        outcomes = run(DeferredList(moves[turn % 3 :] + moves[: turn % 3], consumeErrors=True))
        assert sum(done for done, _ in outcomes) == 1
    for name, number in run(other.unpaid_places()):
        run(other.pay_place(name, number))
    report = run(postgres.audit())
    assert (report.differences, report.escrow, report.tournaments) == ((), 0, 6)


def test_a_past_owner_cannot_end_it(run, postgres, other):
    """Its calls are refused, and the next owner continues."""
    one, two, three = started(run, postgres)
    assert take_tournament(run, other, "six.1", "n2", 1) == 2
    with pytest.raises(NotOwner):
        run(postgres.give_places("six.1", 1, 3, [given(3, three, 0)]))
    run(other.give_places("six.1", 2, 2, [given(2, two, 220), given(2, three, 0)]))
    run(other.give_places("six.1", 2, 1, [given(1, one, 500)]))


def test_an_entry_beside_its_tournaments_cancelling_is_refunded_or_refused(run, postgres, other):
    """In either order."""
    (alice,) = opened(run, postgres, "alice")
    for number in range(1, 11):
        run(postgres.open_tournament(opening(f"six.{number}")))
        entry, cancel = run(
            DeferredList(
                [
                    postgres.enter(f"six.{number}", alice, 1),
                    other.cancel_tournament(f"six.{number}"),
                ],
                consumeErrors=True,
            )
        )
        assert cancel[0]
        assert entry[0] or entry[1].check(RegistrationClosed)
    assert run(postgres.wallet(alice)) == 10_000
    assert run(postgres.audit()).differences == ()


# --- the database's own rules ---------------------------------------------------------------------------------------


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
    "text": "{} || 'x'",
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


def test_two_nodes_that_settle_a_hand_at_once_settle_it_once(run, postgres, other):
    """In either order; chips move once, and the audit agrees."""
    one, two, _three = started(run, postgres)
    for turn in range(20):
        name = f"h{turn}"
        moves = [ledger.settle([hand(name, {one: 3, two: -3})]) for ledger in (postgres, other, postgres)]
        run(gatherResults(moves))
    entries = run(other.tournament("six.1")).entries
    assert [(entry.chips, entry.hands) for entry in entries] == [(1_560, 20), (1_440, 20), (1_500, 0)]
    assert run(postgres.audit()).differences == ()


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
    """The account of the heads holds their sum, and who is out has none, when a transaction ends."""
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
