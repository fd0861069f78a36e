"""The progressive bet (U12): what the meter takes in and pays, and the envy bonus (U13). Plain arithmetic.

The meter is fed by a fixed share of each bet before it pays [D]. Kinds of hands that take from it do so one after the
other, the highest first, each its part of what is then in it, shared equally by all boxes that hold it with odd units
one each to the first (F3); after each the house fills the meter to its seed [D]. So a royal flush and a straight
flush in one round are both paid, and no payment exceeds what is there.
"""

from typing import ClassVar, Final

from pokerroom.chips import split
from pokerroom.rules.ranking import HandCategory
from pokerroom.rules.ultimate.bets import BoxBets
from pokerroom.rules.ultimate.result import Meter
from pokerroom.rules.ultimate.terms import BASIS_POINTS, ProgressiveTerms
from pokerroom.rules.value import Value

TOP_HAND: Final = HandCategory.royal_flush
"""Who holds it is envied."""


class Progressive(Value):
    """What the side bet brings, by place of the box. A prize is all that goes back: the stake is spent [D]."""

    __slots__: ClassVar[tuple[str, ...]] = ("prizes", "envy", "meter", "house_pays")

    def __init__(
        self, *, prizes: tuple[int, ...], envy: tuple[int, ...], meter: Meter, house_pays: int
    ) -> None:
        self.prizes: Final = prizes
        self.envy: Final = envy
        self.meter: Final = meter
        self.house_pays: Final = house_pays
        """What the house gives: fixed prizes, envy prizes, and the meter's seed."""


def progressive(
    terms: ProgressiveTerms | None, boxes: tuple[BoxBets, ...], kinds: list[HandCategory], meter: int
) -> Progressive:
    """Settle the side bets of a round on the boxes' final hands, folded or not [D]."""
    nothing = (0,) * len(boxes)
    if terms is None:
        return Progressive(prizes=nothing, envy=nothing, meter=Meter(before=meter), house_pays=0)
    prizes = list(nothing)
    fed = sum([box.progressive * terms.feed_bps // BASIS_POINTS for box in boxes])
    holds, paid, reseeded = meter + fed, 0, 0
    for kind, part_bps in terms.meter_bps:
        winners = _with_bet(boxes, kinds, kind)
        if winners:
            amount = holds * part_bps // BASIS_POINTS
            for at, share in zip(winners, split(amount, len(winners)), strict=True):
                prizes[at] = share
            filled = max(0, terms.seed - (holds - amount))
            holds, paid, reseeded = holds - amount + filled, paid + amount, reseeded + filled
    envy = _envy(terms, boxes, kinds)
    house_pays = reseeded + sum(envy)
    for kind, amount in terms.prizes:
        for at in _with_bet(boxes, kinds, kind):
            prizes[at] = amount
            house_pays += amount
    return Progressive(
        prizes=tuple(prizes),
        envy=envy,
        meter=Meter(before=meter, fed=fed, paid=paid, reseeded=reseeded),
        house_pays=house_pays,
    )


def _with_bet(boxes: tuple[BoxBets, ...], kinds: list[HandCategory], kind: HandCategory) -> list[int]:
    return [at for at, box in enumerate(boxes) if box.progressive and kinds[at] is kind]


def _envy(terms: ProgressiveTerms, boxes: tuple[BoxBets, ...], kinds: list[HandCategory]) -> tuple[int, ...]:
    """Envy bonus: each player with a progressive bet gets one prize when any *other* player holds a top hand [D].

    One, however many hold it and on however many boxes he bet; it is told with the first of these. Who holds a top
    hand is envied with a progressive bet or without. A common hand is everybody's, and each envies the others: whoever
    has bet gets the prize, unless he plays alone [D]. (The casino has this bet at boxes; settings may have both.)
    """
    holders = {box.player for box, kind in zip(boxes, kinds, strict=True) if kind is TOP_HAND}
    envy = [0] * len(boxes)
    done: set[int] = set()
    for at, box in enumerate(boxes):
        if box.progressive and box.player not in done and holders - {box.player}:
            envy[at] = terms.envy_prize
            done.add(box.player)
    return tuple(envy)
