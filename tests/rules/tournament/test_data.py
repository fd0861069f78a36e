"""A tournament's state as plain data: what does not add up is not played on with."""

from dataclasses import replace

import pytest

from pokerroom.chips import Money
from pokerroom.rules.button import Owes
from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.data import (
    change_to_data,
    tournament_from_data,
    tournament_to_data,
    with_change,
)
from tests.rules.tournament.support import counting, dealt, full, schedule, started, terms, with_stacks


def test_before_the_start_it_is_read_back_too():
    """There are no players yet, only accounts."""
    tournament = full()
    assert tournament_from_data(tournament_to_data(tournament), tournament.terms) == tournament


@pytest.mark.parametrize(
    "tamper",
    [
        lambda data: data["players"][0].__setitem__(3, 1_501),
        lambda data: data["players"].pop(),
        lambda data: data["players"][0].__setitem__(2, 3),
        lambda data: data["players"][0].__setitem__(1, 2),
        lambda data: data["tables"].append(data["tables"][0]),
        lambda data: data["standings"].clear(),
        lambda data: data["standings"].append(data["standings"][0]),
        lambda data: data["clock"].__setitem__(0, 9),
    ],
)
def test_a_state_that_does_not_add_up_is_refused(tamper):
    """A2: chips made, players lost, two in a seat, no such table, no place or two, a level that is not there."""
    stacks = dict.fromkeys(range(1, 7), 1_500) | {1: 3_000, 2: 0}
    tournament = with_stacks(started(), stacks)
    data = tournament_to_data(tournament)
    tamper(data)
    with pytest.raises(InvariantBroken):
        tournament_from_data(data, terms())


@pytest.mark.parametrize(
    ("clock", "is_one"),
    [
        ([0, 0, 0], True),
        ([0, 0, 1], False),
        ([1, 0, 60_000], True),
        ([1, 0, 60_001], False),
        ([2, 0, 30_000], True),
        ([2, 0, 30_001], False),
        ([1, 0, -1], False),
        ([1, -1, 0], False),
    ],
)
def test_i3_a_break_lasts_no_longer_than_that_after_the_level_before(clock, is_one):
    """I3: no break goes before the first level, and no time on the clock is below 0."""
    at = terms(levels=schedule(10, 10, 10, breaks=(60_000, 30_000)))
    data = {**tournament_to_data(started(at)), "clock": clock}
    if is_one:
        assert tournament_to_data(tournament_from_data(data, at)) == data
        return
    with pytest.raises(InvariantBroken):
        tournament_from_data(data, at)


@pytest.mark.parametrize("hand", [None, 0])
def test_data_of_the_version_before_are_read(hand):
    """They knew one table and did not name it."""
    stacks = dict.fromkeys(range(1, 7), 1_500) | {1: 3_000, 2: 0}
    tournament = with_stacks(started(), stacks)
    data = tournament_to_data(tournament)
    del data["version"]
    ((_, positions, _, hands),) = data.pop("tables")
    data |= {"positions": positions, "hand": hand, "hands": hands}
    data["players"] = [[account, seat, chips, away] for account, _, seat, chips, away in data["players"]]
    expected = tournament if hand is None else dealt(tournament)
    assert tournament_from_data(data, terms()) == expected


def test_data_of_a_later_version_are_refused():
    """Their meaning is not known."""
    with pytest.raises(ValueError, match="of version 3"):
        tournament_from_data({**tournament_to_data(started()), "version": 3}, terms())


def test_l6_players_that_wait_after_a_move_are_kept():
    """L6: what they owe is in the data."""
    tournament = started(terms(table_seats=3))
    one, two, *others = tournament.players
    players = (replace(one, owes=Owes.moved), replace(two, owes=Owes.balanced), *others)
    waiting = replace(tournament, players=players)
    assert tournament_from_data(tournament_to_data(waiting), tournament.terms) == waiting


def test_l6_a_hand_is_kept_with_the_players_it_was_dealt_to():
    """L6: one who has come to the table since, with a debt, is not of it."""
    tournament = dealt(started(terms(table_seats=4)))
    mover = tournament.left_at(2)[0]
    players = tuple(
        replace(player, table=1, seat=4, owes=Owes.moved) if player == mover else player
        for player in tournament.players
    )
    later = replace(tournament, players=players)
    assert 4 not in later.table(1).hand.plan.order
    assert tournament_from_data(tournament_to_data(later), tournament.terms) == later


def test_the_changes_of_tables_make_the_state_after_them():
    """Chips, seats that wait, hands, places, the clock, and players out in hand-for-hand, one table after the other."""
    at = terms(9, prizes=(Money(9 * 240),), stack=100, table_seats=3)
    tournament = rules.start(full(at), counting)
    data = tournament_to_data(tournament)
    for table in (2, 1, 3, 1):
        before = len(tournament.standings)
        tournament = rules.deal(tournament, table)
        data = with_change(data, change_to_data(tournament, table, before))
        assert data == tournament_to_data(tournament)
        left = tournament.left_at(table)
        stacks = {player.seat: player.chips for player in left} | {left[0].seat: 0}
        stacks[left[1].seat] += left[0].chips
        tournament = rules.finish_hand(tournament, table, stacks)
        data = with_change(data, change_to_data(tournament, table, before))
        assert data == tournament_to_data(tournament)
    assert len(tournament.standings) + len(tournament.out) == 4
    assert tournament_from_data(data, at) == tournament
