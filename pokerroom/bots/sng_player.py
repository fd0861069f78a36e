"""A bot's play in one tournament: it answers turns to the end, apart from its planned absence.

`hand_stay` answers the turns. This module knows neither accounts nor registration nor prizes in the wallet.
"""

from __future__ import annotations

import asyncio
from enum import Enum, auto
from typing import Any, Final

from pokerroom.bots.absence_plan import Absence, AbsencePlan
from pokerroom.bots.hand_stay import HandStay
from pokerroom.bots.policy import Policy
from pokerroom.bots.stay import Handler, StayContext
from pokerroom_protocol import Code
from pokerroom_protocol import messages as m

# Refusals of a request that crossed with the end, or that the table had already fulfilled.
_CROSSED: Final = frozenset(
    {Code.ALREADY_PLAYING, Code.NOT_PLAYING, Code.NOT_SEATED, Code.UNAVAILABLE, Code.SHUTTING_DOWN}
)


class SngOutcome(Enum):
    """How a stay at a tournament's table ends."""

    OUT = auto()
    """The bot is out of the tournament."""
    OVER = auto()
    """The tournament is over."""
    GONE = auto()
    """The bot disconnects, by its absence plan."""
    MOVED = auto()
    """The bot has a seat at another table."""


class SngBotPlayer(HandStay[SngOutcome]):
    """See the module."""

    def __init__(self, context: StayContext, policy: Policy, absence: AbsencePlan) -> None:
        super().__init__(context, policy)
        self._absence = absence
        self._hands = 0
        self._done = False  # the planned absence has begun
        self._away = False

    @property
    def absence_done(self) -> bool:
        """Tell whether the planned absence has begun."""
        return self._done

    # --- what happens ---------------------------------------------------------------------------------------

    def handlers(self) -> dict[str, Handler]:
        return {
            **super().handlers(),
            "hand_started": self._on_hand_started,
            "hand_ended": self._on_hand_ended,
            "player_placed": self._on_player_placed,
            "tournament_ended": self._on_tournament_ended,
            "seat_changed": self._on_seat_changed,
        }

    def on_snapshot(self, snapshot: m.Snapshot) -> m.SeatView | None:
        self.sits(snapshot.your_seat)
        own = next((seat for seat in snapshot.seats if seat.seat == self.seat), None)
        tournament = snapshot.tournament
        if tournament is None or tournament.phase != "running":
            self.finish(SngOutcome.OVER)
        elif own is None:
            self.finish(SngOutcome.OUT)
        return own

    def on_own_turn(self) -> bool:
        """See `HandStay`: a sleeping bot leaves the decision to the clock."""
        if self._absence.kind is Absence.SLEEPS and not self._done and self._hands > self._absence.hands:
            self._done = True
            return False
        return True

    def is_leaving(self) -> bool:
        """See `HandStay`: the bot sits out for a while."""
        return self._away

    def _on_hand_started(self, fields: dict[str, Any], _body: bytes) -> None:
        self.tally.hand_started()
        if all(seat["seat"] != self.seat for seat in fields["seats"]):
            return
        self._hands += 1
        if self._done or self._hands <= self._absence.hands:
            return
        if self._absence.kind in {Absence.DROPS, Absence.VANISHES}:
            self._done = True
            self.finish(SngOutcome.GONE)
        elif self._absence.kind is Absence.LEAVES:
            self._done = True
            self._away = True
            self.spawn(self._leave_and_return())

    def _on_hand_ended(self, fields: dict[str, Any], _body: bytes) -> None:
        if self._watch.hand_ended(fields["hand_id"]):
            self.tally.hand_ended(void=fields.get("void", False))
        self.turn_over()

    def _on_seat_changed(self, fields: dict[str, Any], _body: bytes) -> None:
        """Return to play: the room sets a seat to `away` when the clock decides for it (H5)."""
        if fields["seat"] == self.seat and fields["status"] == "away" and not self._away:
            self._away = True
            self.spawn(self._return())

    def _on_player_placed(self, fields: dict[str, Any], _body: bytes) -> None:
        if fields["seat"] is not None and fields["seat"] == self.seat:
            self.sits(None)
            self.finish(SngOutcome.OUT)

    def _on_tournament_ended(self, _fields: dict[str, Any], _body: bytes) -> None:
        self.finish(SngOutcome.OVER)

    # --- leaving and returning ------------------------------------------------------------------------------

    async def _leave_and_return(self) -> None:
        self._count(await self.link.ask(m.SitOut(id=self.link.number(), table=self.table)))
        self.tally.left += 1
        await asyncio.sleep(self._absence.away_s)
        await self._return()

    async def _return(self) -> None:
        self._count(await self.link.ask(m.SitIn(id=self.link.number(), table=self.table)))
        self._away = False

    def _count(self, answer: m.ServerMessage) -> None:
        if isinstance(answer, m.Error):
            crossed = answer.code in _CROSSED or self._outcome.done()
            counted = self.tally.races if crossed else self.tally.errors
            counted[answer.code] += 1
