"""F4, F5: what the room takes of a hand, of which pots, and each player's part of it."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerroom.rules.actions import Fold
from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.events import PotWon, UncalledBetReturned
from pokerroom.rules.hand import apply, legal_actions, start, state_from_data, state_to_data
from pokerroom.rules.rake import RakeTerms, attributed, rake_of_pots
from pokerroom.rules.setup import HandSetup
from tests.effort import times
from tests.rules.invariants import check_events, check_state
from tests.rules.playing import BOARD, hand
from tests.rules.strategies import legal_moves, rakes, setups

FIVE = RakeTerms(bps=500)
BOARD_PLAYS = "AsKdQhJcTd"
SMALL = ("2s2d", "3s3d", "4s4d", "5s5d", "6s6d")


def awards(played):
    return [(event.pot, event.amount, event.shares, event.rake) for event in played.told(PotWon)]


@pytest.mark.parametrize(
    ("pot", "terms", "rake"),
    [
        (1575, RakeTerms(bps=500), 78),
        (1575, RakeTerms(bps=500, caps=((2, 60),)), 60),
        (999, RakeTerms(bps=500), 49),
        (15, RakeTerms(bps=500), 0),
        (19, RakeTerms(bps=500), 0),
        (20, RakeTerms(bps=500), 1),
        (1575, RakeTerms(bps=500, unit=25), 75),
        (1575, RakeTerms(bps=500, unit=100), 0),
        (1575, RakeTerms(bps=1, unit=1), 0),
        (10_000, RakeTerms(bps=1), 1),
        (1575, RakeTerms(bps=1000), 157),
        (199, RakeTerms(bps=500, min_pot=200), 0),
        (200, RakeTerms(bps=500, min_pot=200), 10),
        (0, RakeTerms(bps=500), 0),
    ],
)
def test_f4_amount(pot, terms, rake):
    """F4: the rake is the basis points of the pot in whole units, rounded down, at most the cap."""
    assert rake_of_pots(terms, [pot], 2, flop=True) == [rake]


@pytest.mark.parametrize(("players", "cap"), [(2, 10), (3, 20), (4, 20), (5, 30), (10, 30)])
def test_f4_cap_by_players(players, cap):
    """F4: the cap is that of the largest number of players that were dealt in."""
    terms = RakeTerms(bps=1000, caps=((2, 10), (3, 20), (5, 30)))

    assert rake_of_pots(terms, [10_000], players, flop=True) == [cap]


def test_f4_no_cap_below_the_first():
    """F4: with fewer players than the first cap names there is none."""
    assert rake_of_pots(RakeTerms(bps=1000, caps=((3, 20),)), [10_000], 2, flop=True) == [1000]


@pytest.mark.parametrize(
    ("pots", "terms", "taken"),
    [
        ([300, 300], RakeTerms(bps=500), [15, 15]),
        ([101, 101], RakeTerms(bps=1000), [10, 10]),
        ([105, 105], RakeTerms(bps=1000), [11, 10]),  # of equal pots the lower bears the odd unit
        ([90, 1010], RakeTerms(bps=1000, unit=100), [0, 100]),  # the main pot could not bear the unit
        ([100, 200, 300], RakeTerms(bps=600, caps=((2, 31),)), [5, 10, 16]),
        ([100, 200, 300], RakeTerms(bps=600, caps=((2, 35),)), [5, 11, 19]),
        ([330, 330, 340], RakeTerms(bps=500, unit=10), [10, 10, 30]),  # all odd units come from the largest
    ],
)
def test_f4_of_side_pots(pots, terms, taken):
    """F4: the rake comes from the pots in proportion, in units; odd units come from the largest pot."""
    assert rake_of_pots(terms, pots, 4, flop=True) == taken


def test_f4_before_the_split():
    """F4, F3: the rake is taken before the pot is split, once for all who share it."""
    two = hand(1000, 1000, blinds=(10, 5), holes=SMALL[:2], board=BOARD_PLAYS, rake=FIVE).play(
        "1 to 255", "0 call", *["0 check", "1 check"] * 3
    )

    assert awards(two) == [(0, 510, ((0, 243), (1, 242)), 25)]
    assert two.state.stacks == [988, 987]
    assert two.state.rake == [13, 12]


def test_f4_after_the_uncalled_bet():
    """F4, F1: a bet that no player called is returned, and pays no rake."""
    two = hand(1000, 1000, blinds=(10, 5), rake=FIVE).play("1 to 100", "0 call", "0 to 500", "1 fold")

    assert two.told(UncalledBetReturned) == [UncalledBetReturned(player=0, amount=500, stack=900)]
    assert awards(two) == [(0, 200, ((0, 190),), 10)]
    assert two.state.stacks == [1090, 900]


def test_f4_side_pots_of_a_hand():
    """F4, F2: each pot pays its part, and then goes to its own winner."""
    three = hand(600, 250, 100, blinds=(5, 10), holes=("QsQd", "KsKd", "AsAd"), rake=FIVE).play(
        "2 to 100", "0 to 600", "1 call"
    )

    assert awards(three) == [(1, 300, ((1, 285),), 15), (0, 300, ((2, 285),), 15)]
    assert three.state.stacks == [350, 285, 285]
    assert three.state.rake == [13, 12, 5]


def test_f4_no_flop_no_drop():
    """F4: a hand that ends before the flop pays nothing, unless the table says otherwise."""
    moves = ("2 to 300", "0 call", "1 to 900", "2 fold", "0 fold")
    free = hand(1000, 1000, 1000, rake=FIVE).play(*moves)
    paying = hand(1000, 1000, 1000, rake=RakeTerms(bps=500, no_flop_no_drop=False)).play(*moves)

    assert awards(free) == [(0, 900, ((1, 900),), 0)]
    assert free.state.rake == []
    assert awards(paying) == [(0, 900, ((1, 855),), 45)]


def test_f4_a_walk_pays_nothing():
    """F4: where a lone blind goes back there is no pot to take from."""
    terms = RakeTerms(bps=1000, no_flop_no_drop=False)
    walk = hand(1000, 1000, 1000, blinds=(100,), rake=terms).play("1 fold", "2 fold")

    assert walk.state.stacks == [1000, 1000, 1000]
    assert walk.state.rake == []


def test_f4_all_in_before_the_flop():
    """F4, C2: an all-in before the flop that is called runs out to a flop, and pays."""
    two = hand(400, 1000, blinds=(10, 5), rake=FIVE).play("1 to 1000", "0 call")

    assert awards(two) == [(0, 800, ((0, 760),), 40)]
    assert two.state.stacks == [760, 600]


def test_f4_dead_chips_pay():
    """F4: antes, dead posts and what folded players have in are part of the pot that pays."""
    three = hand(1000, 1000, 1000, antes=(10, 10, 10), dead=(0, 0, 50), rake=FIVE).play(
        "2 call", "0 fold", "1 check", "1 check", "2 to 100", "1 fold"
    )

    assert awards(three) == [(0, 330, ((2, 314),), 16)]
    assert three.state.rake == [3, 5, 8]


@pytest.mark.parametrize(
    ("rake", "contributed", "parts"),
    [
        (0, [100, 100], [0, 0]),
        (0, [0, 0], [0, 0]),
        (10, [100, 100], [5, 5]),
        (11, [100, 100], [6, 5]),  # a tie: the first left of the button
        (10, [100, 300, 0], [3, 7, 0]),  # 2.5 and 7.5: a tie
        (7, [10, 20, 40], [1, 2, 4]),
        (10, [50, 50, 50], [4, 3, 3]),
        (8, [10, 20, 41], [1, 2, 5]),  # 1.13, 2.25, 4.62: the largest remainder
        (1, [1, 2, 2], [0, 1, 0]),
    ],
)
def test_f5_parts(rake, contributed, parts):
    """F5: parts follow the chips in the pots: rounded down, the rest by largest remainder, ties in seat order."""
    assert attributed(rake, contributed) == parts


@pytest.mark.parametrize(
    "terms",
    [
        RakeTerms(bps=0),
        RakeTerms(bps=1001),
        RakeTerms(bps=500, unit=0),
        RakeTerms(bps=500, min_pot=-1),
        RakeTerms(bps=500, caps=((3, 20), (2, 10))),
        RakeTerms(bps=500, caps=((2, 20), (2, 10))),
        RakeTerms(bps=500, caps=((2, 0),)),
        RakeTerms(bps=500, caps=((2, 15),), unit=10),
    ],
)
def test_f4_no_such_rake(terms):
    """F4: no hand begins with a rake that no table may have."""
    with pytest.raises(InvariantBroken):
        hand(1000, 1000, rake=terms)


@pytest.mark.parametrize(
    "change", [{"bps": 1.5}, {"bps": True}, {"unit": "1"}, {"min_pot": None}, {"caps": ((2, 1.0),)}]
)
def test_a1_a_rake_of_other_amounts_is_refused(change):
    """A1: terms with an amount that is not an int are refused."""
    with pytest.raises(TypeError):
        RakeTerms(**{"bps": 500} | change)


def played(setup: HandSetup, choices):
    state, events = start(setup)
    steps = 0
    while not state.finished:
        check_state(state, state.chips)
        moves = legal_moves(state)
        choice = choices[steps] if steps < len(choices) else 0
        folds = isinstance(moves[choice % len(moves)], Fold) and choice % 8
        move = moves[0] if folds else moves[choice % len(moves)]
        events += apply(state, legal_actions(state).player, move)
        steps += 1
    check_state(state, state.chips)
    return state, events


def without_rake(setup: HandSetup) -> HandSetup:
    fields = {name: getattr(setup, name) for name in HandSetup.__slots__}
    return HandSetup(**fields | {"rake": None})


@settings(max_examples=times(100), deadline=None)
@given(setup=setups(rake=rakes()), choices=st.lists(st.integers(0, 1000), max_size=40))
def test_f4_every_hand(setup, choices):
    """F4, F5, A2: in every hand the rake is what the clause says, no pot is overdrawn, and the parts add up to it."""
    state, events = played(setup, choices)
    free, untouched = played(without_rake(setup), choices)
    terms = setup.rake

    check_events(events, state)
    pots = [event.amount for event in events if isinstance(event, PotWon)]
    assert pots == [event.amount for event in untouched if isinstance(event, PotWon)]
    rake, pot = sum(state.rake), sum(pots)
    cap = max((cap for cap in terms.caps if cap[0] <= len(setup.players)), default=(0, pot))[1]
    due = min(Fraction(pot * terms.bps, 10_000), cap)
    flop = bool(state.board)
    if pot < terms.min_pot or (terms.no_flop_no_drop and not flop):
        due = 0
    assert rake % terms.unit == 0
    assert due - terms.unit < rake <= due
    for event in events:
        if isinstance(event, PotWon):
            assert 0 <= event.rake <= event.amount
            assert event.rake % terms.unit == 0
    assert sum(state.stacks) + rake == sum(free.stacks)
    assert all(part <= chips for part, chips in zip(state.rake, put_in(setup, events), strict=False))


def put_in(setup, events):
    """What each player has in the pots."""
    chips = [0] * len(setup.players)
    for event in events:
        if isinstance(event, UncalledBetReturned):
            chips[event.player] -= event.amount
        else:
            added = getattr(event, "added", getattr(event, "amount", 0) if hasattr(event, "kind") else 0)
            if added:
                chips[event.player] += added
    return chips


@settings(max_examples=times(50), deadline=None)
@given(setup=setups(rake=rakes()), choices=st.lists(st.integers(0, 1000), max_size=25))
def test_f4_stored(setup, choices):
    """F4, F5: a hand with a rake is stored and read back the same, before its rake is taken and after it."""
    opening, _ = start(setup)
    state, _ = played(setup, choices)

    assert state_from_data(state_to_data(opening)) == opening
    assert state_from_data(state_to_data(state)) == state


@pytest.mark.parametrize("change", [{"rake": [1]}, {"rake": [5, -5]}, {"rake": [26, 26]}, {"rake": []}])
def test_f5_a_stored_rake_that_cannot_be_is_refused(change):
    """F5: a stored state with another rake than its hand can have is refused."""
    two = hand(1000, 1000, blinds=(10, 5), board=BOARD, rake=FIVE).play(
        "1 to 255", "0 call", *["0 check", "1 check"] * 3
    )
    data = state_to_data(two.state)
    assert data["rake"] == [13, 12]

    with pytest.raises(InvariantBroken):
        state_from_data(data | change)


def test_f4_no_rake_before_the_end():
    """F4: a stored hand in progress has no rake yet, and a hand without terms never has one."""
    going = hand(1000, 1000, blinds=(10, 5), rake=FIVE).play("1 call")
    free = hand(1000, 1000, blinds=(10, 5)).play("1 fold")

    for played_so_far in (going, free):
        with pytest.raises(InvariantBroken):
            state_from_data(state_to_data(played_so_far.state) | {"rake": [0, 0]})
    assert "rake" not in state_to_data(free.state)
    assert "rake" not in state_to_data(free.state)["setup"]
