"""Free seats held for an account: one that prepares its buy-in, or was called from a waiting list.

A hold lasts `reservation_s`; an account has at most one per table. It counts as a seat towards the tables that an
account may have [D], so that no account keeps a whole room free. For the same reason the wallet must have the smallest
buy-in [D], and an account that leaves holds unused gets none for a while (`cooldown`). A refused buy-in leaves the hold
as it was; an end that came meanwhile takes effect then. Runs inside the table's mailbox; moves no money.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from twisted.internet.interfaces import IDelayedCall

from pokerroom.chips import Money
from pokerroom.ops.table_settings import TableSettings
from pokerroom.poker.cash.cooldown import ReservationCooldown
from pokerroom.poker.cash.ports import FreeSeats
from pokerroom.table.api import SeatOffered
from pokerroom.table.game import GamePorts
from pokerroom.table.ledger_requests import fault_of_ours
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.viewer import Broadcast, Viewer, public
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code


@dataclass(slots=True, kw_only=True, eq=False)
class Hold:
    """One free seat that only `account` may take. `until_ms` is in milliseconds since the epoch."""

    account: int
    seat: int
    until_ms: int
    offered: bool
    """Whether it came from a waiting list."""
    timer: IDelayedCall
    lapsed: bool | None = None
    """Set if the hold ended while the buy-in was at the ledger: True if it timed out or was given up, else False."""


class SeatReservations:
    """The held seats of one cash table."""

    def __init__(self, settings: TableSettings, ports: GamePorts, seats: FreeSeats) -> None:
        self._settings = settings
        self._announcer = ports.announcer
        self._post = ports.mailbox.post
        self._context = ports.context
        self._directory = ports.context.seating
        self._requests = ports.requests
        self._seats = seats
        self._of: dict[int, Hold] = {}
        self._asking_for: set[int] = set()
        """Accounts with a wallet that is being read from the ledger."""
        self._cooldown = ReservationCooldown(ports.context.clock)

    # --- questions --------------------------------------------------------------------------------------------------

    def of(self, account: int | None) -> Hold | None:
        """Return the hold of an account, if any."""
        return None if account is None else self._of.get(account)

    def seat_numbers(self) -> list[int]:
        """Return the numbers of the held seats, in order."""
        return sorted(hold.seat for hold in self._of.values())

    def choose(self, account: int, requested: int | None) -> int | Code:
        """Return the seat that an account may take: the requested, its own held, or the lowest free one; else the
        refusal.

        Waiting accounts come before a newcomer, who gets a seat only if one is left for each of them.
        """
        if not self._seats.takes_newcomers():
            return Code.TABLE_CLOSING
        if not self._context.host.takes(account):
            return Code.SEAT_NOT_ACCEPTED
        if requested is not None and requested > self._settings.seats_max:
            return Code.NO_SUCH_SEAT
        own = self.of(account)
        if own is not None and requested in {None, own.seat}:
            return own.seat
        if requested is not None and self._seats.seats.get(requested) is not None:
            return Code.SEAT_TAKEN
        if requested is not None and requested in self.seat_numbers():
            return Code.SEAT_HELD
        free = self._seats.seats.free(self.seat_numbers())
        if not free:
            return Code.TABLE_FULL
        if own is None and len(free) <= self._directory.waiting(self._settings.table):
            return Code.WAITING_LIST
        return requested or free[0]

    # --- requests ---------------------------------------------------------------------------------------------------

    def reserve(self, viewer: Viewer, message: wire.ReserveSeat) -> None:
        """Hold a seat for an account that can buy in, as the ledger says.

        A second request moves the hold to the requested seat, and does not prolong it [D].
        """
        account = viewer.account
        assert account is not None  # a session passes seat messages only when it is logged in
        if account in self._asking_for:
            self._announcer.refuse(viewer, message, Code.REQUEST_PENDING)
            return
        number = self._to_be_reserved(viewer, account, message)
        if isinstance(number, Code):
            self._refuse_seat(viewer, message, account, number)
        elif self.of(account) is not None:
            self._reserve(viewer, message, account, number)
        else:
            self._asking_for.add(account)
            self._requests.ask(
                partial(self._context.ledger.wallet, account),
                done=partial(self._wallet_known, viewer, message, account),
                refused=fault_of_ours,
                late=lambda _: self._announcer.refuse(viewer, message, Code.UNAVAILABLE),
            )

    def _wallet_known(self, viewer: Viewer, message: wire.ReserveSeat, account: int, wallet: Money) -> None:
        self._asking_for.discard(account)
        if viewer.account != account or not viewer.connected:
            return
        number = self._to_be_reserved(viewer, account, message)  # others did not wait for the ledger
        if wallet < self._seats.settings_now.min_buy_in:
            number = Code.INSUFFICIENT_BALANCE
        if isinstance(number, Code):
            self._refuse_seat(viewer, message, account, number)
        else:
            self._reserve(viewer, message, account, number)

    def _to_be_reserved(self, viewer: Viewer, account: int, message: wire.ReserveSeat) -> int | Code:
        if self._seats.seats.of(account) is not None:
            return Code.REQUEST_PENDING if self._seats.held_by(account) is None else Code.ALREADY_SEATED
        if self.of(account) is None and self._cooldown.left_ms(account):
            return Code.SEAT_COOLDOWN
        if self._seats.address_is_full(viewer):
            return Code.ADDRESS_SEATED
        return self.choose(account, message.seat)

    def _refuse_seat(self, viewer: Viewer, message: wire.ReserveSeat, account: int, code: Code) -> None:
        wait_ms = self._cooldown.left_ms(account) if code is Code.SEAT_COOLDOWN else None
        self._announcer.refuse(viewer, message, code, retry_after_ms=wait_ms)

    def _reserve(self, viewer: Viewer, message: wire.ReserveSeat, account: int, number: int) -> None:
        hold, broadcasts = self.of(account), []
        if hold is None:
            if not self._directory.claim(account, self._settings.table):
                self._announcer.refuse(viewer, message, Code.TOO_MANY_TABLES)
                return
            hold = self._hold(account, number, offered=False)
            broadcasts = [self._reserved(hold)]
        elif hold.seat != number:
            broadcasts = [self._released(hold.seat)]
            hold.seat = number
            broadcasts.append(self._reserved(hold))
        answer = wire.Reserved(
            re=message.id, table=self._settings.table, seat=hold.seat, until_ms=hold.until_ms
        )
        self._announcer.tell(*broadcasts, answers=[(viewer, Outgoing(answer))])

    def release(self, viewer: Viewer, message: wire.ReleaseSeat) -> None:
        """Give a held seat up."""
        hold = self.of(viewer.account)
        if viewer.account in self._asking_for:
            self._announcer.refuse(viewer, message, Code.REQUEST_PENDING)
        elif hold is None:
            self._announcer.refuse(viewer, message, Code.NO_SEAT_HELD)
        elif self._buying(hold):
            self._announcer.refuse(viewer, message, Code.REQUEST_PENDING)
        else:
            self._announcer.confirm(viewer, message)
            self.end(hold, lapsed=True)

    def offer(self, account: int, offered: SeatOffered) -> None:
        """Hold a seat for the first account of a waiting list, if one is free and the account may sit here."""
        free = self._seats.seats.free(self.seat_numbers()) if self._seats.takes_newcomers() else []
        if not free:
            offered(None, 0)
            return
        here = self._seats.seats.of(account) is not None or self.of(account) is not None
        if here or not self._directory.claim(account, self._settings.table):
            offered(None, 0)  # it has sat down since it was called, here or elsewhere: call the next
            self._seats.opened()
            return
        hold = self._hold(account, free[0], offered=True)
        self._announcer.tell(self._reserved(hold))
        offered(hold.seat, hold.until_ms)

    # --- the end of a hold ------------------------------------------------------------------------------------------

    def end(self, hold: Hold, *, lapsed: bool) -> None:
        """End a hold. `lapsed`: its time is over, or its holder gave it up."""
        if self._buying(hold):
            hold.lapsed = lapsed
            return
        self._drop(hold)
        self._announcer.tell(self._released(hold.seat))
        if not hold.offered and not self._seats.closing:
            self._cooldown.unused(hold.account)  # an unused offer costs the place on the list
        if lapsed and hold.offered:
            self._directory.held_seat_lapsed(hold.account, self._settings.table)
        self._directory.freed(hold.account, self._settings.table)
        self._seats.opened()

    def withdraw(self, account: int, *, offered_only: bool = False) -> None:
        """End the hold of an account that is gone, or (`offered_only`) no longer waits."""
        hold = self.of(account)
        if hold is not None and (hold.offered or not offered_only):
            self.end(hold, lapsed=False)

    def end_all(self) -> None:
        """End all holds: the table takes no new players."""
        for hold in list(self._of.values()):
            self.end(hold, lapsed=False)

    def taken(self, account: int, number: int) -> None:
        """End the hold of an account that has bought in, in this seat or another; that seat has the claim now."""
        self._cooldown.forget(account)
        hold = self.of(account)
        if hold is None:
            return
        self._drop(hold)
        if hold.seat != number:
            self._announcer.tell(self._released(hold.seat))
            self._seats.opened()

    def not_taken(self, account: int) -> bool:
        """Note that the account's buy-in is refused: the hold stays, or ends if that was due.

        Return False if it had none.
        """
        hold = self.of(account)
        if hold is not None and hold.lapsed is not None:
            self.end(hold, lapsed=hold.lapsed)
        return hold is not None

    def forget(self) -> None:
        """Drop all holds without a message: the table ends or restarts."""
        for hold in list(self._of.values()):
            self._drop(hold)
            if not self._buying(hold):
                self._directory.freed(hold.account, self._settings.table)

    # --- inside -----------------------------------------------------------------------------------------------------

    def _buying(self, hold: Hold) -> bool:
        return self._seats.seats.of(hold.account) is not None

    def _hold(self, account: int, number: int, *, offered: bool) -> Hold:
        seconds = self._settings.reservation_s
        hold = self._of[account] = Hold(
            account=account,
            seat=number,
            until_ms=self._context.now_ms() + seconds * 1000,
            offered=offered,
            timer=self._context.clock.callLater(seconds, lambda: self._post(self._over, account, hold)),
        )
        return hold

    def _over(self, account: int, hold: Hold) -> None:
        if self.of(account) is hold:
            self.end(hold, lapsed=True)

    def _drop(self, hold: Hold) -> None:
        del self._of[hold.account]
        if hold.timer.active():
            hold.timer.cancel()

    def _reserved(self, hold: Hold) -> Broadcast:
        return public(
            wire.SeatReserved(
                table=self._settings.table,
                seq=self._announcer.next_seq(),
                seat=hold.seat,
                until_ms=hold.until_ms,
            )
        )

    def _released(self, number: int) -> Broadcast:
        return public(
            wire.SeatReleased(table=self._settings.table, seq=self._announcer.next_seq(), seat=number)
        )
