"""`pokerroom.tournament.late_entries`: entries to a tournament that runs, until they close; its tables are fakes."""

import pytest

from tests.tournament.directed import Stage
from tests.tournament.playing import Room, held, scheduled_offer


@pytest.fixture
def stage():
    """Six players at two tables of three, four of whom are paid: with five left it is the bubble."""
    offer = scheduled_offer(players_max=6, prize_shares=(4_000, 3_000, 2_000, 1_000))
    found = Stage(room=Room(players=6, scheduled=offer))
    yield found
    found.stop()


def test_l8_no_hand_is_ordered_while_entries_are_about_to_close(stage, tables):
    """L8: until the ledger tells that no player has come, a table could deal one hand out of step on the bubble."""
    one, two = tables
    two.waits()
    two.deals()
    answer = held(stage.room, "unseated_entries")
    two.settles({1: 0, 2: 3_000})
    one.waits()
    assert (one.plan.order, one.plan.prizes) == (None, [])
    answer()
    assert len(one.plan.prizes) == 4
    assert one.plan.order is None  # the other table is not at rest
    two.waits()
    assert (one.plan.order.number, two.plan.order.number) == (1, 2)
