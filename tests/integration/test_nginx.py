"""The recipe for a proxy, deploy/nginx.conf, with the real nginx: a hand through it, and the addresses in the room.

The file is used as it is but for names: ports, certificate, and where nginx keeps its own files.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets import Subprotocol
from websockets.sync.client import connect

from tests.gateway.certificates import Authority
from tests.integration.support import ANSWER_S, Client, TcpClient, WebSocketClient, play_hand

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]

RECIPE = (Path(__file__).parents[2] / "deploy" / "nginx.conf").read_text(encoding="utf-8")
ROOM = """
[listen]
host = "127.0.0.1"
trusted_proxies = ["127.0.0.1"]
game_proxy_protocol = true
[[tables]]
id = "duel"
seats = 2
small_blind = 50
hand_pause_ms = 0
[[tables]]
id = "bots"
small_blind = 50
house_bots = 1
"""


class ThroughTls(TcpClient):
    """Over TCP with TLS, from another address of this machine."""

    def __init__(self, port: int, tls: ssl.SSLContext, source: str) -> None:
        Client.__init__(self)
        plain = socket.create_connection(("127.0.0.1", port), ANSWER_S, (source, 0))
        self.socket = tls.wrap_socket(plain, server_hostname="localhost")
        self._buffer = b""


class ThroughWss(WebSocketClient):
    """Over WebSocket with TLS, from another address of this machine; it writes an address that is not its own."""

    def __init__(self, port: int, tls: ssl.SSLContext, source: str) -> None:
        Client.__init__(self)
        self._json = True
        self._open = contextlib.ExitStack()
        self.connection = self._open.enter_context(
            connect(
                f"wss://localhost:{port}/ws",
                sock=socket.create_connection(("127.0.0.1", port), ANSWER_S, (source, 0)),
                ssl=tls,
                origin=f"https://localhost:{port}",
                subprotocols=[Subprotocol("pokerroom.v1.json")],
                additional_headers={"X-Forwarded-For": "203.0.113.9", "Forwarded": "for=203.0.113.9"},
                proxy=None,
                close_timeout=1,  # nginx keeps the line for a while after both ends
            )
        )


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        found = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in found]


def said(text: str, changes: dict[str, str]) -> str:
    for old, new in changes.items():
        assert old in text, f"the recipe has no {old}"
        text = text.replace(old, new)
    return text


@contextlib.contextmanager
def nginx(directory: Path, text: str, port: int) -> Iterator[None]:
    """The program with these settings, once it answers; skips if it is not installed with its part for TCP."""
    program = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
    if program is None:
        pytest.skip("nginx is not installed: apt install nginx libnginx-mod-stream")
    if not Path("/etc/nginx/modules-enabled").is_dir() or not any(
        "stream" in module.name for module in Path("/etc/nginx/modules-enabled").iterdir()
    ):
        pytest.skip("nginx has no part for TCP: apt install libnginx-mod-stream")
    settings = directory / "nginx.conf"
    settings.write_text(text)
    command = [program, "-e", str(directory / "error.log"), "-c", str(settings)]
    checked = subprocess.run([*command, "-t"], capture_output=True, text=True, timeout=60, check=False)
    assert checked.returncode == 0, checked.stderr
    process = subprocess.Popen([*command, "-g", "daemon off;"], stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            with (
                contextlib.suppress(ConnectionRefusedError),
                socket.create_connection(("127.0.0.1", port), 1),
            ):
                break
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.05)
                raise AssertionError((directory / "error.log").read_text())
        yield
    finally:
        process.terminate()
        process.wait(30)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has more addresses of this machine than one")
def test_a_hand_through_nginx(rooms, tmp_path):
    """One player over `tls://`, one over `wss://`: the hand ends, and the room has each one's own address."""
    authority = Authority(tmp_path)
    authority.write()
    room = rooms.started(ROOM)
    plain, web, game = free_ports(3)
    text = said(
        RECIPE,
        {
            "listen 80;": f"listen 127.0.0.1:{plain};",
            "listen 443 ssl": f"listen 127.0.0.1:{web} ssl",
            "listen 4443 ssl": f"listen 127.0.0.1:{game} ssl",
            "127.0.0.1:4191": f"127.0.0.1:{room.http_port}",
            "127.0.0.1:4190": f"127.0.0.1:{room.game_port}",
            "/etc/letsencrypt/live/poker.example/fullchain.pem": authority.files.certificate,
            "/etc/letsencrypt/live/poker.example/privkey.pem": authority.files.key,
            "/run/nginx.pid": str(tmp_path / "nginx.pid"),
            "/var/log/nginx/error.log": str(tmp_path / "error.log"),
            "http {\n": "http {\n"
            + "".join(
                f"    {kind}_temp_path {tmp_path / kind};\n"
                for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
            ),
        },
    )
    tls = authority.client()
    with nginx(tmp_path, text, web):
        with ThroughTls(game, tls, "127.0.0.2") as anna, ThroughWss(web, tls, "127.0.0.3") as bert:
            anna.enter("anna")
            bert.enter("bert")
            seat_a = anna.ask("sit_down", table="duel", buy_in=5_000)["your_seat"]
            seat_b = bert.ask("sit_down", table="duel", buy_in=5_000)["your_seat"]
            ended = play_hand({seat_a: anna, seat_b: bert}, anna)
            assert sum(seat["stack"] for seat in ended["stacks"]) == 10_000
        with urllib.request.urlopen(f"https://localhost:{web}/", context=tls) as page:
            assert page.headers["Strict-Transport-Security"] == "max-age=31536000"
    room.stop()
    opened = [line for line in room.output if "account.opened" in line]
    assert re.findall(r"address\W+(127\.0\.0\.\d)", "".join(opened)) == ["127.0.0.2", "127.0.0.3"]
    lost = [line for line in room.output if "connection.lost" in line]
    assert len(re.findall(r"peer\W+127\.0\.0\.[23]:\d", "".join(lost))) == 2
    assert "203.0.113.9" not in "".join(room.output)
    room.audit()
