"""L13: bounties, knockout and progressive."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerroom.rules.tournament.bounties import ContestedPot, bounty_shares, bounty_winners, hand_bounties
from tests.effort import times

A, B, C, D = 1, 2, 3, 4
KNOCKOUT, HALF = 10_000, 5_000


def pot(contested_by, *winners):
    return ContestedPot(contested_by=frozenset(contested_by), winners=winners)


def test_l13_the_winner_of_the_side_pot_gets_the_bounty():
    """L13: stacks of 10,000, 5,000 and 1,000; the shortest wins the main pot, and the largest knocks the other out."""
    pots = [pot({A, B, C}, C), pot({A, B}, A)]

    assert bounty_winners(pots, B) == (A,)


def test_l13_each_player_out_has_a_pot_of_their_own():
    """L13: B and D tie for the pots of A; D alone wins the second side pot, from C."""
    pots = [pot({A, B, C, D}, B, D), pot({A, B, C, D}, B, D), pot({B, C, D}, D)]
    heads = dict.fromkeys((A, B, C, D), 500)
    found = hand_bounties(heads, pots, (A, C), cash_bps=KNOCKOUT)

    assert found.cash == {B: 250, D: 250 + 500}
    assert found.heads == {B: 500, D: 500}


def test_l13_a_player_out_has_contested_a_pot():
    """L13: a player in no pot cannot be eliminated."""
    with pytest.raises(LookupError, match="contested"):
        bounty_winners([pot({A, B}, A)], C)


@pytest.mark.parametrize(
    ("head", "winners", "cash_bps", "cash", "on_heads"),
    [
        (505, (A, B), KNOCKOUT, [253, 252], [0, 0]),
        (505, (A, B), HALF, [126, 126], [127, 126]),
        (1_000, (A, B, C), HALF, [167, 166, 166], [167, 167, 167]),
        (500, (A,), HALF, [250], [250]),
        (500, (A,), 0, [0], [500]),
    ],
)
def test_l13_shares(head, winners, cash_bps, cash, on_heads):
    """L13: equal shares, odd units from the first left of the button; the cash of a share is rounded down."""
    heads = {**dict.fromkeys(winners, 0), D: head}
    found = hand_bounties(heads, [pot({*winners, D}, *winners)], (D,), cash_bps=cash_bps)

    assert list(found.cash.values()) == cash
    assert [found.heads[winner] for winner in winners] == on_heads


def test_l13_a_progressive_tournament_from_its_first_to_its_last_player():
    """L13: A knocks out C, then D with B, then B; with their own head A gets 18.79, and B 1.26: all 20.05."""
    heads, paid = {A: 500, B: 500, C: 500, D: 505}, dict.fromkeys((A, B, C, D), 0)
    for out, winners in ((C, (A,)), (D, (A, B)), (B, (A,))):
        found = hand_bounties(heads, [pot({out, *winners}, *winners)], (out,), cash_bps=HALF)
        heads = dict(found.heads)
        for account, cash in found.cash.items():
            paid[account] += cash
    assert heads == {A: 1_190}
    paid[A] += heads[A]

    assert paid == {A: 1_879, B: 126, C: 0, D: 0}


def test_l13_heads_count_as_at_the_start_of_the_hand():
    """L13 [D]: A knocks out B, who won from C in the same hand: C's bounty does not go on B's head first."""
    heads = {A: 100, B: 200, C: 400}
    found = hand_bounties(heads, [pot({A, B, C}, A)], (B, C), cash_bps=HALF)

    assert found.cash == {A: 100 + 200}
    assert found.heads == {A: 100 + 100 + 200}


@pytest.mark.parametrize("cash_bps", [-1, 10_001])
def test_l13_a_part_beyond_the_bounty_is_refused(cash_bps):
    """L13: 0 to 10,000 basis points."""
    with pytest.raises(ValueError, match="basis points"):
        bounty_shares(500, (A,), cash_bps=cash_bps)


@settings(max_examples=times(40), deadline=None)
@given(
    heads=st.lists(st.integers(0, 10**6), min_size=2, max_size=9),
    cash_bps=st.integers(0, 10_000),
    data=st.data(),
)
def test_l13_bounties_are_never_lost_or_made(heads, cash_bps, data):
    """L13: over a whole tournament, cash and heads together are the bounties that were bought."""
    now, cash = dict(enumerate(heads)), 0
    while len(now) > 1:
        alive = sorted(now)
        winners = data.draw(
            st.lists(st.sampled_from(alive), min_size=1, max_size=len(alive) - 1, unique=True)
        )
        others = [account for account in alive if account not in winners]
        out = data.draw(st.lists(st.sampled_from(others), min_size=1, unique=True))
        found = hand_bounties(now, [pot(alive, *winners)], out, cash_bps=cash_bps)
        now, cash = dict(found.heads), cash + sum(found.cash.values())
        assert set(now) == set(alive) - set(out)
        assert cash + sum(now.values()) == sum(heads)


@given(
    head=st.integers(0, 10**9),
    winners=st.lists(st.integers(1, 99), min_size=1, max_size=9, unique=True),
    cash_bps=st.integers(0, 10_000),
)
@settings(max_examples=times(100))
def test_l13_the_shares_of_a_bounty_are_all_of_it(head, winners, cash_bps):
    """L13: no unit is lost; no winner gets more than one unit more than another, nor more cash than the part says."""
    shares = bounty_shares(head, winners, cash_bps=cash_bps)
    assert [won.winner for won in shares] == winners
    whole = [won.cash + won.on_head for won in shares]
    assert sum(whole) == head
    assert whole == sorted(whole, reverse=True)
    assert whole[0] - whole[-1] <= 1
    assert all(won.cash * 10_000 <= share * cash_bps for won, share in zip(shares, whole, strict=True))
