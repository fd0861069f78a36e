"""The tables of a tournament as its director knows them, and the seat plans that it sends them.

A plan has a number, and is sent when it says something new, or again when its table reports once more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from msgspec import structs

from pokerroom.ledger.tournaments import table_of
from pokerroom.rules.tournament.schedule import LengthUnit
from pokerroom.rules.tournament.state import PlacedPlayer, Tournament, TournamentPhase
from pokerroom.table.context import TableContext
from pokerroom.tournament import views
from pokerroom.tournament.messages import (
    DeskReport,
    HandOrder,
    PlannedDeals,
    PlannedPlace,
    PlannedSeat,
    PlayPhase,
    SeatOrigin,
    SeatPlan,
)
from pokerroom_protocol import messages as wire

ROUNDING_MS: Final = 20
"""An instant that has moved by less is told as before."""

_EPOCH_BITS: Final = 32
"""The numbers of messages begin with the epoch of their sender (`TableContext.first_seq`)."""

PLAY_PHASES: Final[dict[TournamentPhase, PlayPhase]] = {
    TournamentPhase.running: "running",
    TournamentPhase.finished: "finished",
    TournamentPhase.rolled_back: "rolled_back",
    TournamentPhase.rolled_forward: "rolled_forward",
}


@dataclass(slots=True, eq=False)
class DirectedTable:
    """What the director knows of a table, beside the rules."""

    number: int
    name: str
    report: DeskReport | None = None
    """The last one."""
    order: HandOrder | None = None
    """The order of the hand in progress, if it was given by this director."""
    plan: SeatPlan | None = None
    """The last one that was sent."""
    first: int = 0
    """The number of the first one that was sent."""
    closed: bool = False
    """Whether its players have moved away."""
    said: object = None
    """What the last plan followed from."""

    @property
    def rests(self) -> bool:
        """Whether no hand is in progress or ordered, as the table knows: an order of an earlier director is void."""
        report = self.report
        return (
            report is not None
            and report.seen >= self.first > 0
            and report.ready
            and not report.frozen
            and self.order is None
        )

    def has_lost_hand(self, report: DeskReport, last: DeskReport | None) -> bool:
        """Return whether a table that waits has lost its hand (I4), and does not just lack the plan with its order."""
        if self.order is None or last is None:
            return True  # ordered by a director before this one
        return report.taken >= self.order.id or report.number >> _EPOCH_BITS > last.number >> _EPOCH_BITS


@dataclass(frozen=True, slots=True, kw_only=True)
class Directed:
    """What the director says to all tables at a moment.

    `given` is the best number of a place that the ledger has given. `break_off` voids the hands in progress.
    """

    name: str
    tournament: Tournament
    names: Mapping[int, str]
    given: int
    break_off: bool
    on_break: bool
    break_until_ms: int | None
    told_end: bool
    origins: Mapping[int, SeatOrigin]
    """Where the players came from that this director has moved, by account."""
    deals: PlannedDeals | None = None


class SeatPlans:
    """Sends plans. `next_number` numbers them."""

    def __init__(self, context: TableContext, next_number: Callable[[], int]) -> None:
        self._context = context
        self._next_number = next_number
        self._given = 0
        """The best number of the places below."""
        self._placed: dict[int, list[PlacedPlayer]] = {}
        """By table: the places of its players that the ledger has."""
        self._common: object = None
        """What all plans followed from when they were sent last."""
        self._ends_ms: int | None = None
        """The end of the level as it was told."""

    def send(self, tables: Iterable[DirectedTable], directed: Directed, *, again: bool = False) -> None:
        """Send each table its plan if that says something new, or if it is sent `again`."""
        self._note_places(directed)
        common = _all_follow_from(directed)
        if common != self._common:
            self._common = common  # the same object until then: that is quick to compare
        for table in tables:
            said = self._follows_from(table, directed)
            if again or table.plan is None or said != table.said:
                table.said = said
                self._send(table, directed, again=again)

    def _send(self, table: DirectedTable, directed: Directed, *, again: bool) -> None:
        plan = self._plan(table, directed)
        if again or table.plan is None or _said(plan) != _said(table.plan):
            table.plan = structs.replace(plan, number=self._next_number())
            table.first = table.first or table.plan.number
            self._context.send(table.name, table.plan)

    def _follows_from(self, table: DirectedTable, directed: Directed) -> object:
        """Return all that a plan follows from, apart from times: it is compared for each table of a field."""
        return (
            self._common,
            () if table.closed else directed.tournament.indexed().left_at.get(table.number, ()),
            0 if table.report is None else table.report.number,
            None if table.order is None else table.order.id,
            table.closed,
            len(self._placed.get(table.number, ())),
        )

    def _note_places(self, directed: Directed) -> None:
        """Note the places that the ledger has got since, by the tables of their players."""
        if directed.given > self._given:
            self._given, self._placed = directed.tournament.terms.seats + 1, {}
        if directed.given < self._given:
            standings, index = directed.tournament.standings, directed.tournament.indexed()
            for one in takewhile(lambda one: one.number < self._given, standings):
                if one.number >= directed.given:
                    self._placed.setdefault(index.player(one.account).table, []).append(one)
            self._given = directed.given

    def _places(self, table: DirectedTable, directed: Directed) -> list[PlannedPlace]:
        """Return the places that a table is told: those of its own players, and the best ones of all.

        A tournament that was rolled back has none any more.
        """
        best = list(takewhile(lambda one: one.number <= views.PLACES_TOLD, directed.tournament.standings))
        found = {one.number: one for one in (*self._placed.get(table.number, ()), *best)}
        standings = [found[number] for number in sorted(found)] if directed.tournament.standings else []
        return views.planned_places(
            directed.tournament, standings, directed.names, directed.given, table.number
        )

    def _plan(self, table: DirectedTable, directed: Directed) -> SeatPlan:
        tournament = directed.tournament
        deciding = [tournament.indexed().player(account) for account in tournament.deciding]
        staying = [player for player in deciding if player.table == table.number]
        players = () if table.closed else (*tournament.left_at(table.number), *staying)
        seats = sorted(players, key=lambda player: player.seat)
        return SeatPlan(
            table=table.name,
            number=0,
            answers=0 if table.report is None else table.report.number,
            seats=[
                PlannedSeat(
                    account=player.account,
                    seat=player.seat,
                    name=directed.names[player.account],
                    away=player.away,
                    chips=player.chips,
                    bought=tournament.chips_bought(player),
                    origin=directed.origins.get(player.account),
                )
                for player in seats
            ],
            order=table.order,
            break_off=directed.break_off,
            phase=PLAY_PHASES[tournament.phase] if directed.told_end else "running",
            level=self.steady_level(tournament),
            paused=tournament.paused,
            on_break=directed.on_break,
            break_until_ms=directed.break_until_ms,
            places=self._places(table, directed),
            closed=table.closed,
            moved=_moved_from(table.name, directed) if table.closed else [],
            out_leave=not tournament.entries_closed,
            players=len(tournament.players),
            prizes=list(tournament.fixed_prizes),
            deals=directed.deals,
        )

    def steady_level(self, tournament: Tournament) -> wire.LevelView:
        """Return the level with its end as it was told before, unless that has really moved.

        The end is computed from two clocks, each of which is rounded.
        """
        level = views.level_view(tournament, self._context.now_ms())
        before, now = self._ends_ms, level.ends_ms
        if before is not None and now is not None and abs(now - before) < ROUNDING_MS:
            return structs.replace(level, ends_ms=before)
        self._ends_ms = now
        return level


def _all_follow_from(directed: Directed) -> object:
    """Return what the plans of all tables follow from."""
    tournament, clock = directed.tournament, directed.tournament.clock
    return (
        tournament.deciding,
        directed.given if directed.given <= views.PLACES_TOLD else None,
        (clock.level, tournament.terms.schedule.unit is LengthUnit.hands and clock.used),
        (tournament.paused, directed.on_break, bool(clock.break_left_ms)),
        (directed.break_off, directed.told_end and tournament.phase),
        (tournament.entries_closed, len(tournament.players), tournament.fixed_prizes),
        directed.deals,
    )


def _moved_from(table: str, directed: Directed) -> list[wire.MovedPlayer]:
    """Return where the players of a closed table sit now, of those that came from it with their last move."""
    tournament, origins = directed.tournament, directed.origins
    return [
        wire.MovedPlayer(
            name=directed.names[player.account],
            table=table_of(directed.name, player.table),
            seat=player.seat,
        )
        for player in tournament.left()
        if player.account in origins and origins[player.account].table == table
    ]


def _said(plan: SeatPlan) -> SeatPlan:
    """Return what a plan says that a table must know at once: times on the clock of the wall follow from the rest."""
    level = structs.replace(plan.level, ends_ms=None)
    return structs.replace(plan, number=0, level=level, break_until_ms=None)
