"""The terminal client: a lobby, and one table at a time. See `line` for the room, `table_screen` for the play."""

from __future__ import annotations

from typing import ClassVar, Final

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.widgets import DataTable, Footer, Static

from pokerroom.terminal.line import Line
from pokerroom.terminal.table_screen import TableScreen
from pokerroom.terminal.words import money
from pokerroom_protocol import ConnectionEnded, Refused
from pokerroom_protocol import messages as m
from pokerroom_protocol.client import Unasked

LOBBY_S: Final = 3.0
_COLUMNS: Final = ("table", "stakes", "game", "players", "buy-in", "waiting")


class PlayApp(App[None]):
    """See the module. `table` is opened at once, if one is named. Ends with an error in `return_value`'s place."""

    TITLE = "pokerroom"
    CSS = """
    #lobby-head, #head, #board, #ask { height: auto; padding: 0 1; }
    #head { background: $panel; }
    #board { padding: 1; text-align: center; }
    #felt { height: 1fr; padding: 0 1; overflow-y: auto; }
    #ask { height: 1; }
    #dock { height: 3; }
    #dock Button { min-width: 14; }
    #amount { width: 16; }
    #talk { width: 40; border-left: solid $panel; }
    #log { height: 1fr; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [("q", "quit", "Quit"), ("enter", "open", "Open the table")]

    def __init__(self, host: str, port: int, enter: m.Register | m.LogIn, table: str | None = None) -> None:
        super().__init__()
        self.line = Line(host, port, enter, self._heard)
        self._wanted = table
        self.problem: str | None = None
        """Why it has ended, for who started it."""

    def compose(self) -> ComposeResult:
        """Called by Textual."""
        yield Static(id="lobby-head")
        yield DataTable(id="tables", cursor_type="row", zebra_stripes=True)
        yield Footer()

    def on_mount(self) -> None:
        """Called by Textual."""
        self.query_one(DataTable).add_columns(*_COLUMNS)
        self.run_worker(self._stay_connected(), exit_on_error=True)
        self.set_interval(LOBBY_S, self._refresh)

    async def _stay_connected(self) -> None:
        try:
            await self.line.run()
        except Refused as refused:
            self.problem = refused.error.message
        except (OSError, ConnectionEnded) as failure:
            self.problem = f"the room cannot be reached: {failure}"
        self.exit()

    def _heard(self, event: Unasked | None) -> None:
        if not self.screen_stack:
            return  # the terminal is being left
        screen = self.screen
        if isinstance(screen, TableScreen):
            screen.heard(event)
        elif event is None and self.line.online:
            self.run_worker(self._refresh(), group="lobby", exclusive=True)
            wanted, self._wanted = self._wanted or next(iter(self.line.tables), None), None
            if wanted is not None:
                self.push_screen(TableScreen(self.line, wanted))

    async def _refresh(self) -> None:
        if not self.line.online or isinstance(self.screen, TableScreen):
            return
        try:
            lobby = await self.line.request(m.ListTables(id=0), m.Tables)
        except (Refused, ConnectionEnded):
            return  # the next one will do
        head = f"[b]Lobby[/b]   {self.line.name}, wallet {money(self.line.balance)}"
        self.query_one("#lobby-head", Static).update(head)
        tables = self.query_one(DataTable)
        row = tables.cursor_row
        tables.clear()
        for info in lobby.tables:
            stakes = f"{money(info.small_bet or info.small_blind)}/{money(info.big_bet or info.big_blind)}"
            buy_in = f"{money(info.min_buy_in)} to {money(info.max_buy_in)}"
            game = info.structure.replace("_", "-")
            players = f"{info.players}/{info.seats}" + (" bots" if info.house_bots else "")
            tables.add_row(info.name, stakes, game, players, buy_in, str(info.waiting), key=info.table)
        tables.move_cursor(row=min(row, len(lobby.tables) - 1))

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Called by Textual: Enter, or a click, on a table."""
        if event.row_key.value is not None:
            self.push_screen(TableScreen(self.line, event.row_key.value))
