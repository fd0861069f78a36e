"""Money between wallets and one cash table: buy-in, top-up and cash-out, each booked by the ledger.

Money moves between wallet and stack only here (a hand moves it between stacks). A request at the ledger keeps its seat
busy until the outcome is known, however long that takes. Runs inside the table's mailbox; knows no cards.

If the table has restarted meanwhile, the answer changes nothing here: the new seats come from the ledger. Only the
client that asked still gets an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, Unpack

from pokerroom.chips import Money
from pokerroom.ledger.api import Facts
from pokerroom.ops.table_settings import TableSettings
from pokerroom.poker.cash.ports import SeatLife
from pokerroom.poker.cash.seat_reservations import SeatReservations
from pokerroom.poker.ports import HandPorts
from pokerroom.poker.seats import Seat, SeatState
from pokerroom.table.game import GamePorts
from pokerroom.table.ledger_requests import RefusalCallback, fault_of_ours
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.viewer import Viewer
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

_NO_MORE_CHIPS: Final = (
    Code.INSUFFICIENT_BALANCE,
    Code.WALLET_BUSY,
    Code.WALLET_REFUSED,
    Code.LIMIT_REACHED,
    Code.EXCLUDED,
    Code.ACCOUNT_LOCKED,
)


class BuyIns:
    """Requests of a cash table to the ledger between hands."""

    def __init__(
        self,
        settings: TableSettings,
        ports: GamePorts,
        hands: HandPorts,
        seats: SeatLife,
        reservations: SeatReservations,
    ) -> None:
        self._settings = settings
        self._announcer = ports.announcer
        self._snapshots = ports.snapshots
        self._table = ports.table
        self._context = ports.context
        self._directory = ports.context.seating
        self._ask = ports.requests.ask
        self._hands = hands
        self._seats = seats
        self._reservations = reservations

    # --- buying in --------------------------------------------------------------------------------------------------

    def sit_down(self, viewer: Viewer, message: wire.SitDown) -> None:
        """Reserve a seat, ask the ledger what the player last left with, and buy in."""
        account = viewer.account
        assert account is not None  # a session passes seat messages only when it is logged in
        number = self._seat_for(viewer, account, message)
        if isinstance(number, Code):
            self._announcer.refuse(viewer, message, number)
            return
        if self._reservations.of(account) is None and not self._directory.claim(
            account, self._settings.table
        ):
            self._announcer.refuse(viewer, message, Code.TOO_MANY_TABLES)
            return
        seat = Seat(
            number=number,
            account=account,
            name=viewer.name,
            stack=message.buy_in,
            state=SeatState.RESERVED,
            posts_now=message.post,
            time_bank_ms=self._settings.time_bank_s * 1000,
            address_group=viewer.address_group,
            busy=True,
        )
        self._seats.seats.add(seat)
        self._hands.journal.note()  # before the ledger books: so the journal's facts are of this sitting
        if self._settings.rathole_s == 0:
            self._buy_in(viewer, message, seat, left_with=None)
            return
        self._ask(
            partial(self._context.ledger.left_with, self._settings.table, account, self._settings.rathole_s),
            done=lambda left_with: self._buy_in(viewer, message, seat, left_with=left_with),
            refused=partial(self._not_sat_down, viewer, message, seat),
            late=lambda _: self._not_sat_down(viewer, message, seat, Code.UNAVAILABLE),
        )

    def _seat_for(self, viewer: Viewer, account: int, message: wire.SitDown) -> int | Code:
        if self._seats.seats.of(account) is not None:
            return Code.ALREADY_SEATED
        if self._seats.address_is_full(viewer):
            return Code.ADDRESS_SEATED
        if message.buy_in < self._seats.settings_now.min_buy_in:
            return Code.BUY_IN_TOO_SMALL
        return self._reservations.choose(account, message.seat)

    def _buy_in(self, viewer: Viewer, message: wire.SitDown, seat: Seat, *, left_with: Money | None) -> None:
        """Buy in. A player who left with more must bring that much, also above the table's maximum [D] (RRP)."""
        amount, floor = Money(message.buy_in), left_with or 0
        if not self._seats.takes_newcomers():
            self._not_sat_down(viewer, message, seat, Code.TABLE_CLOSING)
        elif amount < floor:
            detail = f"You left this table with {floor} a short while ago. Buy in for at least that."
            self._not_sat_down(viewer, message, seat, Code.BRING_BACK, detail, amount=floor)
        elif amount > max(self._seats.settings_now.max_buy_in, floor):
            self._not_sat_down(viewer, message, seat, Code.BUY_IN_TOO_LARGE)
        else:
            key = self._key("buyin")
            self._ask(
                lambda: self._context.ledger.buy_in(
                    key,
                    self._settings.table,
                    self._context.epoch,
                    seat.number,
                    seat.account,
                    amount,
                    self._context.tables_max,
                ),
                done=lambda _: self._sat_down(viewer, message, seat),
                refused=partial(self._not_sat_down, viewer, message, seat),
                late=lambda _: self._sat_down_late(viewer, message, seat),
            )

    def _sat_down(self, viewer: Viewer, message: wire.SitDown, seat: Seat) -> None:
        seat.busy = False
        self._seats.sat_down(seat)
        self._reservations.taken(seat.account, seat.number)
        self._directory.seated(seat.account, self._settings.table)
        if viewer.account == seat.account:
            self._snapshots.send(viewer, message.id)
        self._snapshots.seated(seat.account, but=viewer)
        here = viewer.connected and viewer.account == seat.account
        if not here and not self._announcer.is_connected(seat.account):
            self._seats.went_away(seat)
        if self._seats.closing:
            self._seats.leave(seat)
        self._hands.journal.note()
        self._hands.consider_dealing()

    def _sat_down_late(self, viewer: Viewer, message: wire.SitDown, seat: Seat) -> None:
        """Answer a late buy-in.

        The restarted table has a new seat for the player, with the journal's facts, and does not know yet that they
        are here.
        """
        self._directory.seated(seat.account, self._settings.table)

        def answer() -> None:
            if viewer.account != seat.account:
                return
            self._snapshots.send(viewer, message.id)
            if viewer.connected:
                self._table.attached(seat.account)

        self._table.after_restart(answer)

    def _not_sat_down(
        self,
        viewer: Viewer,
        message: wire.SitDown,
        seat: Seat,
        code: Code,
        detail: str | None = None,
        **facts: Unpack[Facts],
    ) -> None:
        self._seats.seats.remove(seat)
        if not self._reservations.not_taken(seat.account):
            self._directory.freed(seat.account, self._settings.table)
        self._seats.opened()
        self._announcer.refuse(viewer, message, code, detail, **facts)

    # --- topping up -------------------------------------------------------------------------------------------------

    def top_up(self, viewer: Viewer, message: wire.TopUp, seat: Seat) -> None:
        """Buy more chips; those bought during a hand play from the next one on (A3).

        The request is decided when no result is on its way to the ledger: what the player has won in that hand counts.
        """
        self._hands.settlement.when_settled(partial(self._decide_top_up, viewer, message, seat))

    def _decide_top_up(self, viewer: Viewer, message: wire.TopUp, seat: Seat) -> None:
        if viewer.account != seat.account:  # the client logged out while the ledger was asked
            return
        code = self._not_ready(seat)
        if code is not None:
            self._announcer.refuse(viewer, message, code)
        elif message.key is None:
            self._top_up_once(viewer, message, seat, self._key("topup"))
        else:
            self._look_up(viewer, message, seat, f"topup:{self._settings.table}:{seat.account}:{message.key}")

    def _look_up(self, viewer: Viewer, message: wire.TopUp, seat: Seat, key: str) -> None:
        """Answer a repeated request, which the ledger has booked before; else top up."""
        ok = Outgoing(wire.Ok(re=message.id))

        def known(booked: bool) -> None:
            seat.busy = False
            if booked:
                self._announcer.tell(answers=[(viewer, ok)])
            else:
                self._top_up_once(viewer, message, seat, key)
            if not seat.busy:
                self._not_booked(seat)

        seat.busy = True
        self._ask(
            lambda: self._context.ledger.is_booked(key),
            done=known,
            refused=fault_of_ours,
            late=lambda _: self._announcer.refuse(viewer, message, Code.UNAVAILABLE),
        )

    def _top_up_once(self, viewer: Viewer, message: wire.TopUp, seat: Seat, key: str) -> None:
        amount = Money(message.amount)
        code = self._not_ready(seat) or self._not_to_be_topped_up(seat, amount)
        if code is not None:
            self._announcer.refuse(viewer, message, code)
            return
        ok = Outgoing(wire.Ok(re=message.id))

        def booked() -> None:
            self._announcer.tell(answers=[(viewer, ok)])
            self._booked(seat, amount)

        def refused(code: Code, **facts: Unpack[Facts]) -> None:
            self._announcer.refuse(viewer, message, code, **facts)
            self._not_booked(seat)

        def late() -> None:
            self._table.after_restart(lambda: self._announcer.tell(answers=[(viewer, ok)]))

        self._top_up(seat, amount, key, booked=booked, refused=refused, late=late)

    def _not_ready(self, seat: Seat) -> Code | None:
        if self._seats.abandoned:
            return Code.TABLE_FROZEN
        if self._seats.seats.of(seat.account) is not seat:
            return Code.NOT_SEATED
        if seat.state is SeatState.LEAVING:
            return Code.LEAVING
        return Code.REQUEST_PENDING if seat.busy else None

    def _not_to_be_topped_up(self, seat: Seat, amount: Money) -> Code | None:
        chips = self._hands.hand.chips_of(seat)
        if amount < (
            1 if chips else self._seats.settings_now.min_buy_in
        ):  # [D] a player without chips buys in again
            return Code.BUY_IN_TOO_SMALL
        if chips + amount > self._seats.settings_now.max_buy_in:
            return Code.BUY_IN_TOO_LARGE
        return None

    def top_up_automatically(self, seat: Seat) -> None:
        """Bring a playing stack to the chosen amount between hands, if wallet and limits allow all of it.

        Otherwise the option is switched off, so that the ledger is not asked again and again [D].
        """
        out_of_chips = seat.state is SeatState.SITTING_OUT and seat.returns_playing
        wanted = seat.state is SeatState.PLAYING or out_of_chips
        goal = min(
            seat.auto_top_up_to, self._seats.settings_now.max_buy_in
        )  # the option may be of other stakes
        if not wanted or seat.busy or goal <= seat.stack or not self._seats.takes_newcomers():
            return

        def refused(code: Code, **_: Unpack[Facts]) -> None:
            if code not in _NO_MORE_CHIPS:
                fault_of_ours(code)
            seat.auto_top_up_to = 0
            self._not_booked(seat)

        amount = Money(goal - seat.stack)
        self._top_up(
            seat,
            amount,
            self._key("topup"),
            booked=partial(self._booked, seat, amount),
            refused=refused,
            late=lambda: None,
        )

    def _top_up(
        self,
        seat: Seat,
        amount: Money,
        key: str,
        *,
        booked: Callable[[], None],
        refused: RefusalCallback,
        late: Callable[[], None],
    ) -> None:
        seat.busy = True
        self._ask(
            lambda: self._context.ledger.top_up(
                key, self._settings.table, self._context.epoch, seat.account, amount
            ),
            done=lambda _: booked(),
            refused=refused,
            late=lambda _: late(),
        )

    def _booked(self, seat: Seat, amount: Money) -> None:
        seat.busy = False
        if self._hands.hand.in_hand(seat):
            seat.topped_up += amount
        else:
            seat.stack += amount
            self._seats.return_to_play(seat)
        self._seats.changed(seat)
        if seat.state is SeatState.LEAVING:
            self.cash_out(seat)
        self._hands.consider_dealing()

    def _not_booked(self, seat: Seat) -> None:
        seat.busy = False
        if seat.state is SeatState.LEAVING:
            self.cash_out(seat)

    # --- cashing out ------------------------------------------------------------------------------------------------

    def cash_out(self, seat: Seat) -> None:
        """Pay the stack to the wallet.

        While a hand or the ledger has the seat, do nothing: it is called again after that.
        """
        if self._seats.abandoned or seat.busy or self._hands.hand.in_hand(seat):
            return
        seat.busy = True
        key = self._key("cashout")
        freed = partial(self._directory.freed, seat.account, self._settings.table)
        self._ask(
            lambda: self._context.ledger.cash_out(
                key, self._settings.table, self._context.epoch, seat.account
            ),
            done=lambda _: self._seats.left(seat),
            refused=fault_of_ours,
            late=lambda _: freed(),
        )

    # --- inside -----------------------------------------------------------------------------------------------------

    def _key(self, kind: str) -> str:
        return f"{kind}:{self._context.random_bytes(16).hex()}"
