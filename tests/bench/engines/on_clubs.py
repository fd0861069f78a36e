"""clubs: a dealer that takes chips and answers with an observation.

The button stays where it is: with it elsewhere, clubs 0.1.4 stumbles over the odd chips of a split pot.
"""

from collections.abc import Sequence
from importlib.metadata import version

import clubs

from tests.bench.engines import BIG_BLIND, FOLD, PLAYERS, RAISE, SMALL_BLIND, STACK

NAME = f"clubs {version('clubs')}"


def play(dice: Sequence[int], hands: int) -> int:
    """See `Engine.play`."""
    config = dict(clubs.configs.NO_LIMIT_HOLDEM_SIX_PLAYER)
    config |= {
        "num_players": PLAYERS,
        "blinds": [SMALL_BLIND, BIG_BLIND, *[0] * (PLAYERS - 2)],
        "start_stack": STACK,
    }
    dealer = clubs.Dealer(**config)
    actions, end = 0, len(dice)
    for _ in range(hands):
        seen = dealer.reset(reset_button=True, reset_stacks=True)
        playing = True
        while playing:
            die = dice[actions % end]
            actions += 1
            bet = seen["call"]
            if die == FOLD:
                bet = 0  # a check where there is nothing to call
            elif die >= RAISE and seen["max_raise"]:
                bet = seen["min_raise"]
            seen, _, done = dealer.step(bet)
            playing = not all(done)
    return actions
