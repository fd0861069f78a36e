"""Sitting down, topping up, sitting out and leaving at one cash table, with the ledger's consent.

Money moves between wallet and stack only here (a hand moves it between stacks). A wish that is at the ledger keeps
its seat busy until the outcome is known. Runs inside the table's mailbox; knows no cards.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall
from twisted.python.failure import Failure

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerRefusal, SeatRow
from pokerroom.ledger.retry import until_known
from pokerroom.rules.button import Owes
from pokerroom.table import views
from pokerroom.table.outbox import Viewer
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.seats import Seat, Seats, SeatState
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

if TYPE_CHECKING:  # the table makes its chairs
    from pokerroom.table.actor import Table


class Chairs:
    """The seats of `table` and what their holders wish."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._settings = table.settings
        self._world = table.world
        self.seats = Seats(table.settings.seats_max)
        self._sat_in_order: list[int] = []
        self._away: dict[int, IDelayedCall] = {}

    # --- questions --------------------------------------------------------------------------------------------------

    def first_sitter(self) -> int | None:
        """The seat of whoever sat down first and is still here: he gets the first button (B1)."""
        playing = {candidate.seat for candidate in self.seats.candidates()}
        held = (self.seats.of(account) for account in self._sat_in_order)
        return next((seat.number for seat in held if seat is not None and seat.number in playing), None)

    def held_by(self, account: int | None) -> Seat | None:
        """The seat of an account once its buy-in is booked; nobody is told of one that is only reserved."""
        seat = self.seats.of(account)
        return None if seat is None or seat.state is SeatState.RESERVED else seat

    def at_the_ledger(self) -> bool:
        """Whether any wish is not answered yet."""
        return any(seat.busy for seat in self.seats)

    # --- wishes -----------------------------------------------------------------------------------------------------

    def sit_down(self, viewer: Viewer, message: wire.SitDown) -> None:
        """Reserves a seat and buys in."""
        number = self._free_seat(viewer, message)
        if isinstance(number, Code):
            self._table.refuse(viewer, message, number)
            return
        account = viewer.account
        assert account is not None  # a session passes seat messages only when it is logged in
        if not self._world.seating.claim(account, self._settings.table):
            self._table.refuse(viewer, message, Code.TOO_MANY_TABLES)
            return
        seat = Seat(
            number=number,
            account=account,
            name=viewer.name,
            stack=message.buy_in,
            state=SeatState.RESERVED,
            posts_now=message.post,
            busy=True,
        )
        self.seats.add(seat)
        key = self._key("buyin")
        self._ask_ledger(
            lambda: self._world.ledger.buy_in(
                key, self._settings.table, number, account, Money(message.buy_in)
            ),
            done=lambda _: self._sat_down(viewer, message, seat),
            refused=lambda code: self._not_sat_down(viewer, message, seat, code),
        )

    def _free_seat(self, viewer: Viewer, message: wire.SitDown) -> int | Code:
        settings = self._settings
        wished = message.seat
        if self._table.hands.draining:
            return Code.TABLE_CLOSING
        if self.seats.of(viewer.account) is not None:
            return Code.ALREADY_SEATED
        if wished is not None and wished > settings.seats_max:
            return Code.NO_SUCH_SEAT
        if message.buy_in < settings.min_buy_in:
            return Code.BUY_IN_TOO_SMALL
        if message.buy_in > settings.max_buy_in:
            return Code.BUY_IN_TOO_LARGE
        if wished is not None and self.seats.get(wished) is not None:
            return Code.SEAT_TAKEN
        number = wished or self.seats.first_free()
        return Code.TABLE_FULL if number is None else number

    def _sat_down(self, viewer: Viewer, message: wire.SitDown, seat: Seat) -> None:
        seat.state = SeatState.PLAYING
        self._sat_in_order.append(seat.account)
        self._tell_taken(seat)
        if viewer.account == seat.account:
            self._table.send_snapshot(viewer, message.id)
        here = viewer.connected and viewer.account == seat.account
        if not here and not self._table.is_connected(seat.account):
            self.went_away(seat)
        self._table.hands.consider_dealing()

    def _not_sat_down(self, viewer: Viewer, message: wire.SitDown, seat: Seat, code: Code) -> None:
        self.seats.remove(seat)
        self._world.seating.freed(seat.account, self._settings.table)
        self._table.refuse(viewer, message, code)

    def top_up(self, viewer: Viewer, message: wire.TopUp) -> None:
        """Buys more chips; those bought during a hand play from the next one on (A3)."""
        seat = self._own_seat(viewer, message)
        if seat is None:
            return
        if seat.busy:
            self._table.refuse(viewer, message, Code.REQUEST_PENDING)
            return
        if message.amount == 0:
            self._table.refuse(viewer, message, Code.BUY_IN_TOO_SMALL)
            return
        if self._table.hands.chips_of(seat) + message.amount > self._settings.max_buy_in:
            self._table.refuse(viewer, message, Code.BUY_IN_TOO_LARGE)
            return
        seat.busy = True
        key = self._key("topup")
        amount = Money(message.amount)
        self._ask_ledger(
            lambda: self._world.ledger.top_up(key, self._settings.table, seat.account, amount),
            done=lambda _: self._topped_up(viewer, message, seat),
            refused=lambda code: self._not_topped_up(viewer, message, seat, code),
        )

    def _topped_up(self, viewer: Viewer, message: wire.TopUp, seat: Seat) -> None:
        seat.busy = False
        if self._table.hands.in_hand(seat):
            seat.topped_up += message.amount
        else:
            seat.stack += message.amount
            self._return_to_play(seat)
        self._told_with_ok(viewer, message, seat)
        if seat.state is SeatState.LEAVING:
            self._leave_between_hands(seat)
        self._table.hands.consider_dealing()

    def _not_topped_up(self, viewer: Viewer, message: wire.TopUp, seat: Seat, code: Code) -> None:
        seat.busy = False
        self._table.refuse(viewer, message, code)
        if seat.state is SeatState.LEAVING:
            self._leave_between_hands(seat)

    def sit_out(self, viewer: Viewer, message: wire.SitOut) -> None:
        """From the next hand on."""
        seat = self._own_seat(viewer, message)
        if seat is None:
            return
        if seat.state is not SeatState.PLAYING:
            self._table.refuse(viewer, message, Code.NOT_PLAYING)
            return
        seat.state = SeatState.SITTING_OUT
        seat.returns_playing = False
        self._told_with_ok(viewer, message, seat)

    def sit_in(self, viewer: Viewer, message: wire.SitIn) -> None:
        """From the next hand on, with what is owed (B7, B8)."""
        seat = self._own_seat(viewer, message)
        if seat is None:
            return
        if seat.state is not SeatState.SITTING_OUT:
            self._table.refuse(viewer, message, Code.ALREADY_PLAYING)
            return
        if self._table.hands.stack_of(seat) + seat.topped_up == 0:
            self._table.refuse(viewer, message, Code.NO_CHIPS)
            return
        seat.state = SeatState.PLAYING
        seat.posts_now = message.post
        seat.timeouts_in_row = 0
        self._told_with_ok(viewer, message, seat)
        self._table.hands.consider_dealing()

    def stand_up(self, viewer: Viewer, message: wire.StandUp) -> None:
        """Leaves: at once between hands, else after the hand, which is folded at his turn."""
        seat = self._own_seat(viewer, message)
        if seat is None:
            return
        seat.state = SeatState.LEAVING
        self._told_with_ok(viewer, message, seat)
        self._table.hands.fold_if_to_act(seat)
        self._leave_between_hands(seat)

    # --- presence ---------------------------------------------------------------------------------------------------

    def restore(self, rows: list[SeatRow]) -> None:
        """Seats held when the room last stopped: their holders have `away_limit_s` to come back, and then sit in.

        They are not dealt in before they say so: what they had wished is not known any more.
        """
        for row in rows:
            seat = Seat(
                number=row.seat,
                account=row.account,
                name=row.name,
                stack=row.stack,
                state=SeatState.SITTING_OUT,
                owes=Owes.nothing,
                gone_since_ms=self._world.now_ms(),
            )
            self.seats.add(seat)
            self._sat_in_order.append(seat.account)
            self._expect_back(seat)

    def went_away(self, seat: Seat) -> None:
        """His last connection is lost. His clock runs on; his seat is kept for `away_limit_s`."""
        seat.gone_since_ms = self._world.now_ms()
        self.changed(seat)
        self._expect_back(seat)

    def came_back(self, seat: Seat) -> None:
        """He watches his table again."""
        seat.gone_since_ms = None
        seat.overdue = False
        self._stop_expecting(seat)
        self._return_to_play(seat)
        self.changed(seat)
        if self._table.hands.chips_of(seat) == 0:
            self._expect_back(seat)
        self._table.hands.consider_dealing()

    def add_top_ups(self) -> None:
        """After a hand: what was bought during it is behind the player now (A3)."""
        for seat in self.seats:
            if seat.topped_up:
                seat.stack += seat.topped_up
                seat.topped_up = 0
                self.changed(seat)

    def settle_debts(self) -> None:
        """After a hand: those who leave are cashed out, those without chips sit out until they top up.

        Who has no chips keeps the seat for `away_limit_s` only.
        """
        for seat in list(self.seats):
            if seat.state is SeatState.LEAVING:
                self._leave_between_hands(seat)
            elif seat.overdue:
                seat.overdue = False
                self._away_too_long(seat)
            elif seat.state is SeatState.PLAYING and seat.stack == 0:
                seat.state = SeatState.SITTING_OUT
                seat.returns_playing = True
                self.changed(seat)
                self._expect_back(seat)
            elif seat.stack == 0 and seat.account not in self._away and not seat.busy:
                self._expect_back(seat)

    def changed(self, seat: Seat) -> None:
        """Tells everybody how the seat stands; its stack not before the ledger has the hand that made it so."""
        self._table.hands.when_settled(partial(self._tell_changed, seat))

    def stop(self) -> None:
        """Cancels the timers."""
        for timer in self._away.values():
            timer.cancel()
        self._away.clear()

    # --- inside -----------------------------------------------------------------------------------------------------

    def _own_seat(self, viewer: Viewer, message: wire.Request) -> Seat | None:
        seat = self.seats.of(viewer.account)
        if seat is not None and seat.state is SeatState.RESERVED:
            self._table.refuse(viewer, message, Code.REQUEST_PENDING)
            return None
        if seat is None:
            self._table.refuse(viewer, message, Code.NOT_SEATED)
            return None
        if seat.state is SeatState.LEAVING:
            self._table.refuse(viewer, message, Code.LEAVING)
            return None
        return seat

    def _told_with_ok(self, viewer: Viewer, message: wire.Request, seat: Seat) -> None:
        self._table.tell(answers=[(viewer, Outgoing(wire.Ok(re=message.id)))])
        self.changed(seat)

    def _tell_changed(self, seat: Seat) -> None:
        event = wire.SeatChanged(
            table=self._settings.table,
            seq=self._table.next_seq(),
            seat=seat.number,
            stack=self._table.hands.stack_of(seat),
            status=seat.status(),
            connected=seat.connected,
            gone_since_ms=seat.gone_since_ms,
        )
        self._table.tell(views.public(event))

    def _tell_taken(self, seat: Seat) -> None:
        taken = wire.SeatTaken(
            table=self._settings.table,
            seq=self._table.next_seq(),
            seat=seat.number,
            name=seat.name,
            stack=seat.stack,
            status=seat.status(),
        )
        seat.busy = False
        self._table.tell(views.public(taken))

    def _return_to_play(self, seat: Seat) -> None:
        if seat.returns_playing and seat.connected and seat.stack > 0 and seat.state is SeatState.SITTING_OUT:
            seat.returns_playing = False
            seat.state = SeatState.PLAYING
            self._stop_expecting(seat)

    def _expect_back(self, seat: Seat) -> None:
        self._stop_expecting(seat)
        self._away[seat.account] = self._world.clock.callLater(
            self._settings.away_limit_s, self._table.mailbox.post, self._away_too_long, seat
        )

    def _stop_expecting(self, seat: Seat) -> None:
        timer = self._away.pop(seat.account, None)
        if timer is not None and timer.active():
            timer.cancel()

    def _away_too_long(self, seat: Seat) -> None:
        """H6: who is away for the table's limit, or has had no chips for so long, loses the seat after his hand.

        A house choice [D]: he need not have been sat out first, so that nobody keeps a seat at an idle table.
        """
        self._away.pop(seat.account, None)
        if self.seats.of(seat.account) is not seat or seat.state is SeatState.LEAVING:
            return
        if seat.connected and self._table.hands.chips_of(seat) > 0:
            return
        if self._table.hands.in_hand(seat):
            seat.overdue = True  # his chips are in the pot: what the clock decides for him counts (H2)
            return
        seat.state = SeatState.LEAVING
        self.changed(seat)
        self._leave_between_hands(seat)

    def _leave_between_hands(self, seat: Seat) -> None:
        if seat.busy or self._table.hands.in_hand(seat):
            return  # comes again when the ledger answers, or when the hand is settled
        seat.busy = True
        key = self._key("cashout")
        self._ask_ledger(
            lambda: self._world.ledger.cash_out(key, self._settings.table, seat.account),
            done=lambda _: self._left(seat),
            refused=self._fault_of_ours,
        )

    def _left(self, seat: Seat) -> None:
        self._stop_expecting(seat)
        self.seats.remove(seat)
        self._sat_in_order.remove(seat.account)
        self._world.seating.freed(seat.account, self._settings.table)
        self._table.hands.forget(seat.account)
        left = wire.SeatLeft(
            table=self._settings.table, seq=self._table.next_seq(), seat=seat.number, name=seat.name
        )
        self._table.tell(views.public(left))

    def _fault_of_ours(self, code: Code) -> None:
        raise AssertionError(f"the ledger does not know a seat of this table: {code}")

    def _key(self, kind: str) -> str:
        return f"{kind}:{self._world.random_bytes(16).hex()}"

    def _ask_ledger(
        self,
        attempt: Callable[[], Deferred[Any]],
        done: Callable[[Any], None],
        refused: Callable[[Code], None],
    ) -> None:
        """Asks until the outcome is known, then goes on inside the mailbox."""

        def failed(failure: Failure) -> None:
            if isinstance(failure.value, LedgerRefusal):
                refused(Code(failure.value.code))
            else:
                failure.raiseException()

        def answered(then: Callable[[Any], None], result: object) -> None:
            then(result)
            self._table.hands.consider_drained()

        post = self._table.mailbox.post
        until_known(self._world.clock, attempt).addCallbacks(
            lambda result: post(answered, done, result), lambda failure: post(answered, failed, failure)
        )
