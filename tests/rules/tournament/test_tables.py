"""A tournament of two tables: each has its own hands, and places are those of the whole tournament."""

import pytest

from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.data import tournament_from_data, tournament_to_data
from pokerroom.rules.tournament.refusal import TournamentRefusal
from pokerroom.rules.tournament.schedule import LengthUnit
from pokerroom.rules.tournament.state import TournamentPhase
from tests.rules.tournament.support import schedule, started, terms

SIX_AT_TWO = terms(table_seats=3)


@pytest.fixture
def tournament():
    """Three players at each of two tables."""
    return started(SIX_AT_TWO)


def stacks_at(tournament, table):
    return {player.seat: player.chips for player in tournament.left_at(table)}


def after_hand(tournament, table, stacks):
    """After one more hand at this table."""
    return rules.finish_hand(rules.deal(tournament, table), table, stacks)


def test_a_table_that_is_not_there_is_an_error(tournament):
    """Tables are numbered from 1, and one that was closed is gone."""
    assert [tournament.table(number).number for number in (1, 2)] == [1, 2]
    for number in (0, 3):
        with pytest.raises(LookupError):
            tournament.table(number)


@pytest.mark.parametrize(("players", "sizes"), [(6, [3, 3]), (5, [3, 2]), (3, [3])])
def test_players_are_dealt_out_to_the_tables_in_turn(players, sizes):
    """The sizes differ by one at most, and each table has its seats from the first one on."""
    found = started(terms(players, (240 * players,), table_seats=3))
    assert [len(found.left_at(table.number)) for table in found.tables] == sizes
    for table in found.tables:
        assert {player.seat for player in found.left_at(table.number)} == set(
            range(1, len(found.left_at(table.number)) + 1)
        )


def test_each_table_has_its_own_hand(tournament):
    """One table deals while the other plays; a hand moves chips between its own players only (A2)."""
    tournament = rules.deal(tournament, 2)
    tournament = rules.deal(tournament, 1)
    with pytest.raises(TournamentRefusal, match="hand_in_progress"):
        rules.deal(tournament, 2)
    with pytest.raises(InvariantBroken):
        rules.finish_hand(tournament, 2, {1: 1_500, 2: 1_500, 3: 1_600})
    tournament = rules.finish_hand(tournament, 2, {1: 1_400, 2: 1_500, 3: 1_600})
    assert [table.hands for table in tournament.tables] == [0, 1]
    assert stacks_at(tournament, 1) == dict.fromkeys((1, 2, 3), 1_500)
    assert not tournament.between_hands
    tournament = rules.void_hand(tournament, 1)
    assert (tournament.between_hands, tournament.table(1).positions) == (True, None)


def test_i2_places_are_those_of_all_tables(tournament):
    """I2: whoever busts first has the last place, at whichever table that is."""
    tournament = after_hand(tournament, 2, {1: 0, 2: 3_000, 3: 1_500})
    tournament = after_hand(tournament, 1, {1: 0, 2: 0, 3: 4_500})
    assert [standing.number for standing in tournament.standings] == [4, 5, 6]
    assert [standing.place for standing in tournament.standings] == [4, 4, 6]
    assert tournament.phase is TournamentPhase.running


def test_a_player_who_is_alone_at_a_table_waits(tournament):
    """No hand is dealt, and no blind is paid; the tournament is not over."""
    tournament = after_hand(tournament, 1, {1: 0, 2: 0, 3: 4_500})
    with pytest.raises(TournamentRefusal, match="too_few_players"):
        rules.deal(tournament, 1)
    assert len(tournament.left()) == 4


def test_a_break_begins_when_no_table_plays(tournament):
    """Its time counts from then on."""
    levels = schedule(1_000, 1_000, unit=LengthUnit.ms, breaks=(5_000,))
    tournament = started(terms(table_seats=3, levels=levels))
    tournament = rules.deal(tournament, 1)
    tournament = rules.play_time(tournament, 1_000)
    assert rules.break_time(tournament, 5_000) == tournament
    tournament = rules.finish_hand(tournament, 1, stacks_at(tournament, 1))
    tournament = rules.break_time(tournament, 5_000)
    assert tournament.clock.break_left_ms == 0


def test_levels_of_hands_count_those_of_the_table_with_most():
    """[D] So a level is as long with many tables as with one."""
    tournament = started(terms(table_seats=3, levels=schedule(2, 2)))
    for table in (1, 2, 1):
        assert tournament.clock.level == 0
        tournament = after_hand(tournament, table, stacks_at(tournament, table))
    assert tournament.clock.level == 1


def test_a_state_of_two_tables_is_written_down_and_read_back(tournament):
    """With a hand in progress at one of them."""
    tournament = after_hand(tournament, 2, {1: 0, 2: 3_000, 3: 1_500})
    tournament = rules.deal(tournament, 1)
    assert tournament_from_data(tournament_to_data(tournament), SIX_AT_TWO) == tournament
