"""The round of Ultimate Texas Hold'em: `start` deals, `decide` and `time_out` move it, `void` ends it early.

Nothing here changes a state: each function returns the next one, with what happened where a player or the clock moved
it, or refuses and returns nothing.
How a round moves, and this is the only file that moves it:

* `start` waits for every player to decide on his own box; extra boxes have their Play already (U11).
* `decide` takes one decision. Boxes of a street are decided in any order [D]: a decision changes no other box.
* When no box waits any more, the next street is dealt, after a burn card: the flop, then turn and river together (U3).
  Boxes that have checked decide again. If none has, the board runs out.
* After the river the round is settled (U5), and finished.
* `time_out` decides for all who have not: a check before the flop and on the flop, a fold on the river (U4).

The cards of the whole round are in its setup, already shuffled and dealt. There is no clock here and no wallet: who
runs them passes what its expiry means, and what a player has.
"""

from typing import Final, assert_never

from pokerroom.rules.actions import Check, Fold
from pokerroom.rules.ultimate.decisions import Decision, LegalDecisions, Play, legal_decisions
from pokerroom.rules.ultimate.errors import Refusal, refuse
from pokerroom.rules.ultimate.events import BoardOpened, BoxDecided, DecisionKind, Event, TipTaken
from pokerroom.rules.ultimate.settlement import return_bets, settle
from pokerroom.rules.ultimate.state import (
    BOARD_CARDS,
    BoxState,
    BoxStatus,
    Phase,
    RoundSetup,
    RoundState,
    check_setup,
)
from pokerroom.rules.value import Number

__all__ = [
    "Check",
    "Decision",
    "Fold",
    "LegalDecisions",
    "Play",
    "RoundSetup",
    "RoundState",
    "decide",
    "give_tip",
    "legal_decisions",
    "start",
    "time_out",
    "void",
]

_NEXT: Final = {Phase.preflop: Phase.flop, Phase.flop: Phase.river, Phase.river: Phase.finished}
_WAITING: Final = BoxStatus.waiting
_CHECKED: Final = BoxStatus.checked
_PLAYED: Final = BoxStatus.played


def start(setup: RoundSetup) -> RoundState:
    """Deal two cards to each hand, and wait for the first decisions.

    Raises InvariantBroken for a setup that cannot be.
    """
    check_setup(setup)
    boxes = tuple(
        [
            BoxState(bets=bets, status=_PLAYED if bets.play else _WAITING, play=bets.play)
            for bets in setup.boxes
        ]
    )
    return RoundState(setup=setup, phase=Phase.preflop, boxes=boxes)


def decide(
    state: RoundState, player: int, box: int, decision: Decision, *, balance: int
) -> tuple[RoundState, list[Event]]:
    """Take a player's decision for his box. `balance` is what he has beside the bets that lie there.

    Refuses with `round_over`, `not_your_box`, `decided_already`, `cannot_check`, `cannot_fold`, `play_not_allowed` or
    `insufficient_balance`. Who cannot pay a Play may check or fold; nothing is decided for him (U4).
    """
    legal = legal_decisions(state, player, box)
    multiple = 0
    match decision:
        case Check():
            if not legal.check:
                refuse(Refusal.cannot_check)
            status = _CHECKED
        case Fold():
            if not legal.fold:
                refuse(Refusal.cannot_fold)
            status = BoxStatus.folded
        case Play(multiple=multiple):
            amounts = dict(legal.plays)
            if multiple not in amounts:
                refuse(Refusal.play_not_allowed)
            if amounts[multiple] > balance:
                refuse(Refusal.insufficient_balance)
            status = _PLAYED
        case _:
            assert_never(decision)
    events: list[Event] = []
    boxes = [
        _decided(one, status, multiple, events, automatic=False) if one.bets.box == box else one
        for one in state.boxes
    ]
    return _advance(state, boxes, events)


def time_out(state: RoundState) -> tuple[RoundState, list[Event]]:
    """The clock has run out for all who have not decided: they check, or on the river fold (U4).

    Refuses with `round_over`.
    """
    if state.finished:
        refuse(Refusal.round_over)
    status = BoxStatus.folded if state.phase is Phase.river else _CHECKED
    events: list[Event] = []
    boxes = [
        _decided(one, status, 0, events, automatic=True) if one.status is _WAITING else one
        for one in state.boxes
    ]
    return _advance(state, boxes, events)


def give_tip(
    state: RoundState, player: int, amount: Number, *, balance: int
) -> tuple[RoundState, list[Event]]:
    """A player of this round gives the tronc `amount` (U14), at any time before its end.

    Refuses with `round_over`, `not_your_box` where he has none, `bad_amount` or `insufficient_balance`.
    """
    if state.finished:
        refuse(Refusal.round_over)
    if all(box.bets.player != player for box in state.boxes):
        refuse(Refusal.not_your_box)
    if type(amount) is not int or amount < 1:
        refuse(Refusal.bad_amount)
    if amount > balance:
        refuse(Refusal.insufficient_balance)
    tips = (*state.tips, (player, amount))
    after = RoundState(setup=state.setup, phase=state.phase, boxes=state.boxes, tips=tips)
    return after, [TipTaken(player=player, amount=amount)]


def void(state: RoundState, *, decided: bool = False) -> RoundState:
    """The operator ends the round: every bet goes back, exactly once (U15). Refuses with `round_over`.

    One that was played to its end is void only where `decided` says so, its result being paid to nobody [D]. It stands
    on the river then, with nobody to decide.
    """
    if state.finished and (state.is_void or not decided):
        refuse(Refusal.round_over)
    settlement = return_bets(state.setup, state.boxes, state.tips)
    phase = Phase.river if state.phase is Phase.finished else state.phase
    return RoundState(
        setup=state.setup, phase=phase, boxes=state.boxes, tips=state.tips, settlement=settlement
    )


def _decided(
    box: BoxState, status: BoxStatus, multiple: int, events: list[Event], *, automatic: bool
) -> BoxState:
    kind = DecisionKind.play if multiple else DecisionKind.check if status is _CHECKED else DecisionKind.fold
    after = BoxState(bets=box.bets, status=status, play=multiple)
    events.append(
        BoxDecided(
            box=box.bets.box,
            player=box.bets.player,
            decision=kind,
            multiple=multiple,
            amount=after.play_bet,
            automatic=automatic,
        )
    )
    return after


def _advance(state: RoundState, boxes: list[BoxState], events: list[Event]) -> tuple[RoundState, list[Event]]:
    """Deal while no box has to decide, and settle after the river."""
    phase, dealt = state.phase, len(state.board)
    while not any(box.status is _WAITING for box in boxes):
        phase = _NEXT[phase]
        if phase is Phase.finished:
            break
        boxes = [BoxState(bets=box.bets, status=_WAITING) if box.status is _CHECKED else box for box in boxes]
        cards = state.setup.deal.board[dealt : BOARD_CARDS[phase]]
        dealt += len(cards)
        events.append(BoardOpened(phase=phase, cards=cards))
    settlement = None
    if phase is Phase.finished:
        settlement = settle(state.setup, tuple(boxes), state.tips)
    after = RoundState(
        setup=state.setup, phase=phase, boxes=tuple(boxes), tips=state.tips, settlement=settlement
    )
    return after, events
