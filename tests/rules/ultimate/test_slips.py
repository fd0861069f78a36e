"""U1: what a player does while betting is open."""

import pytest

from pokerroom.rules.errors import IllegalAction
from pokerroom.rules.ultimate.bets import Bet, BetLimits, BoxBets
from pokerroom.rules.ultimate.slips import BettingSlip, choose_play, double, place, repeat, undo, undo_all
from tests.rules.ultimate.support import RICH, common_terms, terms

AT = terms()
EMPTY = BettingSlip(player=7, box=3)


def ante(amount: int = 10, *, slip: BettingSlip = EMPTY, balance: int = RICH) -> BettingSlip:
    return place(slip, AT, Bet.ante, amount, balance=balance)


def extra_box(slip: BettingSlip, number: int = 5, amount: int = 10) -> BettingSlip:
    return place(slip, AT, Bet.ante, amount, balance=RICH, box=number, free={number})


def refused(code: str, act, *args, **named) -> None:
    """`act` is refused with the code, and the slip, which is a value, is what it was."""
    slip = args[0]
    before = repr(slip)
    with pytest.raises(IllegalAction) as caught:
        act(*args, **named)
    assert caught.value.code == code
    assert repr(slip) == before


def test_u1_chips_add_up():
    """U1: each chip raises its bet, and the room adds the equal Blind."""
    slip = ante(20, slip=ante(10))
    slip = place(slip, AT, Bet.trips, 50, balance=RICH)
    slip = place(slip, AT, Bet.progressive, 100, balance=RICH)

    assert slip.bets == (BoxBets(box=3, player=7, ante=30, trips=50, progressive=100),)
    assert slip.bets[0].blind == 30
    assert slip.total == 30 + 30 + 50 + 100


def test_u1_too_small_a_bet_is_no_mistake_yet():
    """U1: below the minimum a bet is refused when betting closes, not before: it may still grow."""
    assert ante(2).bets[0].ante == 2


def test_u1_above_the_maximum():
    """U1: above the maximum a bet is refused at once; the maximum itself is taken."""
    assert ante(1_000).bets[0].ante == 1_000
    refused("above_maximum", place, EMPTY, AT, Bet.ante, 1_002, balance=RICH)
    refused("above_maximum", place, ante(1_000), AT, Bet.ante, 2, balance=RICH)
    refused("above_maximum", place, ante(), AT, Bet.trips, 501, balance=RICH)
    refused("above_maximum", place, ante(), AT, Bet.progressive, 101, balance=RICH)


def test_u1_insufficient_balance():
    """U1: the balance must do for all on the slip, the Blind included; to the last unit it does."""
    assert ante(10, balance=20).total == 20
    refused("insufficient_balance", place, EMPTY, AT, Bet.ante, 10, balance=19)
    refused("insufficient_balance", place, ante(10, balance=29), AT, Bet.trips, 10, balance=29)


@pytest.mark.parametrize("amount", [1, 3, 11])
def test_halves_an_odd_ante_is_refused(amount):
    """U9: an Ante of an odd number of units is refused, since 3:2 of it is none."""
    refused("ante_not_even", place, EMPTY, AT, Bet.ante, amount, balance=RICH)


def test_trips_may_be_odd():
    """U9: only the Ante is paid in halves; Trips may be any amount."""
    assert place(ante(), AT, Bet.trips, 13, balance=RICH).bets[0].trips == 13


@pytest.mark.parametrize("bet", [Bet.trips, Bet.progressive])
def test_u1_trips_needs_an_ante(bet):
    """U1: Trips is optional and needs an Ante; so does the progressive bet."""
    refused("ante_needed", place, EMPTY, AT, bet, 100, balance=RICH)


@pytest.mark.parametrize("bet", [Bet.blind, Bet.play])
def test_u1_blind_and_play_are_not_placed(bet):
    """U1: no player places a Blind or a Play as a chip: they follow from the Ante."""
    refused("no_such_bet", place, ante(), AT, bet, 10, balance=RICH)


def test_a_bet_that_the_table_does_not_have():
    """A table without Trips or progressive bet refuses them."""
    refused("no_such_bet", place, ante(), terms(trips=None), Bet.trips, 10, balance=RICH)
    refused("no_such_bet", place, ante(), common_terms(), Bet.progressive, 100, balance=RICH)


@pytest.mark.parametrize("amount", [0, -10, 10.0, True, None, "10"])
def test_a1_a_chip_is_an_amount(amount):
    """A1: a chip is an int above nothing."""
    with pytest.raises((IllegalAction, TypeError)) as caught:
        place(EMPTY, AT, Bet.ante, amount, balance=RICH)
    assert not isinstance(caught.value, IllegalAction) or caught.value.code == "bad_amount"


def test_boxes_an_extra_box():
    """U11: a player may bet on free boxes too, each with its Play of 3 or 4 Antes before the deal."""
    slip = choose_play(extra_box(ante(20)), 4, box=5, balance=RICH)
    slip = choose_play(extra_box(slip, number=1, amount=30), 3, box=1, balance=RICH)

    assert [(bets.box, bets.ante, bets.play) for bets in slip.bets] == [(1, 30, 3), (3, 20, 0), (5, 10, 4)]
    assert slip.total == 5 * 30 + 2 * 20 + 6 * 10
    assert choose_play(slip, 3, box=5, balance=RICH).on(5).play == 3


def test_boxes_an_extra_box_has_trips():
    """U11: the other bets are had on an extra box as on one's own."""
    slip = extra_box(ante())

    assert place(slip, AT, Bet.trips, 10, balance=RICH, box=5, free={5}).on(5).trips == 10


def test_boxes_what_is_no_free_box():
    """U11: a box is refused that is held by another, that the table lacks, or at a common hand."""
    refused("box_taken", place, ante(), AT, Bet.ante, 10, balance=RICH, box=5, free={1, 2})
    refused("no_such_box", place, ante(), AT, Bet.ante, 10, balance=RICH, box=7, free={7})
    refused("no_such_box", place, ante(), AT, Bet.ante, 10, balance=RICH, box=0, free={0})
    slip = BettingSlip(player=7, box=3)
    refused("no_such_box", place, slip, common_terms(), Bet.ante, 10, balance=RICH, box=5, free={5})


def test_boxes_the_own_box_comes_first():
    """U11: an extra box needs an Ante on the player's own."""
    refused("own_box_needed", place, EMPTY, AT, Bet.ante, 10, balance=RICH, box=5, free={5})


def test_boxes_the_play_before_the_deal():
    """U11: 3 or 4 Antes on an extra box that has one, never on one's own."""
    slip = extra_box(ante())

    for multiple in (1, 2, 5, 0):
        refused("play_not_allowed", choose_play, slip, multiple, box=5, balance=RICH)
    refused("play_not_allowed", choose_play, slip, 4, box=3, balance=RICH)
    refused("ante_needed", choose_play, slip, 4, box=6, balance=RICH)
    refused("insufficient_balance", choose_play, slip, 4, box=5, balance=79)
    assert choose_play(slip, 4, box=5, balance=80).total == 80


def test_double_once():
    """Double: every bet is doubled, once a round."""
    slip = place(ante(20), AT, Bet.trips, 30, balance=RICH)
    doubled = double(slip, AT, balance=RICH)

    assert (doubled.bets[0].ante, doubled.bets[0].trips, doubled.total) == (40, 60, 140)
    refused("doubled_already", double, doubled, AT, balance=RICH)
    refused("doubled_already", double, ante(10, slip=doubled), AT, balance=RICH)


def test_double_up_to_the_maximum():
    """Double: a bet goes to its maximum where twice is more, and the progressive bet stays its stake."""
    slip = place(place(ante(600), AT, Bet.trips, 20, balance=RICH), AT, Bet.progressive, 100, balance=RICH)

    bets = double(slip, AT, balance=RICH).bets[0]

    assert (bets.ante, bets.trips, bets.progressive) == (1_000, 40, 100)


def test_double_what_cannot_be_doubled():
    """Double: not nothing, not what is at its maximum, not beyond the balance."""
    refused("nothing_to_double", double, EMPTY, AT, balance=RICH)
    refused("nothing_to_double", double, ante(1_000), AT, balance=RICH)
    refused("insufficient_balance", double, ante(10), AT, balance=39)
    assert double(ante(10), AT, balance=40).total == 40


def test_repeat_the_last_bets():
    """Repeat: all bets of the last round, extra boxes and their Play included."""
    last = (
        BoxBets(box=1, player=7, ante=30, play=3),
        BoxBets(box=3, player=7, ante=20, trips=10, progressive=100),
    )

    slip = repeat(EMPTY, AT, last, balance=RICH, free={1})

    assert slip.bets == last
    assert undo(slip) == EMPTY


def test_repeat_on_another_box():
    """Repeat: a player that changed places repeats their own box's bets where they are now."""
    last = (BoxBets(box=6, player=7, ante=30),)

    assert repeat(EMPTY, AT, last, balance=RICH).bets == (BoxBets(box=3, player=7, ante=30),)


def test_repeat_what_cannot_be_repeated():
    """Repeat: all or nothing, as limits, boxes and balance are now, and only before other bets."""
    last = (BoxBets(box=3, player=7, ante=20), BoxBets(box=5, player=7, ante=20, play=4))

    refused("nothing_to_repeat", repeat, EMPTY, AT, (), balance=RICH)
    refused("bets_placed", repeat, ante(), AT, last, balance=RICH, free={5})
    refused("box_taken", repeat, EMPTY, AT, last, balance=RICH, free={1})
    refused("insufficient_balance", repeat, EMPTY, AT, last, balance=159, free={5})
    small = terms(ante=BetLimits(least=2, most=18))
    refused("above_maximum", repeat, EMPTY, small, last, balance=RICH, free={5})
    assert repeat(EMPTY, AT, last, balance=160, free={5}).total == 160


def test_repeat_then_double():
    """Repeat: the space bar repeats, and then doubles."""
    last = (BoxBets(box=3, player=7, ante=20),)

    assert double(repeat(EMPTY, AT, last, balance=RICH), AT, balance=RICH).total == 80


def test_undo_one_by_one():
    """Undo: each takes back the last thing done, in the reverse order."""
    one = ante(10)
    two = place(one, AT, Bet.trips, 20, balance=RICH)
    three = double(two, AT, balance=RICH)

    assert undo(three) == two
    assert undo(undo(three)) == one
    assert undo(undo(undo(three))) == EMPTY
    refused("nothing_to_undo", undo, EMPTY)


def test_undo_any_number():
    """Undo: a maximum laid down chip by chip is taken back chip by chip, and compared and printed on the way."""
    slip = EMPTY
    for _ in range(500):
        slip = ante(2, slip=slip)
    assert slip == ante(2, slip=undo(slip))
    assert len(repr(slip)) < 200

    for _ in range(500):
        slip = undo(slip)
    assert slip == EMPTY


def test_undo_a_double_gives_it_back():
    """Undo: a player who takes their doubling back may double once more."""
    doubled = double(ante(10), AT, balance=RICH)

    assert double(undo(doubled), AT, balance=RICH) == doubled


def test_undo_all():
    """Undo: all bets go at once, and there is nothing more to undo."""
    slip = undo_all(choose_play(extra_box(ante(20)), 4, box=5, balance=RICH))

    assert slip == EMPTY
    refused("nothing_to_undo", undo_all, slip)
    refused("nothing_to_undo", undo, slip)
