"""The seating of a tournament's table, put together: drawn seats, the director's plan of each hand, and its restart.

Seats were drawn at the start, and no player sits down. The table comes to live here as any other does: with the epoch
it asks the ledger how the tournament stands, starts it if it is full, or plays it on from the journal.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Final

from pokerroom.ledger.api import SeatRow
from pokerroom.ledger.tournaments import TournamentRow
from pokerroom.ops.table_settings import TableSettings
from pokerroom.poker.game import PokerGame
from pokerroom.poker.play import HandPlay
from pokerroom.poker.ports import Dealing, HandPorts, PokerSeating
from pokerroom.poker.recovery import JournalledPoker
from pokerroom.poker.seats import Seat, SeatState
from pokerroom.rules import events as rules_events
from pokerroom.rules.button import Owes, Positions
from pokerroom.rules.tournament.state import Tournament
from pokerroom.table.game import GamePorts, MakeGame
from pokerroom.table.journal import UnreadableJournal
from pokerroom.table.outbox import Outbox
from pokerroom.table.viewer import Viewer
from pokerroom.tournament.director import Director
from pokerroom.tournament.journal import decode_facts
from pokerroom.tournament.orders import TournamentOrders
from pokerroom.tournament.restore import THE_TABLE, ended, journalled, restored, to_be_given
from pokerroom.tournament.seats import TournamentSeats
from pokerroom.tournament.settings import TournamentSettings
from pokerroom.tournament.starter import Rows, TournamentStarter
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

ALL_AWAY_S: Final = 1.0
"""[D] The pause after a hand where all players are away."""

_LOOKING = (wire.Observe, wire.Unobserve, wire.GetSnapshot)


def tournament_game(settings: TournamentSettings) -> MakeGame:
    """Return what makes the games of one tournament's table, one after the other."""
    return partial(PokerGame, settings, partial(TournamentSeating, settings))


class TournamentSeating:
    """The seating of one tournament's table (`poker.ports.PokerSeating`)."""

    def __init__(self, settings: TournamentSettings, ports: GamePorts, hands: HandPorts) -> None:
        self._announcer = ports.announcer
        self._hands = hands

        def over() -> None:
            ports.writer.forget()
            ports.context.over()

        self.director = Director(settings, ports, hands, lambda: self.seats, over)
        self.view = TournamentSeatingView(settings, self.director, lambda: self.seats)
        self.seats = TournamentSeats(settings, ports, hands, self._when_open, self.director)
        self.orders = TournamentOrders(settings.table, ports, hands, self.director, self.view.opens)
        self.policy = TournamentPolicy(settings, ports.announcer.outbox, hands, self.director, self.seats)
        self.recovery = TournamentRecovery(
            settings, ports, hands, self.director, self.seats, view=self.view, over=over
        )

    @property
    def state_name(self) -> str | None:
        """See `PokerSeating`."""
        return "paused" if not self.view.opens() and self.director.here.paused else None

    def admit(self, viewer: Viewer, message: wire.Request) -> Code | None:
        """See `PokerSeating`: a player who decides or looks is back (H5)."""
        if self.view.opens() and not isinstance(message, _LOOKING):
            return Code.UNAVAILABLE
        seat = self.seats.held_by(viewer.account)
        here = isinstance(message, wire.Observe | wire.Act | wire.PreAct)
        if seat is not None and here and self.policy.goes(seat, away=False):
            self._hands.journal.note()
        return None

    def handle(self, viewer: Viewer, message: wire.Request) -> None:
        """See `PokerSeating`."""
        match message:
            case wire.SitIn():
                self._present(viewer, message, away=False)
            case wire.SitOut() | wire.StandUp():
                self._present(viewer, message, away=True)
            case wire.SeatOptions():
                self._options(viewer, message)
            case _ if isinstance(message, wire.UltimateMessage):
                self._announcer.refuse(viewer, message, Code.WRONG_GAME)
            case _:
                self._announcer.refuse(viewer, message, Code.TOURNAMENT_TABLE)

    def _present(self, viewer: Viewer, message: wire.Request, *, away: bool) -> None:
        """H5: a player who leaves is blinded off, and may return."""
        seat = self.seats.held_by(viewer.account)
        if seat is None:
            self._announcer.refuse(viewer, message, Code.NOT_SEATED)
        elif not self.policy.goes(seat, away=away):
            self._announcer.refuse(viewer, message, Code.NOT_PLAYING if away else Code.ALREADY_PLAYING)
        else:
            self._hands.journal.confirm(viewer, message)
            if away:
                self._hands.leaves(seat)

    def _options(self, viewer: Viewer, message: wire.SeatOptions) -> None:
        seat = self.seats.held_by(viewer.account)
        if seat is None:
            self._announcer.refuse(viewer, message, Code.NOT_SEATED)
        elif message.auto_top_up_to or message.straddle:
            self._announcer.refuse(viewer, message, Code.TOURNAMENT_TABLE)
        else:
            if message.muck_losing is not None:
                seat.muck_losing = message.muck_losing
            self._hands.journal.confirm(viewer, message)

    def _when_open(self, then: Callable[[], None]) -> bool:
        if not self.view.opens():
            return False
        self.view.when_open(then)
        return True


class TournamentPolicy:
    """The players of each hand at a tournament's table, and the work after it (`poker.ports.HandPolicy`)."""

    def __init__(
        self,
        settings: TournamentSettings,
        outbox: Outbox,
        hands: HandPorts,
        director: Director,
        seats: TournamentSeats,
    ) -> None:
        self._settings = settings
        self._outbox = outbox
        self._hands = hands
        self._director = director
        self._seats = seats

    @property
    def awaited(self) -> bool:
        """See `HandPolicy`: a player who is not here yet, and is not known to be away."""
        return any(seat.state is SeatState.PLAYING and not seat.connected for seat in self._seats.seats)

    def plan(self, previous: Positions | None) -> Dealing | None:  # noqa: ARG002 -- the tournament knows
        """See `HandPolicy`."""
        hand = self._director.deal() if self._director.tournament is not None else None
        if hand is None:
            return None
        return self._settings.at(self._settings.terms.schedule.levels[hand.level]), hand.plan

    def settled(self, play: HandPlay, timed_out: Collection[int], acted: Collection[int]) -> None:  # noqa: ARG002 -- a player who does not act is away at once
        """See `HandPolicy`."""
        stacks = zip(play.seats, play.state.stacks, strict=True)
        self._director.hand_over({seat.number: stack for seat, stack in stacks})

    def absent(self, seat: Seat) -> bool:
        """See `HandPolicy` (H5)."""
        return seat.state is SeatState.AWAY

    def protected(self, seat: Seat) -> bool:
        """See `HandPolicy`: by default a player whose time has run out checks if that is free, else folds (H2, H5)."""
        protection = self._settings.timeout_protection
        return protection == "always" or (protection == "disconnected" and not seat.connected)

    def timed_out(self, play: HandPlay, seat: Seat, events: Sequence[rules_events.Event]) -> None:  # noqa: ARG002 -- whatever was done
        """See `HandPolicy`: the player is away until they act (H5) [D]."""
        if self.goes(seat, away=True):
            self._hands.journal.note()

    def goes(self, seat: Seat, *, away: bool) -> bool:
        """Note that the player is away, or back; return whether that is news."""
        if self._director.ending or not self._director.away(seat.account, away=away):
            return False
        seat.state = SeatState.AWAY if away else SeatState.PLAYING
        self._seats.changed(seat)
        return True

    def pause_s(self) -> float:
        """See `HandPolicy`: where all are away hands take their time, or a node would do nothing else."""
        pause_s = self._settings.hand_pause_ms / 1000
        here = [
            seat.account for seat in self._seats.seats if seat.state is SeatState.PLAYING and seat.connected
        ]
        if not here:
            return max(pause_s, ALL_AWAY_S)
        looks = any(viewer.wants_pause and viewer.account in here for viewer in self._outbox.viewers())
        return pause_s if looks else 0

    def no_more_hands(self) -> None:
        """See `HandPolicy`: the next owner goes on with the clock as it stands now."""
        if self._director.tournament is not None and not self._hands.hand.lifecycle.frozen:
            self._hands.journal.note()


class TournamentSeatingView:
    """The view of the seats of a tournament's table (`poker.ports.SeatingView`)."""

    def __init__(
        self, settings: TournamentSettings, director: Director, seats: Callable[[], TournamentSeats]
    ) -> None:
        self._settings = settings
        self._director = director
        self._seats = seats
        self._waiting: list[Callable[[], None]] = []
        """Callbacks that wait until the seats are known."""

    def info(self) -> wire.TableInfo:
        """See `SeatingView`."""
        seats = len(self._seats().seats)
        return self.settings_now().info(seats, seats)

    def players(self) -> int:
        """See `SeatingView`: players who are away are dealt in, too."""
        return len(self._seats().seats)

    def settings_now(self) -> TableSettings:
        """See `SeatingView`: those of the present level."""
        if self.opens():
            return self._settings
        tournament = self._director.here
        return self._settings.at(tournament.terms.schedule.level(tournament.clock))

    def tournament_view(self) -> wire.TournamentView:
        """See `SeatingView`."""
        return self._director.view()

    def opens(self) -> bool:
        """See `SeatingView`: until the ledger has returned the state of the tournament."""
        return self._director.tournament is None

    def when_open(self, then: Callable[[], None]) -> None:
        """See `SeatingView`."""
        self._waiting.append(then)

    def take_over(self, before: TournamentSeatingView) -> None:
        """Take over the waiting callbacks of the game before, after a fault."""
        self._waiting, before._waiting = before._waiting, []

    def opened(self) -> None:
        """Call what has waited until the seats are known."""
        waiting, self._waiting = self._waiting, []
        for then in waiting:
            then()


class TournamentRecovery:
    """The seats of a tournament's table rebuilt from ledger and journal (`poker.ports.SeatRecovery`)."""

    def __init__(
        self,
        settings: TournamentSettings,
        ports: GamePorts,
        hands: HandPorts,
        director: Director,
        seats: TournamentSeats,
        *,
        view: TournamentSeatingView,
        over: Callable[[], None],
    ) -> None:
        self._settings = settings
        self._table = ports.table
        self._context = ports.context
        self._hands = hands
        self._director = director
        self._seats = seats
        self._view = view
        self._start = TournamentStarter(settings, ports, self._known, over)
        self._begin: Callable[[Rows, list[bytes], frozenset[str]], None] | None = None
        self._stored: Tournament | None = None
        """The journal's state, while the table is rebuilt."""
        self._row: TournamentRow | None = None
        self._names: Mapping[int, str] = {}

    def restore(
        self,
        rows: list[SeatRow],  # noqa: ARG002 -- the seats are the tournament's
        entries: list[bytes],
        settled: frozenset[str],
        begin: Callable[[Rows, list[bytes], frozenset[str]], None],
    ) -> None:
        """See `SeatRecovery`: the ledger is asked how the tournament stands."""
        self._begin = begin
        self._start.begin(entries, settled)

    def _known(self, rows: Rows, entries: list[bytes], settled: frozenset[str]) -> None:
        superseded = self._seats.abandoned or not self._view.opens()
        if self._table.frozen or self._table.relinquished or superseded:
            return  # the table restarts, and asks again
        assert self._begin is not None
        self._begin(rows, entries, settled)
        self._view.opened()
        if rows[0].phase == "running" and not self._director.here.table(THE_TABLE).hands and not entries:
            self._context.started(rows[0])

    async def rows(self) -> Rows:
        """See `SeatRecovery`; starts the tournament if it has not started. Raises as `start_tournament` does."""
        return await self._start.rows()

    def take_over(self, before: PokerSeating, rows: Rows) -> None:  # noqa: ARG002 -- no player has left meanwhile
        """See `SeatRecovery`."""
        assert isinstance(before, TournamentSeating)
        self._view.take_over(before.view)

    def ended(self, rows: Rows) -> bool:
        """See `SeatRecovery`."""
        return rows[0].phase != "running"

    def sit_again(self, rows: Rows, found: JournalledPoker) -> None:
        """See `SeatRecovery`; a tournament that has ended is shown at its end."""
        self._row, self._names = rows
        self._stored = self._journalled(found)
        if self.ended(rows):
            self._director.show_end(ended(self._stored, self._settings.terms, rows[0]), self._names)
            return
        kept = decode_facts(found.facts).seats
        self._seats.sit([seat for seat in self.standing_of(rows).values() if seat.stack], kept)

    def plays_on(self, play: HandPlay | None, *, settled: bool) -> None:
        """See `SeatRecovery`."""
        row, now_ms = self._row, self._context.now_ms()
        assert row is not None
        tournament = restored(
            self._stored,
            self._settings.terms,
            row,
            settled=settled,
            plays_on=play is not None,
            now_ms=now_ms,
        )
        for player in tournament.players:
            seat = self._seats.held_by(player.account)
            if seat is not None and player.away:
                seat.state = SeatState.AWAY
        self._stored = None
        given = min((place.number for place in row.places), default=self._settings.terms.seats + 1)
        self._director.begin(tournament, self._names, given, to_be_given(tournament, row))

    def standing_of(self, rows: Rows) -> Mapping[int, Seat]:
        """See `SeatRecovery`."""
        row, names = rows
        return {
            entry.account: Seat(
                time_bank_ms=self._settings.time_bank_s * 1000,
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

    def settings_of(self, found: JournalledPoker) -> TableSettings:
        """See `SeatRecovery`: those of the level that the hand was dealt at."""
        stored = self._journalled(found)
        hand = None if stored is None else stored.table(THE_TABLE).hand
        if stored is None or hand is None:
            raise UnreadableJournal("the journal does not tell of the tournament that the hand is of")
        return self._settings.at(stored.terms.schedule.levels[hand.level])

    def gathered(self) -> None:
        """See `SeatRecovery`."""
        self._hands.consider_dealing()

    def restarted(self) -> None:
        """See `SeatRecovery`: show the table to clients that have waited for it."""
        self._view.opened()

    def _journalled(self, found: JournalledPoker) -> Tournament | None:
        data = decode_facts(found.facts).tournament
        return None if self._row is None else journalled(data, self._settings.terms, self._row)
