"""A message on its way out, encoded at most once per encoding however many clients get it.

A broadcast to a table goes to many connections; what differs between them is the audience (decided in `views`) and
the encoding. This module knows bytes and framing. It knows nothing of tables or connections.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pokerroom_protocol.codec import Encoding, encode
from pokerroom_protocol.framing import frame
from pokerroom_protocol.messages import Answer

Wrap = Callable[[bytes], bytes]
"""Puts a body on some wire. One function for one encoding and wire: its result is shared under its identity."""


class Outgoing:
    """One message for one audience; its bytes are made when first asked for, then shared."""

    __slots__ = ("_framed", "_json", "_msgpack", "_wrapped", "message")

    def __init__(self, message: Answer) -> None:
        self.message = message
        self._msgpack: bytes | None = None
        self._json: bytes | None = None
        self._framed: bytes | None = None
        self._wrapped: dict[Wrap, bytes] | None = None

    def body(self, encoding: Encoding) -> bytes:
        """The encoded message without any framing."""
        if encoding is Encoding.MSGPACK:
            if self._msgpack is None:
                self._msgpack = encode(self.message, encoding)
            return self._msgpack
        if self._json is None:
            self._json = encode(self.message, encoding)
        return self._json

    def framed(self) -> bytes:
        """The msgpack body behind its length, as TCP clients get it."""
        if self._framed is None:
            self._framed = frame(self.body(Encoding.MSGPACK))
        return self._framed

    def wrapped(self, encoding: Encoding, wrap: Wrap) -> bytes:
        """The body as `wrap` puts it on its wire, made once for all connections with this `wrap`."""
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
        """The kind of message only: its fields may hold cards."""
        return f"<Outgoing {type(self.message).__name__}>"


class Bundle:
    """Several messages that leave together for the same audience; their joined bytes are made once, too."""

    __slots__ = ("_framed", "_wrapped", "parts")

    def __init__(self, parts: Iterable[Outgoing]) -> None:
        self.parts = tuple(parts)
        self._framed: bytes | None = None
        self._wrapped: dict[Wrap, bytes] | None = None

    def framed(self) -> bytes:
        """See `Outgoing.framed`."""
        if self._framed is None:
            self._framed = b"".join([part.framed() for part in self.parts])
        return self._framed

    def wrapped(self, encoding: Encoding, wrap: Wrap) -> bytes:
        """See `Outgoing.wrapped`."""
        if self._wrapped is None:
            self._wrapped = {}
        wire = self._wrapped.get(wrap)
        if wire is None:
            wire = self._wrapped[wrap] = b"".join([part.wrapped(encoding, wrap) for part in self.parts])
        return wire

    def __repr__(self) -> str:
        """See `Outgoing.__repr__`."""
        return f"<Bundle {self.parts}>"
