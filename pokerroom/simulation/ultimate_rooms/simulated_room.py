"""One simulated world of tables of Ultimate: as that of hold'em, with other clients, referee and operator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import msgpack
from twisted.internet.defer import Deferred

from pokerroom.ledger.transfers import GENESIS
from pokerroom.ops.reports import OrderRefused
from pokerroom.room import Room
from pokerroom.rules.cards import Card, card_text
from pokerroom.simulation.checks.referee import Referee
from pokerroom.simulation.checks.ultimate_rounds import DealtRound
from pokerroom.simulation.clock import VirtualClock
from pokerroom.simulation.faults import Dice
from pokerroom.simulation.scenario import ClientPlan
from pokerroom.simulation.simulated_room import SimulatedRoom
from pokerroom.simulation.streams import Stream, stream
from pokerroom.simulation.ultimate_rooms.player import UltimatePlayer
from pokerroom.simulation.ultimate_rooms.referee import UltimateReferee
from pokerroom.table.seal import Seal

_KEY = bytes(range(32))


class SimulatedUltimateRoom(SimulatedRoom):
    """See the module."""

    def _made_referee(self, *, strict: bool) -> Referee:
        tables = [table.id for table in self.plan.config.ultimate]
        return UltimateReferee(clock=self.clock, tables=tables, total=GENESIS, strict=strict)

    @property
    def judge(self) -> UltimateReferee:
        """The referee, by its own type."""
        return cast("UltimateReferee", self.referee)

    def _made_seal(self) -> Seal:
        return _HouseSeal(self.judge.round_dealt)

    def _client(self, plan: ClientPlan) -> UltimatePlayer:
        accounts = [self._account(account, plan) for account in plan.accounts]
        return UltimatePlayer(self, plan, accounts, stream(self.seed, f"guest:{accounts[0].name}"))

    def _operator_comes(self) -> None:
        UltimateOperator(
            self.clock, stream(self.seed, "floor"), self.dice, self._listening_room, self.judge
        ).come()

    def audit(self) -> None:
        report = _now(self.ledger.audit())
        self.judge.wallets(report, _now(self.ledger.wallets(self.judge.rounds.accounts())))

    def step(self) -> None:
        """See `SimulatedRoom`; while the room stops, the referee has to know the connected players.

        A player that has given up the place may still watch the round with its own bets, without deciding in it.
        """
        super().step()
        if self.dice.quiet and self.process is not None:
            places = {(row.table, row.account) for row in _now(self.ledger.seats())}
            for table in self.process.room.local_tables.values():
                name = table.settings.table
                watching = {viewer.account for viewer in table.outbox.viewers() if viewer.account is not None}
                self.judge.there(name, {account for account in watching if (name, account) in places})


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


class UltimateOperator:
    """The operator: closes a table now and then, or stops one, perhaps declares its round void, and lets it go on."""

    def __init__(
        self,
        clock: VirtualClock,
        stream: Stream,
        dice: Dice,
        room: Callable[[], Room | None],
        referee: UltimateReferee,
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
        room = self._listening_room()
        if room is None or self._dice.quiet:
            return
        table = self._stream.choice(list(room.lobby))
        here = room.local_tables.get(table)
        if here is None:
            return
        if self._stream.random() < 0.4:
            here.close()
            self._clock.callLater(self._stream.uniform(1, 30), self._open, table)
            return
        self._referee.ordered(table, frozen=True)
        here.freeze().addErrback(_refused)
        if self._stream.random() < 0.5:
            self._clock.callLater(self._stream.uniform(0.1, 3), self._void, table)
        self._clock.callLater(self._stream.uniform(4, 20), self._resume, table)

    def _open(self, table: str) -> None:
        room = self._listening_room()
        here = None if room is None else room.local_tables.get(table)
        if here is None:
            self._clock.callLater(1.0, self._open, table)
        else:
            here.reopen()

    def _void(self, table: str) -> None:
        room = self._listening_room()
        here = None if room is None else room.local_tables.get(table)
        if here is not None:
            here.void_hand(complete=True).addErrback(_refused)

    def _resume(self, table: str) -> None:
        """Until it goes on: the room may have been killed meanwhile."""
        room = self._listening_room()
        here = None if room is None else room.local_tables.get(table)
        if here is not None and here.frozen_by != "operator" and here.state_name != "waiting":
            self._referee.ordered(table, frozen=False)
            return
        if here is not None:
            here.resume().addErrback(_refused)
        self._clock.callLater(2.0, self._resume, table)


def _refused(failure: Any) -> None:
    failure.trap(OrderRefused, Exception)


def _text(card: int) -> str:
    return card_text(Card(card))


def _now(deferred: Deferred[Any]) -> Any:
    """The result of a Deferred of the memory ledger, which has fired."""
    results: list[Any] = []
    deferred.addCallback(results.append)
    return results[0]
