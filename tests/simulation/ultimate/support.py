"""Rounds of the fast path, card by card, and the same ones by the state machine."""

import numpy as np

from pokerroom.bots.ultimate_strategy import multiple
from pokerroom.rules.cards import DECK, Card, card_text
from pokerroom.rules.ultimate.bets import Bet, BetLimits, BoxBets
from pokerroom.rules.ultimate.deal import deal_round
from pokerroom.rules.ultimate.round import Check, Decision, Fold, Play, RoundSetup, RoundState, decide, start
from pokerroom.rules.ultimate.terms import Qualification, Seating, Terms
from pokerroom.simulation.ultimate.batch import ANTE, DRAWN

RICH = 10**6


def decks(cards: np.ndarray) -> list[tuple[Card, ...]]:
    """Whole decks, with these cards on top and the others below, by round."""
    found = []
    for column in cards.T.tolist():
        drawn = set(column)
        assert len(drawn) == DRAWN
        found.append((*column, *(card for card in DECK if card not in drawn)))
    return found


def machine_round(
    deck: tuple[Card, ...], qualification: Qualification, *, seating=Seating.boxes
) -> RoundState:
    """One box with an Ante and a unit on Trips, played to its end by the practical strategy and the rules alone."""
    terms = Terms(
        qualification=qualification,
        seating=seating,
        ante=BetLimits(least=ANTE, most=ANTE),
        trips=BetLimits(least=1, most=1),
    )
    boxes = (BoxBets(box=1, player=1, ante=ANTE, trips=1),)
    state = start(RoundSetup(terms=terms, boxes=boxes, deal=deal_round(deck, 1)))
    while not state.finished:
        state, _ = decide(state, 1, 1, practical(state), balance=RICH)
    return state


def practical(state: RoundState) -> Decision:
    """What the strategy does with the cards that the box sees."""
    holes, board = map(card_text, state.setup.holes(0)), [card_text(card) for card in state.board]
    times = multiple(list(holes), board)
    if times:
        return Play(multiple=times)
    return Fold() if len(board) == 5 else Check()


def money(state: RoundState) -> tuple[int, bool, int, int]:
    """Play, whether the bank qualifies, what Ante, Blind and Play brought, what Trips brought."""
    settlement = state.settlement
    assert settlement is not None
    assert settlement.bank is not None
    (box,) = settlement.boxes
    brought = {bet.bet: bet.paid - bet.staked for bet in box.bets}
    trips = brought.pop(Bet.trips)
    return state.boxes[0].play, settlement.bank.qualifies, sum(brought.values()), trips
