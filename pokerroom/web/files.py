"""The files of the browser client, as pages of the room's port: `static` and the JavaScript protocol client.

The operators' console (`console`) is another page, for the operations port. It uses some modules of the client and its
design.

There is no build step: the files are served as they are. They are read and compressed once, when the room starts. This
module knows nothing about a room.
"""

from __future__ import annotations

import gzip
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Final

from pokerroom.gateway.site import Page

CLIENT_PREFIX: Final = "/client/"

CONSOLE_PREFIX: Final = "/operator"

SHARED: Final = (
    "static/app/amounts.js",
    "static/app/dialog.js",
    "static/app/i18n.js",
    "static/app/icons.js",
    "static/app/save_file.js",
    "static/app/settings.js",
    "static/app/view.js",
    "static/icon.svg",
    "static/style/base.css",
    "static/style/dialog.css",
)
"""What the console has from the players' client."""

CONTENT_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
"""Allow only files of this port and its WebSocket; no inline scripts or styles, and no parsing of HTML."""

HAND_PATH: Final = "/hand"
"""The page of a shared hand. It has no log-in and no button that acts in the room: other pages may frame it."""

HAND_CONTENT_POLICY: Final = CONTENT_POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")

REVALIDATE: Final = "no-cache"
"""Browsers revalidate a cached file each time, so that an update is visible at once."""

_CONTENT_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
_NOT_SERVED: Final = "package.json"  # for node only: it marks the files as modules


def web_pages() -> dict[str, Page]:
    """Return every file by its path; `/` is the client's page, `HAND_PATH` that of a shared hand."""
    static = Path(__file__).with_name("static")
    pages = {f"/{path}": page for path, page in _pages_of(static).items()}
    pages |= {f"{CLIENT_PREFIX}{path}": page for path, page in _pages_of(_client_directory()).items()}
    pages["/"] = pages.pop("/index.html")
    pages[HAND_PATH] = replace(pages.pop(f"{HAND_PATH}.html"), content_policy=HAND_CONTENT_POLICY)
    return pages


def console_pages() -> dict[str, Page]:
    """Return every file of the console by its path below `/operator`, which is that in this folder."""
    here = Path(__file__).parent
    pages = {f"console/{path}": page for path, page in _pages_of(here / "console").items()}
    pages |= {path: _page(here / path) for path in SHARED}
    page = pages.pop("console/index.html")
    return {f"{CONSOLE_PREFIX}/{path}": each for path, each in pages.items()} | {
        CONSOLE_PREFIX: page,
        f"{CONSOLE_PREFIX}/": page,
    }


def _client_directory() -> Path:
    """Return the folder of the JavaScript client: beside this module in a wheel, else in the checkout."""
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
        gzipped=gzip.compress(body, mtime=0),  # the same bytes at each start: nodes of a room share the tag
    )
