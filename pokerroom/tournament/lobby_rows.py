"""Lobby rows of tournaments: of each offer that starts when full, of each with a start; standings. Reads no store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, cast

from pokerroom.coordination.registrations import RegistrationBook
from pokerroom.ledger.tournament_entries import EntryRow, table_and_seat
from pokerroom.ledger.tournaments import TournamentRow
from pokerroom.ops.config_sit_and_go import SitAndGoConfig
from pokerroom.ops.config_tournament_play import LevelConfig, TournamentPlayConfig
from pokerroom.tournament.offers import scheduled_offer_of
from pokerroom_protocol import messages as wire
from pokerroom_protocol.messages import Game, Structure

RUNNING_MAX: Final = 100
"""The maximum number of running tournaments in the row of an offer; the newest are shown."""


def row_of(
    offer: SitAndGoConfig, book: RegistrationBook, running: Sequence[TournamentRow], account: int | None
) -> wire.SitAndGoInfo:
    """Return the row of one offer, as this account sees it (None: not logged in)."""
    own = None if account is None else book.of(account)
    return wire.SitAndGoInfo(
        offer=offer.id,
        name=offer.name,
        game=cast("Game", offer.game),
        structure=cast("Structure", offer.structure),
        seats=offer.seats,
        buy_in=offer.buy_in,
        fee=offer.fee,
        prizes=list(offer.prizes),
        starting_stack=offer.starting_stack,
        level_unit="seconds" if offer.levels_timed else "hands",
        levels=levels_of(offer),
        filling=[
            wire.SngFilling(tournament=f"{offer.id}.{one.number}", taken=one.taken)
            for one in book.tournaments
        ],
        next=f"{offer.id}.{min((one.number for one in book.tournaments), default=book.next)}",
        running=[
            wire.SngRunning(tournament=row.opening.tournament, left=row.opening.seats - len(row.places))
            for row in running[-RUNNING_MAX:]
        ],
        running_count=len(running),
        # a seat that is only held is not paid for, and may be given up
        your_tournament=(
            f"{offer.id}.{own[0].number}" if own is not None and own[1].held_until_ms is None else None
        ),
        house_bots=offer.house_bots,
        deals=offer.deals,
    )


def scheduled_row_of(row: TournamentRow, account: int | None) -> wire.ScheduledTournament:
    """Return the row of a tournament with a start, as this account sees it (None: not logged in)."""
    opening, offer = row.opening, scheduled_offer_of(row.opening)
    assert opening.scheduled is not None
    entries = [entry for entry in row.entries if not entry.returned]
    own = [entry for entry in entries if entry.account == account]
    return wire.ScheduledTournament(
        tournament=opening.tournament,
        offer=offer.id,
        name=opening.named(offer.name),
        game=cast("Game", offer.game),
        structure=cast("Structure", offer.structure),
        phase=row.phase,
        starts_ms=opening.scheduled.starts_ms,
        ended_ms=row.ended_ms,
        registration_open=takes_entries(row),
        late_levels=offer.late_levels,
        seats_per_table=offer.seats_per_table,
        players_min=offer.players_min,
        players_max=offer.players_max,
        entries_max=offer.entries_max,
        buy_in=opening.buy_in,
        fee=opening.fee,
        bounty=opening.bounty,
        bounty_kind=opening.bounty_kind,
        guarantee=opening.scheduled.guarantee,
        starting_stack=offer.starting_stack,
        level_unit="seconds" if offer.levels_timed else "hands",
        level_length=offer.levels[0].length,
        entries=len(entries),
        players=len(row.players),
        left=sum(entry.counts and entry.chips != 0 for entry in entries) if row.ended_ms is None else 0,
        pool=sum(row.prizes) or max(opening.scheduled.guarantee, row.brought),
        house_bots=offer.house_bots,
        your_entries=len(own),
        your_status=_status(own),
        satellite_to=offer.satellite_to or None,
        ticket_value=offer.ticket_value,
        rebuys_max=offer.rebuys_max,
        rebuy_price=offer.rebuy_price,
        add_on_price=offer.add_on_price,
        deals=offer.deals,
    )


def takes_entries(row: TournamentRow) -> bool:
    """Return whether an account can enter."""
    if row.phase == "registering":
        return row.opening.scheduled is not None or len(row.players) < row.opening.seats
    if row.opening.scheduled is None:
        return False
    return (
        row.phase == "running"
        and not row.closed
        and "entry" in row.on_sale
        and scheduled_offer_of(row.opening).late_levels > 0
    )


def _status(own: Sequence[EntryRow]) -> Literal["registered", "playing", "out"] | None:
    """Return the state of an account's last entry, by all of its entries."""
    last = next((entry for entry in own if entry.counts), None)
    if last is None:
        return None
    return "registered" if last.seat is None else "playing" if last.chips else "out"


def standings_of(row: TournamentRow, names: Mapping[int, str], asked: wire.GetStandings) -> wire.Standings:
    """Return the part of the standings that is asked for; `names` has all accounts that are in the tournament."""
    opening = row.opening
    entries = sorted((entry for entry in row.entries if entry.counts), key=lambda entry: entry.seat or 0)
    page = slice(asked.offset, asked.offset + asked.count)
    return wire.Standings(
        re=asked.id,
        tournament=opening.tournament,
        offer=opening.offer,
        phase=row.phase,
        seats=opening.seats,
        buy_in=opening.buy_in,
        fee=opening.fee,
        prizes=list(row.prizes),
        players=[
            wire.SngPlayer(
                name=names[entry.account],
                seat=None if entry.seat is None else table_and_seat(entry.seat)[1],
                stack=entry.chips,
            )
            for entry in entries[page]
        ],
        places=[
            wire.SngPlace(
                number=given.number,
                place=given.place,
                name=names[given.account],
                prize=given.prize,
                paid=given.paid,
            )
            for given in row.places[page]
        ],
        total=len(entries),
        offset=asked.offset,
    )


def levels_of(offer: TournamentPlayConfig) -> list[wire.SngLevel]:
    """Return the levels of an offer."""
    return [_level(offer, level) for level in offer.levels]


def _level(offer: TournamentPlayConfig, level: LevelConfig) -> wire.SngLevel:
    fixed_limit = offer.structure == "fixed_limit"
    return wire.SngLevel(
        small_blind=level.small_blind,
        big_blind=level.big_blind,
        length=level.length,
        small_bet=level.big_blind if fixed_limit else None,
        big_bet=level.big_bet if fixed_limit else None,
        ante=level.ante,
        big_blind_ante=level.big_blind_ante,
        break_s=level.break_s,
    )
