"""`pokerroom.tournament.director`: what an operator orders while several tables play (I3)."""

import pytest
from twisted.internet.defer import Deferred

from pokerroom.ops.reports import OrderRefused
from tests.tournament.playing import held, now


def test_i3_all_tables_break_off_before_it_is_rolled_forward(stage, tables):
    """I3: a result on its way counts, so the stacks are those after each table's last hand."""
    one, two = tables
    for table in tables:
        table.waits()
        table.deals()
    done = stage.actor.roll_forward()
    assert [table.plan.break_off for table in tables] == [True, True]
    one.says(playing=False)
    two.says()
    assert (done.called, stage.room.row().phase) == (False, "running")
    two.settles({1: 3_000, 2: 0})
    assert now(done) is None
    row = stage.room.row()
    assert (row.phase, row.places[0].account) == ("rolled_forward", two.plans[0].seats[0].account)
    assert [table.plan.phase for table in tables] == ["rolled_forward"] * 2


def test_i3_a_table_that_has_broken_off_gets_no_other_hand(tables, stage):
    """I3: it is ready, and waits for the others."""
    one, two = tables
    for table in tables:
        table.waits()
        table.deals()
    done = stage.actor.roll_forward()
    one.says(playing=False, ready=True)
    one.says(ready=True)
    assert (one.plan.order, done.called) == (None, False)
    two.says(playing=False)
    assert now(done) is None


def test_i3_with_a_frozen_table_it_is_not_rolled_forward(stage, tables):
    """Its hand may be over in the ledger: the others play on."""
    one, two = tables
    one.waits()
    one.deals()
    done = stage.actor.roll_forward()
    two.says(frozen=True, held=True)
    one.says(playing=False)
    with pytest.raises(OrderRefused, match="frozen"):
        now(done)
    one.waits()
    assert (one.plan.break_off, one.plan.order.number) == (False, 1)


def test_i3_a_result_of_a_held_table_is_waited_for(stage, tables):
    """I3: it is frozen, and its hand may still get to the ledger: then the ledger is asked to roll back."""
    one, two = tables
    one.waits()
    one.deals()
    one.says(frozen=True, held=True)
    done = stage.actor.roll_back()
    two.says()
    one.says()
    assert (done.called, stage.room.row().phase) == (False, "running")
    one.says(playing=False)
    assert now(done) is None
    assert stage.room.row().phase == "rolled_back"
    assert [table.plan.phase for table in tables] == ["rolled_back"] * 2


def test_i3_a_table_that_is_not_held_keeps_the_others_from_being_rolled_back(stage, tables):
    """I3: a fault has frozen it, and it goes on in a moment; that another one is held changes nothing."""
    one, two = tables
    one.says(frozen=True, held=True)
    two.says(frozen=True)
    done = stage.actor.roll_back()
    for table in tables:
        table.says()
    with pytest.raises(OrderRefused, match="frozen"):
        now(done)
    assert stage.room.row().phase == "running"


def test_i3_an_order_to_pause_is_answered_though_a_fault_comes(stage):
    """The ledger has it, and the restart reads it there."""
    answer = held(stage.room, "pause_tournament")
    done = stage.actor.pause()
    stage.actor.mailbox.post(lambda: 1 / 0)
    answer()
    assert now(done) is None
    assert stage.room.row().paused


def test_i3_an_order_to_pause_that_the_end_overtakes_is_refused(stage, tables):
    """The ledger has stored it, and its answer comes after the end: nothing is left to pause."""
    answer, pause = Deferred(), stage.room.ledger.pause_tournament
    stage.room.ledger.pause_tournament = lambda *args, **how: pause(*args, **how).addCallback(
        lambda _: answer
    )
    paused = stage.actor.pause()
    ended = stage.actor.roll_forward()
    for table in tables:
        table.says()
    assert (now(ended), paused.called) == (None, False)
    answer.callback(None)
    with pytest.raises(OrderRefused) as refused:
        now(paused)
    assert refused.value.code == "tournament_not_running"


def test_i3_a_tournament_that_was_rolled_back_tells_no_places(stage, tables):
    """I3: all buy-ins are returned, so no player has a place any more; the tables had been told one."""
    one, two = tables
    one.plays({1: 3_000, 2: 0})
    assert [place.number for place in one.plan.places] == [6]
    done = stage.actor.roll_back()
    for table in tables:
        table.says()
    assert now(done) is None
    assert [(table.plan.phase, table.plan.places) for table in (one, two)] == [("rolled_back", [])] * 2


def test_i3_two_orders_to_roll_back_are_both_answered(stage, tables):
    """I3: with a held table, while the ledger is asked; it is rolled back once."""
    one, two = tables
    one.says(frozen=True, held=True)
    answer = held(stage.room, "roll_back_tournament")
    orders = [stage.actor.roll_back(), stage.actor.roll_back()]
    for table in tables:
        table.says()
    two.says()
    assert [order.called for order in orders] == [False, False]
    answer()
    assert [now(order) for order in orders] == [None, None]
    assert (stage.room.row().phase, stage.room.counts.crashes) == ("rolled_back", 0)


def test_i3_an_order_that_waits_for_tables_is_answered_when_a_fault_comes(stage, tables):
    """I3: the operator is told to ask again; nothing is ended."""
    one, _ = tables
    one.waits()
    one.deals()
    done = stage.actor.roll_forward()
    stage.actor.mailbox.post(lambda: 1 / 0)
    with pytest.raises(OrderRefused, match="frozen"):
        now(done)
    assert stage.room.row().phase == "running"
