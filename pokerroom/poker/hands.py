"""The hands of one table, one after the other: deal, steps, settlement, pause.

The way of a hand: `_deal` -> steps (journalled, then told) -> the last step (journalled, told, then taken to the
ledger) -> the result (told after the commit) -> a pause -> the next. Runs inside the table's mailbox. `decisions` takes
the steps; the seating says who is dealt in and what follows a hand (`ports`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import structlog
from twisted.python.failure import Failure

from pokerroom.history.hidden_cards import HAND_RECORDS
from pokerroom.ledger.api import LedgerUnavailable, NotOwner
from pokerroom.ops.table_settings import TableSettings
from pokerroom.poker import recovery, views
from pokerroom.poker.decisions import HandDecisions
from pokerroom.poker.hand_state import AwaitedDecision, HandInProgress
from pokerroom.poker.play import RESULT_EVENTS, HandPlay, setup_of
from pokerroom.poker.ports import PokerSeating
from pokerroom.poker.seat_journal import SeatJournal
from pokerroom.rules import events as rules_events
from pokerroom.table.game import GamePorts
from pokerroom.table.lifecycle import AfterSettlement
from pokerroom.table.outbox import Batch
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.shuffle import new_hand_id, shuffled
from pokerroom.table.viewer import Broadcast, Viewer

GATHER_S = 10  # [D] where a table is opened again its players have so long to be back for the first hand
GATHER_MORE_S = 1.5  # [D] and once two are back, no longer than this: the others play on within 5 s of a kill


class HandRunner:
    """Plays the hands of one table (`table.game_parts.GamePlay`). It alone moves `hand`, the state that others read."""

    def __init__(
        self,
        settings: TableSettings,
        ports: GamePorts,
        hand: HandInProgress,
        seating: Callable[[], PokerSeating],
        settlement: AfterSettlement,
        *,
        journal: SeatJournal,
    ) -> None:
        self._settings = settings
        self._context = ports.context
        self._post = ports.mailbox.post
        self._announcer = ports.announcer
        self._outbox = ports.announcer.outbox
        self._writer = ports.writer
        self._drain = ports.drain
        self._lost_ownership = ports.table.lost_ownership
        self._hand = hand
        self._seating = seating
        self._settlement = settlement
        self._journal = journal
        self._card_seal = ports.context.seal.of(HAND_RECORDS)
        self._log = structlog.get_logger().bind(table=settings.table)
        self.decisions = HandDecisions(settings, ports, hand, seating, self._advance)
        self._gathering: float | None = None
        """How long the first hand waits for players in all, in seconds; None if it waits for none."""

    # --- questions --------------------------------------------------------------------------------------------------

    @property
    def state_name(self) -> str:
        """See `GamePlay`; a table of a tournament or of a host may be paused while it waits."""
        name = self._hand.lifecycle.state
        if name != "waiting":
            return name
        return "paused" if self._context.host.paused else self._seating().state_name or name

    def hand_id(self) -> str | None:
        play = self._hand.play
        return None if play is None else play.hand_id

    def unfinished(self) -> bool:
        """See `GamePlay`: with all of its players gone only clocks would run."""
        decision = self._hand.decision
        if decision is not None:
            return any(seat.connected for seat in decision.play.seats)
        return self._hand.name == "settling"

    # --- a hand -----------------------------------------------------------------------------------------------------

    def consider_next(self) -> None:
        """Deal if nothing stands in the way; called whenever something has changed between hands."""
        if self._gathering is not None:
            self._gather_on(self._gathering)
        if self._hand.name == "waiting":
            self._deal()

    def gather(self) -> None:
        """Where the table is opened again, wait at most `GATHER_S` seconds for those who played.

        Once two are back, the others have `GATHER_MORE_S`.
        """
        if self._seating().policy.awaited:
            self._gathering = GATHER_S
            self._hand.machine.rest(GATHER_S)
            self._gather_on(GATHER_S)

    def _gather_on(self, limit_s: float) -> None:
        """Wait no longer if all are back, and not much longer if two are."""
        seating = self._seating()
        if not seating.policy.awaited:
            self._gathering = None
            self._hand.machine.halt()
        elif limit_s > GATHER_MORE_S and seating.seats.seats.present > 1:
            self._gathering = GATHER_MORE_S
            self._hand.machine.halt()
            self._hand.machine.rest(GATHER_MORE_S)

    def _deal(self) -> None:
        if self._drain.no_more_hands:
            self._drain.consider()
            return
        if not self._context.lease.deals or self._context.host.paused:
            return  # until the lease is renewed, or the host resumes the table
        seating = self._seating()
        dealing = seating.policy.plan(self._hand.positions)
        if dealing is None:
            return
        settings, plan = dealing
        self._hand.positions = plan.positions
        self._hand.shown.clear()
        seats = [seating.seats.seats[number] for number in plan.order]
        for seat in seats:
            refilled = seat.time_bank_ms + self._settings.time_bank_refill_s * 1000
            seat.time_bank_ms = min(self._settings.time_bank_s * 1000, refilled)
        now_ms = self._context.now_ms()
        play = HandPlay(
            settings,
            hand_id=new_hand_id(now_ms, self._context.random_bytes),
            positions=plan.positions,
            seats=seats,
            setup=setup_of(
                settings, plan, seats, shuffled(settings.variant.deck, self._context.random_bytes)
            ),
            started_ms=now_ms,
        )
        self._log.debug("hand.started", hand_id=play.hand_id, seats=len(play.seats))
        next_seq = self._announcer.next_seq
        posts = [event for event in play.opening if isinstance(event, rules_events.PlayerPosted)]
        broadcasts = [views.hand_started(play, next_seq())]
        broadcasts += [views.step(play, event, next_seq()) for event in posts]
        broadcasts.append(views.hole_cards(play, next_seq()))
        entry = recovery.deal_entry(play, seating.seats.facts(), self._context.seal)
        self._advance(play, play.opening[len(posts) :], entry, broadcasts=broadcasts)

    def _advance(
        self,
        play: HandPlay,
        events: list[rules_events.Event],
        entry: bytes,
        *,
        broadcasts: list[Broadcast] | None = None,
        answer: tuple[Viewer, Outgoing] | None = None,
        by_clock: bool = False,
    ) -> None:
        """Journal a step, tell it when it is stored, and ask the next player or settle the hand.

        `broadcasts` are told before the events; they are given with the deal alone.
        """
        sent = broadcasts or []
        result: list[rules_events.Event] = []
        for event in events:
            if result or isinstance(event, RESULT_EVENTS):
                result.append(event)  # told after the commit only
                continue
            if isinstance(event, rules_events.HandShown):
                self._hand.shown.add(play.seats[event.player].number)
            sent.append(views.step(play, event, self._announcer.next_seq(), by_clock=by_clock))
        answers = [] if answer is None else [answer]
        batch = Batch(broadcasts=sent, answers=answers, ready=False)
        lifecycle = self._hand.lifecycle
        if lifecycle.playing is None:
            self._hand.machine.deal(play)
        playing = lifecycle.playing
        assert playing is not None
        decision: AwaitedDecision | None = None
        if play.state.finished:
            self._hand.machine.finish(play)
            durable = partial(self._post, self._settle, play, batch, result)
        else:
            decision, question = self.decisions.ask(play)
            playing.ask(decision)
            sent.append(question)
            durable = partial(self._post, self._stored, batch)
        answers += self.decisions.cancelled_by(play)
        received = None if answer is None else self._context.clock.seconds()
        batch.left = partial(self._step_sent, decision, received)
        self._outbox.put(batch)
        self._writer.append(entry, batch, durable, first=broadcasts is not None)

    def _stored(self, batch: Batch) -> None:
        self._writer.release()
        self._outbox.release(batch)
        self._writer.answered()

    def _step_sent(self, decision: AwaitedDecision | None, received: float | None) -> None:
        """A step has left for the clients."""
        if received is not None:
            self._context.observer.action()
            self._context.observer.action_latency(self._context.clock.seconds() - received)
        if decision is not None:
            self.decisions.step_sent(decision)

    # --- the end of a hand --------------------------------------------------------------------------------------

    def _settle(self, play: HandPlay, batch: Batch, result: list[rules_events.Event]) -> None:
        """The last step is journalled: tell it, take the hand to the ledger, and tell the result after that."""
        try:
            self._outbox.release(batch)
            settlement = play.settlement(self._context.epoch, self._context.now_ms(), self._card_seal)
            submitted = self._context.settler.submit(settlement)
        except BaseException:
            self._writer.release()
            raise
        submitted.addCallbacks(
            lambda _: self._post(self._settled, play, result),
            lambda failure: self._post(self._not_settled, failure),
        )

    def _settled(self, play: HandPlay, result: list[rules_events.Event]) -> None:
        self._writer.release()
        self._context.observer.hand()
        if play.state.rake:
            self._context.observer.rake(sum(play.state.rake))
        self._log.debug("hand.settled", hand_id=play.hand_id)
        for player, seat in enumerate(play.seats):
            seat.stack = play.state.stacks[player]
        frozen = self._hand.lifecycle.frozen
        self._hand.machine.settled()
        self._announcer.tell(*(views.step(play, event, self._announcer.next_seq()) for event in result))
        if not frozen:
            self._between_hands(play)
            self._journal.keep()
        self._writer.answered()

    def _not_settled(self, failure: Failure) -> None:
        """The settler repeats while the ledger is away: but for its stop, and a lost table, this is a defect."""
        self._writer.release()
        if isinstance(failure.value, NotOwner):
            self._lost_ownership()
            return
        if not isinstance(failure.value, LedgerUnavailable):
            failure.raiseException()
        self._log.info("hand.unsettled", message="the room stops before the ledger has answered")

    def _between_hands(self, play: HandPlay) -> None:
        policy = self._seating().policy
        policy.settled(play, self.decisions.timed_out, self.decisions.acted)
        self.decisions.hand_finished()
        self._settlement.run()
        if self._drain.no_more_hands:
            return  # what waits for that is told when the journal has the button and the seats, too
        self._hand.machine.rest(policy.pause_s())

    def rested(self) -> None:
        """The pause is over."""
        self._gathering = None
        if self._hand.name == "pausing":
            self._hand.machine.wake()
            self._deal()

    # --- the end of hands -----------------------------------------------------------------------------------------

    def rest_no_more(self) -> None:
        if self._hand.name == "pausing":
            self._hand.machine.halt()
        self._seating().policy.no_more_hands()

    def break_off(self) -> HandPlay | None:
        """Play the hand in progress no further, by the operator's order, and return it; it must not be settling."""
        play = self._hand.play
        assert self._hand.name not in {"settling", "frozen"}
        self.decisions.stop()
        self._hand.machine.halt()
        return play

    # --- clocks, faults and restarts ------------------------------------------------------------------------------

    def hold_clocks(self) -> None:
        self.decisions.hold()

    def restart_clocks(self) -> None:
        self.decisions.restart()

    def resume(self, found: recovery.JournalledPoker, hand: recovery.RecoveredHand | None) -> None:
        """Go on where the journal ends: with the button as it was, and with the hand in progress, if any.

        The decision that is awaited gets a full clock in `go_on`; a hand whose betting was complete is settled (I4).
        """
        self._hand.positions = found.positions
        if hand is None:
            if not found.frozen:  # else the journal stays as it is, for the owner after this one, too
                self._journal.keep()
            return
        play = hand.play
        self.decisions.remember(hand)
        self._hand.shown.update(play.shown())
        self._log.info("hand.resumed", hand_id=play.hand_id, steps=play.steps)
        self._hand.machine.deal(play)
        if play.state.finished:
            self._hand.machine.finish(play)
            self._writer.hold()
            self._settle(play, Batch(), play.result())

    def go_on(self) -> None:
        """See `GamePlay`; after `resume`."""
        playing = self._hand.lifecycle.playing
        if playing is None:
            return
        decision, question = self.decisions.ask(playing.play)
        playing.ask(decision)
        asked = partial(self.decisions.step_sent, decision)
        self._outbox.put(Batch(broadcasts=[question], left=asked))

    def abandon(self) -> None:
        self.decisions.stop()
        self._hand.machine.freeze()
        self._settlement.run()

    def stop(self) -> None:
        self.decisions.stop()
        self._hand.machine.halt()
