"""Play a written hand through the rules with its own cards, and compare the result with the file's.

This module prints nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any

from pokerroom.history.phh import Step, UnreadableHand, WrittenHand, read
from pokerroom.rules.actions import Action, Call, Check, Fold, RaiseTo
from pokerroom.rules.cards import Card
from pokerroom.rules.errors import IllegalAction, InvariantBroken
from pokerroom.rules.events import Event, PostKind, PotWon
from pokerroom.rules.hand import HandSetup, HandState, PlayerSetup, PlayerStatus, apply, legal_actions, start
from pokerroom.rules.variants import Variant

Amount = int | Decimal
"""An amount in the unit of the file: whole, or with decimals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """The result of a hand. Amounts are in the unit of the file."""

    finishing_stacks: tuple[Amount, ...] | None
    """Ours; None where the hand was not played to its end."""
    expected: tuple[Amount, ...] | None
    """The file's, where it gives any."""
    error: str | None
    """A stable code: the rules' for a refused action, the reader's for a document that is no hand, `stacks_differ`,
    `hand_unfinished`, `missing_cards`, or `broken_invariant`, which is a bug of the rules."""
    detail: str | None
    """The same in words."""

    @property
    def ok(self) -> bool:
        """Whether the hand was played and agrees with the stacks that the file gives, if any."""
        return self.error is None

    @property
    def mismatched(self) -> bool:
        """Whether the hand was played with another result."""
        return self.error in {"stacks_differ", "hand_unfinished"}


def replay(document: Mapping[str, Any]) -> Replayed:
    """Play the hand of a PHH document. Never raises because of the document's content."""
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
    """Return (our stacks, error, detail) of the hand."""
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
    """Check that board cards come after the betting before them, and not after all others have folded."""
    if len(state.contesting()) == 1:
        raise UnreadableHand("hand_over", _at(step, "all others have folded"))
    if dealt > len(state.board):
        raise UnreadableHand("board_too_early", _at(step, "the betting before it is not over"))


def _act(state: HandState, step: Step) -> list[Event]:
    """Apply a step. Raises UnreadableHand with the rules' code for a refused action."""
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
    """Whether the step is a check by the last player with chips: the rules do not ask for it (C2)."""
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
        variant=written.variant,
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
        dead_blind=written.dead_blind,
        unit=written.chip,
        rake=written.rake,
    )


def _big_blind(written: WrittenHand) -> int:
    """Return the player with the big blind: the first with a blind of that size; without blinds, the last to act."""
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
    """The cards of a hand: those of the file, and others in place of unknown ones.

    A player who reaches the showdown with unknown cards has mucked, so these are presumed to lose: weak cards of the
    rest of the deck. Where the file does not say that the player mucked, its result must agree. A player who folded
    gets what is left, and so does a board that never came.
    """

    def __init__(self, written: WrittenHand) -> None:
        variant = written.variant
        board_max = variant.board_cards[variant.last_street]
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
            if len(known[player]) > variant.hole_cards:
                raise UnreadableHand("bad_cards", f"p{player + 1} has more than {variant.hole_cards} cards")
        if len(board) > board_max:
            raise UnreadableHand("bad_cards", f"the board has more than {board_max} cards")
        named = [*[card for card in board if card is not None], *[card for cards in known for card in cards]]
        if len(set(named)) != len(named):
            raise UnreadableHand("card_twice", "a card is in the hand twice")
        rest = [card for card in variant.deck if card not in named]
        self._board_known = len(board) == board_max and None not in board
        self._unseen = [player for player, cards in enumerate(known) if len(cards) < variant.hole_cards]
        self._presumed = [player for player in self._unseen if player not in mucked]
        coming: list[Card | None] = [None] * (board_max - len(board))
        self.board = tuple([rest.pop() if card is None else card for card in [*board, *coming]])
        for player in sorted(self._unseen, key=lambda player: player in folded):
            _fill(known[player], rest, self.board, variant)
        self.holes = tuple([tuple(cards) for cards in known])

    def were_guessed(self, state: HandState, events: list[Event], *, checked: bool) -> bool:
        """Whether a showdown was won with cards that are not the file's.

        Or against such cards, where the file neither tells of a muck nor has a result that is `checked`.
        """
        contesting = state.contesting()
        if len(contesting) < 2:
            return False
        if not self._board_known or (not checked and any(player in self._presumed for player in contesting)):
            return True
        shares = [share for event in events if isinstance(event, PotWon) for share in event.shares]
        return any(player in self._unseen for player, _ in shares)


def _fill(have: list[Card], rest: list[Card], board: tuple[Card, ...], variant: Variant) -> None:
    """Move cards from `rest` to `have` until the player has all hole cards, so that the hand stays weak.

    The weakest pair comes first, then card by card the one that helps least: with two hole cards that is the weakest
    hand there is.
    """
    while len(have) < variant.hole_cards:
        number = 1 if have else 2
        weakest = min(combinations(rest, number), key=lambda more: variant.rank((*have, *more), board))
        have += weakest
        for card in weakest:
            rest.remove(card)


def _told(amount: Fraction) -> Amount:
    if amount.denominator == 1:
        return amount.numerator
    return Decimal(amount.numerator) / Decimal(amount.denominator)
