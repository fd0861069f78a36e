"""Clubs in the terminal: the screen of one club, with its tables, members, invitation and results."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from secrets import token_hex
from typing import ClassVar, Final, cast

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from pokerroom.terminal.amounts import CREDITS, in_credits
from pokerroom.terminal.dialogs import ChoiceDialog, Field, FormDialog, TextDialog
from pokerroom.terminal.frame import FramedScreen
from pokerroom.terminal.hosting import payment_lines, signed
from pokerroom.terminal.ports import LobbyScreenPort, RequestPort
from pokerroom.terminal.texts import refusal, t
from pokerroom.terminal.words import played, stakes
from pokerroom_protocol import messages as m
from pokerroom_protocol.errors import Code

LINK: Final = "/#club="
LOOK_S: Final = 5.0
_ROLES: Final = {"1": "member", "2": "manager", "3": "owner"}
_DAYS: Final = {"1": 0, "2": 7, "3": 30, "4": None}
"""The periods of results, by key: days back, 0 for this evening; None: all time."""

ClubOrder = m.SetClubCode | m.SetClubRole | m.MoveClubChips | m.RemoveMember | m.GetClub


def period_began(days: int | None, now: datetime) -> int:
    """Return the Unix milliseconds since which a period counts; an evening begins at noon, as in the browser."""
    if days is None:
        return 0
    noon = now.replace(hour=12, minute=0, second=0, microsecond=0)
    evening = noon if noon <= now else noon - timedelta(days=1)
    return int((now - timedelta(days=days) if days else evening).timestamp() * 1000)


def club_text(club: m.ClubView) -> str:
    """Return what a member sees of a club."""
    tables = [
        f"  {table.info.name}   {played(table.info)} {stakes(table.info)}"
        f"   {table.info.occupied}/{table.info.seats}   {t('private.host', name=table.host)}"
        for table in club.tables
    ]
    members = [
        f"  {member.name}   {t(f'club_role.{member.role}')}   {in_credits(member.balance)}"
        for member in club.members
    ]
    return "\n".join(
        [
            f"{club.name}   {t(f'club_role.{club.your_role}')}",
            t("club.own", balance=in_credits(club.your_balance), issued=in_credits(club.issued)),
            "",
            t("club.tables"),
            *(tables or [f"  {t('club.no_tables')}"]),
            "",
            t("club.members"),
            *members,
        ]
    )


def club_results_text(results: m.ClubResults) -> str:
    """Return what each player has won or lost, and who pays whom."""
    if not results.players:
        return t("club.no_results")
    wide = max(len(one.name) for one in results.players)
    lines = [f"{one.name.ljust(wide)}  {signed(one.net)}" for one in results.players]
    return "\n".join([*lines, "", *payment_lines(results.payments)])


async def purse_of(port: RequestPort, hosted: m.HostedTableView | None) -> int | None:
    """Return what the account can bring to a table: the wallet, or its chips of the table's club."""
    if hosted is not None and hosted.club is not None:
        answer = await port.asked(m.GetClub(id=0, club=hosted.club), m.Club)
        return None if answer is None else answer.club.your_balance
    account = await port.asked(m.GetAccount(id=0), m.Account)
    return None if account is None else account.balance


class ClubScreen(FramedScreen):
    """The screen of one club. `create` asks for the terms of a new table of a club."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "app.pop_screen", "key.back"),
        Binding("t", "tables", "key.club_tables"),
        Binding("n", "create", "key.create"),
        Binding("m", "members", "key.members"),
        Binding("i", "invite", "key.invite"),
        Binding("w", "results", "key.results"),
        Binding("x", "leave", "key.leave_club"),
    ]

    def __init__(self, port: LobbyScreenPort, club: m.ClubView, create: Callable[[str], None]) -> None:
        super().__init__()
        self._port = port
        self._club = club
        self._create = create
        self._is_left = False
        self._told = Static(id="club", markup=False)

    def content(self) -> ComposeResult:
        """See `FramedScreen`."""
        with VerticalScroll():
            yield self._told

    def on_mount(self) -> None:
        """See `Screen`."""
        self._show(self._club)
        self.set_interval(LOOK_S, self._look)

    def _show(self, club: m.ClubView) -> None:
        self._club = club
        self._told.update(club_text(club))

    @property
    def _manages(self) -> bool:
        return self._club.your_role != "member"

    @work(exclusive=True, group="look")
    async def _look(self) -> None:
        answer = await self._port.asked(m.GetClub(id=0, club=self._club.club), m.Club, quietly=True)
        if answer is not None and self.is_mounted:
            self._show(answer.club)

    @work
    async def _send(self, order: ClubOrder) -> None:
        answer = await self._port.asked(order, m.Club)
        if answer is not None and self.is_mounted:
            self._show(answer.club)

    def action_tables(self) -> None:
        """Ask for a table, and open or close it."""
        tables = {str(number): table.info for number, table in enumerate(self._club.tables, 1)}
        if not tables:
            self.notify(t("club.no_tables"))
            return

        def answered(choice: str | None) -> None:
            if choice is not None:
                self._about_table(tables[choice])

        names = {key: info.name for key, info in tables.items()}
        self.app.push_screen(ChoiceDialog(t("club.tables"), names), answered)

    def _about_table(self, info: m.TableInfo) -> None:
        if not self._manages:
            self._come(info.table)
            return

        def answered(choice: str | None) -> None:
            if choice == "o":
                self._come(info.table)
            elif choice == "c":
                self._end(m.CloseClubTable(id=0, table=info.table))

        orders = {"o": t("club.come"), "c": t("private.close_sure")}
        self.app.push_screen(ChoiceDialog(info.name, orders), answered)

    @work
    async def _come(self, table: str) -> None:
        if await self._port.asked(m.JoinClubTable(id=0, table=table), m.HostedTable) is not None:
            self.app.pop_screen()
            self._port.open_table(table)

    def action_create(self) -> None:
        """Ask for the terms of a table of the club."""
        self.app.pop_screen()
        self._create(self._club.club)

    def action_members(self) -> None:
        """Ask for a member, and for what to do."""
        if not self._manages:
            self.notify(refusal(Code.CLUB_ROLE_NEEDED, Code.CLUB_ROLE_NEEDED.sentence))
            return
        names = {str(number): one.name for number, one in enumerate(self._club.members, 1)}

        def answered(choice: str | None) -> None:
            if choice is not None:
                self._about(names[choice])

        self.app.push_screen(ChoiceDialog(t("club.members"), names), answered)

    def _about(self, name: str) -> None:
        club = self._club.club
        orders = {"i": t("club.issue"), "k": t("club.take"), "r": t("club.remove")}
        if self._club.your_role == "owner":
            orders |= {key: t("club.make", role=t(f"club_role.{role}")) for key, role in _ROLES.items()}

        def answered(choice: str | None) -> None:
            match choice:
                case "i" | "k":
                    self._ask_amount(name, 1 if choice == "i" else -1)
                case "r":
                    self._send(m.RemoveMember(id=0, club=club, name=name))
                case "1" | "2" | "3":
                    role = cast("m.ClubRole", _ROLES[choice])
                    self._send(m.SetClubRole(id=0, club=club, name=name, role=role))
                case _:
                    pass

        self.app.push_screen(ChoiceDialog(name, orders), answered)

    def _ask_amount(self, name: str, sign: int) -> None:
        key = token_hex(10)  # of this dialog: a repetition moves nothing more

        def answered(values: dict[str, str] | None) -> None:
            if values is None:
                return
            try:
                amount = sign * CREDITS.parse(values["amount"])
            except ValueError as wrong:
                self.notify(str(wrong), severity="error")
                return
            self._send(m.MoveClubChips(id=0, club=self._club.club, name=name, amount=amount, key=key))

        field = Field(name="amount", label=t("private.amount"))
        self.app.push_screen(FormDialog(t("private.give_to", name=name), [field]), answered)

    def action_invite(self) -> None:
        """Show the invitation; ask for a new one, or for none."""
        club = self._club
        if not self._manages:
            self.notify(refusal(Code.CLUB_ROLE_NEEDED, Code.CLUB_ROLE_NEEDED.sentence))
            return

        def answered(choice: str | None) -> None:
            if choice is not None:
                self._send(m.SetClubCode(id=0, club=club.club, invites=choice == "n"))

        told = (
            t("club.no_code")
            if club.code is None
            else t("club.invitation", code=club.code, link=LINK + club.code)
        )
        orders = {"n": t("club.new_code"), "x": t("club.take_code")}
        self.app.push_screen(ChoiceDialog(told, orders), answered)

    def action_results(self) -> None:
        """Ask for a period, and show what each player has won or lost."""

        def answered(choice: str | None) -> None:
            if choice is not None:
                self._results(_DAYS[choice])

        periods = {key: t(f"club_period.{key}") for key in _DAYS}
        self.app.push_screen(ChoiceDialog(t("key.results"), periods), answered)

    @work
    async def _results(self, days: int | None) -> None:
        since_ms = period_began(days, datetime.now().astimezone())
        request = m.GetClubResults(id=0, club=self._club.club, since_ms=since_ms)
        answer = await self._port.asked(request, m.ClubResults)
        if answer is not None:
            self.app.push_screen(TextDialog(self._club.name, club_results_text(answer), "w"))

    def action_leave(self) -> None:
        """Leave the club or, as its owner, close it, if the player is sure."""
        club, owns = self._club.club, self._club.your_role == "owner"

        def answered(choice: str | None) -> None:
            if choice == "y":
                self._end(m.CloseClub(id=0, club=club) if owns else m.LeaveClub(id=0, club=club))

        about, sure = ("club.close", "private.close_sure") if owns else ("club.leave", "club.leave_sure")
        self.app.push_screen(ChoiceDialog(t(about), {"y": t(sure)}), answered)

    @work
    async def _end(self, order: m.CloseClubTable | m.CloseClub | m.LeaveClub) -> None:
        if await self._port.asked(order, m.Ok) is None:
            return
        if isinstance(order, m.CloseClubTable):
            self._look()
        else:
            self._is_left = True
            self._end_if_left()

    def _end_if_left(self) -> None:
        if self._is_left and self.is_active:
            self.app.pop_screen()

    def on_screen_resume(self) -> None:
        """End after a dialog that was open when the room answered that the player has left the club, or closed it."""
        self._end_if_left()
