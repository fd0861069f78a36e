"""What the shell of a tournament's actor runs in place of a game: a director, no players, and no hands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, NoReturn

import structlog
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from pokerroom.ledger.api import NotOwner, SeatRow
from pokerroom.ledger.tournaments import NotFull, RegistrationClosed, table_of
from pokerroom.ops.reports import OrderRefused
from pokerroom.poker import recovery as tables
from pokerroom.rules.tournament.data import change_to_data, tournament_to_data
from pokerroom.rules.tournament.state import TournamentPhase
from pokerroom.table.api import LobbyRow, SeatOffered
from pokerroom.table.game import GamePorts
from pokerroom.table.journal import UnreadableJournal
from pokerroom.table.outbox import Batch
from pokerroom.table.viewer import Viewer
from pokerroom.tournament.director import Director
from pokerroom.tournament.journal import (
    TournamentChange,
    TournamentFrozen,
    TournamentKept,
    decode_facts,
    encode_entry,
    read_tournament,
)
from pokerroom.tournament.orders import TournamentOrders
from pokerroom.tournament.restore import ended, journalled, restored
from pokerroom.tournament.settings import TournamentActorSettings
from pokerroom.tournament.starter import TournamentRows, started
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

TournamentStanding = tuple[TournamentRows, list[bytes], list[bytes]]
"""The state of a tournament: of the ledger, of its journal, and of the journal of its first table."""

_FIRST_TABLE: Final = 1

PLAYERS_PER_CHANGE: Final = 20
"""[D] The whole state of a field is written after one change for so many players: each time, if there are fewer."""


class TournamentGame:
    """One incarnation of a tournament in its shell (`table.game.Game`)."""

    def __init__(
        self, settings: TournamentActorSettings, next_number: Callable[[], int], ports: GamePorts
    ) -> None:
        self.director = Director(
            settings.tournament,
            ports,
            next_number,
            keep=lambda table: self.recovery.keep(table),  # noqa: PLW0108 -- it is made below
            ask_again=lambda: self.recovery.ask(),  # noqa: PLW0108 -- it is made below
            over=ports.over,
        )
        self.play = TournamentPlay(self.director, lambda: self.recovery.keep())  # noqa: PLW0108 -- as above
        self.recovery = TournamentActorRecovery(settings, ports, self.director, self.play)
        self.orders = TournamentOrders(settings.tournament, ports, self.director, self.recovery.confirm)
        self.seats = NoSeats()
        self.view = TournamentActorView(settings)

    def stranger(self, viewer: Viewer, message: wire.Request) -> bool:  # noqa: ARG002 -- no client has business here
        return True

    def admit(self, viewer: Viewer, message: wire.Request) -> Code | None:  # noqa: ARG002 -- as above
        return Code.UNKNOWN_TABLE

    def handle(self, viewer: Viewer, message: wire.Request) -> NoReturn:
        raise AssertionError(f"{type(message).__name__} of {viewer.account}")


class TournamentPlay:
    """What the shell asks of the director (`table.game_parts.GamePlay`); its tables have the hands."""

    def __init__(self, director: Director, keep: Callable[[], None]) -> None:
        self._director = director
        self._keep = keep
        self.frozen = False

    @property
    def state_name(self) -> str:
        if self.frozen:
            return "frozen"
        tournament = self._director.tournament
        if tournament is None or tournament.phase is not TournamentPhase.running:
            return "waiting"
        return "paused" if tournament.paused else "playing"

    def _none(self) -> None:
        """There is no hand and no decision."""

    hand_id = hold_clocks = restart_clocks = go_on = _none

    def unfinished(self) -> bool:
        """See `GamePlay`: the ledger's answers are waited for in any case."""
        return False

    def rest_no_more(self) -> None:
        """See `GamePlay`: the next owner goes on with the clock as it stands now."""
        if self._director.tournament is not None and not self.frozen:
            self._keep()

    def consider_next(self) -> None:
        if not self.frozen:
            self._director.consider_ordering()

    def abandon(self) -> None:
        self.frozen = True
        self._director.stop()

    def stop(self) -> None:
        self._director.stop()


class NoSeats:
    """The seats of an actor that has none of its own (`table.game_parts.GameSeats`)."""

    closing = False

    def _nothing(self, *_: object) -> None:
        """Nothing happens at no seat."""

    attached = detached = close_doors = open_doors = withdraw_offer = abandon = stop = _nothing

    def holders(self) -> list[int]:
        return []

    seated = holders

    def connected(self) -> int:
        return 0

    def empty(self) -> bool:
        return True

    def holds_seat(self, account: int | None) -> bool:  # noqa: ARG002 -- none does
        return False

    def offer_seat(self, account: int, offered: SeatOffered) -> None:  # noqa: ARG002 -- no account waits for a seat here
        offered(None, 0)


class TournamentActorView:
    """What is shown of the actor itself (`table.game_parts.GameView`): its tables show the tournament."""

    def __init__(self, settings: TournamentActorSettings) -> None:
        self._settings = settings

    def info(self) -> LobbyRow:
        return self._settings.info(0, 0)

    def players(self) -> int:
        return 0

    waiting = players

    def when_settled(self, then: Callable[[], None], *, first: bool = False) -> None:  # noqa: ARG002 -- nothing settles
        then()

    def sees_now(self, account: int | None) -> bool:  # noqa: ARG002 -- there is nothing to see
        return True

    def snapshot(self, account: int | None, re: int | None) -> NoReturn:
        raise AssertionError(f"a snapshot for {account}, {re}")


class TournamentActorRecovery:
    """The tournament rebuilt from its journal and the ledger (`table.game_parts.GameRecovery`)."""

    ledger_voids = False

    def __init__(
        self,
        settings: TournamentActorSettings,
        ports: GamePorts,
        director: Director,
        play: TournamentPlay,
    ) -> None:
        self._settings = settings
        self._context = ports.context
        self._post = ports.mailbox.post
        self._writer = ports.writer
        self._orders = ports.orders
        self._table = ports.table
        self._director = director
        self._play = play
        self._over = ports.over
        self._changes = 0
        """Changes in the journal since the whole state."""
        self._placed = 0
        """Places in the journal."""
        self._log = structlog.get_logger().bind(tournament=settings.tournament)

    def restore(self, rows: list[SeatRow], entries: list[bytes], settled: frozenset[str]) -> None:  # noqa: ARG002 -- its own journal says it all
        """See `GameRecovery`: the ledger is asked how the tournament stands, and it starts if it is full."""
        self._ask(entries)

    def ask(self) -> None:
        """Ask the ledger once more: a table has told more than is known here."""
        self._ask([self._entry()])

    def _ask(self, entries: list[bytes]) -> None:
        Deferred.fromCoroutine(self._standing(entries)).addCallbacks(
            lambda found: self._post(self._known, found), lambda failure: self._post(self._not_known, failure)
        )

    async def standing(self) -> TournamentStanding:
        return await self._standing(await self._context.journal.entries(self._settings.table))

    async def _standing(self, entries: list[bytes]) -> TournamentStanding:
        rows = await started(self._settings.of, self._context)
        before: list[bytes] = []
        if not entries:
            with suppress(ConnectionError, TimeoutError):
                before = await self._context.journal.peek(table_of(self._settings.tournament, _FIRST_TABLE))
        return rows, entries, before

    def _known(self, found: TournamentStanding) -> None:
        if not (self._play.frozen or self._table.relinquished):  # else it restarts, and asks again
            self._begin(found)

    def _not_known(self, failure: Failure) -> None:
        """Handle a refused start: it has started elsewhere, or cannot start. Any other failure is a defect."""
        if isinstance(failure.value, NotOwner):
            self._table.lost_ownership()
        elif isinstance(failure.value, RegistrationClosed | NotFull):
            self._log.info("tournament.not_started", reason=failure.value.code)
            self._over()
        else:
            failure.raiseException()

    def restart(
        self,
        found: TournamentStanding,
        before: TournamentGame,  # noqa: ARG002 -- ledger and journal have all of it
        goes_on: Callable[[str], None],
    ) -> None:
        goes_on("The tournament goes on.")
        self._begin(found)

    def _begin(self, found: TournamentStanding) -> None:
        (row, names), entries, before = found
        if row.phase == "cancelled":
            self._over()
            return
        if row.phase != "running":
            self._director.show_end(ended(self._settings.of.terms, row), names)
            return
        state, frozen = self._read(entries, before)
        terms = self._settings.of.terms
        stored = journalled(state, terms, row)
        tournament = restored(stored, terms, row, now_ms=self._context.now_ms())
        given = min((place.number for place in row.places), default=len(row.players) + 1)
        self._director.begin(
            tournament,
            names,
            given,
            started_ms=row.started_ms or 0,
            last_table=max(table.number for table in row.tables),
        )
        self._context.tables_open([table.number for table in tournament.tables])
        if frozen:
            self._orders.restored()
        else:
            self.keep()

    def _read(self, entries: Sequence[bytes], before: Sequence[bytes]) -> tuple[dict[str, Any] | None, bool]:
        """Return the state and whether the operator has frozen it; a version before kept the state at the table."""
        try:
            if entries:
                return read_tournament(entries)
            return decode_facts(tables.read(before).facts).tournament, False
        except UnreadableJournal as unreadable:
            self._log.error("journal.unreadable", reason=str(unreadable))
            return None, False

    def restarted(self) -> None:
        """See `GameRecovery`."""

    # --- what it writes -------------------------------------------------------------------------------------------

    def keep(self, table: int | None = None) -> None:
        """Journal the tournament as it is now, or what a table has changed: a large field is seldom written whole."""
        tournament = self._director.here
        if table is not None and self._changes < len(tournament.players) // PLAYERS_PER_CHANGE:
            self._changes += 1
            change = change_to_data(self._director.by_now(), table, self._placed)
            self._writer.note(encode_entry(TournamentChange(change=change)), first=False)
        else:
            self._changes = 0
            self._writer.note(self._entry(), first=True)
        self._placed = len(tournament.standings)

    def confirm(self, done: Callable[[], None]) -> None:
        """Journal the tournament as it is now, then call `done`."""
        self._writer.write(self._entry(), Batch(left=done), first=True)
        self._changes, self._placed = 0, len(self._director.here.standings)

    def _entry(self) -> bytes:
        return encode_entry(TournamentKept(state=tournament_to_data(self._director.by_now())))

    def handoff_entry(self) -> bytes:
        return b"" if self._director.tournament is None else self._entry()

    def frozen_entry(self, *, frozen: bool) -> bytes:
        return encode_entry(TournamentFrozen(frozen=frozen))

    async def prepare_void(self, *, complete: bool) -> NoReturn:  # noqa: ARG002 -- hands are the tables'
        raise OrderRefused("no_hand", "A tournament has no hand of its own. Name the table.")

    def declare_void(self, prepared: object, *, complete: bool) -> NoReturn:  # noqa: ARG002 -- as above
        raise AssertionError("it was refused when it was prepared")
