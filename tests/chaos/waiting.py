"""Waiting for a server: asked again and again until it is as it should be."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

_POLL_S: Final = 0.02


def wait_until(what: str, within_s: float, holds: Callable[[], bool]) -> None:
    """Return when it holds. Blocks. Raises TimeoutError, which says what does not hold."""
    give_up = time.monotonic() + within_s
    while not holds():
        if time.monotonic() > give_up:
            raise TimeoutError(f"after {within_s:.0f} s still not: {what}")
        time.sleep(_POLL_S)
