"""One hand: `start` posts, `apply` takes one action, and both return what happened as events.

Only this file moves a hand, with `posting` and the award in `showdown`:

* `start` posts antes, blinds and dead posts, and then *advances*. `apply` checks the action against
  `legal_actions`, changes the state, and advances.
* To advance is to find the next player to act (C1, C2). If there is one, the transition is over.
* If only one player has not folded, that player is awarded the pot (G1).
* Otherwise the street is over. The uncalled bet goes back (F1). With two players left who can bet, the next
  street is dealt and its first player acts. With fewer, or after the last street, the board runs out and the
  pots are awarded (C2, G2, G3).

So between two calls a state is always one of two: a player is to act, or the hand is finished. A refused
action changes nothing: everything is checked before anything is changed.

The cards of the whole hand are in its setup, already shuffled and dealt. Which streets there are and how hands
are ranked, the setup's variant says. There is no clock here: its owner passes `ClockAllIn` (H2) or a fold.
"""

from typing import Final, assert_never

from pokerroom.rules.actions import Action, Call, Check, ClockAllIn, Fold, RaiseTo
from pokerroom.rules.data import state_from_data, state_to_data
from pokerroom.rules.errors import IllegalAction
from pokerroom.rules.events import ActionKind, Event, PlayerActed, StreetOpened
from pokerroom.rules.legal import last_to_answer, legal_actions, next_to_act, turn_of
from pokerroom.rules.posting import post_all, put_in
from pokerroom.rules.setup import HandSetup, PlayerSetup, check_setup
from pokerroom.rules.showdown import (
    all_in_shown,
    award_showdown,
    award_uncontested,
    return_uncalled,
    show_all,
)
from pokerroom.rules.state import HandState, LegalActions, PlayerStatus

__all__ = [
    "HandSetup",
    "HandState",
    "LegalActions",
    "PlayerSetup",
    "PlayerStatus",
    "apply",
    "legal_actions",
    "start",
    "state_from_data",
    "state_to_data",
]

# Reading an enum's member takes three times as long as reading a name of this module.
_ACTIVE: Final = PlayerStatus.active
_FOLDED: Final = PlayerStatus.folded
_BET: Final = ActionKind.bet
_CALL: Final = ActionKind.call
_CHECK: Final = ActionKind.check
_CLOCK_ALL_IN: Final = ActionKind.clock_all_in
_FOLD: Final = ActionKind.fold
_RAISE: Final = ActionKind.raise_


def start(setup: HandSetup) -> tuple[HandState, list[Event]]:
    """Post what is owed and find the first player to act. If no player can act, the hand runs to its end.

    Raises InvariantBroken for a setup that cannot be.
    """
    check_setup(setup)
    state = HandState(setup)
    events: list[Event] = []
    post_all(state, events)
    _advance(state, setup.last_blind, events)
    state.check_chips()
    return state, events


def apply(  # noqa: C901, PLR0912 -- one case for each action
    state: HandState, player: int, action: Action
) -> list[Event]:
    """Take `player`'s action, change `state`, and return what happened.

    Raises IllegalAction with its code, and changes nothing, for what `legal_actions` does not allow.
    Raises InvariantBroken when chips do not add up: then the table must stop.
    """
    legal = state.turn
    if legal is None:
        raise IllegalAction("hand_over")
    if player != legal.player:
        raise IllegalAction("not_your_turn")
    added = 0
    match action:
        case Call():
            if legal.check:
                raise IllegalAction("nothing_to_call")
            kind, added = _CALL, legal.call_amount
        case Check():
            if not legal.check:
                raise IllegalAction("cannot_check")
            kind = _CHECK
        case Fold():
            kind = _FOLD
            state.statuses[player] = _FOLDED
        case RaiseTo(amount=amount):
            _check_raise(legal, amount)
            kind = _RAISE if state.current_bet else _BET
            added = amount - state.bets[player]
            _note_raise(state, player, amount)
        case ClockAllIn():
            # H2: with nothing in the pot there is nothing to be all-in for. A blind or ante counts [D].
            if not state.committed[player]:
                raise IllegalAction("fold_instead")
            kind = _CLOCK_ALL_IN
            state.statuses[player] = PlayerStatus.clock_all_in
        case _:
            assert_never(action)
    if added:
        put_in(state, player, added)
    state.acted[player] = True
    bet, stack = state.bets[player], state.stacks[player]
    all_in = not stack or kind is _CLOCK_ALL_IN
    events: list[Event] = [
        PlayerActed(player=player, action=kind, added=added, bet=bet, stack=stack, all_in=all_in)
    ]
    if kind is _FOLD and state.statuses.count(_FOLDED) == len(state.statuses) - 1:
        award_uncontested(state, state.contesting()[0], events)
    else:
        _advance(state, player, events)
    if added or len(events) > 1:  # chips have moved
        state.check_chips()
    return events


def _check_raise(legal: LegalActions, amount: int) -> None:
    if legal.min_raise_to is None or legal.max_raise_to is None:
        raise IllegalAction("raise_not_allowed")
    if amount < legal.min_raise_to:
        raise IllegalAction("raise_too_small")
    if amount > legal.max_raise_to:
        raise IllegalAction("raise_too_large")


def _note_raise(state: HandState, player: int, amount: int) -> None:
    structure = state.setup.structure
    if structure.is_full(state, amount):
        state.full_raise = structure.next_raise(state, amount)
        state.full_bet = amount
        state.raises += 1
    state.current_bet = amount
    state.aggressor = player


def _advance(state: HandState, after: int, events: list[Event]) -> None:
    """Find the next player to act after player `after`. Deal and award as far as the hand goes by itself."""
    statuses = state.statuses
    player = next_to_act(state, after) if statuses.count(_ACTIVE) > 1 else last_to_answer(state)
    if player is None:
        return_uncalled(state, events)
        if state.street is state.setup.variant.last_street or statuses.count(_ACTIVE) < 2:
            _run_out(state, events)
            return
        _deal_street(state, events)
        # C1: the first live player left of the button: player 0, or the next one that can act.
        player = statuses.index(_ACTIVE)
    state.turn = turn_of(state, player)


def _run_out(state: HandState, events: list[Event]) -> None:
    """The betting is over: deal what is left of the board and award the pots (C2, G2, G3)."""
    shown = all_in_shown(state)
    if shown:
        show_all(state, events)
    while state.street is not state.setup.variant.last_street:
        _deal_street(state, events)
    award_showdown(state, events, shown=shown)


def _deal_street(state: HandState, events: list[Event]) -> None:
    setup = state.setup
    variant = setup.variant
    street = variant.next_street[state.street]
    dealt = len(state.board)
    state.street = street
    state.board = setup.board[: variant.board_cards[street]]
    players = len(state.bets)
    state.bets = [0] * players
    state.acted = [False] * players
    state.current_bet = state.full_bet = state.raises = 0
    state.full_raise = setup.structure.opening_raise(street, setup.big_blind, 0)
    state.heads_up = state.statuses.count(_FOLDED) == players - 2
    state.aggressor = None
    state.blind_shortfall = 0
    events.append(StreetOpened(street=street, cards=state.board[dealt:], pots=tuple(state.pots())))
