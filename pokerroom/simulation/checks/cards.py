"""Check that no viewer is sent a card that the viewer may not know.

The simulation knows the deck of every hand before any viewer does. A viewer may know of a hand: the viewer's own
cards, the board as far as it was dealt, and the hands that were shown. Any other text of a card in a message
to the viewer is a leak.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pokerroom.simulation.checks.violation import Blame, Kind
from pokerroom_protocol import messages as wire

_CARD = r"(?:[2-9TJQKA][cdhs])"
_CARDS = re.compile(rf"(?<![A-Za-z0-9]){_CARD}+(?![A-Za-z0-9])")
_TOKEN = re.compile(r"[A-Za-z0-9_-]{22,}")
"""The code of a private table or a link: random letters, in which two may read as a card."""
_PERHAPS = re.compile(_CARDS.pattern.encode())
_HAND = re.compile(r"""^(?:hand = '|.*"game_number":")([^'"]+)""", re.MULTILINE)
"""The id of a hand in a text of PHH or Open Hand History."""
_STREETS = {"flop": (0, 3), "turn": (3, 4), "river": (4, 5)}


def may_hold_cards(body: bytes) -> bool:
    """Whether an encoded message may hold a text of a card: False is certain, for nothing else is so written."""
    return _PERHAPS.search(body) is not None


def texts_of_cards(value: Any) -> Iterator[str]:
    """Everything in a decoded message that could be read as a card, names of fields included."""
    if isinstance(value, str):
        if _TOKEN.fullmatch(value) and not _CARDS.fullmatch(value):
            return
        for run in _CARDS.findall(value):
            yield from (run[at : at + 2] for at in range(0, len(run), 2))
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from texts_of_cards(key)
            yield from texts_of_cards(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_of_cards(inner)


@dataclass(slots=True, kw_only=True)
class _Deal:
    holes: Sequence[tuple[str, ...]]
    board: Sequence[str]
    by_name: dict[str, tuple[str, ...]] = field(default_factory=dict)
    by_seat: dict[int, tuple[str, ...]] = field(default_factory=dict)
    public: set[str] = field(default_factory=set)
    linked: set[str] = field(default_factory=set)
    """Cards that their holders show by a link."""
    begun: bool = False
    """Whether `hand_started` was sent, which tells the seats in the order of the deal."""

    def learn(self, name: str, cards: Sequence[str]) -> tuple[str, ...]:
        """The one hidden hand that a viewer is told, where no viewer was told of the start: presumably their own.

        When the hand is settled, its record says whether that was so.
        """
        hands = [holes for holes in self.holes if set(holes) <= set(cards) and not set(holes) & self.public]
        if len(hands) != 1:
            return ()
        self.by_name[name] = hands[0]
        return hands[0]


class HiddenCardChecker:
    """The deals of all hands, and what is public of them."""

    def __init__(self, blame: Blame) -> None:
        self._blame = blame
        self._deals: dict[str, _Deal] = {}

    def dealt(self, hand_id: str, holes: Sequence[tuple[str, ...]], board: Sequence[str]) -> None:
        """The room has dealt: the hands from the first left of the button, and the whole board to come."""
        self._deals.setdefault(hand_id, _Deal(holes=holes, board=board))

    def event(self, event: wire.Event) -> None:
        """An event that is told for the first time."""
        table = event.table
        match event:
            case wire.HandStarted():
                deal = self._deals.get(event.hand_id)
                if deal is not None:
                    deal.begun = True
                    for seat, holes in zip(event.seats, deal.holes, strict=False):
                        deal.by_name[seat.name] = holes
                        deal.by_seat[seat.seat] = holes
            case wire.StreetDealt():
                deal = self._deals.get(event.hand_id)
                first, end = _STREETS.get(event.street, (0, 0))
                if deal is None or event.cards != list(deal.board[first:end]):
                    self._wrong(table, event.hand_id, f"the {event.street} is not that of the deck")
                else:
                    deal.public.update(event.cards)
            case wire.Shown():
                deal = self._deals.get(event.hand_id)
                if deal is not None:
                    self._shown(deal, event)
            case _:
                pass

    def _shown(self, deal: _Deal, event: wire.Shown) -> None:
        shown = tuple(event.cards)
        held = deal.by_seat.get(event.seat)
        if shown != held if held is not None else shown not in deal.holes:
            self._wrong(event.table, event.hand_id, f"seat {event.seat} shows cards that it does not hold")
        deal.public.update(shown)

    def synced(self, snapshot: wire.Snapshot) -> None:
        """A snapshot after a gap or a fault contains what was dealt and shown meanwhile.

        Hands are shown before the end only when no decision is awaited any more.
        """
        hand = snapshot.hand
        deal = None if hand is None else self._deals.get(hand.hand_id)
        if hand is None or deal is None:
            return
        if len(hand.board) in {3, 4, 5} and hand.board == list(deal.board[: len(hand.board)]):
            deal.public.update(hand.board)
        if hand.turn is None:
            for seat in snapshot.seats:
                if (
                    seat.cards is not None
                    and seat.seat != snapshot.your_seat
                    and tuple(seat.cards) in deal.holes
                ):
                    deal.public.update(seat.cards)

    def settled(self, table: str, hand_id: str, record: dict[str, Any]) -> None:
        """Compare with the hand's record: no player was sent the cards of another.

        What was dealt and shown by its end is public, even if no viewer was there.
        """
        deal = self._deals.get(hand_id)
        if deal is None:
            return
        by_seat = {seat["seat"]: seat["cards"] for seat in record["seats"]}
        for kind, *fields in record["events"]:
            if kind in _STREETS:
                deal.public.update(fields)
            elif kind == "show":
                deal.public.update(by_seat[fields[0]])
        held = {seat["name"]: tuple(seat["cards"]) for seat in record["seats"]}
        for name, holes in deal.by_name.items():
            if held.get(name) != holes:
                self._wrong(table, hand_id, f"{name} was told other cards than the record says")
        deal.by_name |= held
        deal.by_seat |= {seat: tuple(holes) for seat, holes in by_seat.items()}

    def linked(self, name: str, link: wire.HandLinkView) -> None:
        """A player is told a link to a hand, which may show the player's cards."""
        if link.own_cards and link.hand_id in self._deals:
            deal = self._deals[link.hand_id]
            deal.linked.update(deal.by_name.get(name, ()))

    def told(self, name: str, message: wire.Answer, cards: Sequence[str]) -> None:
        """A viewer (`name` is empty before authentication) is sent a message with these texts of cards in it."""
        if isinstance(message, wire.HandTexts):
            for text in message.text.split("\n\n"):
                self._exported(name, text)
            return
        hand_id, table = _hand_of(message), str(getattr(message, "table", ""))
        kind = type(message).__name__
        deal = self._deals.get(hand_id)
        if deal is None:
            self._wrong(
                table,
                hand_id,
                f"{name or 'an unauthenticated viewer'} is told {len(cards)} cards in {kind} of no hand",
            )
            return
        if isinstance(message, wire.SharedHand):
            self._opened(deal, message.hand, cards)
            return
        own: tuple[str, ...] = deal.by_name.get(name, ())
        if not own and name and not deal.begun:
            own = deal.learn(name, cards)
        hidden = [card for card in cards if card not in deal.public and card not in own]
        if hidden:
            self._wrong(
                table,
                hand_id,
                f"{name or 'an unauthenticated viewer'} is told {len(hidden)} hidden cards in {kind}",
            )
        elif isinstance(message, wire.HoleCards) and tuple(cards) != own:
            self._wrong(
                table,
                hand_id,
                f"{name or 'an unauthenticated viewer'} is sent other hole cards than their own",
            )

    def _exported(self, name: str, text: str) -> None:
        """A text of one hand has what is public, and the player's own cards. Its hand is settled.

        PokerStars text has a number in place of the id: one of the hands must explain it.
        """
        cards = list(texts_of_cards(text))
        found = _HAND.search(text)
        deals = self._deals.values() if found is None else [self._deals.get(found[1])]
        known = [{*deal.public, *deal.by_name.get(name, ())} for deal in deals if deal is not None]
        hidden = min(([card for card in cards if card not in one] for one in known), key=len, default=cards)
        if hidden:
            hand_id = "" if found is None else found[1]
            self._wrong("", hand_id, f"a text for {name} has {len(hidden)} hidden cards")

    def _opened(self, deal: _Deal, hand: wire.SharedHandView, cards: Sequence[str]) -> None:
        """Anyone opens a link: it shows what is public, and at most the cards of the player that made it."""
        own = set() if hand.your_seat is None else deal.linked & set(deal.by_seat[hand.your_seat])
        hidden = [card for card in cards if card not in deal.public and card not in own]
        if hidden:
            self._wrong(hand.table, hand.hand_id, f"a link shows {len(hidden)} hidden cards")

    def _wrong(self, table: str, hand_id: str, line: str) -> None:
        self._blame(Kind.CARDS, table, hand_id, line)


def links_of(answer: wire.ServerMessage) -> list[wire.HandLinkView]:
    """The links to hands that an answer tells."""
    if isinstance(answer, wire.HandLink):
        return [answer.link]
    return answer.links if isinstance(answer, wire.HandLinks) else []


def _hand_of(message: wire.Answer) -> str:
    if isinstance(message, wire.Snapshot):
        return "" if message.hand is None else message.hand.hand_id
    if isinstance(message, wire.SharedHand):
        return message.hand.hand_id
    return str(getattr(message, "hand_id", ""))
