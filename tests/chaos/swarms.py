"""What the swarms of `tournaments` and `rounds` have in common: they have begun once they tell how it goes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from pathlib import Path

BEGUN_S_MAX = 60.0


async def begun(outputs: Iterable[Path]) -> None:
    """Returns when every swarm has told of bots that are seated; before that a blow would only keep it from beginning.

    `outputs` are what they write to in the end; their progress is beside it. Raises `TimeoutError`.
    """
    give_up = time.monotonic() + BEGUN_S_MAX
    for output in outputs:
        log = output.with_suffix(".log")
        while " seated" not in log.read_text():
            if time.monotonic() > give_up:
                raise TimeoutError(f"{log.name}: the swarm has not begun within {BEGUN_S_MAX:.0f} s")
            await asyncio.sleep(0.1)
