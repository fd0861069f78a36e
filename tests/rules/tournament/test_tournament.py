"""A sit-and-go from its start to the last prize: B1, B3, B4, B9, H5, I2, I3."""

from dataclasses import replace

import pytest

from pokerroom.chips import Money
from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.prizes import PrizeTableError
from pokerroom.rules.tournament.refusal import TournamentRefusal
from pokerroom.rules.tournament.schedule import LengthUnit, LevelClock
from pokerroom.rules.tournament.state import TournamentPhase
from tests.rules.tournament.support import (
    TEN,
    counting,
    dealt,
    full,
    schedule,
    stacks_of,
    started,
    terms,
    with_stacks,
)

THREE = terms(3, (Money(500), Money(220)))


def placed(before, after):
    """The places that are new, the worst first."""
    new = after.standings[: len(after.standings) - len(before.standings)]
    return [(standing.number, standing.place, standing.prize) for standing in reversed(new)]


def accounts(tournament):
    return {player.seat: player.account for player in tournament.players}


# --- before the start


def test_b1_seats_are_drawn_and_the_first_has_the_button():
    """B1 [D]: all have a seat and the starting stack, and the button of the first hand is at seat 1."""
    tournament = rules.start(full(), counting)
    assert sorted(accounts(tournament).values()) == list(range(101, 107))
    assert [player.seat for player in tournament.players] == list(range(1, 7))
    assert {player.chips for player in tournament.players} == {1_500}
    assert tournament.clock == LevelClock()
    plan = dealt(tournament).table(1).hand.plan
    assert (plan.positions.button, plan.positions.small_blind, plan.positions.big_blind) == (1, 2, 3)


# --- hands


def test_b3_the_button_is_dead_through_the_levels():
    """B3, B9: a bust player leaves a dead blind, the button rests on that seat, and blinds are the level's."""
    tournament = started(terms(4, (Money(960),), levels=schedule(1, 9)))
    tournament = with_stacks(tournament, {1: 1_500, 2: 3_000, 3: 0, 4: 1_500})  # 3 had the big blind
    plan = dealt(tournament).table(1).hand.plan
    assert (plan.positions.button, plan.positions.small_blind, plan.positions.big_blind) == (2, None, 4)
    assert plan.posts[4].blind == 40
    tournament = with_stacks(tournament, stacks_of(tournament))
    plan = dealt(tournament).table(1).hand.plan
    assert (plan.positions.button, plan.positions.small_blind, plan.positions.big_blind) == (3, 4, 1)


def test_b4_heads_up_the_button_has_the_small_blind():
    """B4: with two left, no player posts the big blind twice running."""
    tournament = with_stacks(started(THREE), {1: 0, 2: 2_000, 3: 2_500})  # 3 had the big blind
    plan = dealt(tournament).table(1).hand.plan
    assert (plan.positions.button, plan.positions.big_blind) == (3, 2)
    assert plan.positions.small_blind == 3


def test_b9_a_new_level_applies_from_the_next_hand():
    """B9: the hand in progress is played at the level at which it was dealt."""
    tournament = dealt(started(terms(levels=schedule(1000, 1000, unit=LengthUnit.ms))))
    tournament = rules.play_time(tournament, 1_000)
    assert tournament.clock.level == 1
    assert tournament.table(1).hand.level == 0
    tournament = rules.finish_hand(tournament, 1, stacks_of(tournament))
    assert dealt(tournament).table(1).hand.level == 1


def test_b9_levels_of_hands_count_finished_ones():
    """B9: a void hand is none, and time does not count."""
    tournament = started(terms(levels=schedule(2, 2, breaks=(5_000,))))
    tournament = rules.void_hand(dealt(tournament), 1)
    assert rules.play_time(tournament, 10**6) == tournament
    tournament = with_stacks(tournament, stacks_of(tournament))
    assert tournament.clock.level == 0
    tournament = with_stacks(tournament, stacks_of(tournament))
    assert tournament.clock == LevelClock(level=1, break_left_ms=5_000)


def test_in_a_break_no_player_is_dealt_in():
    """It begins when the hand in progress has ended, and lasts its time."""
    tournament = dealt(started(terms(levels=schedule(1000, 1000, unit=LengthUnit.ms, breaks=(5_000,)))))
    tournament = rules.play_time(tournament, 1_000)
    assert tournament.clock == LevelClock(level=1, break_left_ms=5_000)
    assert rules.break_time(tournament, 4_000) == tournament
    tournament = rules.finish_hand(tournament, 1, stacks_of(tournament))
    paused = rules.pause(tournament)
    assert rules.break_time(paused, 4_000) == paused
    tournament = rules.break_time(tournament, 4_999)
    with pytest.raises(TournamentRefusal, match="on_break"):
        rules.deal(tournament, 1)
    tournament = rules.break_time(tournament, 1)
    assert dealt(tournament).table(1).hand.level == 1


def test_a_pause_stops_the_clock_and_the_next_deal():
    """The hand in progress is played out; afterwards all goes on where it stood."""
    tournament = dealt(started(terms(levels=schedule(1000, 1000, unit=LengthUnit.ms))))
    tournament = rules.play_time(tournament, 400)
    tournament = rules.pause(tournament)
    assert rules.play_time(tournament, 10_000) == tournament
    tournament = rules.finish_hand(tournament, 1, stacks_of(tournament))
    with pytest.raises(TournamentRefusal, match="paused"):
        rules.deal(tournament, 1)
    tournament = rules.resume(tournament)
    assert tournament.clock == LevelClock(used=400)
    assert dealt(tournament).table(1).hand is not None


def test_a_hand_that_is_played_out_in_a_pause_counts():
    """Where levels are counted in hands it is one; time is not."""
    tournament = rules.pause(dealt(started(terms(levels=schedule(1, 1)))))
    assert rules.finish_hand(tournament, 1, stacks_of(tournament)).clock.level == 1


def test_i4_a_void_hand_was_never_dealt():
    """I4: stacks and button are as before, and the next hand is the same one again."""
    tournament = started()
    tournament = with_stacks(tournament, stacks_of(tournament))
    again = rules.void_hand(dealt(tournament), 1)
    assert again == tournament
    assert dealt(again) == dealt(tournament)


# --- places


def test_i2_the_larger_stack_at_hand_start_places_higher():
    """I2: two players bust in one hand; the bubble pays no prize."""
    tournament = started(terms(4, (Money(700), Money(260))))
    tournament = with_stacks(tournament, {1: 2_000, 2: 1_000, 3: 500, 4: 2_500})
    before, tournament = tournament, with_stacks(tournament, {1: 0, 2: 0, 3: 1_000, 4: 5_000})
    assert placed(before, tournament) == [(4, 4, 0), (3, 3, 0)]
    names = accounts(tournament)
    assert [standing.account for standing in tournament.standings] == [names[1], names[2]]


def test_i2_equal_stacks_share_the_tied_prizes():
    """I2 [D]: the odd unit goes to the first left of the button, and each player has a number of their own."""
    before = started(terms(4, (Money(509), Money(301), Money(150))))
    tournament = with_stacks(before, {1: 0, 2: 0, 3: 6_000, 4: 0})  # the button is at seat 1
    assert placed(before, tournament) == [(4, 2, 150), (3, 2, 150), (2, 2, 151), (1, 1, 509)]
    names = accounts(tournament)
    assert [standing.account for standing in tournament.standings] == [names[3], names[2], names[4], names[1]]
    assert tournament.phase is TournamentPhase.finished


def test_i1_i2_ten_players_are_paid_12_7_and_5():
    """I1, I2: one out a hand; the last three are paid as the seed says."""
    tournament, prizes = started(terms(10, TEN)), []
    for seat in range(10, 1, -1):
        stacks = stacks_of(tournament)
        stacks[1] += stacks[seat]
        stacks[seat] = 0
        before, tournament = tournament, with_stacks(tournament, stacks)
        prizes += placed(before, tournament)
    assert prizes == [*[(n, n, 0) for n in range(10, 3, -1)], (3, 3, 500), (2, 2, 700), (1, 1, 1_200)]
    assert tournament.phase is TournamentPhase.finished
    assert [standing.number for standing in tournament.standings] == list(range(1, 11))


@pytest.mark.parametrize(
    "stacks",
    [
        {1: 1_500, 2: 1_500, 3: 1_501},
        {1: 1_500, 2: 1_500, 3: 1_499},
        {1: 1_500, 2: 3_000},
        {1: 1_500, 2: 1_500, 4: 1_500},
        {1: 1_500, 2: -1, 3: 3_001},
    ],
)
def test_a2_a_hand_keeps_all_chips(stacks):
    """A2: a result that makes or loses chips, or is of other seats, is a bug of ours."""
    with pytest.raises(InvariantBroken):
        with_stacks(started(THREE), stacks)


# --- who is away


def test_h5_a_player_who_is_away_is_dealt_in_until_they_have_nothing():
    """H5: the player posts like all others, may come back and play on, and is placed when their chips are gone."""
    tournament = started(THREE)
    gone = accounts(tournament)[3]
    tournament = rules.go_away(tournament, gone)
    assert tournament.player(gone).away
    assert rules.go_away(tournament, gone) == tournament
    plan = dealt(tournament).table(1).hand.plan
    assert 3 in plan.order
    assert plan.posts[3].blind == 20
    back = rules.come_back(tournament, gone)
    assert not back.player(gone).away
    before, tournament = tournament, with_stacks(tournament, {1: 1_500, 2: 3_000, 3: 0})
    assert placed(before, tournament) == [(3, 3, 0)]
    with pytest.raises(TournamentRefusal, match="not_playing"):
        rules.come_back(tournament, gone)


# --- by an operator


def test_i3_roll_back_takes_all_places_back():
    """I3: also who is out already, as long as no prize is won; a hand in progress is void."""
    tournament = with_stacks(started(THREE), {1: 0, 2: 2_000, 3: 2_500})
    tournament = rules.roll_back(dealt(tournament))
    assert tournament.phase is TournamentPhase.rolled_back
    assert (tournament.between_hands, tournament.standings) == (True, ())


def test_i3_roll_back_is_refused_once_a_prize_is_won():
    """I3 [D]: it may be paid already; then there is roll forward."""
    tournament = with_stacks(
        started(terms(3, (Money(400), Money(220), Money(100)))), {1: 0, 2: 2_000, 3: 2_500}
    )
    with pytest.raises(TournamentRefusal, match="prizes_won"):
        rules.roll_back(tournament)


def test_i3_roll_forward_before_the_money():
    """I3: half of the pool equally, half by chips, among those who are left."""
    tournament = started(terms(4, (Money(600), Money(360))))
    tournament = with_stacks(tournament, {1: 3_000, 2: 2_000, 3: 1_000, 4: 0})
    after = rules.roll_forward(dealt(tournament))
    names = accounts(tournament)
    paid = {s.account: s.prize for s in after.standings}
    # 480 equally: 160 each. 480 by 3:2:1: 240, 160, 80.
    assert paid == {names[1]: 400, names[2]: 320, names[3]: 240, names[4]: 0}
    assert placed(tournament, after) == [(3, 3, 240), (2, 2, 320), (1, 1, 400)]
    assert after.phase is TournamentPhase.rolled_forward


def test_i3_roll_forward_in_the_money():
    """I3: each gets the lowest unpaid prize, the rest goes by chips; what was paid stays paid."""
    tournament = started(terms(3, (Money(400), Money(220), Money(100))))
    tournament = with_stacks(tournament, {1: 0, 2: 3_000, 3: 1_500})
    after = rules.roll_forward(tournament)
    names = accounts(tournament)
    assert {s.account: s.prize for s in after.standings} == {names[2]: 340, names[3]: 280, names[1]: 100}


def test_i3_roll_forward_places_equal_stacks_together():
    """I3: players with equal chips get equal amounts, but for the odd unit."""
    tournament = started(terms(3, (Money(720),)))
    after = rules.roll_forward(tournament)
    assert placed(tournament, after) == [(3, 1, 240), (2, 1, 240), (1, 1, 240)]
    assert sum(standing.prize for standing in after.standings) == 720


# --- refusals change nothing

OPEN = replace(full(THREE), registered=(101, 102))
RUNNING = started(THREE)
PLAYING = dealt(RUNNING)
OVER = with_stacks(RUNNING, {1: 4_500, 2: 0, 3: 0})


@pytest.mark.parametrize(
    ("tournament", "request_of", "code"),
    [
        (OPEN, lambda t: rules.start(t, counting), "not_full"),
        (RUNNING, lambda t: rules.start(t, counting), "tournament_started"),
        (OPEN, lambda t: rules.deal(t, 1), "not_running"),
        (OPEN, rules.roll_back, "not_running"),
        (OPEN, rules.roll_forward, "not_running"),
        (OPEN, rules.pause, "not_running"),
        (OPEN, lambda t: rules.play_time(t, 1), "not_running"),
        (OPEN, lambda t: rules.go_away(t, 101), "not_running"),
        (RUNNING, lambda t: rules.finish_hand(t, 1, {}), "no_hand"),
        (RUNNING, lambda t: rules.void_hand(t, 1), "no_hand"),
        (RUNNING, rules.resume, "not_paused"),
        (replace(RUNNING, paused=True), rules.pause, "paused"),
        (RUNNING, lambda t: rules.go_away(t, 999), "not_playing"),
        (PLAYING, lambda t: rules.deal(t, 1), "hand_in_progress"),
        (OVER, lambda t: rules.deal(t, 1), "not_running"),
        (OVER, rules.roll_back, "not_running"),
        (OVER, rules.roll_forward, "not_running"),
    ],
)
def test_a_refusal_names_its_code_and_changes_nothing(tournament, request_of, code):
    """Each impossible request has its code, and the state is unchanged."""
    before = replace(tournament)
    with pytest.raises(TournamentRefusal) as refused:
        request_of(tournament)
    assert refused.value.code == code
    assert tournament == before


def test_terms_that_cannot_be_are_refused():
    """A prize table that is not the pool, more than ten seats, and players without chips."""
    with pytest.raises(PrizeTableError, match="60 too much"):
        terms(6, (Money(1_000), Money(500)))
    with pytest.raises(ValueError, match="ten seats"):
        terms(11, (Money(2_640),))
    with pytest.raises(ValueError, match="starting stack"):
        terms(stack=0)
