"""What the player to act may do.

`apply` in `hand` checks itself against this: asking and doing share one source.
"""

from dataclasses import dataclass

from pokerroom.rules.errors import IllegalAction
from pokerroom.rules.state import HandState, PlayerStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class LegalActions:
    """The legal range of the player to act. To fold is always legal."""

    player: int
    check: bool
    call_amount: int
    """Chips a call would add, all that is left at most; 0 when checking is free."""
    min_raise_to: int | None
    """Smallest bet or raise as a street total; None where none is legal."""
    max_raise_to: int | None
    """Largest bet or raise; equal to the smallest where only one size, or only all-in, is legal."""


def legal_actions(state: HandState) -> LegalActions:
    """The legal actions of whoever is to act; raises IllegalAction `hand_over` when nobody is."""
    player = state.to_act
    if player is None:
        raise IllegalAction("hand_over")
    stack = state.stacks[player]
    facing = state.current_bet - state.bets[player]
    min_raise_to = max_raise_to = None
    if _may_raise(state, player, facing, stack):
        all_in_to = state.bets[player] + stack
        structure = state.setup.structure
        min_raise_to = min(all_in_to, structure.min_raise_to(state))
        # D4: the pot once called, the blinds counting at their nominal size pre-flop.
        pot_after_call = sum(state.committed) + state.blind_shortfall + facing
        most = structure.max_raise_to(state, pot_after_call)
        max_raise_to = all_in_to if most is None else min(all_in_to, most)
    return LegalActions(
        player=player,
        check=facing == 0,
        call_amount=min(facing, stack),
        min_raise_to=min_raise_to,
        max_raise_to=max_raise_to,
    )


def _may_raise(state: HandState, player: int, facing: int, stack: int) -> bool:
    structure = state.setup.structure
    return (
        stack > facing
        # E: who has acted may raise again only when what he faces reopens it; the others always may.
        and (not state.acted[player] or structure.reopens(state, facing))
        and structure.may_raise(state)
        and _can_be_answered(state, player)
    )


def _can_be_answered(state: HandState, player: int) -> bool:
    """D1: nobody raises himself. Some other player must have chips beyond the bet to match."""
    current_bet = state.current_bet
    for other, status in enumerate(state.statuses):
        if (
            status is PlayerStatus.active
            and other != player
            and state.bets[other] + state.stacks[other] > current_bet
        ):
            return True
    return False
