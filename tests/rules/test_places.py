"""I2: places and prizes of players who go out in one hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokerroom.rules.places import bust_order, shared_prizes


def test_i2_the_larger_stack_places_higher():
    """I2: of two out in one hand, who began it with more chips places higher."""
    assert bust_order({1: 250, 2: 100}) == [(1,), (2,)]
    assert bust_order({1: 9, 2: 6, 3: 30}) == [(3,), (1,), (2,)]


def test_i2_equal_stacks_tie():
    """I2: equal stacks stand together, from the first left of the button."""
    assert bust_order({4: 100, 0: 100, 2: 300}) == [(2,), (0, 4)]


def test_i2_tied_places_share_their_prizes():
    """I2: tied places share their prizes equally, the odd unit to the first left of the button."""
    assert shared_prizes([(2,), (0, 4)], [700, 501, 0]) == {2: 700, 0: 251, 4: 250}
    assert shared_prizes([(3,)], [440]) == {3: 440}


def test_i2_as_many_prizes_as_players():
    """A place without a prize is a mistake of the caller's, not a prize of nothing."""
    with pytest.raises(ValueError, match="each place"):
        shared_prizes([(1, 2)], [100])


@given(
    stacks=st.dictionaries(st.integers(0, 9), st.integers(1, 5), max_size=10),
    prizes=st.lists(st.integers(0, 10**9), min_size=10, max_size=10),
)
def test_i2_exactly_the_pool_is_paid(stacks, prizes):
    """I2: whatever ties, exactly the prizes are paid, and no smaller stack gets more than a larger one."""
    prizes = sorted(prizes, reverse=True)[: len(stacks)]
    shares = shared_prizes(bust_order(stacks), prizes)

    assert set(shares) == set(stacks)
    assert sum(shares.values()) == sum(prizes)
    for better, worse in [(a, b) for a in stacks for b in stacks if stacks[a] > stacks[b]]:
        assert shares[better] >= shares[worse]
