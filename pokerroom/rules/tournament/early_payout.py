"""The payout when an operator ends a tournament early (I3, L16). Amounts in, amounts out."""

from collections.abc import Sequence

from pokerroom.chips import Money
from pokerroom.rules.tournament.prizes import prize_of


def rolled_forward(chips: Sequence[int], prizes: Sequence[Money]) -> tuple[Money, ...]:
    """Return the part of the unpaid prizes that each remaining player gets.

    Together the parts are exactly those prizes. `chips` are the stacks of the remaining players (each at least 1) from
    the first left of the button, table by table; `prizes` are the whole prize table. While entries are open, it is not
    known yet: give the pool as the only prize (L16). In the money each player gets the lowest unpaid prize.
    Before the money each player gets an equal part of half of the pool. The rest is shared in proportion to chips. Odd
    units go one each to the largest stacks; of equal stacks, to the first left of the button [D]. So no player gets
    less than a player with fewer chips.
    """
    left = len(chips)
    if not left or min(chips) < 1:
        raise ValueError("each remaining player has at least one chip")
    unpaid = sum([prize_of(prizes, place) for place in range(1, left + 1)])
    equal = prize_of(prizes, left) or unpaid // 2 // left
    return tuple(Money(equal + share) for share in by_chips(unpaid - equal * left, chips))


def with_refunds(parts: Sequence[Money], heads: Sequence[Money], *, fee: int) -> tuple[Money, ...]:
    """Return what each remaining player gets before the money: part, own bounty and the fee of an entry (L16)."""
    return tuple(Money(part + head + fee) for part, head in zip(parts, heads, strict=True))


def by_chips(amount: int, chips: Sequence[int]) -> list[int]:
    """Return parts of an amount in proportion to chips; odd units go one each to the largest stacks."""
    total = sum(chips)
    shares = [amount * stack // total for stack in chips]
    largest_first = sorted(range(len(chips)), key=lambda player: -chips[player])
    for player in largest_first[: amount - sum(shares)]:
        shares[player] += 1
    return shares
