"""What the player to act may do.

It is worked out once, when the turn comes to him: `apply` in `hand` checks an action against the same value
that `legal_actions` returns, so asking and doing cannot disagree.
"""

from typing import Final

from pokerroom.rules.errors import IllegalAction
from pokerroom.rules.state import HandState, LegalActions, PlayerStatus

_ACTIVE: Final = PlayerStatus.active


def legal_actions(state: HandState) -> LegalActions:
    """The legal actions of whoever is to act; raises IllegalAction `hand_over` when nobody is."""
    if state.turn is None:
        raise IllegalAction("hand_over")
    return state.turn


def turn_of(state: HandState, player: int) -> LegalActions:
    """What `player`, to whom the turn has come, may do."""
    stack, bet = state.stacks[player], state.bets[player]
    facing = state.current_bet - bet
    structure = state.setup.structure
    min_raise_to = max_raise_to = None
    if (
        stack > facing
        # E: who has acted may raise again only when what he faces reopens it; the others always may.
        and (not state.acted[player] or structure.reopens(state, facing))
        and structure.may_raise(state)
        and _can_be_answered(state, player)
    ):
        all_in_to = bet + stack
        least = structure.min_raise_to(state)
        most = structure.max_raise_to(state, facing)
        min_raise_to = least if least < all_in_to else all_in_to
        max_raise_to = most if most is not None and most < all_in_to else all_in_to
    return LegalActions(
        player=player,
        check=facing == 0,
        call_amount=facing if facing < stack else stack,
        min_raise_to=min_raise_to,
        max_raise_to=max_raise_to,
    )


def _can_be_answered(state: HandState, player: int) -> bool:
    """D1: nobody raises himself. Some other player must have chips beyond the bet to match."""
    stacks, bets, statuses, current_bet = state.stacks, state.bets, state.statuses, state.current_bet
    for other in range(len(stacks)):
        if statuses[other] is _ACTIVE and bets[other] + stacks[other] > current_bet and other != player:
            return True
    return False
