"""What the room's port answers over plain HTTP: pages that are known when it starts, and nothing else.

Every answer carries the same safe headers and a content policy that allows what the page itself brings. This module
knows `twisted.web` and no socket; connected clients and tables are not served here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from twisted.internet.interfaces import IReactorTime
from twisted.web.resource import Resource
from twisted.web.server import Request, Site

from pokerroom.gateway.http import WEBSOCKET_PATH
from pokerroom.gateway.refusal import NO_CONTENT_POLICY, SAFE_HEADERS
from pokerroom.gateway.websocket import SUBPROTOCOLS

KEEP_ALIVE_S = 15
"""A connection may wait this long between two requests, in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One answer with status 200; `content_policy` is its Content-Security-Policy.

    With an `etag` (quoted, as in HTTP) a client that names it gets 304 and no body. `gzipped` is the same body for a
    client that accepts gzip; it has an `etag` of its own, as RFC 9110 8.8.3.3 asks.
    """

    body: bytes
    content_type: str
    content_policy: str
    etag: str | None = None
    cache_control: str = SAFE_HEADERS["Cache-Control"]
    gzipped: bytes | None = None


def make_site(pages: Mapping[str, Page], clock: IReactorTime, hsts_s: int = 0) -> Site:
    """Make a site that answers GET and HEAD for the paths of `pages`, and 404 for every other path.

    With `hsts_s` browsers are told to use https alone for so long (RFC 6797).
    """
    return Site(Pages(pages, hsts_s), timeout=KEEP_ALIVE_S, reactor=clock)


class Pages(Resource):
    """Answers GET and HEAD for the paths of `pages`; the caller lets no other method through. See `make_site`."""

    isLeaf = True  # noqa: N815 -- Twisted's name

    def __init__(self, pages: Mapping[str, Page], hsts_s: int = 0) -> None:
        super().__init__()  # type: ignore[no-untyped-call] # inherited, and not annotated in Twisted
        self._pages = {path.encode("ascii"): page for path, page in pages.items()}
        self._headers = dict(SAFE_HEADERS)
        if hsts_s:
            self._headers["Strict-Transport-Security"] = f"max-age={hsts_s}"

    def render(self, request: Request) -> bytes:
        """Answer with the page, its head, or a refusal in plain text."""
        page = self._pages.get(request.path)
        status = HTTPStatus.OK
        more = {}
        if page is None and request.path == WEBSOCKET_PATH.encode():
            page, status, more = _UPGRADE, HTTPStatus.UPGRADE_REQUIRED, {"Upgrade": "websocket"}
        elif page is None:
            page, status = _NOT_FOUND, HTTPStatus.NOT_FOUND
        headers = {
            **self._headers,
            "Cache-Control": page.cache_control,
            "Content-Security-Policy": page.content_policy,
            **more,
        }
        body, etag = page.body, page.etag
        if page.gzipped is not None:
            headers["Vary"] = "Accept-Encoding"
            if _accepts_gzip(request.getHeader("accept-encoding")):
                body, etag = page.gzipped, etag and f'{etag[:-1]}-gzip"'
                headers["Content-Encoding"] = "gzip"
        if etag is not None:
            headers["ETag"] = etag
        if etag is not None and _names(request.getHeader("if-none-match"), etag):
            status = HTTPStatus.NOT_MODIFIED
            headers.pop("Content-Encoding", None)
        else:
            headers |= {"Content-Type": page.content_type, "Content-Length": str(len(body))}
        request.setResponseCode(status, status.phrase.encode("ascii"))
        for name, value in headers.items():
            request.setHeader(name, value)
        return b"" if request.method == b"HEAD" or status is HTTPStatus.NOT_MODIFIED else body


def _names(if_none_match: str | None, etag: str) -> bool:
    """Whether the client has this version; a weak comparison, as RFC 9110 13.1.2 asks."""
    known = (if_none_match or "").split(",")
    return any(each.strip().removeprefix("W/") in {etag, "*"} for each in known)


def _accepts_gzip(accept_encoding: str | None) -> bool:
    """Whether the client takes gzip: named with a weight above 0 (RFC 9110 12.5.3). `*` alone gets the plain body."""
    for each in (accept_encoding or "").split(","):
        coding, _, weight = each.partition(";")
        if coding.strip().lower() in {"gzip", "x-gzip"}:
            return not _NO_WEIGHT.fullmatch(weight.strip().lower())
    return False


_NO_WEIGHT: Final = re.compile(r"q\s*=\s*0(\.0{0,3})?")


def _text(text: str) -> Page:
    body = f"{text}\n".encode()
    return Page(body=body, content_type="text/plain; charset=utf-8", content_policy=NO_CONTENT_POLICY)


_NOT_FOUND = _text("There is no such page.")
_UPGRADE = _text(f"Open a WebSocket here, on a new connection, with subprotocol {' or '.join(SUBPROTOCOLS)}.")
