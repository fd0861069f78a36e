"""What traces cost a node: one in 100 requests, and every request, beside a room without them.

The receiver is on the same machine and only keeps what it is sent. What it costs is not in the figures.
"""

from __future__ import annotations

from typing import Any, Final

from tests.bench import path
from tests.integration.support import RunningRoom
from tests.otlp import receiver

_EVERY: Final = {"one in 100": 100, "every one": 1}


def measure(pairs: int) -> dict[str, Any]:
    """Each room plays `pairs` windows."""
    with receiver() as told:
        rooms = {"baseline": path.ROOM} | {
            name: f'{path.ROOM}[traces]\nurl = "{told.url}"\nevery = {every}\n'
            for name, every in _EVERY.items()
        }
        found = path.compared({name: (RunningRoom, config) for name, config in rooms.items()}, pairs)
        return {**found, "bodies": len(told.bodies)}
