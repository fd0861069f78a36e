"""Hands for the tests of statistics, told as a record tells them: seats 1 to 6, blinds of 50 and 100."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pokerroom.history.record import ACTIONS, HandRecord, Owed, SeatRecord
from pokerroom.history.story import HandStory, story_of

Event = tuple[Any, ...]

SMALL: Event = ("post", 1, "small_blind", 50)
BIG: Event = ("post", 2, "big_blind", 100)
BLINDS = (SMALL, BIG)
FLOP: Event = ("flop", "2c", "7d", "9h")
TURN: Event = ("turn", "3s")
RIVER: Event = ("river", "4h")


def folds(*seats: int) -> tuple[Event, ...]:
    """Each of these seats folds without chips of the street."""
    return tuple(("fold", seat, 0, 0) for seat in seats)


def checks(*seats: int) -> tuple[Event, ...]:
    """Each of these seats checks."""
    return tuple(("check", seat, 0, 0) for seat in seats)


def told(
    *events: Event,
    stacks: Mapping[int, int] | None = None,
    cards: Mapping[int, str] | None = None,
    game: str = "holdem",
) -> HandStory:
    """The story of a hand with these events, in which the seats have 10,000 each. Account of seat 3: 103."""
    before = stacks or dict.fromkeys(range(1, 7), 10_000)
    after = dict(before)
    for event in events:
        match event:
            case ("post", seat, _, amount):
                after[seat] -= amount
            case ("uncalled", seat, amount):
                after[seat] += amount
            case ("award", _, _, shares, *_):
                for seat, amount in shares:
                    after[seat] += amount
            case (action, seat, added, _) if action in ACTIONS:
                after[seat] -= added
    owed = {event[1]: Owed(0, event[3], event[2]) for event in events if event[0] == "post"}
    record = HandRecord(
        hand_id="1",
        table="t",
        game=game,  # type: ignore[arg-type]  # a name of a game
        structure="no_limit",
        small_blind=50,
        big_blind=100,
        started_ms=0,
        ended_ms=0,
        button=max(before),
        seats=[
            SeatRecord(
                seat=seat,
                account=100 + seat,
                name=f"p{seat}",
                stack=stack,
                end=after[seat],
                cards=_two_letters((cards or {}).get(seat)),
                owed=owed.get(seat, Owed(0, 0, None)),
            )
            for seat, stack in before.items()
        ],
        events=[list(event) for event in events],
    )
    return story_of(record, number=1)


def _two_letters(cards: str | None) -> list[str] | None:
    return None if cards is None else [cards[at : at + 2] for at in range(0, len(cards), 2)]
