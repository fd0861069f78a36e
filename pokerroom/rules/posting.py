"""What is put in: antes, blinds and dead posts at the start of a hand (B5-B9), and what a player adds by acting.

This module moves chips from the stack to the middle, and sets the bet to match. It does not know the turn.
"""

from pokerroom.rules.events import Event, PlayerPosted, PostKind
from pokerroom.rules.state import HandState, PlayerStatus


def put_in(state: HandState, player: int, amount: int) -> None:
    """Move `amount` from the player's stack to the bet. With nothing left the player is all-in."""
    stack = state.stacks[player] - amount
    state.stacks[player] = stack
    state.bets[player] += amount
    state.committed[player] += amount
    if not stack:
        state.statuses[player] = PlayerStatus.all_in


def post_all(state: HandState, events: list[Event]) -> None:
    """Post what the state's setup says is owed, antes before blinds (B9) [D]."""
    _post_antes(state, events)
    _post_blinds(state, events)


def _post_antes(state: HandState, events: list[Event]) -> None:
    """Antes, the big-blind ante among them (B9).

    An ante that all players owe is matched like a bet: a player short of it contests only their part (F2). What is
    owed beyond the smallest ante is posted for the table, as a big-blind ante is: it lies dead in the main pot (B9)
    [D]. It cannot be a side pot, because the players who owe less have nothing to match it with. It is at most what
    the player's blind leaves of the stack, because the blind comes first.
    """
    antes = [player.ante for player in state.setup.players]
    if not any(antes):
        return
    common = min(antes)
    for player, owed in enumerate(state.setup.players):
        _post(state, player, PostKind.ante, common, events)
        beside_the_blind = state.stacks[player] - (0 if state.setup.ante_first else owed.blind)
        _post(state, player, PostKind.big_blind_ante, min(owed.ante - common, beside_the_blind), events)
    state.bets = [0] * len(antes)  # antes lie in the middle


def _post_blinds(state: HandState, events: list[Event]) -> None:
    """Blinds from the small one up, then dead posts. The bet to match is the nominal blind (B5).

    A straddle is a larger blind: it is to be called in full also where the straddler is short of it (B5, B6) [D].
    """
    setup = state.setup
    state.blind_shortfall = setup.dead_blind
    blinds = sorted([(owed.blind, player) for player, owed in enumerate(setup.players) if owed.blind])
    for blind, player in blinds:
        kind = setup.players[player].blind_kind
        if kind is not None:
            state.blind_shortfall += blind - _post(state, player, kind, blind, events)
    for player, owed in enumerate(setup.players):
        if owed.dead:
            _post(state, player, PostKind.dead_post, owed.dead, events)
    structure = setup.structure
    largest = blinds[-1][0] if blinds else 0
    state.current_bet = state.full_bet = largest
    state.full_raise = structure.opening_raise(state.street, setup.big_blind, largest)
    state.raises = structure.blind_raises(largest)


def _post(state: HandState, player: int, kind: PostKind, owed: int, events: list[Event]) -> int:
    """Post `owed`, or what is left (B5). There is no event where nothing is posted."""
    amount = min(owed, state.stacks[player])
    if amount <= 0:
        return 0
    put_in(state, player, amount)
    if kind is PostKind.big_blind_ante or kind is PostKind.dead_post:
        state.bets[player] -= amount
        state.dead[player] += amount
    stack = state.stacks[player]
    events.append(PlayerPosted(player=player, kind=kind, amount=amount, stack=stack, all_in=not stack))
    return amount
