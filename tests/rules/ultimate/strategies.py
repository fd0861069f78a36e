"""Random rounds for Hypothesis: tables of both kinds, boxes with every bet, and decisions right and wrong."""

from hypothesis import strategies as st

from pokerroom.rules.actions import Check, Fold
from pokerroom.rules.cards import DECK
from pokerroom.rules.ranking import HandCategory
from pokerroom.rules.ultimate.bets import BoxBets
from pokerroom.rules.ultimate.deal import deal_round
from pokerroom.rules.ultimate.decisions import Play
from pokerroom.rules.ultimate.round import RoundSetup
from pokerroom.rules.ultimate.terms import ProgressiveTerms, Qualification, Seating
from tests.rules.ultimate.support import PROGRESSIVE, terms

SUITED = [card for card in DECK if card % 4 == 3]
PROGRESSIVES = [
    None,
    PROGRESSIVE,
    ProgressiveTerms(
        stake=7, feed_bps=3_333, seed=1_000, prizes=((HandCategory.four_of_a_kind, 77),), envy_prize=5
    ),
]


@st.composite
def decks(draw) -> tuple[int, ...]:
    """A shuffled deck; every other time with many cards of one suit on top, so that flushes and better are dealt."""
    deck = draw(st.permutations(DECK))
    if draw(st.booleans()):
        top = draw(st.permutations(SUITED))
        deck = [*top, *(card for card in deck if card not in set(top))]
    return tuple(deck)


@st.composite
def setups(draw) -> RoundSetup:
    """1 to 6 boxes of as many players or fewer, extra boxes blind; or 1 to 12 players of a common hand."""
    seating = draw(st.sampled_from(Seating))
    progressive = draw(st.sampled_from(PROGRESSIVES))
    table = terms(
        seating=seating, qualification=draw(st.sampled_from(Qualification)), progressive=progressive
    )
    common = seating is Seating.common_hand
    numbers = range(1, draw(st.integers(1, 12 if common else 6)) + 1)
    players: list[int] = []
    boxes = []
    for number in numbers:
        extra = bool(players) and not common and draw(st.booleans())
        player = draw(st.sampled_from(players)) if extra else number
        players.append(player)
        boxes.append(
            BoxBets(
                box=number,
                player=player,
                ante=2 * draw(st.integers(5, 500)),
                trips=draw(st.sampled_from([0, 0, 10, 13, 500])),
                progressive=draw(st.sampled_from([0, progressive.stake])) if progressive else 0,
                play=draw(st.sampled_from([3, 4])) if extra else 0,
            )
        )
    return RoundSetup(
        terms=table,
        boxes=tuple(boxes),
        deal=deal_round(draw(decks()), 1 if common else len(boxes)),
        meter=draw(st.integers(0, 100_000)) if progressive else 0,
    )


decisions = st.sampled_from(
    [Check(), Check(), Fold(), *(Play(multiple=multiple) for multiple in (1, 2, 3, 4, 5))]
)
"""What may be tried for a box; most are refused on most streets."""
