"""Which web pages may open a WebSocket here. A browser names the page's origin, and lets any page try.

A log-in is no cookie here, so a foreign page could not act for its visitor. Refusing the connection also keeps such a
page from using visitors' browsers as bots, and keeps rooms on private networks out of its reach.
"""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}


def origin_allowed(origin: str | None, host: str, allowed_origins: Collection[str]) -> bool:
    """Return True without an origin (not a browser), for the `Host` header's own, and for a configured one.

    `allowed_origins` are written as browsers write them: `https://play.example`, `http://localhost:5173`.
    """
    if origin is None or origin in allowed_origins:
        return True
    scheme = origin.partition("://")[0]
    default_port = _DEFAULT_PORTS.get(scheme)
    if default_port is None:  # also "null", the origin of a sandboxed frame or a local file
        return False
    page = _host_and_port(origin, default_port)
    return page is not None and page == _host_and_port(f"{scheme}://{host}", default_port)


def _host_and_port(url: str, default_port: int) -> tuple[str, int] | None:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:  # a port that is no number, or half an IPv6 address
        return None
    return (parts.hostname, port or default_port) if parts.hostname else None
