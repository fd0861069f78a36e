"""Rebuys and add-ons of a running tournament: who decides, what waits, and when entries close (L1, L2)."""

from dataclasses import replace

import pytest

from pokerroom.chips import Chips, Money
from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.data import tournament_from_data, tournament_to_data
from pokerroom.rules.tournament.entries import EntryStage, Purchase
from pokerroom.rules.tournament.seat_draw import RandomNumbers
from pokerroom.rules.tournament.state import Tournament, TournamentPhase
from pokerroom.rules.tournament.step import moves_due, seated_tables, waiting_tables
from tests.rules.tournament.test_late_entries import LEVEL_MS, bust, places, terms

BREAK_MS = 30_000


def selling(*, rebuys_max=2, add_on=True, **changes):
    """Rebuys of 1,000 chips for 2.00 in the first level, then an add-on of 1,500 for 1.00 in a break of 30 s."""
    plain = terms(late_levels=0, entries_max=1, **changes)
    levels = plain.schedule.levels
    sold = replace(
        plain.entries,
        rebuy=Purchase(prize=Money(200), fee=Money(0), chips=Chips(1_000)) if rebuys_max else None,
        rebuys_max=rebuys_max,
        rebuy_levels=1,
        add_on=Purchase(prize=Money(100), chips=Chips(1_500)) if add_on else None,
    )
    first = replace(levels[0], break_ms=BREAK_MS) if add_on else levels[0]
    return replace(plain, entries=sold, schedule=replace(plain.schedule, levels=(first, *levels[1:])))


def started(*accounts, **changes):
    return rules.start(Tournament(terms=selling(**changes), registered=accounts), bytes)


def test_l2_a_player_that_is_out_decides_and_the_table_waits():
    """L2: the player counts as left, keeps the seat and has no place; other tables go on."""
    begun = started(1, 2, 3, 4, 5, 6)
    there = [player.account for player in begun.left_at(1)]
    running = bust(begun, 1, there[0])
    assert (running.deciding, running.unplaced) == ((there[0],), ((there[0],),))
    assert waiting_tables(running, ()) == {1}
    assert running.entries.left == 6
    (table, _) = seated_tables(running)
    assert sorted(table.players.values()) == sorted(there)
    assert not moves_due(running, {1, 2}, (), RandomNumbers(bytes))


def test_l2_a_rebuy_goes_on_in_the_same_seat():
    """L2: with the chips of the rebuy, and in no list of those that are out."""
    running = bust(started(1, 2, 3), 1, 1)
    seat = running.player(1).seat
    back = rules.buy_chips(running, 1, add_on=False)
    assert (back.player(1).seat, back.player(1).chips, back.player(1).rebuys) == (seat, 1_000, 1)
    assert (back.deciding, back.unplaced, waiting_tables(back, ())) == ((), (), frozenset())
    assert len(back.left_at(1)) == 3
    assert rules.deal(back, 1).table(1).hand is not None
    assert sum(player.chips for player in back.players) == back.entries.chips == 4_000
    assert back.entries.prize_parts == 3 * 240 + 200


def test_l2_a_player_with_the_last_rebuy_is_out():
    """L2: nothing is left to decide; neither is it where none are sold."""
    running = started(1, 2, 3, rebuys_max=1)
    running = bust(rules.buy_chips(bust(running, 1, 1), 1, add_on=False), 1, 1)
    assert (running.deciding, running.unplaced) == ((), ((1,),))
    assert bust(started(1, 2, 3, rebuys_max=0), 1, 1).deciding == ()


def test_l1_heads_up_does_not_end_over_a_rebuy():
    """L1: entries close early when no one decides any more."""
    running = bust(started(1, 2), 1, 1)
    assert not rules.entries_close(running)
    out = rules.without_rebuys(running, [1])
    assert (out.deciding, rules.entries_close(out)) == ((), True)
    closed = rules.close_entries(out, rules.prizes_due(out))
    assert closed.phase is TournamentPhase.finished
    assert places(closed) == [(1, 1, 2, 480), (2, 2, 1, 0)]


def test_l2_add_ons_are_sold_in_the_break_after_the_rebuys():
    """L2: entries are open until the break is over, and the prizes have what was bought."""
    rest = rules.play_time(started(1, 2, 3), LEVEL_MS)
    assert (rest.entries.stage, rules.entries_close(rest)) == (EntryStage.add_on_break, False)
    assert not rest.entries.rebuys_open
    bought = rules.buy_chips(rest, 2, add_on=True)
    assert (bought.player(2).chips, bought.player(2).add_ons) == (2_500, 1)
    after = rules.break_time(bought, BREAK_MS)
    assert (after.entries.stage, rules.entries_close(after)) == (EntryStage.running, True)
    assert sum(rules.prizes_due(after)) == 3 * 240 + 100


def test_l2_chips_are_of_players_that_have_bought_them():
    """L2: not of a stranger, nor where nothing is sold, nor of a player with a place."""
    running = started(1, 2, 3, add_on=False)
    out = rules.without_rebuys(bust(running, 1, 1), [1])
    placed = rules.close_entries(out, rules.prizes_due(out))
    for tournament, account, add_on in ((running, 9, False), (running, 1, True), (placed, 1, False)):
        with pytest.raises(LookupError):
            rules.buy_chips(tournament, account, add_on=add_on)


def test_l2_a_re_entry_has_decided():
    """L2: the table of the rebuy waits no more."""
    plain = selling()
    both = replace(plain, entries=replace(plain.entries, late_levels=1, entries_max=2))
    running = rules.start(Tournament(terms=both, registered=(1, 2, 3)), bytes)
    again = rules.enter_late(rules.buy_chips(running, 1, add_on=False), 4, 2, 1)
    again = bust(again, 1, 2)
    assert again.deciding == (2,)
    again = rules.enter_late(again, 2, 2, 2)
    assert (again.deciding, again.player(2).entries) == ((), 2)


def test_the_journal_keeps_rebuys():
    """A state is read as it was written, and one with chips that were not bought is refused."""
    running = rules.buy_chips(bust(started(1, 2, 3), 1, 1), 1, add_on=False)
    running = bust(running, 1, 2)
    data = tournament_to_data(running)
    assert tournament_from_data(data, running.terms) == running
    with pytest.raises(InvariantBroken, match="chips were lost or made"):
        tournament_from_data({**data, "rebuys": []}, running.terms)
    with pytest.raises(InvariantBroken, match="decides on a rebuy"):
        tournament_from_data({**data, "deciding": [3]}, running.terms)
