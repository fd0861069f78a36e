"""Check that a state that was read back is one that a hand can reach: a recovery must not play on with another.

The check sees the state alone, and plays only the posts of its setup. A state that passes adds up, has the right player
to act, and plays on to its end. Two histories of one pot cannot be told apart: the last raiser is taken on
trust.
"""

from typing import Final

from pokerroom.rules.betting import FixedLimit
from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.legal import last_to_answer, next_to_act
from pokerroom.rules.posting import post_all
from pokerroom.rules.state import HandState, PlayerStatus

_ACTIVE: Final = PlayerStatus.active
_FOLDED: Final = PlayerStatus.folded


def check_stored(state: HandState, to_act: int | None) -> None:
    """Raise InvariantBroken unless a hand can reach `state` with `to_act` as the player to act."""
    _check_values(state, to_act)
    state.check_chips()
    if to_act is None:
        _check_finished(state)
        return
    opening = HandState(state.setup)  # as it was once all players had posted
    post_all(opening, [])
    for player in range(len(state.stacks)):
        _check_player(state, opening, player)
    _check_betting(state, opening)
    _check_turn(state, to_act)


def _check_values(state: HandState, to_act: int | None) -> None:
    """Check that every field is of its type (A1), and that each player has one of it."""
    players = len(state.setup.players)
    amounts = [*state.stacks, *state.bets, *state.committed, *state.dead, *state.rake]
    amounts += [state.blind_shortfall, state.current_bet, state.full_bet, state.full_raise, state.raises]
    if any(type(amount) is not int or amount < 0 for amount in amounts):
        raise InvariantBroken("an amount is an int of 0 or more (A1)")
    setup = state.setup
    for card in [*setup.board, *[card for player in setup.players for card in player.holes]]:
        if type(card) is not int or card not in setup.variant.deck:
            raise InvariantBroken("a card is not in the deck (A2)")
    for values in (state.stacks, state.bets, state.committed, state.dead, state.statuses, state.acted):
        if len(values) != players:
            raise InvariantBroken("each player has a stack, a bet and a status")
    if state.rake and (setup.rake is None or to_act is not None or len(state.rake) != players):
        raise InvariantBroken("the rake is taken as the pots are awarded, of each player a part (F4, F5)")
    for player in (to_act, state.aggressor):
        if player is not None and (type(player) is not int or not 0 <= player < players):
            raise InvariantBroken("there is no such player")


def _check_finished(state: HandState) -> None:
    """A2, C2: the pots are awarded, to the only player left or after the last street's betting."""
    if any(state.bets) or any(state.committed) or any(state.dead):
        raise InvariantBroken("the hand is over, with chips still in the pot (A2)")
    left = len(state.stacks) - state.statuses.count(_FOLDED)
    if left == 1:
        return
    waiting = any(
        status is _ACTIVE and not acted for status, acted in zip(state.statuses, state.acted, strict=True)
    )
    last = state.setup.variant.last_street
    if left < 1 or state.street is not last or (waiting and state.statuses.count(_ACTIVE) > 1):
        raise InvariantBroken("the hand is not over: a player is to act (C2)")


def _check_player(state: HandState, opening: HandState, player: int) -> None:
    """A2: the player's chips are those of the hand's start, and the status follows from them."""
    stack, bet, committed = state.stacks[player], state.bets[player], state.committed[player]
    if stack + committed != state.setup.players[player].stack:
        raise InvariantBroken("a player has other chips than at the hand's start (A2)")
    if state.dead[player] != opening.dead[player]:
        raise InvariantBroken("dead posts stay as they were posted (B8, B9)")
    if (not stack) != (state.statuses[player] is PlayerStatus.all_in):
        raise InvariantBroken("a player is all-in exactly with no chips behind")
    middle = committed - state.dead[player] - bet
    if state.street is state.setup.variant.first_street:
        agrees = middle == opening.committed[player] - opening.dead[player] - opening.bets[player]
        before = opening.bets[player]
    else:  # at least two players could bet on, and have matched the largest blind
        matched = max(_middle(state))
        agrees = middle >= 0 and opening.full_bet <= matched
        agrees = agrees and (state.statuses[player] is not _ACTIVE or middle == matched)
        before = 0
    if not agrees:
        raise InvariantBroken("the chips in the middle were not put there (A2)")
    if not before <= bet <= state.current_bet or (bet > before and not state.acted[player]):
        raise InvariantBroken("a player has bet without acting, or more than the bet to match")


def _middle(state: HandState) -> list[int]:
    return [chips - bet for chips, bet in zip(state.live(), state.bets, strict=True)]


def _check_betting(state: HandState, opening: HandState) -> None:
    """D, E: the bet to match is the opening one, or the last aggressor's."""
    structure, preflop = state.setup.structure, state.street is state.setup.variant.first_street
    blind = opening.full_bet if preflop else 0
    least = structure.opening_raise(state.street, state.setup.big_blind, blind)
    raises, raised = state.raises - structure.blind_raises(blind), state.full_bet - blind
    if state.blind_shortfall != (opening.blind_shortfall if preflop else 0):
        raise InvariantBroken("short blinds count pre-flop only (D4)")
    if raises < 0 or not 0 <= raised <= state.current_bet - blind or (raises == 0) != (raised == 0):
        raise InvariantBroken("a full bet or raise makes a higher bet (D1, D5)")
    if 2 * raised < raises * least:  # in fixed limit half a bet is a full one (E2)
        raise InvariantBroken("there were more raises than fit in the bet (D1, D5)")
    largest = least if isinstance(structure, FixedLimit) else max(least, raised)
    if not least <= state.full_raise <= largest or (not raises and state.full_raise != least):
        raise InvariantBroken("the increment is the last full raise's (D1, D5)")
    aggressor = state.aggressor
    if aggressor is None:
        if state.current_bet != blind:
            raise InvariantBroken("there is a bet without a bettor (D1)")
        return
    by = state.bets[aggressor], state.acted[aggressor], state.statuses[aggressor] is _FOLDED
    if state.current_bet <= blind or by != (state.current_bet, True, False):
        raise InvariantBroken("the last aggressor's bet is the one to match (D1)")


def _check_turn(state: HandState, to_act: int) -> None:
    """C1, C2: the player to act is the first after the last aggressor, or the first of the street."""
    players = len(state.stacks)
    last = state.setup.last_blind if state.street is state.setup.variant.first_street else players - 1
    if state.statuses.count(_ACTIVE) < 2:
        expected = last_to_answer(state)
    else:
        expected = next_to_act(state, last if state.aggressor is None else state.aggressor)
    if to_act != expected:
        raise InvariantBroken("it is another player's turn (C1, C2)")
    order = [(last + 1 + step) % players for step in range(players)]
    acted = [state.acted[player] for player in order if state.statuses[player] is _ACTIVE]
    before = len([player for player in order[: order.index(to_act)] if state.statuses[player] is _ACTIVE])
    first_time_round = acted == [at < before for at in range(len(acted))]
    if not first_time_round and (state.aggressor is None or not all(acted)):
        raise InvariantBroken("the players act one after the other (C1)")
    began_with = len(
        [1 for status, a in zip(state.statuses, state.acted, strict=True) if status is not _FOLDED or a]
    )
    if state.heads_up != (began_with == 2):
        raise InvariantBroken("a street that begins with two is heads-up (D5)")
