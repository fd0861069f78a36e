"""The number of a round: unique, and with the UTC time of its start in it, for players to quote (U17)."""

from datetime import UTC, datetime


def round_number(*, started_ms: int, count: int) -> str:
    """Such as "20261121-11:59:10-000042": day and time of the start, and the room's count of rounds.

    `started_ms` is of the epoch; `count`, which makes it unique, is the caller's never to use twice, and at least 0.
    """
    if count < 0:
        raise ValueError("rounds are counted from 0")
    started = datetime.fromtimestamp(started_ms // 1000, UTC)
    return f"{started:%Y%m%d-%H:%M:%S}-{count:06}"
