"""The terminal client: one connection that reconnects, and its screens.

It is a client like any other: of this project it imports the protocol package alone.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Sequence
from typing import ClassVar, TypeVar

from rich.segment import Segments
from rich.traceback import Traceback
from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.notifications import SeverityLevel
from textual.reactive import reactive
from textual.screen import Screen
from textual.widgets import Header

from pokerroom.terminal.account import AccountScreen
from pokerroom.terminal.amounts import in_credits
from pokerroom.terminal.dialogs import AmountAnswer, AmountDialog, AmountQuestion, ChoiceDialog
from pokerroom.terminal.game_screen import GameScreen
from pokerroom.terminal.lobby import LobbyScreen
from pokerroom.terminal.login import LoginScreen, guest_name, guest_password, in_words
from pokerroom.terminal.ports import LogInFailure
from pokerroom.terminal.sessions import SavedSession, SessionFile
from pokerroom.terminal.table import TableScreen
from pokerroom.terminal.texts import local_time, refusal, speak, t
from pokerroom.terminal.tournaments import chips_offered, finished, moved, prize_paid, refunded
from pokerroom.terminal.ultimate import UltimateScreen
from pokerroom.terminal.widgets import Banner
from pokerroom.terminal.words import wait_ended
from pokerroom_protocol import ConnectionEnded, LineBack, LineEnded, LineLost, RequestRefused, ReturningClient
from pokerroom_protocol import messages as m
from pokerroom_protocol.errors import Code
from pokerroom_protocol.table_view import tournament_of

AGAIN_S = 2.0

_A = TypeVar("_A", bound=m.ServerMessage | m.Answer)


class TerminalApp(App[str]):
    """The client of the room at `host` and `port`. Its result is a last message for the player, or None."""

    TITLE = "pokerroom"
    CSS_PATH = "terminal.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "other_colours", "key.colours", show=False),
        Binding("ctrl+q", "leave", "key.quit", priority=True, show=False),
    ]

    line: reactive[str] = reactive("")
    """The problem of the connection, or an empty text. Every screen shows it."""

    def __init__(
        self,
        *,
        host: str,
        port: int,
        sessions: SessionFile,
        name: str | None = None,
        table: str | None = None,
        sit_and_go: str | None = None,
        light: bool = False,
        language: str = "en",
    ) -> None:
        super().__init__()
        speak(language)
        self._host, self._port = host, port
        self._sessions = sessions
        self._kept = sessions.read(name)
        """The session that the room is asked to resume, or that was entered."""
        self._name = name
        self._table = table
        self._sit_and_go = sit_and_go
        self._client: ReturningClient | None = None
        self.me: m.Authenticated | None = None
        self._announcements: set[int] = set()
        self.theme = "textual-light" if light else "textual-dark"

    def compose(self) -> ComposeResult:
        """See `App`."""
        yield Header(icon="♠")
        yield Banner()

    def on_mount(self) -> None:
        """See `App`."""
        self.sub_title = f"{self._host}:{self._port}"
        self._live()

    def room_time_ms(self) -> float:
        """Return the room's clock, in milliseconds since the Unix epoch; deadlines refer to it."""
        return 0.0 if self._client is None else self._client.room_time_ms()

    # --- the connection ------------------------------------------------------------------------------------------

    @work(exclusive=True)
    async def _live(self) -> None:
        while True:
            try:
                client = await ReturningClient.connect(
                    self._host,
                    self._port,
                    client="pokerroom play",
                    token=None if self._kept is None else self._kept.token,
                )
                break
            except (OSError, RequestRefused, ConnectionEnded) as failure:
                self.line = _no_connection(failure, f"{self._host}:{self._port}")
                await asyncio.sleep(AGAIN_S)
        self._client = client
        try:
            async for happened in client:
                await self._take(happened)
        finally:
            await client.close()

    async def _take(self, happened: object) -> None:  # noqa: C901, PLR0912 -- one case per happening
        match happened:
            case LineBack():
                self.line = ""
                await self._back(happened.authenticated)
            case LineLost():
                self.line = _lost(happened)
            case LineEnded():
                self.exit(_reason(happened))
            case m.SeatOffered():
                await self._offered(happened)
            case m.SngStarted():
                self.notify(t("sng.started"))
                await self._open_table(happened.table)
            case m.TournamentMoved():
                await self._moved(happened)
            case m.ChipsOffered():
                await self._chips_offered(happened)
            case m.SngPrizePaid():
                self.notify(prize_paid(happened))
            case m.SngRefunded():
                self.notify(refunded(happened), severity="warning")
            case m.RealityCheck():
                minutes, won = happened.played_s // 60, happened.net >= 0
                result = t("reality.won" if won else "reality.lost", amount=in_credits(abs(happened.net)))
                self.notify(
                    f"{t('reality.played', minutes=minutes)} {result}", severity="warning", timeout=60
                )
            case m.SessionLimit():
                ends = (
                    t("reality.ends", minutes=-(-happened.left_s // 60))
                    if happened.left_s
                    else t("reality.over")
                )
                self.notify(ends, severity="warning", timeout=60)
            case m.Announcements():
                self._announced(happened.announcements)
            case m.ChatMuted():
                told = (
                    t("chat.again")
                    if happened.until_ms is None
                    else t("chat.muted", until=local_time(happened.until_ms))
                )
                self.notify(told, severity="warning", timeout=60)
            case m.WaitEnded():
                name = self._wait_over(happened.table)
                self.notify(wait_ended(happened, name), severity="warning")
            case m.TableTaken():
                await self._taken(happened.table, refusal(Code.TABLE_TAKEN, Code.TABLE_TAKEN.sentence))
            case m.RemovedFromTable():
                await self._taken(happened.table, t("private.you_removed"))
            case m.HostedTableNews():
                for screen in self.screen_stack:
                    if isinstance(screen, TableScreen) and screen.table_id == happened.table:
                        screen.look_for_host()
            case m.Snapshot() | m.UltimateSnapshot() | m.Event():
                await self._at_table(happened)
            case _:
                pass  # of another game or a later version

    async def _at_table(self, happened: m.Snapshot | m.UltimateSnapshot | m.Event) -> None:
        if self._client is None:
            return
        poker = self._client.tables.get(happened.table)
        ultimate = self._client.ultimate_tables.get(happened.table)
        for screen in self.screen_stack:
            if not isinstance(screen, GameScreen) or screen.table_id != happened.table:
                continue
            if isinstance(screen, TableScreen) and poker is not None:
                await screen.take(happened, poker)
            elif isinstance(screen, UltimateScreen) and ultimate is not None:
                await screen.take(happened, ultimate)

    async def _back(self, authenticated: m.Authenticated | None) -> None:
        """Take a new connection: go on, log in, or ask for a login."""
        came_before = self.me is not None
        self.me = authenticated
        if authenticated is None:
            if self._kept is not None:
                self._sessions.forget(self._kept)
                self._kept = None
            wrong = t("connection.session_ended") if came_before else ""
            if not came_before and self._name is not None:
                guest = m.Register(id=0, name=self._name, password=guest_password())
                self._enter_as_guest(guest)
                return
            await self._only(LoginScreen(self, self._name or guest_name(), wrong))
        elif came_before:
            self._keep(authenticated)
            await self._went_on(authenticated.tables)
        else:
            await self._entered(authenticated)

    async def _went_on(self, seated: list[str]) -> None:
        """Catch up with what has begun and ended without a connection."""
        tables = {} if self._client is None else self._client.tables
        ultimate = {} if self._client is None else self._client.ultimate_tables
        screen = self._shown
        if screen is not None and screen.table_id not in {*tables, *ultimate}:
            await self._gone(screen)
        if self._shown is None:
            started = (table for table in seated if table in tables and tables[table].tournament is not None)
            for table in started:
                await self._open_table(table)
                break

    async def _taken(self, table: str, reason: str) -> None:
        """Leave a table that another client of the account has opened, or that the host has closed to it."""
        screen = self._shown
        while screen is not None and screen.table_id == table and screen in self.screen_stack:
            await self.pop_screen()
        self.notify(reason, severity="warning")

    async def _moved(self, happened: m.TournamentMoved) -> None:
        """Show the table to which the player has moved, in place of the one before."""
        screen = self._shown
        if screen is not None and tournament_of(screen.table_id) == happened.tournament:
            while screen in self.screen_stack and screen.table_id != happened.table:
                await self.pop_screen()
        self.notify(moved(happened))
        await self._open_table(happened.table)

    async def _gone(self, screen: GameScreen) -> None:
        """Leave a table that is closed, and tell the player's place in its tournament."""
        if self.screen is screen:
            await self.pop_screen()
        said = t("notice.closed")
        if isinstance(screen, TableScreen) and screen.table.tournament is not None:
            request = m.GetTournament(id=0, tournament=tournament_of(screen.table_id))
            state = await self.asked(request, m.TournamentState, quietly=True)
            if state is not None and state.you is not None and state.you.place is not None:
                said = finished(state.you.place, state.you.prize)
        self.notify(said)

    @work
    async def _enter_as_guest(self, guest: m.Register) -> None:
        wrong = await self.enter(guest)
        if wrong is not None:
            await self._only(LoginScreen(self, guest.name, wrong.text))

    async def enter(self, message: m.Register | m.LogIn) -> LogInFailure | None:
        """Register or log in, and go to the lobby soon; return why that fails."""
        if self._client is None:
            return LogInFailure(text=t("connection.none"))
        try:
            self.me = await self._client.request(message, m.Authenticated)
        except RequestRefused as refused:
            return LogInFailure(text=in_words(refused.error), code=refused.code)
        except ConnectionEnded:
            return LogInFailure(text=t("connection.try_again"))
        self._go_in(self.me)
        return None

    @work
    async def _go_in(self, me: m.Authenticated) -> None:
        """Go to the lobby. A worker of the login screen would end with the screen."""
        await self._entered(me)

    def _keep(self, me: m.Authenticated) -> None:
        """Store the session. The room may have renewed its token."""
        self._kept = SavedSession(name=me.name, token=me.token)
        self._sessions.write(self._kept)

    async def _entered(self, me: m.Authenticated) -> None:
        self._keep(me)
        self.title = f"pokerroom: {me.name}"
        lobby = LobbyScreen(self)
        await self._only(lobby)
        if self._sit_and_go is not None:
            if not me.tables:
                lobby.register(self._sit_and_go)
            elif self._sit_and_go not in {tournament_of(seated).rpartition(".")[0] for seated in me.tables}:
                self.notify(t("lobby.not_registered", offer=self._sit_and_go), severity="warning", timeout=20)
        table = self._table or next(iter(me.tables), None)
        if table is not None:
            self.open_table(table)

    async def _only(self, screen: LoginScreen | LobbyScreen) -> None:
        """Show this screen, with no other behind it."""
        while len(self.screen_stack) > 1:
            await self.pop_screen()
        await self.push_screen(screen)

    def _announced(self, announcements: Sequence[m.Announcement]) -> None:
        """Show those that are new, for a minute: for all, or for a table that is open."""
        tables = {screen.table_id for screen in self.screen_stack if isinstance(screen, TableScreen)}
        for one in announcements:
            if one.number not in self._announcements and (one.table is None or one.table in tables):
                self.notify(one.text, title=t("chat.announced"), timeout=60)
        self._announcements = {one.number for one in announcements}

    async def asked(self, message: m.ClientMessage, expect: type[_A], *, quietly: bool = False) -> _A | None:
        """Send a request and return the answer; show a failure unless `quietly`, and return None."""
        if self._client is None:
            return None
        try:
            return await self._client.request(message, expect)
        except RequestRefused as refused:
            if not quietly:
                error = refused.error
                self.notify(refusal(error.code, error.message, error.until_ms), severity="error")
        except ConnectionEnded:
            if not quietly:
                self.notify(t("connection.nothing_done"), severity="error")
        return None

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,  # noqa: ARG002 -- Textual's signature
    ) -> None:
        """Show a notice as it is: it may have names that other people chose, so no markup in it is read."""
        super().notify(message, title=title, severity=severity, timeout=timeout, markup=False)

    def open_account(self) -> None:
        """Show the account screen."""
        self.push_screen(AccountScreen(self))

    # --- tables --------------------------------------------------------------------------------------------------

    @work
    async def open_table(self, table: str) -> None:
        """Observe a table and show it."""
        await self._open_table(table)

    @property
    def _shown(self) -> GameScreen | None:
        """The table that is shown, maybe behind a dialog."""
        return next(
            (screen for screen in reversed(self.screen_stack) if isinstance(screen, GameScreen)), None
        )

    async def _open_table(self, table: str) -> None:
        if self._shown is not None and self._shown.table_id == table:
            return
        found = await self.asked(m.Observe(id=0, table=table), m.Answer)
        screen: GameScreen
        match found:
            case m.Snapshot():
                screen = TableScreen(self, found)
            case m.UltimateSnapshot():
                screen = UltimateScreen(self, found)
            case _:
                return
        if isinstance(self.screen, GameScreen):
            await self.pop_screen()
        await self.push_screen(screen)

    @work
    async def leave_table(self, screen: Screen[None], table: str, *, seated: bool) -> None:
        """Return to the lobby; a client without a seat stops observing the table."""
        if not seated:
            await self.asked(m.Unobserve(id=0, table=table), m.Ok, quietly=True)
        if self.screen is screen:
            await self.pop_screen()

    def buy_in(self, info: m.TableInfo, balance: int) -> None:
        """Ask for a buy-in and sit down."""
        most = min(info.max_buy_in, balance)
        if most < info.min_buy_in:
            self.notify(
                t("ask.wallet_too_small", balance=in_credits(balance), low=in_credits(info.min_buy_in)),
                severity="error",
            )
            return

        def answered(answer: AmountAnswer | None) -> None:
            if answer is not None:
                self._sit_down(m.SitDown(id=0, table=info.table, buy_in=answer.amount, post=answer.ticked))

        question = AmountQuestion(
            title=t("ask.buy_in", table=info.name),
            low=info.min_buy_in,
            high=most,
            limit=balance,  # a returning player may have to bring more than the maximum
            proposed=most,
            step=info.big_blind,
            option=t("ask.post"),
        )
        self.push_screen(AmountDialog(question), answered)

    @work
    async def _sit_down(self, message: m.SitDown) -> None:
        await self.asked(message, m.Snapshot)  # the table shows the seat; a notice would cover its keys

    async def _offered(self, offer: m.SeatOffered) -> None:
        name = self._wait_over(offer.table)

        def answered(choice: str | None) -> None:
            self._answer_offer(offer.table, sits=choice == "s")

        choices = {"s": t("offer.yes"), "n": t("offer.no")}
        await self.push_screen(ChoiceDialog(t("offer.title", table=name), choices), answered)

    async def _chips_offered(self, offer: m.ChipsOffered) -> None:
        def answered(choice: str | None) -> None:
            self._answer_chips(offer, buys=choice == "y")

        choices = {"y": t("sale.yes"), "n": t("offer.no")}
        await self.push_screen(ChoiceDialog(chips_offered(offer, self.room_time_ms()), choices), answered)

    @work
    async def _answer_chips(self, offer: m.ChipsOffered, *, buys: bool) -> None:
        if not buys:
            if offer.kind == "rebuy":
                await self.asked(m.DeclineRebuy(id=0, tournament=offer.tournament), m.Ok)
            return
        rebuy, add_on = (
            m.BuyRebuy(id=0, tournament=offer.tournament, number=offer.number),
            m.BuyAddOn(id=0, tournament=offer.tournament),
        )
        if await self.asked(rebuy if offer.kind == "rebuy" else add_on, m.ChipsBought) is not None:
            self.notify(t("sale.bought"))

    @work
    async def _answer_offer(self, table: str, *, sits: bool) -> None:
        if not sits:
            await self.asked(m.ReleaseSeat(id=0, table=table), m.Ok)
            return
        tables = await self.asked(m.ListTables(id=0), m.Tables)
        account = await self.asked(m.GetAccount(id=0), m.Account)
        if tables is None or account is None:
            return
        await self._open_table(table)  # the dialog opens above it
        for info in tables.tables:
            if info.table == table:
                self.buy_in(info, account.balance)

    def _wait_over(self, table: str) -> str:
        """Tell the lobby that a wait is over; return the name of the table."""
        for screen in self.screen_stack:
            if isinstance(screen, LobbyScreen):
                screen.wait_over(table)
                return screen.name_of(table)
        return table

    def _fatal_error(self) -> None:
        """Show a traceback as Textual does, but without the values of variables, which may be secrets."""
        self._exit_renderables.append(Segments(self.console.render(Traceback(show_locals=False))))
        self._close_messages_no_wait()

    # --- the rest ------------------------------------------------------------------------------------------------

    def action_other_colours(self) -> None:
        """Switch between light and dark."""
        self.theme = "textual-dark" if self.theme == "textual-light" else "textual-light"

    @work
    async def action_leave(self) -> None:
        """Quit; ask first what to do with a seat."""
        account = await self.asked(m.GetAccount(id=0), m.Account, quietly=True)
        tables = [] if account is None else account.tables
        if not tables:
            self.exit()
            return

        def answered(choice: str | None) -> None:
            if choice == "k":
                self.exit(t("leave.kept"))
            elif choice == "s":
                self._stand_up_and_leave(tables)

        choices = {"s": t("leave.stand_up"), "k": t("leave.keep")}
        await self.push_screen(ChoiceDialog(t("leave.title"), choices), answered)

    @work
    async def _stand_up_and_leave(self, tables: list[str]) -> None:
        for table in tables:
            await self.asked(m.StandUp(id=0, table=table), m.Ok, quietly=True)
        self.exit()


def _no_connection(failure: OSError | RequestRefused | ConnectionEnded, address: str) -> str:
    """Return why there is no first connection, without the words of the system's network."""
    told = failure.error if isinstance(failure, RequestRefused) else getattr(failure, "goodbye", None)
    if told is not None:
        return t("connection.answered", address=address, reason=refusal(told.code, told.message))
    if isinstance(failure, ssl.SSLError):
        why = getattr(failure, "verify_message", failure.reason)
        return t("connection.no_tls", address=address, reason=why)
    return t("connection.no_room", address=address)


def _lost(lost: LineLost) -> str:
    """Return what the banner says: why, if the room does."""
    told = lost.goodbye or lost.refused
    if told is None:
        return t("connection.lost")
    return t("connection.lost_because", reason=refusal(told.code, told.message))


def _reason(end: LineEnded) -> str:
    """Return why the connection has ended: as the room says it, if it does."""
    return end.reason if end.goodbye is None else refusal(end.goodbye.code, end.goodbye.message)
