"""A2, C: what must hold in every hand, over random hands of every structure."""

from hypothesis import given, settings
from hypothesis import strategies as st

from pokerroom.rules.actions import Fold
from pokerroom.rules.hand import apply, legal_actions, start
from tests.effort import times
from tests.rules.invariants import check_shares
from tests.rules.strategies import legal_moves, setups


@settings(max_examples=times(100), deadline=None)
@given(setup=setups(), choices=st.lists(st.integers(0, 1000), max_size=40))
def test_f2_everyone_wins_their_fair_share(setup, choices):
    """F2, F3, H3: sharing the chips one by one gives what the pots gave, odd chips of each pot apart."""
    state, events = start(setup)
    steps = 0
    while not state.finished:
        moves = legal_moves(state)
        # A fold one time in eight keeps many hands in for the showdown.
        choice = choices[steps] if steps < len(choices) else 0
        folds = isinstance(moves[choice % len(moves)], Fold) and choice % 8
        move = moves[0] if folds else moves[choice % len(moves)]
        events += apply(state, legal_actions(state).player, move)
        steps += 1

    check_shares(events, state)
