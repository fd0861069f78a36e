"""Deals at the final table, compared with the hands before them (L15): players, stacks, and what each was to get."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pokerroom.chips import Money
from pokerroom.rules.tournament.deal_stages import AgreedDeal, DealTerms
from pokerroom.rules.tournament.deals import DealError, deal_amounts, least_for_the_winner
from pokerroom.rules.tournament.state import TournamentPlayer


def unlike_deal(
    deal: AgreedDeal,
    terms: DealTerms | None,
    prizes: Sequence[Money],
    orders: Sequence[Sequence[TournamentPlayer]],
) -> Iterator[str]:
    """Compare a deal with the players left when it was made.

    `orders` are the orders that they may have had: from the first left of the button, or by seat where the journal was
    lost.
    """
    players = len(deal.accounts)
    if terms is None or players > terms.players_max:
        yield f"it has a deal of {players} players, and its terms allow none"
        return
    found = list(zip(deal.accounts, deal.stacks, strict=True))
    if not any([(player.account, player.chips) for player in order] == found for order in orders):
        left = {player.account: player.chips for player in orders[0]}
        yield f"its deal is of the stacks {dict(found)}, by its hands they are {left}"
        return
    least = least_for_the_winner(prizes, players, terms.leave_bps)
    if deal.for_the_winner < least:
        yield f"its deal leaves {deal.for_the_winner} for the winner, by its terms it is {least} at least"
    try:
        due = deal_amounts(deal.kind, deal.stacks, prizes, for_the_winner=deal.for_the_winner)
    except DealError as error:
        yield f"its deal cannot be made: {error}"
        return
    if deal.amounts != due:
        yield f"its deal gives {list(deal.amounts)}, by the stacks it is {list(due)}"
    if deal.accepted_ms[deal.accounts.index(deal.proposer)] != min(deal.accepted_ms):
        yield "its deal was accepted by a player before it was proposed"
