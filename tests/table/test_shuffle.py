"""The shuffle: every deck is whole, every order is equally likely, and no two hands share a deck."""

import random
from collections import Counter

from pokerroom.rules.cards import DECK
from pokerroom.table.shuffle import new_hand_id, shuffled


def test_k1_a_deck_is_whole_and_fresh():
    """K1: all 52 cards, each once, and another order every time."""
    decks = [shuffled(DECK) for _ in range(50)]

    assert all(sorted(deck) == sorted(DECK) for deck in decks)
    assert len(set(decks)) == 50


def test_k1_bytes_that_would_favour_low_cards_are_drawn_again():
    """K1: without modulo bias. 208 to 255 are no fair draw among 52 cards, so they change nothing."""
    fair = bytes(range(96)) * 4

    def source(data):
        left = iter(data)
        return lambda count: bytes(next(left) for _ in range(count))

    assert shuffled(DECK, source(bytes([208, 255, 230]) + fair)) == shuffled(DECK, source(fair))
    assert shuffled(DECK, source(bytes([207]) + fair)) != shuffled(DECK, source(fair))


def test_k1_unfair_bytes_without_end_do_not_end_the_shuffle():
    """K1: the 96 bytes that are drawn at once may all be unfair; then others are drawn."""
    asked = []

    def source(count):
        asked.append(count)
        return bytes([255]) * count if len(asked) == 1 else bytes(range(count))

    assert sorted(shuffled(DECK, source)) == sorted(DECK)
    assert len(asked) == 2


def test_k1_every_card_is_on_top_equally_often():
    """K1: over 10,000 decks of a seeded source, each card is at each of three places as often as chance allows."""
    source = random.Random(1).randbytes
    decks = [shuffled(DECK, source) for _ in range(10_000)]

    for place in (0, 25, 51):
        seen = Counter(deck[place] for deck in decks)
        expected = len(decks) / 52
        chi_square = sum((seen[card] - expected) ** 2 / expected for card in DECK)
        assert chi_square < 100  # 51 degrees of freedom: more than that once in 20,000 runs


def test_hand_ids_sort_by_time():
    """A later hand has a greater id, of 16 characters."""
    ids = [new_hand_id(now_ms) for now_ms in (1, 2, 1_700_000_000_000, 1_700_000_000_001)]

    assert ids == sorted(ids)
    assert {len(hand_id) for hand_id in ids} == {16}


def test_a_hand_id_is_all_of_its_time_and_its_random_bits():
    """45 bits of milliseconds and 35 random ones, five to a character."""
    last_ms = 2**45 - 1
    assert new_hand_id(last_ms, bytes) == "z" * 9 + "0" * 7
    assert new_hand_id(0, lambda count: b"\xff" * count) == "0" * 9 + "z" * 7
    assert new_hand_id(33, lambda count: b"\x84".rjust(count, b"\0")) == "0000000110000004"
