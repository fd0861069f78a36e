"""Shuffling a deck from a source of random bytes, fresh for every hand (K1), and ids of hands.

The source is the operating system's in the room and a seeded one in the simulation. This module knows no cards.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")

RandomBytes = Callable[[int], bytes]
"""Returns as many random bytes as asked for."""


def shuffled(cards: Iterable[T], random_bytes: RandomBytes = os.urandom) -> tuple[T, ...]:
    """Return at most 256 cards in random order: Fisher-Yates, each swap drawn without modulo bias by rejection."""
    deck = list(cards)
    pool = random_bytes(96)
    used = 0
    for last in range(len(deck) - 1, 0, -1):
        choices = last + 1
        fair = 256 - 256 % choices  # bytes from here on would favour the low cards: draw again
        while True:
            if used == len(pool):
                pool, used = random_bytes(96), 0
            byte = pool[used]
            used += 1
            if byte < fair:
                break
        swap = byte % choices
        deck[last], deck[swap] = deck[swap], deck[last]
    return tuple(deck)


_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no letter looks like a digit


def new_hand_id(now_ms: int, random_bytes: RandomBytes = os.urandom) -> str:
    """16 characters, unique for ever and sortable by time: 45 bits of milliseconds, 35 random bits."""
    number = (now_ms << 35) | (int.from_bytes(random_bytes(5), "big") >> 5)
    return "".join(_ALPHABET[(number >> shift) & 31] for shift in range(75, -1, -5))
