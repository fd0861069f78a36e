"""The rules in their two forms: Python, and compiled by mypyc. The same tests run against either."""

import pytest

from pokerroom.rules import hand
from pokerroom.rules.actions import RaiseTo
from pokerroom.rules.betting import FixedLimit, NoLimit
from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.events import PostKind
from pokerroom.rules.hand import HandSetup, PlayerSetup, start, state_from_data, state_to_data
from pokerroom.rules.state import LegalActions
from pokerroom.rules.variants import HOLDEM
from tests.compiled import COMPILED
from tests.rules.playing import hand as hand_of


def test_the_form_under_test_is_the_one_asked_for():
    """`make test` plays by the sources, `make test-compiled` by the compiled rules: never the other by accident."""
    assert hand.__file__.endswith(".so") is COMPILED


@pytest.mark.skipif(not COMPILED, reason="the type checker sees to it in the sources")
def test_a_compiled_value_cannot_be_changed():
    """Compiled, setting a field of a value raises."""
    turn = LegalActions(player=0, check=True, call_amount=0, min_raise_to=None, max_raise_to=None)

    with pytest.raises(AttributeError):
        turn.player = 1  # type: ignore[misc]  # what the test is about


@pytest.mark.parametrize("amount", [150.0, "150", None, True])
def test_a1_an_amount_is_an_int(amount):
    """A1: a raise to anything but an int is refused in either form, and never becomes chips."""
    with pytest.raises(TypeError):
        RaiseTo(amount=amount)


@pytest.mark.parametrize(
    "change",
    [
        *(
            {name: amount}
            for name in ("stack", "ante", "blind", "dead")
            for amount in (1000.5, 1000.0, "9", None, True)
        ),
        {"big_blind": 100.0},
        {"big_blind": True},
        {"last_blind": 1.0},
        {"dead_blind": 50.0},
        {"last_blind": True},
    ],
)
def test_a1_a_setup_of_other_amounts_is_refused(change):
    """A1: no hand begins with an amount that is not an int, in either form."""
    table = {"big_blind": 100, "last_blind": 1, "dead_blind": 0}
    own = {key: change[key] for key in change if key not in table}
    table |= {key: change[key] for key in change if key in table}
    with pytest.raises(TypeError):
        start(
            HandSetup(
                variant=HOLDEM,
                structure=NoLimit(),
                players=(
                    PlayerSetup(**{"stack": 1000, "holes": (0, 1), **own}),
                    PlayerSetup(stack=1000, holes=(2, 3), blind=100, blind_kind=PostKind.big_blind),
                ),
                board=(4, 5, 6, 7, 8),
                **table,
            )
        )


@pytest.mark.parametrize(
    ("sizes", "error"),
    [
        ((10.0, 20, 3), TypeError),
        ((10, 20.0, 3), TypeError),
        ((10, 20, 3.0), TypeError),
        ((True, 20, 3), TypeError),
        ((10, True, 3), TypeError),
        ((10, 20, True), TypeError),
        ((0, 20, 3), ValueError),
        ((10, 0, 3), ValueError),
        ((10, 20, -1), ValueError),
    ],
)
def test_a1_a_fixed_limit_of_other_sizes_is_refused(sizes, error):
    """A1, D5: the sizes of a fixed limit are ints above nothing."""
    small_bet, big_bet, raises_max = sizes
    with pytest.raises(error):
        FixedLimit(small_bet=small_bet, big_bet=big_bet, raises_max=raises_max)


@pytest.mark.parametrize("name", ["stacks", "bets", "committed"])
def test_a1_stored_amounts_are_ints(name):
    """A1: half a chip is not read back from a stored state, in either form."""
    data = state_to_data(hand_of(1000, 1000, 1000).state)
    data[name] = [data[name][0] + 0.5, data[name][1] - 0.5, data[name][2]]

    with pytest.raises((InvariantBroken, TypeError)):
        state_from_data(data)
