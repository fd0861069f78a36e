"""A2, C: what must hold in every hand, over random hands of every structure."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from pokerroom.rules.actions import Fold
from pokerroom.rules.events import (
    Acted,
    Event,
    Posted,
    PostKind,
    PotAwarded,
    UncalledBetReturned,
)
from pokerroom.rules.hand import HandState, apply, legal_actions, start
from pokerroom.rules.ranking import hand_rank
from tests.rules.strategies import legal_moves, setups


def fair_winnings(events: list[Event], state: HandState) -> list[Fraction]:
    """F2 told another way: every single chip of each height is shared by the best hands that reach it."""
    live = [0] * len(state.stacks)
    dead = 0
    for event in events:
        match event:
            case Posted(kind=PostKind.big_blind_ante | PostKind.dead_post, amount=amount):
                dead += amount
            case Posted(player=player, amount=amount) | Acted(player=player, added=amount):
                live[player] += amount
            case UncalledBetReturned(player=player, amount=amount):
                live[player] -= amount
    won = [Fraction(0)] * len(live)
    contesting = state.contesting()
    ranks = dict.fromkeys(contesting, 0)
    if len(contesting) > 1:
        ranks = {player: hand_rank(state.setup.players[player].holes + state.board) for player in contesting}
    for height in range(max(live) + 1):
        chips = sum(chips >= height for chips in live) if height else dead
        reaching = [player for player in contesting if live[player] >= height]
        winners = [player for player in reaching if ranks[player] == max(ranks[p] for p in reaching)]
        for player in winners:
            won[player] += Fraction(chips, len(winners))
    return won


@settings(max_examples=800, deadline=None)
@given(setup=setups(), choices=st.lists(st.integers(0, 1000), max_size=40))
def test_f2_everyone_wins_his_fair_share(setup, choices):
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
    awards = [event for event in events if isinstance(event, PotAwarded)]
    won = [sum(dict(event.shares).get(player, 0) for event in awards) for player in range(len(state.stacks))]

    for actual, fair in zip(won, fair_winnings(events, state), strict=True):
        assert abs(actual - fair) < max(1, len(awards))
