"""How button and blinds move from hand to hand (B3, B4)."""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.referee.model import Hand


@dataclass(frozen=True, slots=True, kw_only=True)
class Positions:
    """Where a hand had its button and blinds. `small_blind_seat` may be empty; None: it is not known."""

    button: int
    small_blind: int | None
    big_blind: int
    small_blind_seat: int | None
    seats: frozenset[int]
    posters: bool
    """Players came in by a post."""


def positions_of(hand: Hand, before: Positions | None) -> Positions:
    """The positions of a hand; `before` those of the hand before it."""
    small = hand.small_blind
    if small is None and before is not None:
        small = before.big_blind
    return Positions(
        button=hand.button or 0,
        small_blind=hand.small_blind,
        big_blind=hand.big_blind or 0,
        small_blind_seat=small,
        seats=frozenset(seat.number for seat in hand.seats),
        posters=any(step.kind in {"live_post", "dead_post"} for step in hand.steps if step.what == "post"),
    )


def after(seat: int, seats: Sequence[int] | frozenset[int]) -> int:
    """The first of the seats clockwise after one."""
    return min(seats, key=lambda other: ((other - seat - 1) % 100, other))


def dead_button(before: Positions, seats: frozenset[int]) -> tuple[int | None, int | None, int]:
    """(button, small blind, big blind): the big blind moves to the next player, the others follow its seats."""
    big = after(before.big_blind, seats)
    if len(seats) == 2:
        (other,) = seats - {big}
        return other, other, big
    if len(before.seats) == 2 and before.big_blind not in seats:
        return before.small_blind_seat, None, big
    small = before.big_blind if before.big_blind in seats else None
    return before.small_blind_seat, small, big


def moving_button(before: Positions, seats: frozenset[int]) -> tuple[int, int | None, int]:
    """(button, small blind, big blind): the button moves to the next player, the blinds are the next two."""
    button = after(before.button, seats)
    small = after(button, seats)
    return button, small, after(small, seats)


def wrong_move(
    before: Positions, now: Positions, *, tournament: bool, allowed: set[str]
) -> tuple[str | None, set[str]]:
    """What is wrong, and which of `moving` and `dead` still explain the table; an empty set: it cannot be said.

    Where players come and go at a cash table, what each of them owes decides, and that is not told to all. Then only
    the big blind is looked at: it never falls to one player twice in a row.
    """
    told = now.button, now.small_blind, now.big_blind
    if before.small_blind_seat is None:
        return None, set()
    if tournament:
        wanted = dead_button(before, now.seats)
        if len(now.seats) > 2 and now.seats < before.seats and len(before.seats) == 2:
            return None, set()
        return (None if told == wanted else f"button and blinds are {told}, by the rules {wanted}"), {"dead"}
    if (
        now.big_blind == before.big_blind
        and before.seats & now.seats - {now.big_blind}
        and now.seats == before.seats
    ):
        return f"the big blind falls to seat {now.big_blind} twice", set()
    if now.seats != before.seats or now.posters or before.posters:
        return None, set()
    rules = {"dead": dead_button(before, now.seats), "moving": moving_button(before, now.seats)}
    if len(now.seats) == 2:
        rules = {"dead": rules["dead"], "moving": rules["dead"]}
    matched = {name for name, wanted in rules.items() if wanted == told} & allowed
    if matched:
        return None, matched
    return f"button and blinds are {told}, by the rules {rules}", set()
