"""`pokerroom.rules.tournament.step`: a whole tournament of several tables, hand after hand, with all of its moves."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerroom.chips import Money
from pokerroom.rules.button import Owes
from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.data import tournament_from_data, tournament_to_data
from pokerroom.rules.tournament.seat_draw import RandomNumbers
from pokerroom.rules.tournament.state import Tournament, TournamentPhase
from pokerroom.rules.tournament.step import FINAL_TABLE, moved, moves_due, waiting_tables
from pokerroom.rules.tournament.tables import MoveReason, tables_needed
from tests.effort import times
from tests.rules.tournament.support import full, schedule, terms
from tests.rules.tournament.test_field import source

STACK = 1_000


def field(players, seats, seed=1):
    """A tournament that has started, and the numbers for its draws."""
    at = terms(
        players,
        (Money(240 * players),),
        stack=STACK,
        table_seats=seats,
        levels=schedule(1_000, 1_000),
    )
    return rules.start(full(at), source(seed)), RandomNumbers(source(-seed))


def sizes(tournament):
    return [len(tournament.left_at(table.number)) for table in tournament.tables]


def settled(tournament, numbers, at_rest=None, frozen=()):
    """The tournament after all moves that are due, and the moves."""
    made = []
    while True:
        rest = [table.number for table in tournament.tables if table.hand is None]
        moves = moves_due(tournament, rest if at_rest is None else at_rest, frozen, numbers)
        if not moves:
            return tournament, made
        tournament = moved(tournament, moves)
        made += moves


def busted(tournament, table, out):
    """One hand of a table: the players in these seats of its order lose all to the first in it."""
    dealt = rules.deal(tournament, table)
    order = dealt.table(table).hand.plan.order
    stacks = {player.seat: player.chips for player in dealt.left_at(table) if player.seat in order}
    losers = {order[index % len(order)] for index in out} - {order[0]}
    stacks[order[0]] += sum(stacks[seat] for seat in losers)
    return rules.finish_hand(dealt, table, stacks | dict.fromkeys(losers, 0))


def can_give(tournament, table):
    """Whether a player of this table may move: not all of them still wait for a hand after a move (L5)."""
    return any(player.owes is Owes.nothing for player in tournament.left_at(table))


def check(tournament: Tournament) -> None:
    """No chip is lost, no player is in two seats, and no two players are in one."""
    left = tournament.left()
    assert sum(player.chips for player in left) == tournament.terms.seats * STACK
    assert len({(player.table, player.seat) for player in left}) == len(left)
    assert len({player.account for player in left} | {s.account for s in tournament.standings}) == (
        tournament.terms.seats
    )
    assert tournament_from_data(tournament_to_data(tournament), tournament.terms) == tournament


@given(
    players=st.integers(3, 40),
    seats=st.integers(2, 10),
    seed=st.integers(0, 2**32),
    hands=st.lists(st.tuples(st.integers(0, 99), st.integers(1, 3)), min_size=60, max_size=60),
)
@settings(max_examples=times(20), deadline=None)
def test_a_field_is_played_to_its_winner(players, seats, seed, hands):
    """L4 to L9: after each hand the tables are as few and as even as they can be, and the last two are one.

    A largest table gives none while all of its players wait for their first hand there.
    """
    tournament, numbers = field(players, seats, seed)
    tournament, _ = settled(tournament, numbers)
    while tournament.phase is TournamentPhase.running:
        check(tournament)
        wait = waiting_tables(tournament, ())
        able = [
            t.number
            for t in tournament.tables
            if t.number not in wait and len(tournament.left_at(t.number)) > 1
        ]
        assert able, "some table deals"
        which, out = hands[len(tournament.standings) % len(hands)]
        table = able[which % len(able)]
        count = len(tournament.left_at(table))
        tournament = busted(tournament, table, range(1, 1 + min(out, count - 1)))
        tournament, _ = settled(tournament, numbers)
        left = len(tournament.left())
        if left > tournament.terms.final_seats:
            assert len(tournament.tables) == tables_needed(left, seats)
            largest = max(sizes(tournament))
            if largest - min(sizes(tournament)) > 1:
                full_tables = [
                    t.number for t in tournament.tables if len(tournament.left_at(t.number)) == largest
                ]
                assert not any(can_give(tournament, table) for table in full_tables)
        else:
            assert [t.number for t in tournament.tables] == [FINAL_TABLE]
    check(tournament)
    numbers_given = [one.number for one in tournament.standings]
    assert numbers_given == list(range(1, players + 1))
    assert sum(one.prize for one in tournament.standings) == tournament.terms.pool


def test_l9_before_the_final_table_all_tables_wait_for_the_last_hand():
    """L9: seats are drawn when all hands have ended; six-handed tables combine to seven."""
    tournament, numbers = field(8, 6)
    one, two = (table.number for table in tournament.tables)
    in_hand = rules.deal(tournament, two)
    out = busted(in_hand, one, [1])
    assert waiting_tables(out, ()) == {one, two}
    assert moves_due(out, [one], (), numbers) == ()
    over = rules.void_hand(out, two)
    moves = moves_due(over, [one, two], (), numbers)
    assert {move.reason for move in moves} == {MoveReason.final_table}
    final = moved(over, moves)
    assert sorted(player.seat for player in final.left()) == [1, 2, 3, 4, 5, 6, 7]
    assert [(table.number, table.positions) for table in final.tables] == [(FINAL_TABLE, None)]
    assert rules.deal(final, FINAL_TABLE).table(FINAL_TABLE).hand.plan.positions.button == 1


def test_l9_at_the_final_table_nobody_waits():
    """L9: neither does a player who came in before it, and has drawn the seat that they have."""
    tournament, numbers = field(8, 6)
    tournament = busted(tournament, 1, [1])
    waiting = tuple(replace(player, owes=Owes.balanced) for player in tournament.players)
    tournament = replace(tournament, players=waiting)
    draws = (moves_due(tournament, [1, 2], (), numbers) for _ in range(100))
    moves = next(draw for draw in draws if len(draw) < 7)
    assert {player.owes for player in moved(tournament, moves).left()} == {Owes.nothing}


def test_l4_a_table_that_is_to_be_broken_deals_no_other_hand():
    """L4: its players go when its hand has ended; the others play on."""
    tournament, numbers = field(13, 4)
    assert sizes(tournament) == [4, 3, 3, 3]
    in_hand = rules.deal(tournament, 4)
    out = busted(in_hand, 1, [1])
    assert waiting_tables(out, ()) == {4}
    assert moves_due(out, [1, 2, 3], (), numbers) == ()
    broken, moves = settled(rules.void_hand(out, 4), numbers)
    assert {(move.from_table, move.reason) for move in moves} == {(4, MoveReason.broken_table)}
    assert sizes(broken) == [4, 4, 4]
    assert all(
        player.owes is Owes.moved
        for player in broken.left()
        if player.account in {move.account for move in moves}
    )


def test_l6_a_player_that_waits_is_not_in_the_hand():
    """L6: who sits between button and small blind keeps the chips, and is dealt in when the button has passed."""
    tournament, _ = field(12, 6)
    for _ in range(2):  # the blinds are on
        tournament = busted(tournament, 1, [])
    positions = tournament.table(1).positions
    seats = {player.seat for player in tournament.left_at(1)}
    assert seats == {1, 2, 3, 4, 5, 6}
    mover = next(player for player in tournament.left_at(1) if player.seat == positions.big_blind)
    players = [replace(p, owes=Owes.balanced) if p == mover else p for p in tournament.players]
    waits = rules.deal(replace(tournament, players=tuple(players)), 1)
    order = waits.table(1).hand.plan.order
    assert set(order) == seats - {mover.seat}  # it would be the small blind
    stacks = {player.seat: player.chips for player in waits.left_at(1) if player.seat in order}
    after = rules.finish_hand(waits, 1, stacks)
    assert after.player(mover.account) == replace(mover, owes=Owes.balanced)
    played = rules.deal(after, 1)
    assert mover.seat in played.table(1).hand.plan.order
    stacks = {player.seat: player.chips for player in played.left_at(1)}
    assert rules.finish_hand(played, 1, stacks).player(mover.account).owes is Owes.nothing


@pytest.mark.parametrize("frozen", [2, 3])
def test_a_frozen_table_neither_gives_nor_takes(frozen):
    """Its hand may be void or over: its players stay until it answers."""
    tournament, numbers = field(12, 4)
    rest = [number for number in (1, 2, 3) if number != frozen]
    for table in rest:
        tournament = busted(tournament, table, [1])
    tournament = busted(tournament, 1, [1])
    assert sizes(tournament)[0] == 2
    after, moves = settled(tournament, numbers, at_rest=rest, frozen=(frozen,))
    assert all(frozen not in {move.from_table, move.to_table} for move in moves)
    assert len(after.left_at(frozen)) == 4
    assert waiting_tables(after, (frozen,)) == frozenset()
