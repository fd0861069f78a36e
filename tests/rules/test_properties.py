"""A2, C: what must hold in every hand, over random hands of every structure."""

import copy
import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerroom.rules.actions import Fold
from pokerroom.rules.errors import IllegalAction, InvariantBroken
from pokerroom.rules.events import (
    Acted,
    Event,
    HandFinished,
    Mucked,
    Posted,
    PostKind,
    PotAwarded,
    Shown,
    StreetDealt,
    UncalledBetReturned,
)
from pokerroom.rules.hand import (
    HandState,
    PlayerStatus,
    apply,
    legal_actions,
    start,
    state_from_data,
    state_to_data,
)
from pokerroom.rules.ranking import hand_rank
from tests.rules.playing import hand
from tests.rules.strategies import illegal_moves, legal_moves, setups


def check_state(state: HandState, chips: int) -> None:
    """A2 and C2: chips add up, and somebody who can act is to act, or the hand is over."""
    assert sum(state.stacks) + sum(state.committed) == chips
    assert min(state.stacks + state.committed + state.bets) >= 0
    assert sum(amount for amount, _ in state.pots()) == sum(state.committed) - sum(state.bets)
    contesting = state.contesting()
    for _, eligible in state.pots():
        assert eligible
        assert set(eligible) <= set(contesting)
    if state.finished:
        assert sum(state.stacks) == chips
        return
    legal = legal_actions(state)
    player = legal.player
    assert state.statuses[player] is PlayerStatus.active
    assert state.stacks[player] > 0
    assert legal.check == (legal.call_amount == 0)
    if legal.min_raise_to is not None:
        assert legal.max_raise_to is not None
        assert state.current_bet < legal.min_raise_to <= legal.max_raise_to
        assert legal.max_raise_to <= state.bets[player] + state.stacks[player]


def check_events(events: list[Event], state: HandState) -> None:
    """The events alone tell the whole hand: added up, they give the final stacks."""
    stacks = [player.stack for player in state.setup.players]
    pot = 0
    for event in events:
        match event:
            case Posted(player=player, amount=amount) | Acted(player=player, added=amount):
                stacks[player] -= amount
                pot += amount
                assert event.stack == stacks[player]
            case UncalledBetReturned(player=player, amount=amount):
                stacks[player] += amount
                pot -= amount
                assert event.stack == stacks[player]
            case PotAwarded(amount=amount, shares=shares):
                assert sum(share for _, share in shares) == amount
                pot -= amount
                for player, share in shares:
                    stacks[player] += share
            case HandFinished():
                assert event is events[-1]
                assert list(event.stacks) == stacks == state.stacks
            case Shown() | Mucked() | StreetDealt():
                pass
    assert pot == 0
    awarded = [event.pot for event in events if isinstance(event, PotAwarded)]
    assert awarded == sorted(awarded, reverse=True)
    dealt = [card for event in events if isinstance(event, StreetDealt) for card in event.cards]
    assert tuple(dealt) == state.board


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


@settings(max_examples=800, deadline=None)
@given(setup=setups(), choices=st.lists(st.integers(0, 1000), max_size=60))
def test_a2_every_hand(setup, choices):
    """A2, C2: in every hand chips are conserved, somebody is to act until the end, and it ends."""
    chips = sum(player.stack for player in setup.players)
    state, events = start(setup)
    check_state(state, chips)
    steps = 0
    while not state.finished:
        moves = legal_moves(state)
        assert len(moves) >= 2
        # Once the choices are used up everyone checks or calls, so the hand ends.
        move = moves[choices[steps] % len(moves)] if steps < len(choices) else moves[0]
        events += apply(state, legal_actions(state).player, move)
        check_state(state, chips)
        steps += 1
        assert steps < 60 + 40 + 4 * len(setup.players)

    check_events(events, state)


@settings(max_examples=250, deadline=None)
@given(setup=setups(), choices=st.lists(st.integers(0, 1000), max_size=25))
def test_c3_every_refused_action_changes_nothing(setup, choices):
    """C3: whatever is refused, at any point of any hand, leaves an equal state behind."""
    state, _ = start(setup)
    for choice in choices:
        if state.finished:
            break
        before = copy.deepcopy(state)
        for player, action in illegal_moves(state):
            with pytest.raises(IllegalAction):
                apply(state, player, action)
            assert state == before
        moves = legal_moves(state)
        apply(state, legal_actions(state).player, moves[choice % len(moves)])
        assert state != before


@settings(max_examples=250, deadline=None)
@given(setup=setups(), choices=st.lists(st.integers(0, 1000), max_size=25))
def test_round_trip_through_plain_data(setup, choices):
    """A hand read back from plain data is equal at every step and plays on alike."""
    state, _ = start(setup)
    for choice in choices:
        data = state_to_data(state)
        copied = state_from_data(json.loads(json.dumps(data)))
        assert copied == state
        assert state_to_data(copied) == data
        if state.finished:
            break
        moves = legal_moves(state)
        move = moves[choice % len(moves)]
        player = legal_actions(state).player
        assert apply(copied, player, move) == apply(state, player, move)
        assert copied == state


def test_data_that_do_not_add_up():
    """A2: a stored state with other chips than the hand began with is refused."""
    data = state_to_data(hand(100, 100, 100, blinds=(5, 10)).state)
    data["stacks"][0] += 1

    with pytest.raises(InvariantBroken, match="A2"):
        state_from_data(data)
