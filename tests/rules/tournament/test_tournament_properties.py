"""Whatever happens in a tournament: exactly the pool is paid, and nothing is lost on the way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.data import tournament_from_data, tournament_to_data
from pokerroom.rules.tournament.early_payout import rolled_forward
from pokerroom.rules.tournament.state import TournamentPhase
from tests.rules.tournament.support import any_terms, full, outcome

RANDOM = (
    st.binary(min_size=96, max_size=96)
    .filter(lambda drawn: sum(byte < 250 for byte in drawn) > 30)
    .map(lambda drawn: lambda count: drawn[:count])
)


def played(data, tournament, hands_max):
    """So many hands at most, with any results."""
    for _ in range(hands_max):
        if tournament.phase is not TournamentPhase.running:
            break
        tournament = rules.deal(tournament, 1)
        tournament = rules.finish_hand(tournament, 1, outcome(data.draw, tournament))
    return tournament


def finished(tournament):
    """The last hand: everything to one player."""
    tournament = rules.deal(tournament, 1)
    order = tournament.table(1).hand.plan.order
    total = sum(player.chips for player in tournament.players)
    return rules.finish_hand(tournament, 1, {**dict.fromkeys(order, 0), order[0]: total})


@given(of=any_terms(), random_bytes=RANDOM, data=st.data())
def test_i2_any_order_of_eliminations_pays_exactly_the_pool(of, random_bytes, data):
    """I1, I2: any prize table, any order, ties included: each place once, the prizes add up to the pool."""
    tournament = played(data, rules.start(full(of), random_bytes), 12)
    if tournament.phase is TournamentPhase.running:
        tournament = finished(tournament)
    assert tournament.phase is TournamentPhase.finished
    places = tournament.standings
    assert sum(standing.prize for standing in places) == of.pool
    assert [standing.number for standing in places] == list(range(1, of.seats + 1))
    assert {standing.account for standing in places} == {player.account for player in tournament.players}
    for better, worse in zip(tournament.standings, tournament.standings[1:], strict=False):
        assert better.prize >= worse.prize
        assert better.place <= worse.place


@given(of=any_terms(), random_bytes=RANDOM, data=st.data(), hands=st.integers(0, 6))
def test_i3_rolling_forward_pays_exactly_the_pool(of, random_bytes, data, hands):
    """I3: whenever it comes, what is paid with what was paid is the pool, each place once, more chips never less."""
    tournament = played(data, rules.start(full(of), random_bytes), hands)
    if tournament.phase is not TournamentPhase.running:
        return
    after = rules.roll_forward(tournament)
    assert sum(standing.prize for standing in after.standings) == of.pool
    assert [standing.number for standing in after.standings] == list(range(1, of.seats + 1))
    prize = {standing.account: standing.prize for standing in after.standings}
    left = tournament.left()
    for one in left:
        assert prize[one.account] >= min(of.prizes[len(left) - 1 :] or (0,))
        assert all(prize[one.account] >= prize[other.account] for other in left if other.chips < one.chips)


@given(of=any_terms(), random_bytes=RANDOM, data=st.data(), hands=st.integers(0, 6))
def test_i3_rolling_back_is_for_all_players(of, random_bytes, data, hands):
    """I3: refused once a prize is won, else all places are void, of all players (the ledger returns the buy-ins)."""
    tournament = played(data, rules.start(full(of), random_bytes), hands)
    if tournament.phase is TournamentPhase.finished or any(
        standing.prize for standing in tournament.standings
    ):
        with pytest.raises(rules.TournamentRefusal, match=r"prizes_won|not_running"):
            rules.roll_back(tournament)
        return
    after = rules.roll_back(tournament)
    assert (after.phase, after.standings) == (TournamentPhase.rolled_back, ())
    assert {player.account for player in after.players} == set(tournament.registered)


@given(chips=st.lists(st.integers(1, 10**6), min_size=1, max_size=10), data=st.data())
def test_i3_by_chips_means_as_near_as_units_allow(chips, data):
    """I3: of the part shared by chips, each player's amount is within one unit of the exact share."""
    prizes = sorted(data.draw(st.lists(st.integers(1, 10**9), min_size=1, max_size=10)), reverse=True)
    amounts = rolled_forward(chips, prizes)
    unpaid = sum(prizes[: len(chips)])
    in_the_money = len(chips) <= len(prizes)
    equal = prizes[len(chips) - 1] if in_the_money else unpaid // 2 // len(chips)
    by_chips = unpaid - equal * len(chips)
    assert sum(amounts) == unpaid
    for amount, stack in zip(amounts, chips, strict=True):
        assert abs((amount - equal) * sum(chips) - by_chips * stack) <= sum(chips)


@given(of=any_terms(), random_bytes=RANDOM, data=st.data(), hands=st.integers(0, 6), in_hand=st.booleans())
def test_a_state_is_written_down_and_read_back(of, random_bytes, data, hands, in_hand):
    """Between hands and in the middle of one, and it plays on alike."""
    tournament = played(data, rules.start(full(of), random_bytes), hands)
    if in_hand and tournament.phase is TournamentPhase.running:
        tournament = rules.deal(tournament, 1)
    assert tournament_from_data(tournament_to_data(tournament), of) == tournament
