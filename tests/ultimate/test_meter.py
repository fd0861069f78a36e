"""The progressive meter where the settings change: what the ledger holds is asked by every owner of the table."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pokerroom.rules.ultimate.terms import ProgressiveTerms
from pokerroom_protocol import messages as wire
from tests.poker.support import now
from tests.ultimate.support import BOXES, PROGRESSIVE, House


def terms(progressive):
    """Those of the boxes, with this progressive bet or none."""
    return type(BOXES)(
        **{name: getattr(BOXES, name) for name in BOXES.__slots__} | {"progressive": progressive}
    )


def changed(**fields):
    """The progressive bet with other terms."""
    return ProgressiveTerms(**{name: getattr(PROGRESSIVE, name) for name in PROGRESSIVE.__slots__} | fields)


@pytest.fixture
def house():
    house = House(terms(PROGRESSIVE))
    yield house
    house.stop()


def bet(house, anna):
    """With the progressive bet."""
    house.bet(anna)
    house.bet(anna, "progressive", 100)
    house.close_betting()


def test_rounds_are_settled_after_the_progressive_bet_was_taken_out(house):
    """The ledger keeps its meter, and clients see none; the bet finds it there when it is put in again."""
    anna = house.player("anna")
    bet(house, anna)
    house.play_out(anna)
    house.settings = replace(house.settings, terms=terms(None))
    house.restart()
    assert anna.last(wire.UltimateSnapshot).meter is None
    assert house.code(anna, wire.PlaceBet, bet="progressive", amount=100) == "no_such_bet"
    house.deal(anna)
    ended = house.play_out(anna)
    assert (ended.void, ended.meter, house.table.frozen) == (False, None, False)
    assert house.answer(anna, wire.GetSnapshot).meter is None
    assert house.balance("meter:u1") == 1_000_015
    house.settings = replace(house.settings, terms=terms(PROGRESSIVE))
    house.restart()
    assert house.answer(anna, wire.GetSnapshot).meter == 1_000_015


def test_the_bet_is_taken_out_while_a_round_has_it(house):
    """That round is settled by the terms that it began with, the next one without."""
    anna = house.player("anna")
    bet(house, anna)
    house.settings = replace(house.settings, terms=terms(None))
    house.restart()
    assert house.play_out(anna).meter == house.balance("meter:u1") == 1_000_015
    house.rest()
    house.deal(anna)
    assert house.play_out(anna).void is False
    assert (house.table.frozen, house.balance("meter:u1")) == (False, 1_000_015)


def test_the_meter_is_shown_at_once_after_a_restart(house):
    """Between rounds, in the pause after one that went on, and where the operator has frozen the table."""
    anna = house.player("anna")
    bet(house, anna)
    house.restart()
    assert house.play_out(anna).meter == 1_000_015
    assert house.answer(anna, wire.GetSnapshot).meter == 1_000_015
    house.restart()
    assert anna.last(wire.UltimateSnapshot).meter == 1_000_015
    now(house.table.freeze())
    house.restart()
    assert anna.last(wire.UltimateSnapshot).meter == 1_000_015


def test_viewers_see_the_meter_as_it_is_filled(house):
    """No event tells of it: all viewers get a snapshot."""
    anna = house.client("anna")
    house.settings = replace(house.settings, terms=terms(changed(seed=2_000_000)))
    house.restart()
    assert [shown.meter for shown in anna.all(wire.UltimateSnapshot)][-2:] == [1_000_000, 2_000_000]


def test_a_round_that_goes_on_shows_the_meter_and_another_seed_follows_it(house):
    """In the round it is what it began with; after it the house fills it to what the settings want by now."""
    anna = house.player("anna")
    bet(house, anna)
    house.settings = replace(house.settings, terms=terms(changed(seed=2_000_000)))
    house.restart()
    assert anna.last(wire.UltimateSnapshot).meter == 1_000_000
    assert house.play_out(anna).meter == 1_000_015
    house.rest()
    assert house.answer(anna, wire.GetSnapshot).meter == house.balance("meter:u1") == 2_000_000
    bet(house, anna)
    assert house.play_out(anna).meter == house.balance("meter:u1") == 2_000_015
