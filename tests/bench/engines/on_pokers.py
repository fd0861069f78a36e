"""pokers: a state in Rust that gives the next one.

Its raise is the amount on top of the call; the smallest is the big blind, as nobody here raises by more.
"""

from collections.abc import Sequence
from importlib.metadata import version

import pokers

from tests.bench.engines import BIG_BLIND, FOLD, PLAYERS, RAISE, SMALL_BLIND, STACK

NAME = f"pokers {version('pokers')} (Rust)"


def play(dice: Sequence[int], hands: int) -> int:
    """See `Engine.play`."""
    kinds = pokers.ActionEnum
    can_check, can_raise, fine = kinds.Check, kinds.Raise, pokers.StateStatus.Ok
    fold, check, call = (pokers.Action(kind) for kind in (kinds.Fold, kinds.Check, kinds.Call))
    bigger = pokers.Action(kinds.Raise, BIG_BLIND)
    actions, end = 0, len(dice)
    for hand in range(hands):
        state = pokers.State.from_seed(PLAYERS, 0, SMALL_BLIND, BIG_BLIND, STACK, hand)
        while not state.final_state:
            die = dice[actions % end]
            actions += 1
            legal = state.legal_actions
            free = can_check in legal
            action = check if free else call
            if die == FOLD and not free:
                action = fold
            elif die >= RAISE and can_raise in legal:
                action = bigger
            state = state.apply_action(action)
        if state.status != fine:
            raise SystemExit(f"pokers refused an action: {state.status}")
    return actions
