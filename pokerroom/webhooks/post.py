"""Sends a message of the room: one POST over a connection of its own, and the answer.

No redirect is followed. The body of an answer is read by `exchange` alone, and has a bound. The whole takes at most
`POST_S` seconds, however slowly an endpoint answers. It runs on the reactor's loop, with the TLS of the standard
library. Knows no message.
"""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, TypeVar

import h11

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

ANSWER_BYTES_MAX: Final = 16_384
"""[D] The longest body of an answer that `exchange` reads, in bytes."""

_CLOSE_S: Final = 1.0
"""A receiver has so many seconds to say goodbye in TLS."""

_ADDRESSES_MAX: Final = 4
"""So many addresses of a name are tried."""

_STATUS_LINE: Final = re.compile(rb"HTTP/1\.[01] ([1-9][0-9]{2})[ \r\n]")


T = TypeVar("T")


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
        return await self._sent(url, headers, body, _status)

    async def exchange(self, url: str, headers: Mapping[str, str], body: bytes) -> tuple[int, bytes]:
        """Send a body of JSON; return the HTTP status and the body of the answer. Raises `Undelivered`."""
        return await self._sent(url, headers, body, _answer)

    async def _sent(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        read: Callable[[asyncio.StreamReader], Awaitable[T]],
    ) -> T:
        try:
            async with asyncio.timeout(self._post_s):
                return await self._posted(read_address(url), headers, body, read)
        except TimeoutError as error:
            raise Undelivered(f"no answer in {self._post_s:g} seconds") from error
        except BadAddress as refused:
            raise Undelivered(str(refused)) from refused
        except ssl.SSLCertVerificationError as error:
            raise Undelivered(f"the certificate is refused: {error.verify_message}") from error
        except socket.gaierror as error:
            raise Undelivered("the name has no address") from error
        except (OSError, EOFError, UnicodeError, ValueError, h11.RemoteProtocolError) as error:
            raise Undelivered(f"the connection failed: {type(error).__name__}") from error

    async def _addresses(self, address: HookAddress) -> list[str]:
        """Return the addresses of a name. Raises `BadAddress` if one of them is refused."""
        addresses = await self._names.addresses(address.host)
        for one in addresses:
            self._allowed.check(one, is_encrypted=address.is_encrypted)
        return addresses[:_ADDRESSES_MAX]

    async def _posted(
        self,
        address: HookAddress,
        headers: Mapping[str, str],
        body: bytes,
        read: Callable[[asyncio.StreamReader], Awaitable[T]],
    ) -> T:
        reader, writer = await self._connected(address)
        try:
            writer.write(_request(address, headers, body))
            await writer.drain()
            answer = await read(reader)
            if not writer.transport.get_write_buffer_size():
                writer.close()  # it says goodbye in TLS
            return answer
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


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Return status and body of the answer. Head and body have a bound, and so have answers that only announce it."""
    parser = h11.Connection(h11.CLIENT, max_incomplete_event_size=_INTERIM_BYTES_MAX)
    parser.send(
        h11.Request(method="POST", target="/", headers=[("host", "answered")])
    )  # what was sent, to h11
    parser.send(h11.EndOfMessage())
    status, body, announced = 0, b"", 0
    while True:
        event = parser.next_event()
        if event is h11.NEED_DATA:
            parser.receive_data(await reader.read(_LINE_MAX))
        elif isinstance(event, h11.InformationalResponse):
            announced += 1
            if announced > _INTERIM_MAX:
                raise EOFError("the answer announces another one without end")
        elif isinstance(event, h11.Response):
            status = event.status_code
        elif isinstance(event, h11.Data):
            body += event.data
            if len(body) > ANSWER_BYTES_MAX:
                raise EOFError("the answer is too long")
        else:
            return status, body
