"""What holds in every state of every hand (A2, C2, C3), for the tests that reach them."""

from fractions import Fraction
from itertools import combinations

from pokerroom.rules.actions import Action, Call, Check, ClockAllIn, Fold, RaiseTo
from pokerroom.rules.errors import IllegalAction
from pokerroom.rules.events import (
    Event,
    HandFinished,
    HandMucked,
    HandShown,
    PlayerActed,
    PlayerPosted,
    PostKind,
    PotWon,
    StreetOpened,
    UncalledBetReturned,
)
from pokerroom.rules.hand import HandState, PlayerStatus, apply, legal_actions
from pokerroom.rules.ranking import hand_rank


def check_state(state: HandState, chips: int) -> None:
    """A2 and C2: chips and rake add up, and a player who can act is to act, or the hand is over."""
    assert sum(state.stacks) + sum(state.committed) + sum(state.rake) == chips == state.chips
    assert min(state.stacks + state.committed + state.bets + state.rake) >= 0
    assert sum(amount for amount, _ in state.pots()) == sum(state.committed) - sum(state.bets)
    contesting = state.contesting()
    for _, eligible in state.pots():
        assert eligible
        assert set(eligible) <= set(contesting)
    if state.finished:
        return
    legal = legal_actions(state)
    player = legal.player
    assert state.to_act == player
    assert state.statuses[player] is PlayerStatus.active
    assert state.stacks[player] > 0
    assert legal.check == (legal.call_amount == 0)
    assert legal.call_amount <= state.stacks[player]
    if legal.min_raise_to is not None:
        assert legal.max_raise_to is not None
        assert state.current_bet < legal.min_raise_to <= legal.max_raise_to
        assert legal.max_raise_to <= state.bets[player] + state.stacks[player]
    dealt = [*state.board, *[card for player in state.setup.players for card in player.holes]]
    assert len(set(dealt)) == len(dealt)


def is_legal(state: HandState, player: int, action: Action) -> bool:
    """Whether the rules should take the action, told from `legal_actions` alone."""
    if state.finished:
        return False
    legal = legal_actions(state)
    if player != legal.player:
        return False
    match action:
        case Fold():
            return True
        case Check():
            return legal.check
        case Call():
            return not legal.check
        case ClockAllIn():
            return state.committed[player] > 0  # H2
        case RaiseTo(amount=amount):
            if legal.min_raise_to is None or legal.max_raise_to is None:
                return False
            return legal.min_raise_to <= amount <= legal.max_raise_to


def actions_to_try(state: HandState) -> list[Action]:
    """Every kind of action, and raises at, around and far beyond every bound that there is."""
    amounts = {-1, 0, 1, state.current_bet, state.current_bet + state.full_raise, 10**9}
    if state.turn is not None and state.turn.min_raise_to is not None:
        bounds = (state.turn.min_raise_to, state.turn.max_raise_to)
        amounts |= {bound + near for bound in bounds for near in (-1, 0, 1)}
    raises = [RaiseTo(amount=amount) for amount in sorted(amounts)]
    return [Fold(), Check(), Call(), ClockAllIn(), *raises]


def check_every_action(state: HandState) -> None:
    """C3: each action by each player is taken or refused as `legal_actions` says; refused, it changes nothing."""
    untouched = state.copy()
    for player in range(-1, len(state.stacks) + 1):
        for action in actions_to_try(state):
            tried, code = state.copy(), None
            try:
                apply(tried, player, action)
            except IllegalAction as refusal:
                code = refusal.code
            assert (code is None) == is_legal(state, player, action), (player, action, code)
            assert (tried == untouched) == (code is not None)
            if code is not None:
                out_of_turn = state.finished or player != state.to_act
                assert (code in {"hand_over", "not_your_turn"}) == out_of_turn
    assert state == untouched


def check_events(events: list[Event], state: HandState) -> None:
    """The events alone tell the whole hand: added up, they give the final stacks."""
    stacks = [player.stack for player in state.setup.players]
    pot = rake = 0
    for event in events:
        match event:
            case PlayerPosted(player=player, amount=amount) | PlayerActed(player=player, added=amount):
                stacks[player] -= amount
                pot += amount
                assert event.stack == stacks[player]
            case UncalledBetReturned(player=player, amount=amount):
                stacks[player] += amount
                pot -= amount
                assert event.stack == stacks[player]
            case PotWon(amount=amount, shares=shares):
                assert sum(share for _, share in shares) + event.rake == amount
                pot -= amount
                rake += event.rake
                for player, share in shares:
                    stacks[player] += share
            case HandFinished():
                assert event is events[-1]
                assert list(event.stacks) == stacks == state.stacks
            case HandShown() | HandMucked() | StreetOpened():
                pass
    assert pot == 0
    assert rake == sum(state.rake)
    awarded = [event.pot for event in events if isinstance(event, PotWon)]
    assert awarded == sorted(awarded, reverse=True)
    dealt = [card for event in events if isinstance(event, StreetOpened) for card in event.cards]
    assert tuple(dealt) == state.board


def best_rank(state: HandState, player: int) -> int:
    """J1 told another way: the best of all five cards that the player may take, one after the other."""
    holes, board = state.setup.players[player].holes, state.board
    if state.setup.variant.name == "omaha":
        return max(
            hand_rank([*two, *three]) for two in combinations(holes, 2) for three in combinations(board, 3)
        )
    return max(hand_rank(five) for five in combinations([*holes, *board], 5))


def fair_winnings(events: list[Event], state: HandState) -> list[Fraction]:
    """F2 told another way: every single chip of each height is shared by the best hands that reach it."""
    live = [0] * len(state.stacks)
    dead = 0
    for event in events:
        match event:
            case PlayerPosted(kind=PostKind.big_blind_ante | PostKind.dead_post, amount=amount):
                dead += amount
            case PlayerPosted(player=player, amount=amount) | PlayerActed(player=player, added=amount):
                live[player] += amount
            case UncalledBetReturned(player=player, amount=amount):
                live[player] -= amount
    won = [Fraction(0)] * len(live)
    contesting = state.contesting()
    ranks = dict.fromkeys(contesting, 0)
    if len(contesting) > 1:
        ranks = {player: best_rank(state, player) for player in contesting}
    top = max(live[player] for player in contesting)
    for height in range(max(live) + 1):
        chips = sum(chips >= height for chips in live) if height else dead
        # Folded chips that lie above everything a contesting player has in go with the highest of theirs.
        reaching = [player for player in contesting if live[player] >= min(height, top)]
        winners = [player for player in reaching if ranks[player] == max(ranks[p] for p in reaching)]
        for player in winners:
            won[player] += Fraction(chips, len(winners))
    return won


def check_shares(events: list[Event], state: HandState) -> None:
    """F2, F3: every player has won their fair share, give or take the odd chips of each pot; for hands without rake."""
    awards = [event for event in events if isinstance(event, PotWon)]
    won = [sum(dict(event.shares).get(player, 0) for event in awards) for player in range(len(state.stacks))]
    for actual, fair in zip(won, fair_winnings(events, state), strict=True):
        assert abs(actual - fair) < max(1, len(awards))
