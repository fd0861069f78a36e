"""The strategy of a house bot: it estimates its equity by sampling and weighs it against the price of a call.

It plays like a decent amateur. It sees what its own seat may see. Equities are integers in 1/1000, amounts whole chips.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from pokerroom.bots.policy import CALL, CHECK, FOLD, Decision, Options, SplitMix64

with warnings.catch_warnings():
    warnings.simplefilter(
        "ignore", DeprecationWarning
    )  # from pyparsing, in a part of eval7 that is not used here
    import eval7

SAMPLES: Final = 60
HOLDEM_HOLE_CARDS: Final = 2
_WHOLE: Final = 1000
_DECK: Final = tuple(f"{rank}{suit}" for rank in "23456789TJQKA" for suit in "cdhs")
_CARDS: Final = {text: eval7.Card(text) for text in _DECK}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayingStyle:
    """The playing style of one bot, in 1/1000.

    `loose` is added to its equity when it calls. `bold` is how often it bets or raises a good hand, `sly` how often it
    bluffs.
    """

    loose: int
    bold: int
    sly: int


def style_of(number: int) -> PlayingStyle:
    """Return the style of the bot with this number; the same number has the same style."""
    random = SplitMix64(0x9E37 + number)
    return PlayingStyle(
        loose=random.below(110) - 40, bold=450 + random.below(400), sly=20 + random.below(120)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """The input of a decision. `pot` includes the bets in front of the seats."""

    options: Options
    hole: Sequence[str]
    board: Sequence[str]
    opponents: int
    pot: int
    own_bet: int


def estimate_equity(hole: Sequence[str], board: Sequence[str], opponents: int, random: SplitMix64) -> int:
    """Estimate the equity against `opponents` unknown hands, in 1/1000; a shared pot counts in part."""
    known = {*hole, *board}
    unseen = [_CARDS[text] for text in _DECK if text not in known]
    own, shared = [_CARDS[text] for text in hole], [_CARDS[text] for text in board]
    held = len(hole)  # opponents hold as many cards
    to_come = 5 - len(board)
    drawn = to_come + held * opponents
    won = 0
    for _ in range(SAMPLES):
        for position in range(drawn):  # a partial Fisher-Yates shuffle
            other = position + random.below(len(unseen) - position)
            unseen[position], unseen[other] = unseen[other], unseen[position]
        full_board = shared + unseen[:to_come]
        best = _rank(own, full_board)
        others = [_rank(unseen[start : start + held], full_board) for start in range(to_come, drawn, held)]
        highest = max(others)
        if best > highest:
            won += _WHOLE
        elif best == highest:
            won += _WHOLE // (1 + others.count(best))
    return won // SAMPLES


def _rank(hole: list[eval7.Card], board: list[eval7.Card]) -> int:
    """Rank the best hand: any five cards with two hole cards, exactly two of the hole cards with more."""
    if len(hole) == HOLDEM_HOLE_CARDS:
        return int(eval7.evaluate(hole + board))
    return max(
        int(eval7.evaluate([*two, *three]))
        for two in combinations(hole, 2)
        for three in combinations(board, 3)
    )


class Strategy:
    """Decide for one bot."""

    def __init__(self, style: PlayingStyle, seed: int) -> None:
        self._style = style
        self._random = SplitMix64(seed)

    def below(self, bound: int) -> int:
        """Return a random integer below `bound`, for delays."""
        return self._random.below(bound)

    def decide(self, situation: Situation) -> Decision:
        """Return a legal answer to the turn that allows `situation.options`."""
        options = situation.options
        fair = _WHOLE // (situation.opponents + 1)
        equity = estimate_equity(situation.hole, situation.board, situation.opponents, self._random)
        good = equity > fair + (_WHOLE - fair) // 4
        bold = self._roll(self._style.bold)
        sly = self._roll(self._style.sly)
        if options.check:
            return self._bet(situation, CHECK) if (good and bold) or sly else CHECK
        price = _WHOLE * options.call_amount // (situation.pot + options.call_amount)
        very_good = equity > fair + (_WHOLE - fair) // 2
        if (very_good and bold) or (good and bold and price < 200):
            return self._bet(situation, CALL)
        if equity + self._style.loose >= price + self._fear(situation):
            return CALL
        return self._bet(situation, FOLD) if sly and self._roll(300) and price < 300 else FOLD

    def _fear(self, situation: Situation) -> int:
        """Return a margin against large bets, which represent strong hands: 0 to 120 (a bet of the pot)."""
        call = situation.options.call_amount
        return min(120, 120 * call // max(1, situation.pot - call))

    def _roll(self, thousandths: int) -> bool:
        return self._random.below(_WHOLE) < thousandths

    def _bet(self, situation: Situation, otherwise: Decision) -> Decision:
        options = situation.options
        if options.min_raise_to is None or options.max_raise_to is None:
            return CALL if otherwise is FOLD and options.call_amount == 0 else otherwise
        called = situation.own_bet + options.call_amount
        share = (400, 550, 700, 1000)[self._random.below(4)]
        wanted = called + (situation.pot + options.call_amount) * share // _WHOLE
        low = min(options.min_raise_to, options.max_raise_to)
        amount = max(low, min(wanted, options.max_raise_to))
        if 3 * amount >= 2 * options.max_raise_to:  # the rest would be too small to play with
            amount = options.max_raise_to
        return Decision(action="raise", amount=amount)
