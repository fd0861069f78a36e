"""Addresses of webhooks: what an operator may name, and to which addresses of the network the room connects.

An operator could make the room send requests to what only the room can reach: its own machine, the services beside
it, or a cloud's metadata. So private addresses are refused after the name is resolved, and the connection goes to an
address that was checked. Networks of the settings are allowed, also without TLS.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final
from urllib.parse import urlsplit

from pokerroom.ledger.webhooks import URL_MAX

_PORTS: Final = {"https": 443, "http": 80}
_PLAIN: Final = re.compile(r"[!-~]+")

_EMBEDS: Final = IPv6Network("64:ff9b::/96")
"""Addresses that a NAT64 gateway translates: the last four bytes are the IPv4 address."""

_GIVEN_OUT: Final = IPv6Network("2000::/3")
"""All other IPv6 addresses are special, or nothing is there yet."""

_SPECIAL: Final = tuple(
    ip_network(network)
    for network in (
        "192.0.0.0/24",  # protocols; metadata of a cloud
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # AMT
        "192.88.99.0/24",  # relays of 6to4
        "192.175.48.0/24",  # AS112
        "168.63.129.16/32",  # metadata of a cloud, at a public address
        "224.0.0.0/4",  # multicast
        "2001::/23",  # protocols, with Teredo, that has an IPv4 address in it
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4, that has an IPv4 address in it
        "2620:4f:8000::/48",  # AS112
        "3ffe::/16",  # was given back
        "3fff::/20",  # documentation
    )
)
"""Addresses that are not private, and yet no endpoint's."""


class BadAddress(Exception):  # noqa: N818 -- an answer to the operator, not a fault
    """The room does not connect there; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HookAddress:
    """A URL in its parts. `target` is the path with the query."""

    is_encrypted: bool
    host: str
    port: int
    authority: str
    target: str


def read_address(url: str) -> HookAddress:
    """Return the parts of a URL. Raises `BadAddress`."""
    if len(url) > URL_MAX or not _PLAIN.fullmatch(url):
        raise BadAddress(f"The URL has at most {URL_MAX} characters, and no spaces")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise BadAddress("This is no URL") from error
    if url.partition(":")[0] not in _PORTS or not host:  # in small letters: the log reads the host of the URL
        raise BadAddress("The URL begins with https:// and a name")
    if parts.username is not None or parts.password is not None or "#" in url:
        raise BadAddress("The URL has no user, no password and no fragment")
    if port == 0:
        raise BadAddress("The port is a number from 1 to 65535")
    target = parts.path or "/"
    return HookAddress(
        is_encrypted=parts.scheme == "https",
        host=host,
        port=port or _PORTS[parts.scheme],
        authority=parts.netloc,
        target=f"{target}?{parts.query}" if parts.query else target,
    )


class AllowedAddresses:
    """The addresses to which the room connects: public ones, and those in the networks of the settings."""

    def __init__(self, networks: Sequence[str]) -> None:
        self._networks = [ip_network(network) for network in networks]

    def check(self, found: str, *, is_encrypted: bool) -> None:
        """Raise `BadAddress` for an address to which no message may go."""
        address = _meant(ip_address(found.partition("%")[0]))
        if any(address in network for network in self._networks if network.version == address.version):
            return
        if not _is_public(address):
            raise BadAddress(f"The address {address} is private. To allow it, set webhooks.networks")
        if not is_encrypted:
            raise BadAddress("Without TLS messages go only to webhooks.networks. Use https")


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    """Return whether it can be an endpoint's. `is_global` alone is another answer by version of Python."""
    is_given_out = isinstance(address, IPv4Address) or address in _GIVEN_OUT
    return is_given_out and address.is_global and not any(address in network for network in _SPECIAL)


def _meant(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Return the IPv4 address that an IPv6 address stands for, or the address itself."""
    if isinstance(address, IPv4Address):
        return address
    if address in _EMBEDS:
        return IPv4Address(address.packed[-4:])
    return address.ipv4_mapped or address
