"""A scripted client at tables of Ultimate: bets, decides or lets the clock decide, leaves, and comes back.

It shares everything but the game with the clients of hold'em tables. It knows nothing of the room's code.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from msgspec.structs import replace

from pokerroom.simulation.client import TICK_S, SimulatedClient
from pokerroom.simulation.faults import Fault
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code
from pokerroom_protocol.session import Answered, Happening

_ACTIONS: Final[tuple[Literal["double", "undo", "undo_all", "repeat"], ...]] = (
    "double",
    "undo",
    "undo_all",
    "repeat",
)


class UltimatePlayer(SimulatedClient):
    """See the module."""

    def _entered(self, answer: wire.Authenticated) -> None:
        super()._entered(answer)
        self._chosen: dict[tuple[str, int, int], wire.Decide] = {}
        """By round, question and box: the decision that was sent, to be repeated."""

    def _happened(self, happening: Happening) -> None:
        match happening:
            case Answered():
                self._answered(happening.request, happening.answer)
            case wire.UltimateSnapshot():
                self._look(happening.table)
                self._asked(happening.table)
            case wire.Decisions():
                self._asked(happening.table)
            case wire.LightChanged(light="green"):
                self._later(2.0, self._bet, happening.table)
            case wire.RoundEnded() if self.stream.random() < 0.05 and not self.world.dice.quiet:
                self.wish(wire.StandUp(id=0, table=happening.table))
            case _:
                pass

    def _answered(self, request: wire.ClientMessage, answer: wire.ServerMessage) -> None:
        if isinstance(request, wire.Resume | wire.LogIn | wire.Register):
            super()._answered(request, answer)
            return
        table = str(getattr(request, "table", ""))
        self.waits.discard((table, type(request)))
        refused = Code(answer.code) if isinstance(answer, wire.Error) else None
        if isinstance(request, wire.Decide) and refused in {
            Code.UNAVAILABLE,
            Code.TABLE_FROZEN,
            Code.INTERNAL,
        }:
            self._later(2.0, self._say_again, request)
        elif isinstance(request, wire.Decide) and refused is Code.INSUFFICIENT_BALANCE:
            self._chosen.pop((request.round_id, request.seq, request.box), None)
            self._asked(table)
        elif isinstance(request, wire.TakePlace) and refused is not None:
            self.resting[table] = self.world.clock.elapsed_s() + self.stream.uniform(1, 20)
        elif isinstance(answer, wire.Slip) and answer.slip.bets and self.stream.random() < 0.6:
            self._later(1.0, self._bet_more, table)

    def _tick(self) -> None:
        self.world.clock.callLater(self.stream.uniform(0.2, 0.5) * TICK_S, self._tick)
        if self.resumed:
            self.ask(wire.Ping(id=0))
            for table in self.plan.wanted:
                self._look(table)
            if not self.world.dice.quiet:
                self._whim()
        self._break_the_line()

    def _later(self, most_s: float, then: object, what: object) -> None:
        seconds = self.stream.uniform(0.02, most_s) * max(self.plan.haste, 0.1)
        self.world.clock.callLater(seconds, then, what)  # type: ignore[arg-type] # a method of one argument

    # --- places ---------------------------------------------------------------------------------------------------

    def _look(self, table: str) -> None:
        """Take a place where the plan wants one; bet where there is one."""
        known = self.session.ultimate_tables.get(table)
        if known is None:
            if table in self.plan.wanted:
                self.wish(wire.Observe(id=0, table=table))
            return
        if known.your_box is not None:
            if known.light.light != "red" and known.your_slip is None:
                self._later(2.0, self._bet, table)
            return
        resting = self.resting.get(table, 0.0) > self.world.clock.elapsed_s()
        if table in self.plan.wanted and not resting and not known.info.closing and not self.world.dice.quiet:
            box = self.stream.randint(1, known.info.boxes or 1) if self.stream.random() < 0.3 else None
            self.wish(wire.TakePlace(id=0, table=table, box=box))

    def _whim(self) -> None:
        draw, tables = self.stream, sorted(self.session.ultimate_tables)
        if not tables:
            return
        table = draw.choice(tables)
        roll = draw.random()
        if roll < 0.2:
            self.ask(wire.GetSnapshot(id=0, table=table))
        elif roll < 0.3:
            self.ask(wire.Chat(id=0, table=table, text="good luck"))
        elif roll < 0.36:
            self.wish(wire.StandUp(id=0, table=table))
        elif roll < 0.42:
            self.ask(wire.ListTables(id=0))
        elif roll < 0.47:
            self.ask(wire.SitDown(id=0, table=table, buy_in=1))
        elif roll < 0.52:
            self.ask(wire.JoinWaitlist(id=0, table=table))
        elif roll < 0.6:
            self.ask(wire.GiveTip(id=0, table=table, amount=draw.choice([0, 5, 50])))
        elif roll < 0.7:
            self.ask(wire.SetPresence(id=0, table=table, present=draw.random() < 0.6))

    # --- bets -----------------------------------------------------------------------------------------------------

    def _bet(self, table: str) -> None:
        known, draw = self.session.ultimate_tables.get(table), self.stream
        if known is None or known.your_box is None or known.light.light == "red" or self.world.dice.quiet:
            return
        if draw.random() < 0.25:
            self.ask(wire.ChangeBets(id=0, table=table, action="repeat"))
            return
        amount = known.info.ante_min * draw.choice([1, 1, 2, 5]) + draw.choice([0, 0, 0, 1, -50])
        self.ask(wire.PlaceBet(id=0, table=table, bet="ante", amount=max(1, amount)))

    def _bet_more(self, table: str) -> None:
        known, draw = self.session.ultimate_tables.get(table), self.stream
        if known is None or known.your_box is None:
            return
        roll = draw.random()
        if roll < 0.35:
            self.ask(wire.PlaceBet(id=0, table=table, bet="trips", amount=draw.choice([50, 100, 300])))
        elif roll < 0.5:
            self.ask(wire.PlaceBet(id=0, table=table, bet="progressive", amount=100))
        elif roll < 0.7:
            self.ask(wire.ChangeBets(id=0, table=table, action=draw.choice(_ACTIONS)))
        else:
            box = draw.randint(1, 7)
            self.ask(wire.PlaceBet(id=0, table=table, bet="ante", amount=known.info.ante_min, box=box))
            if draw.random() < 0.8:
                self.ask(wire.ChoosePlay(id=0, table=table, box=box, multiple=draw.choice([3, 4])))

    # --- decisions ------------------------------------------------------------------------------------------------

    def _asked(self, table: str) -> None:
        """Begin to think if one of the client's boxes is to decide."""
        known = self.session.ultimate_tables.get(table)
        if known is None or known.round is None or known.round.decisions is None or known.your_box is None:
            return
        asked = known.round.decisions
        if known.your_box not in asked.boxes:
            return
        dice, now = self.world.dice, self.world.clock.rightNow
        if dice.strikes(Fault.CLOCK, 8):
            form = dice.one_of(Fault.CLOCK, "never", "late", "at", "before", "after")
            if form == "never":
                return
            at_s = asked.deadline_ms / 1000 + {"at": 0.0, "before": -0.001, "after": 0.001, "late": 2.0}[form]
            self.world.clock.callLater(max(0.0, at_s - now - 0.3), self._decide_at, table, asked.seq, at_s)
            return
        thinks_s = self.stream.uniform(0.1, 2.5) * self.plan.haste
        self.world.clock.callLater(thinks_s, self._decide_at, table, asked.seq, None)

    def _decide_at(self, table: str, seq: int, at_s: float | None) -> None:
        known = self.session.ultimate_tables.get(table)
        if known is None or known.round is None or known.round.decisions is None or known.your_box is None:
            return
        asked, box = known.round.decisions, known.your_box
        if asked.seq != seq:
            return
        decision = self._chosen.get((known.round.round_id, seq, box))
        if decision is None:
            decision = self._choice(known.round.round_id, table, box, asked)
            self._chosen[known.round.round_id, seq, box] = decision
        dice = self.world.dice
        if dice.strikes(Fault.STALE, 15):
            self.ask(self._wrong(decision))
        if dice.strikes(Fault.REORDER, 30):
            self.ask(wire.GetSnapshot(id=0, table=table))
            self.ask(decision, overtakes=True)
        else:
            self.ask(decision, at_s=at_s)
        if dice.strikes(Fault.DUPLICATE, 15):
            self.ask(decision)

    def _choice(self, round_id: str, table: str, box: int, asked: wire.DecisionsView) -> wire.Decide:
        if self.stream.random() < 0.35 and asked.multiples:
            return wire.Decide(
                id=0, table=table, round_id=round_id, seq=asked.seq, box=box, decision="play",
                multiple=self.stream.choice(asked.multiples),
            )  # fmt: skip
        return wire.Decide(
            id=0, table=table, round_id=round_id, seq=asked.seq, box=box,
            decision="check" if asked.check else "fold",
        )  # fmt: skip

    def _wrong(self, decision: wire.Decide) -> wire.Decide:
        """Something that has to be refused, or changes nothing."""
        others: list[dict[str, Any]] = [
            {"round_id": "none"},
            {"seq": max(0, decision.seq - 3)},
            {"box": 32_000},
            {"decision": "play", "multiple": None},
            {"decision": "check", "multiple": 2},
        ]
        return replace(decision, **self.stream.choice(others))

    def _say_again(self, decision: wire.Decide) -> None:
        known = self.session.ultimate_tables.get(decision.table)
        if known is not None and known.round is not None and known.round.round_id == decision.round_id:
            self.ask(decision)
