"""Places of tournaments compared with the hands in which players went out."""

from dataclasses import replace

import pytest

from pokerroom.audit.places import LostHand, unlike_hands
from pokerroom.chips import Chips, Money
from pokerroom.rules.betting import NoLimit
from pokerroom.rules.stakes import Stakes
from pokerroom.rules.tournament.hand_for_hand import EliminatedPlayer, TiedEliminations
from pokerroom.rules.tournament.schedule import BlindSchedule, LengthUnit, Level
from pokerroom.rules.tournament.state import PlacedPlayer, TournamentTerms

TERMS = TournamentTerms(
    seats=6,
    table_seats=3,
    buy_in=Money(100),
    fee=Money(0),
    starting_stack=Chips(100),
    schedule=BlindSchedule(
        levels=(
            Level(
                stakes=Stakes(small_blind=1, big_blind=2, ante=0), structure=NoLimit(), length=5, break_ms=0
            ),
        ),
        unit=LengthUnit.hands,
    ),
    prizes=(Money(400), Money(120), Money(80)),
)


def lost(table, number, **out):
    """A hand; players by name, in the order from the button: a0 is account 0 of table a, with so many chips."""
    eliminated = [
        EliminatedPlayer(account=int(name[1:]), table=table, position=position, stack=stack)
        for position, (name, stack) in enumerate(out.items())
    ]
    return LostHand(
        table=table,
        number=number,
        out=tuple(eliminated),
        seats={one.account: 9 - one.position for one in eliminated},
    )


def given(*places):
    """From number 6 up: (account, place, prize)."""
    return [
        PlacedPlayer(number=6 - at, place=place, account=account, prize=Money(prize))
        for at, (account, place, prize) in enumerate(places)
    ][::-1]


def differences(hands, places, left, *, all_given=True, **more):
    return list(
        unlike_hands(TERMS.prizes, hands, places, players=TERMS.seats, left=left, all_given=all_given, **more)
    )


def test_hands_of_different_tables_come_in_any_order():
    """Either of them may have been taken first; of one table the earlier hand has the lower place."""
    hands = [lost(1, 1, p1=50), lost(2, 4, p2=70), lost(1, 3, p3=50)]
    for order in ((1, 2, 3), (2, 1, 3), (1, 3, 2)):
        places = given(*((account, 6 - at, 0) for at, account in enumerate(order)))
        assert differences(hands, places, 3) == []
    wrong = differences(hands, given((3, 6, 0), (1, 5, 0), (2, 4, 0)), 3)
    assert wrong == ["number 5 is of hand 1 of table 1, after that of a later hand"]


def test_players_of_one_hand_have_the_order_of_their_stacks():
    """Also where hands of two tables count as one (L8): 900, 650, 400."""
    hands = [lost(1, 1, p1=900, p2=400), lost(2, 4, p3=650)]
    assert differences(hands, given((2, 6, 0), (3, 5, 0), (1, 4, 0)), 3) == []
    assert differences(hands, given((2, 6, 0), (1, 5, 0), (3, 4, 0)), 3) == []
    assert differences(hands, given((1, 6, 0), (2, 5, 0), (3, 4, 0)), 3) == [
        "number 5 has account 2, place 5 and prize 0, by its hands it is account 1, place 5 and prize 0",
        "number 6 has account 1, place 6 and prize 0, by its hands it is account 2, place 6 and prize 0",
    ]
    assert len(differences(hands, given((1, 6, 0), (3, 5, 0), (2, 4, 0)), 3)) == 2


@pytest.mark.parametrize("first", [1, 2])
def test_a_tie_shares_the_prizes_also_over_tables(first):
    """The odd unit goes to the lower table; with unequal prizes it is a difference."""
    hands = [lost(1, 1, p1=50), lost(2, 4, p2=50)]
    before = [lost(3, 1, p4=1), lost(3, 2, p5=1)]
    tied = given((4, 6, 0), (5, 5, 0), (3 - first, 3, 40), (first, 3, 40))
    found = differences([*hands, *before], tied, 2)
    assert (found == []) is (first == 1)
    apart = given((4, 6, 0), (5, 5, 0), (first, 4, 0), (3 - first, 3, 80))
    assert differences([*hands, *before], apart, 2) == []  # two hands, one after the other


def test_unequal_stacks_tie_only_where_all_share():
    """As the tournament sets it for hand-for-hand (L8)."""
    hands = [lost(1, 1, p1=900, p2=400), lost(2, 4, p3=650), lost(3, 1, p4=1)]
    tied = given((4, 6, 0), (3, 3, 26), (2, 3, 27), (1, 3, 27))
    assert len(differences(hands, tied, 2)) == 3
    assert differences(hands, tied, 2, ties=TiedEliminations.share) == []


def test_two_hands_of_one_table_never_count_as_one():
    """A table waits for the places of its last hand."""
    hands = [lost(1, 1, p1=900, p2=400), lost(1, 2, p3=650)]
    (wrong,) = differences(hands, given((2, 6, 0), (3, 5, 0), (1, 4, 0)), 3)
    assert wrong == "number 6 has account 2, place 6 and prize 0, and no hand has this place next"


def test_a_missing_place_is_told_after_the_end():
    """While the tournament runs the best may be missing: they are on their way to the ledger."""
    hands = [lost(1, 1, p1=50), lost(2, 4, p2=70)]
    places = given((1, 6, 0))
    assert differences(hands, places, 4, all_given=False) == []
    assert differences(hands, places, 4) == ["number 5 has no place, and 4 players are left"]
    stranger = [replace(places[0], account=9)]
    assert len(differences(hands, stranger, 4, all_given=False)) == 1


def test_a_place_of_another_number_is_told_while_the_tournament_runs():
    """Places are given from the last one up: none is above a missing one, and none below the number of players."""
    hands = [lost(1, 1, p1=50), lost(2, 4, p2=70)]
    last, next_one = given((1, 6, 0), (2, 5, 0))[::-1]
    assert differences(hands, [next_one], 4, all_given=False) == ["number 6 has no place, and 5 has one"]
    beyond = replace(last, number=7)
    assert differences(hands, [beyond], 4, all_given=False) == ["number 7 has a place, and 6 players entered"]
