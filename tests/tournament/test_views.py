"""No viewer of a tournament's table sees a hidden card of another player: bytes do not depend on hidden cards."""

import re

import pytest

from pokerroom_protocol import messages as wire
from pokerroom_protocol.codec import Encoding, encode
from tests.tournament.playing import Room


def played(other_cards):
    """Some hands that are folded out, with a player away, a level, and a player that is blinded off; and the viewers.

    With `other_cards` the same hands are played with other decks.
    """
    room = Room(levels_timed=False, seats=4, prizes=(700, 260))
    decks = iter(range(10**9))
    real = room.random_bytes

    def drawn(count):
        if count == 96 and not room.table.game.seating.view.opens():  # a shuffle: all before it is the same
            before = room._random  # private: the deck is drawn from it
            drawn_from = before + next(decks) * 2**40 + (2**50 if other_cards else 0)
            room._random = drawn_from % 2**64  # private: the deck is drawn from it
            found = real(count)
            room._random = before + 1  # private: what follows is drawn as before
            return found
        return real(count)

    object.__setattr__(room.table.context, "random_bytes", drawn)
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
