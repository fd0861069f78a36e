"""Tournaments in PostgreSQL: see `TournamentLedger`. Functions of `schema/functions/tournaments.sql` decide."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, LiteralString

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.chips import Chips, Money
from pokerroom.ledger.chip_sales import ChipPurchase, ChipSale, PurchaseRow
from pokerroom.ledger.postgres.calls import array
from pokerroom.ledger.postgres.chip_sales import PostgresChipSales
from pokerroom.ledger.shared_reads import SharedReads
from pokerroom.ledger.tickets import TicketPrize
from pokerroom.ledger.tournament_entries import EntryRow
from pokerroom.ledger.tournaments import (
    BountyRow,
    DealRow,
    LateSeat,
    Opening,
    Phase,
    PlaceGiven,
    PlaceRow,
    PrizePaid,
    ScheduledStart,
    SeatChange,
    TableRow,
    TournamentRow,
    table_of,
)

OPENING: Final[LiteralString] = (
    "id, offer, tournaments.number, seats, buy_in, fee, prizes, terms::text, starts_ms, players_min, entries_max,"
    " guarantee, bounty, bounty_cash_bps, ticket_offer, ticket_value, ticket_days, sales_of(tournaments.id)"
)
"""The columns that `opening` reads."""

OPEN: Final[LiteralString] = (
    "open_tournament(%s, %s, %s, %s::smallint, %s, %s, %s::bigint[], %s::json, %s::bigint, %s, %s,"
    " %s::bigint, %s::bigint, %s, %s, %s::bigint, %s, %s::jsonb)"
)
"""The call that opens a tournament, with the values of `values_of`."""

TOURNAMENT: Final[LiteralString] = (
    f"SELECT {OPENING}, phase, (extract(epoch FROM created) * 1000)::bigint,"  # noqa: S608 -- of this module
    " (extract(epoch FROM started) * 1000)::bigint, (extract(epoch FROM ended) * 1000)::bigint, paused,"
    " (SELECT coalesce(json_agg(json_build_array(account, entry.number, returned, seat, chips, chips_before, hands,"
    "  replaced, out_in, head, bought, gone)"
    "  ORDER BY entry.id), '[]') FROM tournament_entries AS entry WHERE entry.tournament = tournaments.id),"
    " (SELECT coalesce(json_agg(json_build_array(given.number, place, account, prize, paid IS NOT NULL)"
    "  ORDER BY given.number), '[]') FROM tournament_places AS given WHERE given.tournament = tournaments.id),"
    " (SELECT coalesce(json_agg(json_build_array(t.number, hands, closed) ORDER BY t.number), '[]')"
    "  FROM tournament_tables AS t WHERE t.tournament = tournaments.id),"
    " (SELECT coalesce(json_agg(json_build_array(account, won.number, winner, cash, on_head)"
    "  ORDER BY transfer, position), '[]') FROM tournament_bounties AS won WHERE won.tournament = tournaments.id),"
    " (SELECT json_build_array(proposer, kind, for_the_winner, hands, accounts, stacks, amounts, accepted_ms)"
    "  FROM tournament_deals AS deal WHERE deal.tournament = tournaments.id),"
    " (SELECT coalesce(json_agg(json_build_array(account, kind, p.number, p.entry, table_number, hands)"
    "  ORDER BY p.id), '[]')"
    "  FROM tournament_purchases AS p WHERE p.tournament = tournaments.id),"
    " on_sale(tournaments)"
    " FROM tournaments "
)
"""What `tournament_row` reads."""


def values_of(opening: Opening) -> tuple[object, ...]:
    """Return the values of `OPEN`."""
    return (
        opening.tournament,
        opening.offer,
        opening.number,
        opening.seats,
        opening.buy_in,
        opening.fee,
        array(opening.prizes),
        opening.terms.decode(),
        *(
            [None] * 4
            if opening.scheduled is None
            else [
                opening.scheduled.starts_ms,
                opening.scheduled.players_min,
                opening.scheduled.entries_max,
                opening.scheduled.guarantee,
            ]
        ),
        opening.bounty,
        opening.bounty_cash_bps,
        *(
            [None, 0, 0]
            if opening.ticket is None
            else [opening.ticket.offer, opening.ticket.value, opening.ticket.days]
        ),
        json.dumps([[one.kind, one.prize, one.fee, one.chips, one.most] for one in opening.sales]),
    )


class PostgresTournaments(PostgresChipSales):
    """`TournamentLedger` over the connections of a ledger."""

    def __init__(self, url: str, owner_url: str | None = None, *, wait_s: float = 5.0) -> None:
        super().__init__(url, owner_url, wait_s=wait_s)
        self._tournament_reads = SharedReads(self._read_tournament)

    def open_tournament(self, opening: Opening) -> Deferred[None]:
        return deferred(self._done("SELECT " + OPEN, *values_of(opening)))

    def scheduled_tournaments(self, ended_since_ms: int) -> Deferred[list[TournamentRow]]:
        where = (
            "WHERE starts_ms IS NOT NULL AND NOT is_private(id)"
            " AND (phase IN ('registering', 'running') OR (extract(epoch FROM ended) * 1000)::bigint >= %s)"
            " ORDER BY starts_ms, id"
        )
        return deferred(self._found(where, ended_since_ms))

    def due_tournaments(self, until_ms: int) -> Deferred[list[TournamentRow]]:
        where = "WHERE phase = 'registering' AND starts_ms <= %s ORDER BY starts_ms, id"
        return deferred(self._found(where, until_ms))

    def opened_starts(self, offer: str, since_ms: int) -> Deferred[list[int]]:

        async def found() -> list[int]:
            starts = (
                "SELECT starts_ms FROM tournaments WHERE offer = %s AND starts_ms >= %s ORDER BY starts_ms"
            )
            return [row[0] for row in await self._rows(starts, offer, since_ms)]

        return deferred(found())

    async def _found(self, where: LiteralString, *values: object) -> list[TournamentRow]:
        return [tournament_row(row) for row in await self._rows(TOURNAMENT + where, *values)]

    def tournament(self, tournament: str) -> Deferred[TournamentRow]:
        return self._tournament_reads.ask(tournament)

    def _read_tournament(self, tournament: str) -> Deferred[TournamentRow]:

        async def found() -> TournamentRow:
            row = await self._row(TOURNAMENT + "WHERE id = %s", tournament)
            if row is None:
                raise LookupError(f"there is no tournament {tournament}")
            return tournament_row(row)

        return deferred(found())

    def entry_of(self, tournament: str, account: int) -> Deferred[tuple[Phase, int | None]]:

        async def found() -> tuple[Phase, int | None]:
            row = await self._row(
                "SELECT phase, (SELECT entry.number FROM tournament_entries AS entry"
                " WHERE tournament = tournaments.id AND account = %s AND NOT returned AND NOT replaced)"
                " FROM tournaments WHERE id = %s",
                account,
                tournament,
            )
            if row is None:
                raise LookupError(f"there is no tournament {tournament}")
            return row

        return deferred(found())

    def tournaments(self, offer: str, phase: Phase | None = None) -> Deferred[list[TournamentRow]]:

        async def found() -> list[TournamentRow]:
            going_on = "WHERE offer = %s AND phase IN ('registering', 'running') AND phase = ANY (%s) ORDER BY number"
            phases = ["registering", "running"] if phase is None else [phase]
            return [tournament_row(row) for row in await self._rows(TOURNAMENT + going_on, offer, phases)]

        return deferred(found())

    def running_tournaments(self) -> Deferred[list[str]]:
        return deferred(self._in_phase("running"))

    def running_tables(self) -> Deferred[list[str]]:

        async def found() -> list[str]:
            rows = await self._rows(
                "SELECT id, t.number FROM tournaments JOIN tournament_tables AS t ON t.tournament = id"
                " WHERE phase = 'running' AND NOT t.closed ORDER BY offer COLLATE \"C\", tournaments.number, t.number"
            )
            return [table_of(tournament, number) for tournament, number in rows]

        return deferred(found())

    def tournaments_to_show(self) -> Deferred[list[str]]:

        async def found() -> list[str]:
            left = (
                "SELECT id FROM table_owners JOIN tournaments ON id = table_id"
                " WHERE NOT over AND phase NOT IN ('registering', 'running') ORDER BY id COLLATE \"C\""
            )
            return [row[0] for row in await self._rows(left)]

        return deferred(found())

    def registering_tournaments(self) -> Deferred[list[str]]:
        return deferred(self._in_phase("registering"))

    async def _in_phase(self, phase: Phase) -> list[str]:
        going_on = (
            "SELECT id FROM tournaments WHERE phase IN ('registering', 'running') AND phase = %s"
            ' ORDER BY offer COLLATE "C", number'
        )
        return [row[0] for row in await self._rows(going_on, phase)]

    def last_number(self, offer: str) -> Deferred[int]:
        return deferred(
            self._value("SELECT coalesce(max(number), 0) FROM tournaments WHERE offer = %s", offer)
        )

    def enter(self, tournament: str, account: int, number: int) -> Deferred[bool]:
        return deferred(self._value("SELECT enter_tournament(%s, %s, %s)", tournament, account, number))

    def return_entry(self, tournament: str, account: int, number: int) -> Deferred[None]:
        return deferred(self._done("SELECT return_entry(%s, %s, %s)", tournament, account, number))

    def cancel_tournament(self, tournament: str) -> Deferred[None]:
        return deferred(self._done("SELECT cancel_tournament(%s)", tournament))

    def start_tournament(
        self, tournament: str, epoch: int, players: Sequence[int], stack: int
    ) -> Deferred[None]:
        start = "SELECT start_tournament(%s, %s, %s::bigint[], %s)"
        return deferred(self._done(start, tournament, epoch, array(players), stack))

    def unseated_entries(self, tournament: str) -> Deferred[list[tuple[int, int]]]:

        async def found() -> list[tuple[int, int]]:
            rows = await self._rows(
                "SELECT account, entry.number FROM tournament_entries AS entry"
                " JOIN tournaments ON tournaments.id = tournament"
                " WHERE tournament = %s AND seat IS NULL AND NOT returned AND phase = 'running' ORDER BY entry.id",
                tournament,
            )
            return [(account, number) for account, number in rows]

        return deferred(found())

    def seat_entries(self, tournament: str, epoch: int, seats: Sequence[LateSeat]) -> Deferred[None]:
        return deferred(
            self._done(
                "SELECT seat_entries(%s, %s, %s::bigint[], %s::integer[], %s::integer[])",
                tournament,
                epoch,
                array([one.account for one in seats]),
                array([one.number for one in seats]),
                array([one.seat for one in seats]),
            )
        )

    def close_entries(
        self, tournament: str, epoch: int, entries: int, prizes: Sequence[Money]
    ) -> Deferred[None]:
        close = "SELECT close_entries(%s, %s, %s, %s::bigint[])"
        return deferred(self._done(close, tournament, epoch, entries, array(prizes)))

    def move_players(self, tournament: str, epoch: int, moves: Sequence[SeatChange]) -> Deferred[None]:
        return deferred(
            self._done(
                "SELECT move_players(%s, %s, %s::bigint[], %s::integer[], %s::integer[])",
                tournament,
                epoch,
                array([move.account for move in moves]),
                array([move.seat for move in moves]),
                array([move.to for move in moves]),
            )
        )

    def agree_deal(self, tournament: str, epoch: int, deal: DealRow) -> Deferred[None]:
        return deferred(
            self._done(
                "SELECT agree_deal(%s, %s, %s, %s, %s, %s, %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[])",
                tournament,
                epoch,
                deal.proposer,
                deal.kind,
                deal.for_the_winner,
                deal.hands,
                array(deal.accounts),
                array(deal.stacks),
                array(deal.amounts),
                array(deal.accepted_ms),
            )
        )

    def give_places(
        self,
        tournament: str,
        epoch: int,
        best: int,
        places: Sequence[PlaceGiven],
        *,
        rolled_forward: bool = False,
    ) -> Deferred[None]:
        return deferred(
            self._done(
                "SELECT give_places(%s, %s, %s::smallint, %s::smallint[], %s::bigint[], %s::bigint[], %s)",
                tournament,
                epoch,
                best,
                array([given.place for given in places]),
                array([given.account for given in places]),
                array([given.prize for given in places]),
                "rolled_forward" if rolled_forward else "finished",
            )
        )

    def pause_tournament(self, tournament: str, epoch: int, *, paused: bool) -> Deferred[None]:
        return deferred(self._done("SELECT pause_tournament(%s, %s, %s)", tournament, epoch, paused))

    def roll_back_tournament(self, tournament: str, epoch: int) -> Deferred[None]:
        return deferred(self._done("SELECT roll_back_tournament(%s, %s)", tournament, epoch))

    def pay_place(self, tournament: str, number: int) -> Deferred[PrizePaid]:

        async def paid() -> PrizePaid:
            pay: LiteralString = "SELECT prize, ticket FROM pay_place(%s, %s::smallint)"
            row = await self._row(pay, tournament, number)
            assert row is not None, "a function with OUT parameters returns a row"
            prize, ticket = row
            return PrizePaid(prize=Money(prize), ticket=Money(ticket))

        return deferred(paid())

    def unpaid_places(self) -> Deferred[list[tuple[str, int]]]:

        async def found() -> list[tuple[str, int]]:
            rows = await self._rows(
                "SELECT tournament, number FROM tournament_places WHERE paid IS NULL AND prize > 0"
                ' ORDER BY tournament COLLATE "C", number'
            )
            return [(tournament, number) for tournament, number in rows]

        return deferred(found())


def opening(row: Sequence[Any]) -> Opening:
    """A row of `OPENING`."""
    (
        tournament,
        offer,
        number,
        seats,
        buy_in,
        fee,
        prizes,
        terms,
        *schedule,
        bounty,
        bounty_cash_bps,
        ticket_offer,
        ticket_value,
        ticket_days,
        sales,
    ) = row
    scheduled = None if schedule[0] is None else _scheduled(*schedule)
    return Opening(
        tournament=tournament,
        offer=offer,
        number=number,
        seats=seats,
        buy_in=Money(buy_in),
        fee=Money(fee),
        prizes=tuple(Money(prize) for prize in prizes) if scheduled is None else (),
        terms=terms.encode(),
        scheduled=scheduled,
        bounty=Money(bounty),
        bounty_cash_bps=bounty_cash_bps,
        sales=tuple(
            ChipSale(kind=kind, prize=Money(prize), fee=Money(sale_fee), chips=Chips(chips), most=most)
            for kind, prize, sale_fee, chips, most in sales
        ),
        ticket=None
        if ticket_offer is None
        else TicketPrize(offer=ticket_offer, value=Money(ticket_value), days=ticket_days),
    )


def tournament_row(row: tuple[Any, ...]) -> TournamentRow:
    """A row of `TOURNAMENT`."""
    *rest, entries, places, tables, bounties, deal, purchases, on_sale = row
    *opened, phase, opened_ms, started_ms, ended_ms, paused = rest
    terms = opening(opened)
    return TournamentRow(
        opening=terms,
        phase=phase,
        opened_ms=opened_ms,
        started_ms=started_ms,
        ended_ms=ended_ms,
        paused=paused,
        fixed_prizes=() if terms.scheduled is None else tuple(Money(prize) for prize in opened[6]),
        entries=tuple(
            EntryRow(
                account=account,
                number=entry,
                returned=returned,
                seat=seat,
                chips=chips,
                chips_before=chips_before,
                hands=hands,
                replaced=replaced,
                out_in=out_in,
                head=Money(head),
                bought=bought,
                gone=gone,
            )
            for (
                account,
                entry,
                returned,
                seat,
                chips,
                chips_before,
                hands,
                replaced,
                out_in,
                head,
                bought,
                gone,
            ) in entries
        ),
        places=tuple(
            PlaceRow(number=own, place=place, account=account, prize=Money(prize), paid=paid)
            for own, place, account, prize, paid in places
        ),
        tables=tuple(TableRow(number=own, hands=played, closed=closed) for own, played, closed in tables),
        bounties=tuple(
            BountyRow(account=account, number=entry, winner=winner, cash=Money(cash), on_head=Money(on_head))
            for account, entry, winner, cash, on_head in bounties
        ),
        deal=None if deal is None else _deal(deal),
        purchases=tuple(
            PurchaseRow(
                purchase=ChipPurchase(account=account, kind=kind, number=number),
                entry=entry,
                table=table,
                hands=hands,
            )
            for account, kind, number, entry, table, hands in purchases
        ),
        on_sale=frozenset(on_sale),
    )


def _deal(row: Sequence[Any]) -> DealRow:
    proposer, kind, for_the_winner, hands, accounts, stacks, amounts, accepted_ms = row
    return DealRow(
        proposer=proposer,
        kind=kind,
        for_the_winner=Money(for_the_winner),
        hands=hands,
        accounts=tuple(accounts),
        stacks=tuple(stacks),
        amounts=tuple(Money(amount) for amount in amounts),
        accepted_ms=tuple(accepted_ms),
    )


def _scheduled(starts_ms: int, players_min: int, entries_max: int, guarantee: int) -> ScheduledStart:
    return ScheduledStart(
        starts_ms=starts_ms, players_min=players_min, entries_max=entries_max, guarantee=Money(guarantee)
    )
