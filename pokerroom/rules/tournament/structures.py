"""The room's own structure of blinds for scheduled tournaments: levels without end (L10)."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from pokerroom.rules.stakes import Stakes

_WITHOUT_ANTE: Final = (20, 30, 40, 50)
_WITH_ANTE: Final = (
    *(60, 80, 100, 120, 160, 200, 250, 300, 400, 500, 600, 800),
    *(1_000, 1_200, 1_600, 2_000, 2_500, 3_000, 4_000, 5_000, 6_000, 8_000, 10_000),
)


def regular_stakes(levels: int) -> tuple[Stakes, ...]:
    """Return the stakes of the first levels (>= 1): the small blind is half of the big one, rounded down.

    From the fifth level on the big blind posts an ante of its own size for the table. After the last big blind of the
    list each is a quarter larger than the one before, rounded half up to two figures.
    """
    if levels < 1:
        raise ValueError("a structure has at least one level")
    return tuple(
        Stakes(
            small_blind=big_blind // 2,
            big_blind=big_blind,
            big_blind_ante=big_blind if level >= len(_WITHOUT_ANTE) else 0,
        )
        for level, big_blind in enumerate(islice(_big_blinds(), levels))
    )


def _big_blinds() -> Iterator[int]:
    yield from _WITHOUT_ANTE
    yield from _WITH_ANTE
    big_blind = _WITH_ANTE[-1]
    while True:
        larger = big_blind * 5
        unit = 4 * 10 ** (len(str(larger // 4)) - 2)  # of a quarter, in the second figure
        big_blind = (2 * larger + unit) // (2 * unit) * unit // 4
        yield big_blind
