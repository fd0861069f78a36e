"""The start of a tournament at its owner: the ledger returns its state, and a full tournament is started."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import structlog

from pokerroom.ledger.api import LedgerConflict
from pokerroom.ledger.retry import until_known
from pokerroom.ledger.tournament_entries import seat_number
from pokerroom.ledger.tournaments import NotFull, TournamentRow
from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.state import Tournament
from pokerroom.table.context import TableContext
from pokerroom.tournament.restore import is_closed
from pokerroom.tournament.settings import TournamentSettings

TournamentRows = tuple[TournamentRow, Mapping[int, str]]
"""The tournament as the ledger has it, and the names of its players."""


async def rows_of(settings: TournamentSettings, context: TableContext) -> TournamentRows:
    """Return the ledger's state of a tournament; wait for it as long as it takes."""
    row = await until_known(context.clock, partial(context.ledger.tournament, settings.tournament))
    names = await until_known(context.clock, partial(context.ledger.account_names, row.players))
    return row, names


async def rows_at(settings: TournamentSettings, context: TableContext) -> TournamentRows:
    """Return the ledger's state for one table, with the names of its own players alone while it is played at."""
    row = await until_known(context.clock, partial(context.ledger.tournament, settings.tournament))
    here = sorted({entry.account for entry in row.seated.ever_at(settings.number)})
    known = row.players if is_closed(row, settings.number) else here
    return row, await until_known(context.clock, partial(context.ledger.account_names, known))


async def started(settings: TournamentSettings, context: TableContext) -> TournamentRows:
    """Return the ledger's state, once the tournament has started; start it if need be.

    Raises as `start_tournament` does.
    """
    found = await rows_of(settings, context)
    while found[0].phase == "registering":
        before = found[0].players
        try:
            await _start(settings, context, found[0])
        except LedgerConflict:  # an account may have left meanwhile, and another one entered
            found = await rows_of(settings, context)
            if found[0].players == before:
                raise
        else:
            found = await rows_of(settings, context)
    return found


async def _start(settings: TournamentSettings, context: TableContext, row: TournamentRow) -> None:
    terms, name = settings.terms, settings.tournament
    needed = terms.seats if terms.entries is None else terms.entries.players_min
    if len(row.players) < needed:
        raise NotFull(f"{name} has {len(row.players)} of {terms.seats} players")
    full = Tournament(terms=terms, registered=row.players)
    running = rules.start(full, context.random_bytes)
    by_seat = {seat_number(player.table, player.seat): player.account for player in running.players}
    drawn = [by_seat.get(number, 0) for number in range(1, max(by_seat) + 1)]
    start = partial(context.ledger.start_tournament, name, context.epoch, drawn, terms.starting_stack)
    await until_known(context.clock, start)
    structlog.get_logger().info("tournament.started", tournament=name, players=len(by_seat))
