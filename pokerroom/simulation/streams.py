"""All randomness of a simulated room, from one seed.

Each use draws from a stream of its own that is named for it, so that what one part draws does not shift what another
gets. Knows nothing of what is drawn for.
"""

from __future__ import annotations

import hashlib
import random

Stream = random.Random


def stream(seed: int, name: str) -> Stream:
    """A generator for behaviour and faults; never for cards."""
    return random.Random(f"{seed}:{name}")  # noqa: S311 -- behaviour has to be the same again for the same seed


class SeededBytes:
    """Bytes that stand in for the operating system's random source: SHAKE-256 of the seed and a counter."""

    _BLOCK = 4096

    def __init__(self, seed: int, name: str) -> None:
        self._prefix = f"{seed}:{name}:".encode()
        self._count = 0
        self._block = b""
        self._used = 0

    def __call__(self, count: int) -> bytes:
        """The next `count` bytes."""
        if self._used + count > len(self._block):
            left = self._block[self._used :]
            more = hashlib.shake_256(self._prefix + str(self._count).encode()).digest(self._BLOCK + count)
            self._count += 1
            self._block, self._used = left + more, 0
        begin, self._used = self._used, self._used + count
        return self._block[begin : self._used]
