"""Which player is to act, and what that player may do.

The legal range is worked out once, when the turn comes to the player. `apply` in `hand` checks an action against the
same value that `legal_actions` returns, so asking and doing cannot disagree.
"""

from typing import Final

from pokerroom.rules.errors import IllegalAction
from pokerroom.rules.state import HandState, LegalActions, PlayerStatus

_ACTIVE: Final = PlayerStatus.active


def legal_actions(state: HandState) -> LegalActions:
    """Return the legal actions of the player to act. Raises IllegalAction `hand_over` when the hand is finished."""
    if state.turn is None:
        raise IllegalAction("hand_over")
    return state.turn


def next_to_act(state: HandState, after: int) -> int | None:
    """Return the next player who can act and has not acted, or has not matched the bet (C2)."""
    statuses, acted, bets, current_bet = state.statuses, state.acted, state.bets, state.current_bet
    players, player = len(bets), after
    for _ in range(players):
        player = player + 1 if player + 1 < players else 0
        if statuses[player] is _ACTIVE and (not acted[player] or bets[player] < current_bet):
            return player
    return None


def last_to_answer(state: HandState) -> int | None:
    """Return the only player who can still act, where another has more in; else None.

    No player can answer this one. A blind that was not posted in full is no bet to match then.
    """
    if _ACTIVE not in state.statuses:
        return None
    player = state.statuses.index(_ACTIVE)
    return player if state.bets[player] < max(state.bets) else None


def turn_of(state: HandState, player: int) -> LegalActions:
    """Return what `player`, the next to act, may do."""
    stack, bet = state.stacks[player], state.bets[player]
    facing = state.current_bet - bet
    structure = state.setup.structure
    min_raise_to = max_raise_to = None
    if (
        stack > facing
        # E: a player who has acted may raise again only when the bet they face reopens it.
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
    """D1: another player must have chips beyond the bet to match, or a raise has no opponent."""
    stacks, bets, statuses, current_bet = state.stacks, state.bets, state.statuses, state.current_bet
    for other in range(len(stacks)):
        if statuses[other] is _ACTIVE and bets[other] + stacks[other] > current_bet and other != player:
            return True
    return False
