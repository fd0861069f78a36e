"""The hand in progress at a table, as the parts of the game read it. `hands` alone writes it.

Knows no clock and tells clients nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.interfaces import IReactorTime

from pokerroom.poker.play import HandPlay
from pokerroom.poker.seats import Seat
from pokerroom.rules.planned_hand import Positions
from pokerroom.table.clock import ActionClock
from pokerroom.table.lifecycle import TableState, Timed, table_machine


class AwaitedDecision:
    """A decision that is awaited, and its clock. `seqs` are the turn events that asked for it, the newest last."""

    __slots__ = ("action_clock", "play", "seqs")

    def __init__(self, play: HandPlay, action_clock: ActionClock, seqs: list[int]) -> None:
        self.play = play
        self.action_clock = action_clock
        self.seqs = seqs

    def cancel(self) -> None:
        """Stop the clock."""
        self.action_clock.cancel()


class HandInProgress:
    """What goes on at one table; `rested` is called when the pause after a hand is over."""

    def __init__(self, clock: IReactorTime, rested: Callable[[], None]) -> None:
        self.lifecycle: TableState[HandPlay, AwaitedDecision, Timed] = TableState(clock=clock, rested=rested)
        self.machine = table_machine(self.lifecycle)
        self.positions: Positions | None = None
        """Of the last hand here: the next button follows from them."""
        self.shown: set[int] = set()
        """Seats whose cards were turned up in this hand."""

    @property
    def name(self) -> str:
        """One word for the operator."""
        return self.lifecycle.state

    @property
    def play(self) -> HandPlay | None:
        """The hand in progress, settled or not; in a frozen table the one that was."""
        return self.lifecycle.play

    @property
    def decision(self) -> AwaitedDecision | None:
        """The decision that is awaited."""
        playing = self.lifecycle.playing
        return None if playing is None else playing.question

    def visible_play(self) -> HandPlay | None:
        """Return the hand as it may be shown: not one that is over and not in the ledger yet, nor its stacks.

        Nor that of a frozen table: only the restart tells which of its steps stand, and so which cards are out.
        """
        play = self.lifecycle.play
        return None if play is None or play.state.finished or self.lifecycle.frozen else play

    def in_hand(self, seat: Seat) -> bool:
        """Return whether the seat is part of a hand that is not settled yet."""
        play = self.lifecycle.play
        return play is not None and seat.number in play.player_of

    def stack_of(self, seat: Seat) -> int:
        """Return what is behind the seat, as it may be told: the result of a hand only when the ledger has it."""
        play = self.visible_play()
        player = None if play is None else play.player_of.get(seat.number)
        return seat.stack if play is None or player is None else play.state.stacks[player]

    def chips_of(self, seat: Seat) -> int:
        """Return all chips of the seat: behind it, bought for later, and in the pot while the player may still win it.

        A top-up is measured against them [D]: a player cannot pass the table's maximum by buying while their chips are
        in the middle.
        """
        play = self.visible_play()
        player = None if play is None else play.player_of.get(seat.number)
        in_pot = 0 if play is None or player is None else play.state.committed[player]
        return self.stack_of(seat) + in_pot + seat.topped_up
