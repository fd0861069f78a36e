"""A cash table: one actor with one mailbox, from the first sitter to the last hand.

It owns the seats, the button, the action clock and the hand in progress, asks the rules what an action does, writes
each step to the journal, settles each hand in the ledger, and only then says so. It knows no sockets and no SQL; time,
randomness, journal and ledger are handed to it.

A hand's way: `_deal` -> steps (journal, then told) -> the last step (journal, then `Settler`, then told) -> the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import msgpack
import structlog
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.python.failure import Failure

from pokerroom.coordination.api import Journal
from pokerroom.ledger.api import Ledger, SeatRow, Settlement
from pokerroom.rules import events as rules_events
from pokerroom.rules.actions import Action, Call, Check, Fold, RaiseTo
from pokerroom.rules.button import Owes, Positions, missed_blinds, plan_hand
from pokerroom.rules.errors import IllegalAction
from pokerroom.table import views
from pokerroom.table.chairs import Chairs
from pokerroom.table.clock import ActionClock, Alarm
from pokerroom.table.mailbox import Mailbox
from pokerroom.table.outbox import Batch, Broadcast, Outbox, Viewer
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.play import Play
from pokerroom.table.sealing import Seal
from pokerroom.table.seats import Seat, SeatState
from pokerroom.table.settings import TableSettings
from pokerroom.table.shuffle import RandomBytes, new_hand_id, shuffled_deck
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

TIMEOUTS_IN_ROW_MAX = 2  # H6: after two timed-out hands in a row a cash player is sat out


class TableObserver(Protocol):
    """Who counts what happens at the tables."""

    def action(self) -> None:
        """An action was accepted."""

    def action_latency(self, seconds: float) -> None:
        """An accepted action left for the clients, so long after its receipt."""

    def refusal(self, code: str) -> None:
        """A request was refused."""

    def hand(self) -> None:
        """A hand is in the ledger."""

    def frames_out(self, count: int) -> None:
        """So many events were handed to viewers."""


class HandSettler(Protocol):
    """Takes the ends of hands to the ledger, grouped with those of other tables."""

    def submit(self, settlement: Settlement) -> Deferred[None]:
        """Fires after the commit."""


class Seating(Protocol):
    """Who sits where in the whole room: told by the tables."""

    def claim(self, account: int, table: str) -> bool:
        """The account is about to hold a seat here; False when it holds as many as it may."""

    def freed(self, account: int, table: str) -> None:
        """The account no longer holds a seat here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What a table needs of the world; the simulation hands in another one."""

    clock: IReactorTime
    now_ms: Callable[[], int]
    random_bytes: RandomBytes
    journal: Journal
    ledger: Ledger
    settler: HandSettler
    seal: Seal
    observer: TableObserver
    seating: Seating


# What a table is doing: each state carries what only it has.


@dataclass(frozen=True, slots=True)
class Waiting:
    """Fewer than two players to deal in."""


@dataclass(frozen=True, slots=True)
class Betting:
    """A decision is awaited, and its clock runs. `seqs` are the turn events that asked for it."""

    play: Play
    action_clock: ActionClock
    seqs: list[int]


@dataclass(frozen=True, slots=True)
class Settling:
    """The hand is over; journal and ledger have not both answered yet."""

    play: Play


@dataclass(frozen=True, slots=True)
class Pausing:
    """Between two hands, so that people can look at the result."""

    timer: IDelayedCall


@dataclass(frozen=True, slots=True)
class Frozen:
    """A fault of ours: the hand in progress is kept for inspection, nothing is played."""

    play: Play | None


State = Waiting | Betting | Settling | Pausing | Frozen


class Table:
    """See the module. All public methods are doors into the mailbox, but for the read-only ones."""

    def __init__(self, settings: TableSettings, world: World) -> None:
        self.settings = settings
        self._world = world
        self._log = structlog.get_logger().bind(table=settings.table)
        self._mailbox = Mailbox(self._fault)
        self._outbox = Outbox(world.observer.frames_out)
        self._alarm = Alarm(world.clock)
        self._state: State = Waiting()
        self._seq = 0
        self._positions: Positions | None = None
        self._shown: set[int] = set()
        self._accepted: dict[int, wire.Act] = {}
        """The last decision of each account here, so that a repeated one gets its answer again."""
        self._drained: list[Deferred[None]] = []
        self._draining = False
        self._after_settlement: list[Callable[[], None]] = []
        self.chairs = chairs = Chairs(self)
        self._handlers: dict[type[wire.Request], Callable[[Viewer, Any], None]] = {
            wire.Act: self._act,
            wire.Observe: self._observe,
            wire.Unobserve: self._unobserve,
            wire.GetSnapshot: self._get_snapshot,
            wire.Chat: self._chat,
            wire.SitDown: chairs.sit_down,
            wire.SitOut: chairs.sit_out,
            wire.SitIn: chairs.sit_in,
            wire.TopUp: chairs.top_up,
            wire.StandUp: chairs.stand_up,
        }

    # --- doors -------------------------------------------------------------------------------------------------

    @property
    def world(self) -> World:
        """What the table was given."""
        return self._world

    @property
    def mailbox(self) -> Mailbox:
        """For the answers of collaborators."""
        return self._mailbox

    def info(self) -> wire.TableInfo:
        """The table's line in the lobby."""
        seats = list(self.chairs.seats)
        return self.settings.info(len(seats), sum(seat.state is SeatState.PLAYING for seat in seats))

    @property
    def state_name(self) -> str:
        """One word for the operator."""
        return type(self._state).__name__.lower()

    def hand_id(self) -> str | None:
        """The hand in progress, for the operator."""
        play = self._play()
        return None if play is None else play.hand_id

    def restore(self, rows: Iterable[SeatRow]) -> None:
        """The seats held when the room last stopped; their holders play on when they come back."""
        self._mailbox.post(self.chairs.restore, list(rows))

    def request(self, viewer: Viewer, message: wire.Request) -> None:
        """A client's message for this table."""
        self._mailbox.post(self._request, viewer, message)

    def viewer_gone(self, viewer: Viewer) -> None:
        """A client's connection is lost, or it logged out."""
        self._mailbox.post(self._viewer_gone, viewer)

    def drain(self) -> Deferred[None]:
        """No new hand from now on. Fires when none is in progress and nothing waits for the ledger."""
        done: Deferred[None] = Deferred()
        self._drained.append(done)
        self._mailbox.post(self._drain)
        return done

    def stop(self) -> None:
        """Cancels every timer: the room is going down."""
        self._alarm.stop()
        if isinstance(self._state, Pausing) and self._state.timer.active():
            self._state.timer.cancel()
        self.chairs.stop()

    # --- telling ---------------------------------------------------------------------------------------------------

    def next_seq(self) -> int:
        """Numbers the next event."""
        self._seq += 1
        return self._seq

    def tell(self, *broadcasts: Broadcast, answers: list[tuple[Viewer, Outgoing]] | None = None) -> None:
        """Tells what needs no journal, behind everything said before."""
        self._outbox.put(Batch(broadcasts=list(broadcasts), answers=answers or []))

    def refuse(self, viewer: Viewer, message: wire.Request, code: Code) -> None:
        """A stable code; nothing has changed."""
        self._world.observer.refusal(code)
        viewer.deliver(Outgoing(wire.Error(re=message.id, code=code.value, message=code.sentence)))

    def is_connected(self, account: int) -> bool:
        """Whether any viewer of this table is this account."""
        return any(viewer.account == account for viewer in self._outbox.viewers())

    def send_snapshot(self, viewer: Viewer, re: int | None) -> None:
        """The visible state, and every event after it; a result not yet in the ledger is waited for."""
        self.when_settled(partial(self._send_snapshot, viewer, re))

    def _send_snapshot(self, viewer: Viewer, re: int | None) -> None:
        play = self._play()
        turn_view = None
        if isinstance(self._state, Betting):
            turn_view = self._turn_view(self._state)
        snapshot = views.snapshot(
            settings=self.settings,
            seats=self.chairs.seats,
            seq=self._seq,
            play=play,
            turn_view=turn_view,
            shown=self._shown,
            account=viewer.account,
            re=re,
        )
        self._outbox.watch(viewer, self._seq)
        self.tell(answers=[(viewer, snapshot)])

    def _turn_view(self, betting: Betting) -> wire.TurnView:
        legal = betting.play.legal()
        deadline = betting.action_clock.deadline
        return wire.TurnView(
            seat=betting.play.seats[legal.player].number,
            seq=betting.seqs[-1],
            check=legal.check,
            call_amount=legal.call_amount,
            min_raise_to=legal.min_raise_to,
            max_raise_to=legal.max_raise_to,
            countdown_ms=deadline.countdown_ms,
            deadline_ms=deadline.deadline_ms,
        )

    # --- messages ---------------------------------------------------------------------------------------------------

    def _request(self, viewer: Viewer, message: wire.Request) -> None:
        if isinstance(self._state, Frozen) and not isinstance(message, wire.Observe | wire.Unobserve):
            self.refuse(viewer, message, Code.TABLE_FROZEN)
            return
        self._handlers[type(message)](viewer, message)

    def _get_snapshot(self, viewer: Viewer, message: wire.GetSnapshot) -> None:
        if self._outbox.watches(viewer):
            self.send_snapshot(viewer, message.id)
        else:
            self.refuse(viewer, message, Code.NOT_OBSERVING)

    def _observe(self, viewer: Viewer, message: wire.Observe) -> None:
        self.send_snapshot(viewer, message.id)
        seat = self.chairs.seats.of(viewer.account)
        if seat is None or seat.connected:
            return
        self.chairs.came_back(seat)
        state = self._state
        if isinstance(state, Betting) and state.play.seat_to_act() is seat and state.action_clock.grace():
            seq = self.next_seq()
            state.seqs.append(seq)
            self.tell(views.turn(state.play, state.play.legal(), state.action_clock.deadline, seq))

    def _unobserve(self, viewer: Viewer, message: wire.Unobserve) -> None:
        if self.chairs.seats.of(viewer.account) is not None:
            self.refuse(viewer, message, Code.SEATED_HERE)
        elif not self._outbox.watches(viewer):
            self.refuse(viewer, message, Code.NOT_OBSERVING)
        else:
            self._outbox.unwatch(viewer)
            viewer.deliver(Outgoing(wire.Ok(re=message.id)))

    def _viewer_gone(self, viewer: Viewer) -> None:
        self._outbox.unwatch(viewer)
        seat = self.chairs.seats.of(viewer.account)
        if seat is not None and seat.connected and not self.is_connected(seat.account):
            self.chairs.went_away(seat)

    def _chat(self, viewer: Viewer, message: wire.Chat) -> None:
        if not self._outbox.watches(viewer):
            self.refuse(viewer, message, Code.NOT_OBSERVING)
            return
        said = wire.ChatSaid(
            table=self.settings.table, seq=self.next_seq(), name=viewer.name, text=message.text
        )
        self.tell(views.public(said), answers=[(viewer, Outgoing(wire.Ok(re=message.id)))])

    # --- a hand -----------------------------------------------------------------------------------------------------

    def _play(self) -> Play | None:
        match self._state:
            case Betting(play=play) | Settling(play=play) | Frozen(play=play):
                return play
            case Waiting() | Pausing():
                return None

    def in_hand(self, seat: Seat) -> bool:
        """Whether the seat is part of a hand that is not settled yet."""
        play = self._play()
        return play is not None and seat.number in play.player_of

    def stack_of(self, seat: Seat) -> int:
        """What is behind the seat now, in a hand or between hands."""
        play = self._play()
        player = None if play is None else play.player_of.get(seat.number)
        return seat.stack if play is None or player is None else play.state.stacks[player]

    def consider_dealing(self) -> None:
        """Deals if nothing stands in the way; called whenever something changed between hands."""
        if isinstance(self._state, Waiting):
            self._deal()

    def _deal(self) -> None:
        self._state = Waiting()
        if self._draining:
            self._drain()
            return
        seats = self.chairs.seats
        plan = plan_hand(
            self._positions,
            seats.candidates(),
            self.settings.seats_max,
            self.settings.stakes,
            first_button=self.chairs.first_sitter(),
            moving_button=self.settings.moving_button,
        )
        if plan is None:
            return
        if self._positions is not None:
            absent = seats.absent()
            for number, owes in missed_blinds(
                self._positions, plan.positions, absent, self.settings.seats_max
            ).items():
                seats[number].owes = owes
        for number in plan.order if self._positions is None else plan.settled:
            seats[number].owes = Owes.nothing
        self._positions = plan.positions
        self._shown.clear()
        now_ms = self._world.now_ms()
        play = Play(
            self.settings,
            hand_id=new_hand_id(now_ms, self._world.random_bytes),
            plan=plan,
            seats=[seats[number] for number in plan.order],
            deck=shuffled_deck(self._world.random_bytes),
            started_ms=now_ms,
        )
        posts = [event for event in play.opening if isinstance(event, rules_events.Posted)]
        broadcasts = [views.hand_started(play, self.next_seq())]
        broadcasts += [views.step(play, event, self.next_seq()) for event in posts]
        broadcasts.append(views.hole_cards(play, self.next_seq()))
        seated = [[seat.number, seat.account, seat.stack] for seat in play.seats]
        sealed = self._world.seal.close(play.sealed_data(), play.hand_id)
        entry = [play.hand_id, play.steps, "deal", play.started_ms, seated, sealed]
        self._advance(play, broadcasts, play.opening[len(posts) :], entry)

    def _advance(
        self,
        play: Play,
        broadcasts: list[Broadcast],
        events: list[rules_events.Event],
        entry: list[object],
        *,
        answer: tuple[Viewer, Outgoing] | None = None,
        by_clock: bool = False,
    ) -> None:
        """Journals a step, tells it when it is stored, and asks the next player or settles the hand."""
        result: list[rules_events.Event] = []
        for event in events:
            if result or isinstance(event, rules_events.PotAwarded | rules_events.HandFinished):
                result.append(event)  # told after the commit only
                continue
            if isinstance(event, rules_events.Shown):
                self._shown.add(play.seats[event.player].number)
            broadcasts.append(views.step(play, event, self.next_seq(), by_clock=by_clock))
        finished = play.state.finished
        if not finished:
            broadcasts.append(self._ask(play))
        batch = Batch(broadcasts=broadcasts, answers=[answer] if answer else [], ready=False)
        if answer is not None:
            batch.left = partial(self._told, self._world.clock.seconds())
        self._outbox.put(batch)
        durable = partial(self._mailbox.post, self._outbox.release, batch)
        if finished:
            self._state = Settling(play)
            durable = partial(self._mailbox.post, self._settle, play, batch, result)
        self._world.journal.append(self.settings.table, msgpack.packb(entry), durable)

    def _told(self, received: float) -> None:
        self._world.observer.action()
        self._world.observer.action_latency(self._world.clock.seconds() - received)

    def _ask(self, play: Play) -> Broadcast:
        """Starts the clock of the next decision. One who is leaving is folded without one."""
        legal = play.legal()
        seq = self.next_seq()
        action_clock = ActionClock(
            self._alarm,
            self._world.now_ms,
            action_clock_s=self.settings.action_clock_s,
            countdown_s=self.settings.countdown_s,
            expired=partial(self._mailbox.post, self._expired, play, play.steps),
        )
        self._state = Betting(play, action_clock, [seq])
        if play.seats[legal.player].state is SeatState.LEAVING:
            self._world.clock.callLater(0, self._mailbox.post, self._fold_leaver, play, play.steps)
        return views.turn(play, legal, action_clock.deadline, seq)

    def _act(self, viewer: Viewer, message: wire.Act) -> None:
        seat = self.chairs.seats.of(viewer.account)
        if seat is None:
            self.refuse(viewer, message, Code.NOT_SEATED)
            return
        if self._repeated(viewer, seat, message):
            return
        state = self._state
        code = self._misplaced(state, seat, message)
        if code is not None or not isinstance(state, Betting):
            self.refuse(viewer, message, code or Code.NO_HAND)
            return
        play = state.play
        action = _action(message)
        if isinstance(action, Code):
            self.refuse(viewer, message, action)
            return
        try:
            events = play.act(seat.number, action)
        except IllegalAction as illegal:
            self.refuse(viewer, message, Code(illegal.code))
            return
        seat.timeouts_in_row = 0
        state.action_clock.cancel()
        self._accepted[seat.account] = message
        entry = [play.hand_id, play.steps, seat.number, message.action, message.amount]
        self._advance(play, [], events, entry, answer=(viewer, Outgoing(wire.Ok(re=message.id))))

    def _repeated(self, viewer: Viewer, seat: Seat, message: wire.Act) -> bool:
        """A decision that was accepted already gets its answer again, once that may be said."""
        first = self._accepted.get(seat.account)
        if first is None:
            return False
        same = (first.hand_id, first.seq, first.action, first.amount)
        if same != (message.hand_id, message.seq, message.action, message.amount):
            return False
        self.tell(answers=[(viewer, Outgoing(wire.Ok(re=message.id)))])
        return True

    def _misplaced(self, state: State, seat: Seat, message: wire.Act) -> Code | None:
        """Why the action does not belong to the decision that is awaited, if so."""
        if not isinstance(state, Betting):
            return Code.NO_HAND
        if message.hand_id != state.play.hand_id:
            return Code.WRONG_HAND
        if state.play.seat_to_act() is not seat:
            return Code.NOT_YOUR_TURN if message.seq in state.seqs else Code.STALE_SEQ
        if message.seq not in state.seqs:
            return Code.STALE_SEQ
        return None

    def _expired(self, play: Play, steps: int) -> None:
        """The clock of a decision has run out (H2), unless the decision was taken in this very turn."""
        state = self._state
        if not isinstance(state, Betting) or state.play is not play or play.steps != steps:
            return
        seat = play.seat_to_act()
        assert seat is not None
        seat.timeouts_in_row += 1
        protection = self.settings.timeout_protection
        protected = protection == "always" or (protection == "disconnected" and not seat.connected)
        if protected:
            events = play.expire(seat.number)
        else:
            events = play.act(seat.number, Check() if play.legal().check else Fold())
        self._log.info("decision.expired", hand_id=play.hand_id, seat=seat.number, protected=protected)
        entry: list[object] = [play.hand_id, play.steps, seat.number, "expired", protected]
        self._advance(play, [], events, entry, by_clock=True)

    def fold_if_to_act(self, seat: Seat) -> None:
        """One who leaves in the middle of a hand gives up his turn at once."""
        if isinstance(self._state, Betting) and self._state.play.seat_to_act() is seat:
            self._fold_leaver(self._state.play, self._state.play.steps)

    def _fold_leaver(self, play: Play, steps: int) -> None:
        state = self._state
        if not isinstance(state, Betting) or state.play is not play or play.steps != steps:
            return
        seat = play.seat_to_act()
        assert seat is not None
        state.action_clock.cancel()
        events = play.act(seat.number, Fold())
        self._advance(play, [], events, [play.hand_id, play.steps, seat.number, "fold", None])

    # --- the end of a hand --------------------------------------------------------------------------------------

    def _settle(self, play: Play, batch: Batch, result: list[rules_events.Event]) -> None:
        """The last step is journalled: tell it, take the hand to the ledger, and tell the result after that."""
        self._outbox.release(batch)
        ended_ms = self._world.now_ms()
        settlement = Settlement(
            hand_id=play.hand_id,
            table=self.settings.table,
            started_ms=play.started_ms,
            ended_ms=ended_ms,
            deltas=play.deltas(),
            record=play.record(ended_ms),
        )
        self._world.settler.submit(settlement).addCallbacks(
            lambda _: self._mailbox.post(self._settled, play, result),
            lambda failure: self._mailbox.post(self._not_settled, failure),
        )

    def _settled(self, play: Play, result: list[rules_events.Event]) -> None:
        self._world.journal.forget(self.settings.table)
        self._world.observer.hand()
        for player, seat in enumerate(play.seats):
            seat.stack = play.state.stacks[player]
        self._state = Waiting()
        self.tell(*(views.step(play, event, self.next_seq()) for event in result))
        self._between_hands()

    def _not_settled(self, failure: Failure) -> None:
        """The settler repeats while the ledger is away; what comes here is a fault of ours."""
        failure.raiseException()

    def _between_hands(self) -> None:
        self.chairs.add_top_ups()
        for seat in list(self.chairs.seats):
            if seat.timeouts_in_row >= TIMEOUTS_IN_ROW_MAX and seat.state is SeatState.PLAYING:
                seat.timeouts_in_row = 0
                seat.state = SeatState.SITTING_OUT
                self.chairs.changed(seat)
        self.chairs.settle_debts()
        waiting, self._after_settlement = self._after_settlement, []
        for then in waiting:
            then()
        if self._draining:
            self._drain()
            return
        pause = self.settings.hand_pause_ms > 0 and any(
            viewer.wants_pause and self.chairs.seats.of(viewer.account) is not None
            for viewer in self._outbox.viewers()
        )
        delay_s = self.settings.hand_pause_ms / 1000 if pause else 0
        timer = self._world.clock.callLater(delay_s, self._mailbox.post, self._next_hand)
        self._state = Pausing(timer)

    def _next_hand(self) -> None:
        if isinstance(self._state, Pausing):
            self._deal()

    def when_settled(self, then: Callable[[], None]) -> None:
        """Does it now, or once the result that is on its way to the ledger is there."""
        if isinstance(self._state, Settling):
            self._after_settlement.append(then)
        else:
            then()

    def _drain(self) -> None:
        self._draining = True
        if isinstance(self._state, Pausing):
            self._state.timer.cancel()
            self._state = Waiting()
        if isinstance(self._state, Waiting | Frozen) and not self.chairs.at_the_ledger():
            waiting, self._drained = self._drained, []
            for done in waiting:
                done.callback(None)

    @property
    def draining(self) -> bool:
        """Whether the table deals no more."""
        return self._draining

    def ledger_answered(self) -> None:
        """A buy-in, top-up or cash-out is done; a drain may have waited for it."""
        if self._draining:
            self._drain()

    # --- faults -----------------------------------------------------------------------------------------------------

    def _fault(self, error: Exception) -> None:
        """A bug of ours: this table stops where it is, loudly; the ledger has every stack as at hand start."""
        play = self._play()
        self.stop()
        self._state = Frozen(play)
        self._log.critical("table.frozen", hand_id=None if play is None else play.hand_id, exc_info=error)
        notice = wire.TableNotice(
            table=self.settings.table,
            seq=self.next_seq(),
            state="frozen",
            message=Code.TABLE_FROZEN.sentence,
        )
        self._outbox.put(Batch(broadcasts=[views.public(notice)]))
        if self._draining:
            self._drain()


def _action(message: wire.Act) -> Action | Code:
    match message.action:
        case "bet" | "raise":
            return Code.AMOUNT_REQUIRED if message.amount is None else RaiseTo(amount=message.amount)
        case _ if message.amount is not None:
            return Code.AMOUNT_NOT_ALLOWED
        case "fold":
            return Fold()
        case "check":
            return Check()
        case "call":
            return Call()
