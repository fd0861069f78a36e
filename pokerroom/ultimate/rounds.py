"""Runs the rounds of a table of Ultimate Texas Hold'em: steps are stored and then told, then the result is settled.

Steps go to the journal in groups: what is decided while one group is being stored goes with the next. So many players
who decide at once cost few entries and few broadcasts. The last group is stored and told, then the result goes to the
ledger, and clients are told after its commit. Runs inside the table's mailbox; `decisions` gives the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import structlog

from pokerroom.ledger.rounds import RoundEnd
from pokerroom.ops.ultimate_settings import UltimateSettings
from pokerroom.rules.ultimate.closing import Refused
from pokerroom.rules.ultimate.events import Event
from pokerroom.table.game import GamePorts
from pokerroom.table.ledger_requests import fault_of_ours
from pokerroom.table.lifecycle import AfterSettlement
from pokerroom.table.outbox import Batch
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.viewer import Broadcast, Viewer
from pokerroom.ultimate import views
from pokerroom.ultimate.clocks import DecisionWindow
from pokerroom.ultimate.decisions import RoundDecisions
from pokerroom.ultimate.journal import steps_entry
from pokerroom.ultimate.play import Expired, RoundPlay, Step
from pokerroom.ultimate.recovery import RecoveredRound
from pokerroom.ultimate.refusal_notices import RefusalNotices
from pokerroom.ultimate.slips import BetSlips
from pokerroom.ultimate.state import UltimateState


@dataclass(slots=True, kw_only=True)
class _Group:
    """Steps that go to the journal together, their events, and the requests that wait for an answer."""

    steps: list[Step] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    answers: list[tuple[int, Viewer, Outgoing]] = field(default_factory=list)
    """With their accounts: a client that has another account by then gets no answer."""
    received: list[float] = field(default_factory=list)
    """When the answered requests came, in seconds of the clock."""


class RoundRunner:
    """Runs the rounds of one table. `ended` is called when clients have been told the result of a round."""

    def __init__(
        self,
        settings: UltimateSettings,
        ports: GamePorts,
        state: UltimateState,
        slips: BetSlips,
        notices: RefusalNotices,
        *,
        settlement: AfterSettlement,
        ended: Callable[[], None],
    ) -> None:
        self._settings = settings
        self._context = ports.context
        self._announcer = ports.announcer
        self._writer = ports.writer
        self._post = ports.mailbox.post
        self._ask = ports.requests.ask
        self._state = state
        self._slips = slips
        self._notices = notices
        self._settlement = settlement
        self._ended = ended
        self._log = structlog.get_logger().bind(table=settings.table)
        self.decisions = RoundDecisions(ports, state, self)
        self._group = _Group()
        self._unstored = 0
        """Groups at the journal."""

    # --- a round ----------------------------------------------------------------------------------------------------

    def begin(self, play: RoundPlay, refused: Sequence[Refused]) -> None:
        """Tell a round and ask for its first decisions: the ledger has the bets, the journal the cards."""
        next_seq = self._announcer.next_seq
        self._log.debug("round.started", round_id=play.round_id, boxes=len(play.state.boxes))
        self._slips.played(play)
        self.decisions.begin()
        self._state.machine.deal(play)
        events = [self._notices.event(refused)] if refused else []
        events.append(views.round_started(play, next_seq()))
        events.append(views.hands_dealt(play, next_seq()))
        window = self._ask_decisions(play, events)
        self._announcer.tell(*events, left=partial(self._told, play, window, ()))

    def resume(self, recovered: RecoveredRound) -> None:
        """Resume a round where journal and ledger end; `go_on` follows when all viewers have been shown it."""
        play = recovered.play
        self._log.info("round.resumed", round_id=play.round_id, groups=play.groups)
        self._slips.played(play)
        self._state.machine.deal(play)
        self.decisions.remember(play.round_id, (*recovered.steps, *recovered.lacking))
        if recovered.lacking:
            play.groups += 1
            self._writer.note(steps_entry(play, recovered.lacking), first=False)
        if play.state.finished:
            self._state.machine.finish(play)
            self._settle(play)

    def go_on(self) -> None:
        """Ask for the decisions of a resumed round, with a whole clock."""
        deciding = self._state.playing
        if deciding is None:
            return
        events: list[Broadcast] = []
        window = self._ask_decisions(deciding.play, events)
        self._announcer.tell(*events, left=partial(self._told, deciding.play, window, ()))

    def take(
        self, step: Step, answers: Sequence[tuple[Viewer, Outgoing]] = (), *, received: float | None = None
    ) -> None:
        """Take a step: store it, then tell and answer. Raises `IllegalAction`, with nothing changed.

        `received` is when a player requested it, in seconds of the clock.
        """
        deciding = self._state.playing
        assert deciding is not None
        play = deciding.play
        phase = play.state.phase
        events = play.take(step)
        group = self._group
        group.steps.append(step)
        group.events += events
        if not isinstance(step, Expired):
            group.answers += [(step.account, viewer, answer) for viewer, answer in answers]
        group.received += [] if received is None else [received]
        if not self._unstored or play.state.phase is not phase:
            self.flush()

    def flush(self) -> None:
        """Give the steps taken so far to the journal. Call it before the round is shown."""
        deciding = self._state.playing
        if deciding is None or not self._group.steps:
            return
        play, window = deciding.play, deciding.question
        group, self._group = self._group, _Group()
        play.groups += 1
        events = [views.step(play, event, self._announcer.next_seq()) for event in group.events]
        then: Callable[[], None] | None = None
        asks: DecisionWindow | None = None
        if play.state.finished:
            self._state.machine.finish(play)
            then = partial(self._settle, play)
        elif window is None or window.street is not play.state.phase:
            asks = self._ask_decisions(play, events)
        left = partial(self._told, play, asks, tuple(group.received))
        answers = [(viewer, answer) for account, viewer, answer in group.answers if viewer.account == account]
        batch = Batch(broadcasts=events, answers=answers, left=left)
        self._unstored += 1
        entry = steps_entry(play, group.steps)
        self._writer.write(entry, batch, first=False, then=partial(self._stored, then))

    def _stored(self, then: Callable[[], None] | None) -> None:
        self._unstored -= 1
        if then is not None:
            then()
        elif not self._unstored:
            self.flush()

    # --- questions --------------------------------------------------------------------------------------------------

    def _ask_decisions(self, play: RoundPlay, events: list[Broadcast]) -> DecisionWindow:
        """Append the event that asks for the decisions of a street; their clock starts when it has left."""
        deciding = self._state.playing
        assert deciding is not None
        seq = self._announcer.next_seq()
        window = DecisionWindow(
            self._context.clock,
            self._context.now_ms,
            decision_s=self._settings.decision_s,
            street=play.state.phase,
            seq=seq,
            over=lambda window: self._post(self.decisions.expired, window),
        )
        deciding.ask(window)
        events.append(views.decisions(play, views.DecisionQuestion(seq=seq, deadline_ms=window.deadline_ms)))
        return window

    def _told(self, play: RoundPlay, asks: DecisionWindow | None, received: tuple[float, ...]) -> None:
        """A group of steps has left for the clients."""
        now = self._context.clock.seconds()
        for at in received:
            self._context.observer.action()
            self._context.observer.action_latency(now - at)
        if asks is not None and self._state.question is asks and asks.start():
            self._ask_again(play, asks)

    def hold_clock(self) -> None:
        """Stop the clock of the decisions for now."""
        if self._state.question is not None:
            self._state.question.hold()

    def restart_clock(self) -> None:
        """Give the awaited decisions their whole clock once more (house choice)."""
        deciding = self._state.playing
        if deciding is not None and deciding.question is not None and deciding.question.restart():
            self._ask_again(deciding.play, deciding.question)

    def _ask_again(self, play: RoundPlay, window: DecisionWindow) -> None:
        """Ask for the same decisions with another deadline."""
        self.flush()
        if self._state.question is not window:
            return
        seq = self._announcer.next_seq()
        window.asked_again(seq)
        question = views.DecisionQuestion(seq=seq, deadline_ms=window.deadline_ms)
        self._announcer.tell(views.decisions(play, question))

    def question(self) -> views.DecisionQuestion | None:
        """Return the question that is asked, for a snapshot."""
        window = self._state.question
        return (
            None
            if window is None
            else views.DecisionQuestion(seq=window.seqs[-1], deadline_ms=window.deadline_ms)
        )

    # --- the end ----------------------------------------------------------------------------------------------------

    def _settle(self, play: RoundPlay) -> None:
        """Take the result to the ledger: the last step is stored and told."""
        settlement, meter = play.settlement, play.settlement.meter
        ended_ms = self._context.now_ms()
        end = RoundEnd(
            round_id=play.round_id,
            table=play.table,
            epoch=self._context.epoch,
            ended_ms=ended_ms,
            deltas=settlement.players,
            house=settlement.house,
            meter_before=meter.before,
            meter_fed=meter.fed,
            meter_paid=meter.paid,
            meter_reseeded=meter.reseeded,
            tronc=settlement.tronc,
            record=play.record(ended_ms),
        )
        settled = partial(self._settled, play)
        self._ask(
            lambda: self._context.ledger.settle_round(end), done=settled, refused=fault_of_ours, late=settled
        )

    def _settled(self, play: RoundPlay, _: None) -> None:
        frozen = self._state.frozen
        self._context.observer.round()
        self._log.debug("round.settled", round_id=play.round_id)
        self._state.machine.settled()
        self._state.ended = play.round_id
        self._announcer.tell(views.round_ended(play, self._announcer.next_seq()))
        self._state.meter = play.settlement.meter.after
        self._settlement.run()
        if not frozen:
            self._ended()

    def abandon(self) -> None:
        """Stop: the table restarts from the journal, which gets the steps that it does not have."""
        try:
            self.flush()
        except Exception as error:  # noqa: BLE001 -- a fault has led here, and this may be the same
            self._log.critical("round.steps_lost", exc_info=error)
        self._settlement.run()
