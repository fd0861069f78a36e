"""Whether a request comes from a page of the same site, by its headers `Origin` and `Host`.

`Host` must be one that the site trusts: a page may give its own name any address (DNS rebinding; see `trusted_hosts`).
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


def is_same_origin(origin: str, host: str) -> bool:
    """Return whether an origin is that of the `Host` header, with or without TLS in front.

    `null`, the origin of a sandboxed frame or a local file, is the origin of no site.
    """
    scheme = origin.partition("://")[0]
    default_port = _DEFAULT_PORTS.get(scheme)
    if default_port is None:
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
