"""Who finishes where when several go out in one hand, and how tied places share their prizes (I2)."""

from collections.abc import Mapping, Sequence

from pokerroom.chips import split


def bust_order(busted: Mapping[int, int]) -> list[tuple[int, ...]]:
    """The players out in one hand, the best place first; those who tie stand together.

    `busted` gives each player's stack at hand start: the larger places higher, equal ones tie. Players are
    indexes from the first left of the button; in a tie they stand in that order.
    """
    stacks = sorted(set(busted.values()), reverse=True)
    return [tuple([player for player in sorted(busted) if busted[player] == stack]) for stack in stacks]


def shared_prizes(order: Sequence[Sequence[int]], prizes: Sequence[int]) -> dict[int, int]:
    """What each player of `order` gets of the `prizes` of these places, the best first and 0 where none is paid.

    Who tie share the prizes of their places equally, the odd unit to the first left of the button [D]. The
    shares add up to all the prizes. Raises ValueError unless there are as many prizes as players.
    """
    if sum([len(tied) for tied in order]) != len(prizes):
        raise ValueError("each place has its prize, if only 0")
    shares: dict[int, int] = {}
    below = 0
    for tied in order:
        pool = sum(prizes[below : below + len(tied)])
        below += len(tied)
        shares.update(zip(tied, split(pool, len(tied)), strict=True))
    return shares
