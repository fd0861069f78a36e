"""A tournament as its lobby shows it: state, ranks and tables, of the ledger's row and the clock. Reads no store."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import cast

from msgspec.structs import replace

from pokerroom.ledger.chip_sales import ChipSale
from pokerroom.ledger.hosted_tables import is_private
from pokerroom.ledger.tournament_entries import EntryRow, table_and_seat
from pokerroom.ledger.tournaments import TournamentRow, table_of
from pokerroom.rules.tournament.entries import EntryTerms
from pokerroom.rules.tournament.prize_table import seats_in
from pokerroom.tournament import views
from pokerroom.tournament.lobby_rows import levels_of, takes_entries
from pokerroom.tournament.messages import TournamentStatus
from pokerroom.tournament.offers import offer_of, prizes_so_far, terms_of
from pokerroom_protocol import messages as wire


def ranks_of(row: TournamentRow, names: Mapping[int, str]) -> dict[int, wire.TournamentRank]:
    """Return the rank of each account, the best first: players in by their chips, then players out by their places.

    Before the start they are in the order of registration. `names` has all accounts that are in it.
    """
    entries = [entry for entry in row.entries if entry.counts]
    if row.started_ms is None:
        return {
            entry.account: wire.TournamentRank(
                rank=None, name=names[entry.account], stack=None, status="registered"
            )
            for entry in entries
        }
    placed = {place.account: place for place in row.places}
    won = Counter[int]()
    for bounty in row.bounties:
        won[bounty.winner] += bounty.cash
    ranked = sorted(
        (entry for entry in entries if entry.account not in placed), key=lambda entry: -(entry.chips or 0)
    )
    ordered = [-(entry.chips or 0) for entry in ranked]
    by_account = {entry.account: entry for entry in entries}
    return {
        entry.account: replace(
            _rank(row, entry, names, rank=bisect_left(ordered, chips) + 1),
            head=entry.head,
            bounties=won[entry.account],
        )
        for entry, chips in zip(ranked, ordered, strict=True)
    } | {
        place.account: wire.TournamentRank(
            rank=place.place,
            name=names[place.account],
            stack=by_account[place.account].chips,
            status="out",
            place=place.place,
            prize=place.prize,
            bounties=won[place.account],
        )
        for place in row.places
    }


def _rank(row: TournamentRow, entry: EntryRow, names: Mapping[int, str], *, rank: int) -> wire.TournamentRank:
    name = names[entry.account]
    if entry.seat is None and row.phase == "running":  # a late entry: its seat is about to be drawn
        return wire.TournamentRank(rank=None, name=name, stack=None, status="registered")
    if not entry.chips or not entry.seat or row.phase != "running":
        return wire.TournamentRank(rank=rank, name=name, stack=entry.chips, status="out")
    number, seat = table_and_seat(entry.seat)
    return wire.TournamentRank(
        rank=rank,
        name=name,
        stack=entry.chips,
        table=table_of(row.opening.tournament, number),
        seat=seat,
        status="playing",
    )


def tables_of(row: TournamentRow) -> list[wire.TournamentTable]:
    """Return the open tables, by their numbers."""
    if row.phase != "running":
        return []
    stacks: dict[int, list[int]] = {table.number: [] for table in row.tables if not table.closed}
    for entry in row.entries:
        number = table_and_seat(entry.seat)[0] if entry.seat and entry.chips else 0
        if number in stacks:
            stacks[number].append(entry.chips or 0)
    return [
        wire.TournamentTable(
            table=table_of(row.opening.tournament, number),
            players=len(held),
            smallest=min(held, default=0),
            largest=max(held, default=0),
            average=sum(held) // len(held) if held else 0,
        )
        for number, held in sorted(stacks.items())
    ]


def state_of(
    row: TournamentRow,
    ranks: Mapping[int, wire.TournamentRank],
    tables: Sequence[wire.TournamentTable],
    status: TournamentStatus | None,
    *,
    account: int,
    re: int,
) -> wire.TournamentState:
    """Return the answer to a request of this account."""
    opening, offer = row.opening, offer_of(row.opening)
    terms = terms_of(offer)
    held = [rank.stack for rank in ranks.values() if rank.status == "playing" and rank.stack]
    left = len(ranks) if row.phase == "registering" else len(held)
    scheduled, brought = opening.scheduled, row.brought
    due = row.prizes or prizes_so_far(terms, entries=row.bought, players=len(row.players), bought=brought)
    prizes = [prize for prize in due if prize]  # none where entries are free
    clock = status if row.phase == "running" else None
    number = 0 if clock is None else clock.level.level
    by_place = row.phase == "running" and row.deal is None and 0 < left <= len(prizes)
    return wire.TournamentState(
        re=re,
        tournament=opening.tournament,
        offer=opening.offer,
        name=opening.named(offer.name),
        phase=row.phase,
        game=cast("wire.Game", offer.game),
        structure=cast("wire.Structure", offer.structure),
        seats=opening.seats,
        table_seats=terms.table_seats,
        buy_in=opening.buy_in,
        fee=opening.fee,
        bounty=opening.bounty,
        bounty_kind=opening.bounty_kind,
        starting_stack=offer.starting_stack,
        level_unit="seconds" if offer.levels_timed else "hands",
        levels=levels_of(offer),
        started_ms=row.started_ms,
        ended_ms=row.ended_ms,
        starts_ms=None if scheduled is None or is_private(opening.offer) else scheduled.starts_ms,
        registration_open=takes_entries(row),
        late_levels=0 if terms.entries is None else terms.entries.late_levels,
        entries_max=1 if scheduled is None else scheduled.entries_max,
        entries=row.bought,
        players=len(row.players),
        left=left,
        tables=len(tables),
        chips=sum(held),
        average=sum(held) // len(held) if held else None,
        largest=max(held, default=None),
        smallest=min(held, default=None),
        level=None if clock is None else clock.level,
        next_level=(
            views.level_numbered(terms.schedule, number + 1)
            if 0 < number < len(terms.schedule.levels)
            else None
        ),
        paused=row.paused,
        break_until_ms=None if clock is None else clock.break_until_ms,
        hand_for_hand=clock is not None and clock.hand_for_hand,
        guarantee=0 if scheduled is None else scheduled.guarantee,
        overlay=_overlay(row, sum(prizes)),
        pool=sum(prizes),
        prizes=list(prizes),
        provisional=scheduled is not None and not row.closed,
        next_payout=prizes[left - 1] if by_place else None,
        you=ranks.get(account),
        sales=[_sale_of(row, sale, account, terms.entries) for sale in opening.sales]
        if terms.entries is not None
        else [],
        satellite=None
        if opening.ticket is None
        else wire.SatelliteSeats(
            offer=opening.ticket.offer,
            value=opening.ticket.value,
            seats=seats_in(prizes, opening.ticket.value),
        ),
        deals=None
        if terms.deals is None
        else wire.DealBounds(players_max=terms.deals.players_max, leave_bps=terms.deals.leave_bps),
        hand_for_hand_ties=terms.ties.value,
    )


def _overlay(row: TournamentRow, pool: int) -> int:
    """Return what the house adds by the entries so far; in a satellite it is for its seats."""
    start = row.opening.scheduled
    if start is None:
        return 0
    due = start.guarantee if row.opening.ticket is None else pool
    return max(0, due - row.brought)


def _sale_of(row: TournamentRow, sale: ChipSale, account: int, terms: EntryTerms) -> wire.ChipSaleState:
    """Return what is sold, as this account sees it."""
    own = [one for one in row.purchases if one.purchase.account == account]
    yours = sum(one.purchase.kind == sale.kind for one in own)
    entry = next((one for one in row.entries if one.account == account and one.counts and one.seat), None)
    sells = sale.kind in row.on_sale and row.phase == "running" and not row.closed
    stack_max = terms.stack_for_rebuy if sale.kind == "rebuy" else None
    fits = entry is not None and not entry.gone and _fits(entry.chips or 0, stack_max)
    return wire.ChipSaleState(
        kind=sale.kind,
        price=sale.price,
        fee=sale.fee,
        chips=sale.chips,
        most=sale.most,
        levels=terms.rebuy_levels,
        stack_max=stack_max,
        sold=row.bought_of(sale.kind),
        yours=yours,
        open_to_you=sells and fits and yours < sale.most and all(one.given for one in own),
    )


def _fits(chips: int, stack_max: int | None) -> bool:
    """Return whether a player with so many chips can buy a rebuy, or without a bound the add-on."""
    return chips > 0 if stack_max is None else chips <= stack_max
