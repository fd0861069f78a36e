"""What the screens of all games share: the frame of a table, its log, the chat, and the way back to the lobby."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.widgets import Input, RichLog, Static

from pokerroom.terminal.frame import FramedScreen
from pokerroom.terminal.ports import TableScreenPort
from pokerroom.terminal.texts import t
from pokerroom.terminal.widgets import Countdown, SteadyText
from pokerroom_protocol import messages as m

TICK_S: Final = 0.25

SHARED_KEYS: Final[list[BindingType]] = [
    Binding("x", "stand_up", "key.stand_up"),
    Binding("t", "talk", "key.chat"),
    Binding("l,escape", "back", "key.lobby"),
]


class GameScreen(FramedScreen):
    """See the module. `middle` is what stands between the two rows of seats."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 -- declared so by Textual
    STANDS_UP: ClassVar = "table.stands_up"

    def __init__(self, port: TableScreenPort, table: str, middle: Static) -> None:
        super().__init__()
        self._port = port
        self.table_id = table
        self._drawn = False
        # Kept here instead of queried: events still arrive while a screen is being removed.
        self._headline = SteadyText(id="stakes")
        self._middle = middle
        self._countdown = Countdown(id="countdown")
        self._choices = SteadyText(id="options")
        self._log = RichLog(id="log", wrap=True, min_width=10, max_lines=500)
        self._talk = Input(placeholder=t("table.chat"), id="talk", max_length=200)

    @property
    def is_seated(self) -> bool:
        """Whether the player has a seat here."""
        raise NotImplementedError

    async def arrange_seats(self) -> None:
        """Mount the seats, by `mount_seats`."""
        raise NotImplementedError

    async def mount_seats(self, upper: Sequence[Static], lower: Sequence[Static]) -> None:
        """Put these seats in the two rows, instead of those that are there."""
        for name, seats in (("#upper", upper), ("#lower", lower)):
            for container in self.query(name):
                await container.remove_children()
                await container.mount_all(seats)

    def show_table(self) -> None:
        """Draw the state of the table."""
        raise NotImplementedError

    def tick(self) -> None:
        """Draw what changes with time."""
        raise NotImplementedError

    def content(self) -> ComposeResult:
        """See `FramedScreen`."""
        with Container(id="room"):
            with Vertical(id="felt"):
                yield self._headline
                yield Container(id="upper", classes="row")
                yield self._middle
                yield Container(id="lower", classes="row")
                yield self._countdown
                yield self._choices
            with Vertical(id="side"):
                yield self._log
                yield self._talk

    async def on_mount(self) -> None:
        """See `Screen`."""
        self._silence()
        self._log.can_focus = False
        await self.arrange_seats()
        self.set_interval(TICK_S, self.tick)
        self._drawn = True
        self.show_table()

    # --- keys ----------------------------------------------------------------------------------------------------

    @work
    async def action_stand_up(self) -> None:
        """Stand up, after the hand or round in progress if there is one."""
        if await self._port.asked(m.StandUp(id=0, table=self.table_id), m.Ok) is not None:
            self.notify(t(self.STANDS_UP))

    def action_talk(self) -> None:
        """Open the chat input."""
        talk = self._talk
        talk.display, talk.disabled = True, False
        talk.focus()

    @on(Input.Submitted, "#talk")
    def _said(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        self._silence()
        if text:
            self._say(text)

    @work
    async def _say(self, text: str) -> None:
        await self._port.asked(m.Chat(id=0, table=self.table_id, text=text), m.Ok)

    def _silence(self) -> None:
        talk = self._talk
        talk.value = ""
        talk.display, talk.disabled = False, True  # disabled: else it would get the focus after a dialog
        self.set_focus(None)

    def action_back(self) -> None:
        """Return to the lobby. The seat is kept, and the table goes on here."""
        if self._talk.display:
            self._silence()
        else:
            self._port.leave_table(self, self.table_id, seated=self.is_seated)
