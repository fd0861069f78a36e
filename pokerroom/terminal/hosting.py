"""Private tables in the terminal: create one, join one by its link, and the screen on which its host gives orders."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar, Final, Literal

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from pokerroom.terminal.amounts import CREDITS, in_credits
from pokerroom.terminal.dialogs import ChoiceDialog, Field, FormDialog
from pokerroom.terminal.frame import FramedScreen
from pokerroom.terminal.ports import RequestPort
from pokerroom.terminal.texts import refusal, t
from pokerroom.terminal.words import played, stakes
from pokerroom_protocol import messages as m
from pokerroom_protocol.errors import Code

GAMES: Final[dict[str, tuple[m.GameName, m.Structure]]] = {
    "1": ("holdem", "no_limit"),
    "2": ("holdem", "pot_limit"),
    "3": ("holdem", "fixed_limit"),
    "4": ("omaha", "pot_limit"),
}
"""What a host may choose, by key."""

_NO_NAME: Final = "Hold'em"
_LINK: Final = "/#table="
_CODE: Final = re.compile(r"[A-Za-z0-9_-]{22}")
_SEATS: Final = range(2, 11)
_CLOCK_S: Final = range(5, 121)


def game_names() -> dict[str, str]:
    """Return the games to choose from, by key."""
    return {
        key: f"{t(f'game.{game}', _NO_NAME)} {t(f'structure.{structure}')}"
        for key, (game, structure) in GAMES.items()
    }


def new_table_fields(host: str) -> list[Field]:
    """Return the lines of the form for a new table; all have a value, so that Enter is enough."""
    return [
        Field(name="name", label=t("private.name"), value=t("private.default_name", name=host)),
        Field(name="small_blind", label=t("private.small_blind"), value=CREDITS.plain(50)),
        Field(name="seats", label=t("private.seats"), value="6"),
        Field(name="clock", label=t("private.clock"), value="30"),
    ]


def new_table(game: str, values: dict[str, str]) -> m.CreateTable:
    """Return the request for the table of a form. Raise ValueError with a text for the player."""
    name, structure = GAMES[game]
    return m.CreateTable(
        id=0,
        name=values["name"][:40],
        game=name,
        structure=structure,
        small_blind=CREDITS.parse(values["small_blind"]),
        seats=_number(values["seats"], _SEATS, t("private.seats")),
        action_clock_s=_number(values["clock"], _CLOCK_S, t("private.clock")),
    )


def _number(text: str, allowed: range, label: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) not in allowed:
        raise ValueError(t("private.from_to", label=label, low=allowed[0], high=allowed[-1]))
    return int(text)


def code_of(text: str) -> str:
    """Return the code of a link, or the code as it is. Raise ValueError with a text for the player."""
    code = text.rpartition(_LINK)[2].strip()
    if _CODE.fullmatch(code) is None:
        raise ValueError(refusal(Code.UNKNOWN_LINK, Code.UNKNOWN_LINK.sentence))
    return code


def invitation(code: str) -> str:
    """Return what the host tells friends."""
    return t("private.invitation", code=code, link=_LINK + code)


def results_text(results: m.TableResults) -> str:
    """Return what each player has won or lost, and who pays whom."""
    if not results.players:
        return t("private.no_results")
    rows = [[t(f"private.{column}") for column in ("player", "in", "out", "on_table", "net")]]
    for one in results.players:
        sign = "+" if one.net > 0 else "-" if one.net < 0 else ""
        amounts = (one.bought_in, one.taken_out, one.on_table)
        rows.append([one.name, *map(in_credits, amounts), sign + in_credits(abs(one.net))])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in rows
    ]
    payments = [
        t("private.pays", payer=each.payer, payee=each.payee, amount=in_credits(each.amount))
        for each in results.payments
    ]
    return "\n".join([*lines, "", *(payments or [t("private.square")])])


class HostScreen(FramedScreen):
    """The screen of the host of one private table. `players` returns the names of those who sit there."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "app.pop_screen", "key.back"),
        Binding("p", "pause", "key.pause"),
        Binding("s", "stakes", "key.stakes"),
        Binding("n", "new_link", "key.new_link"),
        Binding("r", "remove", "key.remove"),
        Binding("c", "close", "key.close_table"),
    ]

    def __init__(
        self, port: RequestPort, hosted: m.HostedTableView, players: Callable[[], list[str]] = list
    ) -> None:
        super().__init__()
        self._port = port
        self._hosted = hosted
        self._players = players
        self._told = Static(id="hosted", markup=False)

    def content(self) -> ComposeResult:
        """See `FramedScreen`."""
        with VerticalScroll():
            yield self._told

    def on_mount(self) -> None:
        """See `Screen`."""
        self._show(self._hosted)

    def _show(self, hosted: m.HostedTableView) -> None:
        self._hosted = hosted
        info = hosted.info
        state = "private.closing" if info.closing else "private.paused" if hosted.paused else "private.runs"
        head = f"{info.name}   {played(info)} {stakes(info)}"
        self._told.update("\n".join((head, t(state), "", invitation(hosted.code or ""))))

    @work
    async def _order(self, order: Literal["pause", "resume", "new_link", "close"]) -> None:
        request = m.ChangeHostedTable(id=0, table=self._hosted.info.table, order=order)
        answer = await self._port.asked(request, m.HostedTable)
        if answer is not None:
            self._show(answer.hosted)

    def action_pause(self) -> None:
        """Pause the table after the hand, or resume."""
        self._order("resume" if self._hosted.paused else "pause")

    def action_stakes(self) -> None:
        """Ask for the small blind of the hands to come."""
        field = Field(
            name="small_blind",
            label=t("private.small_blind"),
            value=CREDITS.plain(self._hosted.info.small_blind),
        )

        def answered(values: dict[str, str] | None) -> None:
            if values is not None:
                self._change_stakes(values["small_blind"])

        self.app.push_screen(FormDialog(t("private.stakes"), [field]), answered)

    @work
    async def _change_stakes(self, small_blind: str) -> None:
        try:
            amount = CREDITS.parse(small_blind)
        except ValueError as wrong:
            self.notify(str(wrong), severity="error")
            return
        request = m.ChangeStakes(id=0, table=self._hosted.info.table, small_blind=amount)
        answer = await self._port.asked(request, m.HostedTable)
        if answer is not None:
            self._show(answer.hosted)

    def action_new_link(self) -> None:
        """Make a new link; the old one is void."""
        self._order("new_link")

    def action_close(self) -> None:
        """Close the table, if the host is sure."""

        def answered(choice: str | None) -> None:
            if choice == "y":
                self._order("close")

        self.app.push_screen(ChoiceDialog(t("private.close"), {"y": t("private.close_sure")}), answered)

    def action_remove(self) -> None:
        """Ask for a player, and remove them for good."""
        names = {
            str(number): name for number, name in enumerate(self._players(), 1) if name != self._hosted.host
        }
        if not names:
            self.notify(t("private.no_players"))
            return

        def answered(choice: str | None) -> None:
            if choice is not None:
                self._remove(names[choice])

        self.app.push_screen(ChoiceDialog(t("private.remove"), names), answered)

    @work
    async def _remove(self, name: str) -> None:
        request = m.RemovePlayer(id=0, table=self._hosted.info.table, name=name)
        if await self._port.asked(request, m.Ok) is not None:
            self.notify(t("private.removed", name=name))
