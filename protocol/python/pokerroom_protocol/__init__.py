"""The pokerroom protocol v1 for Python: message classes, codec, framing, a session without I/O, clients.

`PokerClient` is one asyncio connection; `ReturningClient` reconnects. `twisted_client` is for Twisted, and is imported
by its own name. The contract is `protocol/README.md`; this package implements it and needs nothing else of the project.
"""

from __future__ import annotations

from .client import ConnectionEnded, FrameConnection, PokerClient, RequestRefused
from .codec import CodecError, Encoding, decode_map, decode_request, decode_server, encode
from .errors import Code
from .framing import FrameReader, FrameTooLarge, frame
from .messages import PROTOCOL_VERSION, ClientMessage, ServerMessage, TableEvent
from .returning import LineBack, LineEnded, LineLost, ReturningClient
from .session import Answered, ClientSession, Happening
from .table_view import after_event

__all__ = [
    "PROTOCOL_VERSION",
    "Answered",
    "ClientMessage",
    "ClientSession",
    "Code",
    "CodecError",
    "ConnectionEnded",
    "Encoding",
    "FrameConnection",
    "FrameReader",
    "FrameTooLarge",
    "Happening",
    "LineBack",
    "LineEnded",
    "LineLost",
    "PokerClient",
    "RequestRefused",
    "ReturningClient",
    "ServerMessage",
    "TableEvent",
    "after_event",
    "decode_map",
    "decode_request",
    "decode_server",
    "encode",
    "frame",
]
