"""Ultimate Texas Hold'em in a simulated room."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.transfers import GENESIS
from pokerroom.room import Room
from pokerroom.simulation.checks.ultimate_rounds import DealtRound
from pokerroom.simulation.faulty_dependencies import WatchedSeal, texts
from pokerroom.simulation.game import SimulatedGame
from pokerroom.simulation.ledger import answer_of
from pokerroom.simulation.operator import SimulatedOperator
from pokerroom.simulation.ultimate_rooms.player import UltimatePlayer
from pokerroom.simulation.ultimate_rooms.referee import UltimateReferee
from pokerroom.simulation.ultimate_rooms.scenario import ultimate_scenario
from pokerroom.table.seal import Seal


def _audit(referee: UltimateReferee, ledger: MemoryLedger) -> None:
    report, accounts = answer_of(ledger.audit()), referee.rounds.accounts()
    referee.audited(report, answer_of(ledger.wallets(accounts)))


def _stopping(referee: UltimateReferee, room: Room, ledger: MemoryLedger) -> None:
    """While the room stops, the referee has to know the connected players.

    A player that has given up the place may still watch the round with its own bets, without deciding in it.
    """
    places = {(row.table, row.account) for row in answer_of(ledger.seats())}
    for table in room.local_tables.values():
        name = table.settings.table
        watching = {viewer.account for viewer in table.outbox.viewers() if viewer.account is not None}
        referee.there(name, {account for account in watching if (name, account) in places})


def _round_seal(referee: UltimateReferee) -> Seal:
    def sealed(round_id: str, data: Any) -> None:
        _, state = data
        deal = state["deal"]
        first, second = texts(deal["bank"])
        referee.round_dealt(
            DealtRound(
                round_id=round_id,
                common=state["terms"]["seating"] == "common_hand",
                boxes=[(box[0], box[1], bool(box[5])) for box in state["boxes"]],
                holes=[(one, other) for one, other in map(texts, deal["holes"])],
                bank=(first, second),
                board=texts(deal["board"]),
            )
        )

    return WatchedSeal(sealed)


class UltimateOperator(SimulatedOperator[UltimateReferee]):
    """The operator: closes a table now and then, or stops one, perhaps declares its round void, and lets it go on."""

    def come(self) -> None:
        self._later(10, 60, self._visit)

    def _visit(self) -> None:
        self._later(20, 120, self._visit)
        room = self._room()
        if room is None or self._dice.quiet:
            return
        table = self._stream.choice(list(room.lobby))
        here = self._here(table)
        if here is None:
            return
        if self._stream.random() < 0.4:
            self._close(table, 30)
            return
        self._referee.ordered(table, frozen=True)
        self._order(here.freeze())
        if self._stream.random() < 0.5:
            self._later(0.1, 3, partial(self._void, complete=True), table)
        self._later(4, 20, self._resume, table)

    def _resume(self, table: str) -> None:
        """Until it goes on: the room may have been killed meanwhile."""
        here = self._here(table)
        if here is not None and here.frozen_by != "operator" and here.state_name != "waiting":
            self._referee.ordered(table, frozen=False)
            return
        if here is not None:
            self._order(here.resume())
        self._clock.callLater(2.0, self._resume, table)


ULTIMATE: Final = SimulatedGame(
    scenario=ultimate_scenario,
    referee=lambda _plan, clock, _strict: UltimateReferee(clock=clock, total=GENESIS),
    seal=_round_seal,
    client=UltimatePlayer,
    client_stream="guest",
    operator=UltimateOperator,
    operator_stream="floor",
    audit=_audit,
    may_have_wallet=False,
    stopping=_stopping,
)
