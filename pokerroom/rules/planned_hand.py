"""What the button's rules plan for the next hand: positions, players and posts (B1-B9).

Journals and messages between nodes have these values, and are read by their annotations. mypyc keeps those of a
collection as the bare class, so this module is not compiled with the other rules.
"""

from dataclasses import dataclass

from pokerroom.rules.events import PostKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Positions:
    """Seats of a hand. The button may rest on an empty seat (B3)."""

    button: int
    small_blind: int | None
    """The seat that posted the small blind; None where it was empty."""
    big_blind: int
    small_blind_seat: int | None = None
    """The seat of the small blind, empty or not; by default `small_blind`. Keep it for the next hand."""

    def __post_init__(self) -> None:
        if self.small_blind_seat is None:
            if self.small_blind is None:
                raise ValueError("a dead small blind still has a seat")
            object.__setattr__(self, "small_blind_seat", self.small_blind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """What one seat posts; the names are `PlayerSetup`'s."""

    ante: int
    blind: int
    blind_kind: PostKind | None
    dead: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HandPlan:
    """The players and positions of the next hand."""

    positions: Positions
    order: tuple[int, ...]
    """Seats dealt in, from the first left of the button; heads-up the big blind, then the button (B4)."""
    posts: dict[int, Post]
    last_blind: int
    """The index in `order` of the big blind or the straddler: the action starts on their left (C1)."""
    settled: frozenset[int]
    """The seats that pay their debt in this hand, by a post or by the big blind."""
