"""What the meter of a progressive bet pays (U12), as far as an observer can know it.

What a bet feeds is not told: it lies between two bounds, which meet once rounds without a prize have shown it.
"""

from collections.abc import Sequence
from fractions import Fraction

BASIS_POINTS = 10_000


def fed_between(feed: Fraction | None, stake: int, bets: int) -> tuple[int, int]:
    """What so many bets feed the meter at least and at most; `feed` is the share as far as it is known."""
    if feed is None:
        return 0, bets * stake
    exact = feed * stake * bets
    return max(0, int(exact) - bets + 1), min(bets * stake, int(exact) + bets)


def wrong_prizes(before: int, fed: tuple[int, int], part_bps: int, paid: Sequence[int]) -> str | None:
    """What is wrong with the prizes of equal hands that take a part of the meter; `paid` in the order of the boxes."""
    least, most = ((before + more) * part_bps // BASIS_POINTS for more in fed)
    if not least <= sum(paid) <= most:
        return f"a meter of {before} pays {sum(paid)}, its part is {least} to {most}"
    each, odd = divmod(sum(paid), len(paid))
    if list(paid) != [each + (place < odd) for place in range(len(paid))]:
        return f"equal hands get {list(paid)} of the meter"
    return None
