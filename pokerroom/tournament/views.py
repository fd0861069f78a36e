"""The tournament as the viewers of its tables see it, and as the director tells it to the tables. Sends no message."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from msgspec import structs

from pokerroom.chips import Money
from pokerroom.ledger.tournaments import BountyRow, TournamentRow
from pokerroom.rules.betting import FixedLimit
from pokerroom.rules.tournament.deal_stages import AgreedDeal, OpenDeal
from pokerroom.rules.tournament.deals import DealKind
from pokerroom.rules.tournament.schedule import BlindSchedule, LengthUnit
from pokerroom.rules.tournament.state import PlacedPlayer, Tournament, TournamentTerms
from pokerroom.tournament.messages import PlannedDeals, PlannedPlace, SeatPlan
from pokerroom_protocol import messages as wire

PLACES_TOLD: Final = 20
"""[D] The places from this one up are told at all tables, others where their players sat."""


def level_view(tournament: Tournament, now_ms: int) -> wire.LevelView:
    """Return the level of the next hand."""
    schedule, clock = tournament.terms.schedule, tournament.clock
    left, by_hands = schedule.left(clock), schedule.unit is LengthUnit.hands
    return structs.replace(
        level_numbered(schedule, clock.level + 1),
        ends_ms=None if left is None or by_hands or tournament.clock_stands else now_ms + left,
        hands_left=left if by_hands else None,
    )


def level_numbered(schedule: BlindSchedule, number: int) -> wire.LevelView:
    """Return a level by its number from 1, without its end."""
    level = schedule.levels[number - 1]
    fixed = level.structure if isinstance(level.structure, FixedLimit) else None
    return wire.LevelView(
        level=number,
        small_blind=level.stakes.small_blind,
        big_blind=level.stakes.big_blind,
        small_bet=None if fixed is None else fixed.small_bet,
        big_bet=None if fixed is None else fixed.big_bet,
        ante=level.stakes.ante,
        big_blind_ante=level.stakes.big_blind_ante,
    )


def break_until_ms(tournament: Tournament, now_ms: int) -> int | None:
    """Return the end of the break; None if there is none, it has not begun, or its clock stands."""
    left = tournament.clock.break_left_ms
    return now_ms + left if left and tournament.between_hands and not tournament.paused else None


def planned_places(
    tournament: Tournament,
    standings: Iterable[PlacedPlayer],
    names: Mapping[int, str],
    given: int,
    table: int,
) -> list[PlannedPlace]:
    """Return those of the `standings` from number `given` on, which the ledger has, as this table is told them."""
    index = tournament.indexed()
    found = []
    for one in standings:
        player = index.player(one.account)
        here = player.table == table
        if one.number >= given and (here or one.number <= PLACES_TOLD):
            found.append(
                PlannedPlace(
                    number=one.number,
                    place=one.place,
                    account=one.account,
                    seat=player.seat if here else None,
                    name=names[one.account],
                    prize=one.prize,
                )
            )
    return found


def tournament_view(plan: SeatPlan, terms: TournamentTerms) -> wire.TournamentView:
    """Return the view for a snapshot."""
    return wire.TournamentView(
        phase=plan.phase,
        seats=plan.players or terms.seats,
        prizes=[prize for prize in plan.prizes or terms.prizes if prize],  # none where entries are free
        level=plan.level,
        paused=plan.paused,
        break_until_ms=plan.break_until_ms,
        places=[
            wire.TournamentPlace(number=one.number, place=one.place, name=one.name, prize=one.prize)
            for one in plan.places
        ],
        deals=terms.deals is not None,
        deal=None if plan.deals is None else plan.deals.view,
    )


def bounties_won(row: TournamentRow, out: Collection[int]) -> list[BountyRow]:
    """Return what was won of the heads of these accounts, when they were out last."""
    last = {entry.account: entry.number for entry in row.entries if entry.out_in is not None}
    return [
        won
        for won in row.bounties
        if won.account in out and won.winner != won.account and last.get(won.account) == won.number
    ]


def open_deal_view(deal: OpenDeal, tournament: Tournament, names: Mapping[int, str]) -> wire.DealView:
    """Return a deal that is open to the players' answers."""
    shares = _deal_shares(deal.accounts, deal.stacks, (deal.by_icm, deal.by_chips), tournament, names)
    return wire.DealView(
        deal=deal.proposal.number,
        proposer=names[deal.proposal.proposer],
        kind=deal.proposal.kind.value,
        for_the_winner=deal.proposal.for_the_winner,
        until_ms=deal.until_ms,
        shares=[
            structs.replace(share, accepted=account in deal.accepted)
            for share, account in zip(shares, deal.accounts, strict=True)
        ],
    )


def agreed_deal_view(deal: AgreedDeal, tournament: Tournament, names: Mapping[int, str]) -> wire.DealView:
    """Return a deal that is agreed, with the amounts of its kind."""
    by_icm = deal.amounts if deal.kind is DealKind.icm else None
    by_chips = deal.amounts if deal.kind is DealKind.chips else None
    shares = _deal_shares(deal.accounts, deal.stacks, (by_icm, by_chips), tournament, names)
    return wire.DealView(
        deal=None,
        proposer=names[deal.proposer],
        kind=deal.kind.value,
        for_the_winner=deal.for_the_winner,
        until_ms=None,
        shares=[structs.replace(share, accepted=True) for share in shares],
    )


def deals_of_ended(tournament: Tournament, names: Mapping[int, str]) -> PlannedDeals | None:
    """Return the deals of a tournament that is over, as the ledger has them; None if it had none."""
    deal = tournament.agreed_deal
    if deal is None:
        return None
    view = agreed_deal_view(deal, tournament, names)
    return PlannedDeals(refusal="deal_made", least=0, most=0, asked=1, view=view, ended=None)


def _deal_shares(
    accounts: Sequence[int],
    stacks: Sequence[int],
    amounts: tuple[Sequence[Money] | None, Sequence[Money] | None],
    tournament: Tournament,
    names: Mapping[int, str],
) -> list[wire.DealShare]:
    """Return what each player gets by ICM and by chips, as far as the amounts are known."""
    by_icm, by_chips = amounts
    index = tournament.indexed()
    return [
        wire.DealShare(
            seat=index.player(account).seat,
            name=names[account],
            stack=stack,
            icm=None if by_icm is None else by_icm[at],
            chips=None if by_chips is None else by_chips[at],
        )
        for at, (account, stack) in enumerate(zip(accounts, stacks, strict=True))
    ]


def placed(table: str, seq: int, one: PlannedPlace) -> wire.PlayerPlaced:
    """Return the message that a player has finished."""
    return wire.PlayerPlaced(
        table=table,
        seq=seq,
        seat=one.seat,
        name=one.name,
        number=one.number,
        place=one.place,
        prize=one.prize,
    )
