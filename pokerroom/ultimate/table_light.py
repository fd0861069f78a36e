"""The betting light of one table: opens the betting time, and tells clients each change of the light.

Knows no bets.
"""

from __future__ import annotations

from collections.abc import Callable

from pokerroom.ops.ultimate_settings import UltimateSettings
from pokerroom.table.game import GamePorts
from pokerroom.table.viewer import public
from pokerroom.ultimate.clocks import BettingLight
from pokerroom.ultimate.state import UltimateState
from pokerroom_protocol import messages as wire


class TableLight:
    """The light of `state`. `over` is called when a betting time has passed."""

    def __init__(
        self, settings: UltimateSettings, ports: GamePorts, state: UltimateState, over: Callable[[], None]
    ) -> None:
        self._settings = settings
        self._context = ports.context
        self._announcer = ports.announcer
        self._post = ports.mailbox.post
        self._state = state
        self._over = over

    def open(self, *, bets: bool) -> None:
        """Begin a betting time. `bets`: slips have bets already, so that its clock runs at once."""
        light = BettingLight(
            self._context.clock,
            self._context.now_ms,
            betting_s=self._settings.betting_s,
            closing_s=self._settings.closing_s,
            turned=lambda: self._post(self._turned),
            over=lambda: self._post(self._over),
        )
        self._state.machine.open(light)
        if bets:
            light.bet()
        self.tell()

    def bet(self) -> None:
        """A player has bet: the clock runs from the first bet on."""
        light = self._state.bets
        if light is not None and light.bet():
            self.tell()

    def hold(self) -> None:
        """Stop the clock for now."""
        if self._state.bets is not None:
            self._state.bets.hold()

    def restart(self) -> None:
        """Begin the whole time once more, if it has begun."""
        light = self._state.bets
        if light is not None and light.restart():
            self.tell()

    def tell(self) -> None:
        """Tell all viewers the light."""
        view = self._state.light()
        changed = wire.LightChanged(
            table=self._settings.table,
            seq=self._announcer.next_seq(),
            light=view.light,
            closes_ms=view.closes_ms,
        )
        self._announcer.tell(public(changed))

    def _turned(self) -> None:
        if self._state.bets is not None:
            self.tell()
