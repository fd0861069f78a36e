"""L6: players who come late to a table of a tournament, or from another of its tables."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerroom.rules.button import Candidate, Owes, missed_blinds, plan_hand
from pokerroom.rules.planned_hand import HandPlan, Positions, Post
from pokerroom.rules.stakes import Stakes
from tests.effort import times

STAKES = Stakes(small_blind=50, big_blind=100)
SEATS = 9


def after(button, small_blind, big_blind) -> Positions:
    return Positions(button=button, small_blind=small_blind, big_blind=big_blind)


def plan(previous, stay, moved=(), balanced=()) -> HandPlan:
    owes = dict.fromkeys(stay, Owes.nothing) | dict.fromkeys(moved, Owes.moved)
    owes |= dict.fromkeys(balanced, Owes.balanced)
    candidates = [Candidate(seat=seat, owes=owes[seat]) for seat in sorted(owes)]
    found = plan_hand(previous, candidates, SEATS, STAKES)
    assert found is not None
    return found


def places(found: HandPlan) -> tuple[int, int | None, int]:
    return found.positions.button, found.positions.small_blind, found.positions.big_blind


@pytest.mark.parametrize("how", ["moved", "balanced"])
@pytest.mark.parametrize("previous", [after(7, 9, 2), after(7, 8, 2)])
def test_l6_a_mover_between_button_and_small_blind_waits_one_hand(previous, how):
    """L6: seat 1 is behind the new button and before the small blind: no cards and no claim to the button there."""
    stay = (2, 3, 5, 7, 8)
    first = plan(previous, stay, **{how: (1,)})
    assert places(first) == (previous.small_blind, 2, 3)
    assert 1 not in first.order
    assert first.settled == frozenset()

    second = plan(first.positions, stay, **{how: (1,)})
    assert places(second) == (2, 3, 5)
    assert 1 in second.order
    assert second.posts[1] == Post(ante=0, blind=0, blind_kind=None, dead=0)
    assert second.settled == {1}


@pytest.mark.parametrize("how", ["moved", "balanced"])
def test_l6_a_mover_is_the_big_blind_at_once(how):
    """L6: where the seat is the next to have the big blind, the mover posts it, and nothing more."""
    found = plan(after(1, 2, 3), (1, 2, 3, 5, 6), **{how: (4,)})

    assert places(found) == (2, 3, 4)
    assert found.posts[4].blind == 100
    assert found.settled == {4}


@pytest.mark.parametrize("how", ["moved", "balanced"])
def test_l6_a_mover_behind_the_big_blind_is_dealt_in_and_posts_nothing(how):
    """L6: every other position has its hand at once, and the mover pays no more than the players who were there."""
    found = plan(after(1, 2, 3), (1, 2, 3, 4), **{how: (6,)})

    assert found.order == (3, 4, 6, 1, 2)
    assert found.posts[6] == Post(ante=0, blind=0, blind_kind=None, dead=0)


@pytest.mark.parametrize("how", ["moved", "balanced"])
def test_l6_a_mover_may_have_the_button(how):
    """L6: the seat of the last small blind has the button, also where its player has moved or is out."""
    found = plan(after(1, 2, 3), (1, 3, 4, 5), **{how: (2,)})

    assert places(found) == (2, 3, 4)
    assert found.order[-1] == 2


def test_l6_only_a_mover_for_balance_does_not_come_in_as_the_small_blind():
    """L6: into the seat of the last big blind: the small blind, or a wait of one hand and then the button."""
    drawn = plan(after(1, 2, 3), (1, 2, 4, 5), moved=(3,))
    assert places(drawn) == (2, 3, 4)
    assert drawn.posts[3].blind == 50

    waits = plan(after(1, 2, 3), (1, 2, 4, 5), balanced=(3,))
    assert places(waits) == (2, None, 4)
    assert 3 not in waits.order
    in_again = plan(waits.positions, (1, 2, 4, 5), balanced=(3,))
    assert places(in_again) == (3, 4, 5)


def test_l6_a_third_player_has_the_button_of_two_who_were_heads_up():
    """L6 [D]: 9 and 1 were heads-up; behind the big blind and before the small one sits the mover alone."""
    found = plan(after(1, 1, 9), (1, 9), balanced=(2,))

    assert places(found) == (2, 9, 1)
    assert found.order == (9, 1, 2)


def test_l6_the_button_goes_to_a_player_who_was_there():
    """L6 [D]: only seats between the last blinds are left: the button is 6's, and 7 waits behind it."""
    found = plan(after(3, 4, 8), (5, 6, 8), balanced=(7,))

    assert places(found) == (6, 8, 5)
    assert 7 not in found.order


@pytest.mark.parametrize(("stay", "balanced"), [((4,), (2,)), ((4,), (3,)), ((), (2, 3))])
def test_l6_a_wait_ends_where_fewer_than_two_could_play(stay, balanced):
    """L6 [D]: the only players left play at once."""
    found = plan(after(1, 2, 3), stay, balanced=balanced)

    assert sorted(found.order) == sorted({*stay, *balanced})


def test_l6_movers_who_all_came_from_elsewhere_play_on():
    """L6: with movers alone the big blind moves on by one, and no player needs to have been there."""
    found = plan(after(1, 2, 3), (), moved=(1, 4, 6))

    assert places(found) == (2, None, 4)
    assert found.order == (4, 6, 1)


def test_l6_a_mover_misses_no_blind():
    """L6: a wait costs nothing, whatever passes the seat."""
    absent = [(1, Owes.moved), (2, Owes.balanced)]

    assert missed_blinds(after(7, 8, 9), after(8, 9, 3), absent, SEATS) == dict(absent)


def clockwise(start: int, seat: int) -> int:
    return (seat - start) % SEATS


@settings(max_examples=times(100), deadline=None)
@given(
    start=st.sets(st.integers(1, SEATS), min_size=4),
    happenings=st.lists(
        st.tuples(st.integers(1, SEATS), st.sampled_from([Owes.moved, Owes.balanced])), max_size=40
    ),
)
def test_l6_a_mover_waits_at_most_one_hand_and_never_comes_in_for_free(start, happenings):
    """L6, B3: three or more who play; players go out and others come; the big blind goes round without a gap."""
    seats = dict.fromkeys(start, Owes.nothing)
    previous: Positions | None = None
    waited: set[int] = set()
    for seat, how in happenings:
        if seat not in seats:
            seats[seat] = how
        elif list(seats.values()).count(Owes.nothing) > 3 and seats[seat] is Owes.nothing:
            del seats[seat]
        candidates = [Candidate(seat=number, owes=owes) for number, owes in sorted(seats.items())]
        found = plan_hand(previous, candidates, SEATS, STAKES, first_button=min(seats))
        assert found is not None
        button, small, big = places(found)
        order = set(found.order)
        if previous is not None:
            assert big == min(seats, key=lambda number: clockwise(previous.big_blind + 1, number))
            assert {number for number, owes in seats.items() if owes is Owes.nothing} <= order
            waits = set(seats) - order
            assert not waits & waited
            small_seat = found.positions.small_blind_seat
            assert small_seat == previous.big_blind
            for number in seats:
                between = clockwise(button, number) < clockwise(button, small_seat) and number != button
                assert (number in waits) == (between or (number == small_seat and number in waits))
                if number in waits and not between:
                    assert seats[number] is Owes.balanced
            assert small is None or seats[small] is not Owes.balanced
            assert all(found.posts[number].blind == 0 for number in order - {small, big})
            waited = waits
        for number in found.order:
            seats[number] = Owes.nothing
        previous = found.positions
