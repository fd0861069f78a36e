"""The lobby: the room's tables of hold'em, what they play for, and who waits. Enter opens one."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import DataTable, Footer, Header, Static

from pokerroom.terminal.amounts import in_credits
from pokerroom.terminal.widgets import Banner
from pokerroom.terminal.words import STRUCTURES, stakes
from pokerroom_protocol import messages as m

if TYPE_CHECKING:  # the app makes its screens
    from pokerroom.terminal.app import TerminalApp

LOOK_S = 3.0


class LobbyScreen(Screen[None]):
    """See the module."""

    app: TerminalApp

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "open the table", priority=True),
        Binding("w", "wait", "wait for a seat"),
        Binding("r", "refresh", "refresh"),
        Binding("f2", "app.other_colours", "light/dark"),
        Binding("q", "app.leave", "quit"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._infos: dict[str, m.TableInfo] = {}
        self._waiting: set[str] = set()

    def compose(self) -> ComposeResult:
        """See `Screen`."""
        yield Header(icon="♠")
        yield Banner()
        yield Static(id="wallet")
        yield DataTable(id="tables", cursor_type="row", zebra_stripes=True)
        yield Footer()

    def on_mount(self) -> None:
        """See `Screen`."""
        self._list.add_columns("table", "game", "stakes", "buy-in", "seats", "waiting", "")
        self.set_interval(LOOK_S, self.action_refresh)

    def on_screen_resume(self) -> None:
        """The lobby is in front again."""
        self.action_refresh()

    @work(exclusive=True)
    async def action_refresh(self) -> None:
        """Asks for the tables, and what the wallet holds."""
        tables = await self.app.asked(m.ListTables(id=0), m.Tables, quietly=True)
        account = await self.app.asked(m.GetAccount(id=0), m.Account, quietly=True)
        if not self.is_mounted:
            return
        if account is not None:
            self.query_one("#wallet", Static).update(
                f"{account.name}   {in_credits(account.balance)} in the wallet"
            )
        if tables is not None:
            self._show(tables.tables, account.tables if account else [])

    def _show(self, infos: list[m.TableInfo], seated: list[str]) -> None:
        at = self._chosen
        self._infos = {info.table: info for info in infos}
        self._list.clear()
        for info in infos:
            mine = "you sit here" if info.table in seated else "closing" if info.closing else ""
            self._list.add_row(
                info.name,
                STRUCTURES.get(info.structure, info.structure),
                stakes(info),
                f"{in_credits(info.min_buy_in)}-{in_credits(info.max_buy_in)}",
                f"{info.occupied}/{info.seats}",
                str(info.waiting or ""),
                mine,
                key=info.table,
            )
        if at in self._infos:
            self._list.move_cursor(row=self._list.get_row_index(at), animate=False)

    @on(DataTable.RowSelected)
    def action_open(self) -> None:
        """Looks at the table under the cursor."""
        if self._chosen is not None:
            self.app.open_table(self._chosen)

    @work
    async def action_wait(self) -> None:
        """Waits for a seat at the table under the cursor, or waits no longer."""
        table = self._chosen
        if table is None:
            return
        if table in self._waiting:
            self._waiting.discard(table)
            if await self.app.asked(m.LeaveWaitlist(id=0, table=table), m.Ok) is not None:
                self.notify("You wait no longer.")
            return
        waitlisted = await self.app.asked(m.JoinWaitlist(id=0, table=table), m.Waitlisted)
        if waitlisted is not None:
            self._waiting.add(table)
            self.notify(f"You are number {waitlisted.position}. W again: wait no longer.")

    def name_of(self, table: str) -> str:
        """What a table is called."""
        return self._infos[table].name if table in self._infos else table

    def waits_no_longer(self, table: str) -> None:
        """The room has taken one from the list."""
        self._waiting.discard(table)

    @property
    def _list(self) -> DataTable[str]:
        return self.query_one("#tables", DataTable)

    @property
    def _chosen(self) -> str | None:
        if not self._list.row_count:
            return None
        return self._list.coordinate_to_cell_key(self._list.cursor_coordinate).row_key.value
