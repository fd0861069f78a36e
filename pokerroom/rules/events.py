"""What happened in a hand, as values, in the order it happened. Players are indexes into the hand.

Events are complete: hidden cards are in none but `Shown`, so all of them may be told to everyone.
"""

from dataclasses import dataclass
from enum import StrEnum

from pokerroom.rules.cards import Card


class Street(StrEnum):
    """The four betting rounds of hold'em."""

    preflop = "preflop"
    flop = "flop"
    turn = "turn"
    river = "river"


class PostKind(StrEnum):
    """What a forced or bought-in bet is for."""

    ante = "ante"
    big_blind_ante = "big_blind_ante"
    small_blind = "small_blind"
    big_blind = "big_blind"
    straddle = "straddle"
    live_post = "live_post"
    dead_post = "dead_post"


class ActionKind(StrEnum):
    """What a player did; all-in is told beside it."""

    fold = "fold"
    check = "check"
    call = "call"
    bet = "bet"
    raise_ = "raise"  # the word itself is Python's
    clock_all_in = "clock_all_in"


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """A player put in an ante, a blind or a post; `amount` is what he had for it (B5)."""

    player: int
    kind: PostKind
    amount: int
    stack: int
    """Chips behind afterwards."""
    all_in: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Acted:
    """A player acted at his turn."""

    player: int
    action: ActionKind
    added: int
    """Chips put in by this action."""
    bet: int
    """His bet on this street afterwards."""
    stack: int
    """Chips behind afterwards."""
    all_in: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StreetDealt:
    """Board cards came; `cards` are the new ones only."""

    street: Street
    cards: tuple[Card, ...]
    pots: tuple[tuple[int, tuple[int, ...]], ...]
    """(amount, players who can win it) of each pot in the middle as this street begins, the main pot first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UncalledBetReturned:
    """The part of a bet nobody matched went back to its owner (F1)."""

    player: int
    amount: int
    stack: int
    """Chips behind afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A player's hole cards were turned up; `rank` is known only with five board cards out."""

    player: int
    cards: tuple[Card, Card]
    rank: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mucked:
    """A player gave up a beaten hand unseen."""

    player: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PotAwarded:
    """A pot went to its winners. Pot 0 is the main pot; side pots are told before it (F2)."""

    pot: int
    amount: int
    shares: tuple[tuple[int, int], ...]
    """(player, amount) of each winner, odd chips included (F3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandFinished:
    """The hand is over; `stacks` by player are final."""

    stacks: tuple[int, ...]


Event = Posted | Acted | StreetDealt | UncalledBetReturned | Shown | Mucked | PotAwarded | HandFinished
