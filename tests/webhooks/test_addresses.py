"""Where messages of webhooks may go."""

import pytest

from pokerroom.webhooks.addresses import AllowedAddresses, BadAddress, HookAddress, read_address

PRIVATE = (
    "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
    "255.255.255.255", "::1", "::", "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:10.0.0.1", "64:ff9b::a00:1",
    "2002:a00:1::", "198.18.0.1", "192.0.0.192", "192.31.196.1", "192.52.193.1", "192.88.99.1", "192.175.48.1",
    "168.63.129.16", "100.100.100.200", "::127.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b:1::7f00:1", "fec0::1", "5f00::1",
    "4000::1", "8000::1", "100::1", "2001:0:7f00:1::", "2001:20::1", "2001:db8::1", "2002:5db8:d822::",
    "2620:4f:8000::1", "3ffe::1", "3fff::1", "ff0e::1", "fd00:ec2::254",
)  # fmt: skip


def test_a_url_is_read_in_its_parts():
    """With the port of its scheme, unless it names one."""
    assert read_address("https://Example.org/a/b?c=d") == HookAddress(
        is_encrypted=True, host="example.org", port=443, authority="Example.org", target="/a/b?c=d"
    )
    assert read_address("http://[2001:db8::1]:8080") == HookAddress(
        is_encrypted=False, host="2001:db8::1", port=8080, authority="[2001:db8::1]:8080", target="/"
    )


@pytest.mark.parametrize(
    "url",
    [
        "", "example.org", "ftp://example.org/", "https://", "https://user@example.org/", "https://u:p@example.org/",
        "https://example.org/#part", "https://example.org/a b", "https://example.org/\r\nx: y", "https://example.org:0/",
        "HTTPS://example.org/", "https://example.org:70000/",
        "https://[::1/", "https://exämple.org/", "https://example.org/" + "a" * 500,
    ],
)  # fmt: skip
def test_what_is_no_url_of_a_webhook_is_refused(url):
    """Among them those that would write a header of their own."""
    with pytest.raises(BadAddress):
        read_address(url)


@pytest.mark.parametrize("address", PRIVATE)
def test_a_private_address_is_refused(address):
    """Those of the room's machine, its networks, a cloud's metadata, and IPv6 addresses that stand for them."""
    with pytest.raises(BadAddress, match="private"):
        AllowedAddresses(()).check(address, is_encrypted=True)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1::1", "64:ff9b::5db8:d822"])
def test_a_public_address_is_allowed_with_tls_alone(address):
    """Without it anyone on the way could read and change a message."""
    AllowedAddresses(()).check(address, is_encrypted=True)
    with pytest.raises(BadAddress, match="TLS"):
        AllowedAddresses(()).check(address, is_encrypted=False)


def test_networks_of_the_settings_are_allowed_also_without_tls():
    """And no others."""
    allowed = AllowedAddresses(("10.1.0.0/16", "fc00::/64"))
    for address in ("10.1.2.3", "fc00::5", "::ffff:10.1.2.3"):
        allowed.check(address, is_encrypted=False)
    for address in ("10.2.0.1", "fc00:1::5"):
        with pytest.raises(BadAddress):
            allowed.check(address, is_encrypted=True)
