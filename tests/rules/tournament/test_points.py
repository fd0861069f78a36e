"""L17: points of a league."""

from decimal import Decimal, localcontext

import pytest

from pokerroom.rules.tournament.points import league_points


@pytest.mark.parametrize(("place", "points"), [(1, "275.19"), (9, "91.73"), (27, "52.96")])
def test_l17_points_of_a_place(place, points):
    """L17: 180 entries of 11.00."""
    assert league_points(entries=180, place=place, buy_in=1_100) == Decimal(points)
    with localcontext(prec=3):
        assert league_points(entries=180, place=place, buy_in=1_100) == Decimal(points)


def test_l17_a_better_place_in_a_larger_and_dearer_field_counts_more():
    """L17: and a freeroll counts, too."""
    freeroll = league_points(entries=180, place=1, buy_in=0)

    assert 0 < freeroll < league_points(entries=180, place=1, buy_in=100)
    assert league_points(entries=181, place=2, buy_in=100) > league_points(entries=180, place=2, buy_in=100)


@pytest.mark.parametrize(("entries", "place", "buy_in"), [(5, 6, 0), (5, 0, 0), (5, 1, -1)])
def test_l17_a_place_that_is_not_there_is_refused(entries, place, buy_in):
    """L17: a place is one of the entries."""
    with pytest.raises(ValueError, match="one of the entries"):
        league_points(entries=entries, place=place, buy_in=buy_in)
