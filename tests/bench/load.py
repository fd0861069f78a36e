"""Players that cost little: one process of them drives two nodes to their limits, where bots could not.

A client looks at the first bytes of each message, decodes only a turn, and answers it if it is his own: 10 % fold,
70 % check or call, 20 % raise to the minimum. Short stacks are filled up by the room itself. Plain sockets and epoll:
an event loop's own cost would be most of it.

`python -m tests.bench.load PORT TABLE...` sits six players down at each table, says `ready`, and plays until the end of
its standard input. They act at once, without think time. A line `RATE WARM_UP_S SECONDS` has them act at intended times
instead (see `arrivals`), and is answered by a line of JSON; they wait then until the next line.
"""

from __future__ import annotations

import json
import secrets
import select
import signal
import socket
import sys
from collections.abc import Callable, Generator
from heapq import heappop, heappush
from itertools import count
from random import Random
from time import monotonic
from typing import Any

from msgspec import Struct
from msgspec.msgpack import Decoder

from pokerroom_protocol import messages as wire
from pokerroom_protocol.codec import Encoding, decode_server, encode
from pokerroom_protocol.framing import HEADER_BYTES, frame
from tests.bench.arrivals import Arrivals, Schedule

SEATS = 6
AT_ONCE = 8  # accounts opened at a time: each costs the room a password's hash
SIT_S = 900.0
LEAVE_S = 10.0
AGAIN_S = 0.2
# a message begins with its type, behind one byte for the number of fields
_TURN, _ACTED, _ERROR = b"\xa4type\xa4turn", b"\xa4type\xa5acted", b"\xa4type\xa5error"
_SNAPSHOT = b"\xa4type\xa8snapshot"


class _Turn(Struct):
    seat: int
    seq: int
    hand_id: str
    check: bool
    min_raise_to: int | None
    max_raise_to: int | None


class _Acted(Struct):
    seat: int


_turn, _acted = Decoder(_Turn), Decoder(_Acted)
_Script = Generator[wire.ClientMessage | float, wire.ServerMessage | None, None]


class Load:
    """All players of this process, and when who is to do what."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.stream = Random(1)
        self._numbers = count()
        self._due: list[tuple[float, int, Any]] = []
        self._epoll = select.epoll()
        self._players: dict[int, Player] = {}
        self._waiting: list[tuple[Any, Callable[[], None]]] | None = []
        """Those that are to move and do not act yet; None: players act at once."""
        self.arrivals: Arrivals | None = None
        """What says when they act, while there is such a stream."""
        self.running = 0
        """Scripts that have not come to their end."""

    def add(self, player: Player) -> None:
        """From now on its messages are read."""
        self._players[player.fileno()] = player
        self._epoll.register(player.fileno(), select.EPOLLIN)

    def listen(self, fd: int) -> None:
        """`turn` ends when there is something to be read from it."""
        self._epoll.register(fd, select.EPOLLIN)

    def later(self, delay_s: float, work: Any) -> None:
        """Calls it then."""
        heappush(self._due, (monotonic() + delay_s, next(self._numbers), work))

    def turn(self) -> bool:
        """Waits for something to happen, and lets it happen; True if it is about what else is listened to."""
        timeout = max(0.0, self._due[0][0] - monotonic()) if self._due else 1.0
        if self.arrivals is not None:
            # epoll itself waits for whole milliseconds
            select.select(
                [self._epoll], [], [], min(timeout, max(0.0, self.arrivals.wakes_s() - monotonic()))
            )
            timeout = 0.0
        other = False
        for fd, _ in self._epoll.poll(timeout):
            player = self._players.get(fd)
            if player is None:
                other = True
            else:
                player.readable()
        now_s = monotonic()
        while self._due and self._due[0][0] <= now_s:
            heappop(self._due)[2]()
        if self.arrivals is not None:
            self.arrivals.advance(now_s)
        return other

    def is_to_move(self, player: Player, act: Callable[[], None]) -> None:
        """The player acts at once, or when an action is due, or when all have sat down."""
        if self.arrivals is not None:
            self.arrivals.is_to_move(player, act, monotonic())
        elif self._waiting is not None:
            self._waiting.append((player, act))
        else:
            act()

    def act_at_once(self) -> None:
        """From now on no player waits."""
        waiting, self._waiting = self._waiting or (), None
        for _, act in waiting:
            act()

    def act_at(self, arrivals: Arrivals) -> None:
        """From now on actions have the intended times of `arrivals`."""
        waiting, self._waiting, self.arrivals = self._waiting or (), [], arrivals
        for player, act in waiting:
            arrivals.is_to_move(player, act, monotonic())

    def end_arrivals(self) -> None:
        """The stream has ended, and those that are to move wait."""
        assert self.arrivals is not None
        self._waiting = self.arrivals.close(monotonic())
        self.arrivals = None

    def run_all(self, scripts: list[tuple[Player, _Script]], at_once: int, limit_s: float) -> None:
        """Until all scripts have ended, or the time is over."""
        waiting, until_s = scripts[::-1], monotonic() + limit_s
        while (waiting or self.running) and monotonic() < until_s:
            while waiting and self.running < at_once:
                self.running += 1
                player, script = waiting.pop()
                player.begin(script)
            self.turn()


class Player:
    """One player at one table."""

    def __init__(self, load: Load, name: str, table: wire.TableInfo | None) -> None:
        self._load = load
        self._name = name
        self._table = table
        self._socket = socket.create_connection(("127.0.0.1", load.port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._held = b""
        self._seat = 0
        self._ids = count(1)
        self._script: _Script | None = None
        self._asked: wire.ClientMessage | None = None
        self.lobby: dict[str, wire.TableInfo] = {}

    def fileno(self) -> int:
        """For epoll."""
        return self._socket.fileno()

    def readable(self) -> None:
        """Something has come."""
        data = self._socket.recv(1 << 18)
        if not data:
            raise SystemExit("the room has closed a connection")
        if self._held:
            data = self._held + data
        start, end = 0, len(data)
        while end - start >= HEADER_BYTES:
            body = start + HEADER_BYTES
            after = body + int.from_bytes(data[start:body], "big")
            if after > end:
                break
            if data.startswith(_TURN, body + 1):
                turn = _turn.decode(data[body:after])
                if turn.seat == self._seat:
                    self._to_move(turn)
            elif self._script is not None or data.startswith(_SNAPSHOT, body + 1):  # one may come unasked
                self._heard(decode_server(data[body:after], Encoding.MSGPACK))
            elif self._load.arrivals is not None:
                self._watch(self._load.arrivals, data[body:after])
            start = after
        self._held = data[start:]

    def _watch(self, arrivals: Arrivals, message: bytes) -> None:
        """Ends the action that is under way when its event or a refusal has come."""
        if message.startswith(_ACTED, 1):
            if _acted.decode(message).seat == self._seat:
                arrivals.ended(self, monotonic())
        elif message.startswith(_ERROR, 1):
            arrivals.ended(self, monotonic(), refused=True)

    # --- what is asked in order ---------------------------------------------------------------------------------

    def begin(self, script: _Script) -> None:
        """It yields requests, or seconds to wait, and gets the answers."""
        self._script = script
        self._go_on(None)

    def _go_on(self, answer: wire.ServerMessage | None) -> None:
        assert self._script is not None
        try:
            wanted = self._script.send(answer)
        except StopIteration:
            self._script = None
            self._load.running -= 1
            return
        if isinstance(wanted, float):
            self._load.later(wanted, lambda: self._go_on(None))
        else:
            self._asked = wanted
            self._say(wanted)

    def _heard(self, message: wire.ServerMessage) -> None:
        if isinstance(message, wire.Snapshot) and message.your_seat is not None:
            self._seat, hand = message.your_seat, message.hand
            if hand is not None and hand.turn is not None and hand.turn.seat == self._seat:
                self._to_move(_Turn(self._seat, hand.turn.seq, hand.hand_id, hand.turn.check, None, None))
        if self._asked is not None and getattr(message, "re", None) == self._asked.id:
            self._asked = None
            self._go_on(message)

    def _ask(self, kind: Any, **fields: Any) -> Generator[Any, Any, Any]:
        """What cannot be had now, since the table is moving to another node, is asked again."""
        while True:
            answer = yield kind(id=next(self._ids), **fields)
            if not isinstance(answer, wire.Error):
                return answer
            if answer.code != "unavailable":
                raise SystemExit(f"{kind.__name__}: {answer.code} {answer.message}")
            yield AGAIN_S

    def look(self) -> _Script:
        """Reads the lobby."""
        yield from self._ask(wire.Hello, version=wire.PROTOCOL_VERSION, client="bench")
        tables = yield from self._ask(wire.ListTables)
        self.lobby = {table.table: table for table in tables.tables}

    def sit_down(self) -> _Script:
        """Opens an account and takes a seat."""
        assert self._table is not None
        table, most = self._table.table, self._table.max_buy_in
        yield from self._ask(wire.Hello, version=wire.PROTOCOL_VERSION, client="bench", pause=False)
        yield from self._ask(wire.Register, name=self._name, password=secrets.token_hex(8))
        yield from self._ask(wire.SitDown, table=table, buy_in=most, post=True)
        yield from self._ask(wire.SeatOptions, table=table, auto_top_up_to=most)

    def leave(self) -> _Script:
        """Stands up, as the others of the table do."""
        assert self._table is not None
        yield from self._ask(wire.StandUp, table=self._table.table)

    # --- decisions ----------------------------------------------------------------------------------------------

    def _to_move(self, turn: _Turn) -> None:
        self._load.is_to_move(self, lambda: self._act(turn))

    def _act(self, turn: _Turn) -> None:
        assert self._table is not None
        roll, amount = self._load.stream.random(), None
        action: Any = "check" if turn.check else "call"
        if roll < 0.1 and not turn.check:
            action = "fold"
        elif roll > 0.8 and turn.min_raise_to is not None:
            action, amount = "raise", turn.min_raise_to
        self._say(
            wire.Act(
                id=next(self._ids),
                table=self._table.table,
                hand_id=turn.hand_id,
                seq=turn.seq,
                action=action,
                amount=amount,
            )
        )

    def _say(self, message: wire.ClientMessage) -> None:
        self._socket.sendall(frame(encode(message, Encoding.MSGPACK)))


class _Stream:
    """What the answer to a line tells: one stream of arrivals and its histograms."""

    def __init__(self, load: Load, rate: float, warm_up_s: float, seconds: float) -> None:
        from tests.bench import latency  # not in every environment, and only streams need it

        now_s = monotonic()
        measure_s = now_s + warm_up_s
        schedule = Schedule(rate=rate, begin_s=now_s, measure_s=measure_s, end_s=measure_s + seconds)
        self._latency, self._answer, self._encoded = latency.histogram(), latency.histogram(), latency.encoded
        self._load = load
        self.arrivals = Arrivals(
            load.stream, schedule, latency.recorder(self._latency), latency.recorder(self._answer)
        )
        load.act_at(self.arrivals)

    def end(self) -> dict[str, Any]:
        """Those who are to move wait; what has been found."""
        self._load.end_arrivals()
        counted = {
            name: getattr(self.arrivals, name) for name in ("offered", "done", "refused", "unfinished")
        }
        return counted | {"latency": self._encoded(self._latency), "answer": self._encoded(self._answer)}


def _play(load: Load) -> None:
    """Until the end of the standard input, as its lines say."""
    load.listen(sys.stdin.fileno())
    stream: _Stream | None = None
    while True:
        if load.turn():
            line = sys.stdin.readline()
            if not line:
                return
            stream = _Stream(load, *map(float, line.split()))
        if stream is not None and stream.arrivals.is_over(monotonic()):
            print(json.dumps(stream.end()), flush=True)
            stream = None


def main(port: int, names: list[str]) -> None:
    """See the module."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started this ends it
    load, run = Load(port), secrets.token_hex(4)
    guest = Player(load, "", None)
    load.add(guest)
    load.run_all([(guest, guest.look())], 1, 60)
    players = [
        Player(load, f"{run}-{name}-{number}", guest.lobby[name]) for name in names for number in range(SEATS)
    ]
    for player in players:
        load.add(player)
    load.run_all([(player, player.sit_down()) for player in players], AT_ONCE, SIT_S)
    print("ready" if not load.running else "not all have sat down", flush=True)
    load.act_at_once()
    _play(load)
    load.run_all([(player, player.leave()) for player in players], len(players), LEAVE_S)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
