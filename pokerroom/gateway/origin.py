"""Which web pages may open a WebSocket here. A browser names the page's origin, and lets any page try.

A log-in is no cookie here, so a foreign page could not act for its visitor. Refusing the connection also keeps such a
page from using visitors' browsers as bots, and keeps rooms on private networks out of its reach.
"""

from __future__ import annotations

from collections.abc import Collection

from pokerroom.ops.same_origin import is_same_origin


def origin_allowed(origin: str | None, host: str, allowed_origins: Collection[str]) -> bool:
    """Return True without an origin (not a browser), for the `Host` header's own, and for a configured one.

    `allowed_origins` are written as browsers write them: `https://play.example`, `http://localhost:5173`.
    """
    return origin is None or origin in allowed_origins or is_same_origin(origin, host)
