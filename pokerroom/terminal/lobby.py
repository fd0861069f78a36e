"""The lobby: the room's games in lists, with stakes, waiting lists and registrations. Enter opens a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import DataTable, Static, TabbedContent, TabPane

from pokerroom.terminal.amounts import in_credits
from pokerroom.terminal.clubs import LINK as CLUB_LINK
from pokerroom.terminal.clubs import ClubScreen
from pokerroom.terminal.dialogs import ChoiceDialog, Field, FormDialog, TextDialog
from pokerroom.terminal.frame import FramedScreen
from pokerroom.terminal.hosting import code_of, entrance, game_names, invitation, new_table, new_table_fields
from pokerroom.terminal.leagues import BEST, league_text
from pokerroom.terminal.ports import LobbyScreenPort
from pokerroom.terminal.private_sit_and_gos import ORDER as SIT_AND_GO
from pokerroom.terminal.private_sit_and_gos import SitAndGoScreen, asked_for, offers_them
from pokerroom.terminal.texts import t
from pokerroom.terminal.tickets import pays, tickets_text
from pokerroom.terminal.tournaments import cannot_watch, entry_question, prizes, scheduled_row, sold_beside
from pokerroom.terminal.words import played, stakes
from pokerroom_protocol import messages as m
from pokerroom_protocol.errors import Code
from pokerroom_protocol.table_view import tournament_of

LOOK_S = 3.0
TABLES = ("table", "mine", "stakes", "buy_in", "seats", "waiting")
ULTIMATE = ("table", "mine", "ante", "trips", "played", "seats")
PRIVATE = ("table", "mine", "stakes", "host", "seats")
SCHEDULED = ("offer", "mine", "game", "start", "buy_in", "entries", "prizes", "state")
OFFERS = ("offer", "mine", "game", "buy_in", "prizes", "seats", "running")


class Listing(DataTable[Text]):
    """The rows of one game; the cursor stays on its row when they change. No markup in a cell is read."""

    def __init__(self, columns: Sequence[str], *, id: str) -> None:  # noqa: A002 -- Textual's name
        super().__init__(id=id, cursor_type="row", zebra_stripes=True)
        self._columns = columns

    def on_mount(self) -> None:
        """See `Widget`."""
        self.add_columns(*("" if column == "mine" else t(f"lobby.{column}") for column in self._columns))

    def show(self, rows: Mapping[str, Sequence[str]]) -> None:
        """Show these rows, by their keys."""
        at = self.chosen
        self.clear()
        for key, cells in rows.items():
            self.add_row(*map(Text, cells), key=key)
        if at is not None and at in rows:
            self.move_cursor(row=self.get_row_index(at), animate=False)

    @property
    def chosen(self) -> str | None:
        """The key of the row under the cursor."""
        return self.coordinate_to_cell_key(self.cursor_coordinate).row_key.value if self.row_count else None


class LobbyScreen(FramedScreen):
    """See the module."""

    AUTO_FOCUS = "#tables"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "key.open", priority=True),
        Binding("right", "next_game(1)", "key.next_game", priority=True),
        Binding("left", "next_game(-1)", show=False, priority=True),
        Binding("w", "wait", "key.wait"),
        Binding("g", "register", "key.register"),
        Binding("n", "create", "key.create"),
        Binding("j", "join", "key.join"),
        Binding("c", "clubs", "key.clubs"),
        Binding("l", "leagues", "key.leagues"),
        Binding("t", "tickets", "key.tickets"),
        Binding("a", "account", "key.account"),
        Binding("r", "refresh", "key.refresh", show=False),  # it is refreshed by itself
        Binding("f2", "app.other_colours", "key.colours", show=False),
        Binding("q", "app.leave", "key.quit"),
    ]

    def __init__(self, port: LobbyScreenPort) -> None:
        super().__init__()
        self._port = port
        self._infos: dict[str, m.TableInfo] = {}
        self._ultimate: dict[str, m.UltimateInfo] = {}
        self._offers: dict[str, m.SitAndGoInfo] = {}
        self._scheduled: dict[str, m.ScheduledTournament] = {}
        self._tickets: list[m.TournamentTicket] = []
        self._private: dict[str, m.HostedTableView] | None = None
        """Private tables; None until the room has told them."""
        self._with_friends: dict[str, m.PrivateSitAndGoView] = {}
        self._offered: m.OfferedTables | None = None
        self._player = ""
        self._seated: list[str] = []
        self._waiting: set[str] = set()
        # Kept here instead of queried: answers still arrive while the screen is being removed.
        self._wallet = Static(id="wallet", markup=False)
        self._games = TabbedContent(id="games")
        self._lists = {
            "cash": Listing(TABLES, id="tables"),
            "sit_and_gos": Listing(OFFERS, id="offers"),
            "tournaments": Listing(SCHEDULED, id="tournaments-list"),
            "private": Listing(PRIVATE, id="private-tables"),
            "ultimate": Listing(ULTIMATE, id="ultimate-tables"),
        }

    def content(self) -> ComposeResult:
        """See `FramedScreen`."""
        yield self._wallet
        with self._games:
            for game, listing in self._lists.items():
                with TabPane(t(f"lobby.{game}"), id=game):
                    yield listing

    def on_mount(self) -> None:
        """See `Screen`."""
        self.set_interval(LOOK_S, self.action_refresh)

    def on_screen_resume(self) -> None:
        """Refresh the lobby when it is shown again."""
        self.action_refresh()

    @work(exclusive=True)
    async def action_refresh(self) -> None:
        """Request the tables of all games, the sit-and-gos and the balance of the wallet."""
        tables = await self._port.asked(m.ListTables(id=0), m.Tables, quietly=True)
        offers = await self._port.asked(m.ListSitAndGos(id=0), m.SitAndGos, quietly=True)
        scheduled = await self._port.asked(m.ListTournaments(id=0), m.Tournaments, quietly=True)
        tickets = await self._port.asked(m.GetTickets(id=0), m.Tickets, quietly=True)
        account = await self._port.asked(m.GetAccount(id=0), m.Account, quietly=True)
        if not self.is_mounted or tables is None or offers is None or account is None:
            return
        self._wallet.update(t("lobby.wallet", name=account.name, balance=in_credits(account.balance)))
        self._seated, self._player = account.tables, account.name
        self._infos = {info.table: info for info in games_first(tables.tables)}
        self._offers = {offer.offer: offer for offer in offers.sit_and_gos}
        if scheduled is not None:  # else the room is of a version that offers none
            self._scheduled = {one.tournament: one for one in scheduled.tournaments}
        if tickets is not None:
            self._tickets = tickets.tickets
        self._ultimate = {info.table: info for info in tables.ultimate}
        self._lists["cash"].show({key: self._table(info) for key, info in self._infos.items()})
        self._lists["sit_and_gos"].show({key: self._offer(offer) for key, offer in self._offers.items()})
        self._lists["tournaments"].show(
            {key: scheduled_row(one, self._tickets) for key, one in self._scheduled.items()}
        )
        self._lists["ultimate"].show(
            {key: self._ultimate_table(info) for key, info in self._ultimate.items()}
        )
        if self._private != {} or self._with_friends or self._games.active == "private":
            await self._refresh_private()

    async def _refresh_private(self) -> None:
        """Request the private tables: at first, while there are any, and while they are shown."""
        hosted = await self._port.asked(m.GetHostedTables(id=0), m.HostedTables, quietly=True)
        if not self.is_mounted or hosted is None:
            return
        self._private = {one.info.table: one for one in hosted.tables}
        self._offered = hosted.offered
        self._with_friends = {one.tournament: one for one in hosted.sit_and_gos}
        tables = {key: self._private_table(one) for key, one in self._private.items()}
        sit_and_gos = {key: self._with_friends_row(one) for key, one in self._with_friends.items()}
        self._lists["private"].show(tables | sit_and_gos)

    def _mine(self, info: m.TableInfo | m.UltimateInfo) -> str:
        return t("lobby.mine") if info.table in self._seated else t("lobby.closing") if info.closing else ""

    def _table(self, info: m.TableInfo) -> list[str]:
        return [
            info.name,
            self._mine(info),
            f"{played(info)} {stakes(info)}",
            f"{in_credits(info.min_buy_in)}-{in_credits(info.max_buy_in)}",
            f"{info.occupied}/{info.seats}",
            str(info.waiting or ""),
        ]

    def _private_table(self, hosted: m.HostedTableView) -> list[str]:
        info = hosted.info
        return [
            info.name,
            t("lobby.paused") if hosted.paused else self._mine(info),
            f"{played(info)} {stakes(info)}",
            hosted.host,
            f"{info.occupied}/{info.seats}",
        ]

    def _with_friends_row(self, one: m.PrivateSitAndGoView) -> list[str]:
        mine = t("lobby.playing") if one.tournament in self._seated else ""
        return [one.name, mine, t("friends.kind"), one.host, ""]

    def _ultimate_table(self, info: m.UltimateInfo) -> list[str]:
        trips = (
            ""
            if info.trips_min is None
            else f"{in_credits(info.trips_min)}-{in_credits(info.trips_max or 0)}"
        )
        return [
            info.name,
            self._mine(info),
            f"{in_credits(info.ante_min)}-{in_credits(info.ante_max)}",
            trips,
            t(f"uth_seating.{info.seating}", n=info.boxes or 1),
            str(info.occupied) if info.boxes is None else f"{info.occupied}/{info.boxes}",
        ]

    def _offer(self, offer: m.SitAndGoInfo) -> list[str]:
        playing = any(one.tournament in self._seated for one in offer.running)
        mine = "lobby.already" if offer.your_tournament is not None else "lobby.playing" if playing else ""
        filling = offer.your_tournament or next((one.tournament for one in offer.filling), None)
        taken = next((one.taken for one in offer.filling if one.tournament == filling), 0)
        return [
            offer.name,
            mine and t(mine),
            played(offer),
            in_credits(offer.buy_in),
            prizes(offer.prizes),
            f"{taken}/{offer.seats}",
            str(offer.running_count or ""),
        ]

    # --- keys ----------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 -- Textual's
        """Offer the keys of the game that is shown."""
        of = {
            "wait": {"cash"},
            "register": {"sit_and_gos", "tournaments"},
            "clubs": {"cash", "private", "ultimate"},
            "leagues": {"sit_and_gos", "tournaments"},
            "tickets": {"tournaments"},
            "create": {"private"},
            "join": {"private"},
        }.get(action)
        return of is None or self._games.active in of

    def action_account(self) -> None:
        """Show the account."""
        self._port.open_account()

    def action_next_game(self, step: int) -> None:
        """Show the list of the next game."""
        games = list(self._lists)
        self._show(games[(games.index(self._games.active) + step) % len(games)])

    def _show(self, game: str) -> None:
        self._games.active = game
        self._lists[game].focus()

    @on(TabbedContent.TabActivated)
    def _activated(self) -> None:
        self.refresh_bindings()
        if self._games.active == "private":
            self.action_refresh()

    @on(DataTable.RowSelected)
    def action_open(self) -> None:
        """Open the table under the cursor; of a tournament the player's own, or the first, or the newest."""
        chosen = self._chosen
        if self._games.active == "tournaments" and chosen is not None:
            row = self._scheduled[chosen]
            own = (table for table in self._seated if tournament_of(table) == chosen)
            chosen = next(own, chosen if row.phase == "running" else None)
            if chosen is None:
                self.notify(cannot_watch(row))
        if self._games.active == "sit_and_gos" and chosen is not None:
            running = [one.tournament for one in self._offers[chosen].running]
            chosen = next((table for table in running if table in self._seated), next(iter(running), None))
            if chosen is None:
                self.notify(t("lobby.none_running"))
        if chosen in self._with_friends:
            self._open_with_friends(self._with_friends[chosen])
        elif chosen is not None:
            self._port.open_table(chosen)

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

    @work(group="entry")  # a refresh ends the others
    async def action_register(self) -> None:
        """Register for the tournament under the cursor, once the player has agreed, or give the seat back."""
        if self._games.active == "tournaments":
            await self._enter(self._scheduled.get(self._chosen or ""))
            return
        offer = self._offers.get(self._chosen or "")
        if offer is None:
            return
        if offer.your_tournament is None:
            if await self._agrees(entry_question(offer)):
                await self._register(offer.offer)
        elif await self._port.asked(m.UnregisterSng(id=0, offer=offer.offer), m.Ok) is not None:
            self.notify(t("lobby.unregistered", amount=in_credits(offer.buy_in)))
            self.action_refresh()

    async def _enter(self, chosen: m.ScheduledTournament | None) -> None:
        """Enter a tournament that starts at a time, also late or again; before the start, leave it."""
        if chosen is None:
            return
        name = chosen.tournament
        if chosen.your_status == "registered" and chosen.phase == "registering":
            if await self._port.asked(m.UnregisterTournament(id=0, tournament=name), m.Ok) is not None:
                self.notify(t("lobby.entry_returned", amount=in_credits(chosen.buy_in)))
        elif not await self._agrees_to_enter(chosen):
            return
        elif entered := await self._port.asked(
            m.RegisterTournament(id=0, tournament=name), m.TournamentRegistered
        ):
            self.notify(t("lobby.entered_by_ticket" if entered.by_ticket else "lobby.entered"))
        self.action_refresh()

    async def _agrees_to_enter(self, chosen: m.ScheduledTournament) -> bool:
        """Ask what an entry is bought for. The room says itself why there is none."""
        if not chosen.registration_open or chosen.your_status in {"registered", "playing"}:
            return True
        request = m.GetTournament(id=0, tournament=chosen.tournament)
        state = await self._port.asked(request, m.TournamentState, quietly=True)
        sold = [] if state is None else sold_beside(state)
        return await self._agrees(entry_question(chosen, by_ticket=pays(self._tickets, chosen), sold=sold))

    async def _agrees(self, question: str) -> bool:
        choices = {"y": t("entry.yes"), "n": t("offer.no")}
        return await self.app.push_screen_wait(ChoiceDialog(question, choices)) == "y"

    @work
    async def register(self, offer: str) -> None:
        """Show the sit-and-gos, and register for this one."""
        self._show("sit_and_gos")
        await self._register(offer)

    async def _register(self, offer: str) -> None:
        if await self._port.asked(m.RegisterSng(id=0, offer=offer), m.SngRegistered) is not None:
            self.notify(t("lobby.registered"))
            self.action_refresh()

    # --- private tables ------------------------------------------------------------------------------------------

    def action_create(self) -> None:
        """Ask what is played and on which terms; then create the table."""
        self._ask_table()

    def _ask_table(self, club: str | None = None) -> None:
        def chosen(game: str | None) -> None:
            if game == SIT_AND_GO:
                self._create_with_friends()
                return

            def answered(values: dict[str, str] | None) -> None:
                if game is not None and values is not None:
                    self._create(game, values, club)

            if game is not None:
                form = FormDialog(t("private.new"), new_table_fields(self._player, self._offered))
                self.app.push_screen(form, answered)

        games = game_names(self._offered)
        if club is None and offers_them(self._offered):
            games |= {SIT_AND_GO: t("friends.new")}
        self.app.push_screen(ChoiceDialog(t("private.new"), games), chosen)

    @work(group="private")  # a refresh ends the others
    async def _create(self, game: str, values: dict[str, str], club: str | None) -> None:
        try:
            request = new_table(game, values, club)
        except ValueError as wrong:
            self.notify(str(wrong), severity="error")
            return
        answer = await self._port.asked(request, m.HostedTable)
        if answer is not None:
            table = answer.hosted.info.table
            told = TextDialog(t("private.share"), invitation(answer.hosted.code or ""), "n")

            def closed(_: None) -> None:
                self._port.open_table(table)

            self._private = None
            self.app.push_screen(told, closed)

    def action_join(self) -> None:
        """Ask for the link of a private table, or for its number and password, and open the table."""

        def answered(values: dict[str, str] | None) -> None:
            if values is not None:
                self._join(values["link"], values["password"])

        fields = [
            Field(name="link", label=t("private.link")),
            Field(name="password", label=t("private.password"), secret=True, needed=False),
        ]
        self.app.push_screen(FormDialog(t("private.join"), fields), answered)

    @work(group="private")  # a refresh ends the others
    async def _join(self, link: str, password: str) -> None:
        try:
            request = entrance(link, password)
        except ValueError as wrong:
            self.notify(str(wrong), severity="error")
            return
        answer = await self._port.asked(request, m.Answer)
        self._private = None
        match answer:
            case m.HostedTable():
                self._port.open_table(answer.hosted.info.table)
            case m.PrivateSitAndGo():
                self._open_with_friends(answer.sit_and_go)
            case _:
                pass  # refused, or of a later version

    @work(group="private")
    async def _create_with_friends(self) -> None:
        """Ask for the terms of a private sit-and-go; then create it, and show it with its link."""
        try:
            request = await asked_for(self, self._player, self._offered)
        except ValueError as wrong:
            self.notify(str(wrong), severity="error")
            return
        answer = request and await self._port.asked(request, m.PrivateSitAndGo)
        if answer:
            self._private = None
            self._open_with_friends(answer.sit_and_go)

    def _open_with_friends(self, view: m.PrivateSitAndGoView) -> None:
        self.app.push_screen(SitAndGoScreen(self._port, view))

    # --- leagues -------------------------------------------------------------------------------------------------

    @work(group="private")
    async def action_leagues(self) -> None:
        """Show the table of the league, or of the one that the player chooses."""
        answer = await self._port.asked(m.GetLeagues(id=0), m.Leagues)
        if answer is None:
            return
        leagues = {str(number): league for number, league in enumerate(answer.leagues[:9], 1)}

        def chosen(choice: str | None) -> None:
            if choice in leagues:
                self._show_league(leagues[choice].league)

        if len(leagues) == 1:
            chosen("1")
        elif leagues:
            names = {key: league.name for key, league in leagues.items()}
            self.app.push_screen(ChoiceDialog(t("key.leagues"), names), chosen)
        else:
            self.notify(t("league.room_has_none"))

    @work(group="private")
    async def _show_league(self, league: str) -> None:
        answer = await self._port.asked(m.GetLeague(id=0, league=league, count=BEST), m.League)
        if answer is not None:
            self.app.push_screen(TextDialog(answer.league.name, league_text(answer), "l"))

    # --- tickets -------------------------------------------------------------------------------------------------

    @work(group="private")
    async def action_tickets(self) -> None:
        """Show the player's tickets."""
        answer = await self._port.asked(m.GetTickets(id=0), m.Tickets)
        if answer is not None:
            self.app.push_screen(TextDialog(t("key.tickets"), tickets_text(answer.tickets), "t"))

    # --- clubs ---------------------------------------------------------------------------------------------------

    @work(group="private")  # a refresh ends the others
    async def action_clubs(self) -> None:
        """Ask for one of the player's clubs, or for a new one."""
        answer = await self._port.asked(m.GetClubs(id=0), m.Clubs)
        if answer is None:
            return
        clubs = {str(number): club for number, club in enumerate(answer.clubs, 1)}
        names = {key: club.name for key, club in clubs.items()}

        def chosen(choice: str | None) -> None:
            if choice in clubs:
                self._open_club(m.GetClub(id=0, club=clubs[choice].club))
            elif choice is not None:
                self._ask_club(choice)

        orders = {"n": t("club.create"), "j": t("club.join")}
        self.app.push_screen(ChoiceDialog(t("key.clubs"), names | orders), chosen)

    def _ask_club(self, order: str) -> None:
        title, label = ("club.create", "club.name") if order == "n" else ("club.join", "private.link")

        def answered(values: dict[str, str] | None) -> None:
            if values is None:
                return
            try:
                self._open_club(
                    m.CreateClub(id=0, name=values["text"][:40])
                    if order == "n"
                    else m.JoinClub(id=0, code=code_of(values["text"], CLUB_LINK, Code.UNKNOWN_CLUB_CODE))
                )
            except ValueError as wrong:
                self.notify(str(wrong), severity="error")

        self.app.push_screen(FormDialog(t(title), [Field(name="text", label=t(label))]), answered)

    @work(group="private")
    async def _open_club(self, request: m.GetClub | m.CreateClub | m.JoinClub) -> None:
        answer = await self._port.asked(request, m.Club)
        if answer is not None:
            self.app.push_screen(ClubScreen(self._port, answer.club, self._ask_table))

    def name_of(self, table: str) -> str:
        """Return the name of a table."""
        return self._infos[table].name if table in self._infos else table

    def wait_over(self, table: str) -> None:
        """Take note that the player is no longer on the waiting list of `table`."""
        self._waiting.discard(table)

    @property
    def _chosen(self) -> str | None:
        return self._lists[self._games.active].chosen


def games_first(tables: Sequence[m.TableInfo]) -> list[m.TableInfo]:
    """Order the tables: those with players or bots first, closing ones last, else as the room lists them."""
    return sorted(tables, key=lambda info: (info.closing, info.players == 0))
