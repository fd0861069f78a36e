"""Frames of the TCP transport: four bytes of length, big-endian, then that many bytes of body.

It works on bytes alone: it knows no sockets and does not read a body. WebSocket has its own frames. An empty body is a
valid frame; the codec refuses it.
"""

from __future__ import annotations

from typing import Final

__all__ = ["HEADER_BYTES", "FrameReader", "FrameTooLarge", "frame"]

HEADER_BYTES: Final = 4
_LENGTH_MAX: Final = 2**32 - 1


class FrameTooLarge(Exception):  # noqa: N818 - named for what happened, as the code `frame_too_large` is
    """Raised as soon as a header announces more than the reader accepts. The stream cannot be read any further.

    `frames` are the complete bodies before it in the same call; `length` is the announced length in bytes.
    """

    def __init__(self, length: int, length_max: int, frames: list[bytes]) -> None:
        super().__init__(f"a frame of {length} bytes, the limit is {length_max}")
        self.length = length
        self.frames = frames


def frame(body: bytes) -> bytes:
    """Return `body` with its header; raise OverflowError for 4 GiB or more."""
    return len(body).to_bytes(HEADER_BYTES, "big") + body


class FrameReader:
    """Cut a byte stream into bodies of at most `frame_bytes_max` bytes."""

    __slots__ = ("_buffer", "_refused", "frame_bytes_max")

    def __init__(self, frame_bytes_max: int) -> None:
        if not 0 < frame_bytes_max <= _LENGTH_MAX:
            raise ValueError(f"frame_bytes_max must be 1..{_LENGTH_MAX}")
        self.frame_bytes_max = frame_bytes_max
        self._buffer = bytearray()
        self._refused = 0

    @property
    def is_empty(self) -> bool:
        """Whether no byte waits: neither a frame that was not cut yet nor a part of one."""
        return not self._buffer

    def feed(self, data: bytes, frames_max: int | None = None) -> list[bytes]:
        """Return the complete bodies, in order. Raise `FrameTooLarge`, and again at each later call.

        No more than `frames_max` of them are cut; the next call, perhaps with `b""`, goes on behind them.
        """
        if self._refused:
            raise FrameTooLarge(self._refused, self.frame_bytes_max, [])
        held = self._buffer
        available = len(data)
        one = HEADER_BYTES + int.from_bytes(data[:HEADER_BYTES], "big")
        if available == one <= self.frame_bytes_max and not held and frames_max != 0:
            return [data[HEADER_BYTES:]]  # one whole frame, as most reads hold
        # Whole frames are cut out of `data`. The rest waits in a bytearray, which grows in place.
        source: bytes | bytearray = data
        if held:
            held += data
            source = held
        bodies: list[bytes] = []
        start = 0
        available = len(source)
        while available - start >= HEADER_BYTES and len(bodies) != frames_max:
            body_start = start + HEADER_BYTES
            length = int.from_bytes(source[start:body_start], "big")
            if length > self.frame_bytes_max:
                self._refused = length
                held.clear()
                raise FrameTooLarge(length, self.frame_bytes_max, bodies)
            end = body_start + length
            if end > available:
                break
            bodies.append(bytes(source[body_start:end]))
            start = end
        if source is held:
            del held[:start]
        elif start < available:
            held += data[start:]
        return bodies
