"""The part of the pots that each player all-in could expect, exact, from the cards that were turned up.

A player is all-in here if the hands were turned up before the last board card came (G2). Every rest of the board is
enumerated with the cards that spectators did not see. `README.md` beside this file says why the flop is the first one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, combinations
from typing import Final

from pokerroom.history.story import HandStory
from pokerroom.rules.cards import Card, parse_card
from pokerroom.rules.events import PostKind
from pokerroom.rules.pots import layers
from pokerroom.rules.variants import Variant, variant_named

_DEAD: Final = frozenset({PostKind.big_blind_ante, PostKind.dead_post})


def all_in_shares(story: HandStory) -> dict[int, Fraction] | None:
    """Return what each seat that was all-in could expect of the pots without the rake; None if no hand was all-in."""
    turned_up = next(
        (
            number
            for number, street in enumerate(story.streets)
            if any(step.what == "show" for step in street.steps)
        ),
        len(story.streets),
    )
    if turned_up >= len(story.streets) - 1:
        return None
    board = [parse_card(card) for street in story.streets[: max(1, turned_up) + 1] for card in street.cards]
    holes = {
        seat: tuple([parse_card(card) for card in story.seats[seat].cards or ()])
        for seat in story.seats
        if seat not in story.folded
    }
    pots = _pots(story)
    wins = _wins(variant_named(story.record.game), holes, board, [eligible for _, eligible in pots])
    expected = dict.fromkeys(holes, Fraction(0))
    for (amount, _), of_pot in zip(pots, wins, strict=True):
        runs = sum(of_pot.values())
        for winners, times in of_pot.items():
            for seat in winners:
                expected[seat] += Fraction(amount * times, runs * len(winners))
    return expected


def in_thousandths(shares: Mapping[int, Fraction]) -> dict[int, int]:
    """Round shares to thousandths so that their sum, which is whole, stays as it is: each running sum is rounded."""
    ends = [round(1000 * end) for end in accumulate(shares.values())]
    return {seat: end - begin for seat, begin, end in zip(shares, [0, *ends], ends, strict=False)}


def _pots(story: HandStory) -> list[tuple[int, tuple[int, ...]]]:
    """Return (amount without the rake, seats that contest it) of each pot (F2)."""
    seats = list(story.seats)
    contesting = [at for at, seat in enumerate(seats) if seat not in story.folded]
    dead = dict.fromkeys(seats, 0)
    for step in story.streets[0].steps:
        if step.kind in _DEAD:
            dead[step.seat] += step.added
    back, uncalled = story.uncalled or (None, 0)
    live = [story.put_in[seat] - dead[seat] - (uncalled if seat == back else 0) for seat in seats]
    layered = layers(live, sum(dead.values()), contesting)
    return [
        (sum(share for _, share in pot.shares), tuple([seats[at] for at in eligible]))
        for pot, (_, eligible) in zip(story.pots, layered, strict=True)
    ]


def _wins(
    variant: Variant,
    holes: Mapping[int, tuple[Card, ...]],
    board: Sequence[Card],
    pots: Sequence[tuple[int, ...]],
) -> list[Counter[tuple[int, ...]]]:
    """Count, for each pot, which seats share it, over all boards that can follow."""
    known = {*board, *(card for cards in holes.values() for card in cards)}
    unseen = [card for card in variant.deck if card not in known]
    begun = tuple(board)
    wins: list[Counter[tuple[int, ...]]] = [Counter() for _ in pots]
    for rest in combinations(unseen, variant.board_cards[variant.last_street] - len(board)):
        full = (*begun, *rest)
        ranks = {seat: variant.rank(cards, full) for seat, cards in holes.items()}
        for of_pot, eligible in zip(wins, pots, strict=True):
            best = max([ranks[seat] for seat in eligible])
            of_pot[tuple([seat for seat in eligible if ranks[seat] == best])] += 1
    return wins
