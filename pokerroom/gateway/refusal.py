"""HTTP refusals of a few bytes, written before or instead of any HTTP server, and the headers of all answers.

Knows HTTP/1.1 syntax only. It does not know what is refused, or why.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

SAFE_HEADERS: Final[Mapping[str, str]] = {
    "Server": "pokerroom",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Sent with every answer of this port that is not a WebSocket."""

NO_CONTENT_POLICY: Final = "default-src 'none'; frame-ancestors 'none'"
"""For an answer of plain text: a browser shows it and loads nothing."""


def refusal(status: HTTPStatus, text: str, headers: Mapping[str, str] | None = None) -> bytes:
    """Return a whole answer of plain text that announces the end of the connection."""
    body = f"{text}\n".encode()
    lines = {
        **SAFE_HEADERS,
        "Content-Security-Policy": NO_CONTENT_POLICY,
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Length": str(len(body)),
        "Connection": "close",
        **(headers or {}),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status.value} {status.phrase}\r\n{head}\r\n".encode("ascii") + body
