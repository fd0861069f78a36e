"""Frames of the TCP transport: four bytes of length, big-endian, then that many bytes of body.

Pure bookkeeping over bytes. It knows no sockets and does not look into a body; WebSocket messages are
framed by WebSocket itself and do not pass here. An empty body is a frame like any other: the codec refuses
it.
"""

from __future__ import annotations

from typing import Final

__all__ = ["HEADER_BYTES", "FrameReader", "FrameTooLarge", "frame"]

HEADER_BYTES: Final = 4
_LENGTH_MAX: Final = 2**32 - 1


class FrameTooLarge(Exception):  # noqa: N818 - named for what happened, as the code `frame_too_large` is
    """Raised as soon as a header announces more than the reader takes. The stream cannot be read any further.

    `frames` are the complete bodies that came before it in the same call, `length` is what was announced
    (bytes).
    """

    def __init__(self, length: int, length_max: int, frames: list[bytes]) -> None:
        super().__init__(f"a frame of {length} bytes, the limit is {length_max}")
        self.length = length
        self.frames = frames


def frame(body: bytes) -> bytes:
    """`body` with its header; raises OverflowError for a body of 4 GiB or more."""
    return len(body).to_bytes(HEADER_BYTES, "big") + body


class FrameReader:
    """Cuts a byte stream, however it arrives, into bodies of at most `frame_bytes_max` bytes."""

    __slots__ = ("_buffer", "_refused", "frame_bytes_max")

    def __init__(self, frame_bytes_max: int) -> None:
        if not 0 < frame_bytes_max <= _LENGTH_MAX:
            raise ValueError(f"frame_bytes_max must be 1..{_LENGTH_MAX}")
        self.frame_bytes_max = frame_bytes_max
        self._buffer = bytearray()
        self._refused = 0

    def feed(self, data: bytes) -> list[bytes]:
        """The bodies that are complete now, in order. Raises `FrameTooLarge`, from then on always."""
        if self._refused:
            raise FrameTooLarge(self._refused, self.frame_bytes_max, [])
        # Most reads hold whole frames: those are cut out of `data`. What is left over waits in a bytearray,
        # which grows in place, and is looked into again only when more has come.
        held = self._buffer
        source: bytes | bytearray = data
        if held:
            held += data
            source = held
        bodies: list[bytes] = []
        start = 0
        available = len(source)
        while available - start >= HEADER_BYTES:
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
