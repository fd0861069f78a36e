"""The names to which the operations port answers."""

import pytest

from pokerroom.ops.trusted_hosts import TrustedHosts

HOSTS = TrustedHosts(["Ops.Example", "node7.", "10.0.0.7"])


@pytest.mark.parametrize(
    "host",
    [
        "localhost", "LOCALHOST:4192", "127.0.0.1", "127.0.0.1:4192", "192.0.2.7:80", "[::1]", "[::1]:4192",
        "ops.example", "OPS.example:4192", "ops.example.", "node7",
    ],
)  # fmt: skip
def test_addresses_and_known_names_are_answered(host):
    """With a port or without one, in any case."""
    assert HOSTS.allow(host)


@pytest.mark.parametrize(
    "host",
    [
        None, "", "evil.example", "localhost.evil.example", "ops.example.evil", "127.0.0.1.evil.example", "::1",
        "[::1", "[evil.example]", "localhost:4192:1", "user@localhost", "localhost, evil.example", "127.1",
    ],
)  # fmt: skip
def test_every_other_name_is_not(host):
    """Nor is a request without a host, or what only looks like an address."""
    assert not HOSTS.allow(host)
