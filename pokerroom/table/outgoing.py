"""An outgoing message, encoded at most once per encoding however many clients get it.

A broadcast to a table goes to many connections. They differ in the audience (decided in `views`) and the encoding. A
message from another node arrives as bytes, and is decoded only for clients with another encoding. This module knows
bytes and framing. It knows nothing of tables or connections.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from pokerroom_protocol.codec import Encoding, decode_server, encode
from pokerroom_protocol.framing import HEADER_BYTES, frame
from pokerroom_protocol.messages import Answer

Wrap = Callable[[bytes], bytes]
"""Frames a body for a transport.

Use one function per encoding and transport: its result is shared under its identity.
"""

_MSGPACK: Final = Encoding.MSGPACK  # reading an enum's member takes three times as long as reading a name


class Outgoing:
    """One message for one audience; its bytes are made when first asked for, then shared."""

    __slots__ = ("_framed", "_json", "_message", "_msgpack", "_wrapped")

    def __init__(self, message: Answer | None, msgpack: bytes | None = None) -> None:
        """Take a message, or its bytes as another node has made them."""
        assert message is not None or msgpack is not None
        self._message = message
        self._msgpack = msgpack
        self._json: bytes | None = None
        self._framed: bytes | None = None
        self._wrapped: dict[Wrap, bytes] | None = None

    @property
    def message(self) -> Answer:
        """The message."""
        if self._message is None:
            assert self._msgpack is not None
            self._message = decode_server(self._msgpack, _MSGPACK)
        return self._message

    def body(self, encoding: Encoding) -> bytes:
        """Return the encoded message without any framing."""
        if encoding is _MSGPACK:
            if self._msgpack is None:
                self._msgpack = encode(self.message, encoding)
            return self._msgpack
        if self._json is None:
            self._json = encode(self.message, encoding)
        return self._json

    def framed(self) -> bytes:
        """Return the msgpack body behind its length, as TCP clients get it."""
        framed = self._framed
        if framed is None:
            framed = self._framed = frame(self.body(_MSGPACK))
        return framed

    def wrapped(self, encoding: Encoding, wrap: Wrap) -> bytes:
        """Return the body as framed by `wrap`, made once for all connections with this `wrap`."""
        if self._wrapped is None:
            self._wrapped = {}
        wire = self._wrapped.get(wrap)
        if wire is None:
            wire = self._wrapped[wrap] = wrap(self.body(encoding))
        return wire

    @property
    def parts(self) -> tuple[Outgoing, ...]:
        """The messages in it: this one."""
        return (self,)

    def __repr__(self) -> str:
        """Return the kind of message only: its fields may hold cards."""
        return f"<Outgoing {type(self.message).__name__}>"


class Bundle:
    """As `Outgoing`, for messages that leave together for the same audience; their joined bytes are made once, too."""

    __slots__ = ("_framed", "_parts", "_wrapped")

    def __init__(self, parts: Iterable[Outgoing] | None, framed: bytes | None = None) -> None:
        """Take messages, or their bytes as another node has made them with `framed`."""
        assert parts is not None or framed is not None
        self._parts = None if parts is None else tuple(parts)
        self._framed = framed
        self._wrapped: dict[Wrap, bytes] | None = None

    @property
    def parts(self) -> tuple[Outgoing, ...]:
        """The messages in it."""
        if self._parts is None:
            assert self._framed is not None
            self._parts = tuple(Outgoing(None, body) for body in _bodies(self._framed))
        return self._parts

    def framed(self) -> bytes:
        framed = self._framed
        if framed is None:
            framed = self._framed = b"".join([part.framed() for part in self.parts])
        return framed

    def wrapped(self, encoding: Encoding, wrap: Wrap) -> bytes:
        if self._wrapped is None:
            self._wrapped = {}
        wire = self._wrapped.get(wrap)
        if wire is None:
            wire = self._wrapped[wrap] = b"".join([part.wrapped(encoding, wrap) for part in self.parts])
        return wire

    def __repr__(self) -> str:
        return f"<Bundle {self.parts}>"


def _bodies(framed: bytes) -> Iterator[bytes]:
    """Yield the bodies of whole frames, as `framing.frame` makes them."""
    start = 0
    while start < len(framed):
        body = start + HEADER_BYTES
        start = body + int.from_bytes(framed[start:body], "big")
        yield framed[body:start]
