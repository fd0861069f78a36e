"""Who pays whom after an evening."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokerroom.lobby.settlement_list import Payment, settlement_list


@st.composite
def results(draw):
    """Nets that sum to zero, small enough that equal ones are common."""
    nets = draw(st.lists(st.integers(-5, 5) | st.integers(-(10**15), 10**15), max_size=12))
    accounts = draw(st.permutations(range(1, len(nets) + 2)))
    return dict(zip(accounts, [*nets, -sum(nets)], strict=True))


@given(results())
def test_all_are_square_after_it(nets):
    """Each debtor pays what they owe, each creditor gets what they are owed, and no account does both."""
    left = dict(nets)
    for payment in settlement_list(nets):
        assert payment.amount > 0
        assert nets[payment.payer] < 0 < nets[payment.payee]
        left[payment.payer] += payment.amount
        left[payment.payee] -= payment.amount
    assert not any(left.values())


@given(results())
def test_it_is_short_and_moves_no_more_than_was_lost(nets):
    """At most one payment fewer than accounts that have won or lost; the amounts sum to what was lost."""
    payments = settlement_list(nets)
    assert len(payments) <= max(0, sum(net != 0 for net in nets.values()) - 1)
    assert sum(payment.amount for payment in payments) == sum(net for net in nets.values() if net > 0)


@given(results(), st.randoms())
def test_the_order_of_the_accounts_does_not_matter(nets, random):
    """The same results always have the same list."""
    shuffled = list(nets.items())
    random.shuffle(shuffled)
    assert settlement_list(dict(shuffled)) == settlement_list(nets)


def test_the_largest_debtor_pays_the_largest_creditor():
    """Of equal ones the lower account comes first. The rule takes five payments here, though four would do."""
    payments = settlement_list({1: -3, 2: -2, 3: -2, 4: -2, 5: 3, 6: 6})
    assert [(each.payer, each.payee, each.amount) for each in payments] == [
        (1, 6, 3),
        (2, 5, 2),
        (3, 6, 2),
        (4, 5, 1),
        (4, 6, 1),
    ]
    assert settlement_list({7: 5, 8: -5, 9: 0}) == [Payment(payer=8, payee=7, amount=5)]


def test_results_that_do_not_add_up_are_refused():
    """A list for them would make or lose money."""
    with pytest.raises(ValueError, match="do not sum to zero"):
        settlement_list({1: -3, 2: 2})
