"""The screen of one table of Ultimate Texas Hold'em: bets before the deal, decisions after it, results."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import ClassVar, Literal

from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content

from pokerroom.terminal.dialogs import AmountAnswer, AmountDialog, AmountQuestion, TextDialog
from pokerroom.terminal.game_screen import SHARED_KEYS, GameScreen
from pokerroom.terminal.ports import TableScreenPort
from pokerroom.terminal.texts import t
from pokerroom.terminal.ultimate_widgets import (
    COMMON_BOXES,
    BankAndBoard,
    UltimateBox,
    UltimateDisplay,
    betting_left,
)
from pokerroom.terminal.ultimate_words import boxes_of, choices, headline, pay_tables, round_line, slip_text
from pokerroom.terminal.widgets import places
from pokerroom_protocol import messages as m

Bet = Literal["ante", "trips", "progressive"]
Change = Literal["double", "repeat", "undo", "undo_all"]
Decision = Literal["check", "play", "fold"]

BETTING = {"ante", "trips", "progressive", "double", "repeat", "undo", "deal"}
"""Keys that are offered while bets are taken."""


class UltimateScreen(GameScreen):
    """See the module."""

    STANDS_UP: ClassVar = "uth.stands_up"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "ante", "key.ante"),
        Binding("i", "trips", "key.trips"),
        Binding("p", "progressive", "key.progressive"),
        Binding("d", "double", "key.double"),
        Binding("e", "repeat", "key.repeat"),
        Binding("u", "undo", "key.undo"),
        Binding("n", "deal", "key.deal"),
        Binding("4", "play(4)", "key.play"),
        Binding("3", "play(3)", "key.play"),
        Binding("2", "play(2)", "key.play"),
        Binding("1", "play(1)", "key.play"),
        Binding("c", "check", "key.check"),
        Binding("f", "fold", "key.fold"),
        Binding("s", "take_place", "key.take_place"),
        Binding("y", "pay_tables", "key.pay_tables"),
        *SHARED_KEYS,
    ]

    def __init__(self, port: TableScreenPort, table: m.UltimateSnapshot) -> None:
        self._bank = BankAndBoard(id="board")
        super().__init__(port, table.table, self._bank)
        self.table = table
        """The latest state of the table."""
        self.slip = table.your_slip
        """Your bets of the next round, as the room told them last."""
        self.ended: m.RoundEnded | None = None
        """The last result, until bets or cards follow."""
        self._board = list(table.round.board) if table.round else []
        self._sent: tuple[str, int] | None = None
        """The round and the seq of the decision that was sent."""
        self._deals = False
        """Whether the player asked to deal, and waits for the others."""
        self._had_bets = False
        """Whether the player had bets in the last round."""
        self._boxes: list[UltimateBox] = []
        # `table` may be ahead of the event that is taken: players of a batch of events may have left already.
        self._names: dict[int, str] = {}
        self._remember(table)

    @property
    def is_seated(self) -> bool:
        """See `GameScreen`."""
        return self.table.your_box is not None

    @property
    def view(self) -> UltimateDisplay:
        """What is shown."""
        return UltimateDisplay(table=self.table, slip=self.slip, ended=self.ended, board=self._board)

    # --- display -------------------------------------------------------------------------------------------------

    async def arrange_seats(self) -> None:
        """See `GameScreen`: your own box is at the bottom in the middle."""
        rows = places(self.table.info.boxes or COMMON_BOXES, None)
        upper, lower = ([UltimateBox(number - 1) for number in row] for row in rows)
        self._boxes = [*upper, *lower]
        await self.mount_seats(upper, lower)

    async def take(self, happened: m.Answer | m.Event, table: m.UltimateSnapshot) -> None:
        """Take an event or a snapshot, and the state of the table after it."""
        self.table = table
        self._remember(table)
        match happened:
            case m.UltimateSnapshot():
                self._restart(happened)
            case m.RoundStarted():
                self._names |= boxes_of(happened.boxes)
                self.slip, self.ended, self._board, self._deals = None, None, [], False
            case m.BoardDealt():
                self._board += happened.cards
            case m.RoundEnded():
                self.ended = happened
                self._names |= boxes_of(happened.boxes)
                self._had_bets = any(box.box == table.your_box for box in happened.boxes)
                self._ask_for_wallet()
            case _:
                pass  # the table has it all
        if not self._drawn:
            return
        line = round_line(happened, self._names) if isinstance(happened, m.Event) else None
        if line is not None:
            self._log.write(line)
        self.show_table()

    def _restart(self, snapshot: m.UltimateSnapshot) -> None:
        """Begin from a snapshot: after a lost connection, or with a place."""
        self.slip, self._sent, self._deals = snapshot.your_slip, None, False
        if snapshot.round is not None or (self.slip and self.slip.bets):
            self.ended = None
        if self.ended is None:
            self._board = list(snapshot.round.board) if snapshot.round else []

    def _remember(self, table: m.UltimateSnapshot) -> None:
        self._names |= boxes_of(table.places)
        if table.round is not None:
            self._names |= boxes_of(table.round.boxes)

    @work
    async def _ask_for_wallet(self) -> None:
        """Ask for the wallet where there are no bets: the room tells it with bets only."""
        account = await self._port.asked(m.GetAccount(id=0), m.Account, quietly=True)
        if account is not None and self.slip is None and self.table.round is None:
            self.slip = m.SlipView(bets=[], total=0, balance=account.balance, can_repeat=self._had_bets)
            self.show_table()

    def show_table(self) -> None:
        """See `GameScreen`."""
        view = self.view
        for box in self._boxes:
            box.show(view)
        self._bank.show(view)
        self.refresh_bindings()
        self.tick()

    def tick(self) -> None:
        """See `GameScreen`."""
        self._headline.update(Content(headline(self.table)))
        left = betting_left(self.table, self._port.room_time_ms())
        title, mine = self._title(), self.view.is_asked
        self._countdown.set_class(mine, "mine")
        self._countdown.show(title if left.seconds is None else f"{title}  {left.seconds} s", left)
        self._choices.update(Content(self._idle_text()))

    def _title(self) -> str:
        if self.table.round is None:
            return "" if self.ended is None and self._takes_bets else t(f"uth_light.{self.table.light.light}")
        if self.table.round.decisions is None:
            return ""
        return t("table.your_turn" if self.view.is_asked else "uth.others_decide")

    def _idle_text(self) -> str:
        current, own = self.table.round, self.table.your_box
        if own is None:
            return t("uth.watching")
        if current is not None:
            ante = next((box.ante for box in current.boxes if box.box == own), 0)
            asked = current.decisions if self.view.is_asked else None
            return "" if asked is None else choices(asked, ante)
        if not self._takes_bets:
            return t("uth.next")
        if self._deals:
            return t("uth.dealing")
        return slip_text(self.slip, own)

    @property
    def _takes_bets(self) -> bool:
        return self.table.round is None and self.table.light.light != "red"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what can be done now."""
        slip, current = self.slip, self.table.round
        if action in BETTING:
            if not self.is_seated or not self._takes_bets:
                return False
            has_bets = slip is not None and any(bet.box == self.table.your_box for bet in slip.bets)
            return {
                "trips": has_bets and self.table.info.trips_min is not None,
                "progressive": has_bets and self.table.info.progressive is not None,
                "deal": has_bets,
                "double": slip is not None and slip.can_double,
                "repeat": slip is not None and slip.can_repeat,
                "undo": slip is not None and slip.can_undo,
            }.get(action, True)
        if action in {"play", "check", "fold"}:
            decisions = None if current is None or not self.view.is_asked else current.decisions
            if decisions is None:
                return False
            legal = {"check": decisions.check, "fold": decisions.fold}
            return legal.get(action, bool(parameters) and parameters[0] in decisions.multiples)
        return {"take_place": not self.is_seated, "stand_up": self.is_seated}.get(action, True)

    # --- bets ----------------------------------------------------------------------------------------------------

    @property
    def _own(self) -> m.SlipBet | None:
        bets = [] if self.slip is None else self.slip.bets
        return next((bet for bet in bets if bet.box == self.table.your_box), None)

    def action_ante(self) -> None:
        """Ask for an amount, and add it to the Ante; the Blind of the same amount goes with it."""
        info, own = self.table.info, self._own
        self._ask_bet("ante", t("uth.ask_ante"), info.ante_min, info.ante_max, own.ante if own else 0)

    def action_trips(self) -> None:
        """Ask for an amount, and add it to Trips."""
        info, own = self.table.info, self._own
        if info.trips_min is not None and info.trips_max is not None:
            placed = own.trips if own else 0
            self._ask_bet("trips", t("uth.ask_trips"), info.trips_min, info.trips_max, placed)

    def action_progressive(self) -> None:
        """Place the progressive bet, which has one size."""
        if self.table.info.progressive is not None:
            self._place("progressive", self.table.info.progressive.stake)

    def _ask_bet(self, bet: Bet, title: str, low: int, high: int, placed: int) -> None:
        if placed >= high:
            self.notify(t("uth.at_maximum"), severity="warning")
            return
        least = 1 if placed else low
        question = AmountQuestion(
            title=title, low=least, high=high - placed, proposed=min(low, high - placed), step=low
        )

        def answered(answer: AmountAnswer | None) -> None:
            if answer is not None:
                self._place(bet, answer.amount)

        self.app.push_screen(AmountDialog(question), answered)

    def _place(self, bet: Bet, amount: int) -> None:
        self._change(lambda key: m.PlaceBet(id=0, table=self.table_id, bet=bet, amount=amount, key=key))

    def action_double(self) -> None:
        """Double all bets."""
        self._change_all("double")

    def action_repeat(self) -> None:
        """Repeat the bets of the last round."""
        self._change_all("repeat")

    def action_undo(self) -> None:
        """Undo the last change of the bets."""
        self._change_all("undo")

    def _change_all(self, change: Change) -> None:
        self._change(lambda key: m.ChangeBets(id=0, table=self.table_id, action=change, key=key))

    @work
    async def _change(self, message: Callable[[str], m.ClientMessage]) -> None:
        """Send a change of the bets with a new key: the client repeats it after a lost connection."""
        answer = await self._port.asked(message(secrets.token_hex(8)), m.Slip)
        if answer is not None and self.table.round is None:
            self.slip, self._deals = answer.slip, False
            if answer.slip.bets:
                self.ended = None
            self.show_table()

    @work
    async def action_deal(self) -> None:
        """Ask to deal before the betting time is over."""
        answer = await self._port.asked(m.DealNow(id=0, table=self.table_id), m.Ok)
        if answer is not None and self.table.round is None:
            self._deals = True
            self.show_table()

    # --- decisions -----------------------------------------------------------------------------------------------

    def action_play(self, multiple: int) -> None:
        """Place the Play of so many Antes."""
        self._decide("play", multiple)

    def action_check(self) -> None:
        """Check."""
        self._decide("check")

    def action_fold(self) -> None:
        """Fold, on the river."""
        self._decide("fold")

    def _decide(self, decision: Decision, multiple: int | None = None) -> None:
        current, box = self.table.round, self.table.your_box
        decisions = None if current is None else current.decisions
        if current is None or decisions is None or box is None or box not in decisions.boxes:
            return
        if self._sent == (current.round_id, decisions.seq):
            return  # already sent
        self._sent = current.round_id, decisions.seq
        self._send_decision(
            m.Decide(
                id=0,
                table=self.table_id,
                round_id=current.round_id,
                seq=decisions.seq,
                box=box,
                decision=decision,
                multiple=multiple,
            )
        )

    @work
    async def _send_decision(self, message: m.Decide) -> None:
        if await self._port.asked(message, m.Ok) is None and self._sent == (message.round_id, message.seq):
            self._sent = None  # refused: the decision is still pending

    # --- the rest ------------------------------------------------------------------------------------------------

    @work
    async def action_take_place(self) -> None:
        """Take any free place."""
        answer = await self._port.asked(m.TakePlace(id=0, table=self.table_id), m.UltimateSnapshot)
        if answer is not None:
            await self.take(answer, answer)
            self._ask_for_wallet()

    def action_pay_tables(self) -> None:
        """Show the pay tables."""
        self.app.push_screen(TextDialog(self.table.info.name, pay_tables(self.table.info), "y"))
