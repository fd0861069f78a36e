"""Amounts as people read and type them, and what a raise may be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pokerroom.terminal.amounts import CHIPS, CREDITS, pot_total, raises
from pokerroom.terminal.texts import speak
from pokerroom_protocol import messages as m
from tests.protocol.test_table_view import DEALT

TURN = m.TurnView(
    seat=1,
    seq=9,
    check=False,
    call_amount=150,
    min_raise_to=300,
    max_raise_to=5_000,
    countdown_ms=0,
    deadline_ms=0,
)


def table(turn: m.TurnView | None, pot: int, *bets: int) -> m.Snapshot:
    assert DEALT.hand is not None
    hand = replace(DEALT.hand, turn=turn, pots=[m.PotView(amount=pot, seats=[1, 3])])
    seats = [replace(seat, bet=bet) for seat, bet in zip(DEALT.seats, bets, strict=True)]
    return replace(DEALT, hand=hand, seats=seats)


@given(st.integers(0, 10**12))
def test_amounts_are_read_back(amount):
    """What is written can be typed, with a point or a comma, and is the same amount."""
    written = CREDITS.plain(amount)

    assert CREDITS.parse(written) == amount
    assert CREDITS.parse(f" {written.replace('.', ',')} ") == amount


@pytest.mark.parametrize("text", ["", "x", "-1", "1.234", "1e3", "1..2", "NaN", "1.", "٣", "9" * 13])
def test_what_is_no_amount_is_refused_in_words(text):
    """A text that is no amount is never taken for one."""
    with pytest.raises(ValueError, match="Enter an amount"):
        CREDITS.parse(text)


@pytest.mark.parametrize(
    ("language", "written"), [("en", "1,234.50"), ("de", "1.234,50"), ("pl", "1\u00a0234,50")]
)
def test_amounts_follow_the_language(language, written):
    """The point and the groups of digits are those of the language; chips have no fractions."""
    speak(language)

    assert CREDITS.text(123_450) == written
    assert CHIPS.text(123_450).endswith("450")
    assert CHIPS.parse(CHIPS.plain(123_450)) == 123_450
    with pytest.raises(ValueError, match="12"):
        CHIPS.parse("1.5")


def test_a_raise_of_the_pot():
    """D4: with 200 in the pot, a bet of 150 and a call of it, the next player may make it 800."""
    found = raises(table(TURN, 350, 0, 150))

    assert found is not None
    assert pot_total(table(TURN, 350, 0, 150)) == 500
    assert found.pot_to == 800
    assert found.half_pot_to == 150 + 325
    assert (found.min_to, found.max_to, found.bets) == (300, 5_000, False)


def test_one_s_own_bet_counts_as_put_in():
    """A re-raise of the pot is a total, and one's bet of the street is part of it."""
    found = raises(table(replace(TURN, call_amount=100), 0, 100, 200))

    assert found is not None
    assert found.pot_to == 200 + 400


def test_presets_stay_within_what_is_allowed():
    """Half a pot that is below the minimum is the minimum, a pot above the stack the stack."""
    low = raises(table(replace(TURN, call_amount=0), 10, 0, 0))
    high = raises(table(replace(TURN, max_raise_to=400), 5_000, 0, 150))

    assert low is not None
    assert (low.half_pot_to, low.pot_to, low.bets) == (300, 300, True)
    assert high is not None
    assert (high.half_pot_to, high.pot_to) == (400, 400)


def test_where_no_player_may_raise():
    """Without a turn, or where the betting is closed, there is nothing to choose from."""
    assert raises(table(None, 0, 0, 0)) is None
    assert raises(table(replace(TURN, min_raise_to=None, max_raise_to=None), 0, 0, 0)) is None
