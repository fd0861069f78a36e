"""Ultimate Texas Hold'em in a simulated room."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import msgpack

from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.transfers import GENESIS
from pokerroom.room import Room
from pokerroom.rules.cards import Card, card_text
from pokerroom.simulation.checks.ultimate_rounds import DealtRound
from pokerroom.simulation.game import SimulatedGame
from pokerroom.simulation.ledger import answer_of
from pokerroom.simulation.operator import Operator
from pokerroom.simulation.ultimate_rooms.player import UltimatePlayer
from pokerroom.simulation.ultimate_rooms.referee import UltimateReferee
from pokerroom.simulation.ultimate_rooms.scenario import ultimate_scenario
from pokerroom.table.seal import Seal

_KEY = bytes(range(32))


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


class _HouseSeal(Seal):
    """Tells `dealt` what it is given to encrypt."""

    def __init__(self, dealt: Callable[[DealtRound], None]) -> None:
        super().__init__(_KEY)
        self._dealt = dealt

    def close(self, plain: bytes, about: str) -> bytes:
        """See `Seal`; `about` is the round's number."""
        data: dict[str, Any] = msgpack.unpackb(plain)[-1]
        deal = data["deal"]
        dealt = DealtRound(
            round_id=about,
            common=data["terms"]["seating"] == "common_hand",
            boxes=[(box[0], box[1], bool(box[5])) for box in data["boxes"]],
            holes=[(_text(first), _text(second)) for first, second in deal["holes"]],
            bank=(_text(deal["bank"][0]), _text(deal["bank"][1])),
            board=[_text(card) for card in deal["board"]],
        )
        self._dealt(dealt)
        return super().close(plain, about)


class UltimateOperator(Operator[UltimateReferee]):
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


def _text(card: int) -> str:
    return card_text(Card(card))


ULTIMATE: Final = SimulatedGame(
    scenario=ultimate_scenario,
    referee=lambda _plan, clock, _strict: UltimateReferee(clock=clock, total=GENESIS),
    seal=lambda referee: _HouseSeal(referee.round_dealt),
    client=UltimatePlayer,
    client_stream="guest",
    operator=UltimateOperator,
    operator_stream="floor",
    audit=_audit,
    stopping=_stopping,
)
