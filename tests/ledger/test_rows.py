"""What rows and checks of the ledger say by themselves, without a ledger: found by planted faults that no test saw."""

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerConflict
from pokerroom.ledger.grammar import parse
from pokerroom.ledger.hosted_tables import HostedGuest, HostedTableRow, hosted_id, is_hosted
from pokerroom.ledger.operator_log import LogHead
from pokerroom.ledger.operators import OperatorRow
from pokerroom.ledger.rounds import RoundEnd
from pokerroom.ledger.tournament_entries import EntryRow, SeatedEntries, seat_number
from pokerroom.ledger.tournaments import Opening, TableRow, TournamentRow
from pokerroom.ledger.transfers import check_round_end, distinct
from tests.ledger.contract import hand


def test_an_id_of_a_hosted_table_is_one():
    """With the letters at its end."""
    assert is_hosted(hosted_id("abc"))
    assert hosted_id("abc").endswith("abc")


def test_a_host_sees_what_each_account_was_given():
    """Nothing, for an account that is no guest."""
    row = HostedTableRow(
        table="h-1",
        host=1,
        host_name="anna",
        terms={},
        code="code",
        paused=False,
        approves=False,
        closing=False,
        version=1,
        guests={2: HostedGuest(given=500)},
    )
    assert [row.given_to(account) for account in (1, 2, 3)] == [0, 500, 0]


def test_the_entries_of_a_table_are_by_seat():
    """However they came."""
    seats = {1: 3, 2: 1, 3: 2}
    entries = [
        EntryRow(account=account, number=number, returned=False, seat=seat_number(2, seat))
        for number, (account, seat) in enumerate(seats.items(), 1)
    ]
    assert [entry.account for entry in SeatedEntries(entries).at(2)] == [2, 3, 1]


def test_an_account_has_paid_for_each_entry():
    """Those that were returned cost nothing; a table of a tournament is open until it is closed."""
    opening = Opening(
        tournament="t-1",
        offer="t",
        number=1,
        seats=6,
        buy_in=Money(1_100),
        fee=Money(100),
        prizes=(),
        terms=b"{}",
    )
    entries = tuple(
        EntryRow(account=7, number=number, returned=returned, seat=None)
        for number, returned in ((1, True), (2, False), (3, False))
    )
    row = TournamentRow(opening=opening, phase="running", entries=entries, places=(), tables=())
    assert row.paid_by(7) == 2_200
    assert not TableRow(number=1, hands=0).closed


def test_a_head_of_the_log_is_read_as_it_is_written():
    """The number, and the hash."""
    head = LogHead(n=12, hash=bytes(range(32)))
    assert LogHead.read(str(head)) == head


def test_an_operator_has_its_name_and_its_role():
    """In this order."""
    row = OperatorRow(name="ann", role="cashier", created_ms=0, expires_ms=None, is_revoked=False)
    assert (row.operator.name, row.operator.role) == ("ann", "cashier")


@pytest.mark.parametrize("wrong", ["meter_fed", "meter_paid", "meter_reseeded", "tronc"])
def test_no_amount_of_a_round_is_negative(wrong):
    """Also where the sum is zero."""
    amounts = {"meter_fed": 5, "meter_paid": 5, "meter_reseeded": 5, "tronc": 5} | {wrong: -5}
    meter = amounts["meter_fed"] - amounts["meter_paid"] + amounts["meter_reseeded"]
    end = RoundEnd(
        round_id="r1",
        table="u1",
        epoch=1,
        ended_ms=0,
        deltas=((1, 0),),
        house=-meter - amounts["tronc"],
        meter_before=100,
        record=b"{}",
        **amounts,
    )
    with pytest.raises(LedgerConflict, match="out of range"):
        check_round_end(end)


def test_no_rake_is_negative():
    """Also where the sum is zero."""
    with pytest.raises(LedgerConflict, match="sum to zero"):
        distinct([hand("h1", {1: 5, 2: -4}, rake=-1)])


@pytest.mark.parametrize(
    ("kind", "key", "legs", "is_right"),
    [
        ("top_up", "topup:" + "a" * 32, {"wallet:1": -50, "stack:t1:1": 50}, True),
        ("top_up", "topup:t1:1:5", {"wallet:1": -50, "stack:t1:1": 50}, True),
        ("top_up", "topup:t1:1:5", {"wallet:1": 0, "stack:t1:1": 50}, False),
        ("top_up", "topup:t1:1:5", {"wallet:1": -50, "stack:t1:1": 0}, False),
        ("top_up", "topup:t1:1:5", {"wallet:1": 50, "stack:t1:1": -50}, False),
        ("top_up", "nothing:1", {"wallet:1": -50, "stack:t1:1": 50}, False),
    ],
)
def test_a_transfer_is_compared_with_each_key_and_sign(kind, key, legs, is_right):
    """A leg of nothing is none."""
    assert (not parse(kind, key, legs, {}).differences) == is_right
