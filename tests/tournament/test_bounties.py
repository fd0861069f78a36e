"""Bounties in the lobby, at a table, and under an operator's orders."""

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.tournament_entries import EntryRow
from pokerroom.ledger.tournaments import BountyRow, PlaceRow, TableRow, TournamentRow
from pokerroom.ops.reports import OrderRefused
from pokerroom.tournament.lobby_rows import scheduled_row_of
from pokerroom.tournament.lobby_views import ranks_of, state_of
from pokerroom.tournament.offers import scheduled_opening_of
from pokerroom_protocol import messages as wire
from tests.tournament.playing import STARTS_MS, Room, now, scheduled_offer

NAMES = {1: "ada", 2: "bob", 3: "lou"}


def row(*, bounty=100, cash_bps=5_000):
    """Ada has knocked lou out, in a tournament for 3.00 with a fee of 0.60."""
    entries = [
        EntryRow(account=1, number=1, returned=False, seat=1, chips=3_000, head=Money(150)),
        EntryRow(account=2, number=1, returned=False, seat=2, chips=1_500, head=Money(100)),
        EntryRow(account=3, number=1, returned=False, seat=3, chips=0, out_in=9),
    ]
    offer = scheduled_offer(bounty=bounty, bounty_cash_bps=cash_bps)
    return TournamentRow(
        opening=scheduled_opening_of(offer, 1, STARTS_MS),
        phase="running",
        entries=tuple(entries),
        places=(PlaceRow(number=3, place=3, account=3, prize=Money(0), paid=False),),
        tables=(TableRow(number=1, hands=1),),
        started_ms=STARTS_MS,
        fixed_prizes=(Money(420),),
        bounties=(BountyRow(account=3, number=1, winner=1, cash=Money(50), on_head=Money(50)),),
    )


def test_each_head_and_each_payment_is_told():
    """The ranks tell all of them, the state those of the account that asks."""
    ranks = ranks_of(row(), NAMES)
    told = {rank.name: (rank.head, rank.bounties) for rank in ranks.values()}
    assert told == {"ada": (150, 50), "bob": (100, 0), "lou": (0, 0)}
    state = state_of(row(), ranks, [], None, account=1, re=1)
    assert (state.bounty, state.bounty_kind, state.you) == (100, "progressive", ranks[1])


def test_the_list_tells_what_a_buy_in_is_for():
    """A bounty is no part of the prizes."""
    told = scheduled_row_of(row(cash_bps=10_000), 1)
    assert (told.buy_in, told.fee, told.bounty, told.bounty_kind) == (300, 60, 100, "knockout")
    assert scheduled_row_of(row(bounty=0), 1).bounty_kind is None
    open_still = scheduled_row_of(row(), 1)
    assert open_still.pool == 420


@pytest.fixture
def room():
    """Three players with bounties of 1.01, half of each paid at once."""
    offer = scheduled_offer(
        players_max=3, bounty=101, bounty_cash_bps=5_000, late_levels=0, entries_max=1, prize_shares=(10_000,)
    )
    found = Room(players=3, scheduled=offer)
    found.begin()
    yield found
    found.stop()


def test_a_table_tells_who_wins_the_head_of_a_player(room):
    """To all viewers, after the hand; the winner's head is told as it is now, and no more is won than is paid."""
    room.play_out()
    told = room.players[0].all(wire.BountyWon)
    assert told == room.players[1].all(wire.BountyWon)
    row, names = room.row(), {each.account: each.name for each in room.players}
    in_hands = [won for won in row.bounties if won.winner != won.account]
    assert [(one.name, one.out, one.cash) for one in told] == [
        (names[won.winner], names[won.account], won.cash) for won in in_hands
    ]
    assert len(told) == 2
    assert told[-1].head == row.bounties[-1].cash, "the winner's own head, which is paid at the end"


def test_l16_no_roll_back_once_a_bounty_is_paid(room):
    """L16: the order is refused, and the tournament goes on to its end."""
    while all(entry.chips for entry in room.row().entries):
        room.all_in()
        room.clock.advance(0.01)
    with pytest.raises(OrderRefused) as refused:
        now(room.tournament.roll_back())
    assert refused.value.code == "tournament_prizes_won"
    room.play_out()
    assert room.row().phase == "finished"


def test_l16_before_that_it_is_rolled_back_with_its_heads(room):
    """L16: all buy-ins are returned, and no head is left."""
    room.turn()
    done = room.tournament.roll_back()
    room.clock.advance(0.01)
    assert now(done) is None
    row = room.row()
    assert (row.phase, [entry.head for entry in row.entries]) == ("rolled_back", [0, 0, 0])
    assert now(room.ledger.audit()).differences == ()
