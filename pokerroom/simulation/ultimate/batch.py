"""Many rounds of Ultimate at once: one box against the bank by the practical strategy, with Trips (numpy).

The same rounds as the state machine's: cards are taken from the deck in the order of `deal_round`, what a result pays
is read from the rules' own table of results and pay tables. A test plays the same decks through both, where the bots'
strategy decides card by card as it is decided here for all rounds at once. The figures of the simulation are so a proof
of the rules and of that strategy.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pokerroom.bots.ultimate_strategy import OUTS_MAX, multiple
from pokerroom.rules.cards import DECK, RANKS, card_text
from pokerroom.rules.ranking import HandCategory
from pokerroom.rules.ultimate.result import Outcome
from pokerroom.rules.ultimate.settlement import CELLS, LEAST_RANK, Cell
from pokerroom.rules.ultimate.terms import BLIND, TRIPS, Qualification
from pokerroom.simulation.ultimate.ranks import (
    KEY_BY_RANK,
    RANK_KEY,
    SUIT_KEY,
    Ints,
    Strengths,
    by_ranks,
    categories,
    strength_of,
    strengths,
    weakest,
)

Cards = NDArray[np.int8]
Flags = NDArray[np.bool_]

DRAWN: Final = 11
"""Cards of a round with one box: 2 + 2, a burn card, 3, a burn card, 2."""
ANTE: Final = 2
"""Units: the Blind's 3:2 is whole."""

_PLAYER, _BANK, _FLOP, _TURN_RIVER = (0, 2), (1, 3), (5, 6, 7), (9, 10)  # as `deal_round` deals
_TWO_PAIR: Final = weakest(HandCategory.two_pair)
_STRAIGHT: Final = weakest(HandCategory.straight)
_SUIT_COUNT: Final[Ints] = np.array([1 << (card % 4 * 8) for card in DECK], dtype=np.int64)
_BEFORE_FLOP: Final[Flags] = np.array(
    [
        first != second and multiple([card_text(first), card_text(second)], []) > 0
        for first, second in product(DECK, DECK)
    ]
)
_OUTCOMES: Final = (Outcome.lost, Outcome.tied, Outcome.won, Outcome.folded)
_FOLDED: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundBatch:
    """What became of many rounds, by round. Amounts in units, the Ante being `ANTE` and Trips 1."""

    play: NDArray[np.int8]
    """The Play in Antes; 0 where the box folded."""
    qualifies: Flags
    net: Ints
    """What Ante, Blind and Play brought."""
    trips: Ints
    """What Trips brought."""


def draw(generator: np.random.Generator, rounds: int) -> Cards:
    """The top of so many shuffled decks, by card and round: Fisher-Yates as far as cards are dealt.

    A seeded generator, since a simulation must be repeatable: the room deals from its own shuffle.
    """
    decks = np.repeat(np.arange(len(DECK), dtype=np.int8)[:, np.newaxis], rounds, axis=1)
    column = np.arange(rounds)
    for at in range(DRAWN):
        swap = generator.integers(at, len(DECK), size=rounds, dtype=np.int8)
        chosen = decks[swap, column]
        decks[swap, column] = decks[at]
        decks[at] = chosen
    return decks[:DRAWN]


class Bank:
    """The bank of a table with this qualification: it settles what was decided."""

    def __init__(self, qualification: Qualification) -> None:
        self._least = strength_of(LEAST_RANK[qualification])
        self._net = _net_table()
        self._trips: Ints = np.array(
            [TRIPS.winnings(kind, 1) if TRIPS.pays(kind) else -1 for kind in HandCategory], dtype=np.int64
        )

    def settle(self, player: Strengths, bank: Strengths, play: NDArray[np.int8]) -> RoundBatch:
        """The results of these hands with these Plays."""
        outcome = 1 + np.sign(player.astype(np.int64) - bank)
        outcome[play == 0] = _FOLDED
        qualifies = bank >= self._least
        kind = categories(player)
        return RoundBatch(
            play=play,
            qualifies=qualifies,
            net=self._net[outcome, qualifies.astype(np.int64), kind, play],
            trips=self._trips[kind],
        )


def _net_table() -> Ints:
    """What Ante, Blind and Play bring, by outcome, qualification, kind of hand and Play: from the rules' tables."""
    table = np.zeros((len(_OUTCOMES), 2, len(HandCategory), 5), dtype=np.int64)
    for (at, outcome), qualifies, kind, play in product(
        enumerate(_OUTCOMES), (False, True), HandCategory, range(5)
    ):
        ante, by_play, blind = CELLS[outcome, qualifies]
        net = _brings(ante, ANTE, kind) + _brings(by_play, ANTE * play, kind) + _brings(blind, ANTE, kind)
        table[at, int(qualifies), kind, play] = net
    return table


def _brings(cell: Cell, stake: int, kind: HandCategory) -> int:
    brings = {Cell.wins: stake, Cell.push: 0, Cell.lost: -stake, Cell.by_table: BLIND.winnings(kind, stake)}
    return brings[cell]


def play(cards: Cards, bank: Bank) -> RoundBatch:
    """Play these rounds to their end."""
    rank_keys, suit_keys = RANK_KEY[cards], SUIT_KEY[cards]
    board = [*_FLOP, *_TURN_RIVER]
    board_ranks, board_suits = _sum(rank_keys, board), _sum(suit_keys, board)
    player = strengths(
        board_ranks + _sum(rank_keys, _PLAYER), board_suits + _sum(suit_keys, _PLAYER), len(board) + 2
    )
    dealer = strengths(
        board_ranks + _sum(rank_keys, _BANK), board_suits + _sum(suit_keys, _BANK), len(board) + 2
    )
    plays = np.zeros(cards.shape[1], dtype=np.int8)
    first, second = cards[_PLAYER[0]].astype(np.int64), cards[_PLAYER[1]]
    early = _BEFORE_FLOP[first * len(DECK) + second]
    plays[early] = 4
    rest = np.flatnonzero(~early)
    on_flop = _plays_on_flop(cards[:, rest])
    plays[rest[on_flop]] = 2
    rest = rest[~on_flop]
    on_river = _plays_on_river(cards[:, rest], player[rest])
    plays[rest[on_river]] = 1
    return bank.settle(player, dealer, plays)


def _sum(keys: Ints, of: tuple[int, ...] | list[int]) -> Ints:
    total: Ints = keys[of[0]].copy()
    for at in of[1:]:
        total += keys[at]
    return total


def _hidden_pair(cards: Cards, board: tuple[int, ...]) -> Flags:
    """Whether a hole card has the rank of a board card."""
    ranks = cards >> 2
    found = np.zeros(cards.shape[1], dtype=np.bool_)
    for hole, other in product(_PLAYER, board):
        found |= ranks[hole] == ranks[other]
    return found


def _plays_on_flop(cards: Cards) -> Flags:
    five = [*_PLAYER, *_FLOP]
    strength = strengths(_sum(RANK_KEY[cards], five), _sum(SUIT_KEY[cards], five), len(five))
    found: Flags = (strength >= _TWO_PAIR) | _hidden_pair(cards, _FLOP)
    suits = _sum(_SUIT_COUNT[cards], five)
    for hole in _PLAYER:
        of_suit = suits >> ((cards[hole].astype(np.int64) & 3) * 8) & 0xFF
        found |= (cards[hole] >= RANKS.index("T") * 4) & (of_suit >= 4)
    return found


def _plays_on_river(cards: Cards, player: Strengths) -> Flags:
    board = (*_FLOP, *_TURN_RIVER)
    rank_keys, suit_keys = _sum(RANK_KEY[cards], board), _sum(SUIT_KEY[cards], board)
    of_board = strengths(rank_keys, suit_keys, len(board))
    found: Flags = _hidden_pair(cards, board) | (cards[_PLAYER[0]] >> 2 == cards[_PLAYER[1]] >> 2)
    found |= (player >= _STRAIGHT) & (player > of_board)
    rest = np.flatnonzero(~found)
    outs = _outs(cards[:, rest], rank_keys[rest], suit_keys[rest], player[rest])
    found[rest] = outs <= OUTS_MAX
    return found


def _outs(cards: Cards, rank_keys: Ints, suit_keys: Ints, player: Strengths) -> Ints:
    """How many unseen cards beat the player's hand from the board."""
    seen = (*_PLAYER, *_FLOP, *_TURN_RIVER)
    ranks = cards >> 2
    outs = np.zeros(cards.shape[1], dtype=np.int64)
    for rank, key in enumerate(KEY_BY_RANK):
        unseen = np.full(cards.shape[1], 4, dtype=np.int64)
        for at in seen:
            unseen -= ranks[at] == rank
        # a fifth card of a rank has no key; its strength is asked for all the same, and counts nothing
        six = np.where(unseen > 0, rank_keys + key, 0)
        outs += unseen * (by_ranks(six, len(seen) - 1) > player)
    suits = _sum(_SUIT_COUNT[cards], (*_FLOP, *_TURN_RIVER))
    # with four of a suit on the board a card's suit matters: these few are counted card by card
    suited = np.flatnonzero((suits + 0x04040404) & 0x08080808)
    if suited.size:
        outs[suited] = 0
        for card in DECK:
            unseen_card = (cards[list(seen)][:, suited] != card).all(axis=0)
            safe = np.where(unseen_card, RANK_KEY[card], 0)
            six = np.where(unseen_card, rank_keys[suited] + safe, 0)
            beats = strengths(six, suit_keys[suited] + SUIT_KEY[card], len(seen) - 1) > player[suited]
            outs[suited] += unseen_card & beats
    return outs
