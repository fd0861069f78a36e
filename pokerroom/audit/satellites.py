"""The seats of a satellite, compared with the hands in which its players went out (L14).

A player left has a seat. Of those that are out the best of the last hand may have one, by stack, and of equal stacks
by a draw, which only the places show. A hand that another table still played takes no seat away.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from pokerroom.audit.places import LostHand, unlike
from pokerroom.chips import Money
from pokerroom.rules.tournament.state import PlacedPlayer
from pokerroom.rules.tournament.tournament import standings_from


def with_a_seat(accounts: Collection[int], given: Sequence[PlacedPlayer], seats: int) -> frozenset[int]:
    """Return the accounts that have a place among the seats, or will have."""
    return frozenset(accounts) - {one.account for one in given if one.number > seats}


def without(hands: Sequence[LostHand], won: Collection[int]) -> list[LostHand]:
    """Return the hands in which others than these went out, without these."""
    others = [replace(hand, out=tuple(one for one in hand.out if one.account not in won)) for hand in hands]
    return [hand for hand in others if hand.out]


def unlike_seats(
    prizes: Sequence[Money],
    hands: Sequence[LostHand],
    given: Sequence[PlacedPlayer],
    won: Collection[int],
    left: Collection[int],
) -> Iterator[str]:
    """Compare the seats of a satellite that is over with the players that are `left` and those that went out."""
    first = [one for one in given if one.account in won]
    if not set(left) <= set(won):
        yield "a player with chips at its end has no seat"
    yield from unlike(first, [standings_from(prizes, [[one.account for one in first]], 1)])
    for hand in hands:
        seated = [one for one in hand.out if one.account in won]
        lost = [one for one in hand.out if one.account not in won]
        later = [other for other in without(hands, won) if other.table == hand.table]
        if seated and lost and min(one.stack for one in seated) < max(one.stack for one in lost):
            yield f"the larger stack of hand {hand.number} of table {hand.table} has no seat"
        if seated and any(other.number > hand.number for other in later):
            yield f"a player out in hand {hand.number} of table {hand.table} has a seat, and one out later has none"
