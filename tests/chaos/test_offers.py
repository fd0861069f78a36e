"""The check over orders about offers finds what is planted; cancelled tournaments give all back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from pokerroom.ops.config_offer import offer_from
from tests.chaos.offers import CHANGED, EXTRA, PRIZES, OfferOrders, check_offers, terms_of_changed
from tests.chaos.records import Transfer
from tests.chaos.test_tournaments import ONE, books
from tests.chaos.tournaments import check_tournaments


def blamed(
    booked: list[str], *, refused: tuple[str, ...] = (), may_change_nothing: set[str] | None = None
) -> list[str]:
    orders = OfferOrders(Path("unused"), list, seed=1)
    orders.acknowledged, orders.unsure, orders.refused = {"a", "b"}, {"c"}, list(refused)
    orders.may_change_nothing = may_change_nothing or set()
    checks: list[str] = []
    check_offers(orders, booked, lambda check, *_: checks.append(check))
    return checks


def test_each_order_is_carried_out_once():
    """One of which the room does not know may be, or not."""
    assert blamed(["a", "b"]) == blamed(["a", "c", "b"]) == []
    assert blamed(["a", "b", "a"]) == ["C4"]
    assert blamed(["a", "b", "d"]) == ["C4"]
    assert blamed(["a"]) == ["C5"]
    assert blamed(["a", "b"], refused=("bad_offer",)) == ["C8"]
    assert blamed(["a"], may_change_nothing={"b"}) == [], "the unsure order before it was not carried out"


def test_a_tournament_of_a_changed_offer_may_be_cancelled():
    """With all buy-ins back; one of another offer may not, and one that keeps money is found."""
    gone = replace(ONE, phase="cancelled", prizes=(), players=(), places=())
    entry = Transfer(
        number=1, key="sng:two.1:entry:7:1", kind="entry", legs=(("wallet:7", -300), ("escrow:two.1", 300)),
        committed_s=0.0,
    )  # fmt: skip
    back = replace(entry, number=2, key="sng:two.1:cancel", kind="cancellation")
    back = replace(back, legs=(("wallet:7", 300), ("escrow:two.1", -300)))
    less = replace(back, legs=(("wallet:7", 299), ("escrow:two.1", -299)))

    def found(transfers: tuple[Transfer, ...], changed: list[str]) -> list[str]:
        checks: list[str] = []
        held = books(transfers=transfers, hands=(), balances={"fees": 0})
        check_tournaments([gone], held, lambda check, *_: checks.append(check), changed)
        return checks

    assert found((entry, back), ["two"]) == []
    assert found((entry, back), ["ten"]) == ["C8"]
    assert set(found((entry, less), ["two"])) == {"C1"}


def test_what_the_operator_orders_can_be_offered():
    """The room refuses none of it."""
    for prizes in PRIZES:
        changed = json.dumps(terms_of_changed() | {"prizes": prizes})
        assert sum(offer_from(CHANGED, "sit_and_go", changed).prizes) == sum(PRIZES[0])
    assert offer_from("extra", "sit_and_go", json.dumps(EXTRA)).seats == 2
