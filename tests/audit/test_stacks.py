"""Stacks are followed from hand to hand, by the transfers between."""

from pokerroom.audit.stacks import Stacks
from pokerroom.ledger.books import HeldStack

CODE = "stack:T1:7"


def stay(*hands, later=()):
    """The stacks after a buy-in of 100, these hands as (before, after), and top-ups."""
    stacks = Stacks()
    found = list(stacks.buy_in(CODE, 100))
    for before, after in hands:
        found += stacks.hand("T1", 7, before, after)
    for amount in later:
        found += stacks.top_up(CODE, amount)
    return stacks, found


def held(stack, bought=100):
    return [HeldStack(table="T1", account=7, stack=stack, bought=bought)]


def test_a_hand_begins_with_what_the_hand_before_has_left():
    """And the seat holds what the last one left."""
    stacks, found = stay((100, 120), (120, 60))
    assert found == []
    assert list(stacks.finished(held(60))) == []


def test_a_stack_that_no_transfer_explains_is_named():
    """With what the transfers leave."""
    _, found = stay((100, 120), (220, 60))
    assert found == ["account 7 begins it with 220, the hands and transfers before it leave 120"]


def test_a_top_up_counts_from_one_of_the_next_hands():
    """It may be booked during a hand that began without it (A3)."""
    for before in (120, 150):
        stacks, found = stay((100, 120), later=[30])
        found += stacks.hand("T1", 7, before, before + 5)
        assert found == []
        assert list(stacks.finished(held(155, 130))) == []


def test_a_cash_out_is_of_the_whole_stack():
    """No more and no less; afterwards there is no stay."""
    for amount, sentences in ((120, 0), (119, 1), (121, 1)):
        stacks, _ = stay((100, 120))
        assert len(list(stacks.cash_out(CODE, amount))) == sentences
        assert list(stacks.finished([])) == []
        assert list(stacks.hand("T1", 7, 120, 130)) == ["account 7 plays it with 120, without a buy-in"]


def test_a_stay_begins_once():
    """A second buy-in is a difference; after a cash-out of nothing, which names no stack, it is none."""
    stacks, _ = stay((100, 120))
    assert list(stacks.buy_in(CODE, 50)) == [f"buys in at {CODE}, which holds 120"]
    stacks, _ = stay((100, 0))
    assert list(stacks.buy_in(CODE, 50)) == []


def test_a_seat_holds_what_its_stay_has_come_to():
    """Also what the player is said to have brought."""
    stacks, _ = stay((100, 120))
    assert list(stacks.finished(held(121))) == [
        "account 7 at T1 holds 121, its hands and transfers leave 120"
    ]
    stacks, _ = stay((100, 120))
    assert list(stacks.finished(held(120, 99))) == [
        "account 7 at T1 is said to have brought 99, and has brought 100"
    ]
    stacks, _ = stay((100, 120))
    assert list(stacks.finished([])) == [f"{CODE} holds 120 by its hands and transfers, and has no seat"]


def test_without_a_stay_there_is_no_top_up():
    """But a stay of nothing may have begun before the first transfer that is followed."""
    assert list(Stacks().top_up(CODE, 5)) == [f"tops {CODE} up, where no stay has begun"]
    assert list(Stacks({}).top_up(CODE, 5)) == []


def test_a_later_begin_takes_the_stacks_of_its_moment():
    """A top-up that was booked before may still wait for its hand."""
    stacks = Stacks({CODE: 130})
    assert list(stacks.hand("T1", 7, 100, 110)) == []
    assert list(stacks.hand("T1", 7, 140, 150)) == []
    assert list(stacks.hand("T1", 7, 160, 150)) != []
