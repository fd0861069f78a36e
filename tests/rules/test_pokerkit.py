"""The same random no-limit hands played by PokerKit, an independent referee: stacks and ranges must agree.

Where the rules differ on purpose, the hands are drawn so that the difference cannot show, or the hand is
compared up to it:

* B5: PokerKit lowers the bet to call to what a short blind posted. Stacks here cover antes and blinds.
* C2: PokerKit asks the last player with chips for a check where nobody can bet against him.
* E1: PokerKit lets who has acted raise a short all-in when the street saw no full bet or raise before it (a
  limper, or who has checked). There our range is not compared with its.
* F2, F3: PokerKit gives all odd chips of a pot to one player, and joins pots once beaten hands are killed.
  Stacks may differ by the odd chips of pots that were split; without any they are equal.
* H3: PokerKit has no clock; nobody is all-in by it here.
"""

import warnings

import pytest

from pokerroom.rules.actions import Action, Call, Check, Fold, RaiseTo
from pokerroom.rules.betting import NoLimit
from pokerroom.rules.cards import DECK, card_text
from pokerroom.rules.deal import deal
from pokerroom.rules.events import Event, PostKind, PotAwarded, Street
from pokerroom.rules.hand import HandSetup, HandState, PlayerSetup, apply, legal_actions, start

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from pokerkit import Automation, NoLimitTexasHoldem

HANDS = 800


class Lcg:
    """A small seeded generator of integers: the same hands in every run and on every machine."""

    def __init__(self, seed: int) -> None:
        self.number = seed

    def below(self, bound: int) -> int:
        self.number = (self.number * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) % 2**64
        return (self.number >> 33) % bound


def random_setup(lcg: Lcg) -> HandSetup:
    deck = list(DECK)
    for last in range(51, 0, -1):
        other = lcg.below(last + 1)
        deck[last], deck[other] = deck[other], deck[last]
    players = 2 + lcg.below(8)
    ante = (0, 0, 3)[lcg.below(3)]
    dealt = deal(deck, players)
    big, small = (0, 1) if players == 2 else (1, 0)
    blinds = {big: (10, PostKind.big_blind), small: (5, PostKind.small_blind)}
    return HandSetup(
        structure=NoLimit(),
        big_blind=10,
        players=tuple(
            PlayerSetup(
                stack=13 + lcg.below((40, 200, 1000)[lcg.below(3)]),
                holes=dealt.holes[player],
                ante=ante,
                blind=blinds.get(player, (0, None))[0],
                blind_kind=blinds.get(player, (0, None))[1],
                muck_losing=False,
            )
            for player in range(players)
        ),
        board=dealt.board,
        last_blind=big,
    )


class Referee:
    """PokerKit's state of the same hand, dealt the same cards. It, too, counts from the left of the button."""

    AUTOMATIONS = tuple(
        automation
        for automation in Automation
        if automation not in {Automation.CARD_BURNING, Automation.HOLE_DEALING, Automation.BOARD_DEALING}
    )

    def __init__(self, setup: HandSetup) -> None:
        blinds = [player.blind for player in setup.players]
        self.state = NoLimitTexasHoldem.create_state(
            self.AUTOMATIONS,
            ante_trimming_status=True,
            raw_antes=[player.ante for player in setup.players],
            # Heads-up PokerKit takes the blinds as small and big, and gives player 0 the big one.
            raw_blinds_or_straddles=blinds[::-1] if len(blinds) == 2 else blinds,
            min_bet=setup.big_blind,
            raw_starting_stacks=[player.stack for player in setup.players],
            player_count=len(setup.players),
        )
        self.board = "".join(card_text(card) for card in setup.board)
        for player in setup.players:
            self.state.deal_hole("".join(card_text(card) for card in player.holes))
        self.deal_board()

    def deal_board(self) -> None:
        """Deal whatever streets PokerKit waits for."""
        while self.state.status and self.state.actor_index is None:
            if self.state.can_burn_card("??"):
                self.state.burn_card("??")
            cards = 1 if self.state.board_cards else 3
            self.state.deal_board(self.board[: 2 * cards])
            self.board = self.board[2 * cards :]

    def range(self) -> tuple[int | None, int | None]:
        """Its range of raise-to totals, as in LegalActions."""
        if not self.state.can_complete_bet_or_raise_to():
            return None, None
        return (
            self.state.min_completion_betting_or_raising_to_amount,
            self.state.max_completion_betting_or_raising_to_amount,
        )

    def apply(self, action: Action) -> None:
        match action:
            case Fold():
                self.state.fold()
            case RaiseTo(amount=amount):
                self.state.complete_bet_or_raise_to(amount)
            case _:
                self.state.check_or_call()
        self.deal_board()


def choose(lcg: Lcg, state: HandState) -> Action:
    """One fold in ten where there is a bet, three raises in ten, of any legal size; else check or call."""
    legal = legal_actions(state)
    dice = lcg.below(10)
    if dice == 0 and not legal.check:
        return Fold()
    if dice in {1, 2, 3} and legal.min_raise_to is not None and legal.max_raise_to is not None:
        width = legal.max_raise_to - legal.min_raise_to
        return RaiseTo(amount=legal.min_raise_to + lcg.below(1 + width // (1, 4, 16)[dice - 1]))
    return Check() if legal.check else Call()


def odd_chips(events: list[Event]) -> int:
    """How many odd chips there were, which PokerKit may have given to someone else."""
    return sum(event.amount % len(event.shares) for event in events if isinstance(event, PotAwarded))


def first_short_all_in(state: HandState, player: int) -> bool:
    """Whether an acted player faces a short all-in without a full bet or raise before it on the street."""
    blind = 1 if state.street is Street.preflop else 0
    return state.acted[player] and state.raises == blind and state.current_bet > state.full_bet


@pytest.mark.filterwarnings("ignore::UserWarning")  # PokerKit remarks on cards that are not dealt by itself
@pytest.mark.parametrize("seed", range(8))
def test_pokerkit_agrees(seed):
    """B, C, D, E, F, J: whose turn, the legal range, and the final stacks are as PokerKit has them."""
    lcg = Lcg(seed)
    for _ in range(HANDS // 8):
        setup = random_setup(lcg)
        referee = Referee(setup)
        state, events = start(setup)
        while not state.finished:
            legal = legal_actions(state)
            assert legal.player == referee.state.actor_index
            assert legal.call_amount == referee.state.checking_or_calling_amount
            if not first_short_all_in(state, legal.player):
                assert (legal.min_raise_to, legal.max_raise_to) == referee.range()
            action = choose(lcg, state)
            events += apply(state, legal.player, action)
            referee.apply(action)

        if referee.state.checking_or_calling_amount == 0:
            referee.apply(Check())
        assert not referee.state.status
        differences = [abs(a - b) for a, b in zip(state.stacks, referee.state.stacks, strict=True)]
        assert sum(differences) <= 2 * odd_chips(events)
