"""Holding seats again and again without buying in."""

from __future__ import annotations

from twisted.internet.task import Clock

from pokerroom.poker.cash.cooldown import UNUSED_MAX, WINDOW_S, ReservationCooldown

ANNA, BERT = 1, 2


def test_it_begins_with_the_last_unused_hold_that_is_allowed():
    """One account's holds are not another's."""
    cooldown = ReservationCooldown(Clock())
    for _ in range(UNUSED_MAX):
        assert not cooldown.left_ms(ANNA)
        cooldown.unused(ANNA)

    assert cooldown.left_ms(ANNA)
    assert not cooldown.left_ms(BERT)


def test_it_ends_when_the_first_of_them_is_long_past():
    """Counted are the holds of the last `WINDOW_S` seconds alone."""
    clock = Clock()
    cooldown = ReservationCooldown(clock)
    for _ in range(UNUSED_MAX):
        cooldown.unused(ANNA)
        clock.advance(WINDOW_S / 4)

    assert cooldown.left_ms(ANNA)
    clock.advance(WINDOW_S / 4)
    assert not cooldown.left_ms(ANNA)
    cooldown.unused(ANNA)
    assert cooldown.left_ms(ANNA)


def test_a_player_who_buys_in_starts_again():
    """What was before does not count any more."""
    cooldown = ReservationCooldown(Clock())
    for _ in range(UNUSED_MAX):
        cooldown.unused(ANNA)

    cooldown.forget(ANNA)

    assert not cooldown.left_ms(ANNA)
    cooldown.unused(ANNA)
    assert not cooldown.left_ms(ANNA)


def test_what_is_long_past_is_not_kept():
    """Accounts that held a seat once do not add up."""
    clock = Clock()
    cooldown = ReservationCooldown(clock)
    for account in range(100):
        cooldown.unused(account)
    clock.advance(WINDOW_S)

    cooldown.unused(ANNA)

    assert list(cooldown._unused) == [ANNA]  # private: memory has no public trace
