"""Bets and tips that a client repeats because it lost the answer: they do not act twice."""

from __future__ import annotations

import pytest

from pokerroom.ultimate.request_keys import KEYS_MAX
from pokerroom_protocol import messages as wire
from tests.poker.support import Client
from tests.ultimate.support import OPENING, House

KEY = "5f0c2a9e-77aa-4f6e"


def resumed(house: House, client: Client) -> Client:
    """The same account on another connection."""
    house.lose(client)
    return house.back(client)


def taken_over(house: House, client: Client) -> Client:
    """The same account at the next owner of the table, which knows journal and ledger alone."""
    house.restart()
    return house.back(client)


def place(house: House, client: Client, key: str | None = KEY) -> wire.Slip:
    slip = house.answer(client, wire.PlaceBet, bet="ante", amount=100, key=key)
    assert isinstance(slip, wire.Slip), slip
    return slip


def staked(slip: wire.Slip) -> int:
    return sum(bet.ante for bet in slip.slip.bets)


@pytest.mark.parametrize("returns", [resumed, taken_over])
def test_a_bet_with_a_key_is_placed_once(house, returns):
    """After a resume the slip has it already; another owner has no slip, and so the repetition places it."""
    anna = house.player("anna")
    assert staked(place(house, anna)) == 100

    anna = returns(house, anna)

    assert staked(place(house, anna)) == 100
    assert staked(place(house, anna)) == 100
    assert staked(place(house, anna, KEY + "2")) == 200


@pytest.mark.parametrize("returns", [resumed, taken_over])
def test_a_bet_of_the_last_round_is_not_placed_in_the_next(house, returns):
    """The round was played with it; the repetition comes when bets are taken again."""
    anna = house.player("anna")
    place(house, anna)
    house.close_betting()
    anna = returns(house, anna)
    house.play_out(anna)
    house.rest()

    assert staked(place(house, anna)) == 0

    assert staked(place(house, anna, KEY + "2")) == 100
    house.check_books()


def test_a_repeated_undo_undoes_once(house):
    """A change with a key is made once."""
    anna = house.player("anna")
    place(house, anna, None)
    place(house, anna, None)

    for _ in range(2):
        slip = house.answer(anna, wire.ChangeBets, action="undo", key=KEY)
        assert staked(slip) == 100


@pytest.mark.parametrize("returns", [resumed, taken_over])
def test_a_tip_with_a_key_is_given_once(house, returns):
    """In the round and after it, at the same owner and at the next."""
    anna = house.player("anna")
    house.deal(anna)
    before = house.wallet(anna)
    assert isinstance(house.answer(anna, wire.GiveTip, amount=5, key=KEY), wire.Ok)

    anna = returns(house, anna)

    assert isinstance(house.answer(anna, wire.GiveTip, amount=5, key=KEY), wire.Ok)
    assert house.wallet(anna) == before - 5
    house.play_out(anna)
    anna = returns(house, anna)
    assert isinstance(house.answer(anna, wire.GiveTip, amount=5, key=KEY), wire.Ok)
    assert house.balance("tronc") == 5
    house.check_books()


def test_a_tip_that_the_ledger_alone_knows_is_not_given_again(house):
    """The owner dies between the ledger's booking and its journal: the key is in the ledger, too."""
    anna = house.player("anna")
    house.deal(anna)
    before, wallet = list(house.journal.kept), house.wallet(anna)
    house.answer(anna, wire.GiveTip, amount=5, key=KEY)
    house.journal.kept = before
    anna = taken_over(house, anna)

    assert isinstance(house.answer(anna, wire.GiveTip, amount=5, key=KEY), wire.Ok)

    assert house.wallet(anna) == wallet - 5
    house.play_out(anna)
    assert house.balance("tronc") == 5
    house.check_books()


def test_a_tip_at_the_ledger_is_pending(house):
    """Its repetition is told to try again, and pays nothing; a refused tip may be repeated."""
    anna = house.player("anna")
    house.deal(anna)
    house.ledger.hold = {"add_stake"}
    first = house.ask(anna, wire.GiveTip, amount=5, key=KEY)

    assert house.code(anna, wire.GiveTip, amount=5, key=KEY) == "request_pending"
    house.ledger.answer()

    assert isinstance(house.answer_to(anna, first), wire.Ok)
    assert house.code(anna, wire.GiveTip, amount=OPENING, key=KEY + "2") == "insufficient_balance"
    assert isinstance(house.answer(anna, wire.GiveTip, amount=5, key=KEY + "2"), wire.Ok)
    house.play_out(anna)
    assert house.balance("tronc") == 10


def test_the_keys_of_an_account_are_bounded(house):
    """A client that gives a key to each of very many bets costs no memory."""
    anna = house.player("anna")
    for number in range(3 * KEYS_MAX):
        house.answer(anna, wire.ChangeBets, action="undo", key=f"{KEY}.{number}")
        house.answer(anna, wire.PlaceBet, bet="ante", amount=100, key=f"{KEY}-{number}")
    keys = house.table.game.state.keys
    keys.betting_closed()

    assert len(keys.done()[anna.account]) == KEYS_MAX


def test_a_tip_of_a_round_that_has_ended_at_the_ledger_alone_is_not_given_again(house):
    """The owner dies between the round's result and the journal's next entry: the steps have the key."""
    anna = house.player("anna")
    house.deal(anna)
    house.answer(anna, wire.GiveTip, amount=5, key=KEY)
    before = list(house.journal.kept)
    house.play_out(anna)
    house.journal.kept = before
    anna = taken_over(house, anna)
    house.rest()
    house.deal(anna)

    assert isinstance(house.answer(anna, wire.GiveTip, amount=5, key=KEY), wire.Ok)

    house.play_out(anna)
    assert house.balance("tronc") == 5


def test_the_keys_of_an_account_that_has_left_are_forgotten_by_the_next_owner(house):
    """The owner dies after the place is given up and before its journal says so: keys do not stay for ever."""
    anna = house.player("anna")
    place(house, anna)
    house.close_betting()
    house.play_out(anna)
    house.rest()
    before = list(house.journal.kept)
    house.answer(anna, wire.StandUp)
    house.journal.kept = before
    taken_over(house, anna)

    assert house.table.game.state.keys.done() == {}


def test_a_bet_that_was_on_its_way_to_the_ledger_is_not_placed_in_a_later_round(house):
    """The owner dies when betting has closed and the ledger has taken nothing: only a new key bets again."""
    anna = house.player("anna")
    place(house, anna)
    house.ledger.hold.add("close_bets")
    house.close_betting()
    house.ledger.lose()
    anna = taken_over(house, anna)

    assert staked(place(house, anna)) == 0
    assert house.wallet(anna) == OPENING
    assert staked(place(house, anna, KEY + "2")) == 100
