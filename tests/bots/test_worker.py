"""The parts of a worker process that decide something: pacing and names."""

from __future__ import annotations

import re

from pokerroom.bots.worker import Names, Pacer


def test_without_a_rate_only_thinking_delays():
    """Each decision waits as long as it is to think, however many are asked at once."""
    pacer = Pacer(0.02, 0, clock=lambda: 5.0)

    assert [pacer.delay_s(), pacer.delay_s()] == [0.02, 0.02]


def test_a_rate_spreads_decisions_over_time():
    """Decisions asked at once get one slot after the other; after a pause there is no debt and no credit."""
    now = 100.0
    pacer = Pacer(0.0, 4, clock=lambda: now)

    assert [pacer.delay_s() for _ in range(3)] == [0.0, 0.25, 0.5]
    now = 200.0
    assert [pacer.delay_s() for _ in range(2)] == [0.0, 0.25]


def test_thinking_is_the_least_delay():
    """With both, a decision waits for its slot but never less than it thinks."""
    pacer = Pacer(0.3, 4, clock=lambda: 100.0)

    assert [pacer.delay_s() for _ in range(3)] == [0.3, 0.3, 0.5]


def test_names_are_fresh_and_allowed():
    """Names differ, and are names of the protocol even after many accounts."""
    names = Names("bot-0a1b2c-11-")
    made = [names.new() for _ in range(1_200)]

    assert len(made) == len(set(made))
    assert all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{1,19}", name) for name in made)
