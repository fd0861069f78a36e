"""One table of hold'em: what is seen of it, what has happened, and the keys to play there."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.screen import Screen
from textual.widgets import Footer, Header, Input, RichLog, Static

from pokerroom.terminal.amounts import in_credits, raises
from pokerroom.terminal.dialogs import AmountAnswer, AmountDialog, AmountQuestion
from pokerroom.terminal.widgets import Banner, Board, Countdown, SeatBox, TimeLeft, places, time_left
from pokerroom.terminal.words import STRUCTURES, stakes, told
from pokerroom_protocol import messages as m

if TYPE_CHECKING:  # the app makes its screens
    from pokerroom.terminal.app import TerminalApp

TICK_S = 0.25

Action = Literal["fold", "check", "call", "bet", "raise"]


class TableScreen(Screen[None]):
    """See the module."""

    app: TerminalApp

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 -- declared so by Textual
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "fold", "fold"),
        Binding("c", "check_or_call", "call"),
        Binding("r", "raise", "raise"),
        Binding("s", "sit", "sit"),
        Binding("o", "sit_out", "out"),
        Binding("u", "top_up", "top up"),
        Binding("x", "stand_up", "stand up"),
        Binding("t", "talk", "talk"),
        Binding("l,escape", "back", "lobby"),
    ]

    def __init__(self, table: m.Snapshot) -> None:
        super().__init__()
        self.table = table
        """As it was told last."""
        self._sent: tuple[str, int] | None = None
        """The decision that is on its way: its hand and number."""
        self._raising: AmountDialog | None = None
        self._drawn = False
        # Held here and not looked for: while a screen goes, things still happen at its table.
        self._boxes: list[SeatBox] = []
        self._board = Board(id="board")
        self._countdown = Countdown(id="countdown")
        self._choices = Static(id="options")
        self._log = RichLog(id="log", wrap=True, min_width=10, max_lines=500)
        self._talk = Input(placeholder="say something", id="talk", max_length=200)

    # --- what is seen --------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """See `Screen`."""
        info = self.table.info
        yield Header(icon="♠")
        yield Banner()
        with Container(id="room"):
            with Vertical(id="felt"):
                yield Static(
                    f"{info.name}   {STRUCTURES.get(info.structure, info.structure)} {stakes(info)}",
                    id="stakes",
                )
                yield Container(id="upper", classes="row")
                yield self._board
                yield Container(id="lower", classes="row")
                yield self._countdown
                yield self._choices
            with Vertical(id="side"):
                yield self._log
                yield self._talk
        yield Footer()

    async def on_mount(self) -> None:
        """See `Screen`."""
        self._silence()
        self._log.can_focus = False
        await self._seat_everybody()
        self.set_interval(TICK_S, self._tick)
        self._drawn = True
        self._show()

    async def _seat_everybody(self) -> None:
        """Your seat is in the middle below."""
        rows = places(self.table.info.seats, self.table.your_seat)
        upper, lower = ([SeatBox(number) for number in row] for row in rows)
        self._boxes = [*upper, *lower]
        for name, boxes in (("#upper", upper), ("#lower", lower)):
            for container in self.query(name):
                await container.remove_children()
                await container.mount_all(boxes)

    async def take(self, happened: m.Snapshot | m.Event, table: m.Snapshot) -> None:
        """Something has happened, after which the table is `table`."""
        before, self.table = self.table, table
        if not self._drawn:
            return
        if isinstance(happened, m.Snapshot):
            self._sent = None
        else:
            names = {seat.seat: seat.name for seat in before.seats}
            line = told(happened, names)
            if line is not None:
                self._log.write(line)
        if before.your_seat != table.your_seat:
            await self._seat_everybody()
        if self._raising is not None and self._raising.is_current and not self._mine:
            self._raising.dismiss(None)
            self.notify("Too late: it is not your turn any more.", severity="warning")
        self._show()

    def _show(self) -> None:
        for box in self._boxes:
            box.show(self.table)
        self._board.show(self.table)
        self._tick()

    def _tick(self) -> None:
        turn = self._turn
        countdown, options = self._countdown, self._choices
        countdown.set_class(self._mine, "mine")
        if turn is None:
            countdown.show("", TimeLeft(seconds=None, share=1.0))
            options.update(self._idle_text())
            return
        name = next((seat.name for seat in self.table.seats if seat.seat == turn.seat), "?")
        left = time_left(turn, self.app.room_time_ms())
        whose = "Your turn" if self._mine else f"{name} is to act"
        bank = " of the time bank" if turn.in_time_bank else ""
        countdown.show(whose if left.seconds is None else f"{whose}  {left.seconds} s{bank}", left)
        options.update(self._options(turn) if self._mine else self._idle_text())

    def _idle_text(self) -> str:
        own = self._own
        if own is None:
            return "You look on. S: sit down"
        if own.stack == 0 and self.table.hand is None:
            return "You have no chips. U: top up"
        return "You sit out. S: sit in, posting what was missed" if own.status == "sitting_out" else ""

    def _options(self, turn: m.TurnView) -> str:
        call = "C check" if turn.check else f"C call {in_credits(turn.call_amount)}"
        found = raises(self.table)
        if found is None:
            return f"F fold   {call}"
        word = "bet" if found.bets else "raise to"
        span = in_credits(found.min_to)
        if found.max_to != found.min_to:
            span += f"-{in_credits(found.max_to)}"
        return f"F fold   {call}   R {word} {span}"

    # --- to decide -----------------------------------------------------------------------------------------------

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
        """Gives the hand up; where a check is free that is done instead, as nobody folds for nothing."""
        if self._turn is not None and self._mine:
            self._act("check" if self._turn.check else "fold")

    def action_check_or_call(self) -> None:
        """Stays in as cheaply as can be."""
        if self._turn is not None and self._mine:
            self._act("check" if self._turn.check else "call")

    def action_raise(self) -> None:
        """Asks how much, then bets or raises to it."""
        found = raises(self.table) if self._mine else None
        if found is None:
            if self._mine:
                self.notify("You may not raise here.", severity="warning")
            return
        word: Action = "bet" if found.bets else "raise"
        if found.min_to == found.max_to:
            self._act(word, found.max_to)
            return
        question = AmountQuestion(
            title=f"How much do you {word}{'' if found.bets else ' to'}?",
            low=found.min_to,
            high=found.max_to,
            proposed=found.min_to,
            step=self.table.info.big_blind,
            presets={
                "h": ("half pot", found.half_pot_to),
                "p": ("pot", found.pot_to),
                "a": ("all-in" if self._all_in(found.max_to) else "most", found.max_to),
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
            return  # it is on its way already
        self._sent = hand.hand_id, turn.seq
        self._send_act(
            m.Act(
                id=0, table=self.table.table, hand_id=hand.hand_id, seq=turn.seq, action=action, amount=amount
            )
        )

    @work
    async def _send_act(self, act: m.Act) -> None:
        if await self.app.asked(act, m.Ok) is None and self._sent == (act.hand_id, act.seq):
            self._sent = None  # refused: it is still to be decided

    # --- the seat ------------------------------------------------------------------------------------------------

    @work
    async def action_sit(self) -> None:
        """Sits down with a buy-in; who sits out is dealt in again."""
        name, info = self.table.table, self.table.info
        if self.table.your_seat is not None:
            if await self.app.asked(m.SitIn(id=0, table=name, post=True), m.Ok) is not None:
                self.notify("You are dealt in again.")
            return
        account = await self.app.asked(m.GetAccount(id=0), m.Account)
        if account is None:
            return
        self.app.buy_in(info, account.balance)

    @work
    async def action_sit_out(self) -> None:
        """Is dealt out from the next hand on."""
        if await self.app.asked(m.SitOut(id=0, table=self.table.table), m.Ok) is not None:
            self.notify("You sit out after this hand. S: sit in")

    @work
    async def action_top_up(self) -> None:
        """Buys chips, as many as the table allows."""
        info, own = self.table.info, self._own
        account = await self.app.asked(m.GetAccount(id=0), m.Account)
        if own is None or account is None:
            return
        most = min(info.max_buy_in - own.stack - own.bet, account.balance)
        if most <= 0:
            self.notify("You have as much as the table, or your wallet, allows.", severity="warning")
            return

        def answered(answer: AmountAnswer | None) -> None:
            if answer is not None:
                self._top_up(answer.amount)

        question = AmountQuestion(
            title="How much do you buy?", low=1, high=most, proposed=most, step=info.big_blind
        )
        self.app.push_screen(AmountDialog(question), answered)

    @work
    async def _top_up(self, amount: int) -> None:
        if await self.app.asked(m.TopUp(id=0, table=self.table.table, amount=amount), m.Ok) is not None:
            self.notify(f"{in_credits(amount)} are bought; in a hand they play from the next.")

    @work
    async def action_stand_up(self) -> None:
        """Gives the seat up; in a hand, when it ends."""
        if await self.app.asked(m.StandUp(id=0, table=self.table.table), m.Ok) is not None:
            self.notify("You stand up; your chips go to your wallet.")

    # --- the rest ------------------------------------------------------------------------------------------------

    def action_talk(self) -> None:
        """Opens the line to talk in."""
        talk = self._talk
        talk.display, talk.disabled = True, False
        talk.focus()

    @on(Input.Submitted, "#talk")
    def _said(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        self._silence()
        if text:
            self._say(text)

    @work
    async def _say(self, text: str) -> None:
        await self.app.asked(m.Chat(id=0, table=self.table.table, text=text), m.Ok)

    def _silence(self) -> None:
        talk = self._talk
        talk.value = ""
        talk.display, talk.disabled = False, True  # disabled, or it would get the focus back after a question
        self.set_focus(None)

    def action_back(self) -> None:
        """To the lobby; a seat is kept, and the table goes on here."""
        if self._talk.display:
            self._silence()
        else:
            self.app.leave_table(self)
