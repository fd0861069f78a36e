"""Deals from the proposal to the agreement (L15): state in, next state out.

A player proposes at any time at the final table. Between two hands the deal opens: all see what each gets, and answer.
The deal is made when all have accepted. If one refuses, goes away or does not answer, play goes on. Functions raise
`TournamentRefusal`, and nothing has changed: `deals_not_offered`, `no_final_table`, `deal_in_progress`, `deal_made`,
`deal_paused`, `deal_too_soon`, `wrong_deal_amount`.
"""

from collections.abc import Sequence
from dataclasses import replace

from pokerroom.chips import Money
from pokerroom.rules.places import bust_order
from pokerroom.rules.tournament.deal_stages import (
    DEALS_DOUBLED_MAX,
    HANDS_BETWEEN_DEALS,
    AgreedDeal,
    DealProposal,
    OpenDeal,
)
from pokerroom.rules.tournament.deals import DealError, DealKind, deal_amounts, least_for_the_winner
from pokerroom.rules.tournament.early_payout import by_chips
from pokerroom.rules.tournament.prizes import prize_of
from pokerroom.rules.tournament.refusal import TournamentRefusal
from pokerroom.rules.tournament.state import PlacedPlayer, Tournament, TournamentPhase


def refusal(tournament: Tournament) -> str | None:
    """Return the code with which a proposal is refused now; None if a player may propose a deal."""
    terms, left = tournament.terms.deals, tournament.indexed().left
    if terms is None:
        return "deals_not_offered"
    if isinstance(tournament.deal, AgreedDeal):
        return "deal_made"
    if tournament.phase is not TournamentPhase.running or not tournament.entries_closed:
        return "no_final_table"
    if len(tournament.tables) != 1 or not 2 <= left <= min(terms.players_max, tournament.terms.final_seats):
        return "no_final_table"
    if tournament.deal is not None:
        return "deal_in_progress"
    if tournament.paused:
        return "deal_paused"
    return "deal_too_soon" if tournament.tables[0].hands < tournament.deals_from_hand else None


def bounds(tournament: Tournament) -> tuple[Money, Money]:
    """Return the least and the most that may be set aside for the winner, with the players left."""
    assert tournament.terms.deals is not None
    prizes = tournament.prizes
    least = least_for_the_winner(prizes, tournament.indexed().left, tournament.terms.deals.leave_bps)
    return least, Money(prize_of(prizes, 1) - prize_of(prizes, 2))


def propose(tournament: Tournament, proposal: DealProposal) -> Tournament:
    """Take a proposal; it opens when the hand has ended."""
    code = refusal(tournament)
    if code is not None:
        raise TournamentRefusal(code)
    least, most = bounds(tournament)
    if not least <= proposal.for_the_winner <= most:
        raise TournamentRefusal("wrong_deal_amount")
    return replace(tournament, deal=proposal)


def opened(tournament: Tournament, now_ms: int, until_ms: int) -> Tournament:
    """Open the proposed deal between two hands, accepted by its proposer. Raises DealError if it cannot be offered.

    It cannot where a player is away, where players have gone out since so that another amount is due for the winner,
    and for a chip chop that gives a player more than the first prize.
    """
    proposal = tournament.deal
    assert isinstance(proposal, DealProposal)
    left = tournament.left()
    least, most = bounds(tournament)
    if proposal.proposer not in [player.account for player in left] or any(player.away for player in left):
        raise DealError("a player is away or out, so not all can accept")
    if not least <= proposal.for_the_winner <= most:
        raise DealError("with the players left another amount is set aside for the winner")
    stacks = [player.chips for player in left]
    by_icm = deal_amounts(DealKind.icm, stacks, tournament.prizes, for_the_winner=proposal.for_the_winner)
    by_chips = chip_chop(stacks, tournament.prizes, proposal.for_the_winner)
    if proposal.kind is DealKind.chips and by_chips is None:
        raise DealError("the chip chop gives a player more than the first prize")
    deal = OpenDeal(
        proposal=proposal,
        until_ms=until_ms,
        accounts=tuple(player.account for player in left),
        stacks=tuple(stacks),
        by_icm=by_icm,
        by_chips=by_chips,
        accepted={proposal.proposer: now_ms},
    )
    return replace(tournament, deal=deal)


def chip_chop(stacks: Sequence[int], prizes: Sequence[Money], aside: Money) -> tuple[Money, ...] | None:
    """Return the amounts by chips; None where a player would get more than the first prize."""
    try:
        return deal_amounts(DealKind.chips, stacks, prizes, for_the_winner=aside)
    except DealError:
        return None


def stands(tournament: Tournament, deal: OpenDeal) -> bool:
    """Return whether an open deal is of the players left with their stacks, and no hand goes on.

    It is not where a journal was behind: the deal had ended, and a hand was dealt since.
    """
    left = tournament.left()
    return (
        [table.hand for table in tournament.tables] == [None]
        and deal.accounts == tuple(player.account for player in left)
        and deal.stacks == tuple(player.chips for player in left)
    )


def accepted(tournament: Tournament, account: int, now_ms: int) -> Tournament:
    """Note that a player accepts the open deal. Idempotent."""
    deal = tournament.deal
    assert isinstance(deal, OpenDeal)
    if account not in deal.accounts or account in deal.accepted:
        return tournament
    return replace(tournament, deal=replace(deal, accepted={**deal.accepted, account: now_ms}))


def dropped(tournament: Tournament) -> Tournament:
    """End a deal that is not agreed. One that was open lets the next one wait for hands, each time twice as many [D]:
    while it is open no hand is dealt.
    """
    if not isinstance(tournament.deal, OpenDeal):
        return replace(tournament, deal=None)
    failed = tournament.deals_failed
    wait = tournament.tables[0].hands + HANDS_BETWEEN_DEALS * 2**failed
    return replace(
        tournament,
        deal=None,
        deals_from_hand=max(tournament.deals_from_hand, wait),
        deals_failed=min(failed + 1, DEALS_DOUBLED_MAX),
    )


def agreement(tournament: Tournament) -> AgreedDeal:
    """Return the open deal, which all have accepted, as it is agreed."""
    deal = tournament.deal
    assert isinstance(deal, OpenDeal)
    amounts = deal.amounts
    assert deal.is_agreed
    assert amounts is not None
    return AgreedDeal(
        proposer=deal.proposal.proposer,
        kind=deal.proposal.kind,
        for_the_winner=deal.proposal.for_the_winner,
        hands=tournament.tables[0].hands,
        accounts=deal.accounts,
        stacks=deal.stacks,
        amounts=amounts,
        accepted_ms=tuple(deal.accepted[account] for account in deal.accounts),
    )


def made(tournament: Tournament, deal: AgreedDeal) -> Tournament:
    """Return the tournament with a deal that is agreed for good. With nothing left for the winner it is over."""
    if tournament.phase is not TournamentPhase.running:
        return tournament
    tournament = replace(tournament, deal=deal)
    if deal.for_the_winner:
        return tournament
    placed = places_by_deal(deal)
    return replace(
        tournament, phase=TournamentPhase.finished, standings=placed + tournament.standings, out=()
    )


def places_by_deal(deal: AgreedDeal) -> tuple[PlacedPlayer, ...]:
    """Return the places of all its players by their stacks, for a deal that leaves nothing; equal stacks tie."""
    groups = bust_order(dict(enumerate(deal.stacks)))
    placed, number = list[PlacedPlayer](), 1
    for group in groups:
        for at, index in enumerate(group):
            placed.append(
                PlacedPlayer(
                    number=number + at,
                    place=number,
                    account=deal.accounts[index],
                    prize=deal.amounts[index],
                )
            )
        number += len(group)
    return tuple(placed)


def prizes_by_deal(standings: Sequence[PlacedPlayer], deal: AgreedDeal | None) -> tuple[PlacedPlayer, ...]:
    """Return places with the prizes of a deal, for those players that are of it."""
    if deal is None:
        return tuple(standings)
    return tuple(
        replace(one, prize=deal.prize(one.account, one.number)) if one.account in deal.accounts else one
        for one in standings
    )


def rolled_forward_by_deal(deal: AgreedDeal, left: Sequence[tuple[int, int]]) -> tuple[Money, ...]:
    """Return what each player left (account, stack) gets when play ends early: the own amount, and of what was set
    aside for the winner a part by chips (I3).
    """
    shares = by_chips(deal.for_the_winner, [stack for _, stack in left])
    return tuple(
        Money(deal.prize(account, 0) + share) for (account, _), share in zip(left, shares, strict=True)
    )
