"""The page for authors of clients: what this room is, and how programs connect.

Self-contained: no script, no image, nothing fetched. It shows the facts that are known at the start, no live state.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from string import Template
from typing import Final

from pokerroom.gateway.http import WEBSOCKET_PATH
from pokerroom.gateway.site import Page
from pokerroom.gateway.websocket import SUBPROTOCOLS
from pokerroom_protocol.codec import Encoding

CONNECT_PATH: Final = "/connect"

_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1c2321; --paper: #fbfaf7; --line: #d5d8d3; --felt: #17643f; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6ebe8; --paper: #131816; --line: #35403b; --felt: #6fcf9d; }
}
body { margin: 0 auto; max-width: 44rem; padding: 2rem 1.25rem; color: var(--ink); background: var(--paper);
  font: 1rem/1.6 system-ui, sans-serif; }
h1 { margin: 0; color: var(--felt); font-size: 2rem; line-height: 1.2; }
h2 { margin: 2rem 0 .5rem; font-size: 1.15rem; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; }
code { font: .95em ui-monospace, monospace; overflow-wrap: anywhere; }
footer { margin-top: 2.5rem; font-size: .9rem; }
"""

_HTML: Final = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>$room</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>$style</style>
</head>
<body>
<main>
<h1>$room</h1>
<p>A poker room for play money, played through clients: programs, bots or pages that speak its protocol.</p>
<h2 id="connect">How to connect</h2>
<table aria-labelledby="connect">
<thead><tr><th scope="col">Transport</th><th scope="col">Where</th><th scope="col">Messages</th></tr></thead>
<tbody>
$transports
</tbody>
</table>
<p>The first message is <code>hello</code>. The protocol's contract, with a Python client, is in the directory
<code>protocol</code> of the source.</p>
$tables</main>
<footer>pokerroom $version, protocol version 1</footer>
</body>
</html>
""")

_MESSAGES: Final = {
    Encoding.MSGPACK: "binary messages of one msgpack map",
    Encoding.JSON: "text messages of one JSON object",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomFacts:
    """What the page shows. `tables` are lines of text, as a lobby would name each table; without any
    there is no list.
    """

    room: str
    version: str
    tcp_port: int
    encrypted: bool = False
    """Whether both ports speak TLS alone."""
    tables: tuple[str, ...] = ()


def front_page(facts: RoomFacts) -> Page:
    """Return the page for `CONNECT_PATH`."""
    rows = [
        (
            "TCP, TLS" if facts.encrypted else "TCP",
            f"port {facts.tcp_port}",
            "4 bytes of length, big-endian, then one map: msgpack, or JSON",
        )
    ]
    rows += [
        ("WebSocket", f"{WEBSOCKET_PATH}, subprotocol {name}", _MESSAGES[encoding])
        for name, encoding in SUBPROTOCOLS.items()
    ]
    html = _HTML.substitute(
        room=escape(facts.room),
        version=escape(facts.version),
        style=_STYLE,
        transports="\n".join(
            f'<tr><th scope="row">{kind}</th><td><code>{where}</code></td><td>{messages}</td></tr>'
            for kind, where, messages in rows
        ),
        tables=_table_list(facts.tables),
    )
    style_hash = b64encode(sha256(_STYLE.encode()).digest()).decode()
    return Page(
        body=html.encode(),
        content_type="text/html; charset=utf-8",
        content_policy=f"default-src 'none'; style-src 'sha256-{style_hash}'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )


def _table_list(tables: tuple[str, ...]) -> str:
    if not tables:
        return ""
    items = "\n".join(f"<li>{escape(line)}</li>" for line in tables)
    return f"<h2>Tables</h2>\n<ul>\n{items}\n</ul>\n"
