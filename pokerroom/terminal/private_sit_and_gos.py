"""Private sit-and-gos in the terminal: what a new one is asked, and the screen of one, for its host and the guests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, Literal

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from pokerroom.terminal.amounts import CHIPS, CREDITS, in_credits
from pokerroom.terminal.dialogs import ChoiceDialog, Field, FormDialog
from pokerroom.terminal.frame import FramedScreen
from pokerroom.terminal.hosting import (
    BOUND_SHOWN,
    GAMES,
    game_names,
    invitation,
    password_line,
    password_problem,
    whole_number,
)
from pokerroom.terminal.ports import LobbyScreenPort
from pokerroom.terminal.texts import t
from pokerroom.terminal.tournaments import clock, entry_question, prizes
from pokerroom.terminal.words import played
from pokerroom_protocol import messages as m

LOOK_S: Final = 3.0
ORDER: Final = "s"
"""The key of a private sit-and-go among the games of a new private table."""
SPEEDS: Final = {"t": ("turbo", 1_500, 3), "n": ("normal", 1_500, 8), "d": ("deep", 5_000, 12)}
"""The usual structures by key: name, starting stack, and minutes of a level. The browser has the same."""

_NOT_PLAYED: Final = "fixed_limit"
_SMALL_BLINDS: Final = (10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 400, 600)
_SHARES: Final = {1: [10_000], 2: [6_500, 3_500], 3: [5_000, 3_000, 2_000]}
"""The prizes in 1/100 %, by the number of paid places."""
_SEATS: Final = range(2, 11)
_STACKS: Final = range(1, 10**9 + 1)
_SEATS_PROPOSED: Final = 6
_BUY_IN_PROPOSED: Final = 1_000
_NAMES_SHOWN: Final = 10
_LEAST: Final = 2


def offers_them(offered: m.OfferedTables | None) -> bool:
    """Return whether players may open sit-and-gos now."""
    return offered is not None and bool(offered.sit_and_go_buy_in_max) and bool(sit_and_go_games(offered))


def sit_and_go_games(offered: m.OfferedTables | None) -> dict[str, str]:
    """Return the games to choose from, by key."""
    return {key: name for key, name in game_names(offered).items() if GAMES[key][1] != _NOT_PLAYED}


def speed_names() -> dict[str, str]:
    """Return the structures to choose from, by key."""
    return {
        key: t("friends.speed", name=t(f"friends_speed.{name}"), stack=CHIPS.text(stack), minutes=minutes)
        for key, (name, stack, minutes) in SPEEDS.items()
    }


def new_sit_and_go_fields(host: str, speed: str, offered: m.OfferedTables | None) -> list[Field]:
    """Return the lines of the form; all have a value that is offered, so that Enter is enough."""
    seats, buy_in, label = _SEATS_PROPOSED, _BUY_IN_PROPOSED, t("friends.buy_in")
    if offered is not None and offered.sit_and_go_buy_in_max:
        most = offered.sit_and_go_buy_in_max
        seats, buy_in = min(seats, offered.seats_max), min(buy_in, most)
        if most <= BOUND_SHOWN:
            label = t("friends.buy_in_max", amount=in_credits(most))
    return [
        Field(name="name", label=t("friends.name"), value=t("friends.default_name", name=host)[:40]),
        Field(name="seats", label=t("private.seats"), value=str(seats)),
        Field(name="buy_in", label=label, value=CREDITS.plain(buy_in)),
        Field(name="stack", label=t("friends.stack"), value=str(SPEEDS[speed][1])),
        Field(name="places", label=t("friends.places"), value="2"),
    ]


def new_sit_and_go(game: str, speed: str, values: dict[str, str]) -> m.CreateSitAndGo:
    """Return the request for the sit-and-go of a form. Raise ValueError with a text for the player."""
    name, structure = GAMES[game]
    minutes = SPEEDS[speed][2]
    seats = whole_number(values["seats"], _SEATS, t("private.seats"))
    places = whole_number(values["places"], range(1, min(len(_SHARES), seats) + 1), t("friends.paid_places"))
    buy_in = CREDITS.parse(values["buy_in"])
    return m.CreateSitAndGo(
        id=0,
        name=values["name"][:40].strip(),
        game=name,
        structure=structure,
        seats=seats,
        buy_in=buy_in,
        starting_stack=whole_number(values["stack"], _STACKS, t("friends.stack")),
        levels=[
            m.PrivateLevel(small_blind=small, big_blind=2 * small, length_s=60 * minutes)
            for small in _SMALL_BLINDS
        ],
        prize_shares=_SHARES[places] if buy_in else [],
    )


def _terms_lines(state: m.TournamentState) -> list[str]:
    if not state.buy_in:
        return [t("friends.free")]
    shown = "friends.prizes_so_far" if state.provisional else "sng.prizes"
    return [t("friends.price", amount=in_credits(state.buy_in)), t(shown, prizes=prizes(state.prizes))]


def sit_and_go_text(
    view: m.PrivateSitAndGoView, state: m.TournamentState, ranks: Sequence[m.TournamentRank]
) -> str:
    """Return what the host or a guest sees of a sit-and-go: state, terms, players, and the invitation of the host."""
    lines = [
        f"{state.name}   {played(state)}   {t('private.host', name=view.host)}",
        _state_line(state),
        "",
        *_terms_lines(state),
        "",
        *_player_lines(state, ranks),
    ]
    if view.code is not None and state.phase == "registering":
        waiting = sorted(set(view.guests or ()) - {rank.name for rank in ranks}, key=str.lower)
        told = t("friends.guests", names=", ".join(waiting)) if waiting else t("friends.no_guests")
        password = password_line(view.table, has_password=view.has_password)
        lines += [told, password, "", invitation(view.code)]
    lines += ["", t("friends.stack_of", stack=CHIPS.text(state.starting_stack)), _levels_line(state.levels)]
    return "\n".join(lines)


def _player_lines(state: m.TournamentState, ranks: Sequence[m.TournamentRank]) -> list[str]:
    """Return the names before the start, then a line for each of the best."""
    if not ranks:
        return [t("friends.no_players")]
    if state.phase == "registering":
        return [t("friends.players", names=", ".join(rank.name for rank in ranks))]
    return [_rank_line(rank, state) for rank in ranks]


def _state_line(state: m.TournamentState) -> str:
    if state.ended_ms is not None:
        return t(f"ended.{state.phase}")
    if state.phase != "registering":
        return t("friends.runs", left=state.left, entries=state.entries)
    taken = t("friends.taken", taken=state.entries, seats=state.seats)
    return f"{taken} {t('friends.you_in' if state.you is not None else 'friends.you_out')}"


def _levels_line(levels: Sequence[m.SngLevel]) -> str:
    """Return the levels; a length that all have is told once."""
    lengths = {level.length for level in levels}
    shared = lengths.pop() if len(lengths) == 1 else None
    each = [
        _blinds(level) if shared is not None else f"{_blinds(level)} ({_long(level.length)})"
        for level in levels
    ]
    listed = " · ".join(each)
    if shared is None:
        return t("friends.levels", levels=listed)
    return t("friends.levels_of", time=_long(shared), levels=listed)


def _blinds(level: m.SngLevel) -> str:
    text = (
        f"{CHIPS.text(level.small_bet or level.small_blind)}/{CHIPS.text(level.big_bet or level.big_blind)}"
    )
    return f"{text} ({CHIPS.text(level.big_blind_ante)})" if level.big_blind_ante else text


def _long(seconds: int) -> str:
    return clock(1_000 * seconds)


def _rank_line(rank: m.TournamentRank, state: m.TournamentState) -> str:
    worth = (
        CHIPS.text(rank.stack or 0)
        if rank.status == "playing" and state.ended_ms is None
        else in_credits(rank.prize)
        if rank.prize
        else ""
    )
    return f"{rank.rank or 0:>3}. {rank.name:<20} {worth:>12}".rstrip()


class SitAndGoScreen(FramedScreen):
    """The screen of one private sit-and-go. The table opens above it when it starts."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "app.pop_screen", "key.back"),
        Binding("g", "register", "key.register"),
        Binding("o", "open", "key.open"),
        Binding("s", "start", "key.start"),
        Binding("n", "new_link", "key.new_link"),
        Binding("w", "password", "key.table_password"),
        Binding("r", "remove", "key.remove_guest"),
        Binding("c", "cancel", "key.cancel"),
    ]
    BEFORE_THE_START: ClassVar = {"register", "start", "new_link", "password", "remove", "cancel"}
    OF_THE_HOST: ClassVar = BEFORE_THE_START - {"register"}

    def __init__(self, port: LobbyScreenPort, view: m.PrivateSitAndGoView) -> None:
        super().__init__()
        self._port = port
        self._view = view
        self._state: m.TournamentState | None = None
        self._is_gone = False
        self._told = Static(id="sit-and-go", markup=False)

    def content(self) -> ComposeResult:
        """See `FramedScreen`."""
        with VerticalScroll():
            yield self._told

    def on_mount(self) -> None:
        """See `Screen`."""
        self.look()
        self.set_interval(LOOK_S, self.look)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 -- Textual's
        """Offer the keys of the state, and those of the host to the host."""
        phase = None if self._state is None else self._state.phase
        if action in self.OF_THE_HOST and self._view.code is None:
            return False
        if action == "open":
            return phase == "running"
        return action not in self.BEFORE_THE_START or phase == "registering"

    @work(exclusive=True, group="look")
    async def look(self) -> None:
        """Request the state, the players and the link."""
        name = self._view.tournament
        hosted = await self._port.asked(m.GetHostedTables(id=0), m.HostedTables, quietly=True)
        state = await self._port.asked(
            m.GetTournament(id=0, tournament=name), m.TournamentState, quietly=True
        )
        ranks = await self._port.asked(
            m.GetTournamentRanks(id=0, tournament=name, count=_NAMES_SHOWN), m.TournamentRanks, quietly=True
        )
        if not self.is_mounted or hosted is None:
            return
        view = next((one for one in hosted.sit_and_gos if one.tournament == name), None)
        if view is None:
            self._is_gone = True
            self._end_if_gone()
        elif state is not None and ranks is not None:
            self._view, self._state = view, state
            self._told.update(sit_and_go_text(view, state, ranks.ranks))
            self.refresh_bindings()

    def _end_if_gone(self) -> None:
        if self._is_gone and self.is_active:
            self.notify(t("friends.gone"), severity="warning")
            self.app.pop_screen()

    def on_screen_resume(self) -> None:
        """End after a dialog that was open when the room told of it no more."""
        self._end_if_gone()
        self.look()

    @work(group="entry")
    async def action_register(self) -> None:
        """Register, once the player has agreed, or give the seat back."""
        state, name = self._state, self._view.tournament
        if state is None:
            return
        if state.you is not None:
            if await self._port.asked(m.UnregisterTournament(id=0, tournament=name), m.Ok) is not None:
                self.notify(t("lobby.unregistered", amount=in_credits(state.buy_in)))
        elif await self._agrees(
            entry_question(state), {"y": t("entry.yes"), "n": t("offer.no")}
        ) and await self._port.asked(m.RegisterTournament(id=0, tournament=name), m.TournamentRegistered):
            self.notify(t("lobby.entered"))
        self.look()

    def action_open(self) -> None:
        """Open the table: to play, or to watch."""
        self._port.open_table(self._view.tournament)

    def action_start(self) -> None:
        """Start it with those that have entered."""
        if self._state is not None and self._state.entries < _LEAST:
            self.notify(t("friends.two"), severity="error")
        else:
            self._order("start")

    def action_new_link(self) -> None:
        """Make a new link; the old one is void."""
        self._order("new_link")

    @work(group="entry")
    async def action_password(self) -> None:
        """Ask for a new password; an empty one removes it."""
        field = Field(name="password", label=t("private.new_password"), needed=False)
        values = await self.app.push_screen_wait(FormDialog(t("friends.set_password"), [field]))
        if values is None:
            return
        problem = password_problem(values["password"])
        if problem is not None:
            self.notify(problem, severity="error")
            return
        request = m.SetTablePassword(id=0, table=self._view.table, password=values["password"] or None)
        if await self._port.asked(request, m.PrivateSitAndGo) is not None:
            self.look()

    @work(group="entry")
    async def action_remove(self) -> None:
        """Ask for a guest, and remove the account for good."""
        names = {str(number): name for number, name in enumerate((self._view.guests or ())[:9], 1)}
        if not names:
            self.notify(t("private.no_guests"))
            return
        choice = await self.app.push_screen_wait(ChoiceDialog(t("friends.remove"), names))
        if choice is None:
            return
        request = m.RemovePlayer(id=0, table=self._view.table, name=names[choice])
        if await self._port.asked(request, m.Ok) is not None:
            self.notify(t("friends.removed", name=names[choice]))
            self.look()

    @work(group="entry")
    async def action_cancel(self) -> None:
        """Cancel it, if the host is sure."""
        if await self._agrees(t("friends.cancel"), {"y": t("friends.cancel_sure"), "n": t("offer.no")}):
            self._order("cancel")

    async def _agrees(self, question: str, choices: dict[str, str]) -> bool:
        return await self.app.push_screen_wait(ChoiceDialog(question, choices)) == "y"

    @work(group="order")
    async def _order(self, order: Literal["start", "cancel", "new_link"]) -> None:
        request = m.ChangeSitAndGo(id=0, tournament=self._view.tournament, order=order)
        if await self._port.asked(request, m.PrivateSitAndGo) is not None:
            self.look()


async def asked_for(
    screen: FramedScreen, host: str, offered: m.OfferedTables | None
) -> m.CreateSitAndGo | None:
    """Ask for game, structure and terms of a new one; return the request, or None if the player gives up.

    Raise ValueError with a text for the player. To be awaited in a worker.
    """
    app, title = screen.app, t("friends.new")
    game = await app.push_screen_wait(ChoiceDialog(title, sit_and_go_games(offered)))
    speed = game and await app.push_screen_wait(ChoiceDialog(title, speed_names()))
    if not game or not speed:
        return None
    values = await app.push_screen_wait(FormDialog(title, new_sit_and_go_fields(host, speed, offered)))
    return None if values is None else new_sit_and_go(game, speed, values)
