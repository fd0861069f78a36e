"""What a compact encoding would save: bytes and processor time of the events in the transcripts.

    python -m tests.protocol.encodings

The figures of `protocol/connection.md` are from here.
"""

from __future__ import annotations

import json
import sys
import time
import zlib
from collections.abc import Callable
from typing import Any

import msgpack

from tests.protocol.transcripts import DIRECTORY

ROUNDS = 50
WINDOW = -15
"""Raw deflate with the largest window, as `permessage-deflate` has by default."""


def events() -> list[dict[str, Any]]:
    """The events of the stories that are played at poker tables."""
    lines = [
        json.loads(line)
        for name in ("one_hand", "side_pot", "sit_and_go")
        for line in (DIRECTORY / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    messages = [line["message"] for line in lines if line["from"] == "room"]
    return [message for message in messages if "seq" in message and message["type"] != "snapshot"]


def numbered(value: Any, names: dict[str, int]) -> Any:
    """The same with numbers for the names of fields."""
    match value:
        case dict():
            return {names.setdefault(key, len(names)): numbered(each, names) for key, each in value.items()}
        case list():
            return [numbered(each, names) for each in value]
    return value


def deflated(bodies: list[bytes], *, takeover: bool) -> list[bytes]:
    """The bodies as one connection gets them; with `takeover` each knows those before it."""
    found = []
    compressor = zlib.compressobj(1, zlib.DEFLATED, WINDOW)
    for body in bodies:
        if not takeover:
            compressor = zlib.compressobj(1, zlib.DEFLATED, WINDOW)
        found.append((compressor.compress(body) + compressor.flush(zlib.Z_SYNC_FLUSH))[:-4])
    return found


def measured(name: str, work: Callable[[], list[bytes]]) -> None:
    """Prints bytes and microseconds per message, the best of some rounds."""
    best = min(_seconds(work) for _ in range(ROUNDS))
    bodies = work()
    mean = sum(map(len, bodies)) / len(bodies)
    sys.stdout.write(f"{name:<42}{mean:7.1f} B{best / len(bodies) * 1e6:7.1f} µs\n")


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    """The command."""
    messages = events()
    short = [numbered(message, {}) for message in messages]
    packer = msgpack.Packer()
    packed = [packer.pack(message) for message in messages]
    sys.stdout.write(f"{len(messages)} events, per message\n")
    measured("msgpack, encoded once per audience", lambda: [packer.pack(message) for message in messages])
    measured("msgpack with numbers for field names", lambda: [packer.pack(message) for message in short])
    measured("and deflate per connection, with context", lambda: deflated(packed, takeover=True))
    measured("and deflate per connection, without", lambda: deflated(packed, takeover=False))


if __name__ == "__main__":
    main()
