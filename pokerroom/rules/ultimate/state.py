"""A round between two decisions: immutable values. `round` makes one from another; everyone else reads.

No repr of a state or its setup shows a card that is not on the board.
"""

from enum import StrEnum
from typing import ClassVar, Final

from pokerroom.rules.cards import Card, card_text
from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.ultimate.bets import BoxBets
from pokerroom.rules.ultimate.deal import RoundDeal
from pokerroom.rules.ultimate.result import Settlement
from pokerroom.rules.ultimate.terms import EARLY_MULTIPLES, Seating, Terms
from pokerroom.rules.value import Number, Value


class Phase(StrEnum):
    """Where a round stands. Turn and river come together (U3), so there is no phase between them."""

    preflop = "preflop"
    flop = "flop"
    river = "river"
    finished = "finished"


MULTIPLES: Final = {Phase.preflop: EARLY_MULTIPLES, Phase.flop: (2,), Phase.river: (1,)}
"""What a Play may be on each street, in Antes (U3)."""
BOARD_CARDS: Final = {Phase.preflop: 0, Phase.flop: 3, Phase.river: 5, Phase.finished: 5}
"""How many board cards are out in each phase."""


class BoxStatus(StrEnum):
    """What a box's player has decided."""

    waiting = "waiting"
    """He is to decide on this street."""
    checked = "checked"
    """He has checked on this street, and others are still to decide."""
    played = "played"
    folded = "folded"


class BoxState(Value):
    """A box in a round: its bets, and what was decided."""

    __slots__: ClassVar[tuple[str, ...]] = ("bets", "status", "play")

    def __init__(self, *, bets: BoxBets, status: BoxStatus, play: Number = 0) -> None:
        if type(play) is not int:
            raise TypeError("a Play is a number of Antes")
        self.bets: Final = bets
        self.status: Final = status
        self.play: Final[int] = play
        """The Play in Antes; 0 while there is none. One at most (U3)."""

    @property
    def play_bet(self) -> int:
        """The Play, in the smallest unit."""
        return self.play * self.bets.ante

    @property
    def staked(self) -> int:
        """All that lies on the box now: Ante, Blind, Play, Trips and progressive bet."""
        return 2 * self.bets.ante + self.play_bet + self.bets.trips + self.bets.progressive


class RoundSetup(Value):
    """All a round needs to know, the cards to come included. Its repr shows none of them."""

    __slots__: ClassVar[tuple[str, ...]] = ("terms", "boxes", "deal", "meter")
    _hidden: ClassVar[str] = "deal"

    def __init__(
        self, *, terms: Terms, boxes: tuple[BoxBets, ...], deal: RoundDeal, meter: Number = 0
    ) -> None:
        if type(meter) is not int:
            raise TypeError("a meter is an amount (A1)")
        self.terms: Final = terms
        self.boxes: Final = boxes
        """The bets that stand, by number of the box: as `close_betting` gives them."""
        self.deal: Final = deal
        """As `deal_round` gives it: for one hand at a common hand, else for as many as there are boxes."""
        self.meter: Final[int] = meter
        """What the progressive meter holds as the round begins, before this round's bets feed it."""

    def holes(self, at: int) -> tuple[Card, Card]:
        """The two cards of the box in this place of `boxes`."""
        return self.deal.holes[0 if self.terms.seating is Seating.common_hand else at]


class RoundState(Value):
    """A round in progress, or over."""

    __slots__: ClassVar[tuple[str, ...]] = ("setup", "phase", "boxes", "tips", "settlement")

    def __init__(
        self,
        *,
        setup: RoundSetup,
        phase: Phase,
        boxes: tuple[BoxState, ...],
        tips: tuple[tuple[int, int], ...] = (),
        settlement: Settlement | None = None,
    ) -> None:
        self.setup: Final = setup
        self.phase: Final = phase
        """A void round stays where it was; on the river where all was decided."""
        self.boxes: Final = boxes
        """In the order of the setup's."""
        self.tips: Final = tips
        """(player, amount), in the order they were given."""
        self.settlement: Final = settlement
        """Who gets what; None until the round is over."""

    @property
    def finished(self) -> bool:
        """Whether the round is over, played or void."""
        return self.settlement is not None

    @property
    def is_void(self) -> bool:
        """Whether the operator ended it, and every bet went back."""
        return self.settlement is not None and self.settlement.bank is None

    @property
    def board(self) -> tuple[Card, ...]:
        """The board cards dealt so far."""
        return self.setup.deal.board[: BOARD_CARDS[self.phase]]

    @property
    def waiting(self) -> tuple[int, ...]:
        """The boxes that are to decide, by number."""
        return tuple([box.bets.box for box in self.boxes if box.status is BoxStatus.waiting])

    def at(self, box: int) -> int | None:
        """The place in `boxes` of the box with this number; None where it plays no part."""
        for place, state in enumerate(self.boxes):
            if state.bets.box == box:
                return place
        return None

    def __repr__(self) -> str:
        board = "".join([card_text(card) for card in self.board])
        boxes = ", ".join(
            [f"{box.bets.box}: {box.status.value} {box.staked} ({box.play}x)" for box in self.boxes]
        )
        return f"<RoundState {self.phase.value} [{board}] {boxes}>"


def sees_holes(state: RoundState, player: int | None, box: int) -> bool:
    """Whether a player may see the two cards of a box; None is who only looks on.

    His own box's, never an extra box's, which is played blind (U11). At a common hand everybody sees the one hand
    (U10). Once the round is played everything is turned up; a void round shows nothing more.
    """
    if state.phase is Phase.finished or state.setup.terms.seating is Seating.common_hand:
        return True
    at = state.at(box)
    return at is not None and state.boxes[at].bets.player == player and not state.boxes[at].bets.play


def check_setup(setup: RoundSetup) -> None:
    """Raise InvariantBroken for a round that cannot be: who sets it up is the room, not a player."""
    terms, deal = setup.terms, setup.deal
    numbers = [box.box for box in setup.boxes]
    if not numbers or sorted(set(numbers)) != numbers or numbers[0] < 1:
        raise InvariantBroken("a round has boxes, each once and in order (U2)")
    common = terms.seating is Seating.common_hand
    if not common and numbers[-1] > terms.boxes:
        raise InvariantBroken("the table has fewer boxes (U10)")
    if len(deal.holes) != (1 if common else len(numbers)) or len(deal.board) != 5:
        raise InvariantBroken("each hand has its cards, and the board five (U2)")
    cards = [*deal.board, *deal.bank, *deal.burned, *[card for holes in deal.holes for card in holes]]
    if any(type(card) is not int or not 0 <= card < 52 for card in cards) or len(set(cards)) != len(cards):
        raise InvariantBroken("a card is one of 52, and there is one of each")
    if setup.meter < 0:
        raise InvariantBroken("a meter holds no debt")
    own = [box.player for box in setup.boxes if not box.play]
    if len(set(own)) != len(own):
        raise InvariantBroken("each player has one box of his own (U10)")
    for box in setup.boxes:
        _check_box(setup, box, own)


def _check_box(setup: RoundSetup, box: BoxBets, own: list[int]) -> None:
    terms = setup.terms
    if box.ante < 1 or box.trips < 0 or box.progressive < 0 or box.ante % terms.blind_pays.step:
        raise InvariantBroken("a box has an Ante that can be paid, and owes nothing (U1)")
    if box.trips and terms.trips is None:
        raise InvariantBroken("the table has no Trips")
    if box.progressive and (terms.progressive is None or box.progressive != terms.progressive.stake):
        raise InvariantBroken("a progressive bet is the table's, of its stake")
    if not box.play:
        return
    if box.play not in EARLY_MULTIPLES or terms.seating is Seating.common_hand or box.player not in own:
        raise InvariantBroken("an extra box is of who has his own, with its Play of 3 or 4 Antes (U11)")
