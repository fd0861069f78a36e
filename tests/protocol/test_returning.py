"""The client that comes back, against a scripted listener that breaks connections."""

from __future__ import annotations

import asyncio
from unittest import mock

import pytest
from msgspec.structs import replace

from pokerroom_protocol import (
    ConnectionEnded,
    Encoding,
    FrameReader,
    LineBack,
    LineEnded,
    LineLost,
    RequestRefused,
    ReturningClient,
    decode_request,
    encode,
    frame,
    returning,
)
from pokerroom_protocol import messages as m
from tests.protocol.test_client import WELCOME
from tests.protocol.test_session import TABLE, chat, snapshot
from tests.protocol.test_ultimate_view import EMPTY

ACT = m.Act(id=0, table=TABLE, hand_id="h", seq=7, action="fold")


class Listener:
    """A room of one client: remembers what each connection asked, and does with it what the test says."""

    def __init__(self) -> None:
        self.connections: list[list[m.ClientMessage]] = []
        self.elsewhere = False
        """Another client of the account has the tables open."""
        self.session_known = True
        self.deaf_to_acts = 0
        self.refuses = 0
        self.refuses_to_resume = 0
        self._writers: list[asyncio.StreamWriter] = []
        self._tasks: set[asyncio.Task] = set()
        self._news = asyncio.Event()

    @property
    def asked(self) -> list[type]:
        """What the last connection has asked, pings left out."""
        return [type(request) for request in self.connections[-1] if not isinstance(request, m.Ping)]

    def say(self, *messages) -> None:
        """To the present connection."""
        for message in messages:
            self._writers[-1].write(frame(encode(message, Encoding.MSGPACK)))

    def hang_up(self) -> None:
        self._writers[-1].close()

    async def hears(self, kind) -> None:
        """Returns when the present connection has asked for it."""
        while not any(isinstance(request, kind) for request in self.connections[-1]):
            self._news.clear()
            await self._news.wait()

    async def serve(self, reader, writer) -> None:
        self._tasks.add(asyncio.current_task())
        if self.refuses:
            self.refuses -= 1
            writer.close()
            return
        asked: list[m.ClientMessage] = []
        self.connections.append(asked)
        self._writers.append(writer)
        frames = FrameReader(10_000)
        try:
            while data := await reader.read(10_000):
                for body in frames.feed(data):
                    asked.append(decode_request(body, Encoding.MSGPACK))
                    self.answer(asked[-1])
                    self._news.set()
        except ConnectionResetError:
            pass  # the client has cut the line; Python 3.12 says so here
        finally:
            writer.close()

    def answer(self, request) -> None:
        match request:
            case m.Hello():
                self.say(m.Welcome(re=request.id, **WELCOME))
            case m.Ping():
                self.say(m.Pong(re=request.id, server_time_ms=10**12))
            case m.Resume() if self.refuses_to_resume:
                self.refuses_to_resume -= 1
                self.say(m.Error(re=request.id, code="unavailable", message="Later."))
            case m.Resume() if not self.session_known:
                self.say(m.Error(re=request.id, code="session_unknown", message="x"))
            case m.Resume() | m.LogIn():
                tables = [TABLE] if isinstance(request, m.Resume) else []
                self.say(
                    m.Authenticated(
                        re=request.id, account=1, name="ada", token="t" * 20, balance=0, tables=tables
                    )
                )
            case m.Observe(take_over=False) if self.elsewhere:
                self.say(m.Error(re=request.id, code="table_taken", message="x"))
            case m.Observe(table="uth"):
                self.say(replace(EMPTY, re=request.id, table="uth"))
            case m.Observe():
                self.say(snapshot(5 * len(self.connections), re=request.id))
            case m.Act() | m.TopUp() if self.deaf_to_acts:
                self.deaf_to_acts -= 1
                self.hang_up()
            case _:
                self.say(m.Ok(re=request.id))

    async def end(self) -> None:
        await asyncio.gather(*self._tasks)


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch):
    monkeypatch.setattr(returning, "PAUSE_S", 0.001)


def played(scenario, token: str | None = "t" * 20):
    """Runs `scenario(listener, client)` and closes the client."""

    async def run():
        listener = Listener()
        server = await asyncio.start_server(listener.serve, "127.0.0.1", 0)
        async with server:
            port = server.sockets[0].getsockname()[1]
            async with await ReturningClient.connect("127.0.0.1", port, token=token) as client:
                result = await asyncio.wait_for(scenario(listener, client), 20)
            await listener.end()
            return result

    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        return runner.run(run())


async def until(client, kind):
    """The next happening of a kind, and those before it."""
    before = []
    while True:
        happening = await anext(client)
        if isinstance(happening, kind):
            return happening, before
        before.append(happening)


def test_it_resumes_and_observes_again():
    """After a lost connection the session is resumed, and every table gets a new snapshot."""

    async def scenario(listener, client):
        first, _ = await until(client, LineBack)
        listener.say(chat(6))
        await until(client, m.ChatSaid)
        listener.hang_up()
        lost, _ = await until(client, LineLost)
        assert client.tables[TABLE].seq == 6
        back, _ = await until(client, LineBack)
        new, _ = await until(client, m.Snapshot)
        assert listener.asked == [m.Hello, m.Resume, m.Observe]
        return first, lost, back, new, client.tables[TABLE].seq

    first, lost, back, new, seq = played(scenario)

    assert first.authenticated.name == back.authenticated.name == "ada"
    assert lost.retry_s <= 0.001
    assert new.seq == seq == 10


def test_it_observes_a_table_of_ultimate_again():
    """Such a table has a snapshot of its own kind."""

    async def scenario(listener, client):
        await client.request(m.Observe(id=0, table="uth"), m.UltimateSnapshot)
        listener.hang_up()
        await until(client, LineLost)
        assert set(client.ultimate_tables) == {"uth"}
        await until(client, LineBack)
        assert set(client.tables) == {TABLE}
        return client.ultimate_tables, [
            one.table for one in listener.connections[-1] if type(one) is m.Observe
        ]

    tables, observed = played(scenario)
    assert set(tables) == {"uth"}
    assert observed == sorted([TABLE, "uth"])


def test_it_leaves_a_table_to_another_client_that_has_it_open():
    """It takes the tables as it begins, loses one when the room says so, and does not take it back by itself."""

    async def scenario(listener, client):
        await until(client, LineBack)
        assert [asked.take_over for asked in listener.connections[0] if isinstance(asked, m.Observe)] == [
            True
        ]
        assert set(client.tables) == {TABLE}
        listener.say(m.TableTaken(table=TABLE))
        taken, _ = await until(client, m.TableTaken)
        assert not client.tables
        listener.elsewhere = True
        listener.hang_up()
        again, _ = await until(client, m.TableTaken)
        assert not client.tables
        return taken, again

    assert played(scenario) == (m.TableTaken(table=TABLE), m.TableTaken(table=TABLE))


def test_it_tries_again_and_again():
    """A room that does not let it in is tried until it does, and each try is told."""

    async def scenario(listener, client):
        await until(client, LineBack)
        listener.refuses = 3
        listener.hang_up()
        _, before = await until(client, LineBack)
        return before

    before = played(scenario)

    assert [type(each) for each in before if not isinstance(each, m.Snapshot)] == [LineLost] * 4


def test_it_tells_what_the_room_refuses_it():
    """A room that answers the next attempt with a refusal is quoted until another attempt fails."""

    async def scenario(listener, client):
        await until(client, LineBack)
        listener.refuses_to_resume = 1
        listener.hang_up()
        _, before = await until(client, LineBack)
        return [each.refused and each.refused.message for each in before if isinstance(each, LineLost)]

    assert played(scenario) == [None, "Later."]


def test_an_act_is_repeated_over_the_next_connection():
    """An act is idempotent, so the caller need not know about the lost connection."""

    async def scenario(listener, client):
        await until(client, LineBack)
        listener.deaf_to_acts = 2
        answer = await client.request(ACT, m.Ok)
        acts = [[each for each in asked if isinstance(each, m.Act)] for asked in listener.connections]
        assert [len(each) for each in acts] == [1, 1, 1]
        assert len({(act.hand_id, act.seq, act.action) for [act] in acts}) == 1
        return answer

    assert isinstance(played(scenario), m.Ok)


def test_a_request_with_a_key_is_repeated_over_the_next_connection():
    """The room knows it by its key, so it does not act twice."""

    async def scenario(listener, client):
        await until(client, LineBack)
        listener.deaf_to_acts = 1
        top_up = m.TopUp(id=0, table=TABLE, amount=1, key="5f0c2a9e")
        answer = await client.request(top_up, m.Ok)
        asked = [[each.key for each in asked if isinstance(each, m.TopUp)] for asked in listener.connections]
        assert asked == [["5f0c2a9e"], ["5f0c2a9e"]]
        return answer

    assert isinstance(played(scenario), m.Ok)


def test_any_other_request_ends_with_its_connection():
    """A request that is not idempotent is not repeated: its caller gets an error."""

    async def scenario(listener, client):
        await until(client, LineBack)
        asking = asyncio.create_task(client.request(m.TopUp(id=0, table=TABLE, amount=1), m.Ok))
        with mock.patch.object(listener, "answer"):
            await listener.hears(m.TopUp)
            listener.hang_up()
            with pytest.raises(ConnectionEnded):
                await asking

    played(scenario)


def test_a_session_that_has_ended_is_told():
    """Then one has to log in again, and the new session is the one that is resumed."""

    async def scenario(listener, client):
        await until(client, LineBack)
        listener.session_known = False
        listener.hang_up()
        back, _ = await until(client, LineBack)
        assert client.token is None
        listener.session_known = True
        await client.request(m.LogIn(id=0, name="ada", password="12345678"), m.Authenticated)
        token = client.token
        await client.request(m.LogOut(id=0), m.Ok)
        return back, token, client.token

    assert played(scenario) == (LineBack(authenticated=None), "t" * 20, None)


def test_it_does_not_fight_for_an_account():
    """A client does not reconnect after `taken_over`: two clients would replace each other."""

    async def scenario(listener, client):
        await until(client, LineBack)
        listener.say(m.Goodbye(code="taken_over", message="x"))
        listener.hang_up()
        ended, _ = await until(client, LineEnded)
        with pytest.raises(StopAsyncIteration):
            await anext(client)
        with pytest.raises(ConnectionEnded):
            await client.request(ACT, m.Ok)
        return ended, len(listener.connections)

    ended, connections = played(scenario)

    assert ended.goodbye.code == "taken_over"
    assert connections == 1


def test_close_ends_it_also_between_connections():
    """`close` ends the iteration, whether a connection stands or not."""

    async def scenario(listener, client):
        await until(client, LineBack)
        listener.refuses = 10**6
        listener.hang_up()
        await until(client, LineLost)
        await client.close()
        ended, _ = await until(client, LineEnded)
        return ended

    assert played(scenario) == LineEnded(reason="closed")


def test_it_knows_the_rooms_clock():
    """Deadlines are told by the room's clock, which need not be ours."""

    async def scenario(listener, client):
        await listener.hears(m.Ping)
        await client.request(m.Ping(id=0), m.Pong)
        return client.room_time_ms()

    assert abs(played(scenario) - 10**12) < 60_000


def test_a_first_connection_that_fails_is_raised():
    """Whether a room is there at all is known from the start."""

    async def scenario():
        server = await asyncio.start_server(lambda _r, w: w.close(), "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server:
            with pytest.raises(ConnectionEnded):
                await ReturningClient.connect("127.0.0.1", port)
        with pytest.raises(ConnectionRefusedError):
            await ReturningClient.connect("127.0.0.1", port)

    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        runner.run(scenario())


def test_a_refusal_is_raised_at_once():
    """A refused act is an answer like any other."""

    async def scenario(listener, client):
        with (
            mock.patch.object(
                listener,
                "answer",
                lambda request: listener.say(m.Error(re=request.id, code="no_hand", message="x")),
            ),
            pytest.raises(RequestRefused) as caught,
        ):
            await client.request(ACT, m.Ok)
        return caught.value.code

    assert played(scenario) == "no_hand"


def test_an_answer_of_a_wrong_kind_is_no_lost_line():
    """An unexpected answer to an act is an error, and is not repeated without end."""

    async def scenario(listener, client):
        pong = mock.Mock(side_effect=lambda request: listener.say(m.Pong(re=request.id, server_time_ms=0)))
        with mock.patch.object(listener, "answer", pong), pytest.raises(ConnectionEnded, match="with Pong"):
            await client.request(ACT, m.Ok)

    played(scenario)
