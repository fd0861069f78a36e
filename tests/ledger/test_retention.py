"""Retention in PostgreSQL: hidden cards of old hands go, and nothing else of what the ledger keeps."""

import json
import time
from dataclasses import replace

import psycopg
import pytest
from psycopg import errors
from psycopg.conninfo import make_conninfo

from pokerroom.history.hidden_cards import HAND_RECORDS, with_all_cards, with_hidden_cards
from pokerroom.ledger.credentials import SessionLifetime
from pokerroom.ledger.operator_log import THE_ROOM, LogQuery
from pokerroom.ledger.postgres.ledger import PostgresLedger
from pokerroom.ledger.retention import BATCH, Erased, Retention, erase_old
from pokerroom.table.seal import Seal
from tests.ledger.contract import hand, opened, seated

pytestmark = pytest.mark.services

DAY_MS = 86_400_000
LIFETIME = SessionLifetime(idle_s=30 * 86_400, absolute_s=90 * 86_400)
SEAL = Seal(bytes(32)).of(HAND_RECORDS)
HOLES = {1: ["As", "Ad"], 2: ["Kh", "Kd"]}


def played(hand_id, players, days_ago=0, *, sealed=True):
    """A hand in which seat 1 showed, by the clock of its node; `sealed` unless an older build has written it."""
    record = {
        "hand_id": hand_id,
        "seats": [
            {"seat": seat, "account": account, "stack": 1_000, "end": 1_000 + won, "cards": HOLES[seat]}
            for seat, (account, won) in enumerate(players.items(), 1)
        ],
        "events": [["flop", "2c", "3c", "4c"], ["show", 1], ["award", 0, 20, [[1, 20]]]],
    }
    if sealed:
        record = with_hidden_cards(record, SEAL)
    ended_ms = int(time.time() * 1000) - days_ago * DAY_MS
    made = hand(hand_id, players, record=json.dumps(record).encode(), ended_ms=ended_ms)
    return replace(made, started_ms=ended_ms - 1_000)


@pytest.fixture
def players(run, postgres):
    """Two seated players with the changes of their stacks in each hand."""
    alice, bob = seated(run, postgres, "alice", "bob")
    return {alice: 10, bob: -10}


@pytest.fixture
def settled(run, postgres, players, emptied_database):
    """Settles hands, so many days ago."""

    def settle(days_ago, *hands):
        run(postgres.settle(hands))
        with psycopg.connect(emptied_database, autocommit=True) as connection:
            connection.execute("SET session_replication_role = replica")  # no trigger keeps the past
            connection.execute(
                "UPDATE transfers SET created = now() - make_interval(days => %s) WHERE key = ANY (%s)",
                (days_ago, [f"hand:{one.hand_id}" for one in hands]),
            )

    return settle


def cards(run, ledger, players, hand_id):
    """All cards of a hand that can still be read, with the key."""
    record = json.loads(run(ledger.hand_of(next(iter(players)), hand_id)).record)
    return {seat["seat"]: seat["cards"] for seat in with_all_cards(record, SEAL)["seats"]}


def erased_lines(run, ledger):
    return [
        (line.by.who, line.verb, json.loads(line.arguments))
        for line in run(ledger.log_lines(LogQuery(verb="retention")))
    ]


def test_hidden_cards_of_old_hands_are_erased_and_the_rest_stays(run, postgres, players, settled):
    """Sealed or of an older build; what was shown, the money and the audit are as before."""
    settled(40, played("h1", players))
    settled(40, played("h2", players, sealed=False))
    settled(5, played("h3", players))
    before = json.loads(run(postgres.hand_of(next(iter(players)), "h1")).record)
    assert run(postgres.keep_cards(30))
    assert run(postgres.erase_cards(100, THE_ROOM)) == (2, 2)
    assert run(postgres.erase_cards(100, THE_ROOM)) == (0, 0)
    for gone in ("h1", "h2"):
        assert cards(run, postgres, players, gone) == {1: HOLES[1], 2: None}
    assert cards(run, postgres, players, "h3") == HOLES
    del before["hidden"]
    assert json.loads(run(postgres.hand_of(next(iter(players)), "h1")).record) == before
    assert run(postgres.audit()).differences == ()
    assert erased_lines(run, postgres) == [("room", "retention.hands", {"hands": 2})]


def test_the_clock_of_a_node_neither_stops_nor_hastens_the_erasure(run, postgres, players, settled):
    """A hand that ended in some other year, as its node had it, is as old as its settlement."""
    settled(40, played("h1", players, days_ago=-40_000))
    settled(40, played("h2", players))
    settled(5, played("h3", players, days_ago=4_000))
    assert run(postgres.keep_cards(30))
    assert run(postgres.erase_cards(100, THE_ROOM)) == (2, 2)
    assert [cards(run, postgres, players, f"h{n}")[2] for n in (1, 2, 3)] == [None, None, HOLES[2]]


def test_without_a_number_of_days_nothing_is_erased(run, postgres, players, settled):
    """0 is for ever, and the setting of a new database."""
    settled(4_000, played("h1", players))
    assert run(postgres.erase_cards(100, THE_ROOM)) == (0, 0)
    assert run(postgres.keep_cards(0))
    assert run(postgres.erase_cards(100, THE_ROOM)) == (0, 0)
    assert cards(run, postgres, players, "h1") == HOLES


def test_batches_follow_each_other_up_to_the_first_hand_that_is_not_old(run, postgres, players, settled):
    """A hand behind it waits, also if it ended earlier."""
    for number, days_ago in enumerate((9, 9, 9, 5, 9), 1):
        settled(days_ago, played(f"h{number}", players))
    assert run(postgres.keep_cards(7))
    assert [run(postgres.erase_cards(2, THE_ROOM)) for _ in range(3)] == [(2, 2), (1, 1), (0, 0)]
    assert [cards(run, postgres, players, f"h{n}")[2] for n in (3, 4, 5)] == [None, HOLES[2], HOLES[2]]
    assert run(postgres.keep_cards(4))
    assert run(postgres.erase_cards(9, THE_ROOM)) == (2, 2)


CHANGES = [
    "UPDATE hands SET record = without_hidden_cards(record) WHERE hand_id = 'young'",
    "UPDATE hands SET record = record - 'events' WHERE hand_id = 'old'",
    "UPDATE hands SET record = '{}' WHERE hand_id = 'old'",
    "UPDATE hands SET record = without_hidden_cards(record) - 'seats' WHERE hand_id = 'old'",
    "UPDATE hands SET record = without_hidden_cards(record), ended = now() WHERE hand_id = 'old'",
    "UPDATE hands SET record = without_hidden_cards(record), epoch = 7 WHERE hand_id = 'old'",
    "UPDATE hands SET hand_id = 'other' WHERE hand_id = 'old'",
    "DELETE FROM hands WHERE hand_id = 'old'",
]


def test_the_triggers_allow_this_erasure_and_no_other_change(
    run, postgres, players, emptied_database, settled
):
    """Not to the owner of the tables either."""
    settled(40, played("old", players))
    settled(5, played("young", players))
    run(postgres.keep_cards(30))
    with psycopg.connect(emptied_database, autocommit=True) as connection:
        for change in CHANGES:
            with pytest.raises(errors.RestrictViolation):
                connection.execute(change)
        connection.execute("UPDATE hands SET record = without_hidden_cards(record) WHERE hand_id = 'old'")
    assert cards(run, postgres, players, "old") == {1: HOLES[1], 2: None}
    assert cards(run, postgres, players, "young") == HOLES


def test_the_role_of_the_rooms_cannot_erase_sooner(  # noqa: PLR0917 -- fixtures
    run, server, postgres, players, emptied_database, settled
):
    """Neither can it change the days; it asks the function, which looks at them."""
    settled(20, played("h1", players))
    run(postgres.keep_cards(30))
    room = PostgresLedger(make_conninfo(emptied_database, user=server.room))
    run(room.open())
    assert run(room.keep_cards(30))
    assert not run(room.keep_cards(1))
    assert run(room.erase_cards(100, THE_ROOM)) == (0, 0)
    run(room.close())
    assert cards(run, postgres, players, "h1") == HOLES


def test_log_ins_that_are_over_go_with_their_devices(run, postgres, emptied_database):
    """One that is still valid stays, and one that was used lately stays for the list of devices."""
    (anna,) = opened(run, postgres, "anna")
    for number in range(3):
        run(postgres.open_session(anna, bytes([number]) * 32))
    with psycopg.connect(emptied_database, autocommit=True) as connection:
        for number, seen, created in ((0, 80, 80), (1, 20, 80), (2, 2, 95)):
            connection.execute(
                "UPDATE sessions SET seen = now() - make_interval(days => %s),"
                " created = now() - make_interval(days => %s) WHERE token_hash = %s",
                (seen, created, bytes([number]) * 32),
            )
        retention = Retention(hands_days=0, sessions_days=30)
        erased = run(deferred_erasure(postgres, retention, LIFETIME))
        assert erased == Erased(hands=0, sessions=1)
        left = connection.execute("SELECT get_byte(token_hash, 0) FROM sessions ORDER BY 1").fetchall()
    assert left == [(1,), (2,)]
    assert erased_lines(run, postgres) == [("room", "retention.sessions", {"sessions": 1})]


def deferred_erasure(ledger, retention, lifetime):
    from twisted.internet.defer import Deferred

    return Deferred.fromCoroutine(erase_old(ledger, retention, lifetime))


def test_everything_that_is_due_is_erased_in_batches(run, postgres, players, settled):
    """However many hands there are."""
    settled(40, played("h0", players))
    for first in range(1, BATCH + 2, 100):
        settled(40, *(played(f"h{n}", dict.fromkeys(players, 0)) for n in range(first, first + 100)))
    run(postgres.keep_cards(30))
    erased = run(deferred_erasure(postgres, Retention(hands_days=30, sessions_days=0), LIFETIME))
    assert erased == Erased(hands=601, sessions=0)
    assert [arguments["hands"] for _, _, arguments in erased_lines(run, postgres)] == [101, 500]
