"""The lobby: the room's poker tables, their stakes and their waiting lists. Enter opens a table."""

from __future__ import annotations

from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import DataTable, Static

from pokerroom.terminal.amounts import in_credits
from pokerroom.terminal.frame import FramedScreen
from pokerroom.terminal.ports import LobbyScreenPort
from pokerroom.terminal.texts import t
from pokerroom.terminal.words import stakes
from pokerroom_protocol import messages as m

LOOK_S = 3.0
COLUMNS = ("table", "game", "stakes", "buy_in", "seats", "waiting")


class LobbyScreen(FramedScreen):
    """See the module."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "key.open", priority=True),
        Binding("w", "wait", "key.wait"),
        Binding("r", "refresh", "key.refresh"),
        Binding("f2", "app.other_colours", "key.colours"),
        Binding("q", "app.leave", "key.quit"),
    ]

    def __init__(self, port: LobbyScreenPort) -> None:
        super().__init__()
        self._port = port
        self._infos: dict[str, m.TableInfo] = {}
        self._waiting: set[str] = set()

    def content(self) -> ComposeResult:
        """See `FramedScreen`."""
        yield Static(id="wallet")
        yield DataTable(id="tables", cursor_type="row", zebra_stripes=True)

    def on_mount(self) -> None:
        """See `Screen`."""
        self._list.add_columns(*(t(f"lobby.{column}") for column in COLUMNS), "")
        self.set_interval(LOOK_S, self.action_refresh)

    def on_screen_resume(self) -> None:
        """Refresh the lobby when it is shown again."""
        self.action_refresh()

    @work(exclusive=True)
    async def action_refresh(self) -> None:
        """Request the tables and the balance of the wallet."""
        tables = await self._port.asked(m.ListTables(id=0), m.Tables, quietly=True)
        account = await self._port.asked(m.GetAccount(id=0), m.Account, quietly=True)
        if not self.is_mounted:
            return
        if account is not None:
            self.query_one("#wallet", Static).update(
                t("lobby.wallet", name=account.name, balance=in_credits(account.balance))
            )
        if tables is not None:
            self._show(tables.tables, account.tables if account else [])

    def _show(self, infos: list[m.TableInfo], seated: list[str]) -> None:
        at = self._chosen
        self._infos = {info.table: info for info in infos}
        self._list.clear()
        for info in infos:
            mine = t("lobby.mine") if info.table in seated else t("lobby.closing") if info.closing else ""
            self._list.add_row(
                info.name,
                t(f"structure.{info.structure}"),
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
        """Open the table under the cursor."""
        if self._chosen is not None:
            self._port.open_table(self._chosen)

    @work
    async def action_wait(self) -> None:
        """Join the waiting list of the table under the cursor, or leave it."""
        table = self._chosen
        if table is None:
            return
        if table in self._waiting:
            self._waiting.discard(table)
            if await self._port.asked(m.LeaveWaitlist(id=0, table=table), m.Ok) is not None:
                self.notify(t("lobby.wait_left"))
            return
        waitlisted = await self._port.asked(m.JoinWaitlist(id=0, table=table), m.Waitlisted)
        if waitlisted is not None:
            self._waiting.add(table)
            self.notify(t("lobby.wait_number", position=waitlisted.position))

    def name_of(self, table: str) -> str:
        """Return the name of a table."""
        return self._infos[table].name if table in self._infos else table

    def wait_over(self, table: str) -> None:
        """Take note that the player is no longer on the waiting list of `table`."""
        self._waiting.discard(table)

    @property
    def _list(self) -> DataTable[str]:
        return self.query_one("#tables", DataTable)

    @property
    def _chosen(self) -> str | None:
        if not self._list.row_count:
            return None
        return self._list.coordinate_to_cell_key(self._list.cursor_coordinate).row_key.value
