"""Which names the operations port answers to.

A page on the web can give its own name the address of this machine (DNS rebinding): its requests then look like those
of the same site. They have that name as `Host`. An address in numbers, or a name of this machine, is no such page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import ip_address
from typing import Final

_HOST: Final = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^\[\]:]+))(?::\d{1,5})?")


class TrustedHosts:
    """Every address in numbers, `localhost`, and `names`."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names = {"localhost", *(name.lower().removesuffix(".") for name in names)}

    def allow(self, host: str | None) -> bool:
        """Return whether a request with this header `Host` is answered. One without the header is not."""
        found = _HOST.fullmatch((host or "").lower())
        if found is None:
            return False
        name = found[1] or found[2]
        if name.removesuffix(".") in self._names:
            return True
        try:
            ip_address(name)
        except ValueError:
            return False
        return True
