"""Amounts and their sharing (A1, F3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokerroom.chips import Chips, Money, in_credits, split


class TestSplit:
    def test_even(self):
        """An amount that divides is shared equally."""
        assert split(900, 3) == (300, 300, 300)

    def test_odd_units_go_to_the_first_shares(self):
        """F3: what is left over goes one unit each to the first shares."""
        assert split(302, 3) == (101, 101, 100)

    def test_less_than_one_each(self):
        """Fewer units than shares: the first get one, the others nothing."""
        assert split(2, 3) == (1, 1, 0)

    @given(amount=st.integers(0, 10**12), ways=st.integers(1, 30))
    def test_nothing_is_lost(self, amount, ways):
        """A1: shares add up to the amount, differ by one at most, and never grow towards the end."""
        shares = split(amount, ways)

        assert sum(shares) == amount
        assert len(shares) == ways
        assert shares[0] - shares[-1] in {0, 1}
        assert list(shares) == sorted(shares, reverse=True)

    @pytest.mark.parametrize(("amount", "ways"), [(-1, 2), (10, 0), (10, -1)])
    def test_what_cannot_be_shared(self, amount, ways):
        """A negative amount or no share at all is refused."""
        with pytest.raises(ValueError, match="cannot share"):
            split(amount, ways)


def test_amounts_are_plain_integers():
    """A1: at run time both kinds of amount are exact integers; the types differ for the type checker."""
    assert type(Money(440)) is int
    assert type(Chips(1500)) is int


def test_amounts_are_told_in_credits():
    """Two decimals, always; an adjustment may be negative."""
    assert [in_credits(amount) for amount in (0, 5, 1_250, -5, -250)] == [
        *("0.00", "0.05", "12.50", "-0.05", "-2.50"),
    ]
