"""A written hand played through the rules with its own cards, and its result compared with the file's.

Knows the rules and what a file says; prints nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any

from pokerroom.history.phh import Step, UnreadableHand, WrittenHand, read
from pokerroom.rules.actions import Action, Call, Check, Fold, RaiseTo
from pokerroom.rules.cards import DECK, Card
from pokerroom.rules.errors import IllegalAction, InvariantBroken
from pokerroom.rules.events import Event, PostKind, PotWon
from pokerroom.rules.hand import HandSetup, HandState, PlayerSetup, PlayerStatus, apply, legal_actions, start
from pokerroom.rules.ranking import hand_rank
from pokerroom.rules.variants import HOLDEM

Amount = int | Decimal
"""An amount in the unit of the file: whole, or with its decimals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What became of a hand. Amounts are in the unit of the file."""

    finishing_stacks: tuple[Amount, ...] | None
    """Ours; None where the hand was not played to its end."""
    expected: tuple[Amount, ...] | None
    """The file's, where it gives any."""
    error: str | None
    """A stable code: the rules' for what they refuse, the reader's for what is no hand, `stacks_differ`,
    `hand_unfinished`, `missing_cards`, or `broken_invariant`, which is our bug."""
    detail: str | None
    """The same for a human."""

    @property
    def ok(self) -> bool:
        """Played, and in agreement with what the file expects, if it does."""
        return self.error is None

    @property
    def mismatched(self) -> bool:
        """Played, but with another result."""
        return self.error in {"stacks_differ", "hand_unfinished"}


def replay(document: Mapping[str, Any]) -> Replayed:
    """Play the hand of a PHH document. Never raises for what a file says."""
    try:
        written = read(document)
    except UnreadableHand as unreadable:
        return Replayed(finishing_stacks=None, expected=None, error=unreadable.code, detail=unreadable.detail)
    expected = None if written.expected is None else tuple([_told(amount) for amount in written.expected])
    ours, error, detail = None, None, None
    try:
        ours, error, detail = _played(written)
    except UnreadableHand as unreadable:
        error, detail = unreadable.code, unreadable.detail
    except InvariantBroken as broken:
        error, detail = "broken_invariant", str(broken)
    stacks = None if ours is None else tuple([_told(Fraction(stack, written.unit)) for stack in ours])
    return Replayed(finishing_stacks=stacks, expected=expected, error=error, detail=detail)


def _played(written: WrittenHand) -> tuple[list[int] | None, str | None, str | None]:
    """(our stacks, error, detail) of the hand."""
    cards = _Cards(written)
    state, events = start(_setup(written, cards))
    dealt = 0
    for step in written.steps:
        if step.verb == "db":
            dealt += len(step.cards)
            _check_dealt(state, step, dealt)
        elif step.verb in {"f", "cc", "cbr"} and not _is_idle_check(state, step):
            if dealt < len(state.board) and not state.finished:
                raise UnreadableHand("board_missing", _at(step, f"the {state.street.value} is not dealt"))
            events += _act(state, step)
    if not state.finished:
        if written.expected is None:
            return None, None, None
        return None, "hand_unfinished", "the actions end before the hand does"
    if cards.were_guessed(state, events, checked=written.expected is not None):
        raise UnreadableHand("missing_cards", "the result depends on cards that the file does not have")
    if written.expected is None:
        return state.stacks, None, None
    agreed = written.expected == tuple([Fraction(stack, written.unit) for stack in state.stacks])
    return state.stacks, None if agreed else "stacks_differ", None


def _check_dealt(state: HandState, step: Step, dealt: int) -> None:
    """Board cards come after the betting before them, and never once all others have folded."""
    if len(state.contesting()) == 1:
        raise UnreadableHand("hand_over", _at(step, "all others have folded"))
    if dealt > len(state.board):
        raise UnreadableHand("board_too_early", _at(step, "the betting before it is not over"))


def _act(state: HandState, step: Step) -> list[Event]:
    """What the rules make of a step; raises UnreadableHand with the rules' code for what they refuse."""
    assert step.player is not None
    try:
        legal = legal_actions(state)
        action: Action = Fold()
        if step.verb == "cbr":
            action = RaiseTo(amount=step.amount)
        elif step.verb == "cc":
            action = Check() if legal.check else Call()
        return apply(state, step.player, action)
    except IllegalAction as refused:
        raise UnreadableHand(refused.code, _at(step, _why(state, refused.code))) from None


def _why(state: HandState, code: str) -> str:
    turn = state.turn
    if turn is None:
        return "the hand is over"
    if code == "not_your_turn":
        return f"p{turn.player + 1} is to act"
    if turn.min_raise_to is None:
        return "no bet or raise is allowed"
    return f"from {turn.min_raise_to} to {turn.max_raise_to} is allowed"


def _at(step: Step, why: str) -> str:
    return f"action {step.number}: {step.text}: {why}"


def _is_idle_check(state: HandState, step: Step) -> bool:
    """A check of who has chips left when nobody can bet against him: the rules do not ask for it (C2)."""
    return (
        state.finished
        and step.verb == "cc"
        and step.player is not None
        and state.statuses[step.player] is PlayerStatus.active
        and len(state.contesting()) > 1
    )


def _setup(written: WrittenHand, cards: "_Cards") -> HandSetup:
    big_blind = _big_blind(written)
    straddles = [
        player
        for player, blind in enumerate(written.blinds)
        if blind > written.blinds[big_blind] and player not in written.posters
    ]
    # C1: left of the big blind or of the last straddler. Posts do not move the start.
    last_blind = max(straddles, key=lambda player: written.blinds[player]) if straddles else big_blind
    return HandSetup(
        variant=HOLDEM,
        structure=written.structure,
        big_blind=written.big_blind,
        players=tuple(
            [
                PlayerSetup(
                    stack=stack,
                    holes=cards.holes[player],
                    ante=written.antes[player],
                    blind=written.blinds[player],
                    blind_kind=_kind(written, player, big_blind),
                )
                for player, stack in enumerate(written.stacks)
            ]
        ),
        board=cards.board,
        last_blind=last_blind,
    )


def _big_blind(written: WrittenHand) -> int:
    """Who has the big blind: the first whose blind is that large; without blinds, who acts last."""
    blinds = [0 if player in written.posters else blind for player, blind in enumerate(written.blinds)]
    if not any(blinds):
        return len(blinds) - 1
    large = [player for player, blind in enumerate(blinds) if blind >= written.big_blind]
    return large[0] if large else blinds.index(max(blinds))


def _kind(written: WrittenHand, player: int, big_blind: int) -> PostKind | None:
    blind = written.blinds[player]
    if not blind:
        return None
    if player == big_blind:
        return PostKind.big_blind
    if player in written.posters:
        return PostKind.live_post
    if blind > written.blinds[big_blind]:
        return PostKind.straddle
    # The small blind is the player before the big blind: heads-up the other one.
    small_blind = 1 - big_blind if len(written.blinds) == 2 else big_blind - 1
    return PostKind.small_blind if player == small_blind else PostKind.live_post


class _Cards:
    """The cards of a hand: those of the file, and others for those it does not have.

    Whoever gets to the showdown with cards that nobody has seen has mucked, so he holds losing ones: the weakest
    left. Where the file does not say so, its result has to bear it out. Who folded, and a board that never came, get
    any.
    """

    def __init__(self, written: WrittenHand) -> None:
        known: list[list[Card]] = [[] for _ in written.stacks]
        shown: list[list[Card]] = [[] for _ in written.stacks]
        board: list[Card | None] = []
        folded = {step.player for step in written.steps if step.verb == "f"}
        mucked = {step.player for step in written.steps if step.verb == "sm" and not step.cards}
        for step in written.steps:
            if step.verb == "db":
                board += step.cards
            elif step.player is not None and step.verb in {"dh", "sm"}:
                (known if step.verb == "dh" else shown)[step.player] += [
                    c for c in step.cards if c is not None
                ]
        for player, cards in enumerate(shown):
            known[player] += [card for card in cards if card not in known[player]]
            if len(known[player]) > 2:
                raise UnreadableHand("bad_cards", f"p{player + 1} has more than two cards")
        if len(board) > 5:
            raise UnreadableHand("bad_cards", "the board has more than five cards")
        named = [*[card for card in board if card is not None], *[card for cards in known for card in cards]]
        if len(set(named)) != len(named):
            raise UnreadableHand("card_twice", "a card is in the hand twice")
        rest = [card for card in DECK if card not in named]
        self._board_known = len(board) == 5 and None not in board
        self._unseen = [player for player, cards in enumerate(known) if len(cards) < 2]
        self._presumed = [player for player in self._unseen if player not in mucked]
        self.board = tuple([rest.pop() if card is None else card for card in [*board, *[None] * 5][:5]])
        for player in sorted(self._unseen, key=lambda player: player in folded):
            have = known[player]
            best = min(
                combinations(rest, 2 - len(have)), key=lambda more: hand_rank([*have, *more, *self.board])
            )
            have += best
            rest = [card for card in rest if card not in best]
        self.holes = tuple([(cards[0], cards[1]) for cards in known])

    def were_guessed(self, state: HandState, events: list[Event], *, checked: bool) -> bool:
        """Whether a showdown was won with cards that are not the file's.

        Or against cards that are not, without a word of the file about a muck, nor a result that is `checked`.
        """
        contesting = state.contesting()
        if len(contesting) < 2:
            return False
        if not self._board_known or (not checked and any(player in self._presumed for player in contesting)):
            return True
        shares = [share for event in events if isinstance(event, PotWon) for share in event.shares]
        return any(player in self._unseen for player, _ in shares)


def _told(amount: Fraction) -> Amount:
    if amount.denominator == 1:
        return amount.numerator
    return Decimal(amount.numerator) / Decimal(amount.denominator)
