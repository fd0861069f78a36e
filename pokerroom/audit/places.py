"""The places of a tournament, compared with the hands in which its players went out (I2, L8).

Results of several tables count in the order in which the tournament has taken them, and only the places show it. So
they are read from the last one up: each must be of the next hand of some table. Hands of several tables may count as
one, in hand-for-hand and where the journal was lost. Then their players have the places between each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pokerroom.chips import Money
from pokerroom.rules.tournament.deal_making import prizes_by_deal
from pokerroom.rules.tournament.deal_stages import AgreedDeal
from pokerroom.rules.tournament.hand_for_hand import EliminatedPlayer, TiedEliminations, elimination_order
from pokerroom.rules.tournament.state import PlacedPlayer
from pokerroom.rules.tournament.tournament import standings_from


@dataclass(frozen=True, slots=True, kw_only=True)
class LostHand:
    """A hand in which players went out. `number` counts the hands of its table; `seats` are by account."""

    table: int
    number: int
    out: tuple[EliminatedPlayer, ...]
    seats: Mapping[int, int]


def unlike_hands(
    prizes: Sequence[Money],
    hands: Sequence[LostHand],
    given: Sequence[PlacedPlayer],
    *,
    players: int,
    left: int,
    all_given: bool,
    deal: AgreedDeal | None = None,
    ties: TiedEliminations = TiedEliminations.stack,
) -> Iterator[str]:
    """Compare the places of players that went out; `left` of the `players` have not.

    Without `all_given` the best places may be missing. Players of a `deal` get what was agreed. With `ties` by share
    the players of one hand may all tie: which hands were of hand-for-hand is not known.
    """
    hand_of = {one.account: hand for hand in hands for one in hand.out}
    by_number = {one.number: one for one in given}
    reached: dict[int, int] = {}
    yield from (
        f"number {beyond} has a place, and {players} players entered"
        for beyond in by_number
        if beyond > players
    )
    number = players
    while number > left:
        if number not in by_number:
            if all_given:
                yield f"number {number} has no place, and {left} players are left"
            elif above := [one for one in by_number if left < one < number]:
                yield f"number {number} has no place, and {max(above)} has one"
            return
        block = _counted_as_one(number, by_number, hand_of)
        if block is None:
            yield f"number {number} has {described(by_number[number])}, and no hand has this place next"
            return
        for hand in block:
            if hand.number <= reached.get(hand.table, 0):
                yield f"number {number} is of hand {hand.number} of table {hand.table}, after that of a later hand"
            reached[hand.table] = hand.number
        size = sum(len(hand.out) for hand in block)
        found = [by_number[at] for at in range(number - size + 1, number + 1)]
        yield from unlike(
            found,
            [
                prizes_by_deal(standings_from(prizes, order, number - size + 1), deal)
                for order in _orders(block, ties)
            ],
        )
        number -= size


def unlike(given: Sequence[PlacedPlayer], possible: Sequence[Sequence[PlacedPlayer]]) -> Iterator[str]:
    """Compare places with those that they may be."""
    if any(list(given) == list(due) for due in possible):
        return
    due = {one.number: one for one in possible[0]}
    found: Mapping[int, PlacedPlayer] = {one.number: one for one in given}
    for number in sorted(due.keys() | found.keys()):
        if found.get(number) != due.get(number):
            yield f"number {number} has {described(found.get(number))}, by its hands it is {described(due.get(number))}"


def described(one: PlacedPlayer | None) -> str:
    """Return the words for a place."""
    return "no place" if one is None else f"account {one.account}, place {one.place} and prize {one.prize}"


def _counted_as_one(
    number: int, by_number: Mapping[int, PlacedPlayer], hand_of: Mapping[int, LostHand]
) -> list[LostHand] | None:
    """Return the hands, each of another table, that have the places from this one up without a gap; None if none do."""
    block: list[LostHand] = []
    low = at = number
    while at >= low:
        place = by_number.get(at)
        hand = None if place is None else hand_of.get(place.account)
        if place is None or hand is None:
            return None
        if hand not in block:
            if any(hand.table == other.table for other in block):
                return None
            block.append(hand)
        low = min(low, place.place, number + 1 - sum(len(one.out) for one in block))
        at -= 1
    return block if sum(len(one.out) for one in block) == number - low + 1 else None


def _orders(block: Sequence[LostHand], ties: TiedEliminations) -> Iterator[Sequence[tuple[int, ...]]]:
    """Yield the order of their players: ties from the button, or by seat where the journal was lost."""
    by_seat = [replace(one, position=hand.seats[one.account]) for hand in block for one in hand.out]
    for kind in dict.fromkeys((TiedEliminations.stack, ties)):
        yield elimination_order([one for hand in block for one in hand.out], kind)
        yield elimination_order(by_seat, kind)
