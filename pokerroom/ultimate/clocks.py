"""The two clocks of a table of Ultimate Texas Hold'em: the light of a betting time, and the window of decisions.

Both run on the room's time, and say in epoch milliseconds when they end. They know no bets and no boxes, and call back
when a time has passed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from twisted.internet.interfaces import IDelayedCall, IReactorTime

from pokerroom.table.clock import LATE_MS
from pokerroom_protocol import messages as wire


class BettingLight:
    """Green while bets are taken, yellow in the last `closing_s` of `betting_s` seconds, which the first bet begins.

    `turned` is called when the light turns yellow, `over` when the time has passed.
    """

    def __init__(
        self,
        clock: IReactorTime,
        now_ms: Callable[[], int],
        *,
        betting_s: int,
        closing_s: int,
        turned: Callable[[], None],
        over: Callable[[], None],
    ) -> None:
        self._clock = clock
        self._now_ms = now_ms
        self._betting_s = betting_s
        self._closing_s = closing_s
        self._turned = turned
        self._over = over
        self._call: IDelayedCall | None = None
        self._colour: wire.Light = "green"
        self._closes_ms: int | None = None
        self.overdue = False
        """The time has passed, and betting is still open."""

    def view(self) -> wire.LightView:
        """Return the light as all viewers see it."""
        return wire.LightView(light=self._colour, closes_ms=self._closes_ms)

    def bet(self) -> bool:
        """A player has bet: start the time unless it runs. Returns whether it has just begun."""
        if self._closes_ms is not None:
            return False
        self._run()
        return True

    def hold(self) -> None:
        """Stop the clock for now; `restart` follows."""
        self.cancel()

    def restart(self) -> bool:
        """Begin the whole time once more. Returns False if no player has bet."""
        if self._closes_ms is None:
            return False
        self.cancel()
        self._run()
        return True

    def cancel(self) -> None:
        """Stop the clock: betting is closed, or given up."""
        if self._call is not None:
            self._call.cancel()
            self._call = None

    def _run(self) -> None:
        self.overdue = False
        self._closes_ms = self._now_ms() + self._betting_s * 1000
        self._colour = "green" if self._closing_s < self._betting_s else "yellow"
        if self._colour == "green":
            self._call = self._clock.callLater(self._betting_s - self._closing_s, self._yellow)
        else:
            self._call = self._clock.callLater(self._betting_s, self._red)

    def _yellow(self) -> None:
        self._call = self._clock.callLater(self._closing_s, self._red)
        if self._closing_s:
            self._colour = "yellow"
            self._turned()

    def _red(self) -> None:
        self._call = None
        self.overdue = True
        self._over()


class DecisionWindow:
    """The decisions of one `street` are awaited for `decision_s` seconds from when they were asked.

    `seqs` are the events that have asked for them, the newest last. `over` is called at the deadline.
    """

    def __init__(
        self,
        clock: IReactorTime,
        now_ms: Callable[[], int],
        *,
        decision_s: int,
        street: object,
        seq: int,
        over: Callable[[DecisionWindow], None],
    ) -> None:
        self._clock = clock
        self._now_ms = now_ms
        self._decision_s: Final = decision_s
        self._over = over
        self._call: IDelayedCall | None = None
        self._started = False
        self._made_ms = now_ms()
        self.street = street
        self.seqs = [seq]
        self.deadline_ms = self._made_ms + decision_s * 1000
        self.expired = False
        """The deadline has passed; a Play may still be at the ledger."""

    def start(self) -> bool:
        """Start the clock: the question has just been told. Returns whether it has another deadline now."""
        now = self._now_ms()
        self._started = True
        self.cancel()
        self._call = self._clock.callLater(self._decision_s, self._rang)
        late = now - self._made_ms > LATE_MS
        if late:
            self.deadline_ms = now + self._decision_s * 1000
        return late

    def hold(self) -> None:
        """Stop the clock for now; `restart` follows."""
        self.cancel()

    def restart(self) -> bool:
        """Begin the whole clock once more. Returns False if it was never started, or has expired."""
        if not self._started or self.expired:
            return False
        self._made_ms = self._now_ms()
        self.deadline_ms = self._made_ms + self._decision_s * 1000
        self.start()
        return True

    def asked_again(self, seq: int) -> None:
        """Note that the same decisions were asked for once more."""
        self.seqs.append(seq)

    def cancel(self) -> None:
        """Stop the clock: all boxes have decided, or none will."""
        if self._call is not None:
            self._call.cancel()
            self._call = None

    def _rang(self) -> None:
        self._call = None
        self._over(self)
