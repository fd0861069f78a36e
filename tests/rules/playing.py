"""Hands written down as a few words: set one up, play moves on it, and see what a refused move changed."""

import copy
from collections.abc import Sequence
from typing import Any

import pytest

from pokerroom.rules.actions import Action, Call, Check, ClockAllIn, Fold, RaiseTo
from pokerroom.rules.betting import BettingStructure, NoLimit
from pokerroom.rules.cards import parse_cards
from pokerroom.rules.errors import IllegalAction
from pokerroom.rules.events import Event, PostKind
from pokerroom.rules.hand import HandSetup, HandState, LegalActions, PlayerSetup, apply, legal_actions, start
from pokerroom.rules.rake import RakeTerms
from pokerroom.rules.variants import HOLDEM, Variant

BOARD = "2c7d9h3s4h"
PAIRS = ("AsAd", "KsKd", "QsQd", "JsJd", "TsTd", "8s8d", "6s6d", "5s5d", "AcAh", "KcKh")
"""Hole cards by player: against BOARD each beats the next, and the last two tie the first two."""


class Hand:
    """A hand under test: its state, all events so far, and moves such as `2 to 300` or `0 call`."""

    def __init__(self, setup: HandSetup) -> None:
        self.state: HandState
        self.events: list[Event]
        self.state, self.events = start(setup)

    def play(self, *moves: str) -> "Hand":
        for move in moves:
            player, *words = move.split()
            self.events += apply(self.state, int(player), action_of(*words))
        return self

    def legal(self, player: int) -> LegalActions:
        """The legal actions, of `player` whose turn it must be."""
        legal = legal_actions(self.state)
        assert legal.player == player
        return legal

    def raises(self, player: int) -> tuple[int | None, int | None]:
        """The legal range of raise-to totals of `player`, whose turn it must be."""
        legal = self.legal(player)
        return legal.min_raise_to, legal.max_raise_to

    def refused(self, move: str) -> str:
        """The code a move is refused with; the state must be as before."""
        player, *words = move.split()
        before = copy.deepcopy(self.state)
        with pytest.raises(IllegalAction) as refusal:
            apply(self.state, int(player), action_of(*words))
        assert self.state == before
        return refusal.value.code

    def told(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


def action_of(word: str, amount: str = "0") -> Action:
    if word == "to":
        return RaiseTo(amount=int(amount))
    return {"fold": Fold(), "check": Check(), "call": Call(), "clock": ClockAllIn()}[word]


def hand(
    *stacks: int,
    blinds: Sequence[int] = (50, 100),
    antes: Sequence[int] = (),
    dead: Sequence[int] = (),
    variant: Variant = HOLDEM,
    structure: BettingStructure | None = None,
    big_blind: int | None = None,
    last_blind: int | None = None,
    holes: Sequence[str] = PAIRS,
    board: str = BOARD,
    muck_losing: bool = True,
    show_all_in: bool = True,
    unit: int = 1,
    rake: RakeTerms | None = None,
    dead_blind: int = 0,
    ante_first: bool = False,
) -> Hand:
    """A hand of these stacks; missing blinds, antes and dead posts are 0. Heads-up, blinds read (big, small).

    The largest blind is the last one, the big blind is as large unless it is given.
    """
    players = len(stacks)
    blinds, antes, dead = ([*amounts, *[0] * (players - len(amounts))] for amounts in (blinds, antes, dead))
    largest = max(blinds)
    if last_blind is None:
        last_blind = blinds.index(largest) if largest else players - 1
    return Hand(
        HandSetup(
            variant=variant,
            structure=structure or NoLimit(),
            big_blind=big_blind or largest,
            players=tuple(
                PlayerSetup(
                    stack=stacks[player],
                    holes=parse_cards(holes[player]),
                    ante=antes[player],
                    blind=blinds[player],
                    blind_kind=_kind(blinds[player], big_blind or largest),
                    dead=dead[player],
                    muck_losing=muck_losing,
                )
                for player in range(players)
            ),
            board=parse_cards(board),
            last_blind=last_blind,
            dead_blind=dead_blind,
            show_all_in=show_all_in,
            unit=unit,
            rake=rake,
            ante_first=ante_first,
        )
    )


def _kind(blind: int, big_blind: int) -> PostKind | None:
    if not blind:
        return None
    if blind == big_blind:
        return PostKind.big_blind
    return PostKind.small_blind if blind < big_blind else PostKind.straddle
