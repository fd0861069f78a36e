"""The screen of one poker table: its state, its log, and the keys to play."""

from __future__ import annotations

from typing import ClassVar, Final, Literal

from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content

from pokerroom.terminal.amounts import in_credits, raises, unit_of
from pokerroom.terminal.clubs import purse_of
from pokerroom.terminal.deals import KEY, about_deal, awaits_answer, deal_line
from pokerroom.terminal.dialogs import AmountAnswer, AmountDialog, AmountQuestion, TextDialog
from pokerroom.terminal.game_screen import SHARED_KEYS, GameScreen
from pokerroom.terminal.hosting import HostScreen, news_of, results_text
from pokerroom.terminal.ports import TableScreenPort
from pokerroom.terminal.texts import t
from pokerroom.terminal.tournaments import finished, headline, overview, tournament_line
from pokerroom.terminal.widgets import Board, SeatBox, TimeLeft, places, time_left
from pokerroom.terminal.words import log_line, played, stakes
from pokerroom_protocol import messages as m
from pokerroom_protocol.table_view import tournament_of

BEST: Final = 10
"""The number of players in the overview of a tournament."""

Action = Literal["fold", "check", "call", "bet", "raise"]


class TableScreen(GameScreen):
    """See the module."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "fold", "key.fold"),
        Binding("c", "check_or_call", "key.call"),
        Binding("r", "raise", "key.raise"),
        Binding("s", "sit", "key.sit"),
        Binding("o", "sit_out", "key.out"),
        Binding("u", "top_up", "key.top_up"),
        *SHARED_KEYS,
        Binding("h", "host", "key.host"),
        Binding("w", "results", "key.results"),
        Binding("i", "tournament", "key.tournament"),
        Binding("d", "deal", "key.prize_deal"),
    ]

    def __init__(self, port: TableScreenPort, table: m.Snapshot) -> None:
        self._board = Board(id="board")
        super().__init__(port, table.table, self._board)
        self.table = table
        """The latest state of the table."""
        self._sent: tuple[str, int] | None = None
        """The hand and the seq of the decision that was sent."""
        self._raising: AmountDialog | None = None
        # `table` may be ahead of the event that is taken: players of a batch of events may have left already.
        self._names: dict[int, str] = {}
        self._last_seat: int | None = None
        self._remember(table)
        self._boxes: list[SeatBox] = []
        self._hosted: m.HostedTableView | None = None
        """What the room says of a private table."""
        self._finished = ""
        """The player's place and prize, once they are out."""

    @property
    def is_seated(self) -> bool:
        """See `GameScreen`."""
        return self.table.your_seat is not None

    async def on_mount(self) -> None:
        """See `Screen`."""
        if self.table.tournament is None:
            self._look_for_host()

    def look_for_host(self) -> None:
        """Read a private table again: it has changed for the player."""
        self._look_for_host()

    @work(exclusive=True, group="host")  # the room may answer an earlier question last: its answer is old
    async def _look_for_host(self) -> None:
        before = self._hosted
        hosted = await self._port.asked(m.GetHostedTables(id=0), m.HostedTables, quietly=True)
        if hosted is not None:
            self._hosted = next((one for one in hosted.tables if one.info.table == self.table_id), None)
        if before is not None and self._hosted is not None:
            for line in news_of(before, self._hosted):
                self.notify(line)
            for screen in self.app.screen_stack:
                if isinstance(screen, HostScreen) and screen.table_id == self.table_id:
                    screen.show(self._hosted)
        if self._hosted is not None and self in self.app.screen_stack:
            self.refresh_bindings()
            self.tick()

    # --- display -------------------------------------------------------------------------------------------------

    async def arrange_seats(self) -> None:
        """See `GameScreen`: your own seat is at the bottom in the middle."""
        rows = places(self.table.info.seats, self.table.your_seat)
        upper, lower = ([SeatBox(number) for number in row] for row in rows)
        self._boxes = [*upper, *lower]
        await self.mount_seats(upper, lower)

    async def take(self, happened: m.Answer | m.Event, table: m.Snapshot) -> None:
        """Take an event or a snapshot, and the state of the table after it."""
        before, self.table = self.table, table
        self._remember(table)
        if not self._drawn:
            return
        if isinstance(happened, m.Snapshot):
            self._sent = None
        elif isinstance(happened, m.Event):
            line = log_line(happened, self._names, unit_of(table)) or tournament_line(happened)
            line = line or deal_line(happened)
            if line is not None:
                self._log.write(line)
        if (
            isinstance(happened, m.PlayerPlaced)
            and happened.seat is not None
            and happened.seat == self._last_seat
        ):
            self._finished = finished(happened.place, happened.prize)
            self.notify(self._finished)
        if isinstance(happened, m.DealOffered) and awaits_answer(table, happened.deal):
            self.notify(t("deal.answer", key=KEY.upper()), timeout=30)
        if before.your_seat != table.your_seat:
            self.refresh_bindings()
            await self.arrange_seats()
        if self._raising is not None and self._raising.is_current and not self._mine:
            self._raising.dismiss(None)
            self.notify(t("table.too_late"), severity="warning")
        self.show_table()

    def _remember(self, table: m.Snapshot) -> None:
        """Keep the last holder of each seat, and your last seat."""
        self._names |= {seat.seat: seat.name for seat in table.seats}
        self._last_seat = table.your_seat or self._last_seat

    def show_table(self) -> None:
        """See `GameScreen`."""
        for box in self._boxes:
            box.show(self.table)
        self._board.show(self.table)
        self.tick()

    def tick(self) -> None:
        """See `GameScreen`."""
        turn, info, tournament = self._turn, self.table.info, self.table.tournament
        line = f"{info.name}   {played(info)} {stakes(info)}"
        if self._hosted is not None:
            host = "private.host" if self._hosted.code is None else "private.you_host"
            line += f"   {t(host, name=self._hosted.host)}"
        if tournament is not None:
            line = headline(self.table, tournament, self._port.room_time_ms())
        self._headline.update(Content(line))
        countdown, options = self._countdown, self._choices
        countdown.set_class(self._mine, "mine")
        if turn is None:
            countdown.show("", TimeLeft(seconds=None, share=1.0))
            options.update(Content(self._idle_text()))
            return
        name = next((seat.name for seat in self.table.seats if seat.seat == turn.seat), "?")
        left = time_left(turn, self._port.room_time_ms())
        title = t("table.your_turn") if self._mine else t("table.to_act", name=name)
        bank = f" {t('table.time_bank')}" if turn.in_time_bank else ""
        bank_follows = turn.time_bank_ms > 0 and not turn.in_time_bank
        then = "" if turn.on_timeout is None or bank_follows else f", {t(f'then.{turn.on_timeout}')}"
        countdown.show(title if left.seconds is None else f"{title}  {left.seconds} s{bank}{then}", left)
        options.update(Content(self._options(turn) if self._mine else self._idle_text()))

    def _idle_text(self) -> str:
        own = self._own
        if self.table.tournament is not None:
            if own is None:
                return self._finished or t("sng.watching")
            return t("sng.away") if own.status == "away" else ""
        if own is None:
            return t("table.watching")
        if own.stack == 0 and self.table.hand is None:
            return t("table.no_chips")
        return t("table.sitting_out") if own.status == "sitting_out" else ""

    def _options(self, turn: m.TurnView) -> str:
        write = unit_of(self.table).text
        call = t("table.check") if turn.check else t("table.call", amount=write(turn.call_amount))
        found = raises(self.table)
        if found is None:
            return call
        span = write(found.min_to)
        if found.max_to != found.min_to:
            span += f"-{write(found.max_to)}"
        return f"{call}   {t('table.bet_span' if found.bets else 'table.raise_span', span=span)}"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 -- Textual's
        """Offer what the table allows: tournament chips are neither bought nor cashed out."""
        if action == "host":
            return self._hosted is not None and self._hosted.code is not None
        if action == "results":
            return self._hosted is not None
        if self.table.tournament is None:
            return action not in {"tournament", "deal"}
        if action == "deal":
            return self.table.tournament.deals
        out = self.table.your_seat is None
        return action not in {"top_up", "stand_up"} and not (out and action in {"sit", "sit_out"})

    @work
    async def action_host(self) -> None:
        """Show the host what they may order."""
        hosted = await self._port.asked(m.GetHostedTables(id=0), m.HostedTables)
        mine = [one for one in ([] if hosted is None else hosted.tables) if one.info.table == self.table_id]
        if mine:
            self.app.push_screen(
                HostScreen(self._port, mine[0], lambda: [seat.name for seat in self.table.seats])
            )

    @work
    async def action_results(self) -> None:
        """Show what each player has won or lost at a private table, and who pays whom."""
        results = await self._port.asked(m.GetTableResults(id=0, table=self.table_id), m.TableResults)
        if results is not None:
            self.app.push_screen(TextDialog(t("private.results"), results_text(results), "w"))

    @work
    async def action_tournament(self) -> None:
        """Show the state of the tournament, and its best players."""
        name = tournament_of(self.table_id)
        state = await self._port.asked(m.GetTournament(id=0, tournament=name), m.TournamentState)
        ranks = await self._port.asked(
            m.GetTournamentRanks(id=0, tournament=name, count=BEST), m.TournamentRanks
        )
        if state is not None and ranks is not None:
            self.app.push_screen(TextDialog(state.name, overview(state, ranks.ranks), "i"))

    @work
    async def action_deal(self) -> None:
        """Show the deal, answer it, or propose one."""
        said = await about_deal(self, self._port)
        if said is not None:
            self.notify(said)

    # --- decisions -----------------------------------------------------------------------------------------------

    @property
    def _turn(self) -> m.TurnView | None:
        return None if self.table.hand is None else self.table.hand.turn

    @property
    def _mine(self) -> bool:
        return self._turn is not None and self._turn.seat == self.table.your_seat

    @property
    def _own(self) -> m.SeatView | None:
        return next((seat for seat in self.table.seats if seat.seat == self.table.your_seat), None)

    def action_fold(self) -> None:
        """Fold; check instead where a check is legal."""
        if self._turn is not None and self._mine:
            self._act("check" if self._turn.check else "fold")

    def action_check_or_call(self) -> None:
        """Check, or call."""
        if self._turn is not None and self._mine:
            self._act("check" if self._turn.check else "call")

    def action_raise(self) -> None:
        """Ask for an amount, then bet or raise to it."""
        found = raises(self.table) if self._mine else None
        if found is None:
            if self._mine:
                self.notify(t("table.cannot_raise"), severity="warning")
            return
        word: Action = "bet" if found.bets else "raise"
        if found.min_to == found.max_to:
            self._act(word, found.max_to)
            return
        question = AmountQuestion(
            title=t("ask.bet" if found.bets else "ask.raise"),
            low=found.min_to,
            high=found.max_to,
            proposed=found.min_to,
            step=self.table.info.big_blind,
            unit=unit_of(self.table),
            presets={
                "h": (t("ask.half_pot"), found.half_pot_to),
                "p": (t("ask.pot"), found.pot_to),
                "a": (t("ask.all_in" if self._all_in(found.max_to) else "ask.most"), found.max_to),
            },
        )

        def answered(answer: AmountAnswer | None) -> None:
            self._raising = None
            if answer is not None and self._mine:
                self._act(word, answer.amount)

        self._raising = AmountDialog(question)
        self.app.push_screen(self._raising, answered)

    def _all_in(self, total: int) -> bool:
        own = self._own
        return own is not None and total >= own.stack + own.bet

    def _act(self, action: Action, amount: int | None = None) -> None:
        hand, turn = self.table.hand, self._turn
        if hand is None or turn is None or self._sent == (hand.hand_id, turn.seq):
            return  # already sent
        self._sent = hand.hand_id, turn.seq
        self._send_act(
            m.Act(
                id=0, table=self.table.table, hand_id=hand.hand_id, seq=turn.seq, action=action, amount=amount
            )
        )

    @work
    async def _send_act(self, act: m.Act) -> None:
        if await self._port.asked(act, m.Ok) is None and self._sent == (act.hand_id, act.seq):
            self._sent = None  # refused: the decision is still pending

    # --- the seat ------------------------------------------------------------------------------------------------

    @work
    async def action_sit(self) -> None:
        """Sit down with a buy-in, or sit in again."""
        name, info = self.table.table, self.table.info
        if self.table.your_seat is not None:
            if await self._port.asked(m.SitIn(id=0, table=name, post=True), m.Ok) is not None:
                self.notify(t("table.sit_in"))
            return
        if self._hosted is not None and self._hosted.your_seat != "open":
            await self._ask_for_seat()
            return
        purse = await purse_of(self._port, self._hosted)
        if purse is not None:
            self._port.buy_in(info, purse)

    async def _ask_for_seat(self) -> None:
        answer = await self._port.asked(m.AskSeat(id=0, table=self.table_id), m.HostedTable)
        if answer is not None:
            self._hosted = answer.hosted
            self.notify(t(f"own_seat.{answer.hosted.your_seat}"))

    @work
    async def action_sit_out(self) -> None:
        """Sit out from the next hand on."""
        if await self._port.asked(m.SitOut(id=0, table=self.table.table), m.Ok) is not None:
            self.notify(t("table.sit_out" if self.table.tournament is None else "sng.away"))

    @work
    async def action_top_up(self) -> None:
        """Buy chips, up to the table's maximum."""
        info, own = self.table.info, self._own
        purse = await purse_of(self._port, self._hosted)
        if own is None or purse is None:
            return
        most = min(info.max_buy_in - own.stack - own.bet, purse)
        if most <= 0:
            self.notify(t("table.enough"), severity="warning")
            return

        def answered(answer: AmountAnswer | None) -> None:
            if answer is not None:
                self._top_up(answer.amount)

        question = AmountQuestion(title=t("ask.top_up"), low=1, high=most, proposed=most, step=info.big_blind)
        self.app.push_screen(AmountDialog(question), answered)

    @work
    async def _top_up(self, amount: int) -> None:
        if await self._port.asked(m.TopUp(id=0, table=self.table.table, amount=amount), m.Ok) is not None:
            self.notify(t("table.bought", amount=in_credits(amount)))
