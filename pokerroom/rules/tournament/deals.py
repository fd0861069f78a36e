"""Deals at the final table: what each player gets when all remaining players agree to share the prizes (L15).

Stacks and prizes in, amounts out. By the independent chip model (ICM, Malmuth-Harville) a player is first with the
probability of their share of the chips, and then likewise for the next places among the others. It is computed with
exact rationals: no float touches an amount.
"""

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise
from typing import Final, assert_never

from pokerroom.chips import Money
from pokerroom.rules.tournament.prizes import SHARES_BPS, prize_of

DEAL_PLAYERS_MAX: Final = 10
"""The players of a deal: the model looks at each set of them, of which ten have 1,024."""


_NEAR_BITS: Final = 256
"""The binary digits after the point of the bounds that `_near_icm` computes."""


class DealError(ValueError):
    """Raised for a deal that cannot be offered; its text says why and what to do."""


class DealKind(StrEnum):
    """How a deal shares the prizes."""

    icm = "icm"
    chips = "chips"
    """By chips: the chip chop."""


def deal_amounts(
    kind: DealKind, stacks: Sequence[int], prizes: Sequence[Money], *, for_the_winner: int = 0
) -> tuple[Money, ...]:
    """Return what each player gets; together it is exactly the unpaid prizes less `for_the_winner`.

    `stacks` are those between two hands (each at least 1), from the first left of the button; `prizes` the whole prize
    table, the best place first. `for_the_winner` is set aside for the winner of the rest of the tournament, and comes
    off the first prize. Raises DealError for a number of players or an amount set aside that cannot be, and for a chip
    chop that gives a player more than the first prize [D].
    """
    if not 2 <= len(stacks) <= DEAL_PLAYERS_MAX or min(stacks) < 1:
        raise DealError(f"a deal is between 2 and {DEAL_PLAYERS_MAX} players with chips")
    unpaid = [prize_of(prizes, place) for place in range(1, len(stacks) + 1)]
    if not 0 <= for_the_winner <= unpaid[0] - unpaid[1]:
        raise DealError(
            "set aside for the winner at most what the first prize is above the second,"
            f" {unpaid[0] - unpaid[1]}, not {for_the_winner}"
        )
    first = Money(unpaid[0] - for_the_winner)
    left = [first, *unpaid[1:]]
    match kind:
        case DealKind.icm:
            near = _near_icm(stacks, left)
            return whole_units(icm(stacks, left) if near is None else near, stacks)
        case DealKind.chips:
            amounts = _chip_chop(stacks, left)
            if max(amounts) > first:
                raise DealError(
                    "the chip chop gives a player more than the first prize: make the deal by ICM"
                )
            return amounts
        case _:
            assert_never(kind)


def least_for_the_winner(prizes: Sequence[Money], players: int, leave_bps: int) -> Money:
    """Return the least that a deal sets aside for the winner: a share of what is unpaid, rounded down (L15).

    `leave_bps` is 0 to 10,000. The result is at most the difference of the first two prizes, so that the prizes stay in
    order.
    """
    unpaid = [prize_of(prizes, place) for place in range(1, players + 1)]
    return Money(min(sum(unpaid) * leave_bps // SHARES_BPS, unpaid[0] - prize_of(prizes, 2)))


def icm(stacks: Sequence[int], prizes: Sequence[int]) -> tuple[Fraction, ...]:
    """Return the expected prize of each player by the independent chip model; `prizes` are of the best places.

    A set of players is the bits of a number. The time grows with the number of sets, so there are at most
    DEAL_PLAYERS_MAX players.
    """
    players, total = range(len(stacks)), sum(stacks)
    reached = [Fraction(0)] * (1 << len(stacks))
    reached[0] = Fraction(1)
    """The probability that exactly the players of a set have the first places."""
    expected = [Fraction(0)] * len(stacks)
    for placed, probability in enumerate(reached):
        place = placed.bit_count()
        if place >= min(len(stacks), len(prizes)):
            continue
        chips = total - sum(stacks[player] for player in players if placed >> player & 1)
        for player in players:
            if not placed >> player & 1:
                next_place = probability * Fraction(stacks[player], chips)
                reached[placed | 1 << player] += next_place
                expected[player] += next_place * prizes[place]
    return tuple(expected)


def _near_icm(stacks: Sequence[int], prizes: Sequence[int]) -> tuple[Fraction, ...] | None:
    """Return amounts that are so near to those of `icm` that they have the same whole units; None if that is not sure.

    The exact fractions of ten players take half a second, for which a whole node would stand still. These are bounds
    from below, in integers of which each division rounds down; so each amount lies within `slack` of its bound.
    """
    players, total = range(len(stacks)), sum(stacks)
    one = 1 << _NEAR_BITS
    reached = [0] * (1 << len(stacks))
    reached[0] = one
    expected = [0] * len(stacks)
    for placed, probability in enumerate(reached):
        place = placed.bit_count()
        if place >= min(len(stacks), len(prizes)):
            continue
        chips = total - sum([stacks[player] for player in players if placed >> player & 1])
        for player in players:
            if not placed >> player & 1:
                next_place = probability * stacks[player] // chips
                reached[placed | 1 << player] += next_place
                expected[player] += next_place * prizes[place]
    slack = one * sum(prizes) - sum(expected)
    least = {stack: min(expected[at] for at in players if stacks[at] == stack) for stack in stacks}
    """Equal stacks have equal amounts, so that they tie for the units that are left."""
    rests = sorted(amount % one for amount in least.values())
    apart = all(after - before > 2 * slack for before, after in pairwise([-slack, *rests, one + slack]))
    return tuple(Fraction(least[stack], one) for stack in stacks) if apart else None


def whole_units(amounts: Sequence[Fraction], stacks: Sequence[int]) -> tuple[Money, ...]:
    """Return whole amounts with the same sum, which is a whole number but for the bounds of `_near_icm`.

    Each is rounded down. The units left go one each to the largest remainders; of equal ones to the larger stack, then
    to the first left of the button. So no player gets less than a player with fewer chips.
    """
    whole = [int(amount) for amount in amounts]
    rest = sum(amounts) - sum(whole)
    order = sorted(range(len(amounts)), key=lambda at: (whole[at] - amounts[at], -stacks[at], at))
    for player in order[: round(rest)]:
        whole[player] += 1
    return tuple(map(Money, whole))


def _chip_chop(stacks: Sequence[int], unpaid: Sequence[int]) -> tuple[Money, ...]:
    """Each player gets the lowest prize that is left, and the rest goes by chips."""
    lowest, total = unpaid[-1], sum(stacks)
    rest = sum(unpaid) - lowest * len(stacks)
    shares = whole_units([Fraction(rest * stack, total) for stack in stacks], stacks)
    return tuple(Money(lowest + share) for share in shares)
