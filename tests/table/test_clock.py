"""The action clock and absence: sections H1-H6 of the rules as a client sees them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from twisted.internet.task import Clock

from pokerroom.table.clock import Alarm
from pokerroom_protocol import messages as wire
from tests.poker.support import Client, Room, now


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room()
    yield room
    room.stop()


def lose(room: Room, client: Client) -> None:
    client.connected = False
    room.table.viewer_gone(client)


def come_back(room: Room, client: Client) -> Client:
    again = Client(client.name, client.account)
    room.ask(again, wire.Observe)
    return again


def test_h1_a_turn_names_its_countdown_and_its_deadline(room):
    """H1: the countdown begins 10 s after the prompt, the deadline is 20 s later."""
    room.sit(room.client("anna"), room.client("bert"))
    now_ms = int(room.clock.seconds() * 1000)

    turn = room.turn()

    assert (turn.countdown_ms - now_ms, turn.deadline_ms - now_ms) == (10_000, 30_000)


def test_h2_with_chips_in_the_pot_expiry_is_an_all_in_for_what_is_in(room):
    """H2, H3: the small blind times out, keeps the stack, and contests the chips already in to showdown."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)

    room.clock.advance(29.9)
    assert not bert.all(wire.Acted)
    room.clock.advance(0.1)

    acted = bert.all(wire.Acted)[0]
    assert (acted.action, acted.seat, acted.stack, acted.by_clock) == ("clock_all_in", 1, 9_950, True)
    assert bert.all(wire.UncalledBet)[0].amount == 50
    pot = bert.all(wire.PotAwarded)[0]
    assert pot.amount == 100
    ended = {seat.seat: seat.stack for seat in bert.all(wire.HandEnded)[0].stacks}
    assert sum(ended.values()) == 20_000
    assert sorted(ended.values()) in ([9_950, 10_050], [10_000, 10_000])


def test_h2_without_chips_in_the_pot_expiry_folds(room):
    """H2: a player with nothing in this hand is folded when their clock runs out."""
    clients = [room.client(name) for name in ("anna", "bert", "carl")]
    room.sit_together(*clients)
    turn = room.turn()
    assert turn.seat == 1  # three-handed the button opens, with nothing in

    room.clock.advance(30)

    acted = clients[0].last(wire.Acted)
    assert (acted.action, acted.seat, acted.by_clock) == ("fold", 1, True)


def test_h2_never_protected_checks_if_free_else_folds():
    """Where protection does not apply the clock checks if that is free, else folds."""
    room = Room(timeout_protection="never")
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.act("call")

    room.clock.advance(30)
    assert bert.last(wire.Acted).action == "check"
    room.act("bet", 100)
    room.clock.advance(30)
    assert bert.last(wire.Acted).action == "fold"
    room.stop()


def test_h2_protection_for_the_disconnected_only():
    """With `disconnected` a connected player is folded by the clock, a disconnected one is all-in for what is in."""
    room = Room(timeout_protection="disconnected")
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.clock.advance(30)
    assert bert.last(wire.Acted).action == "fold"

    room.clock.advance(0)
    actor = room.at(room.turn().seat)
    other = bert if actor is anna else anna
    lose(room, actor)
    room.clock.advance(30)
    assert other.last(wire.Acted).action == "clock_all_in"
    room.stop()


def test_h4_reconnecting_before_expiry_gives_twenty_seconds_once(room):
    """H4: back at 29 of 30 s there are 20 s more; a second return in the same decision adds nothing."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    lose(room, anna)
    room.clock.advance(29)

    anna = come_back(room, anna)
    start_ms = int(room.clock.seconds() * 1000)
    assert room.turn().deadline_ms == start_ms + 20_000
    shown = anna.all(wire.Snapshot)[0]  # the answer to `observe` has all of it
    assert shown.hand.turn.deadline_ms == start_ms + 20_000
    assert all(seat.connected for seat in shown.seats)
    room.clock.advance(19)
    lose(room, anna)
    come_back(room, anna)
    assert room.turn().deadline_ms == start_ms + 20_000
    assert not bert.all(wire.Acted)
    room.clock.advance(1)

    assert bert.all(wire.Acted)[0].action == "clock_all_in"


def test_h4_an_early_return_does_not_shorten_the_clock(room):
    """A player that returns while more than 20 s are left keeps them."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    deadline_ms = room.turn().deadline_ms
    lose(room, anna)
    room.clock.advance(2)

    come_back(room, anna)

    assert room.turn().deadline_ms == deadline_ms


def test_h4_a_return_that_gains_no_time_does_not_use_up_the_grace(room):
    """H4: back with exactly 20 s left nothing changes; a second return has the 20 s."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    deadline_ms = room.turn().deadline_ms
    lose(room, anna)
    room.clock.advance(10)
    anna = come_back(room, anna)
    assert room.turn().deadline_ms == deadline_ms

    lose(room, anna)
    room.clock.advance(15)
    come_back(room, anna)

    assert room.turn().deadline_ms == deadline_ms + 15_000


def test_h4_the_turn_told_before_the_grace_may_still_be_answered(room):
    """The decision is one, whichever of its two prompts the answer names."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    first = room.turn()
    lose(room, anna)
    room.clock.advance(25)
    anna = come_back(room, anna)

    answer = room.answer(anna, wire.Act, hand_id=first.hand_id, seq=first.seq, action="call")

    assert isinstance(answer, wire.Ok)


def test_h6_two_timed_out_hands_in_a_row_sit_a_player_out(room):
    """H6: after the second timed-out hand the player is not dealt in; the chips stay."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    timed_out = set()
    for _ in range(8):
        if room.table.state_name != "playing":
            break
        if room.turn().seat == 2:
            room.act("check" if room.turn().check else "call")
        else:
            timed_out.add(room.turn().hand_id)
            room.clock.advance(30)
        room.clock.advance(0)

    assert len(timed_out) == 2
    assert room.table.game.seats.seats[1].status() == "sitting_out"
    assert room.table.state_name == "waiting"
    assert sum(row.stack for row in now(room.ledger.seats())) == 20_000


def test_h6_a_player_who_acts_in_the_hand_between_is_not_sat_out(room):
    """H6: the timed-out hands must follow each other, and in a hand with a decision of the player none is timed out."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    for acts in (False, True, False):
        hand_id = room.turn().hand_id
        while room.turn().hand_id == hand_id and room.table.state_name == "playing":
            if room.turn().seat == 2 or acts:
                room.act("check" if room.turn().check else "call")
            else:
                room.clock.advance(30)
            room.clock.advance(0)

    assert room.table.game.seats.seats[1].status() == "playing"


def test_h6_a_player_who_is_away_for_the_limit_loses_the_seat_and_is_cashed_out(room):
    """H6: a disconnected player's seat is freed after `away_limit_s`, and the wallet has the chips."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna)
    lose(room, anna)

    room.clock.advance(119)
    assert len(room.table.game.seats.seats) == 1
    room.clock.advance(1)

    assert len(room.table.game.seats.seats) == 0
    assert now(room.ledger.wallet(anna.account)) == 100_000
    room.sit(bert)


def test_the_away_limit_does_not_end_a_hand():
    """H2, H6: if the limit runs out in mid-hand, the player is all-in for the chips already in, and then leaves."""
    room = Room(away_limit_s=5)
    clients = [room.client(name) for name in ("anna", "bert", "carl")]
    room.sit_together(*clients)
    room.act("raise", 5_000)
    room.act("call")
    room.act("call")
    lose(room, clients[0])
    for _ in range(4):
        room.clock.advance(5)
    while room.turn().seat != 1:
        room.act("check")

    assert room.table.game.seats.seats[1].status() == "playing"
    room.clock.advance(30)
    acted = clients[1].last(wire.Acted)
    assert (acted.seat, acted.action, acted.stack) == (1, "clock_all_in", 5_000)
    while room.table.state_name == "playing" and not clients[1].all(wire.HandEnded):
        room.act("check")
    assert clients[1].last(wire.SeatLeft).seat == 1
    room.stop()


def test_the_clock_runs_from_when_the_turn_is_told(room):
    """While the journal is away no clock runs; when it is back the turn is told with its own full time."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.journal.hold = True
    room.act_blindly("call")
    room.clock.advance(40)
    assert not bert.all(wire.Acted)

    room.journal.store()

    start_ms = int(room.clock.seconds() * 1000)
    assert room.turn().deadline_ms == start_ms + 30_000
    room.journal.hold = False
    room.clock.advance(29.9)
    assert [acted.action for acted in bert.all(wire.Acted)] == ["call"]
    room.clock.advance(0.1)
    assert bert.all(wire.Acted)[1].action == "clock_all_in"


def test_an_action_in_the_turn_of_the_deadline_counts_if_it_came_first(room):
    """H1: at the deadline the order of receipt decides; the expiry of a decision taken does nothing."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.clock.advance(29.999)

    room.act("call")
    room.clock.advance(0.001)

    assert [acted.action for acted in bert.all(wire.Acted)] == ["call"]


def test_the_time_bank_runs_when_the_clock_is_out():
    """At the deadline the decision is asked again with the bank's deadline; the player keeps the rest of the bank."""
    room = Room(time_bank_s=30)
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    first = room.turn()
    assert (first.time_bank_ms, first.in_time_bank) == (30_000, False)

    room.clock.advance(30)

    second = room.turn()
    now_ms = int(room.clock.seconds() * 1000)
    assert (second.seat, second.hand_id, second.in_time_bank) == (first.seat, first.hand_id, True)
    assert (second.deadline_ms, second.time_bank_ms) == (now_ms + 30_000, 0)
    assert not bert.all(wire.Acted)
    room.clock.advance(12)
    named_before = room.answer(
        anna, wire.Act, hand_id=first.hand_id, seq=first.seq, action="call"
    )  # the turn is the same, whichever of its events is answered
    assert isinstance(named_before, wire.Ok)
    room.act("check")
    while room.turn().seat != 1:
        room.act("check")
    assert room.turn().time_bank_ms == 18_000
    room.stop()


def test_an_empty_time_bank_is_none():
    """Once it is used up the clock decides at its deadline, and once more: there is no second bank."""
    room = Room(time_bank_s=5, timeout_protection="never")
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.act("call")
    assert room.turn().seat == 2
    room.clock.pump([30, 4.9])
    assert [acted.by_clock for acted in bert.all(wire.Acted)] == [False]
    room.clock.advance(0.1)
    assert bert.last(wire.Acted).by_clock
    assert (room.turn().seat, room.turn().time_bank_ms) == (2, 0)
    room.clock.advance(30)
    assert len(bert.all(wire.Acted)) == 3
    room.stop()


def test_the_time_bank_is_refilled_hand_by_hand():
    """Each hand that the player is dealt adds the table's refill, up to the whole bank."""
    room = Room(time_bank_s=20, time_bank_refill_s=4)
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.clock.pump([30, 10])
    room.act("fold")
    room.clock.advance(0)
    while room.turn().seat != 1:
        room.act("call")
    assert room.turn().time_bank_ms == 14_000
    room.stop()


def test_h4_a_reconnect_in_the_time_bank_stops_it_for_a_countdown():
    """H4: another 20 s, once; what is left of the bank comes after them, and no more than that."""
    room = Room(time_bank_s=20)
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    lose(room, anna)
    room.clock.pump([30, 19])
    assert room.turn().in_time_bank

    anna = come_back(room, anna)

    turn = room.turn()
    assert turn.deadline_ms == int(room.clock.seconds() * 1000) + 20_000
    assert (turn.in_time_bank, turn.time_bank_ms) == (False, 1_000)
    room.clock.pump([20, 0.5])
    turn = room.turn()
    assert turn.in_time_bank
    lose(room, anna)
    come_back(room, anna)
    assert room.turn() == turn
    room.act("call")
    room.act("check")
    while room.turn().seat != 1:
        room.act("check")
    assert room.turn().time_bank_ms == 500
    room.stop()


def test_h4_a_reconnect_stops_a_time_bank_that_has_more_than_a_countdown():
    """H4: its rest comes after the countdown, however long it is."""
    room = Room(time_bank_s=60)
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    lose(room, anna)
    room.clock.pump([30, 10])
    assert room.turn().in_time_bank

    come_back(room, anna)

    turn = room.turn()
    assert (turn.in_time_bank, turn.time_bank_ms) == (False, 50_000)
    assert turn.deadline_ms == int(room.clock.seconds() * 1000) + 20_000
    room.clock.advance(20)
    turn = room.turn()
    assert (turn.in_time_bank, turn.time_bank_ms) == (True, 0)
    assert turn.deadline_ms == int(room.clock.seconds() * 1000) + 50_000
    room.stop()


def test_h4_a_reconnect_before_the_time_bank_leaves_none_for_it():
    """H4: the 20 s come once in a decision, whether the time bank runs or not."""
    room = Room(time_bank_s=20)
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    lose(room, anna)
    room.clock.advance(29)
    anna = come_back(room, anna)
    room.clock.advance(20)
    turn = room.turn()
    assert turn.in_time_bank

    lose(room, anna)
    come_back(room, anna)

    assert room.turn() == turn
    room.stop()


def test_h2_past_the_daily_allowance_there_is_no_protection():
    """H2: with one all-in by the clock a day, the second time-out checks if that is free, else folds."""
    room = Room(timeout_all_ins_per_day=1)
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    assert room.turn().seat == 1

    room.clock.advance(30)
    assert bert.last(wire.Acted).action == "clock_all_in"
    room.clock.advance(0)
    room.act("call")  # bert has the small blind now
    assert room.turn().seat == 1
    room.clock.advance(30)

    assert (bert.last(wire.Acted).action, bert.last(wire.Acted).by_clock) == ("check", True)
    assert room.timeouts.today(anna.account) == 1
    room.stop()


def test_h2_each_use_is_in_the_settlement(room):
    """The ledger counts what the clock has protected, per account, with the hand."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)

    room.clock.advance(30)

    assert room.settler.settled[0].timeout_all_ins == (anna.account,)
    assert now(room.ledger.timeout_all_ins(0)) == {anna.account: 1}


def test_a_protected_fold_is_no_use_of_the_protection(room):
    """A player with nothing in is folded, and nothing is counted."""
    clients = [room.client(name) for name in ("anna", "bert", "carl")]
    room.sit_together(*clients)

    room.clock.advance(30)

    assert clients[0].last(wire.Acted).action == "fold"
    assert all(room.timeouts.today(client.account) == 0 for client in clients)


def test_an_alarm_that_is_set_to_an_earlier_time_rings_then_and_once():
    """The later time is forgotten."""
    clock, rung = Clock(), []
    alarm = Alarm(clock)
    alarm.set(10, lambda: rung.append("late"))
    alarm.set(5, lambda: rung.append("early"))

    clock.advance(5)
    assert rung == ["early"]
    clock.advance(10)
    assert rung == ["early"]
    assert clock.getDelayedCalls() == []


def test_an_alarm_that_is_set_to_a_later_time_does_not_ring_before():
    """Its delayed call comes too early, and waits for the rest."""
    clock, rung = Clock(), []
    alarm = Alarm(clock)
    alarm.set(5, lambda: rung.append("early"))
    alarm.set(10, lambda: rung.append("late"))

    clock.advance(5)
    assert rung == []
    clock.advance(5)
    assert rung == ["late"]
