"""Sends a message to a webhook: one POST over a connection of its own, and the status of the answer.

No redirect is followed, and the body of an answer is not read. The whole takes at most `POST_S` seconds, however slowly
an endpoint answers. It runs on the reactor's loop, with the TLS of the standard library. Knows no message.
"""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from collections.abc import Mapping, Sequence
from typing import Final

from pokerroom.webhooks.addresses import AllowedAddresses, BadAddress, HookAddress, read_address
from pokerroom.webhooks.host_names import HostNames

POST_S: Final = 8.0
"""An endpoint has so many seconds to answer; less than an operator's command waits."""

_LINE_MAX: Final = 8_192
"""The longest line of an answer, in bytes."""

_INTERIM_MAX: Final = 4
"""[D] So many answers may come that only announce one."""

_INTERIM_BYTES_MAX: Final = 16_384
"""[D] The most that those have in all. Without a bound one endpoint keeps the reactor busy."""

_CLOSE_S: Final = 1.0
"""A receiver has so many seconds to say goodbye in TLS."""

_ADDRESSES_MAX: Final = 4
"""So many addresses of a name are tried."""

_STATUS_LINE: Final = re.compile(rb"HTTP/1\.[01] ([1-9][0-9]{2})[ \r\n]")


class Undelivered(Exception):  # noqa: N818 -- an answer of the network, not a fault
    """No answer came; the message says why."""


class Poster:
    """See the module. `networks` are those of the settings to which messages may go though they are private."""

    def __init__(
        self, networks: Sequence[str], *, tls: ssl.SSLContext | None = None, post_s: float = POST_S
    ) -> None:
        self._allowed = AllowedAddresses(networks)
        self._names = HostNames()
        self._tls = tls or ssl.create_default_context()
        self._post_s = post_s

    async def check(self, url: str) -> None:
        """Raise `BadAddress` for a URL to which no message may go, or which has no address now."""
        try:
            async with asyncio.timeout(self._post_s):
                await self._addresses(read_address(url))
        except (OSError, UnicodeError) as error:  # a TimeoutError is an OSError
            raise BadAddress("The name has no address") from error

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> int:
        """Send a body of JSON; return the HTTP status. Raises `Undelivered`."""
        try:
            async with asyncio.timeout(self._post_s):
                return await self._posted(read_address(url), headers, body)
        except TimeoutError as error:
            raise Undelivered(f"no answer in {self._post_s:g} seconds") from error
        except BadAddress as refused:
            raise Undelivered(str(refused)) from refused
        except ssl.SSLCertVerificationError as error:
            raise Undelivered(f"the certificate is refused: {error.verify_message}") from error
        except socket.gaierror as error:
            raise Undelivered("the name has no address") from error
        except (OSError, EOFError, UnicodeError, ValueError) as error:
            raise Undelivered(f"the connection failed: {type(error).__name__}") from error

    async def _addresses(self, address: HookAddress) -> list[str]:
        """Return the addresses of a name. Raises `BadAddress` if one of them is refused."""
        addresses = await self._names.addresses(address.host)
        for one in addresses:
            self._allowed.check(one, is_encrypted=address.is_encrypted)
        return addresses[:_ADDRESSES_MAX]

    async def _posted(self, address: HookAddress, headers: Mapping[str, str], body: bytes) -> int:
        reader, writer = await self._connected(address)
        try:
            writer.write(_request(address, headers, body))
            await writer.drain()
            status = await _status(reader)
            if not writer.transport.get_write_buffer_size():
                writer.close()  # it says goodbye in TLS
            return status
        finally:
            if not writer.is_closing():  # `close` would wait for a receiver that does not read
                writer.transport.abort()

    async def _connected(self, address: HookAddress) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        addresses = await self._addresses(address)
        for left, one in zip(reversed(range(len(addresses))), addresses, strict=True):
            try:
                if address.is_encrypted:
                    return await asyncio.open_connection(
                        one,
                        address.port,
                        limit=_LINE_MAX,
                        ssl=self._tls,
                        server_hostname=address.host,
                        ssl_shutdown_timeout=_CLOSE_S,
                    )
                return await asyncio.open_connection(one, address.port, limit=_LINE_MAX)
            except ssl.SSLError:
                raise
            except OSError:
                if not left:
                    raise
        raise OSError("no address")


def _request(address: HookAddress, headers: Mapping[str, str], body: bytes) -> bytes:
    lines = [
        f"POST {address.target} HTTP/1.1",
        f"host: {address.authority}",
        "connection: close",
        "content-type: application/json",
        f"content-length: {len(body)}",
        "user-agent: pokerroom",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body


async def _status(reader: asyncio.StreamReader) -> int:
    """Return the status of the answer; a few that only announce one (1xx) are passed over."""
    size = 0
    for _ in range(_INTERIM_MAX + 1):
        line = await reader.readline()
        found = _STATUS_LINE.match(line)
        if found is None:
            raise EOFError("the answer is not HTTP/1.1")
        if (status := int(found[1])) >= 200:
            return status
        while line.strip():
            size += len(line)
            if size > _INTERIM_BYTES_MAX:
                break
            line = await reader.readline()
    raise EOFError("the answer announces another one without end")
