"""One table of hold'em in a terminal: seats, board, log, and the keys that decide."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import ClassVar, Final, Literal

from rich.markup import escape
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Button, Footer, Input, RichLog, Static

from pokerroom.terminal.line import Line
from pokerroom.terminal.words import cards, deed_of, felt, money, parse_money, pot, told
from pokerroom_protocol import ConnectionEnded, Refused
from pokerroom_protocol import messages as m
from pokerroom_protocol.client import Unasked

TICK_S: Final = 0.5


class TableScreen(Screen[None]):
    """See the module."""

    AUTO_FOCUS = ""  # keys play until somebody goes to a field
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "fold", "Fold"),
        Binding("c", "call", "Check/Call"),
        Binding("r", "bet", "Bet/Raise"),
        Binding("1", "size('min')", "Min"),
        Binding("2", "size('half')", "½ pot"),
        Binding("3", "size('pot')", "Pot"),
        Binding("a", "size('max')", "All-in"),
        Binding("s", "sit", "Sit down/out/in"),
        Binding("t", "top_up", "Top up"),
        Binding("x", "leave", "Leave seat"),
        Binding("slash", "say", "Chat"),
        Binding("escape", "back", "Lobby"),
    ]

    def __init__(self, line: Line, table: str) -> None:
        super().__init__()
        self._line = line
        self._table = table
        self._deeds: dict[int, str] = {}
        self._decision: tuple[str, int] | None = None

    def compose(self) -> ComposeResult:
        """Called by Textual."""
        with Horizontal():
            with Vertical(id="play"):
                yield Static(id="head")
                yield Static(id="board")
                yield Static(id="felt")
                yield Static(id="ask")
                with Horizontal(id="dock"):
                    yield Button("Fold", id="fold")
                    yield Button("Call", id="call", variant="success")
                    yield Input(id="amount", placeholder="amount")
                    yield Button("Raise", id="bet", variant="warning")
            with Vertical(id="talk"):
                yield RichLog(id="log", wrap=True, markup=True, max_lines=400)
                yield Input(id="say", placeholder="say something", max_length=200)
        yield Footer()

    async def on_mount(self) -> None:
        """Called by Textual."""
        self.query_one("#log").can_focus = False
        self.set_interval(TICK_S, self.show)
        await self._asked(self._line.observe(self._table))
        self.show()

    # --- what is seen -----------------------------------------------------------------------------------------

    @property
    def _snapshot(self) -> m.Snapshot | None:
        return self._line.table(self._table)

    def heard(self, event: Unasked | None) -> None:
        """Something has happened in the room; perhaps here."""
        if event is not None and getattr(event, "table", None) == self._table and self.query("#log"):
            self._remember(event)
        self.show()

    def _remember(self, event: Unasked) -> None:
        table = self._snapshot
        names = {} if table is None else {seat.seat: seat.name for seat in table.seats}
        if isinstance(event, m.HandStarted | m.StreetDealt):
            self._deeds.clear()
        elif isinstance(event, m.Acted):
            self._deeds[event.seat] = deed_of(event)
        elif isinstance(event, m.SeatOffered):
            self._note(f"seat {event.seat} is held for you: press s to sit down")
        text = told(event, names)
        if text is not None:
            self.query_one("#log", RichLog).write(text)

    def show(self) -> None:
        """Writes everything anew; called whenever something has changed, and for the clock."""
        table = self._snapshot
        if table is None or not self.query("#head"):
            return  # not seen yet, or not any more
        info, hand = table.info, table.hand
        stakes = f"{money(info.small_bet or info.small_blind)}/{money(info.big_bet or info.big_blind)}"
        line = "" if self._line.online else "  [bold red]the line is lost, coming back …[/bold red]"
        self.query_one("#head", Static).update(
            f"[b]{escape(info.name)}[/b]  {stakes} {info.structure.replace('_', '-')}"
            f"   wallet {money(self._line.balance)}{line}"
        )
        board = Text("board ") if hand is None or not hand.board else Text("board ").append(cards(hand.board))
        self.query_one("#board", Static).update(board.append(f"   pot {money(pot(table))}"))
        self.query_one("#felt", Static).update(felt(table, self._deeds, self._seconds(hand)))
        self._show_dock(table)

    def _seconds(self, hand: m.HandView | None) -> int | None:
        """Of the visible countdown; None before it begins."""
        if hand is None or hand.turn is None:
            return None
        now = self._line.server_now_ms()
        return max(0, int((hand.turn.deadline_ms - now) / 1000)) if now >= hand.turn.countdown_ms else None

    @property
    def _turn(self) -> m.TurnView | None:
        table = self._snapshot
        turn = None if table is None or table.hand is None else table.hand.turn
        return turn if table is not None and turn is not None and turn.seat == table.your_seat else None

    def _show_dock(self, table: m.Snapshot) -> None:
        turn = self._turn
        if turn is None and self.focused is not None and self.focused.parent is self.query_one("#dock"):
            self.set_focus(None)  # else it would go on to the chat, and keys would be letters
        self.query_one("#dock").display = turn is not None
        self.query_one("#ask", Static).update(self._question(table, turn))
        if turn is None or table.hand is None:
            return
        self.query_one("#fold", Button).disabled = turn.check
        self.query_one("#call", Button).label = "Check" if turn.check else f"Call {money(turn.call_amount)}"
        amount = self.query_one("#amount", Input)
        bet = self.query_one("#bet", Button)
        amount.disabled = bet.disabled = turn.max_raise_to is None
        decision = table.hand.hand_id, turn.call_amount + (turn.min_raise_to or 0)
        if decision != self._decision and turn.min_raise_to is not None:
            self._decision = decision
            amount.value = money(turn.min_raise_to)

    def _question(self, table: m.Snapshot, turn: m.TurnView | None) -> str:
        if turn is not None:
            asked = "check" if turn.check else f"call {money(turn.call_amount)}"
            if turn.max_raise_to is not None and turn.min_raise_to is not None:
                asked += f", raise to {money(turn.min_raise_to)} up to {money(turn.max_raise_to)}"
            return f"[b yellow]your turn[/b yellow]: {asked}"
        own = next((seat for seat in table.seats if seat.seat == table.your_seat), None)
        if own is None:
            return "you are watching: s sits down"
        if own.status == "sitting_out":
            return "you sit out: s comes back" if own.stack else "you have no chips: t tops up"
        return "[dim]waiting …[/dim]"

    # --- what is done -----------------------------------------------------------------------------------------

    def _note(self, text: str) -> None:
        self.query_one("#log", RichLog).write(f"[yellow]{text}[/yellow]")

    async def _asked(self, wish: Awaitable[object]) -> None:
        """Waits for a wish; a refusal is told and changes nothing."""
        try:
            await wish
        except Refused as refused:
            self._note(refused.error.message)
        except ConnectionEnded:
            self._note("the line was lost before the room answered")
        self.show()

    async def _act(
        self, action: Literal["fold", "check", "call", "raise"], amount: int | None = None
    ) -> None:
        table, turn = self._snapshot, self._turn
        if table is None or table.hand is None or turn is None:
            return
        act = m.Act(
            id=0,
            table=self._table,
            hand_id=table.hand.hand_id,
            seq=turn.seq,
            action=action,
            amount=amount,
        )
        await self._asked(self._line.request(act, m.Ok))

    async def action_fold(self) -> None:
        """Folds; where that is free it checks."""
        turn = self._turn
        if turn is not None:
            await self._act("check" if turn.check else "fold")

    async def action_call(self) -> None:
        """Checks or calls."""
        turn = self._turn
        if turn is not None:
            await self._act("check" if turn.check else "call")

    async def action_bet(self) -> None:
        """Bets or raises to the amount in the field."""
        turn = self._turn
        if turn is None or turn.max_raise_to is None:
            return
        amount = parse_money(self.query_one("#amount", Input).value.replace(",", ""))
        if amount is None:
            self._note("that is no amount")
            return
        await self._act("raise", amount)

    def action_size(self, size: str) -> None:
        """Puts a size into the field: it is bet with r."""
        table, turn = self._snapshot, self._turn
        if table is None or turn is None or turn.max_raise_to is None or turn.min_raise_to is None:
            return
        own = sum(seat.bet for seat in table.seats if seat.seat == turn.seat)
        called = pot(table) + turn.call_amount
        wanted = {
            "min": turn.min_raise_to,
            "half": own + turn.call_amount + called // 2,
            "pot": own + turn.call_amount + called,
            "max": turn.max_raise_to,
        }[size]
        self.query_one("#amount", Input).value = money(max(turn.min_raise_to, min(wanted, turn.max_raise_to)))

    async def action_sit(self) -> None:
        """Takes a seat with as much as the table allows, sits out, or comes back."""
        table = self._snapshot
        if table is None:
            return
        own = next((seat for seat in table.seats if seat.seat == table.your_seat), None)
        wish: m.ClientMessage
        if own is None:
            buy_in = max(table.info.min_buy_in, min(table.info.max_buy_in, self._line.balance))
            wish = m.SitDown(id=0, table=self._table, buy_in=buy_in, post=True)
            await self._asked(self._line.request(wish, m.Snapshot))
            await self._asked(self._line.look_at_wallet())
            return
        wish = m.SitIn(id=0, table=self._table, post=True)
        if own.status != "sitting_out":
            wish = m.SitOut(id=0, table=self._table)
        await self._asked(self._line.request(wish, m.Ok))

    async def action_top_up(self) -> None:
        """Buys chips up to the most that the table allows."""
        table = self._snapshot
        own = (
            None
            if table is None
            else next((seat for seat in table.seats if seat.seat == table.your_seat), None)
        )
        if table is None or own is None:
            return
        amount = min(table.info.max_buy_in - own.stack - own.bet, self._line.balance)
        if amount <= 0:
            self._note("there is nothing to add")
            return
        await self._asked(self._line.request(m.TopUp(id=0, table=self._table, amount=amount), m.Ok))
        await self._asked(self._line.look_at_wallet())

    async def action_leave(self) -> None:
        """Gives the seat up; in a hand when it is over."""
        await self._asked(self._line.request(m.StandUp(id=0, table=self._table), m.Ok))

    def action_say(self) -> None:
        """To the line for the chat."""
        self.query_one("#say", Input).focus()

    def action_back(self) -> None:
        """From a field to the keys, else to the lobby."""
        if isinstance(self.focused, Input):
            self.set_focus(None)
        else:
            self.app.pop_screen()

    async def on_button_pressed(self, event: Button.Pressed) -> None:
        """Called by Textual."""
        await self.run_action(str(event.button.id))

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Called by Textual."""
        if event.input.id == "amount":
            await self.action_bet()
        elif event.value.strip():
            text = event.value.strip()
            event.input.value = ""
            await self._asked(self._line.request(m.Chat(id=0, table=self._table, text=text), m.Ok))
        self.set_focus(None)
