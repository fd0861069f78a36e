"""A real room with a certificate: its ports, its house bots, and what its commands say of bad files."""

from __future__ import annotations

import json
import urllib.request

import pytest

from tests.gateway.certificates import Authority

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]

CONFIG = """
[tls]
certificate = "{certificate}"
key = "{key}"
[[tables]]
id = "bots"
small_blind = 50
hand_pause_ms = 0
house_bots = 2
[[tables]]
id = "six"
small_blind = 50
hand_pause_ms = 0
[house]
think_ms = 0
"""


def test_a_room_with_a_certificate_is_played_at(rooms, tmp_path, monkeypatch):
    """Bots play hands over TLS, house bots play too, the page comes over https and plain text gets nothing."""
    authority = Authority(tmp_path)
    authority.write()
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.trusted))
    files = authority.files
    room = rooms.started(CONFIG.format(certificate=files.certificate, key=files.key))
    assert f"tls://127.0.0.1:{room.game_port}" in "".join(room.output)

    swarm = room.command(
        *("swarm", "--host", "tls://127.0.0.1", "--port", str(room.game_port)),
        *("--bots", "6", "--tables", "2", "--hands", "30", "--think", "0", "--processes", "1", "--json"),
    )
    assert swarm.returncode == 0, swarm.stdout + swarm.stderr
    assert json.loads(swarm.stdout)["hands"] >= 30

    with urllib.request.urlopen(f"https://127.0.0.1:{room.http_port}/", context=authority.client()) as page:
        assert page.headers["Strict-Transport-Security"] == "max-age=31536000"
    with pytest.raises(OSError, match=r"reset|closed|Remote end|RECORD|EOF"):
        urllib.request.urlopen(f"http://127.0.0.1:{room.http_port}/")

    tables = json.loads(room.get("/v1/tables"))
    assert [table["occupied"] for table in tables if table["table"] == "bots"] != [0]
    assert "pokerroom_tls_expires_seconds" in room.get("/metrics")
    room.stop()
    room.audit()


def test_bad_files_are_told_before_anything_starts(rooms, tmp_path):
    """`serve` and `config check` name the file and say what to do; no server is started for it."""
    room = rooms.node(CONFIG.format(certificate=tmp_path / "none.pem", key=tmp_path / "none.key"))
    for command in (("serve", "--config"), ("config", "check")):
        told = room.command(*command, str(room.config))
        assert told.returncode == 2
        assert (
            f"the certificate of [tls] cannot be read: {tmp_path / 'none.pem'}: No such file" in told.stderr
        )
        assert told.stdout == ""
