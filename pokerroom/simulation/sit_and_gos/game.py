"""Sit-and-gos in a simulated room."""

from __future__ import annotations

from typing import Final, cast

from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.tournaments import owned_as
from pokerroom.ledger.transfers import GENESIS
from pokerroom.simulation.faulty_dependencies import hand_seal
from pokerroom.simulation.game import SimulatedGame
from pokerroom.simulation.ledger import answer_of
from pokerroom.simulation.operator import SimulatedOperator
from pokerroom.simulation.sit_and_gos.entrant import Entrant
from pokerroom.simulation.sit_and_gos.referee import SitAndGoReferee
from pokerroom.simulation.sit_and_gos.scenario import sit_and_go_scenario
from pokerroom.tournament.actor import TournamentActor


def _audit(referee: SitAndGoReferee, ledger: MemoryLedger) -> None:
    referee.audited(answer_of(ledger.audit()))
    for name in referee.bounties.names:
        referee.bounties.audited(name, answer_of(ledger.tournament(name)).bounties)


class TournamentOperator(SimulatedOperator[SitAndGoReferee]):
    """The operator: pauses or freezes a tournament now and then or freezes its table, and rolls one back or forward."""

    def come(self) -> None:
        self._later(10, 60, self._visit)

    def _visit(self) -> None:
        self._later(20, 120, self._visit)
        running = self._referee.tournaments.running()
        table = self._stream.choice(running) if running else None
        here = None if table is None else self._here(table)
        actor = None if table is None else self._actor(table)
        if (
            table is None
            or here is None
            or actor is None
            or self._dice.quiet
            or table in self._referee.paused
        ):
            return
        roll = self._stream.random()
        if roll < 0.1:
            self._order((actor.roll_back if roll < 0.05 else actor.roll_forward)())
            return
        self._referee.paused[table] = roll
        stop = actor.pause if roll < 0.6 else actor.freeze if roll < 0.7 else here.freeze
        if roll >= 0.7:
            self._referee.tournaments.frozen(table)
        self._order(stop())
        if roll > 0.8:
            self._later(0.1, 3, self._void, table)
        if roll > 0.96:
            self._later(0.1, 3, self._back, table)
        self._later(3, 40, self._go_on, table)

    def _actor(self, table: str) -> TournamentActor | None:
        """Return the tournament itself."""
        return cast("TournamentActor | None", self._here(owned_as(table)))

    def _back(self, table: str) -> None:
        actor = self._actor(table)
        if actor is not None:
            self._order(actor.roll_back())

    def _go_on(self, table: str) -> None:
        """Until it does: the room may have been killed meanwhile."""
        here, actor = self._here(table), self._actor(table)
        if table not in self._referee.tournaments.running():
            del self._referee.paused[table]
            return
        if here is not None and actor is not None:
            stopped = "operator" in {here.frozen_by, actor.frozen_by} or actor.state_name == "paused"
            self._order(here.resume())
            self._order(actor.resume())
            self._order(actor.unpause())
            if not stopped and here.frozen_by is None and actor.frozen_by is None:
                self._clock.callLater(5.0, self._let_go, table)
                return
        self._clock.callLater(2.0, self._go_on, table)

    def _let_go(self, table: str) -> None:
        actor = self._actor(table)
        if actor is not None and actor.state_name != "paused":
            self._referee.paused.pop(table, None)
            self._referee.tournaments.thawed(table)
        else:  # the order may have come late, or after a kill
            self._go_on(table)


SIT_AND_GO: Final = SimulatedGame(
    scenario=sit_and_go_scenario,
    referee=lambda _plan, clock, _strict: SitAndGoReferee(clock=clock, total=GENESIS),
    seal=lambda referee: hand_seal(referee.dealt),
    client=Entrant,
    client_stream="entrant",
    operator=TournamentOperator,
    operator_stream="director",
    audit=_audit,
)
