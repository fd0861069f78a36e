"""L14: how a satellite ends."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerroom.chips import Chips, Money
from pokerroom.rules.betting import NoLimit
from pokerroom.rules.stakes import Stakes
from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.data import tournament_from_data, tournament_to_data
from pokerroom.rules.tournament.entries import EntryTerms, Purchase
from pokerroom.rules.tournament.prize_table import PayoutTerms
from pokerroom.rules.tournament.refusal import TournamentRefusal
from pokerroom.rules.tournament.schedule import BlindSchedule, LengthUnit, Level
from pokerroom.rules.tournament.seat_awards import with_seats
from pokerroom.rules.tournament.seat_draw import RandomNumbers
from pokerroom.rules.tournament.state import Tournament, TournamentPhase, TournamentTerms
from tests.effort import times


def numbers():
    return RandomNumbers(bytes)


def terms(value, *, part=2_200, guaranteed=0, seats=9):
    level = Level(stakes=Stakes(small_blind=10, big_blind=20), structure=NoLimit(), length=60_000)
    return TournamentTerms(
        seats=100,
        table_seats=seats,
        buy_in=Money(part),
        fee=Money(0),
        starting_stack=Chips(1_000),
        schedule=BlindSchedule(levels=(level,) * 5, unit=LengthUnit.ms),
        prizes=(),
        entries=EntryTerms(entry=Purchase(prize=Money(part), chips=Chips(1_000)), players_max=100),
        payout=PayoutTerms(guarantee=Money(guaranteed * value), seat_value=Money(value)),
    )


def begun(players, value, **more):
    """The entries have closed at once."""
    running = rules.start(
        Tournament(terms=terms(value, **more), registered=tuple(range(1, players + 1))), bytes
    )
    return rules.close_entries(running, rules.prizes_due(running))


def with_chips(tournament, chips):
    """Give the players these chips, by account."""
    return tournament.with_players(
        {account: replace(tournament.player(account), chips=Chips(held)) for account, held in chips.items()}
    )


def played(tournament, table, *losers):
    """Deal a hand of a table, in which these lose all chips to another one; return it with its deal."""
    dealt = rules.deal(tournament, table)
    return finished(dealt, table, *losers)


def finished(dealt, table, *losers):
    order = dealt.table(table).hand.plan.order
    there = {player.seat: player for player in dealt.left_at(table) if player.seat in order}
    winner = next(seat for seat in order if there[seat].account not in losers)
    stacks = {seat: 0 if player.account in losers else int(player.chips) for seat, player in there.items()}
    stacks[winner] += sum(player.chips for player in there.values() if player.account in losers)
    return rules.finish_hand(dealt, table, stacks)


def places(tournament):
    return sorted((one.number, one.place, one.account, one.prize) for one in tournament.standings)


def at(tournament, table):
    return [player.account for player in tournament.left_at(table)]


@pytest.mark.parametrize(
    ("guaranteed", "prizes"), [(0, [21_500] * 4 + [17_400]), (5, [21_500] * 5)], ids=["pool", "guarantee"]
)
def test_l14_t11_the_prizes_are_seats_and_what_is_left(guaranteed, prizes):
    """L14, T11: 47 entries of 22.00 are four seats of 215.00 and 174.00; five where so many are guaranteed."""
    found = begun(47, 21_500, guaranteed=guaranteed)

    assert list(found.prizes) == prizes
    assert found.seats == prizes.count(21_500)


def test_l14_it_ends_with_as_many_players_as_seats():
    """L14: five players, two seats of 50.00 and 10.00; both that are left are first, and nothing is played on."""
    found = begun(5, 5_000)
    assert (found.prizes, found.seats) == ((5_000, 5_000, 1_000), 2)
    first, second, third, *left = at(found, 1)
    found = played(played(found, 1, first), 1, second)
    assert not found.seats_won
    found = played(found, 1, third)
    assert (found.phase, found.seats_won) == (TournamentPhase.running, True)
    assert tournament_from_data(tournament_to_data(found), found.terms) == found
    for order in (rules.roll_back, rules.roll_forward):
        with pytest.raises(TournamentRefusal, match="prizes_won"):
            order(found)

    ended = with_seats(found, numbers())

    assert ended.phase is TournamentPhase.finished
    assert {account for _, place, account, _ in places(ended) if place == 1} == set(left)
    assert places(ended)[2] == (3, 3, third, 1_000)
    assert [prize for *_, prize in places(ended)] == [5_000, 5_000, 1_000, 0, 0]
    assert tournament_from_data(tournament_to_data(ended), ended.terms) == ended


def test_l14_of_two_out_in_the_last_hand_the_larger_stack_has_the_seat():
    """L14: a seat for each of the two left, and for the one of the two out that had more at the hand's start."""
    found = begun(5, 3_600)
    assert found.prizes == (3_600, 3_600, 3_600, 200)
    first, large, small, *left = at(found, 1)
    found = with_chips(played(found, 1, first), {large: 1_300, small: 700, left[0]: 1_000, left[1]: 2_000})

    ended = with_seats(played(found, 1, large, small), numbers())

    assert {account for _, place, account, prize in places(ended) if (place, prize) == (1, 3_600)} == {
        *left,
        large,
    }
    assert places(ended)[3:] == [(4, 4, small, 200), (5, 5, first, 0)]


def test_l14_of_equal_stacks_a_draw_decides():
    """L14: each of the two may have the seat; who loses the draw has the money of the next place."""
    found = begun(5, 3_600)
    first, one, other, *_ = at(found, 1)
    found = with_chips(played(found, 1, first), {one: 1_000, other: 1_000})
    found = played(found, 1, one, other)

    draws = [with_seats(found, RandomNumbers(lambda count, low=low: bytes([low]) * count)) for low in (0, 1)]

    assert {places(ended)[3] for ended in draws} == {(4, 4, one, 200), (4, 4, other, 200)}
    assert all(ended.phase is TournamentPhase.finished for ended in draws)


def test_l14_players_behind_the_seats_share_the_money():
    """L14: three with equal stacks are out in the hand that leaves two for two seats: they share the 10.00."""
    found = begun(5, 5_000)
    out = at(found, 1)[:3]

    ended = with_seats(played(found, 1, *out), numbers())

    assert [(place, prize) for _, place, _, prize in places(ended)] == [
        (1, 5_000),
        (1, 5_000),
        (3, 334),
        (3, 333),
        (3, 333),
    ]


def test_l14_where_each_player_has_a_seat_all_share_the_rest():
    """L14: three players for four guaranteed seats: three are enough, and the house adds what they lack."""
    found = begun(3, 1_000, guaranteed=4)
    assert found.seats_won
    ended = with_seats(found, numbers())
    assert [(place, prize) for _, place, _, prize in places(ended)] == [(1, 2_200)] * 3
    assert sum(begun(3, 5_000, guaranteed=4).prizes) == 15_000


def test_l14_without_a_seat_the_winner_has_all():
    """L14: a pool that buys no seat is the first prize, and play goes on to the winner."""
    found = begun(2, 5_000)
    assert (found.prizes, found.seats, found.seats_won) == ((4_400,), 0, False)
    loser, winner = at(found, 1)
    ended = played(found, 1, loser)
    assert places(ended) == [(1, 1, winner, 4_400), (2, 2, loser, 0)]


def test_l14_a_hand_of_another_table_takes_no_seat_away():
    """L14: once the hand of one table has decided, a player that another table's hand puts out keeps the seat."""
    found = begun(6, 3_300, seats=3)
    assert found.seats == 4
    first, second = at(found, 1)[:2]
    other = at(found, 2)
    dealt = rules.deal(rules.deal(found, 1), 2)

    decided = finished(dealt, 1, first, second)
    assert decided.seats_won
    decided = with_seats(decided, numbers())
    assert decided.phase is TournamentPhase.running
    assert {account for *_, account, _ in places(decided)} == {first, second}
    after = finished(decided, 2, other[0])
    assert tournament_from_data(tournament_to_data(after), after.terms) == after
    ended = with_seats(after, numbers())

    assert {account for _, place, account, _ in places(ended) if place == 1} == {
        *other,
        *set(at(found, 1)) - {first, second},
    }


def test_l14_hand_for_hand_before_the_last_seat_counts_as_one_hand():
    """L14, L8: five left for four seats: both tables finish their hands, then the larger stack has the last seat."""
    found = begun(6, 3_300, seats=3)
    found = played(found, 1, at(found, 1)[0])
    assert found.hand_for_hand
    small, large = at(found, 1)[0], at(found, 2)[0]
    found = with_chips(found, {small: 900, large: 1_200})
    dealt = rules.deal(rules.deal(found, 1), 2)

    waits = finished(dealt, 1, small)
    assert (waits.seats_won, len(waits.standings)) == (False, 1)
    done = finished(waits, 2, large)
    assert done.seats_won
    ended = with_seats(done, numbers())

    assert places(ended)[4] == (5, 5, small, 0)
    assert large in {account for _, place, account, _ in places(ended) if place == 1}


@settings(max_examples=times(12))  # a whole tournament each
@given(st.integers(2, 30), st.integers(1_000, 30_000), st.integers(0, 6), st.data())
def test_l14_every_satellite_pays_its_pool(players, value, guaranteed, data):
    """L14: seats and money are the pool and the overlay, and each place is given once, however players go out."""
    found = begun(players, value, guaranteed=guaranteed, seats=data.draw(st.sampled_from([3, 9])))
    while found.phase is TournamentPhase.running:
        if found.seats_won:
            found = with_seats(found, numbers())
            continue
        tables = [table.number for table in found.tables if len(at(found, table.number)) > 1]
        if not tables:
            return  # one player at each table: the room combines them
        table = data.draw(st.sampled_from(tables))
        there = at(found, table)
        losers = data.draw(st.lists(st.sampled_from(there), max_size=len(there) - 1, unique=True))
        dealt = rules.deal(found, table)
        seats = dealt.table(table).hand.plan.order
        order = {player.account for player in found.left_at(table) if player.seat in seats}
        found = finished(dealt, table, *(order.intersection(losers) if order - set(losers) else ()))

    due = max(players * 2_200, found.seats * value)
    assert sum(one.prize for one in found.standings) == sum(found.prizes) == due
    assert sorted(one.account for one in found.standings) == list(range(1, players + 1))
    assert sum(one.place == 1 for one in found.standings) == max(1, found.seats)
