"""A table at which hold'em hands are dealt one after the other: what cash tables and sit-and-gos have in common.

`hands` plays a hand, its `decisions` what is asked in it; who sits where is the `chairs` of the kind of table. What
differs is asked of the table: who is dealt in (`plan`), what follows a hand that is settled (`settled`), and what
becomes of who does not act (`absent`, `protected`, `timed_out`). Runs inside the table's mailbox.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from twisted.internet.defer import Deferred

from pokerroom.poker import recovery, views
from pokerroom.poker.hands import HandRunner
from pokerroom.poker.play import HandPlay
from pokerroom.poker.rebuild import HandRebuild, PokerStanding, standing
from pokerroom.poker.seats import Seat, Seats
from pokerroom.poker.settings import TableSettings
from pokerroom.poker.void import HandVoid
from pokerroom.rules import events as rules_events
from pokerroom.rules.button import HandPlan, Positions
from pokerroom.table.actor import TableShell
from pokerroom.table.api import TableFacts
from pokerroom.table.context import TableContext
from pokerroom.table.outbox import Batch, Viewer
from pokerroom.table.spectator_delay import SpectatorDelay
from pokerroom_protocol import messages as wire

_DECIDING = (wire.Act, wire.PreAct, wire.CancelPreAct)

Dealing = tuple[TableSettings, HandPlan]
"""What a hand is played by, and who is dealt in from where."""


class PokerSeats(Protocol):
    """Who sits where, as far as hands must know it."""

    seats: Seats

    @property
    def closing(self) -> bool:
        """Whether nobody may sit down any more."""

    def held_by(self, account: int | None) -> Seat | None:
        """The seat of an account, of which everybody is told."""

    def reserved(self) -> Sequence[int]:
        """The free seats that are held for somebody, in order."""

    def facts(self) -> list[Any]:
        """What the ledger does not know of the table, as plain values: whether it is closing, and the rest."""

    def empty(self) -> bool:
        """Whether nobody has a seat or is about to."""

    def changed(self, seat: Seat) -> None:
        """Tells everybody how the seat stands."""

    def abandon(self) -> None:
        """The table is about to begin anew with others."""

    def stop(self) -> None:
        """Leaves nothing on the clock."""


class PokerTable(TableShell):
    """See the module. All public methods are doors into the mailbox, but for the read-only ones."""

    settings: TableSettings
    chairs: PokerSeats

    def __init__(self, settings: TableSettings, world: TableContext) -> None:
        super().__init__(settings, world)
        self.rebuilding = HandRebuild(self)
        self.voiding = HandVoid(self)
        self.hands = HandRunner(self)

    # --- what differs ----------------------------------------------------------------------------------------------

    @abstractmethod
    def plan(self, previous: Positions | None) -> Dealing | None:
        """The next hand; None if there is none now. `previous` are the positions of the last one here."""

    @abstractmethod
    def settled(self, play: HandPlay) -> None:
        """The hand is in the ledger and told, and its seats have their stacks: what follows before the next one."""

    @abstractmethod
    def absent(self, seat: Seat) -> bool:
        """Whether his decisions are not waited for: he is folded when his turn comes."""

    @abstractmethod
    def protected(self, seat: Seat) -> bool:
        """Whether the clock treats him as all-in for what is in (H2)."""

    @abstractmethod
    def timed_out(self, play: HandPlay, seat: Seat, events: Sequence[rules_events.Event]) -> None:
        """The clock has decided for him; these are the events, and they are on their way to the journal."""

    @abstractmethod
    def pause_s(self) -> float:
        """How long the pause after a hand is."""

    @abstractmethod
    def gather(self) -> None:
        """The table has come here between hands: the first one begins, or waits for who is not back yet."""

    @abstractmethod
    def awaited(self) -> bool:
        """Whether somebody who played is not back yet."""

    @abstractmethod
    async def rows(self) -> Any:
        """Who sits here, as the ledger says; waits for it as long as it takes."""

    @abstractmethod
    def renew(self, rows: Any) -> None:
        """After a fault: other chairs in place of those whose state may be wrong; `rows` are the ledger's word."""

    @abstractmethod
    def sit_again(self, rows: Any, found: recovery.JournalledPoker) -> None:
        """New chairs are as ledger and journal say."""

    @abstractmethod
    def plays_on(self, play: HandPlay | None, *, settled: bool) -> None:
        """The hand in the journal goes on; None if there is none, or it is `settled`, or void."""

    @abstractmethod
    def standing_of(self, rows: Any) -> Mapping[int, Seat]:
        """By account: seats as the ledger alone knows them, for a hand that is only looked at. `rows` are its word."""

    def settings_of(self, found: recovery.JournalledPoker) -> TableSettings:  # noqa: ARG002 -- some have levels
        """What the hand in the journal is played by."""
        return self.settings

    def settings_now(self) -> TableSettings:
        """What the next hand is played by, for who looks."""
        return self.settings

    # --- questions -------------------------------------------------------------------------------------------------

    def facts(self) -> TableFacts:
        """See `TableActor`."""
        seats = list(self.chairs.seats)
        hand_id = self.hand_id()
        return TableFacts(
            state=self.state_name,
            closing=self.closing,
            hand_id=None if hand_id == self.voiding.voided else hand_id,
            occupied=len(seats),
            connected=sum(seat.connected for seat in seats),
            waiting=self.world.seating.waiting(self.settings.table),
            crashes=self.restarts.count,
            frozen=self.frozen_by,
        )

    @property
    def state_name(self) -> str:
        """One word for the operator."""
        return self.hands.course.state

    @property
    def closing(self) -> bool:
        """See `TableActor`."""
        return self.chairs.closing

    def hand_id(self) -> str | None:
        """The hand in progress, for the operator."""
        play = self.hands.play()
        return None if play is None else play.hand_id

    def holders(self) -> list[int]:
        """See `TableActor`."""
        return [seat.account for seat in self.chairs.seats]

    def seated(self) -> list[int]:
        """See `TableActor`."""
        return [account for account in self.holders() if self.chairs.held_by(account) is not None]

    def handoff_state(self) -> bytes:
        """See `TableActor`."""
        return self.hands.between_hands()

    # --- doors -----------------------------------------------------------------------------------------------------

    def void_hand(self, *, complete: bool = False) -> Deferred[str]:
        """By the operator: the hand of a frozen table is void; fires with its id. Fails with `OrderRefused`."""
        return self._ordered(partial(self.voiding.void_hand, complete=complete))

    def stop(self) -> None:
        """The room is going down: a hand still in progress is left to its journal, and every timer is cancelled."""
        self.restarts.stop()
        self.hands.stop()
        self.chairs.stop()
        self.snapshots.stop()

    # --- what the base asks ----------------------------------------------------------------------------------------

    @property
    def playing(self) -> bool:
        """See `Played`."""
        return self.hands.course.play is not None

    @property
    def storing(self) -> bool:
        """See `Played`."""
        return self.hands.in_flight > 0

    def unfinished(self) -> bool:
        """See `Played`: with all of its players gone only clocks would run."""
        decision = self.hands.course.decision
        if decision is not None:
            return any(seat.connected for seat in decision.play.seats)
        return self.state_name == "settling"

    def rest_no_more(self) -> None:
        """See `Played`."""
        self.hands.rest_no_more()

    def hold_clocks(self) -> None:
        """See `Played`."""
        self.hands.decisions.hold()

    def restart_clocks(self) -> None:
        """See `Played`."""
        self.hands.decisions.ask_anew()

    def consider_next(self) -> None:
        """See `Played`."""
        self.hands.consider_dealing()

    def note_frozen(self, *, frozen: bool) -> None:
        """See `Played`."""
        self.hands.note(recovery.frozen_entry(frozen=frozen), Batch(ready=False), first=False)

    def abandon(self) -> None:
        """See `Played`."""
        self.chairs.abandon()
        self.hands.freeze()

    def made_spectator_delay(self) -> SpectatorDelay | None:
        """See `TableShell`."""
        settings, world = self.settings, self.world
        if not settings.observer_delay_s:
            return None
        return SpectatorDelay(
            clock=world.clock,
            delay_s=settings.observer_delay_s,
            post=self.mailbox.post,
            counted=world.observer.frames_out,
            info=settings.info(0, 0),
            seq=world.first_seq,
        )

    def sees_now(self, account: int | None) -> bool:
        """See `Played`."""
        return self.chairs.held_by(account) is not None

    def when_settled(self, then: Callable[[], None], *, first: bool) -> None:
        """See `Played`."""
        self.hands.when_settled(then, first=first)

    def snapshot(self, account: int | None, re: int | None) -> wire.Snapshot:
        """See `Played`; which cards are in it is decided in `views`."""
        chairs, hands = self.chairs, self.hands
        snapshot = views.snapshot(
            settings=self.settings_now(),
            seats=chairs.seats,
            seq=self.seq,
            play=hands.visible_play(),
            turn_view=hands.turn(),
            shown=hands.shown,
            account=account,
            re=re,
            reserved=chairs.reserved(),
            pre_act=hands.decisions.pre_act_of(account),
            waiting=self.world.seating.waiting(self.settings.table),
            closing=chairs.closing,
            tournament=self.tournament_view(),
        ).message
        assert isinstance(snapshot, wire.Snapshot)
        return snapshot

    def tournament_view(self) -> wire.TournamentView | None:
        """For a snapshot, of the tournament that is played here."""
        return None

    async def standing(self) -> PokerStanding:
        """See `Played`."""
        return await standing(self)

    def begin_anew(self, found: PokerStanding) -> None:
        """See `Played`."""
        self.rebuilding.begin_anew(*found)

    def empty(self) -> bool:
        """See `Played`."""
        return self.chairs.empty()

    def stranger(self, viewer: Viewer, message: wire.Request) -> bool:
        """See `Played`."""
        return isinstance(message, _DECIDING) and self.chairs.held_by(viewer.account) is None
