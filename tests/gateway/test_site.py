"""The pages of the room's port and their headers, read over a real connection."""

import asyncio
import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from pokerroom.gateway.addresses import AddressPolicy
from pokerroom.gateway.front_page import RoomFacts, front_page
from pokerroom.gateway.http import FrontFactory
from pokerroom.gateway.outbound import TurnFlusher
from pokerroom.gateway.site import Page, make_site
from tests.gateway.parties import House, drive, fair_turns, listening

FACTS = RoomFacts(
    room="Ann & <Bob>'s room", version="1.2.3", tcp_port=4190, tables=("Oak: no-limit 1/2 <fast>", "Elm")
)


def get(run, path: str, method: str = "GET", more: str = "", pages=None) -> tuple[int, dict[str, str], str]:
    from twisted.internet import reactor

    house = House()
    factory = FrontFactory(
        site=make_site(pages or {"/": front_page(FACTS)}, reactor),
        receivers=house,
        turns=fair_turns(reactor),
        flusher=TurnFlusher(reactor),
        frame_bytes_max=100,
        outbound_bytes_max=1000,
        addresses=AddressPolicy(per_address=100),
        connections_max=100,
    )

    async def client(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"{method} {path} HTTP/1.1\r\nHost: a\r\n{more}Connection: close\r\n\r\n".encode())
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()
        return answer

    head, _, body = drive(run, listening(factory, house, client)).decode().partition("\r\n\r\n")
    status, *lines = head.split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    assert len(headers) == len(lines), "no header twice"
    return int(status.split()[1]), headers, body


class Outline(HTMLParser):
    """Elements and text; refuses what is not nested."""

    VOID = frozenset({"meta"})

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: dict[str, str] = {}
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open:
            self.text[self.open[-1]] = self.text.get(self.open[-1], "") + data


def test_front_page_tells_how_to_connect(run):
    """The page names the room, its ports, both subprotocols, its tables and its version, all escaped."""
    status, headers, html = get(run, "/")
    outline = Outline(html)
    assert status == 200
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert outline.text["h1"] == outline.text["title"] == FACTS.room
    assert "port 4190" in outline.text["code"]
    assert "/ws, subprotocol pokerroom.v1.msgpack" in outline.text["code"]
    assert "/ws, subprotocol pokerroom.v1.json" in outline.text["code"]
    assert outline.text["li"] == "".join(FACTS.tables)
    assert "1.2.3" in outline.text["footer"]


def test_front_page_is_self_contained(run):
    """The page loads nothing, and its policy allows exactly its own style."""
    _, headers, html = get(run, "/")
    outline = Outline(html)
    tags = {tag for tag, _ in outline.elements}
    assert tags.isdisjoint({"script", "link", "img", "iframe", "form"})
    assert not [name for _, attrs in outline.elements for name in attrs if name in {"src", "href", "style"}]
    assert "url(" not in outline.text["style"]
    assert "@import" not in outline.text["style"]
    digest = base64.b64encode(hashlib.sha256(outline.text["style"].encode()).digest()).decode().lower()
    assert f"style-src 'sha256-{digest}'" in headers["content-security-policy"]
    assert headers["content-security-policy"].startswith("default-src 'none'")


def test_front_page_is_accessible(run):
    """The page has a language, one main heading, a labelled table, and enough contrast in both colour schemes."""
    outline = Outline(get(run, "/")[2])
    elements = outline.elements
    assert elements[0] == ("html", {"lang": "en"})
    assert [tag for tag, _ in elements].count("h1") == 1
    (table,) = [attrs for tag, attrs in elements if tag == "table"]
    assert ("h2", {"id": table["aria-labelledby"]}) in elements
    assert {attrs.get("scope") for tag, attrs in elements if tag == "th"} == {"row", "col"}
    assert "prefers-color-scheme: dark" in outline.text["style"]
    colours = {
        name: re.findall(rf"--{name}: (#\w+)", outline.text["style"]) for name in ("ink", "felt", "paper")
    }
    light_and_dark = list(zip(*colours.values(), strict=True))
    assert len(light_and_dark) == 2
    for ink, felt, paper in light_and_dark:
        assert min(_contrast(ink, paper), _contrast(felt, paper)) > 4.5


def _contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2, from 1 to 21."""

    def luminance(colour: str) -> float:
        channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
        linear = [
            value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels
        ]
        return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("path", ["/", "/nothing-here", "/ws"])
def test_headers_on_every_answer(run, path):
    """Every answer has the safe headers, a content policy and a length; HEAD gives the same ones and no body."""
    status, headers, body = get(run, path)
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["server"] == "pokerroom"
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert int(headers["content-length"]) == len(body.encode())
    head_status, head_headers, no_body = get(run, path, "HEAD")
    assert (head_status, no_body) == (status, "")
    assert {**head_headers, "date": ""} == {**headers, "date": ""}


@pytest.mark.parametrize(
    "path", ["/index.html", "/../etc/passwd", "//", "/%2e", "/ws/", "/%00", "/" + "a" * 4000]
)
def test_unknown_paths(run, path):
    """Any path that is no page is answered 404, in plain text that repeats nothing of it."""
    status, headers, body = get(run, path)
    assert status == 404
    assert headers["content-type"] == "text/plain; charset=utf-8"
    assert body == "There is no such page.\n"


def test_plain_request_for_the_websocket(run):
    """A request for /ws that asks for no upgrade is told to, with the subprotocols."""
    status, headers, body = get(run, "/ws")
    assert status == 426
    assert headers["upgrade"] == "websocket"
    assert "pokerroom.v1.msgpack or pokerroom.v1.json" in body


def test_no_tables_no_list():
    """Without tables the page has no empty list."""
    html = front_page(RoomFacts(room="r", version="1", tcp_port=1)).body.decode()
    assert "<ul>" not in html
    Outline(html)


TAGGED = {
    "/a.js": Page(
        body=b"let a;",
        content_type="text/javascript",
        content_policy="default-src 'none'",
        etag='"v1"',
        cache_control="no-cache",
    )
}


def test_a_page_that_is_known_already_is_not_sent_again(run):
    """A browser that names its version gets 304 without a body, with the same tag and policy."""
    for header in ('"v1"', 'W/"v1"', '"v0", "v1"', "*"):
        status, headers, body = get(run, "/a.js", more=f"If-None-Match: {header}\r\n", pages=TAGGED)
        assert (status, body) == (304, "")
        assert (headers["etag"], headers["cache-control"]) == ('"v1"', "no-cache")
        assert headers["content-security-policy"] == "default-src 'none'"
    for more in ("", 'If-None-Match: "v2"\r\n'):
        status, headers, body = get(run, "/a.js", more=more, pages=TAGGED)
        assert (status, body, headers["etag"]) == (200, "let a;", '"v1"')


def test_a_page_without_a_version_is_never_kept(run):
    """The page about connecting changes with every start, so no browser keeps it."""
    status, headers, _ = get(run, "/", more="If-None-Match: *\r\n")
    assert (status, headers["cache-control"]) == (200, "no-store")
    assert "etag" not in headers


PACKED = {path: replace(page, gzipped=b"packed") for path, page in TAGGED.items()}


@pytest.mark.parametrize(
    ("accepted", "body"),
    [
        ("gzip", "packed"),
        ("deflate, GZIP;q=0.5, br", "packed"),
        ("gzip;q=0", "let a;"),
        ("gzip; q=0.000", "let a;"),
        ("br, *", "let a;"),
        (None, "let a;"),
    ],
)
def test_a_page_is_compressed_for_a_client_that_takes_it(run, accepted, body):
    """Each form has its own tag, and caches are told what the answer depends on."""
    more = "" if accepted is None else f"Accept-Encoding: {accepted}\r\n"
    status, headers, got = get(run, "/a.js", more=more, pages=PACKED)
    assert (status, got, headers["vary"]) == (200, body, "accept-encoding")
    assert headers.get("content-encoding") == ("gzip" if body == "packed" else None)
    assert headers["etag"] == ('"v1-gzip"' if body == "packed" else '"v1"')
    known, again, empty = get(run, "/a.js", more=f"{more}If-None-Match: {headers['etag']}\r\n", pages=PACKED)
    assert (known, empty, "content-encoding" in again) == (304, "", False)
