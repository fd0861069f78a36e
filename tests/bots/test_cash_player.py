"""A bot at its table: what it answers to each event, with a link that only writes down."""

from __future__ import annotations

import asyncio

import pytest

from pokerroom.bots.cash_player import CashOutcome
from pokerroom.bots.connection import BotConnectionLost
from pokerroom.bots.hand_stay import AGAIN_S
from pokerroom_protocol import messages as m
from tests.bots.support import HAND, TABLE, Bench, on_a_loop, settle


@on_a_loop
async def test_its_own_turn_is_answered_with_its_hand_and_number():
    """A `turn` of its seat gets one `act` that names it; others' turns get none."""
    bench = Bench()
    bench.snapshot()
    bench.hand_started()
    bench.turn(seat=5)
    assert bench.sent(m.Act) == []

    bench.turn()

    (act,) = bench.sent(m.Act)
    assert (TABLE, HAND, bench.seq) == (act.table, act.hand_id, act.seq)


@on_a_loop
async def test_its_own_acted_event_ends_the_measurement():
    """The decision is counted when it comes back as an event, once, and not when the clock took it."""
    bench = Bench()
    bench.snapshot()
    bench.hand_started()
    bench.turn()
    bench.acted(seat=5)
    assert bench.tally.actions == 0

    bench.acted()
    bench.acted()
    assert bench.tally.actions == 1

    bench.turn()
    bench.acted(by_clock=True)
    assert (bench.tally.actions, bench.tally.timeouts) == (1, 1)


@on_a_loop
async def test_a_turn_in_the_snapshot_is_answered():
    """After coming back, a turn that was asked of the earlier connection is still decided."""
    bench = Bench()
    turn = m.TurnView(
        seat=2,
        seq=8,
        check=True,
        call_amount=0,
        min_raise_to=100,
        max_raise_to=4_000,
        countdown_ms=1,
        deadline_ms=2,
    )
    hand = m.HandView(
        hand_id=HAND, street="flop", board=[], pots=[], button=2, small_blind=2, big_blind=5, turn=turn
    )

    bench.snapshot(hand=hand)

    assert [(act.hand_id, act.seq) for act in bench.sent(m.Act)] == [(HAND, 8)]


@on_a_loop
async def test_events_of_the_snapshot_are_not_played_again():
    """An event at or below the snapshot's number is ignored."""
    bench = Bench()
    bench.snapshot()
    bench.seq -= 1
    bench.turn()

    assert bench.sent(m.Act) == []


@on_a_loop
async def test_a_gap_asks_for_one_snapshot():
    """A missing number is healed, and asked again only after a refusal."""
    bench = Bench()
    bench.snapshot()
    bench.seq += 1
    bench.turn()
    bench.turn()

    assert len(bench.sent(m.GetSnapshot)) == 1
    assert bench.sent(m.Act) == []
    assert bench.tally.gaps == 1

    bench.snapshot()
    bench.turn()
    assert len(bench.sent(m.Act)) == 1


@on_a_loop
async def test_a_thinking_bot_does_not_answer_a_turn_that_is_over():
    """What the clock decided meanwhile is not sent any more."""
    bench = Bench(delay_s=0.001)
    bench.snapshot()
    bench.hand_started()
    bench.turn()
    bench.acted(by_clock=True)
    await asyncio.sleep(0.01)

    assert bench.sent(m.Act) == []


@on_a_loop
async def test_a_second_turn_of_the_same_decision_changes_nothing():
    """The time bank or a reconnection tells another deadline: a bot that thinks answers the turn it was first asked."""
    bench = Bench(delay_s=0.001)
    bench.snapshot()
    bench.hand_started()
    bench.turn()
    first = bench.seq
    bench.turn()
    await asyncio.sleep(0.01)
    bench.turn()

    assert [act.seq for act in bench.sent(m.Act)] == [first]

    bench.acted()
    bench.turn()
    await asyncio.sleep(0.01)
    assert [act.seq for act in bench.sent(m.Act)] == [first, bench.seq]


@on_a_loop
async def test_a_stay_that_has_ended_decides_nothing():
    """A player that has left sends no delayed decision."""
    bench = Bench(delay_s=0.001)
    bench.snapshot()
    bench.hand_started()
    bench.turn()
    bench.player.close()
    await asyncio.sleep(0.01)

    assert bench.sent(m.Act) == []


@on_a_loop
async def test_messages_of_no_interest_are_passed_over():
    """What others reserve, offers and cancellations change nothing; events among them keep the count of numbers."""
    bench = Bench()
    bench.snapshot()
    bench.says(m.SeatOffered(table=TABLE, seat=3, until_ms=1))
    bench.says(m.WaitEnded(table=TABLE, any_table=False, reason="away"))
    bench.says(m.PreActCancelled(table=TABLE, hand_id=HAND))
    bench.event(m.SeatReserved, seat=3, until_ms=1)
    bench.event(m.SeatReleased, seat=3)
    bench.event(m.TableNotice, state="running", message="x")
    bench.turn()

    assert len(bench.sent(m.Act)) == 1
    assert (bench.tally.gaps, bench.tally.errors.total()) == (0, 0)


@on_a_loop
async def test_a_table_that_was_restarted_is_played_on_from_its_snapshot():
    """An unrequested snapshot replaces the state: its turn is decided, and its numbers count from now on."""
    bench = Bench()
    bench.snapshot()
    bench.hand_started()
    bench.turn()
    bench.event(m.TableNotice, state="frozen", message="x")
    bench.seq = 3
    turn = m.TurnView(
        seat=2,
        seq=3,
        check=True,
        call_amount=0,
        min_raise_to=None,
        max_raise_to=None,
        countdown_ms=1,
        deadline_ms=2,
    )
    bench.snapshot(
        hand=m.HandView(
            hand_id=HAND, street="flop", board=[], pots=[], button=2, small_blind=2, big_blind=5, turn=turn
        )
    )

    assert [act.seq for act in bench.sent(m.Act)][1:] == [3]
    bench.acted()
    assert bench.tally.gaps == 0


@on_a_loop
async def test_an_unexplained_refusal_is_an_error_and_the_bot_folds():
    """If room and bot disagree about what is legal, it is counted, and the table goes on."""
    bench = Bench()
    bench.snapshot()
    bench.turn()
    assert bench.sent(m.Act)[0].action != "fold"  # so decides the bench's seed
    bench.refused("raise_too_small")

    assert dict(bench.tally.errors) == {"raise_too_small": 1}
    first, second = bench.sent(m.Act)
    assert ("fold", first.seq) == (second.action, second.seq)


@pytest.mark.parametrize("attached", [True, False])
def test_a_crossed_decision_is_a_race_only_after_coming_back(attached):
    """A stale decision right after a reconnection is explained; out of the blue it is an error."""

    async def scenario():
        bench = Bench(came_back_at=asyncio.get_running_loop().time() if attached else None)
        bench.snapshot()
        bench.turn()
        bench.refused("stale_seq")
        return dict(bench.tally.errors), dict(bench.tally.races)

    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        errors, races = runner.run(scenario())

    assert (
        (errors, races) == ({}, {"stale_seq": 1}) if attached else (errors, races) == ({"stale_seq": 1}, {})
    )


@on_a_loop
async def test_short_chips_are_topped_up_to_the_buy_in():
    """Below half a buy-in the missing chips are bought, once, while the hand runs."""
    bench = Bench()
    bench.snapshot()
    bench.hand_started(stack=1_500)
    await settle()
    bench.hand_ended(stack=1_400)
    await settle()

    assert [top_up.amount for top_up in bench.sent(m.TopUp)] == [2_500]


@on_a_loop
async def test_a_client_that_lost_everything_tops_up_and_sits_in():
    """A seat without chips buys in again; if it still sits out, it then sits in."""
    bench = Bench()
    bench.snapshot()
    bench.hand_started()
    bench.hand_ended(stack=0)
    bench.changed(0, "sitting_out")
    bench.changed(4_000, "sitting_out")
    await settle()

    assert [top_up.amount for top_up in bench.sent(m.TopUp)] == [4_000]
    assert [sit_in.post for sit_in in bench.sent(m.SitIn)] == [True]


@on_a_loop
async def test_without_money_it_leaves_as_broke():
    """No chips and an empty wallet end the stay, so that a new account can take over."""
    bench = Bench(wallet=0)
    bench.snapshot()
    bench.changed(0, "sitting_out")
    await settle()
    assert len(bench.sent(m.StandUp)) == 1

    bench.event(m.SeatLeft, seat=2, name="me")

    assert CashOutcome.BROKE is await bench.player.outcome()
    assert bench.tally.seated == 0


@on_a_loop
async def test_a_wallet_with_less_gives_what_it_has():
    """The last money goes to the table."""
    bench = Bench(wallet=700)
    bench.snapshot()
    bench.hand_started(stack=100)
    await settle()

    assert [top_up.amount for top_up in bench.sent(m.TopUp)] == [700]


@on_a_loop
async def test_it_stands_up_after_the_hand():
    """Told to stop in a hand it plays on to its end; turns are still answered; then it leaves, once."""
    bench = Bench()
    bench.snapshot()
    bench.hand_started()
    bench.player.stop()
    await settle()
    assert bench.sent(m.StandUp) == []

    bench.turn()
    assert len(bench.sent(m.Act)) == 1
    bench.hand_ended()
    bench.player.stop()
    await settle()
    assert len(bench.sent(m.StandUp)) == 1

    bench.event(m.SeatLeft, seat=2, name="me")
    assert CashOutcome.LEFT is await bench.player.outcome()


@on_a_loop
async def test_between_hands_it_stands_up_at_once():
    """Told to stop while no hand of its own is played, it leaves."""
    bench = Bench()
    bench.snapshot()
    bench.player.stop()
    await settle()

    assert len(bench.sent(m.StandUp)) == 1


@on_a_loop
async def test_a_lost_connection_ends_the_stay():
    """A caller that awaits the outcome learns of the lost connection; pending requests fail silently."""
    bench = Bench()
    bench.link.ready = ["lost"]
    bench.snapshot(stack=0, status="sitting_out")
    bench.player.link_lost()
    await settle()

    with pytest.raises(BotConnectionLost):
        await bench.player.outcome()
    assert dict(bench.tally.errors) == {}


@on_a_loop
async def test_wishes_that_crossed_are_races_others_are_errors():
    """A top-up that crossed with a won pot is expected; a refusal that nothing explains is not."""
    for code, is_race in (("buy_in_too_large", True), ("internal", False)):
        bench = Bench()
        bench.link.ready = [code]
        bench.snapshot(stack=10)
        await settle()

        assert is_race == (bench.tally.races[code] == 1)
        assert is_race == (bench.tally.errors[code] == 0)


@on_a_loop
async def test_hands_are_counted_with_their_end():
    """The table's watch counts a hand once; a void one is counted apart."""
    bench = Bench()
    bench.snapshot()
    bench.hand_started()
    bench.hand_ended()
    bench.event(m.HandEnded, hand_id="h2", stacks=[], void=True)

    assert (bench.tally.hands, bench.tally.hands_void) == (1, 1)
    assert bench.tally.first_hand_at is not None


@on_a_loop
async def test_other_tables_are_none_of_its_business():
    """An event of another table changes nothing, whatever its number."""
    bench = Bench()
    bench.snapshot()
    bench.says(m.ChatSaid(table="other", seq=99, name="x", text="y"))
    bench.turn()

    assert len(bench.sent(m.Act)) == 1
    assert bench.tally.gaps == 0


@on_a_loop
async def test_a_decision_that_met_a_table_on_its_way_is_sent_again():
    """A move of the table to another node is no error, and the decision stands."""
    bench = Bench()
    bench.snapshot()
    bench.hand_started()
    bench.turn()
    bench.refused("unavailable")
    await asyncio.sleep(AGAIN_S * 1.5)
    first, again = bench.sent(m.Act)
    assert (first.action, first.amount, first.seq) == (again.action, again.amount, again.seq)
    assert dict(bench.tally.races) == {"unavailable": 1}
    assert bench.tally.errors.total() == 0
