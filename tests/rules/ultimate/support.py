"""Rounds for the tests: terms as at the two tables of the documents, and cards by their names."""

from collections.abc import Iterable

from pokerroom.rules.cards import DECK, Card, parse_cards
from pokerroom.rules.ranking import HandCategory
from pokerroom.rules.ultimate.bets import Bet, BetLimits, BoxBets
from pokerroom.rules.ultimate.deal import RoundDeal
from pokerroom.rules.ultimate.events import Event
from pokerroom.rules.ultimate.result import SettledBox
from pokerroom.rules.ultimate.round import RoundSetup, RoundState, decide, start, time_out
from pokerroom.rules.ultimate.terms import ProgressiveTerms, Qualification, Seating, Terms

RICH = 10**9
"""A balance that is no limit."""

PROGRESSIVE = ProgressiveTerms(
    stake=100,
    feed_bps=2_000,
    seed=50_000,
    prizes=((HandCategory.four_of_a_kind, 30_000), (HandCategory.full_house, 5_000)),
    envy_prize=10_000,
)


def terms(**changed) -> Terms:
    """A casino table: six boxes, any pair qualifies, limits that allow for small numbers."""
    usual = {
        "qualification": Qualification.any_pair,
        "seating": Seating.boxes,
        "ante": BetLimits(least=10, most=1_000),
        "trips": BetLimits(least=10, most=500),
        "progressive": PROGRESSIVE,
    }
    return Terms(**(usual | changed))


def common_terms(**changed) -> Terms:
    """The live table: one hand for all, a pair of fours qualifies, no progressive bet."""
    return terms(
        **(
            {
                "qualification": Qualification.pair_of_fours,
                "seating": Seating.common_hand,
                "progressive": None,
            }
            | changed
        )
    )


def two(text: str) -> tuple[Card, Card]:
    first, second = parse_cards(text)
    return first, second


def deal_of(holes: Iterable[str], bank: str, board: str) -> RoundDeal:
    """A deal of these cards; two others are burned."""
    hands = tuple(two(cards) for cards in holes)
    known = {*parse_cards(bank), *parse_cards(board), *(card for hand in hands for card in hand)}
    first, second = [card for card in DECK if card not in known][:2]
    return RoundDeal(holes=hands, bank=two(bank), board=parse_cards(board), burned=(first, second))


def setup_of(
    boxes: tuple[BoxBets, ...],
    holes: Iterable[str],
    *,
    bank: str = "2c7d",
    board: str = "3h5sTcJdKh",
    at: Terms | None = None,
    meter: int = 0,
) -> RoundSetup:
    return RoundSetup(terms=at or terms(), boxes=boxes, deal=deal_of(holes, bank, board), meter=meter)


def box(number: int = 1, *, player: int | None = None, ante: int = 10, **bets: int) -> BoxBets:
    """A box of the player with its number, unless it is said."""
    return BoxBets(box=number, player=number if player is None else player, ante=ante, **bets)


def begun(*args, **named) -> RoundState:
    return start(setup_of(*args, **named))


def act(state: RoundState, player: int, decision, *, at: int | None = None) -> RoundState:
    """The state after a decision of a rich player on their box, which has their number unless it is said."""
    return decide(state, player, player if at is None else at, decision, balance=RICH)[0]


def run_out(state: RoundState) -> tuple[RoundState, list[Event]]:
    """Let the clock decide until the round is over."""
    events: list[Event] = []
    while not state.finished:
        state, more = time_out(state)
        events += more
    return state, events


def result(state: RoundState, number: int = 1) -> SettledBox:
    assert state.settlement is not None
    (found,) = [one for one in state.settlement.boxes if one.box == number]
    return found


def paid(state: RoundState, number: int = 1) -> dict[Bet, int]:
    """What each bet of a box brought back."""
    return {bet.bet: bet.paid for bet in result(state, number).bets}
