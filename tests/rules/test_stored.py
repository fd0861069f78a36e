"""A state that was stored: read back it is the same, and what no hand can reach is refused."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerroom.rules.betting import FixedLimit
from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.hand import HandState, apply, legal_actions, start, state_from_data, state_to_data
from tests.effort import times
from tests.rules.invariants import check_state
from tests.rules.playing import hand
from tests.rules.strategies import legal_moves, setups

REFUSED = (InvariantBroken, LookupError, TypeError, ValueError)
"""No state that a hand can reach, or no state at all: compiled, an amount of another type makes none."""


def limped():
    """Pre-flop 50/100: the first player has called, the small blind is to act."""
    return state_to_data(hand(1000, 1000, 1000).play("2 call").state)


def bet():
    """On the flop the small blind has bet 100 into 300, and the big blind is to act."""
    played = hand(1000, 1000, 1000).play("2 call", "0 call", "1 check", "0 to 100")
    return state_to_data(played.state)


def over():
    """Every player has folded to the big blind."""
    return state_to_data(hand(1000, 1000, 1000).play("2 fold", "0 fold").state)


def checked_down():
    """Shown down after a river of checks."""
    played = hand(1000, 1000, 1000).play("2 call", "0 call", "1 check")
    return state_to_data(played.play(*["0 check", "1 check", "2 check"] * 3).state)


def two_on_the_flop():
    """One of three has folded pre-flop: the flop begins with two."""
    return state_to_data(hand(1000, 1000, 1000).play("2 fold", "0 call", "1 check").state)


def limit_bet():
    """In fixed limit, a bet on the flop is to be called or raised."""
    limit = FixedLimit(small_bet=100, big_bet=200)
    return state_to_data(
        hand(1000, 1000, blinds=(100, 50), structure=limit).play("1 call", "0 check", "0 to 100").state
    )


def called_by_all_but_one():
    """On the flop one of three bets, one folds: the flop has begun with three."""
    played = hand(1000, 1000, 1000).play("2 call", "0 call", "1 check", "0 to 100", "1 fold")
    return state_to_data(played.state)


IMPOSSIBLE = [
    # A1, A2: amounts
    (limped, {"stacks": [949.5, 900.5, 900]}),
    (limped, {"stacks": [951, 900, 900]}),
    (limped, {"stacks": [1500, 900, 900], "committed": [-500, 100, 100]}),
    (limped, {"stacks": [900, 950, 900]}),
    (limped, {"stacks": [951, 899, 900]}),
    (limped, {"stacks": [940, 900, 900], "committed": [60, 100, 100]}),
    (limped, {"bets": [50, 100]}),
    (limped, {"bets": [50, 100, 0]}),
    (limped, {"bets": [True, 100, 100]}),
    (limped, {"dead": [0, 100, 0]}),
    (bet, {"bets": [100, 100, 0]}),
    (bet, {"bets": [0, 0, 0]}),
    (bet, {"dead": [0, 0, 1]}),
    (bet, {"stacks": [850, 950, 900], "committed": [150, 50, 100]}),
    # who can act, and whose turn it is
    (limped, {"statuses": ["active"] * 4}),
    (limped, {"statuses": ["active", "active", "all_in"]}),
    (limped, {"statuses": ["folded", "active", "active"]}),
    (limped, {"acted": [0, 0]}),
    (limped, {"acted": [0, 0, 0]}),
    (limped, {"acted": [1, 0, 1]}),
    (limped, {"acted": [0, 1, 1]}),
    (bet, {"acted": [1, 1, 0]}),
    (bet, {"acted": [0, 0, 0]}),
    (limped, {"to_act": None}),
    (limped, {"to_act": -1}),
    (limped, {"to_act": 1}),
    (limped, {"to_act": 2}),
    (limped, {"to_act": 3}),
    (limped, {"to_act": 0.0}),
    (bet, {"to_act": None}),
    (bet, {"to_act": 2}),
    (over, {"to_act": 1}),
    (checked_down, {"to_act": 0}),
    # the betting
    (limped, {"current_bet": -5}),
    (limped, {"current_bet": 101}),
    (limped, {"full_bet": 50}),
    (limped, {"full_raise": 99}),
    (limped, {"full_raise": 101}),
    (limped, {"raises": 0}),
    (limped, {"raises": 2}),
    (limped, {"aggressor": 77}),
    (limped, {"aggressor": 2}),
    (limped, {"blind_shortfall": 1}),
    (limped, {"heads_up": 1}),
    (bet, {"current_bet": 99}),
    (bet, {"current_bet": 101}),
    (bet, {"full_bet": 101}),
    (bet, {"full_raise": 101}),
    (bet, {"raises": 9}),
    (bet, {"aggressor": None}),
    (bet, {"aggressor": 1}),
    (bet, {"blind_shortfall": 1}),
    (bet, {"heads_up": 1}),
    (two_on_the_flop, {"heads_up": 0}),
    (called_by_all_but_one, {"heads_up": 1}),
    (limit_bet, {"raises": 0}),
    (limit_bet, {"raises": 3}),
    (limit_bet, {"full_raise": 200}),
    (limped, {"street": "flop"}),
    (bet, {"street": "preflop"}),
    # a hand that is over
    (over, {"committed": [1, 0, 0], "stacks": [949, 1050, 1000]}),
    (over, {"stacks": [951, 1050, 1000]}),
    (over, {"statuses": ["active", "active", "folded"]}),
    (checked_down, {"street": "turn"}),
    (checked_down, {"acted": [1, 0, 1]}),
    (checked_down, {"statuses": ["folded"] * 3}),
]


@pytest.mark.parametrize(("data", "changes"), IMPOSSIBLE)
def test_a2_what_cannot_be_is_refused(data, changes):
    """A2, C1, C2: a stored state that no hand can reach is refused; unchanged it is read."""
    assert state_to_data(state_from_data(data())) == data()

    with pytest.raises(REFUSED):
        state_from_data(data() | changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"board": [0, 1, 2, 3, 60]},
        {"board": [-1, 1, 2, 3, 4]},
        {"board": [0.0, 1, 2, 3, 4]},
        {"last_blind": 1.5},
        {"unit": 0},
        {"unit": 1.5},
    ],
)
def test_a2_a_setup_that_cannot_be_is_refused(changes):
    """A1, A2: neither is a setup with what is no card, or no number, of which the state knows nothing."""
    data = state_to_data(hand(1000, 1000, 1000, board="2c2d2h2s3c").state)
    data["setup"] |= changes

    with pytest.raises(REFUSED):
        state_from_data(data)


def test_f3_a_hand_of_an_earlier_version_splits_to_the_last_unit():
    """F3: its setup names no smallest chip."""
    data = state_to_data(hand(1000, 1000, 1000, board="2c2d2h2s3c").state)
    del data["setup"]["unit"]

    assert state_from_data(data).setup.unit == 1


def played_on(state: HandState) -> None:
    """By checks and calls to its end, each state on the way being sound."""
    chips = sum(player.stack for player in state.setup.players)
    for _ in range(1 + 4 * len(state.stacks)):
        check_state(state, chips)
        if state.finished:
            return
        apply(state, legal_actions(state).player, legal_moves(state)[0])
    raise AssertionError("the hand does not end")


FIELDS = [name for name in limped() if name != "setup"]
OTHERS = st.one_of(
    st.integers(-2, 12),
    st.integers(13, 1200),
    st.sampled_from([None, True, 0.5, 100.0, "folded", "all_in", "river"]),
)


@settings(max_examples=times(125), deadline=None)
@given(setup=setups(), choices=st.lists(st.integers(0, 1000), max_size=25), changing=st.data())
def test_a2_what_is_read_is_sound(setup, choices, changing):
    """A2, C1, C2: whatever is changed in what was written, it is refused, or is a state that plays on to its end."""
    state, _ = start(setup)
    for choice in choices:
        if state.finished:
            break
        moves = legal_moves(state)
        apply(state, legal_actions(state).player, moves[choice % len(moves)] if choice % 8 else moves[0])
    data = json.loads(json.dumps(state_to_data(state)))
    for _ in range(changing.draw(st.integers(1, 2))):
        field = changing.draw(st.sampled_from(FIELDS))
        if isinstance(data[field], list) and data[field]:
            data[field][changing.draw(st.integers(0, len(data[field]) - 1))] = changing.draw(OTHERS)
        else:
            data[field] = changing.draw(OTHERS)

    try:
        read = state_from_data(data)
    except REFUSED:
        return
    played_on(read)


@settings(max_examples=times(50), deadline=None)
@given(setup=setups(), choices=st.lists(st.integers(0, 1000), max_size=25))
def test_what_is_written_is_read_back(setup, choices):
    """Every state that a hand reaches passes through plain data and back, exactly."""
    state, _ = start(setup)
    for choice in [*choices, *[0] * 60]:
        assert state_from_data(json.loads(json.dumps(state_to_data(state)))) == state
        if state.finished:
            break
        moves = legal_moves(state)
        apply(state, legal_actions(state).player, moves[choice % len(moves)] if choice % 8 else moves[0])


@pytest.mark.parametrize("stack", [100, 250, 450])
def test_b9_a_hand_of_an_earlier_version_goes_on_as_it_was_dealt(stack):
    """B9: there a short big blind paid the ante for the table first, and the data did not say so."""
    terms = {"blinds": (200, 400), "antes": (0, 400, 0)}
    dealt = hand(5000, stack, 5000, **terms, ante_first=True).state
    data = state_to_data(dealt)
    del data["setup"]["ante_first"]

    assert dealt.dead == [0, min(stack, 400), 0]
    assert dealt.nominal_pot() == 200 + 400 + min(stack, 400)
    assert state_from_data(data) == dealt
    now = hand(5000, stack, 5000, **terms).state
    assert state_from_data(state_to_data(now)) == now != dealt
