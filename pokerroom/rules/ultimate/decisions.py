"""What a player can decide, and what he may (U3). Asking and doing share `legal_decisions`.

Checking and folding are hold'em's own values; a Play is a number of Antes.
"""

from typing import ClassVar, Final

from pokerroom.rules.actions import Check, Fold
from pokerroom.rules.ultimate.errors import Refusal, refuse
from pokerroom.rules.ultimate.state import MULTIPLES, BoxStatus, Phase, RoundState
from pokerroom.rules.value import Number, Value


class Play(Value):
    """Bet `multiple` Antes against the bank. Raises TypeError unless it is an `int` (A1)."""

    __slots__: ClassVar[tuple[str, ...]] = ("multiple",)

    def __init__(self, *, multiple: Number) -> None:
        if type(multiple) is not int:
            raise TypeError("a Play is a number of Antes")
        self.multiple: Final[int] = multiple


Decision = Play | Check | Fold


class LegalDecisions(Value):
    """What the player of a box may decide. He either checks, or on the river folds, or plays."""

    __slots__: ClassVar[tuple[str, ...]] = ("check", "fold", "plays")

    def __init__(self, *, check: bool, fold: bool, plays: tuple[tuple[int, int], ...]) -> None:
        self.check: Final = check
        self.fold: Final = fold
        self.plays: Final = plays
        """(multiple, amount) of each Play there is, whatever his balance."""


def legal_decisions(state: RoundState, player: int, box: int) -> LegalDecisions:
    """What the player may decide for his box. Refuses with `round_over`, `not_your_box` or `decided_already`.

    An extra box's Play was placed before the deal: there is nothing to decide.
    """
    if state.finished:
        refuse(Refusal.round_over)
    at = state.at(box)
    if at is None or state.boxes[at].bets.player != player:
        refuse(Refusal.not_your_box)
    one = state.boxes[at]
    if one.status is not BoxStatus.waiting:
        refuse(Refusal.decided_already)
    river = state.phase is Phase.river
    return LegalDecisions(
        check=not river,
        fold=river,
        plays=tuple([(multiple, multiple * one.bets.ante) for multiple in MULTIPLES[state.phase]]),
    )
