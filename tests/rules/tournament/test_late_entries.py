"""A tournament that starts at a time: late entries, re-entries, closing, and places after it (L1 to L3, L11, L12)."""

from dataclasses import replace

import pytest

from pokerroom.chips import Chips, Money
from pokerroom.rules.betting import NoLimit
from pokerroom.rules.button import Owes
from pokerroom.rules.stakes import Stakes
from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.data import tournament_from_data, tournament_to_data
from pokerroom.rules.tournament.entries import EntryTerms, Purchase
from pokerroom.rules.tournament.prize_table import PayoutTerms
from pokerroom.rules.tournament.refusal import TournamentRefusal
from pokerroom.rules.tournament.schedule import BlindSchedule, LengthUnit, Level
from pokerroom.rules.tournament.state import Tournament, TournamentPhase, TournamentTerms

LEVEL_MS = 60_000


def terms(*, late_levels=2, entries_max=2, guarantee=0, seats=3):
    level = Level(stakes=Stakes(small_blind=10, big_blind=20), structure=NoLimit(), length=LEVEL_MS)
    return TournamentTerms(
        seats=100,
        table_seats=seats,
        buy_in=Money(300),
        fee=Money(60),
        starting_stack=Chips(1_000),
        schedule=BlindSchedule(levels=(level,) * 5, unit=LengthUnit.ms),
        prizes=(),
        entries=EntryTerms(
            entry=Purchase(prize=Money(240), fee=Money(60), chips=Chips(1_000)),
            players_max=100,
            entries_max=entries_max,
            late_levels=late_levels,
        ),
        payout=PayoutTerms(guarantee=Money(guarantee)),
    )


def started(*accounts, **changes):
    return rules.start(Tournament(terms=terms(**changes), registered=accounts), bytes)


def bust(tournament, table, loser):
    """All chips of the loser go to another player of the table."""
    dealt = rules.deal(tournament, table)
    hand = dealt.table(table).hand
    chips = {player.seat: player.chips for player in tournament.left_at(table)}
    seat = tournament.player(loser).seat
    winner = next(other for other in hand.plan.order if other != seat)
    stacks = {other: chips[other] for other in hand.plan.order}
    stacks[winner], stacks[seat] = chips[winner] + chips[seat], 0
    return rules.finish_hand(dealt, table, stacks)


def places(tournament):
    return [(one.number, one.place, one.account, one.prize) for one in tournament.standings]


def test_l3_as_many_tables_open_as_the_players_need():
    """L3: not those of a full field."""
    assert len(started(1, 2, 3).tables) == 1
    assert [len(started(1, 2, 3, 4).left_at(number)) for number in (1, 2)] == [2, 2]


def test_l1_too_few_players_start_nothing():
    """L1: it is the caller's to cancel it."""
    with pytest.raises(TournamentRefusal, match="not_full"):
        started(1)


def test_l6_a_late_player_comes_to_a_running_table_as_one_that_moved():
    """L6: with a full stack; at a new table nothing is owed."""
    running = bust(started(1, 2, 3, 4), 1, 1)
    late = rules.enter_late(running, 5, 1, 3)
    assert (late.player(5).chips, late.player(5).owes) == (1_000, Owes.moved)
    late = rules.enter_late(late, 6, 3, 2)
    assert late.player(6).owes is Owes.nothing
    assert [table.number for table in late.tables] == [1, 2, 3]
    for account, seat in ((5, 2), (7, 3)):
        with pytest.raises(LookupError):
            rules.enter_late(late, account, 1, seat)


def test_l2_no_place_is_told_while_a_player_may_return():
    """L2: who enters again is placed by the last bust, the others by theirs, the last one out before."""
    running = started(1, 2, 3, 4, 5, 6)
    first, second = [player.account for player in running.left_at(1)][:2]
    running = bust(running, 1, first)
    running = bust(running, 1, second)
    assert (running.standings, running.unplaced) == ((), ((second,), (first,)))
    back = rules.enter_late(running, first, 3, 1)
    assert (back.player(first).entries, back.unplaced) == (2, ((second,),))
    assert back.entries.count == 7
    closed = rules.close_entries(back, rules.prizes_due(back))
    assert places(closed) == [(6, 6, second, 0)]
    assert tournament_from_data(tournament_to_data(closed), closed.terms) == closed
    assert tournament_from_data(tournament_to_data(back), back.terms) == back


def test_l1_entries_close_by_level_or_when_the_next_player_out_decides():
    """L1: at the end of the last level for it, or with as many left as places paid."""
    running = started(1, 2, 3, 4, 5, 6)
    assert not rules.entries_close(running)
    assert rules.entries_close(rules.play_time(running, 2 * LEVEL_MS))
    assert rules.entries_close(started(1, 2, 3, late_levels=0))
    two = started(1, 2)
    assert not rules.entries_close(two)
    assert rules.entries_close(bust(two, 1, 1))


def test_l1_the_last_player_has_won_when_entries_close():
    """L1: not before, because another one may come."""
    running = bust(started(1, 2), 1, 1)
    assert (running.phase, running.standings) == (TournamentPhase.running, ())
    closed = rules.close_entries(running, rules.prizes_due(running))
    assert closed.phase is TournamentPhase.finished
    assert places(closed) == [(1, 1, 2, 480), (2, 2, 1, 0)]
    back = rules.enter_late(running, 1, 1, running.player(1).seat)
    open_again = rules.close_entries(back, rules.prizes_due(back))
    assert (open_again.phase, open_again.standings) == (TournamentPhase.running, ())


def test_l12_the_prizes_are_the_guarantee_at_least():
    """L12: 6 x 2.40 for a guarantee of 20.00."""
    assert sum(rules.prizes_due(started(1, 2, 3, 4, 5, 6, guarantee=2_000))) == 2_000
    assert sum(rules.prizes_due(started(1, 2, 3, 4, 5, 6, guarantee=1_000))) == 1_440


def test_l11_own_shares_count_where_so_many_play():
    """L11: with fewer players the room's own table pays."""
    payout = PayoutTerms(shares_bps=(5_000, 3_000, 2_000))
    assert payout.prizes(entries=4, players=3, bought=400) == (200, 120, 80)
    assert payout.prizes(entries=4, players=2, bought=400) == (400,)
    assert PayoutTerms(shares_bps=(10_000,)).prizes(entries=100, players=100, bought=900) == (900,)


def test_i3_nothing_is_rolled_forward_while_entries_are_open():
    """I3: the prizes are not known; a roll back returns all."""
    running = started(1, 2, 3)
    with pytest.raises(TournamentRefusal, match="registration_open"):
        rules.roll_forward(running)
    assert rules.roll_back(running).phase is TournamentPhase.rolled_back


def test_l13_no_entry_is_returned_that_a_bounty_was_paid_from():
    """L13: a player that entered again was out, and that head is paid."""
    running = started(1, 2, 3)
    entries = running.terms.entries
    heads = replace(entries, entry=replace(entries.entry, bounty=100))
    running = replace(running, terms=replace(running.terms, entries=heads))
    assert rules.roll_back(running).phase is TournamentPhase.rolled_back
    again = replace(running.player(1), entries=2)
    with pytest.raises(TournamentRefusal, match="prizes_won"):
        rules.roll_back(running.with_players({1: again}))
