"""Times as the commands print them."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_minute(ms: int) -> str:
    """Return a time, in Unix milliseconds, as UTC to the minute: `2026-03-01 18:30`."""
    return f"{datetime.fromtimestamp(ms / 1000, UTC):%Y-%m-%d %H:%M}"
