"""PokerKit, with everything automated that its users can automate."""

import warnings
from collections.abc import Sequence
from importlib.metadata import version

from tests.bench.engines import BIG_BLIND, FOLD, PLAYERS, RAISE, SMALL_BLIND, STACK

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from pokerkit import Automation, NoLimitTexasHoldem

NAME = f"PokerKit {version('pokerkit')}"
GAME = NoLimitTexasHoldem(tuple(Automation), True, 0, (SMALL_BLIND, BIG_BLIND), BIG_BLIND)


def play(dice: Sequence[int], hands: int) -> int:
    """See `Engine.play`."""
    actions, end = 0, len(dice)
    for _ in range(hands):
        state = GAME(STACK, PLAYERS)
        while state.status:
            die = dice[actions % end]
            actions += 1
            if die == FOLD and state.checking_or_calling_amount:
                state.fold()
                continue
            amount = state.min_completion_betting_or_raising_to_amount if die >= RAISE else None
            if amount is not None and state.can_complete_bet_or_raise_to():
                state.complete_bet_or_raise_to(amount)
            else:
                state.check_or_call()
    return actions
