"""Decisions made before the turn has come, and what makes them void."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pokerroom_protocol import messages as wire
from tests.poker.support import Client, Room


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room()
    yield room
    room.stop()


def three(room: Room) -> list[Client]:
    """Seat 1 has the button and acts first, 2 and 3 are the blinds."""
    clients = [room.client(name) for name in ("anna", "bert", "carl")]
    room.sit_together(*clients)
    return clients


def pre_act(room: Room, client: Client, action: str, call_amount: int | None = None) -> wire.Answer:
    hand_id = room.turn().hand_id
    return room.answer(client, wire.PreAct, hand_id=hand_id, action=action, call_amount=call_amount)


def actions(client: Client) -> list[tuple[int, str]]:
    return [(acted.seat, acted.action) for acted in client.all(wire.Acted)]


def test_a_call_at_its_price_is_made_when_the_turn_comes(room):
    """The turn is told, and the call follows at once, in the name of the player."""
    anna, bert, _ = three(room)
    assert isinstance(pre_act(room, bert, "call", 50), wire.Ok)

    room.act("call", client=anna)

    assert actions(anna) == [(1, "call"), (2, "call")]
    assert not anna.last(wire.Acted).by_clock
    assert room.turn().seat == 3


def test_a_call_is_void_when_the_price_changes(room):
    """A raise before the turn cancels it: the player is told, and asked as if there had been no pre-action."""
    anna, bert, carl = three(room)
    pre_act(room, bert, "call", 50)

    room.act("raise", 300, client=anna)

    assert bert.last(wire.PreActCancelled).hand_id == room.turn().hand_id
    assert not carl.all(wire.PreActCancelled)
    assert (room.turn().seat, actions(anna)) == (2, [(1, "raise")])


@pytest.mark.parametrize(("opening", "then"), [("call", "check"), ("raise", None)])
def test_check_fold_is_for_the_price_that_they_saw(room, opening, then):
    """The big blind's check-or-fold at a price of nothing: a check without a raise; void after a raise."""
    anna, bert, carl = three(room)
    assert isinstance(pre_act(room, carl, "check_fold", 0), wire.Ok)

    room.act(opening, 300 if opening == "raise" else None, client=anna)
    room.act("call", client=bert)

    assert actions(anna)[2:] == ([(3, "check")] if then else [])
    assert len(carl.all(wire.PreActCancelled)) == (0 if then else 1)


def test_check_fold_at_a_price_is_a_fold(room):
    """A player that named what a call costs folds when it still costs that."""
    anna, bert, _ = three(room)
    pre_act(room, bert, "check_fold", 50)

    room.act("call", client=anna)

    assert actions(anna) == [(1, "call"), (2, "fold")]


def test_fold_to_any_bet_holds_for_the_whole_hand(room):
    """It checks where that is free, street after street, and folds to the first bet, whatever it is."""
    anna, bert, carl = three(room)
    assert isinstance(pre_act(room, carl, "fold_to_any_bet"), wire.Ok)
    room.act("call", client=anna)
    room.act("call", client=bert)
    assert actions(anna)[-1] == (3, "check")
    room.act("check", client=bert)
    assert actions(anna)[-1] == (3, "check")
    room.act("check", client=anna)

    room.act("bet", 400, client=bert)

    assert actions(anna)[-2:] == [(2, "bet"), (3, "fold")]
    assert not carl.all(wire.PreActCancelled)
    assert room.turn().seat == 1


def test_it_is_over_with_the_hand(room):
    """The next hand begins without pre-actions."""
    anna, _, carl = three(room)
    pre_act(room, carl, "fold_to_any_bet")
    room.act("fold", client=anna)
    room.act("fold")
    room.clock.advance(0)

    assert carl.last(wire.HandStarted).hand_id == room.turn().hand_id
    room.ask(carl, wire.GetSnapshot)
    assert carl.last(wire.Snapshot).your_pre_act is None


def test_a_later_one_replaces_it_and_cancel_takes_it_back(room):
    """One at a time; only the player's own snapshot shows it."""
    anna, bert, _ = three(room)
    pre_act(room, bert, "fold_to_any_bet")
    pre_act(room, bert, "call", 50)
    for client in (anna, bert):
        room.ask(client, wire.GetSnapshot)
    assert bert.last(wire.Snapshot).your_pre_act == wire.PreActView(action="call", call_amount=50)
    assert anna.last(wire.Snapshot).your_pre_act is None

    for _ in range(2):
        assert isinstance(room.answer(bert, wire.CancelPreAct), wire.Ok)
    room.act("call", client=anna)

    assert room.turn().seat == 2


def test_the_price_is_never_more_than_the_stack(room):
    """A player that is all-in with a call anyway calls, however much higher the raise before their turn."""
    anna, bert, carl = three(room)
    room.act("fold", client=anna)
    room.act("fold", client=bert)
    room.table.game.seats.seats.of(anna.account).stack = 700
    room.clock.advance(0)
    assert (room.turn().seat, carl.last(wire.HandStarted).big_blind) == (2, 1)
    room.act("raise", 2_000, client=bert)
    assert isinstance(pre_act(room, anna, "call", 600), wire.Ok)

    room.act("raise", 6_000, client=carl)

    assert not anna.all(wire.PreActCancelled)
    assert actions(anna)[-1] == (1, "call")
    assert anna.last(wire.Acted).all_in


@pytest.mark.parametrize(
    ("action", "call_amount", "code"),
    [
        ("call", None, "amount_required"),
        ("call", 60, "price_changed"),
        ("check_fold", 0, "price_changed"),
        ("check_fold", None, "amount_required"),
        ("fold_to_any_bet", 50, "amount_not_allowed"),
    ],
)
def test_what_does_not_fit_is_refused(room, action, call_amount, code):
    """A stable code, and nothing is noted."""
    anna, bert, _ = three(room)

    assert pre_act(room, bert, action, call_amount).code == code

    room.act("call", client=anna)
    assert room.turn().seat == 2


def test_a_player_who_cannot_decide_is_told_why(room):
    """Not for the player to act, a folded player, a client without a seat, or another hand."""
    anna, bert, carl = three(room)
    stranger = room.client("stranger")
    assert pre_act(room, anna, "call", 100).code == "your_turn"
    assert pre_act(room, carl, "call", 0).code == "nothing_to_call"
    assert pre_act(room, stranger, "fold_to_any_bet").code == "not_seated"
    wrong = room.answer(bert, wire.PreAct, hand_id="another", action="fold_to_any_bet")
    assert wrong.code == "wrong_hand"
    room.act("fold", client=anna)
    assert pre_act(room, anna, "fold_to_any_bet").code == "not_in_hand"


def test_it_acts_also_for_a_player_who_has_lost_their_line(room):
    """The pre-action holds: it is no decision of the clock's."""
    anna, bert, _ = three(room)
    pre_act(room, bert, "call", 50)
    bert.connected = False
    room.table.viewer_gone(bert)

    room.act("call", client=anna)

    assert actions(anna)[-1] == (2, "call")
