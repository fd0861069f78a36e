"""The small adapters of a simulated process: random bytes, seal and observer, which can raise, and are listened to.

The seal is where the simulation learns every deck: it encrypts with a fixed key and reads what it encrypts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import msgpack
import msgspec

from pokerroom.history.hidden_cards import HAND_RECORDS, with_all_cards
from pokerroom.ledger.api import HandSettlement
from pokerroom.ops.observer import Observer
from pokerroom.rules.cards import Card, card_text
from pokerroom.simulation.faults import Dice, Fault, InjectedFault
from pokerroom.table.seal import Seal
from pokerroom.table.shuffle import RandomBytes

Struck = Callable[[str], None]
"""Hears that an exception is raised in a handler of a table, or of one that is not known ("")."""

Dealt = Callable[[str, Sequence[tuple[str, ...]], Sequence[str]], None]
"""Hears of a hand, its hole cards by player, and its whole board."""

_KEY = bytes(range(32))


class FaultyBytes:
    """Random bytes from a seeded source, which sometimes raises."""

    def __init__(self, source: RandomBytes, dice: Dice, struck: Struck) -> None:
        self._source = source
        self._dice = dice
        self._struck = struck

    def __call__(self, count: int) -> bytes:
        """See `RandomBytes`."""
        if self._dice.strikes_room(Fault.ACTOR, 2500):
            self._struck("")
            raise InjectedFault("random_bytes")
        return self._source(count)


class WatchedSeal(Seal):
    """A seal that tells `sealed` what it is given to encrypt: the id of a hand or round, and its data."""

    def __init__(self, sealed: Callable[[str, Any], None]) -> None:
        super().__init__(_KEY)
        self._sealed = sealed

    def close(self, plain: bytes, about: str) -> bytes:
        self._sealed(about, msgpack.unpackb(plain))
        return super().close(plain, about)


def hand_seal(dealt: Dealt) -> Seal:
    """Return a seal that tells of every hand."""

    def sealed(hand_id: str, data: Any) -> None:
        holes = [tuple(texts(player["holes"])) for player in data["setup"]["players"]]
        dealt(hand_id, holes, texts(data["setup"]["board"]))

    return WatchedSeal(sealed)


def opened_settlement(settlement: HandSettlement) -> HandSettlement:
    """Return the settlement as its referee reads it: with all cards in clear."""
    record = with_all_cards(msgspec.json.decode(settlement.record), Seal(_KEY).of(HAND_RECORDS))
    return replace(settlement, record=msgspec.json.encode(record))


def texts(cards: Iterable[int]) -> list[str]:
    """Return the cards as the protocol writes them."""
    return [card_text(Card(card)) for card in cards]


class FaultyObserver(Observer):
    """Counts nothing, and sometimes raises when a table reports an event."""

    def __init__(self, dice: Dice, struck: Struck) -> None:
        self._dice = dice
        self._struck = struck

    def _fault(self) -> None:
        if self._dice.strikes_room(Fault.ACTOR, 5000):
            self._struck("")
            raise InjectedFault("observer")

    def action(self) -> None:
        self._fault()

    def hand(self) -> None:
        self._fault()

    def round(self) -> None:
        self._fault()

    def frames_out(self, count: int = 1) -> None:
        if count:
            self._fault()
