"""PokerKit as an independent referee: the same hand, dealt the same cards, in every game and structure.

Both count players from the left of the button. Amounts stand in units of 1; the blinds are 5 and 10.
"""

import warnings

from pokerroom.rules.actions import Action, Call, Check, Fold, RaiseTo
from pokerroom.rules.betting import BettingStructure, FixedLimit, NoLimit, PotLimit
from pokerroom.rules.cards import card_text
from pokerroom.rules.deal import deal
from pokerroom.rules.events import PostKind
from pokerroom.rules.hand import HandSetup, HandState, PlayerSetup, legal_actions
from pokerroom.rules.variants import HOLDEM, OMAHA, Variant

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import pokerkit

SMALL_BLIND, BIG_BLIND, STRADDLE, ANTE = 5, 10, 20, 3
GAMES: dict[str, tuple[Variant, BettingStructure]] = {
    "no_limit": (HOLDEM, NoLimit()),
    "pot_limit": (HOLDEM, PotLimit()),
    "fixed_limit": (HOLDEM, FixedLimit(small_bet=BIG_BLIND, big_bet=2 * BIG_BLIND)),
    "omaha": (OMAHA, PotLimit()),
}
KIT_HANDS = {"holdem": pokerkit.StandardHighHand, "omaha": pokerkit.OmahaHoldemHand}
KIT_STRUCTURES = {
    "no_limit": pokerkit.BettingStructure.NO_LIMIT,
    "pot_limit": pokerkit.BettingStructure.POT_LIMIT,
    "fixed_limit": pokerkit.BettingStructure.FIXED_LIMIT,
}


class Lcg:
    """A small seeded generator of integers: the same hands in every run and on every machine."""

    def __init__(self, seed: int) -> None:
        self.number = seed

    def below(self, bound: int) -> int:
        self.number = (self.number * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) % 2**64
        return (self.number >> 33) % bound


def random_setup(lcg: Lcg, variant: Variant, structure: BettingStructure) -> HandSetup:
    """2 to 10 players of unequal stacks, some with antes, big-blind antes, antes of their own or a straddle.

    Who owes the largest blind covers it (B5: PokerKit lowers the bet to call to what was posted of it), and where
    antes differ every player covers the smallest (B9: PokerKit matches all antes of a hand or none). Otherwise players
    may have as little as one chip, and be short of a smaller blind or of an ante. Who owes an ante for the table covers
    it with the blind (B9: PokerKit takes the ante first).
    """
    deck = list(variant.deck)
    for last in range(51, 0, -1):
        other = lcg.below(last + 1)
        deck[last], deck[other] = deck[other], deck[last]
    players = 2 + lcg.below(9)
    big, small = (0, 1) if players == 2 else (1, 0)
    blinds = {big: (BIG_BLIND, PostKind.big_blind), small: (SMALL_BLIND, PostKind.small_blind)}
    straddler = 2 if players > 3 and lcg.below(5) == 0 else None
    if straddler is not None:
        blinds[straddler] = (STRADDLE, PostKind.straddle)
    antes = [(0, 0, ANTE)[lcg.below(3)]] * players
    if lcg.below(5) == 0:
        antes[big] += BIG_BLIND
    elif lcg.below(10) == 0:
        antes = [lcg.below(2 * ANTE) for _ in antes]
    largest = max(blind for blind, _ in blinds.values())
    dealt = deal(deck, players, variant)
    seats = []
    for player in range(players):
        blind, kind = blinds.get(player, (0, None))
        least = min(antes) if len(set(antes)) > 1 else 0
        if blind == largest or antes[player] > min(antes):
            least = antes[player] + blind
        stack = max(1, least) + lcg.below((10, 40, 200, 1000)[lcg.below(4)])
        holes = dealt.holes[player]
        seats.append(
            PlayerSetup(
                stack=stack, holes=holes, ante=antes[player], blind=blind, blind_kind=kind, muck_losing=False
            )
        )
    return HandSetup(
        variant=variant,
        structure=structure,
        big_blind=BIG_BLIND,
        players=tuple(seats),
        board=dealt.board,
        last_blind=big if straddler is None else straddler,
    )


def choose(lcg: Lcg, state: HandState, *, raises: bool) -> Action:
    """One fold in ten where there is a bet, three raises in ten, of any legal size; else check or call."""
    legal = legal_actions(state)
    dice = lcg.below(10)
    if dice == 0 and not legal.check:
        return Fold()
    if raises and dice in {1, 2, 3} and legal.min_raise_to is not None and legal.max_raise_to is not None:
        width = legal.max_raise_to - legal.min_raise_to
        return RaiseTo(amount=legal.min_raise_to + lcg.below(1 + width // (1, 4, 16)[dice - 1]))
    return Check() if legal.check else Call()


class Referee:
    """PokerKit's state of a hand."""

    AUTOMATIONS = tuple(
        automation
        for automation in pokerkit.Automation
        if automation.name not in {"CARD_BURNING", "HOLE_DEALING", "BOARD_DEALING"}
    )

    def __init__(self, setup: HandSetup) -> None:
        players = setup.players
        blinds, antes = [player.blind for player in players], [player.ante for player in players]
        if len(players) == 2:  # heads-up PokerKit takes them the other way round
            blinds, antes = blinds[::-1], antes[::-1]
        self.state = pokerkit.State(
            self.AUTOMATIONS,
            pokerkit.Deck.STANDARD,
            (KIT_HANDS[setup.variant.name],),
            self.streets(setup, max(blinds)),
            KIT_STRUCTURES[setup.structure.name],
            len(set(antes)) == 1,  # antes that differ lie dead, they are not matched
            antes,
            blinds,
            0,
            [player.stack for player in players],
            len(players),
        )
        self.board = "".join(card_text(card) for card in setup.board)
        for player in players:
            self.state.deal_hole("".join(card_text(card) for card in player.holes))
        self.deal_board()

    @staticmethod
    def streets(setup: HandSetup, blind: int) -> tuple[pokerkit.Street, ...]:
        """The four streets of a game with a board, with fixed limit's sizes and cap (D5).

        The blind is the first bet, and a straddle a raise: the blind that a first raise doubles [D].
        """
        cap = 5 - max(1, blind // BIG_BLIND)
        fixed = setup.structure.name == "fixed_limit"
        return tuple(
            pokerkit.Street(
                bool(cards),
                () if cards else (False,) * setup.variant.hole_cards,
                cards,
                False,
                pokerkit.Opening.POSITION,
                bets * BIG_BLIND if fixed else BIG_BLIND if cards else blind,
                raises if fixed else None,
            )
            for cards, bets, raises in ((0, 1, cap - 1), (3, 1, 4), (1, 2, 4), (1, 2, 4))
        )

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

    def finish(self) -> None:
        """Give it the checks that it asks of a player with chips left when no player can bet against them (C2)."""
        while self.state.status and self.state.checking_or_calling_amount == 0:
            self.apply(Check())
