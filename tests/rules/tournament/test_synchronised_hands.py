"""`pokerroom.rules.tournament.tournament` in hand-for-hand (L8): places over tables, and the clock."""

from dataclasses import replace

import pytest

from pokerroom.chips import Chips, Money
from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.data import tournament_from_data, tournament_to_data
from pokerroom.rules.tournament.hand_for_hand import TiedEliminations
from pokerroom.rules.tournament.schedule import LengthUnit
from pokerroom.rules.tournament.state import TablePlay, Tournament, TournamentPhase, TournamentPlayer
from tests.rules.tournament.support import schedule, terms

PAID_TO_FIVE = (Money(30), Money(30), Money(29), Money(26))
"""What is paid to the second to fifth of six, beside the first prize of 13.25."""

STACKS = {1: {1: 900, 2: 400, 3: 700}, 2: {1: 650, 2: 350, 3: 1_000}}
"""By table and seat; account 11 is that of table 1 and seat 1."""


def field(paid, stacks=STACKS):
    """A tournament of six at two tables, which pays so many places."""
    prizes = tuple(Money(60 - number) for number in range(paid))
    prizes = (Money(6 * 240 - sum(prizes[1:])), *prizes[1:])
    players = [
        TournamentPlayer(account=10 * table + seat, table=table, seat=seat, chips=Chips(chips))
        for table, seats in stacks.items()
        for seat, chips in seats.items()
    ]
    return Tournament(
        terms=terms(6, prizes, stack=1, table_seats=3, levels=schedule(100_000, 200_000, unit=LengthUnit.ms)),
        phase=TournamentPhase.running,
        players=tuple(players),
        tables=(TablePlay(number=1), TablePlay(number=2)),
    )


def lost(tournament, table, *out):
    """The hand of a table ends, the players of these seats are out."""
    stacks = {player.seat: player.chips for player in tournament.left_at(table)}
    winner = next(seat for seat in stacks if seat not in out)
    stacks[winner] += sum(stacks[seat] for seat in out)
    return rules.finish_hand(tournament, table, stacks | dict.fromkeys(out, 0))


def test_l8_eliminations_of_all_tables_count_as_one_hand():
    """T13: 900 and 400 at table 1, 650 at table 2: they finish in the order of their stacks."""
    tournament = field(5)
    assert tournament.hand_for_hand
    playing = rules.deal(rules.deal(tournament, 1), 2)
    first = lost(playing, 1, 1, 2)
    assert first.standings == ()
    assert {one.account for one in first.out} == {11, 12}
    assert first.hand_for_hand
    both = lost(first, 2, 1)
    assert [(one.number, one.account) for one in both.standings] == [(4, 11), (5, 21), (6, 12)]
    assert both.out == ()


def test_l8_equal_stacks_tie_at_different_tables():
    """They share the prizes of their places, the odd unit to the lower table."""
    tournament = field(5, {1: {1: 500, 2: 400, 3: 700}, 2: {1: 400, 2: 350, 3: 1_000}})
    both = lost(lost(rules.deal(rules.deal(tournament, 1), 2), 2, 1), 1, 2)
    assert [(one.number, one.place, one.account, one.prize) for one in both.standings] == [
        (5, 5, 12, 28),
        (6, 5, 21, 28),
    ]


def sharing(tournament):
    """The same tournament, in which all tie that are out in one synchronised hand."""
    return replace(tournament, terms=replace(tournament.terms, ties=TiedEliminations.share))


def test_t12_all_players_out_in_a_synchronised_hand_may_share():
    """L8: whatever their stacks. Of six, five are paid, and three go out: they share 0.29 and 0.26."""
    tournament = sharing(
        replace(field(5), terms=replace(field(5).terms, prizes=(Money(1_325), *PAID_TO_FIVE)))
    )
    both = lost(lost(rules.deal(rules.deal(tournament, 1), 2), 1, 1, 2), 2, 1)
    assert [(one.number, one.place, one.account, one.prize) for one in both.standings] == [
        (4, 4, 12, 19),
        (5, 4, 11, 18),
        (6, 4, 21, 18),
    ]


def test_l8_players_of_other_hands_do_not_share():
    """Two must go out before all are paid: the stacks decide, as in a tournament of one table."""
    first = lost(rules.deal(rules.deal(sharing(field(3)), 1), 2), 1, 1, 2)
    assert [(one.place, one.account) for one in first.standings] == [(5, 11), (6, 12)]


def test_l8_players_of_a_hand_that_began_before_hand_for_hand_do_not_share():
    """The hand at table 1 ends first, and one must go out now; that at table 2 was dealt before."""
    tournament = sharing(field(4))
    assert not tournament.hand_for_hand
    both = rules.deal(rules.deal(tournament, 1), 2)
    first = lost(both, 1, 2)
    assert first.hand_for_hand
    assert not first.synchronised
    ended = lost(first, 2, 1, 2)
    assert [(one.place, one.account) for one in ended.standings] == [(4, 21), (5, 22), (6, 12)]


def test_l8_players_share_also_if_their_hand_is_not_known_any_more():
    """The ledger has their stacks at its start alone."""
    out = {12: 400, 11: 900}
    players = [replace(one, chips=Chips(0)) if one.account in out else one for one in field(5).players]
    tournament = replace(field(5), players=tuple(players))
    assert [one.place for one in rules.without_chips(tournament, out).standings] == [5, 6]
    assert [one.place for one in rules.without_chips(sharing(tournament), out).standings] == [5, 5]


def test_i4_a_void_hand_is_the_last_of_a_synchronised_one():
    """I4: the players of the other table are placed then."""
    first = lost(rules.deal(rules.deal(field(5), 1), 2), 1, 2)
    assert [one.account for one in rules.void_hand(first, 2).standings] == [12]


def test_i3_players_that_are_out_are_placed_before_it_is_rolled_forward():
    """I3: behind those that are left."""
    first = lost(rules.deal(rules.deal(field(5), 1), 2), 1, 2)
    ended = rules.roll_forward(first)
    assert (ended.standings[-1].number, ended.standings[-1].account) == (6, 12)
    assert len(ended.standings) == 6


def test_l8_outside_of_hand_for_hand_each_table_places_its_own():
    """Two must go out before all are paid, and two before the final table."""
    tournament = field(3)
    assert not tournament.hand_for_hand
    first = lost(rules.deal(rules.deal(tournament, 1), 2), 1, 2)
    assert [one.account for one in first.standings] == [12]


@pytest.mark.parametrize("hands_s", [(45,), (130,), (45, 130, 300)])
def test_t20_a_synchronised_hand_takes_two_minutes_off_its_level_at_most(hands_s):
    """L8: 45 s, 130 s and 300 s take 285 s; between two hands the level stands."""
    tournament = field(5)
    used = 0
    for length_s in hands_s:
        tournament = rules.play_time(tournament, 60_000)
        playing = rules.deal(rules.deal(tournament, 1), 2)
        for _ in range(length_s):
            playing = rules.play_time(playing, 1_000)
        used += min(length_s, 120)
        tournament = rules.void_hand(rules.void_hand(playing, 2), 1)
        before = [0, 100_000, 300_000][tournament.clock.level]
        assert before + tournament.clock.used == 1_000 * used


def test_a_journal_has_the_synchronised_hand():
    """Its players that are out, and its time; a journal of a version before has none."""
    tournament = field(5, {1: {1: 1, 2: 1, 3: 1}, 2: {1: 1, 2: 1, 3: 1}})
    first = rules.play_time(lost(rules.deal(rules.deal(tournament, 1), 2), 1, 2), 7_000)
    data = tournament_to_data(first)
    assert tournament_from_data(data, first.terms) == first
    assert first.synchronised_ms == 7_000
    before = {
        key: value
        for key, value in tournament_to_data(tournament).items()
        if key not in {"out", "synchronised", "synchronised_ms"}
    }
    assert tournament_from_data(before, tournament.terms) == tournament
