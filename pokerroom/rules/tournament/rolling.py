"""What everybody gets when an operator ends a tournament before its time (I3). Amounts in, amounts out."""

from collections.abc import Sequence

from pokerroom.chips import Money
from pokerroom.rules.tournament.prizes import prize_of


def rolled_forward(chips: Sequence[int], prizes: Sequence[Money]) -> tuple[Money, ...]:
    """What each of those who are left gets of the prizes that are not paid, exactly all of them together.

    `chips` are their stacks (each at least 1) from the first left of the button, `prizes` the whole prize table.
    In the money each gets the lowest unpaid prize, before it his equal part of half of the pool; the rest goes by
    chips. What does not divide goes by chips, too: odd units one each to the largest stacks, of equal ones to the
    first left of the button [D]. So nobody gets less than one with fewer chips.
    """
    left = len(chips)
    if not left or min(chips) < 1:
        raise ValueError("who is left has chips")
    unpaid = sum([prize_of(prizes, place) for place in range(1, left + 1)])
    equal = prize_of(prizes, left) or unpaid // 2 // left
    return tuple(Money(equal + share) for share in _by_chips(unpaid - equal * left, chips))


def _by_chips(amount: int, chips: Sequence[int]) -> list[int]:
    total = sum(chips)
    shares = [amount * stack // total for stack in chips]
    largest_first = sorted(range(len(chips)), key=lambda player: -chips[player])
    for player in largest_first[: amount - sum(shares)]:
        shares[player] += 1
    return shares
