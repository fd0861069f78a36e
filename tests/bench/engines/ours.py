"""Our rules: the state, its legal actions and its events, as a table uses them."""

from collections.abc import Sequence
from importlib.metadata import version

from pokerroom.rules import hand as rules
from pokerroom.rules.actions import Action, Call, Check, Fold, RaiseTo
from pokerroom.rules.betting import NoLimit
from pokerroom.rules.deal import deal
from pokerroom.rules.events import PostKind
from pokerroom.rules.hand import HandSetup, PlayerSetup, apply, legal_actions, start
from pokerroom.rules.variants import HOLDEM
from pokerroom.table.shuffle import shuffled
from tests.bench.engines import BIG_BLIND, FOLD, PLAYERS, RAISE, SMALL_BLIND, STACK

FORM = "mypyc" if (rules.__file__ or "").endswith(".so") else "Python"
NAME = f"pokerroom {version('pokerroom')}, rules in {FORM}"
BLINDS = [(SMALL_BLIND, PostKind.small_blind), (BIG_BLIND, PostKind.big_blind)]
BLINDS += [(0, None)] * (PLAYERS - 2)


def play(dice: Sequence[int], hands: int) -> int:
    """See `Engine.play`."""
    structure, fold, check, call = NoLimit(), Fold(), Check(), Call()
    actions, end = 0, len(dice)
    for _ in range(hands):
        dealt = deal(shuffled(HOLDEM.deck), PLAYERS, HOLDEM)
        players = [
            PlayerSetup(stack=STACK, holes=holes, blind=blind, blind_kind=kind)
            for holes, (blind, kind) in zip(dealt.holes, BLINDS, strict=True)
        ]
        state, _ = start(
            HandSetup(
                variant=HOLDEM,
                structure=structure,
                big_blind=BIG_BLIND,
                players=tuple(players),
                board=dealt.board,
                last_blind=1,
            )
        )
        while not state.finished:
            legal = legal_actions(state)
            die = dice[actions % end]
            actions += 1
            action: Action = check if legal.check else call
            if die == FOLD and not legal.check:
                action = fold
            elif die >= RAISE and legal.min_raise_to is not None:
                action = RaiseTo(amount=legal.min_raise_to)
            apply(state, legal.player, action)
    return actions
