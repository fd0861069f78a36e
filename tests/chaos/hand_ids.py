"""When a hand was dealt: its id tells, by the clock of the node that has dealt it."""

from __future__ import annotations

from typing import Final

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_RANDOM_BITS: Final = 35


def begun_s(hand_id: str) -> float:
    """Seconds of the wall clock, to the millisecond. Raises `ValueError` for what is no id of a hand."""
    number = 0
    for letter in hand_id:
        number = number * 32 + _ALPHABET.index(letter)
    return (number >> _RANDOM_BITS) / 1000


def hand_id_at(at_s: float) -> str:
    """An id of a hand that was dealt at that time; always the same one."""
    number = round(at_s * 1000) << _RANDOM_BITS
    return "".join(_ALPHABET[(number >> shift) & 31] for shift in range(75, -1, -5))
