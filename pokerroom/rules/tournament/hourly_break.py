"""The breaks that all scheduled tournaments of the room have together: from five minutes to the hour (L10).

Times are in milliseconds since 1970, UTC. The level's time stands during a break; `BlindSchedule` counts what is left.
"""

from typing import Final

HOUR_MS: Final = 3_600_000
BREAK_MS: Final = 5 * 60_000
_FIRST_MINUTES_MS: Final = 15 * 60_000
"""No break begins so soon after the start [D]."""


def break_end(now_ms: int, *, start_ms: int) -> int | None:
    """Return the time at which the break ends that a table is in once it rests; None outside of breaks.

    A break ends at the full hour, however late the last hand before it ended. If a hand ends later, its table has none.
    """
    begins = _next_break(now_ms - BREAK_MS)
    on_break = begins <= now_ms < begins + BREAK_MS and begins - start_ms >= _FIRST_MINUTES_MS
    return begins + BREAK_MS if on_break else None


def level_ms(since_ms: int, until_ms: int, *, start_ms: int) -> int:
    """Return how much of this time counts for the level: all of it but the breaks (`since_ms` <= `until_ms`)."""
    if until_ms < since_ms:
        raise ValueError("the elapsed amount must not be negative")
    breaks = 0
    begins = max(_next_break(since_ms - BREAK_MS), _next_break(start_ms + _FIRST_MINUTES_MS - 1))
    while begins < until_ms:
        breaks += max(0, min(until_ms, begins + BREAK_MS) - max(since_ms, begins))
        begins += HOUR_MS
    return until_ms - since_ms - breaks


def next_change(now_ms: int) -> int:
    """Return the time after this one at which a break begins or ends."""
    return now_ms + min(HOUR_MS - now_ms % HOUR_MS, HOUR_MS - (now_ms + BREAK_MS) % HOUR_MS)


def _next_break(after_ms: int) -> int:
    """Return the beginning of the first break after this time."""
    return after_ms - (after_ms + BREAK_MS) % HOUR_MS + HOUR_MS
