"""One simulated world of sit-and-gos: as that of cash tables, with other people, another referee and operator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from pokerroom.ledger.transfers import GENESIS
from pokerroom.ops.reports import OrderRefused
from pokerroom.room import Room
from pokerroom.simulation.checks.referee import Referee
from pokerroom.simulation.clock import VirtualClock
from pokerroom.simulation.faults import Dice
from pokerroom.simulation.scenario import ClientPlan
from pokerroom.simulation.simulated_room import SimulatedRoom
from pokerroom.simulation.sit_and_gos.entrant import Entrant
from pokerroom.simulation.sit_and_gos.referee import SitAndGoReferee
from pokerroom.simulation.streams import Stream, stream
from pokerroom.tournament.table import TournamentTable


class SimulatedSitAndGoRoom(SimulatedRoom):
    """See the module."""

    def _made_referee(self, *, strict: bool) -> Referee:
        return SitAndGoReferee(clock=self.clock, total=GENESIS, strict=strict)

    @property
    def judge(self) -> SitAndGoReferee:
        """The referee, by its own type."""
        return cast("SitAndGoReferee", self.referee)

    def _client(self, plan: ClientPlan) -> Entrant:
        accounts = [self._account(account, plan) for account in plan.accounts]
        return Entrant(self, plan, accounts, stream(self.seed, f"entrant:{accounts[0].name}"))

    def _operator_comes(self) -> None:
        TournamentOperator(
            self.clock, stream(self.seed, "director"), self.dice, self._listening_room, self.judge
        ).come()


class TournamentOperator:
    """The operator: pauses a tournament now and then or freezes its table, and rolls one back or forward."""

    def __init__(
        self,
        clock: VirtualClock,
        stream: Stream,
        dice: Dice,
        room: Callable[[], Room | None],
        referee: SitAndGoReferee,
    ) -> None:
        self._clock = clock
        self._stream = stream
        self._dice = dice
        self._listening_room = room
        self._referee = referee

    def come(self) -> None:
        """From now on."""
        self._clock.callLater(self._stream.uniform(10, 60), self._visit)

    def _visit(self) -> None:
        self._clock.callLater(self._stream.uniform(20, 120), self._visit)
        running = self._referee.tournaments.running()
        table = self._stream.choice(running) if running else None
        here = None if table is None else self._here(table)
        if table is None or here is None or self._dice.quiet or table in self._referee.paused:
            return
        roll = self._stream.random()
        if roll < 0.1:
            (here.roll_back if roll < 0.05 else here.roll_forward)().addErrback(_refused)
            return
        self._referee.paused[table] = roll
        (here.pause if roll < 0.6 else here.freeze)().addErrback(_refused)
        if roll > 0.8:
            self._clock.callLater(self._stream.uniform(0.1, 3), self._void, table)
        if roll > 0.96:
            self._clock.callLater(self._stream.uniform(0.1, 3), self._back, table)
        self._clock.callLater(self._stream.uniform(3, 40), self._go_on, table)

    def _here(self, table: str) -> TournamentTable | None:
        room = self._listening_room()
        here = None if room is None else room.local_tables.get(table)
        return None if here is None else cast("TournamentTable", here)

    def _void(self, table: str) -> None:
        here = self._here(table)
        if here is not None:
            here.void_hand().addErrback(_refused)

    def _back(self, table: str) -> None:
        here = self._here(table)
        if here is not None:
            here.roll_back().addErrback(_refused)

    def _go_on(self, table: str) -> None:
        """Until it does: the room may have been killed meanwhile."""
        here = self._here(table)
        stopped = here is not None and (here.frozen_by == "operator" or here.state_name == "paused")
        if table not in self._referee.tournaments.running():
            del self._referee.paused[table]
            return
        if here is not None:
            here.resume().addErrback(_refused)
            here.unpause().addErrback(_refused)
            if not stopped and here.frozen_by is None:
                self._clock.callLater(5.0, self._let_go, table)
                return
        self._clock.callLater(2.0, self._go_on, table)

    def _let_go(self, table: str) -> None:
        here = self._here(table)
        if here is not None and here.state_name != "paused":
            self._referee.paused.pop(table, None)
        else:  # the order may have come late, or after a kill
            self._go_on(table)


def _refused(failure: Any) -> None:
    failure.trap(OrderRefused)
