"""Which origins may connect, for each way hosts and ports are written."""

import pytest

from pokerroom.gateway.origin import origin_allowed


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        (None, "anything"),
        ("http://room.example", "room.example"),
        ("http://room.example", "room.example:80"),
        ("https://room.example", "room.example"),
        ("https://room.example:443", "room.example"),
        ("https://room.example", "room.example:443"),
        ("http://Room.Example:4191", "room.example:4191"),
        ("http://127.0.0.1:4191", "127.0.0.1:4191"),
        ("http://[::1]:4191", "[::1]:4191"),
    ],
)
def test_own_origin(origin, host):
    """No origin, or the one of the Host header with default ports understood, is allowed."""
    assert origin_allowed(origin, host, ())


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("null", "null"),
        ("", ""),
        ("http://", ""),
        ("http://evil.example", "room.example"),
        ("http://room.example", "room.example:4191"),
        ("http://room.example:4192", "room.example:4191"),
        ("https://room.example", "room.example:80"),
        ("http://room.example.evil.example", "room.example"),
        ("http://room.example@evil.example", "room.example"),
        ("file://room.example", "room.example"),
        ("chrome-extension://room.example", "room.example"),
        ("http://room.example:x", "room.example:x"),
        ("http://room.example:99999", "room.example:99999"),
        ("http://[::1", "[::1"),
    ],
)
def test_foreign_origin(origin, host):
    """Any other origin is refused: another host, port or scheme, no origin at all, or what cannot be read."""
    assert not origin_allowed(origin, host, ("https://play.example",))


def test_configured_origin():
    """A configured origin is allowed exactly as written, whatever the host."""
    allowed = ("https://play.example",)
    assert origin_allowed("https://play.example", "room.example", allowed)
    assert not origin_allowed("http://play.example", "room.example", allowed)
    assert not origin_allowed("https://play.example:444", "room.example", allowed)
