"""Looks up the addresses of host names, in threads of its own.

A name server that does not answer keeps a thread busy for half a minute, and nothing ends the look-up early. So each
name has at most one look-up at a time, which all who ask for it share, and none takes a thread of asyncio's: the
database connects with those.
"""

from __future__ import annotations

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address
from typing import Final

from pokerroom.ledger.webhooks import WEBHOOKS_MAX

_THREADS: Final = 2 * WEBHOOKS_MAX
"""One for each endpoint, and as many for names that operators try. A thread begins when it is needed."""


class HostNames:
    """See the module."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="host names")
        self._running: dict[str, asyncio.Future[list[str]]] = {}

    async def addresses(self, host: str) -> list[str]:
        """Return the addresses of a name, or the address that `host` is. Raises `OSError` or `UnicodeError`."""
        try:
            return [str(ip_address(host))]
        except ValueError:  # it is a name
            pass
        if host not in self._running:
            running = asyncio.get_running_loop().run_in_executor(self._threads, _found, host)
            self._running[host] = running
            running.add_done_callback(lambda _: self._running.pop(host))
        return await asyncio.shield(self._running[host])


def _found(host: str) -> list[str]:
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(where[0]) for *_, where in found))
