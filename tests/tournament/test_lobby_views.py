"""`pokerroom.tournament.lobby_views` and `offers.prizes_so_far`: what a lobby shows of rows of the ledger."""

from dataclasses import replace

import pytest

from pokerroom.ledger.chip_sales import ChipPurchase, PurchaseRow
from pokerroom.ledger.tournament_entries import seat_number
from pokerroom.ledger.tournaments import TableRow
from pokerroom.tournament import views
from pokerroom.tournament.lobby_rows import takes_entries
from pokerroom.tournament.lobby_views import ranks_of, state_of, tables_of
from pokerroom.tournament.messages import TournamentStatus
from pokerroom.tournament.offers import offer_of, prizes_so_far, terms_of
from tests.tournament.directed import Stage
from tests.tournament.playing import Room, scheduled_offer


@pytest.fixture
def row():
    """Six players with 1,500 each, four at the first table, two at the second; a third one is closed."""
    stage = Stage(room=Room(players=6, scheduled=scheduled_offer(players_max=6)))
    found = stage.room.row()
    stage.stop()
    seats = [seat_number(1 + place // 4, 1 + place % 4) for place in range(6)]
    chips = [4_000, 500, 1_500, 0, 2_000, 1_000]
    entries = tuple(
        replace(entry, seat=seat, chips=stack)
        for entry, seat, stack in zip(found.entries, seats, chips, strict=True)
    )
    tables = tuple(TableRow(number=number, hands=1, closed=number == 3) for number in (1, 2, 3))
    return replace(found, entries=entries, tables=tables)


def status(row, number, **changes):
    terms = terms_of(offer_of(row.opening))
    level = views.level_numbered(terms.schedule, number)
    known = {"paused": False, "break_until_ms": None, "hand_for_hand": False}
    return TournamentStatus(tournament=row.opening.tournament, epoch=1, level=level, **{**known, **changes})


def state(row, status_now=None, account=0):
    names = {account: f"player{account}" for account in row.players}
    return state_of(row, ranks_of(row, names), tables_of(row), status_now, account=account, re=1)


def test_the_open_tables_are_told_with_their_stacks(row):
    """Players who are out sit at none, and a closed table is none."""
    told = [(one.table, one.players, one.smallest, one.largest, one.average) for one in tables_of(row)]
    name = row.opening.tournament
    assert told == [(name, 3, 500, 4_000, 2_000), (f"{name}-2", 2, 1_000, 2_000, 1_500)]
    assert tables_of(replace(row, phase="finished")) == []


def test_the_state_counts_chips_of_players_who_are_left(row):
    """Average, largest and smallest are those of the five who have chips."""
    told = state(row, status(row, 1))
    assert (told.left, told.players, told.entries, told.tables) == (5, 6, 6, 2)
    assert (told.chips, told.average, told.largest, told.smallest) == (9_000, 1_800, 4_000, 500)


def test_the_next_level_is_the_one_after_the_present(row):
    """After the last level there is none; without a clock neither is told."""
    levels = len(terms_of(offer_of(row.opening)).schedule.levels)
    told = state(row, status(row, 2))
    assert (told.level.level, told.next_level.level) == (2, 3)
    assert state(row, status(row, levels)).next_level is None
    unknown = state(row)
    assert (unknown.level, unknown.next_level) == (None, None)


def test_the_next_payout_is_that_of_the_place_that_is_next(row):
    """None while more players are left than places are paid; the pool is the sum of the prizes."""
    told = state(replace(row, fixed_prizes=(900, 400, 100)))
    assert (told.pool, told.prizes, told.next_payout) == (1_400, [900, 400, 100], None)
    five = state(replace(row, fixed_prizes=(500, 400, 300, 150, 50)))
    assert five.next_payout == 50


def test_prizes_are_provisional_while_entries_are_sold(row):
    """Each entry makes them larger; those of a tournament that starts when it is full are known."""
    assert state(row).provisional
    assert not state(replace(row, fixed_prizes=(900, 400, 100))).provisional
    stage = Stage()
    full = stage.room.row()
    stage.stop()
    assert not state(full).provisional


def test_ranks_are_by_chips_and_the_own_one_is_told(row):
    """A player without chips is out, before the place is known."""
    first, second = row.entries[0].account, row.entries[1].account
    assert (state(row, account=first).you.rank, state(row, account=second).you.rank) == (1, 5)
    gone = state(row, account=row.entries[3].account).you
    assert (gone.status, gone.table) == ("out", None)


def test_a_late_entry_without_a_seat_has_no_rank(row):
    """It has no chips yet; the others rank without it."""
    late = row.entries[1]
    entries = tuple(
        replace(entry, seat=None, chips=None) if entry is late else entry for entry in row.entries
    )
    names = {account: f"player{account}" for account in row.players}
    ranks = ranks_of(replace(row, entries=entries), names)
    assert (ranks[late.account].rank, ranks[row.entries[5].account].rank) == (None, 4)


def test_l2_a_running_tournament_takes_entries_while_they_are_sold_and_its_offer_has_late_levels(row):
    """L2: the ledger sells entries of every tournament that has not closed them; one without late levels takes none."""
    assert takes_entries(row)
    assert not takes_entries(replace(row, fixed_prizes=(1_800,)))
    assert not takes_entries(replace(row, on_sale=frozenset()))
    stage = Stage(room=Room(players=6, scheduled=scheduled_offer(players_max=6, late_levels=0)))
    freezeout = replace(row, opening=stage.room.row().opening)
    stage.stop()
    assert not takes_entries(freezeout)


def test_one_entry_makes_prizes_of_one_entry():
    """They grow with each entry, and there is one prize before there is any entry."""
    room = Room(players=6, scheduled=scheduled_offer(players_max=6))
    terms = terms_of(offer_of(room.opening))
    room.stop()
    part = room.opening.part
    assert prizes_so_far(terms, entries=1, players=1, bought=part) == (part,)
    assert sum(prizes_so_far(terms, entries=2, players=2, bought=2 * part)) == 2 * part
    assert len(prizes_so_far(terms, entries=0, players=0, bought=0)) == 1


def test_what_is_sold_is_told_as_the_account_sees_it():
    """What it has bought itself counts against its most; what others have bought is in the number sold alone."""
    sold = {"rebuys_max": 2, "rebuy_levels": 1, "rebuy_price": 250, "rebuy_stack": 1_500}
    stage = Stage(room=Room(players=6, scheduled=scheduled_offer(players_max=6, entries_max=1, **sold)))
    found = stage.room.row()
    stage.stop()
    buys, other, none = [entry.account for entry in found.entries[:3]]
    bought = [(buys, 1), (other, 1), (buys, 2)]
    purchases = tuple(
        PurchaseRow(
            purchase=ChipPurchase(account=account, kind="rebuy", number=number), entry=1, table=1, hands=1
        )
        for account, number in bought
    )
    selling = replace(found, purchases=purchases, on_sale=frozenset({"entry", "rebuy"}))

    def told(account, row=selling):
        (sale,) = state(row, account=account).sales
        return sale.sold, sale.yours, sale.open_to_you

    assert (told(buys), told(other), told(none)) == ((3, 2, False), (3, 1, True), (3, 0, True))
    waits = replace(selling, purchases=(replace(purchases[1], table=None, hands=None),))
    assert (told(other, waits), told(none, waits)) == ((1, 1, False), (1, 0, True))
