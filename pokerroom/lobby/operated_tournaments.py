"""What the operator sees of sit-and-gos and may ask of them, as one node does it. Knows no port and no HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from twisted.internet.defer import Deferred

from pokerroom.ledger.tournaments import RegistrationClosed, TournamentLedger, TournamentRow
from pokerroom.ops.reports import (
    OrderRefused,
    SitAndGoAccepted,
    SitAndGoAsked,
    SitAndGoDetail,
    SitAndGoEntry,
    SitAndGoPlace,
    SitAndGoReport,
)
from pokerroom.table import operator_orders
from pokerroom.table.api import TableActor, TournamentActor
from pokerroom.tournament.desk import Desk, UnknownTournament

_ENDED_AS: dict[SitAndGoAsked, str] = {"roll_back": "rolled_back", "roll_forward": "rolled_forward"}


class OperatedTournaments:
    """Keeps `ops.sit_and_go_pages.OperatedSitAndGos` for the tournaments of the room.

    What runs at this node is found in its lobby; a tournament's table has its id.
    """

    def __init__(self, local: Mapping[str, TableActor], ledger: TournamentLedger, desk: Desk) -> None:
        self._local = local
        self._ledger = ledger
        self._desk = desk

    def going_on(self) -> Deferred[list[SitAndGoReport]]:
        """See `OperatedSitAndGos`."""
        return Deferred.fromCoroutine(self._going_on())

    def one(self, tournament: str) -> Deferred[SitAndGoDetail]:
        """See `OperatedSitAndGos`."""
        return Deferred.fromCoroutine(self._one(tournament))

    def order(self, tournament: str, asked: SitAndGoAsked) -> Deferred[SitAndGoAccepted]:
        """See `OperatedSitAndGos`."""
        return Deferred.fromCoroutine(self._order(tournament, asked))

    async def _going_on(self) -> list[SitAndGoReport]:
        names = await self._ledger.registering_tournaments() + await self._ledger.running_tournaments()
        offers = dict.fromkeys([*self._desk.offers, *(name.rpartition(".")[0] for name in names)])
        return [_report(row) for offer in offers for row in await self._ledger.tournaments(offer)]

    async def _one(self, tournament: str) -> SitAndGoDetail:
        row = await self._found(tournament)
        names = await self._ledger.account_names(sorted({entry.account for entry in row.entries}))
        return SitAndGoDetail(
            report=_report(row),
            fee=row.opening.fee,
            prizes=row.opening.prizes,
            entries=tuple(
                SitAndGoEntry(
                    account=entry.account,
                    name=names[entry.account],
                    returned=entry.returned,
                    seat=entry.seat,
                    chips=entry.chips,
                )
                for entry in sorted(row.entries, key=lambda entry: entry.seat or 0)
            ),
            places=tuple(
                SitAndGoPlace(
                    number=given.number,
                    place=given.place,
                    account=given.account,
                    name=names[given.account],
                    prize=given.prize,
                    paid=given.paid,
                )
                for given in row.places
            ),
        )

    async def _order(self, tournament: str, asked: SitAndGoAsked) -> SitAndGoAccepted:
        row = await self._found(tournament)
        if asked == "cancel":
            await self._cancel(row)
        elif row.phase == "running":
            await self._of_its_owner(row, asked)
        elif row.phase != _ENDED_AS.get(asked):  # else it is done: by an order whose answer was lost
            detail = "It has not started: cancel it." if row.phase == "registering" else f"It is {row.phase}."
            raise OrderRefused("tournament_not_running", detail)
        return SitAndGoAccepted(tournament=tournament, asked=asked)

    async def _cancel(self, row: TournamentRow) -> None:
        try:
            await self._desk.cancel(row.opening.tournament)
        except RegistrationClosed as closed:
            starts = row.phase in {"registering", "running"}
            detail = "It has started: roll it back, or forward." if starts else f"It is {row.phase}."
            raise OrderRefused(closed.code, detail) from closed

    async def _of_its_owner(self, row: TournamentRow, asked: SitAndGoAsked) -> None:
        table = self._local.get(row.opening.tournament)
        if table is None:
            raise OrderRefused("table_elsewhere", "The tournament does not run at this node.")
        actor = cast("TournamentActor", table)
        try:
            match asked:
                case "pause":
                    await actor.pause()
                case "resume":
                    await actor.unpause()
                case "roll_forward":
                    await actor.roll_forward()
                case "roll_back":
                    await actor.roll_back()
                    self._desk.refunded(row, "rolled_back")
                case "cancel":
                    raise AssertionError("cancelling is anybody's")
        except operator_orders.OrderRefused as refused:
            raise OrderRefused(refused.code, str(refused)) from refused

    async def _found(self, tournament: str) -> TournamentRow:
        try:
            return await self._desk.found(tournament)
        except UnknownTournament as unknown:
            raise OrderRefused(unknown.code, "There is no such tournament, and never was one.") from unknown


def _report(row: TournamentRow) -> SitAndGoReport:
    opening, taken = row.opening, len(row.players)
    return SitAndGoReport(
        tournament=opening.tournament,
        offer=opening.offer,
        phase=row.phase,
        seats=opening.seats,
        taken=taken,
        left=taken - len(row.places),
        buy_in=opening.buy_in,
    )
