"""The addresses of clients: behind a proxy that is trusted, in groups of one owner, and how many connections each has.

A household or a server farm gets a /64 of IPv6 addresses, so those count as one. Knows no sockets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

Network = IPv4Network | IPv6Network

_PREFIX_OF_OWNER: Final = 64
_REMEMBERED: Final = 4096
"""Addresses that are parsed once: a connection asks for its own several times."""


@lru_cache(_REMEMBERED)
def parsed(address: str) -> IPv4Address | IPv6Address | None:
    """Return the address, an IPv4 address in IPv6 as what it is; None if the text is none."""
    try:
        found = ip_address(address.strip().strip('"').removeprefix("[").removesuffix("]"))
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found


def networks(texts: Sequence[str]) -> tuple[Network, ...]:
    """Return networks written as `192.0.2.0/24`, or single addresses. Raises ValueError."""
    return tuple(ip_network(text) for text in texts)


def owner_of(address: str) -> str:
    """Return the address, or network, of the one owner that an address belongs to; any other text as it is."""
    found = parsed(address)
    if isinstance(found, IPv6Address):
        return str(IPv6Network((found, _PREFIX_OF_OWNER), strict=False))
    return address if found is None else str(found)


def short_form(address: str) -> str:
    """Return the network of an address, a /24 or a /48, as a player may recognise it; nothing for any other text."""
    found = parsed(address)
    if found is None:
        return ""
    if isinstance(found, IPv6Address):
        groups = found.exploded.split(":")[:3]
        return ":".join(f"{int(group, 16):x}" for group in groups) + ":*"
    return ".".join(str(found).split(".")[:3]) + ".*"


class AddressPolicy:
    """Which proxies are believed, and how many connections an address may have.

    Addresses in `unlimited` may have any number, as may the proxies themselves.
    """

    def __init__(
        self, *, per_address: int, trusted: Sequence[Network] = (), unlimited: Sequence[Network] = ()
    ) -> None:
        self.per_address = per_address
        self._trusted = tuple(trusted)
        self._unlimited = tuple(unlimited)

    def is_trusted(self, address: str) -> bool:
        """Return whether a proxy at this address is believed."""
        found = parsed(address)
        return found is not None and any(found in network for network in self._trusted)

    def client_of(self, peer: str, forwarded: Sequence[str]) -> str:
        """Return the address of the client. `forwarded` are the addresses that proxies have noted, the nearest last.

        Each proxy appends the address from which it was asked, so the list is believed from its end for as long as the
        one who noted it is trusted. What a client has written itself stands before that.
        """
        client = peer
        for noted in reversed(forwarded):
            if not self.is_trusted(client):
                break
            found = parsed(noted)
            if found is None:
                break
            client = str(found)
        return client

    def group_of(self, address: str) -> str | None:
        """Return the owner's group of an address; None if it may have any number of connections."""
        found = parsed(address)
        if found is None or self.is_trusted(address) or any(found in network for network in self._unlimited):
            return None
        return owner_of(address)


class AddressCounts:
    """Counts the connections of each group, and all of them. Each `enter` that succeeds needs one `leave`.

    A group has at most `per_address`, if that is less than the policy allows.
    """

    def __init__(self, policy: AddressPolicy, in_all: int, per_address: int | None = None) -> None:
        self._policy = policy
        self._in_all = in_all
        self._per_address = (
            policy.per_address if per_address is None else min(per_address, policy.per_address)
        )
        self._total = 0
        self._here: Counter[str | None] = Counter()

    def enter(self, address: str) -> bool:
        """Count a connection. Return False, and do not count it, if its group or the node has too many."""
        group = self._policy.group_of(address)
        if self._total >= self._in_all:
            return False
        if group is not None and self._here[group] >= self._per_address:
            return False
        self._here[group] += 1
        self._total += 1
        return True

    def leave(self, address: str) -> None:
        """Forget a connection."""
        group = self._policy.group_of(address)
        self._total -= 1
        self._here[group] -= 1
        if not self._here[group]:
            del self._here[group]
