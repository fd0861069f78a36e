"""The audit of PostgreSQL finds changes by a program that has switched the rules off."""

import psycopg
import pytest

from pokerroom.chips import Money
from tests.ledger.contract import hand, key_of, opened, seated
from tests.ledger.contract_of_rounds import bets, end, stake

pytestmark = pytest.mark.services

HAND = "(SELECT transfer FROM hands WHERE hand_id = 'h1')"


@pytest.mark.parametrize(
    ("statement", "sentences"),
    [
        (
            "UPDATE ledger_accounts SET balance = 9001 WHERE code = 'wallet:1'",
            ["wallet:1 has the balance 9001, its legs sum to 9000"],
        ),
        (
            f"UPDATE legs SET amount = 11 WHERE amount = 10 AND transfer = {HAND}",
            [
                "(hand:h1) sum to 1",
                "stack:T1:1 has the balance 1010, its legs sum to 1011",
                "account 1 has the change 10 in hand",
                "1000000000000000 was issued, 1000000000000001 is held, genesis was 1000000000000000",
            ],
        ),
        (
            (
                "INSERT INTO legs SELECT id, (SELECT id FROM ledger_accounts WHERE code = leg.code), amount"
                " FROM transfers, (VALUES ('wallet:2', -9500), ('house', 9500)) AS leg (code, amount)"
                " WHERE key = 'genesis'"
            ),
            [
                "wallet:2 is negative: its legs sum to -500",
                "wallet:2 has the balance",
                "house has the balance",
                "the list of account 2 lacks transfer",
            ],
        ),
        (
            "UPDATE legs SET amount = amount * 2 WHERE transfer = (SELECT id FROM transfers WHERE key = 'genesis')",
            ["2000000000000000 was issued, 2000000000000000 is held", "issuer has", "bank has"],
        ),
        (f"DELETE FROM transfers WHERE id = {HAND}", ["(missing) sum to 0", "which is not its own"]),
        ("DELETE FROM ledger_accounts WHERE code = 'house'", []),
        (
            "DELETE FROM ledger_accounts WHERE code = 'wallet:2'",
            [
                *["names ledger account"] * 2,
                *["the list of account 2 has the foreign transfer"] * 2,
                "account 2 has no wallet",
                "account 2 was opened with 10000, its opening moved 0",
                "was issued",
            ],
        ),
        ("UPDATE accounts SET opening = 9 WHERE id = 2", ["opened with 9, its opening moved 10000"]),
        ("DELETE FROM seats WHERE account = 1", ["stack:T1:1 holds 1010 without a seat at the table"]),
        ("INSERT INTO seats VALUES ('T9', 4, 1)", ["account 1 has seat 4 at T9 without a stack account"]),
        (
            "DELETE FROM hands WHERE hand_id = 'h1'",
            ["(hand:h1) has no hand", *["which does not exist"] * 3, *["whose legs say none"] * 2],
        ),
        (
            (
                "UPDATE hands SET record = jsonb_build_object('seats', jsonb_build_array("
                "jsonb_build_object('account', 1, 'stack', 1000, 'end', 1009),"
                "jsonb_build_object('account', 2, 'stack', 1000, 'end', 990),"
                "jsonb_build_object('account', 3, 'stack', 1000, 'end', 1000))) WHERE hand_id = 'h1'"
            ),
            ["the record of hand h1 has the change 9 for account 1, the ledger 10"],
        ),
        (
            "UPDATE hands SET record = record - 'seats' WHERE hand_id = 'h1'",
            [f"the record of hand h1 has the change none for account {account}" for account in (1, 2, 3)],
        ),
        (
            "UPDATE hands SET record = jsonb_set(record, '{seats}', '7') WHERE hand_id = 'h2'",
            [f"the record of hand h2 has the change none for account {account}" for account in (1, 2)],
        ),
        (
            "UPDATE hands SET record = jsonb_set(record, '{seats,0,end}', '\"much\"') WHERE hand_id = 'h1'",
            ["the record of hand h1 has the change none for account 1, the ledger 10"],
        ),
        (
            "UPDATE hand_players SET delta = 12 WHERE delta = 10",
            [
                "the players of hand h1 won and lost 2 together",
                "account 1 has the change 12 in hand",
                "the record of hand h1 has the change 10 for account 1, the ledger 12",
            ],
        ),
        (
            "DELETE FROM hand_players WHERE delta = 10",
            [
                "won and lost -10",
                "account 1 has the change none",
                "the record of hand h1 has the change 10 for account 1, the ledger none",
            ],
        ),
        ("UPDATE hands SET table_id = 'T2' WHERE hand_id = 'h1'", ["at T2 moved chips of account"] * 2),
        (
            "UPDATE timeout_all_ins SET account = 3",
            ["account 3 is counted as all-in by the clock in hand"],
        ),
        (
            "UPDATE timeout_all_ins SET ended = ended + interval '1 second'",
            ["account 1 is counted as all-in by the clock in hand"],
        ),
        (
            "UPDATE hands SET epoch = 2 WHERE hand_id = 'h1'",
            [
                "hand h2 at T1 is of epoch 1, and was settled after one of",
                "a hand at T1 is of epoch 2, the table of epoch 1",
            ],
        ),
        ("UPDATE hands SET hand_id = 'h8' WHERE hand_id = 'h1'", ["hand h8 has transfer"]),
    ],
)
def test_the_audit_names_what_was_tampered_with(run, postgres, emptied_database, statement, sentences):
    """Each difference is one sentence with its ids; nothing else is reported."""
    alice, bob, carol = seated(run, postgres, "alice", "bob", "carol")
    run(
        postgres.settle(
            [hand("h1", {alice: 10, bob: -10, carol: 0}), hand("h2", {alice: 0, bob: 0}, by_clock=[alice])]
        )
    )
    tampered(run, postgres, emptied_database, statement, sentences)


RAKED = "(SELECT transfer FROM hands WHERE hand_id = 'h1')"


@pytest.mark.parametrize(
    ("statement", "sentences"),
    [
        (
            "UPDATE hands SET rake = 4 WHERE hand_id = 'h1'",
            [
                "the players of hand h1 won and lost -5 together, and its rake is 4",
                "hand h1 has the rake 4, its legs say 5",
                "the record of hand h1 has the rake 5, of its seats 5, the ledger 4",
                "rake:T1 holds 8, the hands there have a rake of 7",
            ],
        ),
        (
            "UPDATE hands SET rake = 0 WHERE hand_id = 'h1'",
            [
                "the players of hand h1 won and lost -5 together, and its rake is 0",
                "has the rake 0, its legs say 5",
                "rake:T1 holds 8, the hands there have a rake of 3",
            ],
        ),
        (
            "UPDATE hands SET record = jsonb_set(record, '{rake}', '6') WHERE hand_id = 'h1'",
            ["the record of hand h1 has the rake 6, of its seats 5, the ledger 5"],
        ),
        (
            "UPDATE hands SET record = record - 'rake' WHERE hand_id = 'h1'",
            ["the record of hand h1 has the rake none, of its seats 5, the ledger 5"],
        ),
        (
            "UPDATE hands SET record = jsonb_set(record, '{rake}', '\"five\"') WHERE hand_id = 'h1'",
            ['the record of hand h1 has the rake "five", of its seats 5, the ledger 5'],
        ),
        (
            "UPDATE hands SET record = jsonb_set(record, '{seats,0,rake}', '[5]') WHERE hand_id = 'h1'",
            ["the record of hand h1 has the rake 5, of its seats 2, the ledger 5"],
        ),
        (
            "UPDATE hands SET record = jsonb_set(record, '{seats,0,rake}', '2.5') WHERE hand_id = 'h1'",
            ["the record of hand h1 has the rake 5, of its seats 4.5, the ledger 5"],
        ),
        (
            "UPDATE hands SET record = jsonb_set(record, '{seats,0,rake}', '4') WHERE hand_id = 'h1'",
            ["the record of hand h1 has the rake 5, of its seats 6, the ledger 5"],
        ),
        (
            f"DELETE FROM legs WHERE amount = 5 AND transfer = {RAKED}",
            [
                "(hand:h1) sum to -5",
                "rake:T1 has the balance 8, its legs sum to 3",
                "hand h1 has the rake 5, its legs say none",
                "rake:T1 holds 3, the hands there have a rake of 8",
                "1000000000000000 was issued, 999999999999995 is held",
            ],
        ),
    ],
)
def test_the_audit_names_what_was_tampered_with_in_a_rake(
    run, postgres, emptied_database, statement, sentences
):
    """The hand, its record, its leg and the account of the table: each difference is one sentence."""
    alice, bob = seated(run, postgres, "alice", "bob")
    run(
        postgres.settle(
            [hand("h1", {alice: 95, bob: -100}, rake=5), hand("h2", {alice: -10, bob: 7}, rake=3)]
        )
    )
    tampered(run, postgres, emptied_database, statement, sentences)


ROUND = "(SELECT transfer FROM rounds WHERE round_id = 'r1')"
END = f"(SELECT transfer FROM round_ends WHERE round = {ROUND})"


@pytest.mark.parametrize(
    ("statement", "sentences"),
    [
        (
            "DELETE FROM open_rounds",
            ["round r2 at T2 is neither in progress nor over", "stakes:T2 holds 100, its round has 0"],
        ),
        (
            f"INSERT INTO open_rounds VALUES ('T1', {ROUND})",
            ["round r1 at T1 is over, and in progress", "stakes:T1 holds 0, its round has 650"],
        ),
        (
            "UPDATE rounds SET epoch = 2 WHERE round_id = 'r1'",
            [
                "round r1 at T1 ended under epoch 1, before its own",
                "a round at T1 is of epoch 2, the table of epoch 1",
            ],
        ),
        (
            f"UPDATE round_ends SET house = house + 1 WHERE round = {ROUND}",
            ["round r1 comes to 1 for players, house, meter and tronc together", "of house:T1, its legs say"],
        ),
        (
            f"UPDATE round_ends SET fed = fed - 1, house = house + 1 WHERE round = {ROUND}",
            ["of house:T1, its legs say", "of meter:T1, its legs say 15"],
        ),
        (
            f"UPDATE round_players SET paid = paid + 1 WHERE round = {ROUND} AND account = 1",
            ["round r1 comes to 1", "of wallet:1, its legs say"],
        ),
        (
            f"UPDATE round_players SET tipped = 26, staked = 99 WHERE round = {ROUND} AND account = 2",
            ["account 2 is said to have put 125 into round"],
        ),
        (
            f"DELETE FROM round_players WHERE round = {ROUND} AND account = 2",
            [
                "round r1 comes to 25",
                "account 2 is said to have put 0",
                "moves 0 of wallet:2, its legs say 100",
                "account 2 has round",
            ],
        ),
        (
            "UPDATE round_stakes SET amount = 399 WHERE kind = 'play'",
            [
                "account 1 has put 399 into round",
                "account 1 is said to have put 525 into round",
                "moves -649 of stakes:T1, its legs say -650",
            ],
        ),
        (
            "DELETE FROM round_stakes WHERE kind = 'play'",
            [
                "(round:r1:play:1) has no round",
                "account 1 is said to have put 525 into round",
                "moves -250 of stakes:T1, its legs say -650",
            ],
        ),
        (
            "UPDATE rounds SET round_id = 'r8' WHERE round_id = 'r1'",
            ["round r8 has the transfer", "the end of round r8 has the"],
        ),
        ("DELETE FROM seats WHERE place", []),
    ],
)
def test_the_audit_names_what_was_tampered_with_in_a_round(
    run, postgres, emptied_database, statement, sentences
):
    """Bets, Plays, ends, players, stakes and tronc: each difference is one sentence; nothing else is reported."""
    alice, bob = opened(run, postgres, "alice", "bob")
    run(postgres.take_place(key_of("place", "place"), "T1", 1, 1, alice, 9))
    run(postgres.open_bank("T1", 1, Money(1_000)))
    run(postgres.close_bets(bets({alice: 125, bob: 100})))
    run(postgres.add_stake(stake(alice, 400)))
    run(postgres.add_stake(stake(bob, 25, key="round:r1:tip:1", kind="tip")))
    run(postgres.settle_round(end({alice: 500, bob: -25}, before=1_000, fed=15, tronc=25)))
    run(postgres.close_bets(bets({alice: 100}, round_id="r2", table="T2")))
    tampered(run, postgres, emptied_database, statement, sentences)


@pytest.mark.parametrize(
    ("statement", "sentence", "before"),
    [
        (
            "UPDATE ledger_accounts SET balance = 9001 WHERE code = 'wallet:1'",
            "wallet:1 has the balance 9001",
            True,
        ),
        (
            "UPDATE legs SET amount = 7 WHERE amount = 10 AND transfer = {}",
            "stack:T1:1 has the balance",
            True,
        ),
        ("DELETE FROM legs WHERE transfer = {}", "stack:T1:1 has the balance", True),
        ("DELETE FROM hands WHERE transfer = {}", "has no hand", False),
        ("DELETE FROM hand_players WHERE hand = {}", "has the change none in hand", False),
        ("UPDATE hand_players SET delta = delta * 2 WHERE hand = {}", "whose legs say", False),
        ("UPDATE hands SET record = record - 'seats' WHERE transfer = {}", "the record of hand", False),
        ("UPDATE hands SET rake = 1 WHERE transfer = {}", "has the rake 1, its legs say none", False),
        ("UPDATE hands SET epoch = 9 WHERE transfer = {}", "is of epoch 9, the table of epoch 1", False),
        ("UPDATE transfers SET key = 'hand:x' WHERE id = {}", "which is not its own", False),
        (
            "UPDATE timeout_all_ins SET account = 7 WHERE hand = {}",
            "is counted as all-in by the clock",
            False,
        ),
    ],
)
@pytest.mark.parametrize("is_before", [True, False])
def test_a_part_is_compared_with_all_legs_and_its_own_hands(  # noqa: PLR0917 -- as above
    run, postgres, emptied_database, statement, sentence, before, is_before
):
    """Of hands before the part only what balances come to is compared."""
    alice, bob = seated(run, postgres, "alice", "bob")
    run(postgres.settle([hand("h1", {alice: 10, bob: -10}, by_clock=(alice,))]))
    run(postgres.settle([hand("h2", {alice: 10, bob: -10}, by_clock=(alice,))]))
    with psycopg.connect(emptied_database, autocommit=True) as connection:
        hands = [number for (number,) in connection.execute("SELECT transfer FROM hands ORDER BY transfer")]
        assert run(postgres.audit(hands[0])) == run(postgres.audit())
        connection.execute("SET session_replication_role = replica")
        assert connection.execute(statement.format(hands[0 if is_before else 1])).rowcount > 0
    found = run(postgres.audit(hands[0])).differences
    assert any(sentence in each for each in found) == (before or not is_before), found


def tampered(run, postgres, emptied_database, statement, sentences):
    """The audit of a sound ledger after `statement` names what `sentences` say, and nothing else."""
    assert run(postgres.audit()).differences == ()
    with psycopg.connect(emptied_database, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")  # no trigger and no foreign key is asked
        assert connection.execute(statement).rowcount > 0
    differences = list(run(postgres.audit()).differences)
    for sentence in sentences:
        found = next((difference for difference in differences if sentence in difference), None)
        assert found is not None, (sentence, differences)
        differences.remove(found)
    assert differences == []
