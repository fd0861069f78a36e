"""The hands of one cash table, one after the other: deal, decisions with their clock, settlement, pause.

A hand's way: `_deal` -> steps (journalled, then told) -> the last step (journalled, told, then taken to the ledger) ->
the result (told after the commit) -> a pause -> the next. Runs inside the table's mailbox; the rules decide what an
action does, `chairs` who is to be dealt in.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import msgpack
import structlog
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from pokerroom.ledger.api import LedgerUnavailable, Settlement
from pokerroom.rules import events as rules_events
from pokerroom.rules.actions import Action, Call, Check, Fold, RaiseTo
from pokerroom.rules.button import Owes, Positions, missed_blinds, plan_hand
from pokerroom.rules.errors import IllegalAction
from pokerroom.table import views
from pokerroom.table.clock import ActionClock, Alarm
from pokerroom.table.outbox import Batch, Broadcast, Viewer
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.play import Play
from pokerroom.table.seats import Seat, SeatState
from pokerroom.table.shuffle import new_hand_id, shuffled_deck
from pokerroom.table.states import Betting, Frozen, Pausing, Settling, State, Waiting
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

if TYPE_CHECKING:  # the table makes its hands
    from pokerroom.table.actor import Table

TIMEOUTS_IN_ROW_MAX = 2  # H6: after two timed-out hands in a row a cash player is sat out


class Hands:
    """The hands of `table`; `state` says what is going on."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._settings = table.settings
        self._world = table.world
        self._mailbox = table.mailbox
        self._outbox = table.outbox
        self._log = structlog.get_logger().bind(table=table.settings.table)
        self._alarm = Alarm(table.world.clock)
        self._positions: Positions | None = None
        self._accepted: dict[int, wire.Act] = {}
        """The last decision of each account here, so that a repeated one gets its answer again."""
        self._acted: set[int] = set()
        self._timed_out: set[int] = set()
        """Accounts that decided, or let the clock decide, in this hand (H6)."""
        self._after_settlement: list[Callable[[], None]] = []
        self._drained: list[Deferred[None]] = []
        self.draining = False
        self.state: State = Waiting()
        self.shown: set[int] = set()
        """Seats whose cards were turned up in this hand."""

    # --- questions --------------------------------------------------------------------------------------------------

    def play(self) -> Play | None:
        """The hand in progress, settled or not."""
        match self.state:
            case Betting(play=play) | Settling(play=play) | Frozen(play=play):
                return play
            case Waiting() | Pausing():
                return None

    def visible_play(self) -> Play | None:
        """The hand as it may be shown: one that is over but not in the ledger is not shown, nor are its stacks."""
        play = self.play()
        return None if play is None or play.state.finished else play

    def in_hand(self, seat: Seat) -> bool:
        """Whether the seat is part of a hand that is not settled yet."""
        play = self.play()
        return play is not None and seat.number in play.player_of

    def stack_of(self, seat: Seat) -> int:
        """What is behind the seat, as it may be told: the result of a hand only when the ledger has it."""
        play = self.visible_play()
        player = None if play is None else play.player_of.get(seat.number)
        return seat.stack if play is None or player is None else play.state.stacks[player]

    def chips_of(self, seat: Seat) -> int:
        """All that is his on the table: behind him, bought for later, and in the pot while he may still win it.

        A top-up is measured against it [D], so that nobody ends up with more than the table allows by buying while
        his chips are in the middle.
        """
        play = self.visible_play()
        player = None if play is None else play.player_of.get(seat.number)
        in_pot = 0 if play is None or player is None else play.state.committed[player]
        return self.stack_of(seat) + in_pot + seat.topped_up

    def turn(self) -> wire.TurnView | None:
        """The decision that is awaited, for a snapshot."""
        betting = self.state
        if not isinstance(betting, Betting):
            return None
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

    # --- a hand -----------------------------------------------------------------------------------------------------

    def consider_dealing(self) -> None:
        """Deals if nothing stands in the way; called whenever something changed between hands."""
        if isinstance(self.state, Waiting):
            self._deal()

    def _deal(self) -> None:
        self.state = Waiting()
        if self.draining:
            self.consider_drained()
            return
        seats = self._table.chairs.seats
        plan = plan_hand(
            self._positions,
            seats.candidates(),
            self._settings.seats_max,
            self._settings.stakes,
            first_button=self._table.chairs.first_sitter(),
            moving_button=self._settings.moving_button,
        )
        if plan is None:
            return
        if self._positions is not None:
            absent = seats.absent()
            for number, owes in missed_blinds(
                self._positions, plan.positions, absent, self._settings.seats_max
            ).items():
                seats[number].owes = owes
        for number in plan.order if self._positions is None else plan.settled:
            seats[number].owes = Owes.nothing
        self._positions = plan.positions
        self.shown.clear()
        now_ms = self._world.now_ms()
        play = Play(
            self._settings,
            hand_id=new_hand_id(now_ms, self._world.random_bytes),
            plan=plan,
            seats=[seats[number] for number in plan.order],
            deck=shuffled_deck(self._world.random_bytes),
            started_ms=now_ms,
        )
        self._log.debug("hand.started", hand_id=play.hand_id, seats=len(play.seats))
        posts = [event for event in play.opening if isinstance(event, rules_events.Posted)]
        broadcasts = [views.hand_started(play, self._table.next_seq())]
        broadcasts += [views.step(play, event, self._table.next_seq()) for event in posts]
        broadcasts.append(views.hole_cards(play, self._table.next_seq()))
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
                self.shown.add(play.seats[event.player].number)
            broadcasts.append(views.step(play, event, self._table.next_seq(), by_clock=by_clock))
        finished = play.state.finished
        if not finished:
            broadcasts.append(self._ask(play))
        batch = Batch(broadcasts=broadcasts, answers=[answer] if answer else [], ready=False)
        received = None if answer is None else self._world.clock.seconds()
        batch.left = partial(self._told, play, play.steps, received)
        self._outbox.put(batch)
        durable = partial(self._mailbox.post, self._outbox.release, batch)
        if finished:
            self.state = Settling(play)
            durable = partial(self._mailbox.post, self._settle, play, batch, result)
        self._world.journal.append(self._settings.table, msgpack.packb(entry), durable)

    def _told(self, play: Play, steps: int, received: float | None) -> None:
        """A step has left for the clients: now the clock of the decision that it asks for begins to run."""
        if received is not None:
            self._world.observer.action()
            self._world.observer.action_latency(self._world.clock.seconds() - received)
        betting = self.state
        if isinstance(betting, Betting) and betting.play is play and play.steps == steps:
            if betting.action_clock.start():
                self._ask_again(betting)
            seat = play.seat_to_act()
            if seat is not None and seat.state is SeatState.LEAVING:
                self._mailbox.post(self._fold_leaver, play, steps)

    def _ask_again(self, betting: Betting) -> None:
        """The same decision with other times, which everybody is told."""
        seq = self._table.next_seq()
        betting.seqs.append(seq)
        self._table.tell(views.turn(betting.play, betting.play.legal(), betting.action_clock.deadline, seq))

    def _ask(self, play: Play) -> Broadcast:
        """Asks for the next decision; its clock starts when the question has left."""
        legal = play.legal()
        seq = self._table.next_seq()
        action_clock = ActionClock(
            self._alarm,
            self._world.now_ms,
            action_clock_s=self._settings.action_clock_s,
            countdown_s=self._settings.countdown_s,
            expired=partial(self._mailbox.post, self._expired, play, play.steps),
        )
        self.state = Betting(play, action_clock, [seq])
        return views.turn(play, legal, action_clock.deadline, seq)

    def act(self, viewer: Viewer, message: wire.Act) -> None:
        """A decision: refused with a code, or applied, journalled and then told."""
        seat = self._table.chairs.seats.of(viewer.account)
        if seat is None:
            self._table.refuse(viewer, message, Code.NOT_SEATED)
            return
        if self._repeated(viewer, seat, message):
            return
        state = self.state
        code = self._misplaced(state, seat, message)
        if code is not None or not isinstance(state, Betting):
            self._table.refuse(viewer, message, code or Code.NO_HAND)
            return
        play = state.play
        action = _action(message)
        if isinstance(action, Code):
            self._table.refuse(viewer, message, action)
            return
        try:
            events = play.act(seat.number, action)
        except IllegalAction as illegal:
            self._table.refuse(viewer, message, Code(illegal.code))
            return
        self._acted.add(seat.account)
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
        self._table.tell(answers=[(viewer, Outgoing(wire.Ok(re=message.id)))])
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
        state = self.state
        if not isinstance(state, Betting) or state.play is not play or play.steps != steps:
            return
        seat = play.seat_to_act()
        assert seat is not None
        self._timed_out.add(seat.account)
        protection = self._settings.timeout_protection
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
        if isinstance(self.state, Betting) and self.state.play.seat_to_act() is seat:
            self._fold_leaver(self.state.play, self.state.play.steps)

    def _fold_leaver(self, play: Play, steps: int) -> None:
        state = self.state
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
        if isinstance(self.state, Frozen):
            return
        self._outbox.release(batch)
        ended_ms = self._world.now_ms()
        settlement = Settlement(
            hand_id=play.hand_id,
            table=self._settings.table,
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
        self._world.journal.forget(self._settings.table)
        self._world.observer.hand()
        self._log.debug("hand.settled", hand_id=play.hand_id)
        for player, seat in enumerate(play.seats):
            seat.stack = play.state.stacks[player]
        frozen = isinstance(self.state, Frozen)
        self.state = Frozen(None) if frozen else Waiting()
        self._table.tell(*(views.step(play, event, self._table.next_seq()) for event in result))
        if not frozen:
            self._between_hands()

    def _not_settled(self, failure: Failure) -> None:
        """The settler repeats while the ledger is away; but for its stop, what comes here is a fault of ours."""
        if not isinstance(failure.value, LedgerUnavailable):
            failure.raiseException()
        self._log.info("hand.unsettled", message="the room stops before the ledger has answered")

    def _between_hands(self) -> None:
        self._table.chairs.add_top_ups()
        self._count_timeouts()
        for seat in list(self._table.chairs.seats):
            if seat.timeouts_in_row >= TIMEOUTS_IN_ROW_MAX and seat.state is SeatState.PLAYING:
                seat.timeouts_in_row = 0
                seat.state = SeatState.SITTING_OUT
                self._table.chairs.changed(seat)
        self._table.chairs.settle_debts()
        self._run_after_settlement()
        if self.draining:
            self.consider_drained()
            return
        pause = self._settings.hand_pause_ms > 0 and any(
            viewer.wants_pause and self._table.chairs.seats.of(viewer.account) is not None
            for viewer in self._outbox.viewers()
        )
        delay_s = self._settings.hand_pause_ms / 1000 if pause else 0
        timer = self._world.clock.callLater(delay_s, self._mailbox.post, self._next_hand)
        self.state = Pausing(timer)

    def _run_after_settlement(self) -> None:
        waiting, self._after_settlement = self._after_settlement, []
        for then in waiting:
            then()

    def _count_timeouts(self) -> None:
        """A hand counts once, however many of its decisions the clock took; one without a decision does not (H6)."""
        for seat in self._table.chairs.seats:
            if seat.account in self._timed_out:
                seat.timeouts_in_row += 1
            elif seat.account in self._acted:
                seat.timeouts_in_row = 0
        self._timed_out.clear()
        self._acted.clear()

    def _next_hand(self) -> None:
        if isinstance(self.state, Pausing):
            self._deal()

    def when_settled(self, then: Callable[[], None]) -> None:
        """Does it now, or once the result that is on its way to the ledger is there."""
        if isinstance(self.state, Settling):
            self._after_settlement.append(then)
        else:
            then()

    def drain(self, done: Deferred[None]) -> None:
        """No new hand from now on; `done` fires when none is in progress that anybody could finish."""
        self._drained.append(done)
        if not self.draining:
            self.draining = True
            self._table.notice("closing", Code.TABLE_CLOSING)
        if isinstance(self.state, Pausing):
            self.state.timer.cancel()
            self.state = Waiting()
        self.consider_drained()

    def consider_drained(self) -> None:
        """Called whenever a hand, or a wish at the ledger, has ended."""
        busy = self._table.chairs.at_the_ledger() and not isinstance(self.state, Frozen)
        if self.draining and not self._to_be_finished() and not busy:
            waiting, self._drained = self._drained, []
            for done in waiting:
                done.callback(None)

    def _to_be_finished(self) -> bool:
        match self.state:
            case Settling():
                return True
            case Betting(play=play):
                return any(
                    seat.connected for seat in play.seats
                )  # with all of them gone only clocks would run
            case Waiting() | Pausing() | Frozen():
                return False

    def grace(self, seat: Seat) -> None:
        """He is back in time: once per decision his countdown starts anew (H4), and everybody is told."""
        betting = self.state
        if not isinstance(betting, Betting) or betting.play.seat_to_act() is not seat:
            return
        if betting.action_clock.grace():
            self._ask_again(betting)

    def forget(self, account: int) -> None:
        """The account has left the table."""
        self._accepted.pop(account, None)

    def void(self) -> None:
        """The room goes down before the hand has ended: every stack is as at its start, and everybody is told."""
        play = self.play()
        if isinstance(self.state, Betting) and play is not None:
            self.state = Waiting()
            self._table.tell(views.hand_ended(play, self._table.next_seq(), void=True))
            self._log.warning("hand.void", hand_id=play.hand_id)

    def freeze(self) -> None:
        """A fault of ours: nothing moves any more, and the hand in progress is kept for inspection."""
        self.stop()
        self.state = Frozen(self.play())
        self._run_after_settlement()
        self.consider_drained()

    def stop(self) -> None:
        """Leaves nothing on the clock."""
        self._alarm.stop()
        if isinstance(self.state, Pausing) and self.state.timer.active():
            self.state.timer.cancel()


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
