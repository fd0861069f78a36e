"""Tips against the time of others: no player can hold up a round by giving tip after tip."""

from __future__ import annotations

from pokerroom.ultimate.decisions import TIPS_MAX
from pokerroom_protocol import messages as wire


def test_the_clock_does_not_wait_for_tips_that_come_after_it(house):
    """A tip is always at the ledger, and the decisions and the deadline come in their turn all the same."""
    anna, bert = house.player("anna"), house.player("bert")
    house.deal(anna, bert)
    house.ledger.hold = {"add_stake"}
    asked = [house.ask(anna, wire.GiveTip, amount=1)]
    decided = house.decide_later(bert, "check")
    house.clock.advance(15)
    asked += [house.ask(anna, wire.GiveTip, amount=1) for _ in range(3)]
    assert house.ledger.asked("add_stake") == 1  # those wait behind the decision
    house.ledger.answer()
    assert isinstance(house.answer_to(bert, decided), wire.Ok)
    assert bert.all(wire.BoardDealt)
    assert [(one.box, one.automatic) for one in bert.all(wire.Decided)] == [
        (house.box(bert), False),
        (house.box(anna), True),
    ]
    assert all(isinstance(house.answer_to(anna, number), wire.Ok) for number in asked)
    house.play_out(anna, bert)
    assert house.balance("tronc") == 4
    house.check_books()


def test_a_tip_that_waited_gets_its_answer_after_the_round(house):
    """The decision that it waited behind was the last one: the round is over, and nothing is paid."""
    anna = house.player("anna")
    house.deal(anna)
    house.decide(anna, "check")
    house.decide(anna, "check")
    house.ledger.hold = {"add_stake"}
    first = house.ask(anna, wire.GiveTip, amount=1)
    last = house.decide_later(anna, "fold")
    second = house.ask(anna, wire.GiveTip, amount=1)
    house.ledger.answer()
    assert isinstance(house.answer_to(anna, first), wire.Ok)
    assert isinstance(house.answer_to(anna, last), wire.Ok)
    refused = house.answer_to(anna, second)
    assert isinstance(refused, wire.Error)
    assert refused.code == "round_over"
    assert house.balance("tronc") == 1
    house.check_books()


def test_a_player_gives_so_many_tips_in_a_round(house):
    """Each is a transfer and a line of the record; the others' are not counted with them, nor the next round's."""
    anna, bert = house.player("anna"), house.player("bert")
    house.deal(anna, bert)
    for _ in range(TIPS_MAX):
        assert isinstance(house.answer(anna, wire.GiveTip, amount=1), wire.Ok)
    assert house.code(anna, wire.GiveTip, amount=1) == "rate_limited"
    assert isinstance(house.answer(bert, wire.GiveTip, amount=1), wire.Ok)
    house.play_out(anna, bert)
    assert house.balance("tronc") == TIPS_MAX + 1
    house.rest()
    house.deal(anna)
    assert isinstance(house.answer(anna, wire.GiveTip, amount=1), wire.Ok)
