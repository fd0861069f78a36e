"""Private tables in the terminal: create one, join one by its link, and the screen on which its host gives orders."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from secrets import token_hex
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
TABLE_LINK: Final = "/#table="
_TABLE: Final = "host:"
_NUMBER: Final = re.compile(r"[0-9a-z]{10}")
_CODE: Final = re.compile(r"[A-Za-z0-9_-]{22}")
_SEATS: Final = range(2, 11)
_SMALL_BLIND: Final = 50
_SEATS_PROPOSED: Final = 6
BOUND_SHOWN: Final = 10**9
"""A larger bound of an amount is none that a player meets."""
_CLOCK_S: Final = range(5, 121)


def game_names(offered: m.OfferedTables | None = None) -> dict[str, str]:
    """Return the games to choose from, by key; None offers all."""
    games = None if offered is None else {(each.game, each.structure) for each in offered.games}
    return {
        key: f"{t(f'game.{game}', _NO_NAME)} {t(f'structure.{structure}')}"
        for key, (game, structure) in GAMES.items()
        if games is None or (game, structure) in games
    }


def new_table_fields(host: str, offered: m.OfferedTables | None = None) -> list[Field]:
    """Return the lines of the form for a new table; all have a value that is offered, so that Enter is enough."""
    small_blind, seats, blinds = _SMALL_BLIND, _SEATS_PROPOSED, t("private.small_blind")
    if offered is not None:
        low, high = offered.small_blind_min, offered.small_blind_max
        small_blind, seats = min(max(small_blind, low), high), min(seats, offered.seats_max)
        if high <= BOUND_SHOWN:
            blinds = f"{blinds} ({in_credits(low)}-{in_credits(high)})"
    return [
        Field(name="name", label=t("private.name"), value=t("private.default_name", name=host)),
        Field(name="small_blind", label=blinds, value=CREDITS.plain(small_blind)),
        Field(name="seats", label=t("private.seats"), value=str(seats)),
        Field(name="clock", label=t("private.clock"), value="30"),
    ]


def new_table(game: str, values: dict[str, str], club: str | None = None) -> m.CreateTable:
    """Return the request for the table of a form, perhaps of a club. Raise ValueError with a text for the player."""
    name, structure = GAMES[game]
    return m.CreateTable(
        id=0,
        name=values["name"][:40],
        game=name,
        structure=structure,
        small_blind=CREDITS.parse(values["small_blind"]),
        seats=whole_number(values["seats"], _SEATS, t("private.seats")),
        action_clock_s=whole_number(values["clock"], _CLOCK_S, t("private.clock")),
        club=club,
    )


def whole_number(text: str, allowed: range, label: str) -> int:
    """Return a typed whole number. Raise ValueError with a text for the player."""
    if not text.isascii() or not text.isdigit() or int(text) not in allowed:
        raise ValueError(t("private.from_to", label=label, low=allowed[0], high=allowed[-1]))
    return int(text)


def code_of(text: str, link: str = TABLE_LINK, unknown: Code = Code.UNKNOWN_LINK) -> str:
    """Return the code of a link, or the code as it is. Raise ValueError with the text of `unknown`."""
    code = text.rpartition(link)[2].strip()
    if _CODE.fullmatch(code) is None:
        raise ValueError(refusal(unknown, unknown.sentence))
    return code


def entrance(link: str, password: str) -> m.FindTable | m.EnterTable:
    """Return the request of a player that comes by a link, or by a number and a password.

    Raise ValueError with a text for the player.
    """
    if not password:
        return m.FindTable(id=0, code=code_of(link))
    number = link.strip().lower().removeprefix(_TABLE)
    if _NUMBER.fullmatch(number) is None or not 8 <= len(password) <= 128:
        wrong = Code.WRONG_TABLE_PASSWORD
        raise ValueError(refusal(wrong, wrong.sentence))
    return m.EnterTable(id=0, table=_TABLE + number, password=password)


def invitation(code: str) -> str:
    """Return what the host tells friends."""
    return t("private.invitation", code=code, link=TABLE_LINK + code)


def results_text(results: m.TableResults) -> str:
    """Return what each player has won or lost, and who pays whom."""
    if not results.players:
        return t("private.no_results")
    rows = [[t(f"private.{column}") for column in ("player", "in", "out", "on_table", "net")]]
    for one in results.players:
        amounts = (one.bought_in, one.taken_out, one.on_table)
        rows.append([one.name, *map(in_credits, amounts), signed(one.net)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in rows
    ]
    return "\n".join([*lines, "", *payment_lines(results.payments)])


def signed(net: int) -> str:
    """Return what was won, with its sign."""
    return ("+" if net > 0 else "-" if net < 0 else "") + in_credits(abs(net))


def payment_lines(payments: Sequence[m.ResultPayment]) -> list[str]:
    """Return who pays whom."""
    lines = [
        t("private.pays", payer=each.payer, payee=each.payee, amount=in_credits(each.amount))
        for each in payments
    ]
    return lines or [t("private.square")]


def news_of(before: m.HostedTableView, now: m.HostedTableView) -> list[str]:
    """Return what others have done at a private table, for the player."""
    lines = []
    if now.code is not None and before.code is None:
        lines.append(t("private.news_host"))
    elif now.your_seat != before.your_seat and now.your_seat in {"open", "refused"}:
        lines.append(t(f"own_seat.{now.your_seat}"))
    if now.given > before.given:
        lines.append(t("private.news_given", amount=in_credits(now.given - before.given)))
    asked = _asking(before)
    lines += [t("private.news_asks", name=name) for name in _asking(now) if name not in asked]
    return lines


def _asking(hosted: m.HostedTableView) -> list[str]:
    return [guest.name for guest in hosted.guests or () if guest.seat == "asked"]


def password_line(table: str, *, has_password: bool) -> str:
    """Return whether a table has a password, and how friends use it."""
    number = table.removeprefix(_TABLE)
    return t("private.has_password", number=number) if has_password else t("private.no_password")


def password_problem(password: str) -> str | None:
    """Return why the room would refuse a password; None where it may do. An empty one removes the password."""
    if not password or 8 <= len(password) <= 128:
        return None
    return refusal(Code.WEAK_PASSWORD, Code.WEAK_PASSWORD.sentence)


def _standing(hosted: m.HostedTableView, guest: m.GuestView) -> str:
    return t(f"guest_seat.{guest.seat}") if hosted.approves else t("private.watches")


class HostScreen(FramedScreen):
    """The screen of the host of one private table. `players` returns the names of those who sit there."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "app.pop_screen", "key.back"),
        Binding("p", "pause", "key.pause"),
        Binding("s", "stakes", "key.stakes"),
        Binding("a", "approve", "key.approve"),
        Binding("g", "guests", "key.guests"),
        Binding("n", "new_link", "key.new_link"),
        Binding("w", "password", "key.table_password"),
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
        self.show(self._hosted)

    @property
    def table_id(self) -> str:
        """The id of the table."""
        return self._hosted.info.table

    def show(self, hosted: m.HostedTableView) -> None:
        """Show the table as the room has told it."""
        self._hosted = hosted
        info = hosted.info
        state = "private.closing" if info.closing else "private.paused" if hosted.paused else "private.runs"
        head = f"{info.name}   {played(info)} {stakes(info)}"
        seats = t("private.approves" if hosted.approves else "private.open_seats")
        sitting = self._players()
        guests = [
            f"  {guest.name}   {t('private.sits') if guest.name in sitting else _standing(hosted, guest)}"
            for guest in hosted.guests or ()
        ]
        told = [
            head,
            f"{t(state)} {seats}",
            "",
            invitation(hosted.code or ""),
            "",
            password_line(info.table, has_password=hosted.has_password),
            "",
            t("private.guests"),
            *guests,
        ]
        self._told.update("\n".join(told))

    @work
    async def _order(
        self, order: Literal["pause", "resume", "new_link", "approve_seats", "open_seats", "close"]
    ) -> None:
        request = m.ChangeHostedTable(id=0, table=self._hosted.info.table, order=order)
        answer = await self._port.asked(request, m.HostedTable)
        if answer is not None:
            self.show(answer.hosted)

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
            self.show(answer.hosted)

    def action_password(self) -> None:
        """Ask for a new password; an empty one removes it."""
        field = Field(name="password", label=t("private.new_password"), needed=False)

        def answered(values: dict[str, str] | None) -> None:
            if values is not None:
                self._set_password(values["password"])

        self.app.push_screen(FormDialog(t("private.set_password"), [field]), answered)

    @work
    async def _set_password(self, password: str) -> None:
        problem = password_problem(password)
        if problem is not None:
            self.notify(problem, severity="error")
            return
        request = m.SetTablePassword(id=0, table=self.table_id, password=password or None)
        answer = await self._port.asked(request, m.HostedTable)
        if answer is not None:
            self.show(answer.hosted)

    def action_new_link(self) -> None:
        """Make a new link; the old one is void."""
        self._order("new_link")

    def action_approve(self) -> None:
        """Let guests ask for seats, or let all sit down."""
        self._order("open_seats" if self._hosted.approves else "approve_seats")

    def action_guests(self) -> None:
        """Ask for a guest, and for what to do."""
        names = {str(number): guest.name for number, guest in enumerate(self._hosted.guests or (), 1)}
        if not names:
            self.notify(t("private.no_guests"))
            return

        def answered(choice: str | None) -> None:
            if choice is not None:
                self._about(names[choice])

        self.app.push_screen(ChoiceDialog(t("private.guests"), names), answered)

    def _about(self, name: str) -> None:
        table = self.table_id
        orders = {"h": t("private.give_host")}
        if self._hosted.club is None:  # chips of a club come from its managers
            orders = {"c": t("private.give_chips"), **orders}
        if self._hosted.approves:
            orders = {"y": t("private.accept"), "n": t("private.refuse"), **orders}

        def answered(choice: str | None) -> None:
            match choice:
                case "y" | "n":
                    self._send(m.AnswerSeat(id=0, table=table, name=name, accepts=choice == "y"))
                case "c":
                    self._ask_amount(name)
                case "h":
                    self._send(m.GiveHost(id=0, table=table, name=name))
                case _:
                    pass

        self.app.push_screen(ChoiceDialog(name, orders), answered)

    def _ask_amount(self, name: str) -> None:
        key = token_hex(10)  # of this dialog: a repetition gives nothing more
        field = Field(
            name="amount", label=t("private.amount"), value=CREDITS.plain(self._hosted.info.min_buy_in)
        )

        def answered(values: dict[str, str] | None) -> None:
            if values is None:
                return
            try:
                amount = CREDITS.parse(values["amount"])
            except ValueError as wrong:
                self.notify(str(wrong), severity="error")
                return
            self._send(m.GiveChips(id=0, table=self.table_id, name=name, amount=amount, key=key))

        self.app.push_screen(FormDialog(t("private.give_to", name=name), [field]), answered)

    @work
    async def _send(self, request: m.AnswerSeat | m.GiveHost | m.GiveChips) -> None:
        answer = await self._port.asked(request, m.HostedTable)
        if answer is None:
            return
        self.show(answer.hosted)
        self._end_if_another_hosts()

    def _end_if_another_hosts(self) -> None:
        if self._hosted.code is None and self.is_active:
            self.app.pop_screen()

    def on_screen_resume(self) -> None:
        """End after a dialog that was open when the room answered that another guest is the host."""
        self._end_if_another_hosts()

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
