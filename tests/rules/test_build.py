"""The rules in their two forms: Python, and compiled by mypyc. The same tests run against either."""

import os

import pytest

from pokerroom.rules import hand
from pokerroom.rules.actions import RaiseTo
from pokerroom.rules.state import LegalActions

COMPILED = bool(os.environ.get("POKERROOM_TEST_COMPILED"))


def test_the_form_under_test_is_the_one_asked_for():
    """`make test` plays by the sources, `make test-compiled` by the compiled rules: never the other by accident."""
    assert hand.__file__.endswith(".so") is COMPILED


@pytest.mark.skipif(not COMPILED, reason="the type checker sees to it in the sources")
def test_a_compiled_value_cannot_be_changed():
    """Compiled, setting a field of a value raises."""
    turn = LegalActions(player=0, check=True, call_amount=0, min_raise_to=None, max_raise_to=None)

    with pytest.raises(AttributeError):
        turn.player = 1  # type: ignore[misc]  # what the test is about


@pytest.mark.parametrize("amount", [150.0, "150"])
def test_a1_an_amount_is_an_int(amount):
    """A1: a raise to anything but an int is refused in either form, and never becomes chips."""
    with pytest.raises(TypeError):
        RaiseTo(amount=amount)
