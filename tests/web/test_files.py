"""The browser client's files as the room's port serves them: complete, self-contained, and asked for once."""

from __future__ import annotations

import re
from graphlib import TopologicalSorter
from pathlib import PurePosixPath

import pytest

from pokerroom.gateway.front_page import CONNECT_PATH
from pokerroom.web.files import CLIENT_PREFIX, CONTENT_POLICY, HAND_PATH, web_pages

PAGES = web_pages()
IMPORT = re.compile(r'(?:^import\s+|\bfrom\s+|\bimport\()"([^"]+)"', re.MULTILINE)
IMPORT_AT_ONCE = re.compile(r'(?:^import\s+|\bfrom\s+)"([^"]+)"', re.MULTILINE)
REFERENCE = re.compile(r'(?:href|src)="([^"]+)"')
ADDRESS = re.compile(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}[^\s\"'`]*")
NAMESPACES = {"http://www.w3.org/2000/svg"}


def text(path: str) -> str:
    return PAGES[path].body.decode()


def test_the_page_is_there_with_a_content_type_for_everything():
    """The client is at `/`, every other file at its own path, and node's own file is not served."""
    assert PAGES["/"].content_type == "text/html; charset=utf-8"
    assert PAGES["/app/main.js"].content_type == "text/javascript; charset=utf-8"
    assert PAGES[f"{CLIENT_PREFIX}pokerroom.js"].content_type == "text/javascript; charset=utf-8"
    assert not [path for path in PAGES if path.endswith("package.json")]


def imported(path: str, found: re.Pattern[str]) -> list[str]:
    """The paths of the modules that this one imports."""
    targets = found.findall(text(path))
    assert all(target.startswith(("/", "./")) for target in targets), targets
    return [
        target if target.startswith("/") else str(PurePosixPath(path).parent / target[2:])
        for target in targets
    ]


@pytest.mark.parametrize("path", [path for path in PAGES if path.endswith(".js")])
def test_every_import_is_served(path):
    """Modules import only files that the room serves."""
    for target in imported(path, IMPORT):
        assert target in PAGES, f"{path} imports {target}"


def test_no_modules_import_each_other_in_a_circle():
    """Each can be read, and loaded, after those that it imports. What is loaded on demand may lead back."""
    modules = {path: imported(path, IMPORT_AT_ONCE) for path in PAGES if path.endswith(".js")}
    assert len(list(TopologicalSorter(modules).static_order())) == len(modules)


@pytest.mark.parametrize("page", ["/", HAND_PATH])
def test_everything_the_page_names_is_served(page):
    """Styles, scripts, icon and links of the page are files of the room."""
    named = REFERENCE.findall(text(page))
    assert named
    assert {path for path in named if path != CONNECT_PATH} <= set(PAGES)


@pytest.mark.parametrize("path", PAGES)
def test_no_other_host_is_asked(path):
    """Nothing in any file names another host: the client works where there is no other network."""
    assert set(ADDRESS.findall(text(path))) <= NAMESPACES


@pytest.mark.parametrize("path", [path for path in PAGES if path.endswith(".js")])
def test_nothing_is_read_as_html_or_code(path):
    """No script makes HTML, styles or code of text, which the page's policy would forbid anyway."""
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\(\"style"
    )
    assert not re.search(forbidden, text(path))


def test_the_policy_allows_only_what_the_room_serves():
    """Scripts, styles, images and connections are the room's own; frames and forms are forbidden."""
    directives = dict(part.strip().split(" ", 1) for part in CONTENT_POLICY.split(";"))
    assert directives["default-src"] == "'none'"
    assert {directives[f"{kind}-src"] for kind in ("script", "style", "img", "connect")} == {"'self'"}
    assert {directives[name] for name in ("base-uri", "form-action", "frame-ancestors", "trusted-types")} == {
        "'none'"
    }
    others = {
        path: page.content_policy for path, page in PAGES.items() if page.content_policy != CONTENT_POLICY
    }
    assert others == {HAND_PATH: CONTENT_POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")}


def test_versions_are_told_apart():
    """Every file has an entity tag of its own content, and is asked for again each time."""
    tags = {page.etag for page in PAGES.values()}
    assert len(tags) == len({page.body for page in PAGES.values()})
    assert {page.cache_control for page in PAGES.values()} == {"no-cache"}
