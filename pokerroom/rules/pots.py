"""Pots as layers of equal commitment (F2), and the sharing of one pot (F3). Plain arithmetic."""

from collections.abc import Sequence

from pokerroom.chips import split


def layers(live: list[int], dead: int, contesting: Sequence[int]) -> list[tuple[int, tuple[int, ...]]]:
    """(amount, eligible players) of each pot, main pot first; the amounts add up to all of `live` and `dead`.

    `live` are each player's chips that match others' chips, `dead` the chips that lie in the main pot for all,
    `contesting` the players who have not folded, in order. Folded chips stay in. Those above all that a
    contesting player has in belong to the last pot.
    """
    pots: list[tuple[int, tuple[int, ...]]] = []
    levels = sorted({live[player] for player in contesting})
    below = 0
    for level in levels[:-1]:
        up_to = dead + sum([min(chips, level) for chips in live])
        if up_to > below:
            pots.append((up_to - below, tuple([player for player in contesting if live[player] >= level])))
        below = up_to
    everything = dead + sum(live)
    if everything > below:
        top = levels[-1]
        pots.append((everything - below, tuple([player for player in contesting if live[player] >= top])))
    return pots


def share_out(
    amount: int, eligible: Sequence[int], ranks: Sequence[int], unit: int
) -> tuple[tuple[int, int], ...]:
    """(player, amount) of each best hand among `eligible`, odd chips from the first left of the button (F3).

    `ranks` are indexed by player; `eligible` is in player order, which is that seat order. `unit` is the smallest chip
    of the table: what is less than one goes to the first of them. A pot of fewer units than winners is shared to the
    last 1/100 [D]: else a player who ties for a small pot would get nothing.
    """
    best = max([ranks[player] for player in eligible])
    winners = [player for player in eligible if ranks[player] == best]
    units, rest = divmod(amount, unit)
    if units < len(winners):
        return tuple(zip(winners, split(amount, len(winners)), strict=True))
    shares = [unit * share for share in split(units, len(winners))]
    shares[0] += rest
    return tuple(zip(winners, shares, strict=True))
