"""Who has which place at a table against the house, and whether he is there.

A place is a box, or where a common hand is dealt one of any number. Nothing is bought in; that the account has it
stands in the ledger, as a seat without a stack. Bets of a round in progress are played to its end by whoever has left.
Runs inside the table's mailbox; knows no cards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from pokerroom.ledger.api import SeatRow
from pokerroom.rules.ultimate.terms import Seating
from pokerroom.table.absences import Absences
from pokerroom.table.ledger_requests import LedgerRequests, fault_of_ours
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.viewer import Viewer, public
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

if TYPE_CHECKING:  # the felt makes its places
    from pokerroom.ultimate.felt import Felt


@dataclass(slots=True, kw_only=True, eq=False)
class Place:
    """One taken place. `booked`: the ledger has it; `leaving`: it is asked to free it."""

    box: int
    account: int
    name: str
    booked: bool = True
    leaving: bool = False
    connected: bool = True


class Places:
    """The places on `felt`."""

    def __init__(self, felt: Felt, asking: LedgerRequests) -> None:
        self._felt = felt
        self._table = felt.table
        self._settings = felt.table.settings
        self._world = felt.table.world
        self._ask = asking.ask
        self._by_box: dict[int, Place] = {}
        self._by_account: dict[int, Place] = {}
        self._absences: Absences[Place] = Absences(
            self._world.clock, self._settings.away_limit_s, self._limit_is_over
        )

    def __iter__(self) -> Iterator[Place]:
        """Those that the ledger has, by number."""
        return iter([place for _, place in sorted(self._by_box.items()) if place.booked])

    # --- questions --------------------------------------------------------------------------------------------------

    def of(self, account: int | None) -> Place | None:
        """The place of an account, also one that is only asked for."""
        return None if account is None else self._by_account.get(account)

    def held_by(self, account: int | None) -> Place | None:
        """The place of an account, once the ledger has it."""
        place = self.of(account)
        return place if place is not None and place.booked else None

    def accounts(self) -> list[int]:
        """Who has a place, or is about to."""
        return list(self._by_account)

    def empty(self) -> bool:
        """Whether nobody has."""
        return not self._by_box

    def free_boxes(self) -> list[int]:
        """The boxes that nobody holds."""
        return [box for box in range(1, self._settings.terms.boxes + 1) if box not in self._by_box]

    def absent(self) -> frozenset[int]:
        """Who is not there."""
        return frozenset(place.account for place in self if not place.connected)

    # --- coming and going -------------------------------------------------------------------------------------------

    def take(self, viewer: Viewer, message: wire.TakePlace) -> None:
        """Takes a place, if the ledger agrees."""
        account = viewer.account
        assert account is not None  # a session passes this only when it is logged in
        box = self._box_for(account, message.box)
        if isinstance(box, Code):
            self._table.refuse(viewer, message, box)
            return
        if not self._world.seating.claim(account, self._settings.table):
            self._table.refuse(viewer, message, Code.TOO_MANY_TABLES)
            return
        place = Place(box=box, account=account, name=viewer.name, booked=False)
        self._add(place)
        key = f"place:{self._world.random_bytes(16).hex()}"
        self._ask(
            lambda: self._world.ledger.take_place(
                key, self._settings.table, self._world.epoch, box, account, self._world.tables_max
            ),
            done=lambda _: self._taken(viewer, message, place),
            refused=partial(self._not_taken, viewer, message, place),
            late=lambda _: self._taken_late(viewer, message, place),
        )

    def stand_up(self, viewer: Viewer, message: wire.StandUp) -> None:
        """Gives the place up; bets of a betting time that is open go with it."""
        place = self.of(viewer.account)
        if place is None or place.leaving or not place.booked:
            code = Code.LEAVING if place is not None and place.leaving else Code.REQUEST_PENDING
            self._table.refuse(viewer, message, Code.NOT_SEATED if place is None else code)
            return

        def answer() -> None:
            if viewer.account == place.account:
                self._table.tell(answers=[(viewer, Outgoing(wire.Ok(re=message.id)))])

        self.leave(place, answer)

    def leave(self, place: Place, then: Callable[[], None] = lambda: None) -> None:
        """The place is free as soon as the ledger says so; `then` is called after that."""
        if place.leaving or not place.booked or self._felt.abandoned:
            return
        place.leaving = True
        self._felt.betting.drop(place.account)
        key = f"cashout:{self._world.random_bytes(16).hex()}"
        freed = partial(self._world.seating.freed, place.account, self._settings.table)

        def late(_: object) -> None:
            freed()
            self._table.after_restart(then)

        def left(_: object) -> None:
            self._left(place)
            then()

        self._ask(
            lambda: self._world.ledger.cash_out(key, self._settings.table, self._world.epoch, place.account),
            done=left,
            refused=fault_of_ours,
            late=late,
        )

    def leave_all(self) -> None:
        """The operator closes the table, and no round is in progress any more."""
        for place in list(self._by_box.values()):
            self.leave(place)

    # --- presence ---------------------------------------------------------------------------------------------------

    def viewer_gone(self, viewer: Viewer) -> None:
        """A connection is lost, or was logged out: the place is kept for `away_limit_s`."""
        place = self.held_by(viewer.account)
        if place is not None and place.connected and not self._table.is_connected(place.account):
            self._went_away(place)

    def attached(self, place: Place) -> None:
        """He watches his table again."""
        self._absences.end(place)
        if not place.connected:
            place.connected = True
            self._tell_presence(place)

    # --- restarts ---------------------------------------------------------------------------------------------------

    def restore(self, rows: Iterable[SeatRow]) -> None:
        """The places as the ledger has them; who is not there has `away_limit_s` to come."""
        for row in rows:
            here = self._table.is_connected(row.account)
            place = Place(box=row.seat, account=row.account, name=row.name, connected=here)
            self._add(place)
            if not here:
                self._absences.expect(place)

    def stop(self) -> None:
        """Cancels the timers; none is set again."""
        self._absences.stop()

    # --- inside -----------------------------------------------------------------------------------------------------

    def _box_for(self, account: int, wanted: int | None) -> int | Code:
        place = self.of(account)
        if place is not None:
            return Code.ALREADY_SEATED if place.booked else Code.REQUEST_PENDING
        if self._felt.closing or self._table.ending.draining:
            return Code.TABLE_CLOSING
        # who has left may still have bets on a box: it is nobody else's before they are settled [D]
        busy = {*self._by_box, *self._felt.boxes_in_play()}
        if self._settings.terms.seating is Seating.common_hand:
            if wanted is not None:
                return Code.NO_SUCH_BOX
            free = next(number for number in count(1) if number not in busy)
            return free if free <= self._settings.seats_max else Code.TABLE_FULL
        boxes = range(1, self._settings.terms.boxes + 1)
        if wanted is None:
            return next((box for box in boxes if box not in busy), Code.TABLE_FULL)
        if wanted not in boxes:
            return Code.NO_SUCH_BOX
        return Code.BOX_TAKEN if wanted in busy else wanted

    def _add(self, place: Place) -> None:
        assert place.box not in self._by_box
        assert place.account not in self._by_account
        self._by_box[place.box] = self._by_account[place.account] = place

    def _remove(self, place: Place) -> None:
        del self._by_box[place.box]
        del self._by_account[place.account]

    def _taken(self, viewer: Viewer, message: wire.TakePlace, place: Place) -> None:
        place.booked = True
        told = wire.PlaceTaken(
            table=self._settings.table, seq=self._table.next_seq(), box=place.box, name=place.name
        )
        self._table.tell(public(told))
        self._world.seating.seated(place.account, self._settings.table)
        if viewer.account == place.account:
            self._table.snapshots.send(viewer, message.id)
        self._table.snapshots.seated(place.account, but=viewer)
        here = viewer.connected and viewer.account == place.account
        if not here and not self._table.is_connected(place.account):
            self._went_away(place)
        if self._felt.closing:
            self._felt.consider_leaving()

    def _taken_late(self, viewer: Viewer, message: wire.TakePlace, place: Place) -> None:
        """The table has begun anew meanwhile, and has the place from the ledger."""
        self._world.seating.seated(place.account, self._settings.table)

        def told() -> None:
            if viewer.account == place.account:
                self._table.present().seats.attached(place.account)
                self._table.snapshots.send(viewer, message.id)

        self._table.after_restart(told)

    def _not_taken(self, viewer: Viewer, message: wire.TakePlace, place: Place, code: Code) -> None:
        self._remove(place)
        self._world.seating.freed(place.account, self._settings.table)
        self._table.refuse(viewer, message, Code.BOX_TAKEN if code is Code.SEAT_TAKEN else code)

    def _left(self, place: Place) -> None:
        self._absences.end(place)
        self._remove(place)
        self._felt.betting.forget(place.account)
        self._world.seating.freed(place.account, self._settings.table)
        left = wire.PlaceLeft(
            table=self._settings.table, seq=self._table.next_seq(), box=place.box, name=place.name
        )
        self._table.tell(public(left))
        self._table.consider_closed()

    def _went_away(self, place: Place) -> None:
        place.connected = False
        self._tell_presence(place)
        self._absences.expect(place)
        self._table.ending.consider()

    def _tell_presence(self, place: Place) -> None:
        if self._felt.abandoned:
            return
        told = wire.PlaceChanged(
            table=self._settings.table, seq=self._table.next_seq(), box=place.box, connected=place.connected
        )
        self._table.tell(public(told))

    def _limit_is_over(self, place: Place) -> None:
        self._table.mailbox.post(self._away_too_long, place)

    def _away_too_long(self, place: Place) -> None:
        """Nobody keeps a place for who does not come [D]; the clock decides for what he has bet."""
        if not self._felt.abandoned and self.of(place.account) is place and not place.connected:
            self.leave(place)
