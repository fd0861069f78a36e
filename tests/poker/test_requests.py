"""What a table refuses, with which code, and that a refusal changes nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pokerroom_protocol import messages as wire
from tests.poker.support import OPENING, Client, Room, now


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room()
    yield room
    room.stop()


def fingerprint(room: Room) -> tuple[object, ...]:
    """Everything a refusal must leave alone."""
    play = room.table.game.hand.play
    hand = None if play is None else (play.hand_id, play.steps, repr(play.state))
    seats = [(s.number, s.account, s.stack, s.state, s.owes) for s in room.table.game.seats.seats]
    return hand, seats, room.table.announcer.seq, room.table.state_name, now(room.ledger.audit()).transfers


def refused(room: Room, client: Client, kind: type[wire.Request], **fields: object) -> str:
    before = fingerprint(room)
    answer = room.answer(client, kind, **fields)
    assert isinstance(answer, wire.Error)
    assert fingerprint(room) == before
    return answer.code


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"buy_in": 1_999}, "buy_in_too_small"),
        ({"buy_in": 10_001}, "buy_in_too_large"),
        ({"buy_in": 5_000, "seat": 7}, "no_such_seat"),
        ({"buy_in": 5_000, "seat": 1}, "seat_taken"),
    ],
)
def test_bad_buy_ins_are_refused(room, fields, code):
    """A buy-in out of bounds, a seat that does not exist and a taken seat each have their code."""
    room.sit(room.client("anna"))

    assert refused(room, room.client("bert"), wire.SitDown, **fields) == code


def test_a_second_seat_at_the_same_table_is_refused(room):
    """One seat per account and table."""
    anna = room.client("anna")
    room.sit(anna)

    assert refused(room, anna, wire.SitDown, buy_in=5_000) == "already_seated"


def test_a_buy_in_beyond_the_wallet_is_refused_and_frees_the_seat():
    """The ledger refuses, the reserved seat is free again, nothing is booked."""
    room = Room(max_buy_in=OPENING + 1)
    anna = room.client("anna")

    answer = room.answer(anna, wire.SitDown, buy_in=OPENING + 1)

    assert isinstance(answer, wire.Error)
    assert answer.code == "insufficient_balance"
    assert len(room.table.game.seats.seats) == 0
    assert room.seats.tables_of(anna.account) == []
    assert now(room.ledger.wallet(anna.account)) == OPENING


def test_a_full_table_is_refused():
    """With every seat taken there is no free seat."""
    room = Room(seats_max=2)
    room.sit(room.client("anna"), room.client("bert"))

    assert refused(room, room.client("carl"), wire.SitDown, buy_in=5_000) == "table_full"
    room.stop()


def test_c3_actions_that_do_not_fit_change_nothing(room):
    """C3: out of turn, stale, for another hand, of a wrong size: each has its code and leaves the state equal."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    turn = room.turn()
    act = {"hand_id": turn.hand_id, "seq": turn.seq}

    assert refused(room, bert, wire.Act, **act, action="call") == "not_your_turn"
    assert refused(room, anna, wire.Act, **act, action="check") == "cannot_check"
    assert refused(room, anna, wire.Act, **act, action="raise") == "amount_required"
    assert refused(room, anna, wire.Act, **act, action="call", amount=50) == "amount_not_allowed"
    assert refused(room, anna, wire.Act, **act, action="raise", amount=199) == "raise_too_small"
    assert refused(room, anna, wire.Act, **act, action="raise", amount=10_001) == "raise_too_large"
    stale = {**act, "seq": turn.seq - 1}
    assert refused(room, anna, wire.Act, **stale, action="call") == "stale_seq"
    other = {**act, "hand_id": "0000000000000000"}
    assert refused(room, anna, wire.Act, **other, action="call") == "wrong_hand"
    assert refused(room, room.client("olga"), wire.Act, **act, action="call") == "not_seated"


def test_a_repeated_action_gets_its_first_answer_and_is_done_once(room):
    """The same decision sent twice is accepted twice and applied once."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    turn = room.turn()
    act = {"hand_id": turn.hand_id, "seq": turn.seq, "action": "call"}

    first = room.answer(anna, wire.Act, **act)
    again = room.answer(anna, wire.Act, **act)

    assert isinstance(first, wire.Ok)
    assert isinstance(again, wire.Ok)
    assert len(bert.all(wire.Acted)) == 1
    assert refused(room, anna, wire.Act, **{**act, "action": "fold"}) == "stale_seq"


def test_a_decision_repeated_after_the_hand_still_gets_its_answer(room):
    """A client that missed the answer to its last fold may ask again, whatever has happened since."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    turn = room.turn()
    fold = {"hand_id": turn.hand_id, "seq": turn.seq, "action": "fold"}
    room.answer(anna, wire.Act, **fold)
    room.clock.advance(0)
    assert room.turn().hand_id != turn.hand_id

    assert isinstance(room.answer(anna, wire.Act, **fold), wire.Ok)
    assert len(bert.all(wire.Acted)) == 1


def test_without_a_hand_there_is_nothing_to_act_on(room):
    """An action at a table without a hand in progress is refused."""
    anna = room.client("anna")
    room.sit(anna)

    assert refused(room, anna, wire.Act, hand_id="x", seq=1, action="fold") == "no_hand"


def test_wishes_without_a_seat_are_refused(room):
    """A client without a seat cannot top up, sit in or out, or stand up."""
    olga = room.client("olga")

    for kind, fields in (
        (wire.TopUp, {"amount": 1}),
        (wire.SitIn, {}),
        (wire.SitOut, {}),
        (wire.StandUp, {}),
    ):
        assert refused(room, olga, kind, **fields) == "not_seated"
    assert refused(room, olga, wire.GetSnapshot) == "not_observing"
    assert refused(room, olga, wire.Unobserve) == "not_observing"
    assert refused(room, olga, wire.Chat, text="hi") == "not_observing"


def test_a3_a_top_up_during_a_hand_plays_from_the_next_one(room):
    """A3: chips bought during a hand are behind the player only when it has ended."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert, buy_in=5_000)

    assert isinstance(room.answer(anna, wire.TopUp, amount=1_000), wire.Ok)
    assert room.turn().max_raise_to == 5_000
    room.act("fold")
    room.clock.advance(0)

    ended = {seat.seat: seat.stack for seat in bert.last(wire.HandEnded).stacks}
    stacks = {seat.seat: seat.stack for seat in bert.last(wire.HandStarted).seats}
    changed = bert.last(wire.SeatChanged)
    assert ended == {1: 4_950, 2: 5_050}
    assert (changed.seat, changed.stack) == (1, 5_950)
    assert stacks == {1: 5_950, 2: 5_050}
    assert refused(room, anna, wire.TopUp, amount=5_000) == "buy_in_too_large"


def test_standing_up_in_a_hand_folds_at_the_turn_and_cashes_out_after_it(room):
    """The player is folded at their turn, and the wallet has the stack once the hand is settled."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)

    assert isinstance(room.answer(bert, wire.StandUp), wire.Ok)
    assert bert.last(wire.SeatChanged).status == "leaving"
    room.act("call")
    room.clock.advance(0)

    assert anna.last(wire.Acted).action == "fold"
    assert anna.last(wire.SeatLeft).seat == 2
    assert now(room.ledger.wallet(bert.account)) == OPENING - 100
    assert room.seats.tables_of(bert.account) == []


def test_sitting_out_keeps_the_seat_and_is_dealt_no_more(room):
    """Sit out takes effect after the hand; sit in brings the player back; doing it twice is refused."""
    clients = [room.client(name) for name in ("anna", "bert", "carl")]
    room.sit_together(*clients)
    anna = clients[0]

    assert isinstance(room.answer(anna, wire.SitOut), wire.Ok)
    assert refused(room, anna, wire.SitOut) == "not_playing"
    room.check_down()
    room.clock.advance(0)
    assert [seat.seat for seat in anna.last(wire.HandStarted).seats] in ([2, 3], [3, 2])
    assert isinstance(room.answer(anna, wire.SitIn), wire.Ok)
    assert refused(room, anna, wire.SitIn) == "already_playing"


def test_a_broke_player_sits_out_until_they_top_up(room):
    """Without chips the player keeps the seat but is not dealt in; a top-up brings them back."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert, buy_in=2_000)
    for _ in range(50):
        if room.table.state_name != "playing":
            break
        turn = room.turn()
        room.act("raise", turn.max_raise_to) if turn.max_raise_to else room.act("call")
        room.clock.advance(0)
    broke = next(seat for seat in room.table.game.seats.seats if seat.stack == 0)
    client = room.at(broke.number)

    assert room.table.state_name == "waiting"
    assert refused(room, client, wire.SitIn) == "no_chips"
    assert isinstance(room.answer(client, wire.TopUp, amount=2_000), wire.Ok)

    assert room.table.state_name == "playing"


def test_chat_reaches_every_viewer(room):
    """What an observer says all viewers hear."""
    anna, olga = room.client("anna"), room.client("olga")
    room.sit(anna)
    room.ask(olga, wire.Observe)

    assert isinstance(room.answer(olga, wire.Chat, text="good luck"), wire.Ok)

    assert (anna.last(wire.ChatSaid).name, anna.last(wire.ChatSaid).text) == ("olga", "good luck")


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (wire.TakePlace, {"box": 1}),
        (wire.PlaceBet, {"bet": "ante", "amount": 100}),
        (wire.ChoosePlay, {"box": 2, "multiple": 4}),
        (wire.ChangeBets, {"action": "undo"}),
        (wire.DealNow, {}),
        (wire.Decide, {"round_id": "r", "seq": 1, "box": 1, "decision": "check"}),
        (wire.GiveTip, {"amount": 5}),
    ],
)
def test_what_is_of_another_game_is_refused(room, kind, fields):
    """A hold'em table knows that there are tables against the house, and that it is none."""
    assert refused(room, room.client("anna"), kind, **fields) == "wrong_game"


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (wire.Act, {"seq": 1, "action": "fold"}),
        (wire.PreAct, {"action": "fold_to_any_bet"}),
    ],
    ids=lambda found: getattr(found, "__name__", ""),
)
def test_decisions_of_an_account_without_a_seat_are_refused(room, kind, fields):
    """Only players of the hand decide."""
    room.sit(room.client("anna"), room.client("bert"))
    hand_id = room.turn().hand_id

    assert refused(room, room.client("carl"), kind, hand_id=hand_id, **fields) == "not_seated"


def test_a_pre_action_cannot_be_cancelled_without_a_seat(room):
    """The account has none to cancel."""
    room.sit(room.client("anna"), room.client("bert"))

    assert refused(room, room.client("carl"), wire.CancelPreAct) == "not_seated"


def test_decisions_between_hands_are_refused(room):
    """One player alone plays no hand."""
    anna = room.client("anna")
    room.sit(anna)

    ahead = {"hand_id": "0" * 16, "action": "fold_to_any_bet"}
    assert refused(room, anna, wire.PreAct, **ahead) == "no_hand"
    assert refused(room, anna, wire.Act, hand_id="0" * 16, seq=1, action="fold") == "no_hand"


def test_an_account_at_as_many_tables_as_it_may_play_is_refused(room):
    """Its seats at other tables count."""
    anna = room.client("anna")
    for number in range(room.tables_max):
        assert room.seats.claim(anna.account, f"other{number}")

    assert refused(room, anna, wire.SitDown, buy_in=5_000) == "too_many_tables"
