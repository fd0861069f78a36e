"""Both parties of a WebSocket for the gateway's tests: a real client, or frames on a fake socket."""

import base64
import contextlib

from twisted.internet.task import Clock
from twisted.web.resource import Resource
from twisted.web.server import Site
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode

from pokerroom.gateway.addresses import AddressPolicy
from pokerroom.gateway.http import FrontFactory
from pokerroom.gateway.outbound import TurnFlusher
from pokerroom.gateway.websocket import WebSocketLink
from pokerroom_protocol.errors import Code
from tests.gateway.parties import GONE, FakeSocket, House, drive, fair_turns, listening

MSGPACK = "pokerroom.v1.msgpack"
JSON = "pokerroom.v1.json"
FRAME_MAX = 4096
OUTBOUND_MAX = 256 * 1024


def open_socket(port: int, subprotocol: str = MSGPACK, **options) -> contextlib.AbstractAsyncContextManager:
    options = {"subprotocols": [subprotocol], "proxy": None, "max_size": None, **options}
    return connect(f"ws://127.0.0.1:{port}/ws", **options)


def real(run, house, client, **settings):
    from twisted.internet import reactor

    factory = FrontFactory(
        site=Site(Resource(), reactor=reactor),
        receivers=house,
        turns=fair_turns(reactor),
        flusher=TurnFlusher(reactor),
        frame_bytes_max=FRAME_MAX,
        outbound_bytes_max=OUTBOUND_MAX,
        addresses=AddressPolicy(per_address=100),
        connections_max=100,
        **settings,
    )
    return drive(run, listening(factory, house, client))


async def until_closed(ws) -> list:
    """What still came, up to the close."""
    received = []
    try:
        while True:
            received.append(await ws.recv())
    except ConnectionClosed:
        return received


class Line:
    """A link on a fake socket under a virtual clock, opened with `headers` added to a valid request."""

    def __init__(self, *headers: str, refusing: Code | None = None, **settings) -> None:
        self.clock = Clock()
        self.house = House()
        if refusing is not None:
            self.house.on_made = lambda session: session.goodbye(refusing)
        self.socket = FakeSocket()
        key = base64.b64encode(bytes(16)).decode()
        lines = ["GET /ws HTTP/1.1", "Host: room.example:4191", "Connection: Upgrade", "Upgrade: websocket"]
        lines += [f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", *headers]
        self.link = WebSocketLink(
            "\r\n".join([*lines, "", ""]).encode("latin-1"),
            "192.0.2.1:40000",
            receivers=self.house,
            flusher=TurnFlusher(self.clock),
            frame_bytes_max=FRAME_MAX,
            outbound_bytes_max=OUTBOUND_MAX,
            **{"turns": fair_turns(self.clock), **settings},
        )
        self.link.makeConnection(self.socket)
        self.clock.advance(0)
        self.head, _, self.body = bytes(self.socket.arrived).partition(b"\r\n\r\n")
        self.socket.arrived.clear()

    def sent(self) -> bytes:
        self.clock.advance(0)
        return bytes(self.socket.arrived)

    def end(self):
        self.clock.advance(0)
        self.link.connectionLost(GONE)
        assert self.clock.getDelayedCalls() == []


def client_frame(opcode: Opcode, data: bytes, *, fin: bool = True, rsv1: bool = False) -> bytes:
    """A masked frame, valid or not; the mask is the same each time, as the frames name test cases."""
    size = len(data)
    length = bytes([0x80 | size]) if size < 126 else b"\xfe" + size.to_bytes(2, "big")
    mask = b"\x01\x02\x03\x04"
    masked = bytes(byte ^ mask[place % 4] for place, byte in enumerate(data))
    return bytes([fin << 7 | rsv1 << 6 | opcode]) + length + mask + masked


def close_frame(code: int, reason: str) -> bytes:
    return Frame(Opcode.CLOSE, code.to_bytes(2, "big") + reason.encode()).serialize(mask=False)
