"""The hands of one table, one after the other: deal, steps, settlement, pause.

A hand's way: `_deal` -> steps (journalled, then told) -> the last step (journalled, told, then taken to the ledger) ->
the result (told after the commit) -> a pause -> the next. Runs inside the table's mailbox; `decisions` take the steps,
the table says who is dealt in and what follows a hand (`holdem`), `lifecycle` what is going on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import structlog
from twisted.python.failure import Failure

from pokerroom.ledger.api import LedgerUnavailable, NotOwner
from pokerroom.poker import recovery, views
from pokerroom.poker.decisions import HandDecisions
from pokerroom.poker.lifecycle import TableState, live
from pokerroom.poker.play import HandPlay, setup_of
from pokerroom.poker.seats import Seat
from pokerroom.rules import events as rules_events
from pokerroom.rules.button import Positions
from pokerroom.table.outbox import Batch, Broadcast, Viewer
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.shuffle import new_hand_id, shuffled_deck
from pokerroom_protocol import messages as wire

if TYPE_CHECKING:  # the table makes its hands
    from pokerroom.poker.game import PokerTable

GATHER_S = 10  # [D] after a restart of the room its players have so long to be back for the first hand


class HandRunner:
    """The hands of `table`; `course` says what is going on."""

    def __init__(self, table: PokerTable) -> None:
        self.table = table
        self._settings = table.settings
        self._world = table.world
        self._mailbox = table.mailbox
        self._outbox = table.outbox
        self._log = structlog.get_logger().bind(table=table.settings.table)
        self.course = TableState(clock=table.world.clock, rested=partial(table.mailbox.post, self._rested))
        self._life = live(self.course)
        self.decisions = HandDecisions(self)
        self._positions: Positions | None = None
        self._after_settlement: list[tuple[bool, Callable[[], None]]] = []
        self._gathering = False
        self.in_flight = 0
        """Entries at the journal and hands at the ledger that are not answered yet."""
        self.appended = 0
        """Entries given to the journal so far."""
        self.shown: set[int] = set()
        """Seats whose cards were turned up in this hand."""

    # --- questions --------------------------------------------------------------------------------------------------

    def play(self) -> HandPlay | None:
        """The hand in progress, settled or not."""
        return self.course.play

    def visible_play(self) -> HandPlay | None:
        """The hand as it may be shown: one that is over but not in the ledger is not shown, nor are its stacks.

        Nor is that of a frozen table: which of its steps stand, and so which cards are out, the restart will tell.
        """
        play = self.course.play
        return None if play is None or play.state.finished or self.course.state == "frozen" else play

    def in_hand(self, seat: Seat) -> bool:
        """Whether the seat is part of a hand that is not settled yet."""
        play = self.course.play
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
        decision = self.course.decision
        if decision is None:
            return None
        play = decision.play
        return views.turn_view(play, play.legal(), decision.action_clock.deadline, decision.seqs[-1])

    # --- a hand -----------------------------------------------------------------------------------------------------

    def consider_dealing(self) -> None:
        """Deals if nothing stands in the way; called whenever something changed between hands."""
        if self._gathering and not self.table.awaited():
            self._gathering = False
            self._life.halt()
        if self.course.state == "waiting":
            self._deal()

    def gather(self) -> None:
        """After a restart of the room: the first hand waits for those who played, for `GATHER_S` at most."""
        if self.table.awaited():
            self._gathering = True
            self._life.rest(GATHER_S)

    def _deal(self) -> None:
        if self.table.ending.no_more_hands:
            self.table.ending.consider()
            return
        if not self._world.lease.deals:
            return  # until `lease_renewed`
        dealing = self.table.plan(self._positions)
        if dealing is None:
            return
        settings, plan = dealing
        chairs = self.table.chairs
        self._positions = plan.positions
        self.shown.clear()
        seats = [chairs.seats[number] for number in plan.order]
        for seat in seats:
            refilled = seat.time_bank_ms + self._settings.time_bank_refill_s * 1000
            seat.time_bank_ms = min(self._settings.time_bank_s * 1000, refilled)
        now_ms = self._world.now_ms()
        play = HandPlay(
            settings,
            hand_id=new_hand_id(now_ms, self._world.random_bytes),
            positions=plan.positions,
            seats=seats,
            setup=setup_of(settings, plan, seats, shuffled_deck(self._world.random_bytes)),
            started_ms=now_ms,
        )
        self._log.debug("hand.started", hand_id=play.hand_id, seats=len(play.seats))
        posts = [event for event in play.opening if isinstance(event, rules_events.PlayerPosted)]
        broadcasts = [views.hand_started(play, self.table.next_seq())]
        broadcasts += [views.step(play, event, self.table.next_seq()) for event in posts]
        broadcasts.append(views.hole_cards(play, self.table.next_seq()))
        entry = recovery.deal_entry(play, chairs.facts(), self._world.seal)
        self.advance(play, play.opening[len(posts) :], entry, broadcasts=broadcasts)

    def advance(
        self,
        play: HandPlay,
        events: list[rules_events.Event],
        entry: bytes,
        *,
        broadcasts: list[Broadcast] | None = None,
        answer: tuple[Viewer, Outgoing] | None = None,
        by_clock: bool = False,
    ) -> None:
        """Journals a step, tells it when it is stored, and asks the next player or settles the hand.

        `broadcasts` are told before the events; they are given with the deal alone.
        """
        told = broadcasts or []
        result: list[rules_events.Event] = []
        for event in events:
            if result or isinstance(event, rules_events.PotWon | rules_events.HandFinished):
                result.append(event)  # told after the commit only
                continue
            if isinstance(event, rules_events.HandShown):
                self.shown.add(play.seats[event.player].number)
            told.append(views.step(play, event, self.table.next_seq(), by_clock=by_clock))
        answers = [] if answer is None else [answer]
        batch = Batch(broadcasts=told, answers=answers, ready=False)
        if self.course.betting is None:
            self._life.deal(play)
        betting = self.course.betting
        assert betting is not None
        betting.taken()
        if play.state.finished:
            self._life.finish(play)
            durable = partial(self._mailbox.post, self._settle, play, batch, result)
        else:
            decision, question = self.decisions.ask(play)
            betting.ask(decision)
            told.append(question)
            durable = partial(self._mailbox.post, self._stored, batch)
        answers += self.decisions.cancelled_by(play)
        batch.left = partial(
            self._told, play, play.steps, None if answer is None else self._world.clock.seconds()
        )
        self._outbox.put(batch)
        self._append(entry, batch, durable, first=broadcasts is not None)

    def _append(self, entry: bytes, batch: Batch, durable: Callable[[], None], *, first: bool) -> None:
        """Queues an entry that `batch` waits for; the first of a hand takes the place of all before it."""
        journal = self._world.journal
        self.in_flight += 1
        try:
            (journal.begin if first else journal.append)(self._settings.table, entry, durable)
        except BaseException:
            self.in_flight -= 1
            self._outbox.drop(batch)
            raise
        self.appended += 1

    def note_wish(self, viewer: Viewer, answer: Outgoing) -> None:
        """The holder of a seat has wished something that the ledger does not know: journalled, then answered."""
        self.note_facts(Batch(answers=[(viewer, answer)], ready=False))

    def note_seats(self) -> None:
        """Somebody is about to sit down, has sat down, or has left: the journal knows of it from now on."""
        self.note_facts(Batch(ready=False))

    def note_closing(self, *, closing: bool) -> None:
        """The operator has closed or opened the table, frozen or not; nothing else is said of it [D]."""
        self.note(recovery.closing_entry(closing=closing), Batch(ready=False), first=False)

    def note_facts(self, batch: Batch) -> None:
        """The journal is to know how the seats stand; `batch` leaves when it does."""
        facts, playing = self.table.chairs.facts(), self.course.play is not None
        entry = recovery.facts_entry(facts) if playing else recovery.table_entry(self._positions, facts)
        self.note(entry, batch, first=not playing)

    def note(self, entry: bytes, batch: Batch, *, first: bool) -> None:
        """Queues an entry beside the steps of a hand; `batch` leaves when it is stored."""
        self._outbox.put(batch)
        self._append(entry, batch, partial(self._mailbox.post, self._stored, batch), first=first)

    def _stored(self, batch: Batch) -> None:
        self.in_flight -= 1
        self._outbox.release(batch)
        self.table.answered()

    def _told(self, play: HandPlay, steps: int, received: float | None) -> None:
        """A step has left for the clients."""
        if received is not None:
            self._world.observer.action()
            self._world.observer.action_latency(self._world.clock.seconds() - received)
        self.decisions.told(play, steps)

    # --- the end of a hand --------------------------------------------------------------------------------------

    def _settle(self, play: HandPlay, batch: Batch, result: list[rules_events.Event]) -> None:
        """The last step is journalled: tell it, take the hand to the ledger, and tell the result after that."""
        try:
            self._outbox.release(batch)
            settlement = play.settlement(self._world.epoch, self._world.now_ms())
            submitted = self._world.settler.submit(settlement)
        except BaseException:
            self.in_flight -= 1
            raise
        submitted.addCallbacks(
            lambda _: self._mailbox.post(self._settled, play, result),
            lambda failure: self._mailbox.post(self._not_settled, failure),
        )

    def _settled(self, play: HandPlay, result: list[rules_events.Event]) -> None:
        self.in_flight -= 1
        self._world.observer.hand()
        self._log.debug("hand.settled", hand_id=play.hand_id)
        for player, seat in enumerate(play.seats):
            seat.stack = play.state.stacks[player]
        frozen = self.course.state == "frozen"
        self._life.settled()
        self.table.tell(*(views.step(play, event, self.table.next_seq()) for event in result))
        if not frozen:
            self._between_hands(play)
            self._note_table()
        self.table.answered()

    def _note_table(self) -> None:
        """Between hands the journal keeps where the button was, and of the seats what the ledger does not know."""
        self._world.journal.begin(self._settings.table, self.between_hands(), lambda: None)

    def between_hands(self) -> bytes:
        """That entry, as it would be now; the hand in progress, if any, is no part of it."""
        return recovery.table_entry(self._positions, self.table.chairs.facts())

    def _not_settled(self, failure: Failure) -> None:
        """The settler repeats while the ledger is away: but for its stop, and a lost table, this is a fault of ours."""
        self.in_flight -= 1
        if isinstance(failure.value, NotOwner):
            self.table.not_owner()
            return
        if not isinstance(failure.value, LedgerUnavailable):
            failure.raiseException()
        self._log.info("hand.unsettled", message="the room stops before the ledger has answered")

    def _between_hands(self, play: HandPlay) -> None:
        self.table.settled(play)
        self.decisions.hand_over()
        self._run_after_settlement()
        if self.table.ending.no_more_hands:
            return  # what waits for that is told when the journal has the button and the seats, too
        self._life.rest(self.table.pause_s())

    def _run_after_settlement(self) -> None:
        waiting, self._after_settlement = self._after_settlement, []
        for _, then in sorted(waiting, key=lambda entry: not entry[0]):
            then()

    def _rested(self) -> None:
        self._gathering = False
        if self.course.state == "pausing":
            self._life.wake()
            self._deal()

    def when_settled(self, then: Callable[[], None], *, first: bool = False) -> None:
        """Does it now, or once the result on its way to the ledger is there; `first`: before what looks at seats."""
        if self.course.state == "settling":
            self._after_settlement.append((first, then))
        else:
            then()

    # --- the end of hands -----------------------------------------------------------------------------------------

    def rest_no_more(self) -> None:
        """Whoever looks at a result has looked enough: there is no next hand here."""
        if self.course.state == "pausing":
            self._life.halt()

    def break_off(self) -> HandPlay | None:
        """By the operator: the hand in progress is played no further, and is returned; it must not be settling."""
        play = self.course.play
        assert self.course.state not in {"settling", "frozen"}
        self.decisions.stop()
        self._life.halt()
        return play

    # --- faults and restarts --------------------------------------------------------------------------------------

    def resume(self, found: recovery.JournalledPoker, hand: recovery.RecoveredHand | None) -> None:
        """Goes on where the journal ends: with the button as it was, and with the hand in progress, if any.

        The decision that is awaited gets a full clock in `go_on`; a hand whose betting was complete is settled (I4).
        """
        self._positions = found.positions
        if hand is None:
            if not found.frozen:  # else the journal stays as it is, for the owner after this one, too
                self._note_table()
            return
        play = hand.play
        self.decisions.remember(hand)
        self.shown.update(play.shown())
        self._log.info("hand.resumed", hand_id=play.hand_id, steps=play.steps)
        self._life.deal(play)
        if play.state.finished:
            self._life.finish(play)
            self.in_flight += 1
            self._settle(play, Batch(), play.result())

    def go_on(self) -> None:
        """After `resume`, and when everybody who watches has been shown the hand: whose turn it is."""
        betting = self.course.betting
        if betting is None:
            return
        decision, question = self.decisions.ask(betting.play)
        betting.ask(decision)
        asked = partial(self.decisions.told, decision.play, decision.steps)
        self._outbox.put(Batch(broadcasts=[question], left=asked))

    def successor(self) -> HandRunner:
        """New hands for the same table, after a fault."""
        after = HandRunner(self.table)
        after.appended = self.appended
        return after

    def freeze(self) -> None:
        """A fault of ours: nothing moves any more, and the hand in progress is kept for inspection."""
        self.decisions.stop()
        self._life.freeze()
        self._run_after_settlement()

    def stop(self) -> None:
        """The room goes down: a hand in progress is left to its journal, and nothing is left on the clock."""
        self.table.ending.draining = True
        self.decisions.stop()
        self._life.halt()
