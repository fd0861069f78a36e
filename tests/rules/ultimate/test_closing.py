"""U1: betting closes; what stands, what is refused, and what the house risks."""

import pytest

from pokerroom.rules.ultimate.bets import Bet, BetLimits, BoxBets
from pokerroom.rules.ultimate.closing import close_betting
from pokerroom.rules.ultimate.exposure import Book, exposure
from pokerroom.rules.ultimate.slips import BettingSlip
from pokerroom.rules.ultimate.terms import Seating
from tests.rules.ultimate.support import PROGRESSIVE, RICH, box, common_terms, terms

AT = terms()


def slip(player: int, *bets: BoxBets) -> BettingSlip:
    """A player's bets, their own box being the one without a Play."""
    (own,) = [one.box for one in bets if not one.play][:1] or [player]
    return BettingSlip(player=player, box=own, bets=tuple(sorted(bets, key=lambda one: one.box)))


def close(*slips: BettingSlip, at=AT, balances=None, absent=frozenset()):
    rich = {one.player: RICH for one in slips}
    return close_betting(at, slips, balances=rich if balances is None else balances, absent=absent)


def reasons(closed) -> list[tuple[int, str, int, str]]:
    return [(one.box, one.bet.value, one.amount, one.why.value) for one in closed.refused]


def test_u1_bets_within_the_limits_stand():
    """U1: the boxes come out by number, whoever began first."""
    closed = close(slip(1, box(4, player=1, ante=20)), slip(2, box(2, player=2, trips=50)))

    assert closed.boxes == (box(2, player=2, trips=50), box(4, player=1, ante=20))
    assert closed.refused == ()


def test_u1_below_the_minimum_the_others_stand():
    """U1: a bet below its minimum is refused when betting closes, and the others stand."""
    closed = close(slip(1, box(1, trips=9)), slip(2, box(2)))

    assert closed.boxes == (box(1), box(2))
    assert reasons(closed) == [(1, "trips", 9, "below_minimum")]


def test_u1_trips_falls_with_its_ante():
    """U1: an Ante below the minimum is refused, and with it what needs an accepted Ante."""
    closed = close(slip(1, box(1, ante=8, trips=50, progressive=100)))

    assert closed.boxes == ()
    assert reasons(closed) == [
        (1, "ante", 8, "below_minimum"),
        (1, "trips", 50, "ante_needed"),
        (1, "progressive", 100, "ante_needed"),
    ]


def test_an_empty_slip_is_no_box():
    """A player that placed nothing, or took all back, is neither dealt in nor refused."""
    closed = close(BettingSlip(player=1, box=1))

    assert (closed.boxes, closed.refused) == ((), ())


def test_boxes_an_extra_box_falls_with_the_own():
    """U11: an extra box needs an accepted Ante on the player's own."""
    closed = close(slip(1, box(1, player=1, ante=8), box(2, player=1, ante=20, play=4, trips=10)))

    assert closed.boxes == ()
    assert reasons(closed) == [
        (1, "ante", 8, "below_minimum"),
        (2, "ante", 20, "own_box_needed"),
        (2, "trips", 10, "own_box_needed"),
    ]


def test_boxes_an_extra_box_without_any_bet_on_the_own():
    """U11: nothing was placed there, or all was taken back."""
    alone = BettingSlip(player=1, box=1, bets=(box(2, player=1, ante=20, play=4),))

    closed = close(alone)

    assert closed.boxes == ()
    assert reasons(closed) == [(2, "ante", 20, "own_box_needed")]


def test_boxes_an_extra_box_without_its_play():
    """U11: an extra box whose Play was not placed before the deal is refused; the own box stands."""
    extra = BoxBets(box=2, player=1, ante=20, trips=10)
    closed = close_betting(AT, (BettingSlip(player=1, box=1, bets=(box(1), extra)),), balances={1: RICH})

    assert closed.boxes == (box(1),)
    assert reasons(closed) == [(2, "ante", 20, "play_needed"), (2, "trips", 10, "ante_needed")]


def test_boxes_a_box_is_its_holders():
    """U11: where two bet on one box, who holds it has it, else who was first; the others' bets are refused."""
    first = slip(1, box(1), box(2, player=1, play=3), box(5, player=1, play=3))
    second = slip(2, box(2), box(5, player=2, play=4))

    closed = close(first, second)

    assert [(one.box, one.player) for one in closed.boxes] == [(1, 1), (2, 2), (5, 1)]
    assert reasons(closed) == [(2, "ante", 10, "box_taken"), (5, "ante", 10, "box_taken")]


def test_presence_who_is_away_is_refused():
    """U16: all bets of a player that is absent when betting closes are refused, and no other player's."""
    closed = close(
        slip(1, box(1, trips=10), box(3, player=1, play=4)), slip(2, box(2)), absent=frozenset({1})
    )

    assert closed.boxes == (box(2),)
    assert reasons(closed) == [
        (1, "ante", 10, "not_present"),
        (1, "trips", 10, "not_present"),
        (3, "ante", 10, "not_present"),
    ]


def test_u1_a_balance_that_has_shrunk():
    """U1: what the balance no longer covers is refused, the Ante first to stand, own box before extra box."""
    bets = slip(1, box(3, player=1, ante=20, trips=50), box(1, player=1, ante=10, play=4))

    assert reasons(close(bets, balances={1: 150})) == []
    assert reasons(close(bets, balances={1: 149})) == [(1, "ante", 10, "insufficient_balance")]
    assert reasons(close(bets, balances={1: 89})) == [
        (3, "trips", 50, "insufficient_balance"),
        (1, "ante", 10, "insufficient_balance"),
    ]
    assert reasons(close(bets, balances={1: 39})) == [
        (3, "ante", 20, "insufficient_balance"),
        (3, "trips", 50, "ante_needed"),
        (1, "ante", 10, "own_box_needed"),
    ]
    assert close(bets, balances={}).boxes == ()


def test_exposure_of_one_box():
    """U18: one Ante, 500 for the Blind, 4 for the Play, 50 for Trips."""
    risked = exposure(AT, [box(1, ante=10, trips=20)])

    assert (risked.ante, risked.blind, risked.play, risked.trips) == (10, 5_000, 40, 1_000)
    assert (risked.progressive, risked.envy) == (0, 0)
    assert risked.total == 6_050


def test_exposure_one_royal_flush_at_boxes():
    """U18: one box at most wins its Blind with a royal flush, the dearest; the others no more than 50:1."""
    boxes = [box(1, ante=10), box(2, ante=40), box(3, ante=20)]

    assert exposure(AT, boxes).blind == 50 * 70 + 450 * 40


def test_exposure_a_common_hand_wins_for_all():
    """U18: at a common hand every player's Blind wins 500:1 at once."""
    boxes = [box(1, ante=10), box(2, ante=40), box(3, ante=20)]

    assert exposure(common_terms(), boxes).blind == 500 * 70


def test_exposure_an_extra_box_risks_its_own_play():
    """U18: the Play of an extra box is known."""
    assert exposure(AT, [box(1), box(2, player=1, ante=20, play=3)]).play == 40 + 60


def test_exposure_of_the_progressive_bet():
    """U18: each bet's dearest fixed prize, the meter's seed after each hand that takes from it, and envy."""
    alone = exposure(AT, [box(1, progressive=100), box(2, player=1, progressive=100, play=3)])
    together = exposure(AT, [box(1, progressive=100), box(2, progressive=100), box(3)])

    assert (alone.progressive, alone.envy) == (2 * 30_000 + 2 * 50_000, 0)
    assert (together.progressive, together.envy) == (2 * 30_000 + 2 * 50_000, 2 * 10_000)
    assert exposure(AT, [box(1, progressive=100), box(2)]).envy == 10_000
    assert exposure(common_terms(), [box(1)]).progressive == 0


@pytest.mark.parametrize("seating", list(Seating))
def test_exposure_beyond_the_house_limit_bets_are_refused_by_name(seating):
    """U18: what would go beyond the house's limit is refused one by one; a smaller bet after it may stand."""
    free = terms(seating=seating)
    slips = (slip(1, box(1, trips=100)), slip(2, box(2, ante=100)), slip(3, box(3, trips=10)))
    limit = exposure(free, [box(1, trips=100), box(3)]).total

    closed = close(*slips, at=terms(seating=seating, exposure_max=limit))

    assert closed.boxes == (box(1, trips=100), box(3))
    assert reasons(closed) == [(2, "ante", 100, "house_limit"), (3, "trips", 10, "house_limit")]
    assert exposure(free, closed.boxes).total == limit
    less = close(*slips, at=terms(seating=seating, exposure_max=limit - 1))
    assert less.boxes == (box(1, trips=100),)


def test_exposure_one_more_is_weighed_as_all_together():
    """U18: weighing bets one by one admits exactly what a sum of all admits."""
    boxes = (
        box(1, ante=100, trips=50, progressive=100),
        box(2, ante=50, progressive=100),
        box(3, player=1, ante=200, play=3, progressive=100),
    )
    slips = (slip(1, boxes[0], boxes[2]), slip(2, boxes[1]))
    total = exposure(AT, boxes).total

    assert close(*slips, at=terms(exposure_max=total)).boxes == boxes
    assert reasons(close(*slips, at=terms(exposure_max=total - 1)))[-1][3] == "house_limit"


@pytest.mark.parametrize("seating", list(Seating))
def test_exposure_of_bets_taken_and_one_more(seating):
    """U18: what would be risked with one more bet is what is risked once it is taken."""
    at = terms(seating=seating)
    book, taken = Book(at), []
    for more in (box(1, ante=10), box(2, ante=400, trips=7, progressive=100), box(3, progressive=100)):
        assert book.total_with(more) == exposure(at, [*taken, more]).total
        book.add(more)
        taken.append(more)
    assert book.exposure() == exposure(at, taken)


def test_a_bet_the_table_no_longer_has():
    """A slip of other terms loses the bets that the table does not have."""
    closed = close(slip(1, box(1, trips=10, progressive=100)), at=terms(trips=None, progressive=PROGRESSIVE))

    assert closed.boxes == (box(1, progressive=100),)
    assert reasons(closed) == [(1, "trips", 10, "no_such_bet")]
    assert closed.refused[0].bet is Bet.trips


def test_limits_of_the_terms_are_inclusive():
    """U1: the minimum itself stands."""
    closed = close(slip(1, box(1, ante=10, trips=10)), at=terms(trips=BetLimits(least=10, most=10)))

    assert closed.refused == ()
