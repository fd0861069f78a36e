"""L15: a deal from the proposal to the agreement, and what the places pay after it."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokerroom.chips import Money
from pokerroom.rules.tournament import data, deal_making
from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.deal_making import refusal
from pokerroom.rules.tournament.deal_stages import DealProposal, DealTerms
from pokerroom.rules.tournament.deals import DealError, DealKind
from pokerroom.rules.tournament.refusal import TournamentRefusal
from pokerroom.rules.tournament.schedule import LengthUnit
from pokerroom.rules.tournament.state import TournamentPhase
from tests.rules.tournament.support import TEN, schedule, started, terms, with_stacks

UNTIL_MS = 90_000


def running(stacks=(3_000, 4_500, 7_500), *, prizes=TEN, **deals):
    """Ten have started, and these are left in the seats 1, 2 and so on; all others are out."""
    of = replace(terms(10, prizes), deals=DealTerms(**deals))
    left = dict(enumerate(stacks, 1))
    assert sum(stacks) == 15_000
    return with_stacks(started(of), {seat: left.get(seat, 0) for seat in range(1, 11)})


def proposal(tournament, kind=DealKind.icm, aside=0, number=7):
    proposer = tournament.left()[0].account
    return DealProposal(number=number, proposer=proposer, kind=kind, for_the_winner=Money(aside))


def opened(tournament, **what):
    return deal_making.opened(deal_making.propose(tournament, proposal(tournament, **what)), 1_000, UNTIL_MS)


def agreed(tournament, **what):
    """All accept, one after the other."""
    tournament = opened(tournament, **what)
    for at, player in enumerate(tournament.left()):
        tournament = deal_making.accepted(tournament, player.account, 2_000 + at)
    return deal_making.made(tournament, deal_making.agreement(tournament))


def prizes_of(tournament):
    return {one.account: one.prize for one in tournament.standings}


def code_of(function, *args):
    with pytest.raises(TournamentRefusal) as refused:
        function(*args)
    return refused.value.code


def test_l15_a_deal_that_leaves_nothing_ends_the_tournament():
    """L15: places by stacks, prizes by the deal; all prizes together are the pool."""
    before = running()
    over = agreed(before)
    amounts = dict(zip(over.deal.accounts, over.deal.amounts, strict=True))
    assert over.phase is TournamentPhase.finished
    assert [one.account for one in over.standings[:3]] == [
        player.account for player in sorted(before.left(), key=lambda player: -player.chips)
    ]
    assert {account: prizes_of(over)[account] for account in amounts} == amounts
    assert sum(prizes_of(over).values()) == before.terms.pool


def test_l15_equal_stacks_share_a_place():
    """L15: and each has the own amount."""
    over = agreed(running((5_000, 5_000, 5_000)))
    assert [(one.place, one.prize) for one in over.standings[:3]] == [(1, 800)] * 3


def test_l15_play_goes_on_for_what_is_set_aside():
    """L15: who goes out gets the own amount at any place, and the winner the rest as well."""
    after = agreed(running(), kind=DealKind.chips, aside=300)
    assert after.phase is TournamentPhase.running
    own = dict(zip(after.deal.accounts, after.deal.amounts, strict=True))
    assert sum(own.values()) == 2_400 - 300
    after = with_stacks(after, {1: 10_500, 2: 4_500, 3: 0})
    after = with_stacks(after, {1: 0, 2: 15_000})
    assert after.phase is TournamentPhase.finished
    winner = after.standings[0].account
    assert {account: prizes_of(after)[account] for account in own} == {
        account: amount + (300 if account == winner else 0) for account, amount in own.items()
    }


def test_l15_players_who_tie_after_a_deal_keep_their_own_amounts():
    """L15: the prizes of their places are not shared any more."""
    after = agreed(running((4_000, 4_000, 7_000)), kind=DealKind.chips, aside=100)
    own = dict(zip(after.deal.accounts, after.deal.amounts, strict=True))
    over = with_stacks(after, {1: 0, 2: 0, 3: 15_000})
    assert [one.place for one in over.standings[:3]] == [1, 2, 2]
    assert [one.prize - own[one.account] for one in over.standings[:3]] == [100, 0, 0]


def test_l15_when_a_deal_may_be_proposed():
    """L15: at the final table of a tournament that offers deals, with few enough players, one deal at a time."""
    tournament = running()
    assert refusal(replace(tournament, terms=replace(tournament.terms, deals=None))) == "deals_not_offered"
    assert refusal(running(players_max=2)) == "no_final_table"
    assert refusal(replace(tournament, phase=TournamentPhase.finished)) == "no_final_table"
    two_tables = replace(tournament, tables=(*tournament.tables, replace(tournament.tables[0], number=2)))
    assert refusal(two_tables) == "no_final_table"
    proposed = deal_making.propose(tournament, proposal(tournament))
    for busy in (proposed, opened(tournament)):
        assert code_of(deal_making.propose, busy, proposal(tournament, number=8)) == "deal_in_progress"
    assert refusal(agreed(tournament, aside=100)) == "deal_made"


def test_l15_what_may_be_set_aside_for_the_winner():
    """L15: between a part of the unpaid prizes and the difference of the first two."""
    tournament = running(leave_bps=1_000)
    assert deal_making.bounds(tournament) == (240, 500)
    for aside in (239, 501):
        assert (
            code_of(deal_making.propose, tournament, proposal(tournament, aside=aside)) == "wrong_deal_amount"
        )
    for aside in (240, 500):
        assert deal_making.propose(tournament, proposal(tournament, aside=aside)).deal.for_the_winner == aside


def test_l15_no_hand_is_dealt_and_no_time_counts_while_the_players_answer():
    """L15: the clock of the level stands."""
    tournament = opened(running())
    timed = replace(
        tournament, terms=replace(tournament.terms, schedule=schedule(60_000, unit=LengthUnit.ms))
    )
    assert rules.play_time(timed, 30_000) == timed
    assert code_of(rules.deal, tournament, 1) == "deal_in_progress"
    assert rules.play_time(deal_making.dropped(timed), 30_000).clock.used == timed.clock.used + 30_000


def test_l15_a_deal_that_is_not_agreed_lets_the_next_one_wait():
    """L15: for ten hands, the second time for twenty; one that never opened lets none wait."""
    tournament = running()
    never = deal_making.dropped(deal_making.propose(tournament, proposal(tournament)))
    assert refusal(never) is None
    after = deal_making.dropped(opened(tournament))
    for _ in range(10):
        assert refusal(after) == "deal_too_soon"
        after = with_stacks(after, {1: 3_000, 2: 4_500, 3: 7_500})
    assert refusal(after) is None
    again = deal_making.dropped(opened(after))
    hands = again.tables[0].hands
    assert again.deals_from_hand == hands + 20
    for _ in range(9):
        again = deal_making.dropped(opened(replace(again, deals_from_hand=0)))
    assert again.deals_from_hand == hands + 640


def test_l15_a_deal_does_not_open_without_all_players():
    """L15: one that is away cannot accept; nor where the proposer is out, or another amount is due."""
    tournament = running(leave_bps=1_000)
    proposed = deal_making.propose(tournament, proposal(tournament, aside=240))
    away = rules.go_away(proposed, tournament.left()[2].account)
    with pytest.raises(DealError):
        deal_making.opened(away, 0, UNTIL_MS)
    proposer = tournament.player(proposed.deal.proposer).seat
    (other,) = {1, 2, 3} - {proposer, 3}
    out = with_stacks(proposed, {proposer: 0, other: 4_500, 3: 10_500})
    with pytest.raises(DealError):
        deal_making.opened(out, 0, UNTIL_MS)


def test_l15_a_chip_chop_above_the_first_prize_does_not_open():
    """L15 [D]: a deal by ICM does, and has no amounts by chips."""
    tournament = running((13_000, 1_000, 1_000))
    with pytest.raises(DealError):
        opened(tournament, kind=DealKind.chips)
    assert opened(tournament).deal.by_chips is None


def test_l15_only_players_of_the_deal_accept_and_once():
    """L15: the first acceptance counts; the deal is agreed when all have accepted."""
    tournament = opened(running())
    first, second, third = (player.account for player in tournament.left())
    assert deal_making.accepted(tournament, 999, 5_000) is tournament
    assert deal_making.accepted(tournament, first, 5_000) is tournament
    tournament = deal_making.accepted(tournament, second, 5_000)
    assert not tournament.deal.is_agreed
    tournament = deal_making.accepted(tournament, third, 6_000)
    assert tournament.deal.is_agreed
    assert deal_making.agreement(tournament).accepted_ms == (1_000, 5_000, 6_000)


def test_l15_after_a_deal_no_roll_back_and_roll_forward_by_chips():
    """L15, I3: a prize is won; what is left for the winner goes by chips."""
    after = agreed(running(), kind=DealKind.chips, aside=300)
    assert code_of(rules.roll_back, after) == "prizes_won"
    own = dict(zip(after.deal.accounts, after.deal.amounts, strict=True))
    over = rules.roll_forward(after)
    assert {one.account: one.prize - own[one.account] for one in over.standings[:3]} == {
        player.account: 300 * player.chips // 15_000 for player in after.left()
    }
    assert sum(prizes_of(over).values()) == after.terms.pool


@pytest.mark.parametrize("aside", [0, 100])
def test_l15_each_stage_is_stored(aside):
    """L15: proposed, open, answered, agreed, and the wait after it: the data of the journal lose nothing."""
    tournament = running()
    proposed = deal_making.propose(tournament, proposal(tournament, aside=aside))
    open_deal = opened(tournament, aside=aside)
    stages = (
        proposed,
        open_deal,
        deal_making.accepted(open_deal, open_deal.left()[1].account, 9),
        opened(running((13_000, 1_000, 1_000))),
        agreed(tournament, aside=aside),
        deal_making.dropped(open_deal),
    )
    for one in stages:
        assert data.tournament_from_data(data.tournament_to_data(one), one.terms) == one


@given(
    st.lists(st.integers(1, 50), min_size=3, max_size=3),
    st.sampled_from(DealKind),
    st.integers(0, 500),
)
def test_l15_a_deal_pays_exactly_the_unpaid_prizes(parts, kind, aside):
    """L15: whatever the stacks, and whoever wins what is left."""
    stacks = [15_000 * part // sum(parts) for part in parts]
    stacks[0] += 15_000 - sum(stacks)
    tournament = running(tuple(stacks))
    try:
        after = agreed(tournament, kind=kind, aside=aside)
    except DealError:
        return
    if after.phase is TournamentPhase.running:
        after = with_stacks(after, {1: 15_000, 2: 0, 3: 0})
    assert sum(prizes_of(after).values()) == 2_400
    assert min(prizes_of(after).values()) >= 0
