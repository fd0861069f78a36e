"""The browser client's files, as pages of the room's port: those of `static`, and the JavaScript client it is built on.

There is no build step: what is served is what lies here. The files are read once, when the room starts; what they do
is theirs, and nothing of a room is known here.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Final

from pokerroom.gateway.site import Page

CLIENT_PREFIX: Final = "/client/"

CONTENT_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
"""Only what this port serves, and the WebSocket beside it; no script or style in the page, nothing read as HTML."""

REVALIDATE: Final = "no-cache"
"""A browser keeps a file and asks each time whether it is still the same, so that an update is seen at once."""

_CONTENT_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
_NOT_SERVED: Final = "package.json"  # says to node that these are modules; a browser knows it


def web_pages() -> dict[str, Page]:
    """Every file by its path; `/` is the client itself."""
    static = Path(__file__).with_name("static")
    pages = {f"/{path}": page for path, page in _pages_of(static).items()}
    pages |= {f"{CLIENT_PREFIX}{path}": page for path, page in _pages_of(_client_directory()).items()}
    pages["/"] = pages.pop("/index.html")
    return pages


def _client_directory() -> Path:
    """Beside this module in an installed wheel, else in the checkout."""
    installed = Path(__file__).with_name("client")
    return installed if installed.exists() else Path(__file__).parents[2] / "protocol" / "javascript"


def _pages_of(directory: Path) -> dict[str, Page]:
    files = (path for path in sorted(directory.rglob("*")) if path.suffix in _CONTENT_TYPES)
    return {path.relative_to(directory).as_posix(): _page(path) for path in files if path.name != _NOT_SERVED}


def _page(path: Path) -> Page:
    body = path.read_bytes()
    return Page(
        body=body,
        content_type=_CONTENT_TYPES[path.suffix],
        content_policy=CONTENT_POLICY,
        etag=f'"{sha256(body).hexdigest()[:32]}"',
        cache_control=REVALIDATE,
    )
