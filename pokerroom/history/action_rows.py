"""A hand as rows of a table: one for each step, for programs that count over many hands.

`COLUMNS` is the one description of the table. Rows are kept by column, because files of columns are written from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from pokerroom.history.record import ACTIONS, FORCED
from pokerroom.history.story import HandStory, StoryStep

Kind = Literal["int8", "int16", "int64", "bool", "time", "text", "word"]
"""What a column holds: `time` is a moment in ms since 1970, UTC, and `word` a text that comes often."""

COLUMNS: Final[Mapping[str, tuple[Kind, str]]] = {
    "hand": ("text", "id of the hand"),
    "number": ("int64", "number of the hand in the ledger; it grows with time"),
    "table": ("word", "id of the table, also of one of a tournament"),
    "in_chips": ("bool", "amounts are tournament chips; else 1/100 credit"),
    "game": ("word", "`holdem`, `omaha`"),
    "structure": ("word", "`no_limit`, `pot_limit`, `fixed_limit`"),
    "small_blind": ("int64", "of the table"),
    "big_blind": ("int64", "of the table"),
    "started": ("time", "begin of the hand"),
    "ended": ("time", "end of the hand"),
    "button": ("int8", "seat of the button; with a dead button no player has it"),
    "players": ("int8", "players dealt in"),
    "rake": ("int64", "what the room took of all pots of the hand"),
    "step": ("int16", "number of the step in the hand, from 0"),
    "street": ("word", "`preflop`, `flop`, `turn`, `river`; `end` for chips that come back and are won"),
    "board": ("text", "board cards at the step, such as `2c3dKh`"),
    "seat": ("int8", "number of the seat"),
    "player": ("word", "name of the player today"),
    "position": (
        "int8",
        "order of the deal, from 0: the first player left of the button; last is the button",
    ),
    "action": ("word", "see *Steps* below"),
    "amount": ("int64", "chips put in; those that came back or were won at the `end`"),
    "bet": ("int64", "the player's bet on the street after the step; 0 for posts that are no bet"),
    "to_call": ("int64", "what a call needed before the step, also if the player had less"),
    "pot": (
        "int64",
        "all chips put in by all players before the step, without those that came back or were won",
    ),
    "stack": ("int64", "the player's chips behind before the step"),
    "all_in": ("bool", "the step put the last chip in"),
    "cards": ("text", "the player's hole cards, where the reader may see them; else null"),
}

Columns = dict[str, list[Any]]
"""The rows of some hands, by column."""


def no_rows() -> Columns:
    """Return columns without rows."""
    return {name: [] for name in COLUMNS}


def add_rows(columns: Columns, story: HandStory) -> None:
    """Add the rows of a hand."""
    steps = _Steps(columns, story)
    steps.tell()
    record = story.record
    of_hand = {
        "hand": record.hand_id,
        "number": story.number,
        "table": record.table,
        "in_chips": story.tournament is not None,
        "game": record.game,
        "structure": record.structure,
        "small_blind": record.small_blind,
        "big_blind": record.big_blind,
        "started": record.started_ms,
        "ended": record.ended_ms,
        "button": record.button,
        "players": len(record.seats),
        "rake": record.rake,
    }
    for name, value in of_hand.items():
        columns[name] += [value] * steps.count


class _Steps:
    """Adds what differs from row to row. `count` is the number of rows so far."""

    def __init__(self, columns: Columns, story: HandStory) -> None:
        self.count = 0
        self._story = story
        self._add = [
            columns[name].append
            for name in (
                *("step", "street", "board", "seat", "player", "position", "action"),
                *("amount", "bet", "to_call", "pot", "stack", "all_in", "cards"),
            )
        ]
        self._of_seat = {
            number: (number, seat.name, position)
            for position, (number, seat) in enumerate(story.seats.items())
        }
        self._cards = {
            number: None if seat.cards is None else "".join(seat.cards)
            for number, seat in story.seats.items()
        }
        self._stacks = {number: seat.stack for number, seat in story.seats.items()}
        # a blind counts in full, also if the player has less (B5)
        self._blind = max(story.record.big_blind, *(owed.blind for owed in story.owed.values()))
        self._to_match = 0
        self._bets: dict[int, int] = {}
        self._pot = 0
        self._street = ""
        self._board = ""

    def tell(self) -> None:
        """Add all steps of the hand."""
        for street in self._story.streets:
            self._street = street.name
            self._board += "".join(street.cards)
            self._bets = {}
            self._to_match = self._blind if street.name == "preflop" else 0
            for step in street.steps:
                self._step(step)
        self._street, self._bets = "end", {}
        if self._story.uncalled is not None:
            self._returns(*self._story.uncalled, "uncalled")
        for pot in self._story.pots:
            for seat, won in pot.shares:
                self._returns(seat, won, "win")
            self._pot -= pot.rake

    def _step(self, step: StoryStep) -> None:
        before = self._bets.get(step.seat, 0)
        bet, to_call = before, 0
        if step.what in ACTIONS:
            bet, to_call = step.bet, max(0, self._to_match - before)
            self._to_match = max(self._to_match, bet)
        elif step.what == "post" and step.kind not in FORCED:
            bet += step.added
        action = step.kind or step.what
        self._row(step.seat, action, step.added, bet=bet, to_call=to_call, all_in=step.all_in)
        self._bets[step.seat] = bet
        self._stacks[step.seat] -= step.added
        self._pot += step.added

    def _returns(self, seat: int, amount: int, action: str) -> None:
        self._row(seat, action, amount)
        self._stacks[seat] += amount
        self._pot -= amount

    def _row(
        self, seat: int, action: str, amount: int, *, bet: int = 0, to_call: int = 0, all_in: bool = False
    ) -> None:
        number, player, position = self._of_seat[seat]
        row = (
            *(self.count, self._street, self._board, number, player, position, action),
            *(amount, bet, to_call, self._pot, self._stacks[seat], all_in, self._cards[seat]),
        )
        for add, value in zip(self._add, row, strict=True):
            add(value)
        self.count += 1
