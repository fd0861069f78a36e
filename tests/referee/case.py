"""What is known of a hand while it is judged."""

from collections import Counter
from dataclasses import dataclass, field

from tests.referee.betting import Betting
from tests.referee.cards import is_card
from tests.referee.model import Difference, Hand, Step
from tests.referee.pots import UNITS


@dataclass(slots=True)
class Verdict:
    """What came of a hand. `units` are the smallest chips that explain its splits."""

    differences: list[Difference] = field(default_factory=list)
    unchecked: Counter[str] = field(default_factory=Counter)
    units: set[int] = field(default_factory=lambda: set(UNITS))
    ends: dict[int, int] | None = None
    """The stacks at the end by what was awarded."""


class UncheckedError(Exception):
    """The source does not say enough of a hand."""


class Case:
    """One hand, as far as it was heard."""

    def __init__(self, hand: Hand) -> None:
        self.hand = hand
        self.verdict = Verdict()
        self.betting = Betting(hand.terms, hand.seats, hand.big_blind)
        self.board: list[str] = []
        self.seen: set[str] = set()
        self.last: int | None = None
        """Who acted last on the street."""
        self.last_aggressor: int | None = None
        """Of the last street with a decision."""
        self.shown: dict[int, tuple[str, ...]] = {}
        self.mucked: set[int] = set()
        self.turned: list[int] = []
        """The order of showing and mucking."""
        self.first_showing: tuple[int | None, bool] | None = None
        """The last aggressor when hands were first turned up, and whether the board was complete."""
        self.awards: list[Step] = []

    def wrong(self, kind: str, detail: str) -> None:
        """Note a difference."""
        hand = self.hand
        self.verdict.differences.append(
            Difference(kind=kind, detail=detail, hand=hand.hand_id, table=hand.table)
        )

    def check_stack(self, step: Step) -> None:
        """Compare the stack that is told after a step."""
        player = self.betting.players[step.seat]
        if step.stack is not None and step.stack != player.stack:
            self.wrong(
                "stack", f"seat {step.seat} has {player.stack} after {step.what}, told as {step.stack}"
            )
        if step.all_in is not None and step.all_in != player.all_in:
            self.wrong("all_in", f"seat {step.seat} all-in: {player.all_in}, told as {step.all_in}")

    def see(self, cards: tuple[str, ...]) -> None:
        """Note cards that are told: each is there once."""
        for card in cards:
            if not is_card(card):
                self.wrong("card", f"{card!r} is no card")
            if card in self.seen:
                self.wrong("card_twice", f"{card} is there twice")
            self.seen.add(card)
