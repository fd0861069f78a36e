"""No viewer of a tournament's table sees a hidden card of another player: bytes do not depend on hidden cards."""

import itertools
import re

import pytest

from pokerroom_protocol import messages as wire
from pokerroom_protocol.codec import Encoding, encode
from tests.poker.views_support import DECK_BYTES
from tests.tournament.playing import Room


class DrawnRoom(Room):
    """A room whose decks are drawn from a stream of their own, which is another with `other_cards`."""

    def __init__(self, *, other_cards, **changes):
        self._decks = itertools.count(2**50 if other_cards else 0, 2**40)
        super().__init__(**changes)

    def random_bytes(self, count):
        if count != DECK_BYTES or self.row().phase != "running":  # seats are drawn as before
            return super().random_bytes(count)
        before = self._random
        self._random = (before + next(self._decks)) % 2**64
        deck = super().random_bytes(count)
        self._random = before + 1  # what follows is drawn as before
        return deck


def played(other_cards):
    """Some hands that are folded out, with a player away, a level, and a player that is blinded off; and the viewers.

    With `other_cards` the same hands are played with other decks.
    """
    room = DrawnRoom(other_cards=other_cards, levels_timed=False, seats=4, prizes=(700, 260))
    room.begin()
    observer = room.client("observer")
    room.ask(observer, wire.Observe)
    room.ask(room.of_seat(3), wire.StandUp)
    for _ in range(7):
        room.fold_out()
        room.ask(observer, wire.GetSnapshot)
        room.ask(room.of_seat(2), wire.GetSnapshot)
    viewers = {seat: room.of_seat(seat) for seat in (1, 2, 3)} | {0: observer}
    got = {
        seat: [encode(message, Encoding.JSON) for message in viewer.got] for seat, viewer in viewers.items()
    }
    cards = {seat: [m.cards for m in viewer.all(wire.HoleCards)] for seat, viewer in viewers.items()}
    entries = [len(entry) for entry in room.journal.all]
    room.stop()
    return got, cards, entries


@pytest.fixture(scope="module")
def both():
    return played(other_cards=False), played(other_cards=True)


def without_own_cards(bodies):
    """The player's own two cards, in events and snapshots, are all that may differ."""
    return [re.sub(rb'"cards":\["..","..*?"\]', b'"cards":[]', body) for body in bodies]


def test_other_cards_were_dealt(both):
    """Else nothing is compared."""
    (_, cards, _), (_, others, _) = both
    assert len(cards[1]) >= 6
    assert all(one != other for one, other in zip(cards[1], others[1], strict=True))


def test_who_has_no_cards_gets_the_same_bytes(both):
    """The observer; not even the journal's entries are of other lengths."""
    (got, cards, entries), (other, _, other_entries) = both
    assert got[0] == other[0]
    assert set(map(str, cards[0])) == {"None"}
    assert entries == other_entries


@pytest.mark.parametrize("seat", [1, 2, 3])
def test_a_player_gets_the_same_bytes_but_for_his_own_cards(both, seat):
    """So does an absent player: they see their cards though they are folded."""
    (got, _, _), (other, _, _) = both
    assert without_own_cards(got[seat]) == without_own_cards(other[seat])
    assert got[seat] != other[seat]
