"""Sit-and-gos for the operator, as one node sees them: reports, and the handlers of orders to them.

Knows no port and no HTTP. Orders are declared in `ops.operator_commands.TOURNAMENTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final, cast

from pokerroom.bridge import as_deferred
from pokerroom.ledger.tournament_entries import EntryRow, table_and_seat
from pokerroom.ledger.tournaments import RegistrationClosed, TournamentLedger, TournamentRow, owned_as
from pokerroom.ops.operator_commands import TOURNAMENTS
from pokerroom.ops.reports import (
    OrderRefused,
    SitAndGoAccepted,
    SitAndGoDetail,
    SitAndGoEntry,
    SitAndGoPlace,
    SitAndGoReport,
)
from pokerroom.table.actor import TableActor
from pokerroom.tournament.actor import TournamentActor
from pokerroom.tournament.registration import RegistrationService, UnknownTournament

_ENDED_AS: Final = {"roll_back": "rolled_back", "roll_forward": "rolled_forward"}
"""The phase of a tournament after an order that ends it."""


class OperatedTournaments:
    """A `TournamentsPort` for the tournaments of the room.

    `local` are the tables of this node, and the tournaments themselves.
    """

    def __init__(
        self, local: Mapping[str, TableActor], ledger: TournamentLedger, registration: RegistrationService
    ) -> None:
        self._local = local
        self._ledger = ledger
        self._registration = registration
        self._handlers: dict[str, Callable[[TournamentRow], Coroutine[Any, Any, None]]] = {
            "cancel": self._cancel,
            "pause": self._pause,
            "resume": self._resume,
            "roll_back": self._roll_back,
            "roll_forward": self._roll_forward,
        }
        assert self._handlers.keys() == {order.name for order in TOURNAMENTS.orders}

    @as_deferred
    async def going_on(self) -> list[SitAndGoReport]:
        names = await self._ledger.registering_tournaments() + await self._ledger.running_tournaments()
        offers = dict.fromkeys([*self._registration.offers, *(name.rpartition(".")[0] for name in names)])
        return [_report(row) for offer in offers for row in await self._ledger.tournaments(offer)]

    @as_deferred
    async def one(self, tournament: str) -> SitAndGoDetail:
        row = await self._found(tournament)
        names = await self._ledger.account_names(sorted({entry.account for entry in row.entries}))
        return SitAndGoDetail(
            report=_report(row),
            fee=row.opening.fee,
            prizes=row.prizes,
            entries=tuple(
                _entry(entry, names[entry.account])
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

    def owned_as(self, tournament: str) -> str:
        return owned_as(tournament)

    @as_deferred
    async def order(self, tournament: str, order: str) -> SitAndGoAccepted:
        row = await self._found(tournament)
        if order == "cancel" or row.phase == "running":
            await self._handlers[order](row)
        elif row.phase != _ENDED_AS.get(order):  # otherwise it is done: by an order with a lost answer
            detail = (
                "The tournament has not started, so there is nothing to stop or to go on with. You can cancel it."
                if row.phase == "registering"
                else f"The tournament is {row.phase}."
            )
            raise OrderRefused("tournament_not_running", detail)
        return SitAndGoAccepted(tournament=tournament, asked=order)

    # --- the handlers ---------------------------------------------------------------------------------------------

    async def _cancel(self, row: TournamentRow) -> None:
        try:
            await self._registration.cancel(row.opening.tournament)
        except RegistrationClosed as closed:
            starts = row.phase in {"registering", "running"}
            detail = (
                "The tournament has started. Roll it back or forward."
                if starts
                else f"The tournament is {row.phase}."
            )
            raise OrderRefused(closed.code, detail) from closed

    async def _pause(self, row: TournamentRow) -> None:
        await self._actor(row).pause()

    async def _resume(self, row: TournamentRow) -> None:
        await self._actor(row).unpause()

    async def _roll_back(self, row: TournamentRow) -> None:
        await self._actor(row).roll_back()
        self._registration.refunded(row, "rolled_back")

    async def _roll_forward(self, row: TournamentRow) -> None:
        await self._actor(row).roll_forward()

    def _actor(self, row: TournamentRow) -> TournamentActor:
        actor = self._local.get(owned_as(row.opening.tournament))
        if actor is None:
            raise OrderRefused("table_elsewhere", "The tournament does not run at this node.")
        return cast("TournamentActor", actor)

    async def _found(self, tournament: str) -> TournamentRow:
        try:
            return await self._registration.found(tournament)
        except UnknownTournament as unknown:
            raise OrderRefused(
                unknown.code, "There is no such tournament. See `pokerroom sng list`."
            ) from unknown


def _entry(entry: EntryRow, name: str) -> SitAndGoEntry:
    table, seat = (None, None) if entry.seat is None else table_and_seat(entry.seat)
    return SitAndGoEntry(
        account=entry.account, name=name, returned=entry.returned, table=table, seat=seat, chips=entry.chips
    )


def _report(row: TournamentRow) -> SitAndGoReport:
    opening, placed = row.opening, {given.account for given in row.places}
    return SitAndGoReport(
        tournament=opening.tournament,
        offer=opening.offer,
        phase=row.phase,
        seats=opening.seats,
        taken=len(row.players),
        left=sum(entry.counts and entry.chips != 0 and entry.account not in placed for entry in row.entries),
        buy_in=opening.buy_in,
        tables=sum(not table.closed for table in row.tables),
        starts_ms=None if opening.scheduled is None else opening.scheduled.starts_ms,
    )
