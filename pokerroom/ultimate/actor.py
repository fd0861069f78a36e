"""A table of Ultimate Texas Hold'em against the house: one actor with one mailbox.

What is played is on the `felt`: places, bets, the round. What every table has, whatever is played, is in `table.base`;
this module is the game's messages, and the answers to what the base asks. A table knows no sockets and no SQL; time,
randomness, journal and ledger are handed to it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from twisted.internet.defer import Deferred

from pokerroom.ledger.api import SeatRow
from pokerroom.table.actor import TableShell
from pokerroom.table.api import SeatOffered, TableFacts
from pokerroom.table.context import TableContext
from pokerroom.table.outbox import Viewer
from pokerroom.ultimate import recovery, views
from pokerroom.ultimate.felt import Felt
from pokerroom.ultimate.rebuilding import Rebuilding, Standing
from pokerroom.ultimate.refusals import Refusals
from pokerroom.ultimate.settings import UltimateSettings
from pokerroom.ultimate.voiding import Voiding
from pokerroom.ultimate.writing import Writing
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

_PLAYERS_ONLY = (wire.PlaceBet, wire.ChoosePlay, wire.ChangeBets, wire.Decide, wire.GiveTip)


class UltimateTable(TableShell):
    """See the module. All public methods are doors into the mailbox, but for the read-only ones."""

    settings: UltimateSettings

    def __init__(self, settings: UltimateSettings, world: TableContext) -> None:
        super().__init__(settings, world)
        self.writing = Writing(self)
        self.refusals = Refusals(self)
        self.rebuilding = Rebuilding(self)
        self.voiding = Voiding(self)
        self.felt = Felt(self)
        self.starting = 0
        """Whether the ledger is asked how the table stands."""

    # --- questions --------------------------------------------------------------------------------------------------

    def info(self) -> wire.UltimateInfo:
        """The table's line in the lobby."""
        play = self.felt.visible_play()
        return self.settings.info(
            sum(1 for _ in self.felt.places),
            0 if play is None else len(play.accounts),
            closing=self.felt.closing,
        )

    def players(self) -> int:
        """See `TableActor`: one alone plays, too."""
        return sum(1 for _ in self.felt.places)

    def facts(self) -> TableFacts:
        """See `TableActor`."""
        places = list(self.felt.places)
        round_id = self.hand_id()
        return TableFacts(
            state=self.state_name,
            closing=self.closing,
            hand_id=None if round_id == self.felt.ended else round_id,
            occupied=len(places),
            connected=sum(place.connected for place in places),
            waiting=0,
            crashes=self.restarts.count,
            frozen=self.frozen_by,
        )

    @property
    def state_name(self) -> str:
        """One word for the operator."""
        return self.felt.course.state

    @property
    def closing(self) -> bool:
        """See `TableActor`."""
        return self.felt.closing

    def hand_id(self) -> str | None:
        """The round in progress, for the operator."""
        play = self.felt.course.play
        return None if play is None else play.round_id

    def holders(self) -> list[int]:
        """See `TableActor`."""
        return self.felt.places.accounts()

    def seated(self) -> list[int]:
        """See `TableActor`."""
        return [place.account for place in self.felt.places]

    def handoff_state(self) -> bytes:
        """See `TableActor`."""
        return self.felt.words()

    # --- doors ------------------------------------------------------------------------------------------------------

    def restore(self, rows: list[SeatRow], entries: list[bytes], settled: frozenset[str]) -> None:  # noqa: ARG002
        """The table as ledger and journal know it; which round is in progress it asks the ledger itself."""
        self.mailbox.post(self.rebuilding.restore, rows, entries)

    def offer_seat(self, account: int, told: SeatOffered) -> None:  # noqa: ARG002 -- nobody waits for a place here
        """See `TableActor`."""
        told(None, 0)

    def withdraw_offer(self, account: int) -> None:
        """See `TableActor`."""

    def void_hand(self, *, complete: bool = False) -> Deferred[str]:
        """By the operator: the round of a frozen table is void; fires with its id. Fails with `OrderRefused`."""
        return self._ordered(partial(self.voiding.void_round, complete=complete))

    def stop(self) -> None:
        """The room is going down: a round still in progress is left to journal and ledger; no timer is left."""
        self.restarts.stop()
        self.ending.draining = True
        self.felt.stop()
        self.snapshots.stop()

    # --- what the base asks -----------------------------------------------------------------------------------------

    @property
    def playing(self) -> bool:
        """See `Played`."""
        return self.felt.course.play is not None

    @property
    def storing(self) -> bool:
        """See `Played`."""
        return self.writing.in_flight > 0

    @property
    def asking(self) -> bool:
        """See `Played`."""
        return self.felt.asking.waits() or self.starting > 0

    def progress(self) -> object:
        """See `Played`."""
        return self.writing.appended, self.felt.asking.asked

    def unfinished(self) -> bool:
        """See `Played`."""
        return self.felt.unfinished()

    def rest_no_more(self) -> None:
        """See `Played`."""
        self.felt.rest_no_more()

    def hold_clocks(self) -> None:
        """See `Played`."""
        self.felt.hold_clocks()

    def restart_clocks(self) -> None:
        """See `Played`."""
        self.felt.restart_clocks()

    def consider_next(self) -> None:
        """See `Played`."""
        self.felt.consider_closing()
        self.felt.prepare()

    def ledger_answered(self) -> None:
        """See `TableShell`."""
        super().ledger_answered()
        self.voiding.consider()

    def note_frozen(self, *, frozen: bool) -> None:
        """See `Played`."""
        self.writing.note(recovery.frozen_entry(frozen=frozen), first=False)

    def abandon(self) -> None:
        """See `Played`."""
        self.felt.abandon()

    async def standing(self) -> Standing:
        """See `Played`."""
        return await self.rebuilding.standing()

    def begin_anew(self, found: Standing) -> None:
        """See `Played`."""
        self.rebuilding.begin_anew(found)

    def sees_now(self, account: int | None) -> bool:  # noqa: ARG002 -- nobody sees anything later
        """See `Played`."""
        return True

    def when_settled(self, then: Callable[[], None], *, first: bool) -> None:
        """See `Played`."""
        self.felt.rounds.when_settled(then, first=first)

    def snapshot(self, account: int | None, re: int | None) -> wire.UltimateSnapshot:
        """See `Played`; which cards are in it is decided in `views`."""
        felt = self.felt
        felt.rounds.flush()  # what is shown has a number
        return views.snapshot(
            table=self.settings.table,
            info=self.info(),
            seq=self.seq,
            places=felt.places,
            light=felt.light(),
            play=felt.visible_play(),
            question=felt.rounds.question(),
            meter=felt.shown_meter(),
            account=account,
            re=re,
            slip=felt.betting.facts_of(account),
        )

    def attached(self, account: int | None) -> None:
        """See `Played`."""
        place = self.felt.places.held_by(account)
        if place is not None:
            self.felt.places.attached(place)
            self.refusals.attached(place.account)

    def holds_seat(self, account: int | None) -> bool:
        """See `Played`."""
        return self.felt.places.of(account) is not None

    def detached(self, viewer: Viewer) -> None:
        """See `Played`."""
        self.felt.places.viewer_gone(viewer)

    def close_doors(self) -> None:
        """See `Played`: what is in progress is the last round, and then all leave."""
        self._note_closing(closing=True)
        self.world.seating.closed(self.settings.table)
        self.felt.consider_leaving()

    def open_doors(self) -> None:
        """See `Played`."""
        self._note_closing(closing=False)
        self.world.seating.opening(self.settings.table)
        self.felt.prepare()

    def _note_closing(self, *, closing: bool) -> None:
        self.felt.closing = closing
        self.writing.note(recovery.closing_entry(closing=closing), first=False)

    def empty(self) -> bool:
        """See `Played`."""
        return self.felt.places.empty() and not self.felt.asking.waits()

    def stranger(self, viewer: Viewer, message: wire.Request) -> bool:
        """See `Played`: nobody is one before it is known who sits here."""
        known = self.felt.known
        return (
            known and isinstance(message, _PLAYERS_ONLY) and self.felt.places.held_by(viewer.account) is None
        )

    def handle(self, viewer: Viewer, message: wire.Request) -> None:
        """See `Played`."""
        felt = self.felt
        if not felt.known:
            self.refuse(viewer, message, Code.UNAVAILABLE)
            return
        match message:
            case wire.Decide():
                felt.decisions.decide(viewer, message)
            case wire.PlaceBet() | wire.ChoosePlay() | wire.ChangeBets():
                felt.betting.wish(viewer, message)
            case wire.TakePlace():
                felt.places.take(viewer, message)
            case wire.StandUp():
                felt.places.stand_up(viewer, message)
            case wire.GiveTip():
                felt.decisions.tip(viewer, message)
            case _:
                self.refuse(viewer, message, Code.WRONG_GAME)
