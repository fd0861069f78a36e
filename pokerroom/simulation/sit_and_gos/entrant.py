"""A scripted client of sit-and-gos: registers, plays, leaves and returns, and reconnects after every fault.

It shares everything but the tournament with the clients of cash tables. Its plan's `wanted` are offers. It knows
nothing of the room's code.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Literal

from pokerroom.simulation.client import TICK_S, SimulatedClient
from pokerroom_protocol import messages as wire
from pokerroom_protocol.session import Answered, Happening
from pokerroom_protocol.table_view import tournament_of


class Entrant(SimulatedClient):
    """See the module."""

    @cached_property
    def _next_rebuy(self) -> dict[str, int]:
        """The number of the next rebuy in each tournament that has offered this client chips."""
        return {}

    def _happened(self, happening: Happening) -> None:
        match happening:
            case Answered():
                self._answered(happening.request, happening.answer)
            case wire.SngStarted():
                self.wish(wire.Observe(id=0, table=happening.table))
            case wire.Turn():
                self.consider(happening.table)
            case wire.Snapshot():
                self.consider(happening.table)
                self._consider_deal(happening.table)
                if not self.world.dice.quiet and self.stream.random() < 0.02:
                    self.ask(wire.StandUp(id=0, table=happening.table))
            case wire.DealOffered():
                self._consider_deal(happening.table)
            case wire.ChipsOffered():
                number = happening.number if happening.kind == "rebuy" else 1
                self._next_rebuy[happening.tournament] = max(
                    number, self._next_rebuy.get(happening.tournament, 1)
                )
                self.world.clock.callLater(self.stream.uniform(0.1, 18), self._consider_offer, happening)
            case wire.TableNotice(state="frozen"):
                self._frozen.add(happening.table)
                self._doubts.pop(happening.table, None)
            case wire.TournamentEnded():
                self._later(2.0)
            case _:
                pass

    def _answered(self, request: wire.ClientMessage, answer: wire.ServerMessage) -> None:
        if isinstance(request, wire.Resume | wire.LogIn | wire.Register):
            super()._answered(request, answer)
            return
        self.waits.discard((str(getattr(request, "table", "")), type(request)))
        match answer:
            case wire.Tournaments():
                self._consider_tournaments(answer.tournaments)
            case wire.ChipsBought() if answer.kind == "rebuy":
                self._next_rebuy[answer.tournament] = answer.number + 1
            case wire.DealOptions():
                aside = self.stream.choice([answer.least, answer.least, answer.most])
                kind: Literal["icm", "chips"] = "icm" if self.stream.random() < 0.6 else "chips"
                self.wish(wire.ProposeDeal(id=0, table=answer.table, kind=kind, for_the_winner=aside))
            case wire.Account():
                for table in answer.tables:  # also those that started while the client was away
                    if table not in self.session.tables:
                        self.wish(wire.Observe(id=0, table=table))
            case wire.Error() if isinstance(request, wire.Observe) and answer.code in {
                "unavailable",
                "unknown_table",
            }:
                self.world.clock.callLater(self.stream.uniform(0.5, 3), self._ask_where)
            case _:
                pass

    def _entered(self, answer: wire.Authenticated) -> None:
        self.resumed = True
        self.account.token, self.account.known = answer.token, True
        self.balance = answer.balance
        for table in answer.tables:
            self.wish(wire.Observe(id=0, table=table))
        self._later(5.0)

    def _ask_where(self) -> None:
        if self.resumed:
            self.wish(wire.GetAccount(id=0))

    def _later(self, most_s: float) -> None:
        self.world.clock.callLater(self.stream.uniform(0.05, most_s), self._look_for_a_seat)

    def _look_for_a_seat(self) -> None:
        if self.resumed and not self.world.dice.quiet:
            if self._scheduled():
                self.ask(wire.ListTournaments(id=0))
            else:
                self.wish(wire.RegisterSng(id=0, offer=self.stream.choice(self.plan.wanted)))

    def _scheduled(self) -> bool:
        """Return whether the client wants tournaments that start at a time: its plan names no offer then."""
        return not self.plan.wanted

    def _consider_tournaments(self, rows: Sequence[wire.ScheduledTournament]) -> None:
        """Enter one that takes entries, also late or again; now and then leave one."""
        for row in rows:
            enters = row.registration_open and row.your_status in {None, "out"}
            if enters and self.stream.random() < 0.3 + 0.5 * self.plan.haste:
                self.wish(wire.RegisterTournament(id=0, tournament=row.tournament))
            elif row.your_status == "registered" and self.stream.random() < (
                0.1 if self.plan.address else 0.02
            ):
                self.wish(wire.UnregisterTournament(id=0, tournament=row.tournament))

    def _consider_offer(self, offer: wire.ChipsOffered) -> None:
        """Most buy; some say that they do not, and some say nothing."""
        roll = self.stream.random()
        if not self.resumed or self.world.dice.quiet:
            return
        if roll < 0.6:
            self._buy(offer.tournament, offer.kind)
        elif roll < 0.8 and offer.kind == "rebuy":
            self.wish(wire.DeclineRebuy(id=0, tournament=offer.tournament))

    def _buy(self, tournament: str, kind: str) -> None:
        rebuy = wire.BuyRebuy(id=0, tournament=tournament, number=self._next_rebuy[tournament])
        self.wish(rebuy if kind == "rebuy" else wire.BuyAddOn(id=0, tournament=tournament))

    def _tick(self) -> None:
        self._plan_tick()
        if self.resumed:
            self.ask(wire.Ping(id=0))
            self._ask_where()
            self._look_for_a_seat()
            for table, known in sorted(self.session.tables.items()):
                self.consider(table)
                self._come_back(table, known)
                self._think_of_a_deal(table, known)
            if not self.world.dice.quiet:
                self._whim()
        self._break_the_line()

    def _plan_tick(self) -> None:
        self.world.clock.callLater(self.stream.uniform(0.2, 0.6) * TICK_S, self._tick)

    def _come_back(self, table: str, known: wire.Snapshot) -> None:
        """Most clients return soon; some never do, and are blinded off."""
        own = next((seat for seat in known.seats if seat.seat == known.your_seat), None)
        if own is not None and own.status == "away" and self.stream.random() < 0.5 * self.plan.haste + 0.2:
            self.ask(wire.SitIn(id=0, table=table))

    def _think_of_a_deal(self, table: str, known: wire.Snapshot) -> None:
        offered = known.tournament is not None and known.tournament.deals
        if (
            offered
            and known.your_seat is not None
            and not self.world.dice.quiet
            and self.stream.random() < 0.3
        ):
            self.wish(wire.GetDeal(id=0, table=table))

    def _consider_deal(self, table: str) -> None:
        """Answer a deal in a while: most clients accept, some refuse or go away, others are silent."""
        known = self.session.tables.get(table)
        deal = known.tournament.deal if isinstance(known, wire.Snapshot) and known.tournament else None
        if known is None or deal is None or deal.deal is None:
            return
        own = next((share for share in deal.shares if share.seat == known.your_seat), None)
        if own is None or own.accepted:
            return
        roll = self.stream.random()
        request: wire.Request = wire.AnswerDeal(id=0, table=table, deal=deal.deal, accept=roll < 0.9)
        if roll > 0.97:
            request = wire.SitOut(id=0, table=table)
        if roll < 0.95 or roll > 0.97:
            self.world.clock.callLater(self.stream.uniform(0.1, 5), self.wish, request)

    def _leave(self, offer: str) -> None:
        self.wish(wire.UnregisterSng(id=0, offer=offer))

    def _whim(self) -> None:
        draw, tables = self.stream, sorted(self.session.tables)
        roll = draw.random()
        if roll < 0.05 and not self._scheduled():
            self._leave(draw.choice(self.plan.wanted))
        elif roll < 0.1:
            self.ask(wire.ListSitAndGos(id=0))
        if not tables:
            return
        table = draw.choice(tables)
        if roll < 0.3 and tournament_of(table) in self._next_rebuy:
            self._buy(tournament_of(table), draw.choice(["rebuy", "rebuy", "add_on"]))
        elif 0.1 < roll < 0.2:
            self.ask(wire.GetSnapshot(id=0, table=table))
        elif roll < 0.26:
            self.ask(wire.StandUp(id=0, table=table))
        elif roll < 0.32:
            self.ask(wire.GetStandings(id=0, tournament=table))
        elif roll < 0.36:
            self.ask(wire.TopUp(id=0, table=table, amount=100))
        elif roll < 0.4:
            self.ask(wire.Chat(id=0, table=table, text="good luck"))
