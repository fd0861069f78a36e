"""U1, U2: rounds that cannot be are never begun."""

import pytest

from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.ultimate.bets import BoxBets
from pokerroom.rules.ultimate.round import RoundSetup, start
from tests.rules.ultimate.support import common_terms, deal_of, terms

A_BOX = {"box": 1, "player": 1, "ante": 10}


@pytest.mark.parametrize(
    ("boxes", "changed"),
    [
        ([], {}),
        ([A_BOX, A_BOX], {}),
        ([A_BOX | {"box": 2}, A_BOX | {"player": 2}], {}),
        ([A_BOX | {"box": 0}], {}),
        ([A_BOX | {"box": 7}], {}),
        ([A_BOX | {"ante": 0}], {}),
        ([A_BOX | {"ante": 11}], {}),
        ([A_BOX | {"trips": -1}], {}),
        ([A_BOX | {"progressive": 99}], {}),
        ([A_BOX | {"play": 4}], {}),
        ([A_BOX, A_BOX | {"box": 2, "play": 2}], {}),
        ([A_BOX, A_BOX | {"box": 2}], {}),
        ([A_BOX], {"meter": -1}),
        ([A_BOX | {"trips": 10}], {"terms": terms(trips=None)}),
        ([A_BOX | {"progressive": 100}], {"terms": terms(progressive=None)}),
        (
            [A_BOX, A_BOX | {"box": 2, "play": 4}],
            {"terms": common_terms(), "deal": deal_of(["AsAd"], "2c7d", "3h5sTcJdKh")},
        ),
        ([A_BOX], {"deal": deal_of(["AsAd", "KsKd"], "2c7d", "3h5sTcJdKh")}),
        ([A_BOX], {"deal": deal_of(["AsAd"], "2c7d", "3h5sTcJd")}),
        ([A_BOX], {"deal": deal_of(["AsAd"], "2c7d", "3h5sTcJdAs")}),
        ([A_BOX], {"deal": deal_of(["AsAs"], "2c7d", "3h5sTcJdKh")}),
    ],
)
def test_a_round_that_cannot_be_raises(boxes, changed):
    """U1, U2: code that sets a round up wrongly has a bug, and is told so before a card is dealt."""
    bets = tuple(BoxBets(**one) for one in boxes)
    holes = ["AsAd", "KsKd"][: len(bets)]
    usual = {"terms": terms(), "deal": deal_of(holes, "2c7d", "3h5sTcJd9h"), "meter": 0}

    with pytest.raises(InvariantBroken):
        start(RoundSetup(boxes=bets, **(usual | changed)))
