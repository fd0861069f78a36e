"""The table of a sit-and-go: hold'em hands from the draw of the seats to the last prize.

`hands` plays them as at a cash table; `director` says when and at which level, who is away, and who is placed. Seats
were drawn at the start, and nobody sits down. The table comes to live here as any other does: with the epoch it asks
the ledger how the tournament stands, starts it if it is full, or plays it on from the journal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from twisted.internet.defer import Deferred

from pokerroom.ledger.api import SeatRow
from pokerroom.ledger.tournaments import TournamentRow
from pokerroom.poker import recovery
from pokerroom.poker.game import Dealing, PokerTable
from pokerroom.poker.play import HandPlay
from pokerroom.poker.seats import Seat, SeatState
from pokerroom.poker.settings import TableSettings
from pokerroom.rules import events as rules_events
from pokerroom.rules.button import Owes, Positions
from pokerroom.rules.tournament.state import Tournament
from pokerroom.table.context import TableContext
from pokerroom.table.journal import UnreadableJournal
from pokerroom.table.outbox import Batch, Viewer
from pokerroom.table.outgoing import Outgoing
from pokerroom.tournament.beginning import Beginning, Rows
from pokerroom.tournament.chairs import Chairs
from pokerroom.tournament.director import Director
from pokerroom.tournament.orders import BACK, FORWARD, Orders
from pokerroom.tournament.restoring import ended, journalled, restored, to_be_given
from pokerroom.tournament.settings import TournamentSettings
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

ALL_AWAY_S: Final = 1.0
"""[D] The pause after a hand where nobody is there to play the next one."""


class TournamentTable(PokerTable):
    """See the module. A `TournamentActor`."""

    settings: TournamentSettings
    chairs: Chairs

    def __init__(self, settings: TournamentSettings, world: TableContext) -> None:
        super().__init__(settings, world)
        self.chairs = Chairs(self)
        self.director = Director(self)
        self.orders = Orders(self)
        self.beginning = Beginning(self)
        self._said: Tournament | None = None
        """What the journal says, while the table is made again."""
        self._row: TournamentRow | None = None
        self._names: Mapping[int, str] = {}

    # --- questions -------------------------------------------------------------------------------------------------

    @property
    def open(self) -> bool:
        """Whether the ledger has said how the tournament stands."""
        return self.director.tournament is not None

    @property
    def state_name(self) -> str:
        """One word for the operator."""
        course = self.hands.course.state
        if course != "waiting" or not self.open:
            return course
        return "paused" if self.director.here.paused else course

    def info(self) -> wire.TableInfo:
        """The table's line in the lobby."""
        seats = len(self.chairs.seats)
        return self.settings_now().info(seats, seats)

    def players(self) -> int:
        """See `TableActor`: who is away is dealt in, too."""
        return len(self.chairs.seats)

    def settings_now(self) -> TableSettings:
        """See `PokerTable`."""
        if not self.open:
            return self.settings
        tournament = self.director.here
        return self.settings.at(tournament.terms.schedule.level(tournament.clock))

    def seated(self) -> list[int]:
        """See `TableActor`."""
        return self.holders()

    def tournament_view(self) -> wire.TournamentView:
        """See `PokerTable`."""
        return self.director.view()

    # --- doors -----------------------------------------------------------------------------------------------------

    def restore(self, rows: list[SeatRow], entries: list[bytes], settled: frozenset[str]) -> None:  # noqa: ARG002 -- its seats are the tournament's
        """See `TableActor`: the ledger is asked how the tournament stands."""
        self.mailbox.post(self.beginning.begin, entries, settled)

    def offer_seat(self, account: int, told: Callable[[int | None, int], None]) -> None:  # noqa: ARG002 -- nobody waits here
        """See `TableActor`."""
        told(None, 0)

    def withdraw_offer(self, account: int) -> None:
        """See `TableActor`."""

    def freeze(self) -> Deferred[None]:
        """See `TableActor`; refused with `table_stopped` before the ledger has said who sits here."""
        return self._ordered(self.orders.freeze)

    def pause(self) -> Deferred[None]:
        """See `TournamentActor`, for this and the next three."""
        return self._ordered(partial(self.orders.pause, paused=True))

    def unpause(self) -> Deferred[None]:
        """By the operator: it goes on."""
        return self._ordered(partial(self.orders.pause, paused=False))

    def roll_back(self) -> Deferred[None]:
        """By the operator: all get their buy-ins back."""
        return self._ordered(lambda done: self.orders.end_early(done, BACK))

    def roll_forward(self) -> Deferred[None]:
        """By the operator: who is left shares the prizes that are left."""
        return self._ordered(lambda done: self.orders.end_early(done, FORWARD))

    def stop(self) -> None:
        """See `PokerTable`."""
        self.director.stop()
        super().stop()

    def over(self) -> None:
        """Nothing will be played here any more."""
        self.world.journal.forget(self.settings.table)
        self.world.over()

    # --- made again of ledger and journal --------------------------------------------------------------------------

    async def rows(self) -> Rows:
        """See `PokerTable`; starts the tournament if it has not started. Raises as `start_tournament` does."""
        return await self.beginning.rows()

    def renew(self, rows: Any) -> None:  # noqa: ARG002 -- nobody has left meanwhile
        """See `PokerTable`."""
        self.director.stop()
        self.director = Director(self)
        self.chairs = Chairs(self)

    def settings_of(self, found: recovery.JournalledPoker) -> TableSettings:
        """See `PokerTable`: those of the level that the hand was dealt at."""
        said = self._journalled(found)
        if said is None or said.hand is None:
            raise UnreadableJournal("the journal does not tell of the tournament that the hand is of")
        return self.settings.at(said.terms.schedule.levels[said.hand.level])

    def _journalled(self, found: recovery.JournalledPoker) -> Tournament | None:
        data = found.facts[1][0] if found.facts and found.facts[1] else None
        return None if self._row is None else journalled(data, self.settings.terms, self._row)

    def standing_of(self, rows: Rows) -> Mapping[int, Seat]:
        """See `PokerTable`."""
        row, names = rows
        return {
            entry.account: Seat(
                time_bank_ms=self.settings.time_bank_s * 1000,
                number=entry.seat,
                account=entry.account,
                name=names[entry.account],
                stack=entry.chips or 0,
                state=SeatState.PLAYING,
                owes=Owes.nothing,
            )
            for entry in row.entries
            if entry.seat
        }

    def sit_again(self, rows: Rows, found: recovery.JournalledPoker) -> None:
        """See `PokerTable`."""
        self._row, self._names = rows
        self._said = self._journalled(found)
        kept = found.facts[1][1] if found.facts and found.facts[1] else ()
        self.chairs.sit([seat for seat in self.standing_of(rows).values() if seat.stack], kept)

    def plays_on(self, play: HandPlay | None, *, settled: bool) -> None:
        """See `PokerTable`."""
        row, now_ms = self._row, self.world.now_ms()
        assert row is not None
        tournament = restored(
            self._said,
            self.settings.terms,
            row,
            settled=settled,
            plays_on=play is not None,
            now_ms=now_ms,
        )
        for player in tournament.players:
            seat = self.chairs.held_by(player.account)
            if seat is not None and player.away:
                seat.state = SeatState.AWAY
        self._said = None
        given = min((place.number for place in row.places), default=self.settings.terms.seats + 1)
        self.director.begin(tournament, self._names, given, to_be_given(tournament, row))

    def begin_anew(self, found: Any) -> None:
        """See `Played`."""
        rows, entries, settled = found
        at_its_end = None if rows[0].phase == "running" else self.shows_end
        self.rebuilding.begin_anew(rows, entries, settled, at_its_end)
        self.beginning.opened()

    def shows_end(self, rows: Rows, found: recovery.JournalledPoker) -> None:
        """It has ended, and that was not told: who watched is shown it, and then it is over."""
        self._row, self._names = rows
        said = self._journalled(found)
        self.director.show_end(ended(said, self.settings.terms, rows[0]), self._names)

    # --- what hands ask --------------------------------------------------------------------------------------------

    def plan(self, previous: Positions | None) -> Dealing | None:  # noqa: ARG002 -- the tournament knows
        """See `PokerTable`."""
        hand = self.director.deal() if self.open else None
        if hand is None:
            return None
        return self.settings.at(self.settings.terms.schedule.levels[hand.level]), hand.plan

    def settled(self, play: HandPlay) -> None:
        """See `PokerTable`."""
        stacks = zip(play.seats, play.state.stacks, strict=True)
        self.director.hand_over({seat.number: stack for seat, stack in stacks})

    def absent(self, seat: Seat) -> bool:
        """See `PokerTable` (H5)."""
        return seat.state is SeatState.AWAY

    def protected(self, seat: Seat) -> bool:  # noqa: ARG002 -- nobody is
        """See `PokerTable`: whose time is up checks if that is free, else he is folded (H5)."""
        return False

    def timed_out(self, play: HandPlay, seat: Seat, events: Sequence[rules_events.Event]) -> None:  # noqa: ARG002 -- whatever was done
        """See `PokerTable`: he is away until he acts (H5) [D]."""
        if self._goes(seat, away=True):
            self.hands.note_seats()

    def awaited(self) -> bool:
        """See `PokerTable`: who is not here yet, and is not known to be away."""
        return any(seat.state is SeatState.PLAYING and not seat.connected for seat in self.chairs.seats)

    def pause_s(self) -> float:
        """See `PokerTable`: where all are away hands take their time, or a node would do nothing else."""
        pause_s = self.settings.hand_pause_ms / 1000
        here = [
            seat.account for seat in self.chairs.seats if seat.state is SeatState.PLAYING and seat.connected
        ]
        if not here:
            return max(pause_s, ALL_AWAY_S)
        looks = any(viewer.wants_pause and viewer.account in here for viewer in self.outbox.viewers())
        return pause_s if looks else 0

    def gather(self) -> None:
        """See `PokerTable`."""
        self.hands.gather()
        self.hands.consider_dealing()

    # --- what the base asks ----------------------------------------------------------------------------------------

    @property
    def asking(self) -> bool:
        """See `Played`."""
        return self.director.asking() or self.orders.asking()

    def progress(self) -> object:
        """See `Played`."""
        return self.hands.appended, self.director.asked

    def rest_no_more(self) -> None:
        """See `Played`; the next owner goes on with the clock as it stands now."""
        super().rest_no_more()
        if self.open and not self.frozen:
            self.hands.note_facts(Batch(ready=False))

    def when_settled(self, then: Callable[[], None], *, first: bool) -> None:
        """See `Played`."""
        if self.open:
            super().when_settled(then, first=first)
        else:
            self.beginning.wait(then)

    def abandon(self) -> None:
        """See `Played`."""
        self.director.stop()
        super().abandon()

    def attached(self, account: int | None) -> None:
        """See `Played`: he is connected. He may be away still; see `_handle`."""
        if not self.open:
            self.beginning.wait(partial(self.attached, account))
            return
        seat = self.chairs.held_by(account)
        if seat is not None and not seat.connected:
            self.chairs.attached(seat)
            self.hands.decisions.grace(seat)
            self.hands.consider_dealing()

    def holds_seat(self, account: int | None) -> bool:
        """See `Played`: who has left may stop watching."""
        seat = self.chairs.held_by(account)
        return seat is not None and seat.state is not SeatState.AWAY

    def sees_now(self, account: int | None) -> bool:
        """See `Played`: while it is not known who sits here, whoever asks waits for that."""
        return not self.open or super().sees_now(account)

    def stranger(self, viewer: Viewer, message: wire.Request) -> bool:
        """See `Played`: nobody is one before it is known who sits here."""
        return self.open and super().stranger(viewer, message)

    def detached(self, viewer: Viewer) -> None:
        """See `Played`."""
        if not self.open:
            self.beginning.wait(partial(self.detached, viewer))
            return
        self.chairs.viewer_gone(viewer)

    def close_doors(self) -> None:
        """See `Played`: nobody comes in, and who is in plays to the end."""

    def open_doors(self) -> None:
        """See `Played`."""

    # --- messages --------------------------------------------------------------------------------------------------

    def _handle(self, viewer: Viewer, message: wire.Request) -> None:
        shown = isinstance(message, wire.Observe | wire.Unobserve | wire.GetSnapshot)
        if not (self.open or shown):  # who sits here is not known yet
            self.refuse(viewer, message, Code.UNAVAILABLE)
            return
        seat = self.chairs.held_by(viewer.account)
        here = isinstance(message, wire.Observe | wire.Act | wire.PreAct)
        if seat is not None and here and self._goes(seat, away=False):
            self.hands.note_seats()
        super()._handle(viewer, message)

    def handle(self, viewer: Viewer, message: wire.Request) -> None:
        """See `Played`."""
        decisions = self.hands.decisions
        match message:
            case wire.Act():
                decisions.act(viewer, message)
            case wire.PreAct():
                decisions.pre_act(viewer, message)
            case wire.CancelPreAct():
                decisions.cancel_pre_act(viewer, message)
            case wire.SitIn():
                self._present(viewer, message, away=False)
            case wire.SitOut() | wire.StandUp():
                self._present(viewer, message, away=True)
            case wire.SeatOptions():
                self._options(viewer, message)
            case _ if isinstance(message, wire.UltimateMessage):
                self.refuse(viewer, message, Code.WRONG_GAME)
            case _:
                self.refuse(viewer, message, Code.TOURNAMENT_TABLE)

    def _present(self, viewer: Viewer, message: wire.Request, *, away: bool) -> None:
        """H5: who leaves is blinded off, and may return."""
        seat = self.chairs.held_by(viewer.account)
        if seat is None:
            self.refuse(viewer, message, Code.NOT_SEATED)
        elif not self._goes(seat, away=away):
            self.refuse(viewer, message, Code.NOT_PLAYING if away else Code.ALREADY_PLAYING)
        else:
            self.hands.note_wish(viewer, Outgoing(wire.Ok(re=message.id)))
            if away:
                self.hands.decisions.leaves(seat)

    def _options(self, viewer: Viewer, message: wire.SeatOptions) -> None:
        seat = self.chairs.held_by(viewer.account)
        if seat is None:
            self.refuse(viewer, message, Code.NOT_SEATED)
        elif message.auto_top_up_to or message.straddle:
            self.refuse(viewer, message, Code.TOURNAMENT_TABLE)
        else:
            if message.muck_losing is not None:
                seat.muck_losing = message.muck_losing
            self.hands.note_wish(viewer, Outgoing(wire.Ok(re=message.id)))

    def _goes(self, seat: Seat, *, away: bool) -> bool:
        """Notes that he is away, or back; whether that is news."""
        if self.director.ending or not self.director.away(seat.account, away=away):
            return False
        seat.state = SeatState.AWAY if away else SeatState.PLAYING
        self.chairs.changed(seat)
        return True
