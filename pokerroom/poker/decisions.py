"""The decisions of a hand: by a player, in advance, by the clock (H2), and for players who leave.

Each decision ends in one step of the hand, which `hands` journals and tells. Runs inside the table's mailbox.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import structlog

from pokerroom.ops.table_settings import TableSettings
from pokerroom.poker import recovery, views
from pokerroom.poker.hand_state import AwaitedDecision, HandInProgress
from pokerroom.poker.play import HandPlay
from pokerroom.poker.ports import PokerSeating
from pokerroom.poker.pre_actions import PreActions
from pokerroom.poker.seats import Seat
from pokerroom.rules import events as rules_events
from pokerroom.rules.actions import Action, Fold
from pokerroom.rules.errors import IllegalAction
from pokerroom.table.clock import ActionClock, Alarm
from pokerroom.table.game import GamePorts
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.viewer import Broadcast, Viewer
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code


class Advance(Protocol):
    """Takes a step of a hand: journals it, tells it when it is stored, and asks the next player or settles."""

    def __call__(
        self,
        play: HandPlay,
        events: list[rules_events.Event],
        entry: bytes,
        *,
        answer: tuple[Viewer, Outgoing] | None = None,
        by_clock: bool = False,
    ) -> None:
        """`entry` is the journal's; `answer` leaves with the step; `by_clock`: the clock has decided."""


class HandDecisions:
    """Asks for the decisions of the hands in `hand`, and takes them. Each decision ends in one step (`advance`)."""

    def __init__(
        self,
        settings: TableSettings,
        ports: GamePorts,
        hand: HandInProgress,
        seating: Callable[[], PokerSeating],
        advance: Advance,
    ) -> None:
        self._settings = settings
        self._hand = hand
        self._seating = seating
        self._advance = advance
        self._announcer = ports.announcer
        self._post = ports.mailbox.post
        self._context = ports.context
        self._log = structlog.get_logger().bind(table=settings.table)
        self._alarm = Alarm(ports.context.clock)
        self._pre_acts = PreActions()
        self._accepted: dict[int, wire.Act] = {}
        """The last decision of each account here, so that a repeated one gets the same answer."""
        self.acted: set[int] = set()
        self.timed_out: set[int] = set()
        """Accounts that let the clock decide in this hand (H6); `acted` are those that decided."""

    # --- asking -----------------------------------------------------------------------------------------------------

    def ask(self, play: HandPlay) -> tuple[AwaitedDecision, Broadcast]:
        """Return the next decision and its turn event; the clock of the decision starts when that event has left."""
        seat = play.seat_to_act()
        assert seat is not None
        seq = self._announcer.next_seq()
        decision = AwaitedDecision(
            play=play,
            action_clock=ActionClock(
                self._alarm,
                self._context.now_ms,
                action_clock_s=self._settings.action_clock_s,
                countdown_s=self._settings.countdown_s,
                time_bank_ms=seat.time_bank_ms,
                asked_again=self._time_bank_began,
                expired=self._ran_out,
            ),
            seqs=[seq],
        )
        return decision, self._turn(decision, seq)

    def step_sent(self, decision: AwaitedDecision) -> None:
        """Start the clock of the decision that a step asks for: the step has left for the clients."""
        if decision is not self._hand.decision:
            return
        if decision.action_clock.start():
            self._ask_again(decision)
        seat = decision.play.seat_to_act()
        assert seat is not None
        if self._seating().policy.absent(seat):
            self._post(self._left, decision)
        elif self._pre_acts.of(seat.account) is not None:
            self._post(self._decided_before, decision)

    def grace(self, seat: Seat) -> None:
        """Restart the countdown of a player that returns in time, once per decision (H4), and tell all viewers."""
        decision = self._hand.decision
        if decision is None or decision.play.seat_to_act() is not seat:
            return
        if decision.action_clock.grace():
            self._ask_again(decision)

    def hold(self) -> None:
        """Stop the clock of the awaited decision while clients cannot act."""
        decision = self._hand.decision
        if decision is not None:
            decision.action_clock.hold()

    def restart(self) -> None:
        """Give the awaited decision its whole clock again, when clients can act again [D]."""
        decision = self._hand.decision
        if decision is not None and decision.action_clock.restart():
            self._ask_again(decision)

    def _time_bank_began(self, action_clock: ActionClock) -> None:
        self._post(self._asked_again, action_clock)

    def _asked_again(self, action_clock: ActionClock) -> None:
        """Ask again, because the time bank has begun to run."""
        decision = self._hand.decision
        if decision is not None and decision.action_clock is action_clock:
            self._ask_again(decision)

    def _ask_again(self, decision: AwaitedDecision) -> None:
        """Send the same decision with new times to all viewers."""
        seq = self._announcer.next_seq()
        decision.seqs.append(seq)
        self._announcer.tell(self._turn(decision, seq))

    def _turn(self, decision: AwaitedDecision, seq: int) -> Broadcast:
        play = decision.play
        return views.turn(play, play.legal(), decision.action_clock.deadline, seq, self.on_timeout(play))

    def on_timeout(self, play: HandPlay) -> wire.TimeoutAction:
        """Return what the clock would do for the player to act, as it stands now (H2)."""
        seat = play.seat_to_act()
        assert seat is not None
        return play.when_expired(seat, protected=self._seating().policy.protected(seat))

    # --- a player's -------------------------------------------------------------------------------------------------

    def act(self, viewer: Viewer, message: wire.Act) -> None:
        """Take a player's decision: refuse it with a code, or apply it, journal it and then tell it."""
        seat = self._seating().seats.held_by(viewer.account)
        if seat is None:
            self._announcer.refuse(viewer, message, Code.NOT_SEATED)
            return
        if self._repeated(viewer, seat, message):
            return
        decision = self._hand.decision
        code = self._misplaced(decision, seat, message)
        if code is not None or decision is None:
            self._announcer.refuse(viewer, message, code or Code.NO_HAND)
            return
        play = decision.play
        action = _action(message)
        if isinstance(action, Code):
            self._announcer.refuse(viewer, message, action)
            return
        try:
            events = play.act(seat.number, action)
        except IllegalAction as illegal:
            self._announcer.refuse(viewer, message, Code(illegal.code))
            return
        self._accepted[seat.account] = message
        self._taken(decision, seat)
        entry = recovery.act_entry(play, seat.number, message.action, message.amount, message.seq)
        self._advance(play, events, entry, answer=(viewer, Outgoing(wire.Ok(re=message.id))))

    def _repeated(self, viewer: Viewer, seat: Seat, message: wire.Act) -> bool:
        """Answer a decision that was accepted already, once that may be told; return whether it was one."""
        first = self._accepted.get(seat.account)
        if first is None or first.seq != message.seq:
            return False
        same = (first.hand_id, first.action, first.amount)
        if same != (message.hand_id, message.action, message.amount):
            return False
        self._announcer.confirm(viewer, message)
        return True

    def _misplaced(self, decision: AwaitedDecision | None, seat: Seat, message: wire.Act) -> Code | None:
        """Return why the action does not belong to the awaited decision; None if it does."""
        if decision is None:
            return Code.NO_HAND
        if message.hand_id != decision.play.hand_id:
            return Code.WRONG_HAND
        if decision.play.seat_to_act() is not seat:
            return Code.NOT_YOUR_TURN if message.seq in decision.seqs else Code.STALE_SEQ
        if message.seq not in decision.seqs:
            return Code.STALE_SEQ
        return None

    def _taken(self, decision: AwaitedDecision, seat: Seat) -> None:
        self.acted.add(seat.account)
        seat.time_bank_ms = decision.action_clock.time_bank_left_ms()

    # --- in advance -------------------------------------------------------------------------------------------------

    def pre_act(self, viewer: Viewer, message: wire.PreAct) -> None:
        """Take a decision before the player's turn."""
        seat = self._seating().seats.held_by(viewer.account)
        decision = self._hand.decision
        if seat is None:
            self._announcer.refuse(viewer, message, Code.NOT_SEATED)
        elif decision is None:
            self._announcer.refuse(viewer, message, Code.NO_HAND)
        elif message.hand_id != decision.play.hand_id:
            self._announcer.refuse(viewer, message, Code.WRONG_HAND)
        elif code := self._pre_acts.put(decision.play, seat, message):
            self._announcer.refuse(viewer, message, code)
        else:
            self._announcer.confirm(viewer, message)

    def cancel_pre_act(self, viewer: Viewer, message: wire.CancelPreAct) -> None:
        """Drop the player's pre-action: they decide when their turn comes."""
        seat = self._seating().seats.held_by(viewer.account)
        if seat is None:
            self._announcer.refuse(viewer, message, Code.NOT_SEATED)
            return
        self._pre_acts.cancel(seat.account)
        self._announcer.confirm(viewer, message)

    def pre_act_of(self, account: int | None) -> wire.PreActView | None:
        """Return the account's pre-action, for its own snapshot."""
        return self._pre_acts.of(account)

    def cancelled_by(self, play: HandPlay) -> list[tuple[Viewer, Outgoing]]:
        """Return the messages, after a step, to players with a void pre-action."""
        changed = self._pre_acts.void(play)
        if not changed:
            return []
        cancelled = Outgoing(wire.PreActCancelled(table=self._settings.table, hand_id=play.hand_id))
        return [
            (viewer, cancelled) for viewer in self._announcer.outbox.viewers() if viewer.account in changed
        ]

    def _decided_before(self, decision: AwaitedDecision) -> None:
        play = decision.play
        seat = play.seat_to_act()
        if decision is not self._hand.decision or seat is None:
            return
        pre_act = self._pre_acts.take(seat.account)
        if pre_act is None:
            return
        name = "call" if pre_act.action == "call" else "check" if play.legal().check else "fold"
        events = play.act(seat.number, recovery.action_of(name, None))
        self._taken(decision, seat)
        self._advance(play, events, recovery.act_entry(play, seat.number, name, None, None))

    # --- the clock's, and of those who leave ------------------------------------------------------------------------

    def _ran_out(self, action_clock: ActionClock) -> None:
        self._post(self._expired, action_clock)

    def _expired(self, action_clock: ActionClock) -> None:
        """Take the decision by the clock, which has run out (H2), unless it was taken in this very turn."""
        decision = self._hand.decision
        if decision is None or decision.action_clock is not action_clock:
            return
        if not self._context.lease.acts:  # `restart` gives the player time to act
            return
        play = decision.play
        seat = play.seat_to_act()
        assert seat is not None
        self.timed_out.add(seat.account)
        seat.time_bank_ms = decision.action_clock.time_bank_left_ms()
        protected = self._seating().policy.protected(seat)
        events = play.expire(seat, protected=protected)
        self._log.info("decision.expired", hand_id=play.hand_id, seat=seat.number, protected=protected)
        entry = recovery.expired_entry(play, seat.number, protected=protected)
        self._advance(play, events, entry, by_clock=True)
        self._seating().policy.timed_out(play, seat, events)

    def leaves(self, seat: Seat) -> None:
        """Fold a player who leaves in the middle of a hand, if it is their turn."""
        decision = self._hand.decision
        if decision is not None and decision.play.seat_to_act() is seat:
            self._left(decision)

    def _left(self, decision: AwaitedDecision) -> None:
        play = decision.play
        seat = play.seat_to_act()
        if decision is not self._hand.decision or seat is None:
            return
        events = play.act(seat.number, Fold())
        self._advance(play, events, recovery.act_entry(play, seat.number, "fold", None, None))

    # --- between hands ----------------------------------------------------------------------------------------------

    def hand_finished(self) -> None:
        """Clear what was noted for the hand."""
        self._pre_acts.clear()
        self.timed_out.clear()
        self.acted.clear()

    def remember(self, hand: recovery.RecoveredHand) -> None:
        """Remember what was decided in a hand that is played on after a crash."""
        self._accepted.update(hand.accepted)
        self.acted |= hand.acted
        self.timed_out |= hand.timed_out

    def forget(self, account: int) -> None:
        """Forget an account that has left the table."""
        self._accepted.pop(account, None)

    def stop(self) -> None:
        """Cancel all timers."""
        self._alarm.stop()


def _action(message: wire.Act) -> Action | Code:
    if message.action in {"bet", "raise"}:
        if message.amount is None:
            return Code.AMOUNT_REQUIRED
    elif message.amount is not None:
        return Code.AMOUNT_NOT_ALLOWED
    return recovery.action_of(message.action, message.amount)
