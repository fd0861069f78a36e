"""The referee's own rules: hands rank as PokerKit ranks them, chips are split by the clauses, buttons move."""

from __future__ import annotations

import random
import warnings
from fractions import Fraction

import pytest

from tests.referee.cards import DECK, best
from tests.referee.judge import judge
from tests.referee.meter import fed_between, wrong_prizes
from tests.referee.model import Hand, Rake, Seat, Step, Terms
from tests.referee.positions import Positions, wrong_move
from tests.referee.pots import Pot, rake_of, rake_parts, split
from tests.referee.turns import TurnClock

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import pokerkit


KIT = {"holdem": (2, pokerkit.StandardHighHand), "omaha": (4, pokerkit.OmahaHoldemHand)}


@pytest.mark.parametrize("game", KIT)
def test_hands_rank_as_pokerkit_ranks_them(game):
    """Two random hands on a board: the same one wins, or both tie."""
    holes, kit = KIT[game]
    dice = random.Random(5)
    deck = sorted(DECK)
    ties = 0
    for _ in range(300 if game == "holdem" else 60):
        cards = dice.sample(deck[:28], 5 + 2 * holes)  # of seven ranks: many ties and many kinds of hands
        board, one, other = cards[:5], cards[5 : 5 + holes], cards[5 + holes :]
        ours = best(one, board, game), best(other, board, game)
        theirs = [kit.from_game("".join(hand), "".join(board)) for hand in (one, other)]
        assert (ours[0] > ours[1], ours[0] == ours[1]) == (theirs[0] > theirs[1], theirs[0] == theirs[1])
        ties += ours[0] == ours[1]
    assert ties


@pytest.mark.parametrize(
    ("amount", "unit", "shares"),
    [
        (3700, 100, (1900, 1800)),
        (3750, 100, (1950, 1800)),
        (160, 100, (80, 80)),
        (161, 100, (81, 80)),
        (7, 1, (4, 3)),
    ],
)
def test_odd_chips_go_to_the_first_left_of_the_button(amount, unit, shares):
    """F3, with the examples of a limit of 5/10 in units of 1.00."""
    assert tuple(split(amount, [4, 2], unit).values()) == shares


def test_a_rake_is_capped_and_comes_from_the_pots_in_proportion():
    """F4: 15.75 at 5 % with a cap of 0.60 pays 0.60, without it 0.78; odd units come from the largest pot."""
    pots = [Pot(1000, (1, 2, 3)), Pot(575, (1, 2))]
    capped = Rake(bps=500, unit=1, caps=((2, 40), (3, 60)))
    assert rake_of(pots, capped, dealt_in=3, flop=True) == 60
    assert rake_of(pots, Rake(bps=500, unit=1), dealt_in=3, flop=True) == 78
    assert rake_of(pots, capped, dealt_in=3, flop=False) == 0
    assert rake_parts(pots, 78, 1) == [50, 28]


def at(button: int, small: int | None, big: int, *seats: int) -> Positions:
    return Positions(
        button=button,
        small_blind=small,
        big_blind=big,
        small_blind_seat=small,
        seats=frozenset(seats),
        posters=False,
    )


@pytest.mark.parametrize(
    ("now", "wrong"),
    [
        (at(2, 3, 4, 1, 2, 3, 4), False),
        (at(1, 2, 3, 1, 2, 3, 4), True),
        (at(3, 4, 1, 1, 2, 3, 4), True),
        (at(2, None, 4, 1, 2, 4), False),
        (at(2, 4, 1, 1, 2, 4), True),
        (at(4, 4, 1, 1, 4), True),
    ],
)
def test_the_dead_button_of_a_tournament_skips_no_big_blind(now, wrong):
    """B3, B4: after button 1, blinds 2 and 3 the big blind moves to the next player, and the others follow."""
    before = at(1, 2, 3, 1, 2, 3, 4)
    assert (wrong_move(before, now, tournament=True, allowed={"dead"})[0] is not None) == wrong


def test_a_cash_button_moves_by_one_rule():
    """B3: with the same players the button moves to the next one; a button that stays is a difference."""
    before, both = at(1, 2, 3, 1, 2, 3, 4), {"moving", "dead"}
    assert wrong_move(before, at(2, 3, 4, 1, 2, 3, 4), tournament=False, allowed=both)[0] is None
    assert wrong_move(before, before, tournament=False, allowed=both)[0] is not None
    assert wrong_move(before, at(3, 4, 1, 1, 2, 3, 4), tournament=False, allowed=both)[0] is not None


@pytest.mark.parametrize(
    ("feed", "part_bps", "paid", "right"),
    [
        (Fraction(1, 2), 10_000, [1_100], True),
        (Fraction(1, 2), 10_000, [1_099], False),
        (Fraction(1, 2), 1_000, [55, 55], True),
        (Fraction(1, 2), 1_000, [56, 54], False),
        (Fraction(1, 2), 1_000, [100, 100], False),
        (None, 10_000, [1_000], True),
        (None, 10_000, [1_201], False),
    ],
)
def test_u12_the_meter_pays_its_part(feed, part_bps, paid, right):
    """A meter of 1,000 and two bets of 100: half of each feeds it, or a share that is not known yet."""
    least, most = fed_between(feed, 100, 2)
    if feed is not None:
        assert least <= 100 <= most
        least = most = 100
    assert (wrong_prizes(1_000, (least, most), part_bps, paid) is None) is right


@pytest.mark.parametrize(("later_ms", "wrong"), [(6_000, 0), (11_000, 1)])
def test_h4_a_player_that_comes_back_has_the_countdown_once_more(later_ms, wrong):
    """H4: 3 s into a countdown of 6 s it begins again; the turn that is told again names its first start."""
    clock = TurnClock((4, 6))
    turn = {"seat": 1, "in_time_bank": False, "countdown_ms": 4_000, "deadline_ms": 10_000}
    assert clock.asked(turn, 0) == []
    assert len(clock.asked({**turn, "deadline_ms": 7_000 + later_ms}, 7_000)) == wrong


@pytest.mark.parametrize(("ante", "wrong"), [(2, 0), (10, 1)])
def test_b9_a_short_big_blind_pays_the_blind_before_the_ante_of_the_table(ante, wrong):
    """B9: of 12 chips the blind of 10 is paid first; the ante of 10, which is told first, gets the rest."""
    terms = Terms(
        game="holdem", structure="no_limit", hole_cards=2, small_blind=5, big_blind=10, big_blind_ante=10
    )
    seats = [Seat(number=2, name="b", stack=12), Seat(number=1, name="a", stack=100)]
    hand = Hand(
        hand_id="h", table="t", terms=terms, button=1, small_blind=1, big_blind=2, seats=seats,
        steps=[
            Step(what="post", seat=2, kind="big_blind_ante", amount=ante),
            Step(what="post", seat=1, kind="small_blind", amount=5),
            Step(what="post", seat=2, kind="big_blind", amount=12 - ante),
        ],
        void=True,
    )  # fmt: skip
    posts = [one.detail for one in judge(hand).differences if one.kind == "post"]
    assert bool(posts) is bool(wrong), posts
