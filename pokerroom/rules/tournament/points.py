"""Points of a league: what a place in a tournament counts in a table over many tournaments (L17)."""

from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from typing import Final

_DIGITS: Final = Context(prec=40)
_HUNDREDTH: Final = Decimal("0.01")


def league_points(*, entries: int, place: int, buy_in: int) -> Decimal:
    """Return the points of a place, rounded half up to hundredths: 10 sqrt(entries / place) (1 + lg(credits + 1/4)).

    `buy_in` is in 1/100 credit, 0 for a freeroll. Raises ValueError for a place that the entries do not have.
    """
    if not 1 <= place <= entries or buy_in < 0:
        raise ValueError("a place is one of the entries, and a buy-in is not negative")
    with localcontext(_DIGITS):
        field = (Decimal(entries) / place).sqrt()
        price = (Decimal(buy_in) / 100 + Decimal("0.25")).log10()
        return (10 * field * (1 + price)).quantize(_HUNDREDTH, ROUND_HALF_UP)
