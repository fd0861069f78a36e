"""What the terminal client does where there is no room."""

from __future__ import annotations

import asyncio
import io
import socket

import pytest
from rich.console import Console

from pokerroom.terminal.app import TerminalApp
from pokerroom.terminal.sessions import SessionFile
from pokerroom_protocol import Encoding, FrameReader, decode_request, encode, frame
from pokerroom_protocol import messages as m
from pokerroom_protocol.errors import Code
from tests.terminal.support import line, on_a_loop, player


def test_where_no_room_answers_it_says_so_and_tries_again(tmp_path):
    """The address is named, and nothing is asked in vain."""

    async def scenario():
        async with line(1) as wire:
            wire.down = True
            async with player(wire.port, tmp_path) as me:
                await me.sees(f"No room answers at 127.0.0.1:{wire.port}")
                await me.press("ctrl+q")
                await me.leaves()

    on_a_loop(scenario)


def test_where_nothing_listens_it_says_what_to_do(tmp_path):
    """In words of the player, not of the system, and whole on a narrow screen."""

    async def scenario():
        with socket.socket() as deaf:
            deaf.bind(("127.0.0.1", 0))
            async with player(deaf.getsockname()[1], tmp_path, size=(60, 24)) as me:
                await me.sees("No room answers at 127.0.0.1")
                await me.sees("--port.")
                await me.sees("Trying again …")
                assert "Errno" not in me.screen_text()
                assert "Connect call" not in me.screen_text()

    on_a_loop(scenario)


def test_where_there_is_no_tls_it_says_so(tmp_path):
    """Something answers at the address, but without TLS."""

    async def answer(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"plain text, no TLS")
        await writer.drain()
        writer.close()

    async def scenario():
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            async with player(port, tmp_path, host="tls://127.0.0.1") as me:
                await me.sees(f"No connection with TLS to tls://127.0.0.1:{port}: ")

    on_a_loop(scenario)


def test_a_room_that_refuses_the_client_is_heard(tmp_path):
    """Its answer is shown, not that there is no room."""

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        [body] = FrameReader(10_000).feed(await reader.read(10_000))
        hello = decode_request(body, Encoding.MSGPACK)
        assert hello is not None
        error = m.Error(re=hello.id, code="unsupported_version", message=Code.UNSUPPORTED_VERSION.sentence)
        writer.write(frame(encode(error, Encoding.MSGPACK)))
        await writer.drain()
        writer.close()

    async def scenario():
        async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            async with player(port, tmp_path, size=(120, 30)) as me:
                await me.sees(
                    f"The room at 127.0.0.1:{port} answers: {Code.UNSUPPORTED_VERSION.sentence[:20]}"
                )
                assert "unsupported_version" not in me.screen_text()

    on_a_loop(scenario)


@pytest.mark.parametrize("in_worker", [False, True])
def test_a_fault_shows_no_values(tmp_path, capsys, in_worker):
    """A traceback of the client has no variables in it: a session's token may be one."""

    async def broken() -> None:
        token = "a-secret-of-20-letters"
        raise RuntimeError("broken" if token else "")

    async def scenario() -> str:
        app = TerminalApp(host="127.0.0.1", port=1, sessions=SessionFile(tmp_path / "s.json", "room"))

        async def run() -> None:
            async with app.run_test() as pilot:
                if in_worker:
                    app.run_worker(broken())
                else:
                    app.call_later(broken)
                await pilot.pause(0.2)

        with pytest.raises(Exception, match="broken"):
            await run()
        console = Console(record=True, width=200, file=io.StringIO())
        for shown in app._exit_renderables:  # private: what Textual prints after the end
            console.print(shown)
        return console.export_text()

    text = on_a_loop(scenario)
    everything = text + "".join(capsys.readouterr())

    assert "RuntimeError: broken" in everything
    assert "a-secret-of-20-letters" not in everything.replace('token = "a-secret-of-20-letters"', "")
