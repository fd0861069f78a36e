"""The seal of cards: what is sealed opens with its key, its purpose and its context, and with nothing else."""

from __future__ import annotations

import pytest
from cryptography.exceptions import InvalidTag

from pokerroom.table.seal import Seal

OLD, NEW = bytes([1]) * 32, bytes([2]) * 32


def test_a_text_opens_in_its_own_context_alone():
    seal = Seal(NEW)
    sealed = seal.close(b"AsKd", "hand 1")

    assert seal.open(sealed, "hand 1") == b"AsKd"
    with pytest.raises(InvalidTag):
        seal.open(sealed, "hand 2")


def test_a_text_of_one_purpose_is_closed_to_another():
    seal = Seal(NEW)
    sealed = seal.of("records").close(b"AsKd", "hand 1")

    assert seal.of("records").open(sealed, "hand 1") == b"AsKd"
    for other in (seal, seal.of("bus")):
        with pytest.raises(InvalidTag):
            other.open(sealed, "hand 1")


def test_earlier_keys_open_and_no_longer_close():
    both = Seal(NEW, OLD)

    assert both.open(Seal(OLD).close(b"AsKd", "hand 1"), "hand 1") == b"AsKd"
    assert both.key_id == Seal(NEW).key_id
    with pytest.raises(InvalidTag):
        Seal(OLD).open(both.close(b"AsKd", "hand 1"), "hand 1")


def test_the_same_text_is_sealed_differently_each_time():
    """Equal cards in two records cannot be seen to be equal."""
    seal = Seal(NEW)

    assert seal.close(b"AsKd", "hand 1") != seal.close(b"AsKd", "hand 1")
