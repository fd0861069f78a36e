"""What goes on at one table of Ultimate Texas Hold'em, as the parts of the game read it.

Knows no clock, and tells clients nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from twisted.internet.interfaces import IReactorTime

from pokerroom.ops.ultimate_settings import UltimateSettings
from pokerroom.table.lifecycle import Playing, TableState, table_machine
from pokerroom.ultimate.clocks import BettingLight, DecisionWindow
from pokerroom.ultimate.play import RoundPlay
from pokerroom.ultimate.request_keys import RequestKeys
from pokerroom_protocol import messages as wire

_RED: Final = wire.LightView(light="red", closes_ms=None)


class UltimateState:
    """The state of one incarnation of the game. `rested` is called when the pause after a round is over."""

    def __init__(self, settings: UltimateSettings, clock: IReactorTime, rested: Callable[[], None]) -> None:
        self.lifecycle: TableState[RoundPlay, DecisionWindow, BettingLight] = TableState(
            clock=clock, rested=rested
        )
        self.machine = table_machine(self.lifecycle)
        self._has_meter = settings.terms.progressive is not None
        self.known = False
        """Journal and ledger have said how the table stands. `UltimateRecovery` writes it."""
        self.closing = False
        """The operator has closed the table."""
        self.abandoned = False
        """A fault or the operator has broken the game off: nothing moves here any more."""
        self.meter: int | None = None
        """What the meter holds, as the ledger has said; also at a table without a progressive bet."""
        self.keys = RequestKeys()
        """Of bets and tips, so that a repeated request does not act twice."""
        self.ended: str | None = None
        """The last round of which clients know the end."""

    @property
    def name(self) -> str:
        """One word for the operator."""
        return self.lifecycle.state

    @property
    def frozen(self) -> bool:
        """Whether nothing moves."""
        return self.lifecycle.frozen

    @property
    def bets(self) -> BettingLight | None:
        """The clock of the betting time; None while no bets are taken."""
        return self.lifecycle.bets

    @property
    def play(self) -> RoundPlay | None:
        """The round in progress, settled or not; in a frozen table the one that was."""
        return self.lifecycle.play

    @property
    def playing(self) -> Playing[RoundPlay, DecisionWindow] | None:
        """The round while decisions are made in it."""
        return self.lifecycle.playing

    @property
    def question(self) -> DecisionWindow | None:
        """The decisions that are awaited."""
        return self.lifecycle.question

    def round_id(self) -> str | None:
        """Return the id of the round in progress, unless clients know its end."""
        play = self.play
        return None if play is None or play.round_id == self.ended else play.round_id

    def visible_play(self) -> RoundPlay | None:
        """Return the round as it may be shown.

        A frozen table shows none: only the restart tells which of its steps count.
        """
        play = self.play
        return None if play is None or play.state.finished or self.frozen else play

    def visible_meter(self) -> int | None:
        """Return what the meter holds; None at a table without a progressive bet."""
        return self.meter if self._has_meter else None

    def light(self) -> wire.LightView:
        """Return the betting light: green or yellow while bets are taken, otherwise red."""
        return _RED if self.bets is None else self.bets.view()

    def boxes_in_play(self) -> list[int]:
        """Return the boxes with bets in the round in progress."""
        return [] if self.play is None else [box.bets.box for box in self.play.state.boxes]
