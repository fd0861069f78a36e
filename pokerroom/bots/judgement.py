"""How a bot of the house judges its cards: chances by sampling, decisions by the price, with a temper of its own.

It plays like a decent amateur, and differently each time. It knows what its own seat may know and nothing else; chances
are whole numbers of a thousandth, amounts whole chips.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pokerroom.bots.policy import CALL, CHECK, FOLD, Decision, Options, SplitMix64

with warnings.catch_warnings():
    warnings.simplefilter(
        "ignore", DeprecationWarning
    )  # of pyparsing, by a part of the library not used here
    import eval7

SAMPLES: Final = 60
_WHOLE: Final = 1000
_DECK: Final = tuple(f"{rank}{suit}" for rank in "23456789TJQKA" for suit in "cdhs")
_CARDS: Final = {text: eval7.Card(text) for text in _DECK}


@dataclass(frozen=True, slots=True, kw_only=True)
class Temper:
    """What tells one bot from another, in thousandths.

    `loose` is added to its chances when it pays to see more; `bold` is how often it bets or raises a good hand;
    `sly` how often it bets one that is not.
    """

    loose: int
    bold: int
    sly: int


def temper_of(number: int) -> Temper:
    """The temper of the bot with this number: always the same one."""
    random = SplitMix64(0x9E37 + number)
    return Temper(loose=random.below(110) - 40, bold=450 + random.below(400), sly=20 + random.below(120))


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What a decision is taken on. `pot` holds all that is in the middle and in front of the seats."""

    options: Options
    hole: Sequence[str]
    board: Sequence[str]
    opponents: int
    pot: int
    own_bet: int


def chance(hole: Sequence[str], board: Sequence[str], opponents: int, random: SplitMix64) -> int:
    """How often such a hand wins against so many unknown ones, in thousandths; a shared pot counts in part."""
    known = {*hole, *board}
    unseen = [_CARDS[text] for text in _DECK if text not in known]
    own, shared = [_CARDS[text] for text in hole], [_CARDS[text] for text in board]
    to_come = 5 - len(board)
    drawn = to_come + 2 * opponents
    won = 0
    for _ in range(SAMPLES):
        for position in range(drawn):  # the beginning of a shuffle
            other = position + random.below(len(unseen) - position)
            unseen[position], unseen[other] = unseen[other], unseen[position]
        full_board = shared + unseen[:to_come]
        best = eval7.evaluate(own + full_board)
        others = [
            eval7.evaluate(unseen[start : start + 2] + full_board) for start in range(to_come, drawn, 2)
        ]
        highest = max(others)
        if best > highest:
            won += _WHOLE
        elif best == highest:
            won += _WHOLE // (1 + others.count(best))
    return won // SAMPLES


class Judgement:
    """Decides for one bot."""

    def __init__(self, temper: Temper, seed: int) -> None:
        self._temper = temper
        self._random = SplitMix64(seed)

    def below(self, bound: int) -> int:
        """A number of chance, for what is not about cards: how long to think."""
        return self._random.below(bound)

    def decide(self, situation: Situation) -> Decision:
        """A legal answer to the turn that allows `situation.options`."""
        options = situation.options
        fair = _WHOLE // (situation.opponents + 1)
        chances = chance(situation.hole, situation.board, situation.opponents, self._random)
        good = chances > fair + (_WHOLE - fair) // 4
        bold = self._roll(self._temper.bold)
        sly = self._roll(self._temper.sly)
        if options.check:
            return self._bet(situation, CHECK) if (good and bold) or sly else CHECK
        price = _WHOLE * options.call_amount // (situation.pot + options.call_amount)
        very_good = chances > fair + (_WHOLE - fair) // 2
        if (very_good and bold) or (good and bold and price < 200):
            return self._bet(situation, CALL)
        if chances + self._temper.loose >= price + self._fear(situation):
            return CALL
        return self._bet(situation, FOLD) if sly and self._roll(300) and price < 300 else FOLD

    def _fear(self, situation: Situation) -> int:
        """Large bets come with better hands than the average: 0 for a small one, 120 for the size of the pot."""
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
        if 3 * amount >= 2 * options.max_raise_to:  # what would be left is no stack to play with
            amount = options.max_raise_to
        return Decision(action="raise", amount=amount)
