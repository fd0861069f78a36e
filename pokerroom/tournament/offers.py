"""Translation of a configured tournament to terms of the rules and of the ledger.

The configuration has checked its values. A tournament keeps the offer as it was at its opening, so a running tournament
goes on as before when the settings change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from pokerroom.chips import Chips, Money
from pokerroom.ledger.chip_sales import ChipSale, SaleKind
from pokerroom.ledger.hosted_tables import is_private
from pokerroom.ledger.tickets import TicketPrize
from pokerroom.ledger.tournaments import Opening, ScheduledStart
from pokerroom.ops.config_sit_and_go import SitAndGoConfig
from pokerroom.ops.config_tournament import ScheduledTournamentConfig
from pokerroom.ops.config_tournament_play import LevelConfig, TournamentPlayConfig
from pokerroom.rules.betting import BettingStructure, FixedLimit, structure_named
from pokerroom.rules.stakes import Stakes
from pokerroom.rules.tournament.deal_stages import DealTerms
from pokerroom.rules.tournament.entries import EntryTerms, Purchase
from pokerroom.rules.tournament.hand_for_hand import TiedEliminations
from pokerroom.rules.tournament.prize_table import PayoutTerms
from pokerroom.rules.tournament.schedule import BlindSchedule, LengthUnit, Level
from pokerroom.rules.tournament.state import TournamentTerms

TournamentOffer = SitAndGoConfig | ScheduledTournamentConfig


def terms_of(config: TournamentOffer) -> TournamentTerms:
    """Return the terms of each tournament of an offer."""
    buy_in, fee, stack = Money(config.buy_in), Money(config.fee), Chips(config.starting_stack)
    if isinstance(config, SitAndGoConfig):
        return TournamentTerms(
            seats=config.seats,
            table_seats=config.seats_per_table,
            buy_in=buy_in,
            fee=fee,
            starting_stack=stack,
            schedule=_schedule(config, config.seats),
            prizes=config.prizes,
            deals=_deals(config),
            ties=TiedEliminations(config.hand_for_hand_ties),
        )
    opened = {sale.kind: sale for sale in _sales(config)}
    return TournamentTerms(
        seats=config.players_max,
        table_seats=config.seats_per_table,
        buy_in=buy_in,
        fee=fee,
        starting_stack=stack,
        schedule=_schedule(_with_add_on_break(config), config.players_max),
        prizes=(),
        entries=EntryTerms(
            entry=Purchase(
                prize=Money(buy_in - fee - config.bounty), fee=fee, bounty=Money(config.bounty), chips=stack
            ),
            players_min=config.players_min,
            players_max=config.players_max,
            entries_max=config.entries_max,
            late_levels=config.late_levels,
            rebuy=_purchase(opened, "rebuy"),
            rebuys_max=config.rebuys_max,
            rebuy_levels=config.rebuy_levels,
            rebuy_below=config.rebuy_below,
            add_on=_purchase(opened, "add_on"),
        ),
        hourly_breaks=config.hourly_breaks,
        deals=_deals(config),
        ties=TiedEliminations(config.hand_for_hand_ties),
        payout=PayoutTerms(
            percent=config.payout_percent,
            shares_bps=config.prize_shares,
            guarantee=_guarantee(config),
            seat_value=Money(config.ticket_value),
        ),
    )


def _guarantee(config: ScheduledTournamentConfig) -> Money:
    """Return the guarantee; in a satellite what the guaranteed seats are worth."""
    return Money(config.guarantee + config.seats_guaranteed * config.ticket_value)


def _deals(config: TournamentPlayConfig) -> DealTerms | None:
    if not config.deals:
        return None
    return DealTerms(players_max=config.deal_from_players, leave_bps=config.deal_leave_bps)


def _sales(config: ScheduledTournamentConfig) -> tuple[ChipSale, ...]:
    """Return what a tournament sells beside its entries, by kind."""
    found = []
    if config.add_on_price:
        prize, fee = Money(config.add_on_price - config.add_on_fee), Money(config.add_on_fee)
        found.append(ChipSale(kind="add_on", prize=prize, fee=fee, chips=Chips(config.add_on_stack), most=1))
    if config.rebuys_max:
        prize, fee = Money(config.rebuy_price - config.rebuy_fee), Money(config.rebuy_fee)
        chips, most = Chips(config.rebuy_stack), config.rebuys_max
        found.append(ChipSale(kind="rebuy", prize=prize, fee=fee, chips=chips, most=most))
    return tuple(found)


def _purchase(sales: Mapping[SaleKind, ChipSale], kind: SaleKind) -> Purchase | None:
    sale = sales.get(kind)
    return None if sale is None else Purchase(prize=sale.prize, fee=sale.fee, chips=sale.chips)


def _with_add_on_break(config: ScheduledTournamentConfig) -> ScheduledTournamentConfig:
    """Return the offer with the break of its add-on after the last level with rebuys."""
    if not config.add_on_price:
        return config
    levels, last = list(config.levels), config.rebuy_levels - 1
    levels[last] = replace(levels[last], break_s=max(config.add_on_break_s, levels[last].break_s))
    return replace(config, levels=tuple(levels))


def _schedule(config: TournamentPlayConfig, players: int) -> BlindSchedule:
    return BlindSchedule(
        levels=tuple(_level(config, level) for level in _without_end(config, players)),
        unit=LengthUnit.ms if config.levels_timed else LengthUnit.hands,
    )


def prizes_so_far(terms: TournamentTerms, *, entries: int, players: int, bought: int) -> tuple[Money, ...]:
    """Return the prizes if no account buys anything any more; without players those of a single entry.

    `bought` is what entries, rebuys and add-ons bring.
    """
    if terms.payout is None:
        return terms.prizes
    bought = max(bought, terms.part)
    return terms.payout.prizes(entries=max(1, entries), players=max(1, players), bought=bought)


def opening_of(config: SitAndGoConfig, number: int) -> Opening:
    """Return the opening of the offer's tournament of this number (from 1), for the ledger."""
    return Opening(
        tournament=f"{config.id}.{number}",
        offer=config.id,
        number=number,
        seats=config.seats,
        buy_in=Money(config.buy_in),
        fee=Money(config.fee),
        prizes=config.prizes,
        terms=msgspec.json.encode(config),
    )


def scheduled_opening_of(config: ScheduledTournamentConfig, number: int, starts_ms: int) -> Opening:
    """Return the opening of the offer's tournament of this number that starts at this time."""
    return Opening(
        tournament=f"{config.id}.{number}",
        offer=config.id,
        number=number,
        seats=config.players_max,
        buy_in=Money(config.buy_in),
        fee=Money(config.fee),
        prizes=(),
        terms=msgspec.json.encode(config),
        scheduled=ScheduledStart(
            starts_ms=starts_ms,
            players_min=config.players_min,
            entries_max=config.entries_max,
            guarantee=_guarantee(config),
        ),
        bounty=Money(config.bounty),
        bounty_cash_bps=config.bounty_cash_bps,
        sales=_sales(config),
        ticket=_ticket(config),
    )


def private_opening_of(config: ScheduledTournamentConfig, given_up_ms: int) -> Opening:
    """Return the opening of the sit-and-go of a host: it starts with all seats taken, or at the host's word."""
    opening = scheduled_opening_of(config, 1, given_up_ms)
    assert opening.scheduled is not None
    return replace(opening, scheduled=replace(opening.scheduled, players_min=config.players_max))


def _ticket(config: ScheduledTournamentConfig) -> TicketPrize | None:
    if not config.satellite_to:
        return None
    return TicketPrize(offer=config.satellite_to, value=Money(config.ticket_value), days=config.ticket_days)


def opening_as(config: TournamentOffer, opening: Opening) -> Opening:
    """Return the opening of the offer's tournament of the same number and start.

    A sit-and-go of a host that has not begun needs all its seats taken, and fewer players from then on.
    """
    if isinstance(config, SitAndGoConfig):
        return opening_of(config, opening.number)
    starts_ms = 0 if opening.scheduled is None else opening.scheduled.starts_ms
    needed = None if opening.scheduled is None else opening.scheduled.players_min
    if is_private(opening.tournament) and needed == config.players_max:
        return private_opening_of(config, starts_ms)
    return scheduled_opening_of(config, opening.number, starts_ms)


def scheduled_offer_of(opening: Opening) -> ScheduledTournamentConfig:
    """Return the offer of a tournament with a start as it was when the tournament opened; as `offer_of`."""
    return msgspec.json.decode(opening.terms, type=ScheduledTournamentConfig)


def offer_of(opening: Opening) -> TournamentOffer:
    """Return the offer as it was when the tournament opened.

    Raises msgspec.DecodeError for terms that cannot be read.
    """
    if opening.scheduled is not None:
        return scheduled_offer_of(opening)
    return msgspec.json.decode(opening.terms, type=SitAndGoConfig)


def _without_end(config: TournamentPlayConfig, players: int) -> list[LevelConfig]:
    """Return the offer's levels, then levels with doubled amounts until a blind is all chips in play (I5) [D].

    So every tournament ends, also when all players have left: without this they would only pass the blinds around.
    """
    levels, each = list(config.levels), config.starting_stack
    if isinstance(config, ScheduledTournamentConfig):
        each += config.rebuys_max * config.rebuy_stack + config.add_on_stack
    while levels[-1].big_blind < players * each:
        last = levels[-1]
        levels.append(
            replace(
                last,
                small_blind=2 * last.small_blind,
                big_blind=2 * last.big_blind,
                big_bet=2 * last.big_bet,
                ante=2 * last.ante,
                big_blind_ante=2 * last.big_blind_ante,
                break_s=0,
            )
        )
    return levels


def _level(config: TournamentPlayConfig, level: LevelConfig) -> Level:
    return Level(
        stakes=Stakes(
            small_blind=level.small_blind,
            big_blind=level.big_blind,
            ante=level.ante,
            big_blind_ante=level.big_blind_ante,
        ),
        structure=_structure(config, level),
        length=level.length * 1000 if config.levels_timed else level.length,
        break_ms=level.break_s * 1000,
    )


def _structure(config: TournamentPlayConfig, level: LevelConfig) -> BettingStructure:
    if config.structure != FixedLimit.name:
        return structure_named(config.structure, {})
    return FixedLimit(
        small_bet=level.big_blind,
        big_bet=level.big_bet,
        raises_max=config.raises_max,
        cap_heads_up=config.cap_heads_up,
    )
