"""`audit/refills.py`: a refill keeps the terms that the books have before it."""

import pytest

from pokerroom.audit.examine import Examined
from pokerroom.audit.refills import Refills
from pokerroom.ledger.books import RefillTermsRow

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS

TERMS = RefillTermsRow(number=10, created_ms=0, source="desk", below=100, to=500, every_s=3_600)
LATER = RefillTermsRow(number=20, created_ms=5 * HOUR_MS, source="cash", below=50, to=300, every_s=0)


def booked(number, at_ms, legs, refill_of=None):
    return Examined(
        number=number,
        subject=f"transfer {number}",
        kind="deposit",
        created_ms=at_ms,
        legs=legs,
        refill_of=refill_of,
    )


def refill(number, at_ms, amount, source="desk"):
    return booked(number, at_ms, {f"source:{source}": -amount, "wallet:7": amount}, refill_of=7)


def of(*transfers, terms=(TERMS, LATER), last_ms=(), balances=(), without_to=0):
    found = Refills(terms, last_ms=dict(last_ms), balances=dict(balances), without_to=without_to)
    return [difference for transfer in transfers for difference in found.follow(transfer)]


@pytest.mark.parametrize("amount", [401, 500])
def test_a_refill_by_its_terms_is_no_difference(amount):
    """What is lacking to the sum, for an account that owned nothing, or just less than the floor."""
    owned = booked(11, 0, {"stack:T1:8": -500 + amount, "wallet:7": 500 - amount})
    assert of(owned, refill(12, HOUR_MS, amount)) == []


@pytest.mark.parametrize(
    ("transfers", "sentence"),
    [
        ([refill(12, 0, 501)], "is a refill of 501: by its terms it brings an account that owns less than 100 to 500"),
        ([refill(12, 0, 400)], "is a refill of 400: by its terms it brings an account that owns less than 100 to 500"),
        ([refill(12, 0, 450, "cash")], "is a refill from another source than desk"),
        ([refill(9, 0, 450)], "is a refill, and the room had no terms for refills"),
        (
            [refill(12, 0, 500), booked(13, 1, {"wallet:7": -500}), refill(14, 40 * MINUTE_MS, 500)],
            "is a refill 2400 seconds after the last one, by its terms after 3600",
        ),
        (
            [booked(11, 0, {"wallet:7": 90, "stack:host:a:7": 70}), refill(12, HOUR_MS, 450)],
            "is a refill of 450 for an account that owned 90 or more, by its terms to 500",
        ),
        (
            [booked(11, 0, {"stack:T1:7": 60, "tickets:7": 30}), refill(12, HOUR_MS, 450)],
            "is a refill of 450 for an account that owned 90 or more, by its terms to 500",
        ),
    ],
)  # fmt: skip
def test_a_refill_against_its_terms_is_a_difference(transfers, sentence):
    """The sum, the source, the time since the last one, and what the account owned."""
    assert of(*transfers) == [sentence]


def test_what_came_around_a_refill_is_not_counted():
    """Transactions wait: a prize with a lower number may have been committed after the refill."""
    prize = booked(11, HOUR_MS - 9 * MINUTE_MS, {"wallet:7": 5_000})
    late = booked(12, HOUR_MS + 1, {"wallet:7": 5_000})
    assert of(prize, late, refill(13, HOUR_MS, 500)) == []
    assert len(of(prize, late, refill(13, 2 * HOUR_MS, 500))) == 1


def test_terms_hold_until_others_follow():
    """Nodes with settings of before may refill for some minutes more."""
    assert of(refill(21, 5 * HOUR_MS, 300, "cash")) == []
    assert of(refill(21, 5 * HOUR_MS + 9 * MINUTE_MS, 500)) == []
    assert of(refill(21, 5 * HOUR_MS + 11 * MINUTE_MS, 500)) == [
        "is a refill from another source than cash",
        "is a refill of 500: by its terms it brings an account that owns less than 50 to 300",
    ]


def test_an_audit_since_a_transfer_knows_what_was_before():
    """Balances, and when each account had its last refill."""
    assert of(refill(12, HOUR_MS, 500), last_ms={7: 1_000, 8: HOUR_MS}) == []
    assert of(refill(12, HOUR_MS, 500), last_ms={7: 30 * MINUTE_MS}) != []
    assert of(refill(12, HOUR_MS, 500), balances={"wallet:7": 50, "meter:U1": 900}) != []


def test_refills_from_before_the_upgrade_have_no_terms():
    """None is compared; since then one without terms before it is a difference, also where the room has none at all."""
    assert of(refill(5, HOUR_MS, 9_999), without_to=6) == []
    assert len(of(refill(6, HOUR_MS, 9_999), without_to=6)) == 1
    assert len(of(refill(6, HOUR_MS, 9_999), terms=(), without_to=6)) == 1
