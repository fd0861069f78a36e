"""The terminal client under Textual's pilot, players that call everything, and a connection that can break."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from unittest import mock
from weakref import WeakKeyDictionary

from textual import events
from textual._compositor import Compositor
from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen

from pokerroom.terminal.app import TerminalApp
from pokerroom.terminal.dialogs import ChoiceDialog
from pokerroom.terminal.lobby import Listing
from pokerroom.terminal.sessions import SessionFile
from pokerroom.terminal.table import TableScreen
from pokerroom.terminal.ultimate import UltimateScreen
from pokerroom_protocol import ConnectionEnded, LineEnded, RequestRefused, ReturningClient
from pokerroom_protocol import messages as m

PICTURES = Path(__file__).parents[2] / "build" / "terminal"
WAIT_S = 30
LAID_OUT_EVERY_S = 0.2
"""Instead of sixty times a second."""
LOOKS_EVERY_S = 0.1
PASSWORD = "correct horse"


_numbers = itertools.count(1)


def new_name() -> str:
    return f"person{next(_numbers)}"


def on_a_loop(scenario: Callable[[], Awaitable[Any]]) -> Any:
    """Runs it on an event loop of its own: that of other tests is the reactor's."""

    async def bounded() -> Any:
        return await asyncio.wait_for(scenario(), 100)

    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        return runner.run(bounded())


async def asked_while_it_ends(screen: Screen[Any], keys: str, end: Callable[[], Any]) -> None:
    """A screen that ends behind the question which these keys ask stays until the question is answered."""
    app: App[None] = App()
    async with app.run_test() as pilot:
        below = app.screen
        await app.push_screen(screen)
        await pilot.pause(0.2)
        await pilot.press(*keys)
        assert isinstance(app.screen, ChoiceDialog)
        end()
        await pilot.pause(0.2)
        assert isinstance(app.screen, ChoiceDialog)
        await pilot.press("escape")
        await pilot.pause(0.2)
        assert app.screen is below


class Line:
    """A way to the room that can be cut, and is refused while `down`."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._tasks: set[asyncio.Task[None]] = set()
        self._open: set[asyncio.StreamWriter] = set()
        self.down = False
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        if self.down:
            writer.close()
            return
        room_reader, room_writer = await asyncio.open_connection("127.0.0.1", self._to)
        self._open |= {writer, room_writer}
        await asyncio.gather(_copy(reader, room_writer), _copy(room_reader, writer))

    def cut(self) -> None:
        """Every connection breaks."""
        for writer in self._open:
            writer.close()
        self._open.clear()

    async def end(self) -> None:
        self.cut()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
    writer.close()


@asynccontextmanager
async def line(port: int) -> AsyncIterator[Line]:
    """A line to the room's port."""
    made = Line(port)
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    try:
        async with server:
            yield made
            await made.end()
    finally:
        await made.end()


class Caller:
    """Sits down, and calls everything, once it may."""

    def __init__(self, client: ReturningClient, table: str) -> None:
        self.client = client
        self.may_play = asyncio.Event()
        self._table = table

    async def play(self) -> None:
        async for happened in self.client:
            match happened:
                case m.SngStarted():
                    self._table = happened.table
                    await self.client.request(m.Observe(id=0, table=self._table), m.Snapshot)
                case m.Turn() if happened.table == self._table:
                    await self._decide(happened.hand_id, happened)
                case m.Snapshot(hand=m.HandView(turn=m.TurnView() as turn) as hand):
                    await self._decide(hand.hand_id, turn)
                case LineEnded():
                    return

    async def _decide(self, hand_id: str, turn: m.Turn | m.TurnView) -> None:
        await self.may_play.wait()
        table = self.client.tables.get(self._table)
        if table is None or turn.seat != table.your_seat:
            return
        action = "check" if turn.check else "call"
        act = m.Act(id=0, table=self._table, hand_id=hand_id, seq=turn.seq, action=action)
        with suppress(RequestRefused, ConnectionEnded):
            await self.client.request(act, m.Ok)


@asynccontextmanager
async def caller(port: int, name: str, table: str, *, seat: int | None = None) -> AsyncIterator[Caller]:
    """Another player at the table."""
    client = await ReturningClient.connect("127.0.0.1", port, pause=False)
    await client.request(m.Register(id=0, name=name, password=PASSWORD), m.Authenticated)
    await client.request(m.SitDown(id=0, table=table, buy_in=5_000, seat=seat), m.Snapshot)
    made = Caller(client, table)
    playing = asyncio.create_task(made.play())
    try:
        yield made
        with suppress(RequestRefused, ConnectionEnded):  # the test may have connected as this player
            await client.request(m.StandUp(id=0, table=table), m.Ok)
    finally:
        made.may_play.set()
        await client.close()
        await playing


@asynccontextmanager
async def entrant(port: int, name: str, offer: str) -> AsyncIterator[Caller]:
    """Another player of the sit-and-go."""
    client = await ReturningClient.connect("127.0.0.1", port, pause=False)
    await client.request(m.Register(id=0, name=name, password=PASSWORD), m.Authenticated)
    made = Caller(client, "")
    playing = asyncio.create_task(made.play())
    try:
        await client.request(m.RegisterSng(id=0, offer=offer), m.SngRegistered)
        yield made
    finally:
        made.may_play.set()
        await client.close()
        await playing


class Player:
    """The user at the keyboard."""

    def __init__(self, app: TerminalApp, pilot: Pilot[str]) -> None:
        self.app = app
        self.pilot = pilot

    async def choose(self, table: str) -> None:
        """Put the lobby's cursor on this table. The order of the rows follows the players."""
        listing = self.app.screen.query_one("#tables", Listing)
        while listing.chosen != table:
            await self.press("down" if listing.get_row_index(table) > listing.cursor_row else "up")

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def write(self, text: str) -> None:
        """Pastes it: a screen that is laid out for each typed letter is much of what a test costs."""
        self.app.post_message(events.Paste(text))
        await self.pilot.pause()

    async def until(self, true: Callable[[], object], what: str = "it") -> None:
        """Returns when it is so."""
        end = asyncio.get_running_loop().time() + WAIT_S
        while not true():
            assert asyncio.get_running_loop().time() < end, (
                f"{what} did not come about:\n{self.screen_text()}"
            )
            await asyncio.sleep(LOOKS_EVERY_S)

    async def sees(self, text: str) -> None:
        """Waits until it is on the screen."""
        await self.until(lambda: text in self._drawn_text(), repr(text))

    @property
    def _compositor(self) -> Compositor:
        return self.app.screen._compositor  # private: Textual has no public text of a screen

    def screen_text(self) -> str:
        """Everything that is on the screen, line by line."""
        compositor = self._compositor
        _texts[compositor] = "\n".join(strip.text for strip in compositor.render_strips())
        return _texts[compositor]

    def _drawn_text(self) -> str:
        """As `screen_text`, read again only after something was drawn."""
        found = _texts.get(self._compositor)
        return self.screen_text() if found is None else found

    async def leaves(self) -> None:
        """Waits until the application has ended."""
        await self.until(lambda: self.app._exit, "the end")  # private: Textual tells it in no other way

    def picture(self, name: str) -> None:
        """Keeps what is on the screen as an SVG."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        (PICTURES / f"{name}.svg").write_text(self.app.export_screenshot(title=name), encoding="utf-8")

    @property
    def table(self) -> m.Snapshot:
        """The table that is shown, maybe behind a question."""
        return next(screen for screen in self.app.screen_stack if isinstance(screen, TableScreen)).table

    @property
    def house(self) -> UltimateScreen:
        """The table of Ultimate that is shown, maybe behind a question."""
        return next(screen for screen in self.app.screen_stack if isinstance(screen, UltimateScreen))

    @property
    def cards(self) -> list[str] | None:
        """Those of the own seat."""
        return next(seat.cards for seat in self.table.seats if seat.seat == self.table.your_seat)

    @property
    def is_to_act(self) -> bool:
        hand = self.table.hand
        return hand is not None and hand.turn is not None and hand.turn.seat == self.table.your_seat

    async def turn(self) -> m.TurnView:
        """Waits for one's turn."""
        await self.until(lambda: self.is_to_act, "the own turn")
        hand = self.table.hand
        assert hand is not None
        assert hand.turn is not None
        return hand.turn

    async def sit_down(self) -> None:
        """From the table, with what is proposed, posting a blind so that the next hand is played."""
        await self.press("s")
        await self.sees("Buy-in at")
        await self.press("b", "enter")
        await self.until(lambda: self.table.your_seat is not None, "the seat")


_render_update = Compositor.render_update
_texts: WeakKeyDictionary[Compositor, str] = WeakKeyDictionary()
"""What the screens showed when they were last read, until they draw again: most looks are repeated ones."""


def _drawn(compositor: Compositor, *, full: bool = False, **options: Any) -> Any:
    """Draw the whole screen, for a picture; nothing otherwise.

    Without a terminal no one sees what is drawn at each change, which is most of what these tests would cost.
    `screen_text` draws what it returns.
    """
    _texts.pop(compositor, None)
    return _render_update(compositor, full=True, **options) if full else None


@asynccontextmanager
async def player(
    port: int,
    directory: Path,
    *,
    name: str | None = None,
    table: str | None = None,
    sit_and_go: str | None = None,
    size: tuple[int, int] = (110, 32),
    light: bool = False,
    language: str = "en",
    host: str = "127.0.0.1",
) -> AsyncIterator[Player]:
    """The client, as `pokerroom play` starts it; its session is kept in the directory."""
    app = TerminalApp(
        host=host,
        port=port,
        sessions=SessionFile(directory / "sessions.json", "room"),
        name=name,
        table=table,
        sit_and_go=sit_and_go,
        light=light,
        language=language,
    )
    app.animation_level = "none"
    with (
        mock.patch("textual.screen.UPDATE_PERIOD", LAID_OUT_EVERY_S),
        mock.patch.object(Compositor, "render_update", _drawn),
    ):
        async with app.run_test(size=size, notifications=True) as pilot:
            yield Player(app, pilot)
