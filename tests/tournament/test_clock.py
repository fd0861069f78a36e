"""Levels, breaks and pauses of a sit-and-go: when they come, and what is told and written down of them."""

from itertools import pairwise

import pytest
from msgspec import structs

from pokerroom.tournament.desk import POLL_S
from pokerroom.tournament.play_clock import KEPT_S
from pokerroom_protocol import messages as wire
from tests.tournament.playing import level, now

OF_THE_TOURNAMENT = (
    wire.LevelStarted,
    wire.BreakStarted,
    wire.BreakEnded,
    wire.TournamentPaused,
    wire.TournamentResumed,
)


def told(room):
    """Names of the events about levels, breaks and pauses that the first player got."""
    return [type(one).__name__ for one in room.players[0].got if isinstance(one, OF_THE_TOURNAMENT)]


def test_viewers_are_told_each_change_of_a_plan_once(make):
    """A plan has the whole state: what it repeats is no news."""
    room = make(levels=(level(10, length=60, break_s=30), level(20)))
    room.begin()
    for _ in range(2):
        room.fold_out()
    assert told(room) == []
    now(room.tournament.pause())
    room.ask(room.of_seat(6), wire.StandUp)
    room.after(POLL_S + 1)
    assert told(room) == ["TournamentPaused"]
    now(room.tournament.unpause())
    room.fold_out()
    assert told(room) == ["TournamentPaused", "TournamentResumed"]
    room.clock.advance(60)
    room.fold_out()
    room.after(31)
    assert told(room)[2:] == ["LevelStarted", "BreakStarted", "BreakEnded"]


def test_a_pause_in_a_break_is_told_with_the_end_of_the_break(make):
    """The clock of the break stands while it is paused, and goes on with what is left of it."""
    room = make(levels=(level(10, length=60, break_s=30), level(20)))
    room.begin()
    room.clock.advance(60)
    room.fold_out()
    until_ms = room.players[0].last(wire.BreakStarted).until_ms
    now(room.tournament.pause())
    assert room.snapshot().tournament.break_until_ms is None
    room.after(100)
    now(room.tournament.unpause())
    resumed = room.players[0].last(wire.TournamentResumed)
    assert resumed.break_until_ms == until_ms + 100_000
    assert told(room) == ["LevelStarted", "BreakStarted", "TournamentPaused", "TournamentResumed"]


def test_a_pause_that_ends_out_of_a_break_is_told_with_no_end_of_one(room):
    """The level goes on: the event has its end."""
    now(room.tournament.pause())
    room.fold_out()
    room.after(10)
    now(room.tournament.unpause())
    resumed = room.players[0].last(wire.TournamentResumed)
    assert resumed.break_until_ms is None
    assert resumed.level.ends_ms == room.snapshot().tournament.level.ends_ms


@pytest.mark.parametrize("early_s", [0, 0.02])
def test_a_level_ends_when_its_time_has_passed(room, early_s):
    """Not a twentieth of a second before, and not after that: the clock counts milliseconds."""
    room.clock.advance(59.97 - early_s)
    room.fold_out()
    room.clock.advance(0.019)
    assert told(room) == []
    room.clock.advance(0.002 + early_s)
    assert told(room) == ["LevelStarted"]


def test_a_level_of_hands_ends_at_no_time(make):
    """Its view has the number of hands that are left instead; the last level has neither."""
    room = make(levels_timed=False, levels=(level(10, length=2), level(750, length=3)))
    room.begin()
    shown = room.snapshot().tournament.level
    assert (shown.ends_ms, shown.hands_left) == (None, 2)
    timed = make(levels=(level(4_500, length=60),))
    timed.begin()
    shown = timed.snapshot().tournament.level
    assert (shown.ends_ms, shown.hands_left) == (None, None)


@pytest.mark.parametrize("paused", [True, False])
def test_the_clock_is_written_down_every_five_seconds_while_it_stands(make, paused):
    """In a break and in a pause: a node that dies loses no more of it."""
    room = make(levels=(level(10, length=60, break_s=30), level(20)))
    room.begin()
    if paused:
        now(room.tournament.pause())
    else:
        room.clock.advance(60)
    room.fold_out()
    room.clock.pump([0.01] * 4)
    before = len(room.tournament_journal.all)
    began = room.clock.seconds()
    written = []
    while room.clock.seconds() < began + 26:
        room.clock.advance(0.005)
        kept = len(room.tournament_journal.all)
        written += [room.clock.seconds()] * (kept - before - len(written))
    apart = [after - one for one, after in pairwise(written)]
    assert len(apart) == 4
    assert all(abs(seconds - KEPT_S) < 0.0051 for seconds in apart)
    assert abs(sum(apart) - 4 * KEPT_S) < 0.0051


@pytest.mark.parametrize("moves", ["restart", "restart_tournament"])
def test_a_tournament_that_is_handed_over_goes_on_with_its_clock(room, moves):
    """The last owner writes it down as it stands: what has passed of the level has passed."""
    room.fold_out()
    room.clock.advance(7)
    ends_ms = room.snapshot().tournament.level.ends_ms
    now(room.tournament.hand_over())
    room.clock.advance(0.5)
    getattr(room, moves)()
    room.ask(room.players[0], wire.Observe)
    room.clock.advance(0.01)
    assert abs(room.snapshot().tournament.level.ends_ms - (ends_ms + 500)) <= 20


def test_the_last_hand_of_a_level_is_the_last_of_all(make):
    """It ends with the tournament: no level is told, and no break."""
    room = make(
        seats=2, prizes=(480,), levels_timed=False, levels=(level(10, length=1, break_s=30), level(1_500))
    )
    room.begin()
    room.all_in()
    room.clock.advance(0.01)
    assert room.row().phase == "finished"
    assert told(room) == []


def test_a_break_is_told_when_the_plan_is_on_it(room):
    """Not when its end is known."""
    plan = room.table.game.seating.desk.plan
    for on_break, names in ((False, []), (True, ["BreakStarted"])):
        plan = structs.replace(plan, number=plan.number + 1, on_break=on_break, break_until_ms=5)
        room.table.hear(plan)
        assert told(room) == names


def test_the_level_ends_as_it_was_told_when_its_tournament_does(make):
    """The time until the last hand was settled counts, too."""
    room = make(seats=2, prizes=(480,))
    room.begin()
    ends_ms = room.snapshot().tournament.level.ends_ms
    room.clock.advance(7)
    while room.row().phase == "running":
        room.all_in()
        room.clock.advance(0.01)
    assert abs(room.snapshot().tournament.level.ends_ms - ends_ms) <= 20


def test_a_break_that_is_due_after_the_last_hand_does_not_begin(make):
    """The tournament is over."""
    room = make(
        seats=2, prizes=(480,), action_clock_s=100, levels=(level(10, length=60, break_s=30), level(20))
    )
    room.begin()
    room.clock.advance(61)
    while room.row().phase == "running":
        room.all_in()
        room.clock.advance(0.01)
    assert "BreakStarted" not in told(room)
