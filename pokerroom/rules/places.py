"""The places of players who go out in one hand, and how tied places share their prizes (I2)."""

from collections.abc import Mapping, Sequence

from pokerroom.chips import split


def bust_order(busted: Mapping[int, int]) -> list[tuple[int, ...]]:
    """Return the players out in one hand, the best place first. Players who tie are in one tuple.

    `busted` gives each player's stack at hand start: the larger places higher, equal ones tie. Players are
    indexes from the first left of the button, and a tie lists them in that order.
    """
    stacks = sorted(set(busted.values()), reverse=True)
    return [tuple([player for player in sorted(busted) if busted[player] == stack]) for stack in stacks]


def shared_prizes(order: Sequence[Sequence[int]], prizes: Sequence[int]) -> dict[int, int]:
    """Return each player's share of the `prizes` of these places, the best place first; 0 where none is paid.

    Players who tie share the prizes of their places equally, the odd unit to the first left of the button [D]. The
    shares add up to all prizes. Raises ValueError unless there are as many prizes as players.
    """
    if sum([len(tied) for tied in order]) != len(prizes):
        raise ValueError("give one prize for each place, 0 where none is paid")
    shares: dict[int, int] = {}
    below = 0
    for tied in order:
        pool = sum(prizes[below : below + len(tied)])
        below += len(tied)
        shares.update(zip(tied, split(pool, len(tied)), strict=True))
    return shares
