"""The round in progress at a table against the house: steps that are journalled and then told, and its end.

Steps go to the journal in groups: what is decided while one is being stored goes with the next, so that many players
who decide at once cost few entries and few broadcasts. The last group is journalled, told, and then the result goes
to the ledger, which is told after its commit. Runs inside the table's mailbox; `decisions` take the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import structlog

from pokerroom.ledger.rounds import RoundEnd
from pokerroom.rules.ultimate.closing import Refused
from pokerroom.rules.ultimate.events import Event, RoundOver
from pokerroom.table.ledger_requests import LedgerRequests, fault_of_ours
from pokerroom.table.outbox import Batch
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.viewer import Broadcast, Viewer
from pokerroom.ultimate import views
from pokerroom.ultimate.clocks import Window
from pokerroom.ultimate.play import Expired, RoundPlay, Step
from pokerroom.ultimate.recovery import Recovered, steps_entry

if TYPE_CHECKING:  # the felt makes its rounds
    from pokerroom.ultimate.felt import Felt


@dataclass(slots=True, kw_only=True)
class _Group:
    """Steps that go to the journal together, what they brought about, and who waits for an answer."""

    steps: list[Step] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    answers: list[tuple[int, Viewer, Outgoing]] = field(default_factory=list)
    """With the accounts that they are for: who has logged out by then, or in as another, does not get one."""
    received: list[float] = field(default_factory=list)
    """When the answered ones came, in seconds of the clock."""


class Rounds:
    """The rounds on `felt`, one after the other."""

    def __init__(self, felt: Felt, asking: LedgerRequests) -> None:
        self._felt = felt
        self._table = felt.table
        self._settings = felt.table.settings
        self._world = felt.table.world
        self._ask = asking.ask
        self._log = structlog.get_logger().bind(table=felt.table.settings.table)
        self._group = _Group()
        self._unstored = 0
        """Groups at the journal."""
        self._when_settled: list[Callable[[], None]] = []

    # --- a round ----------------------------------------------------------------------------------------------------

    def begin(self, play: RoundPlay, refused: Sequence[Refused]) -> None:
        """The ledger has the bets, the journal the cards: tells both, and asks for the first decisions."""
        table = self._table
        self._log.debug("round.started", round_id=play.round_id, boxes=len(play.state.boxes))
        self._felt.betting.played(play)
        self._felt.decisions.begin()
        self._felt.life.deal(play)
        told = [table.refusals.told(refused)] if refused else []
        told.append(views.round_started(play, table.next_seq()))
        told.append(views.hands_dealt(play, table.next_seq()))
        window = self._asked(play, told)
        table.tell(*told, left=partial(self._told, play, window, ()))

    def resume(self, recovered: Recovered) -> None:
        """A round goes on where journal and ledger end; `go_on` follows when everybody has been shown it."""
        play = recovered.play
        self._log.info("round.resumed", round_id=play.round_id, groups=play.groups)
        self._felt.betting.played(play)
        self._felt.life.deal(play)
        if recovered.lacking:
            play.groups += 1
            self._table.ports.writer.note(steps_entry(play, recovered.lacking), first=False)
        if play.state.finished:
            self._felt.life.finish(play)
            self._settle(play)

    def go_on(self) -> None:
        """The decisions of a round that was resumed are asked for, with a whole clock."""
        deciding = self._felt.course.playing
        if deciding is None:
            return
        told: list[Broadcast] = []
        window = self._asked(deciding.play, told)
        self._table.tell(*told, left=partial(self._told, deciding.play, window, ()))

    def take(
        self, step: Step, answers: Sequence[tuple[Viewer, Outgoing]] = (), *, received: float | None = None
    ) -> None:
        """A step: journalled, then told and answered. Raises `IllegalAction`, with nothing changed.

        `received` is when it was asked for, in seconds of the clock, if a player has.
        """
        deciding = self._felt.course.playing
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
        """What was decided goes to the journal now; whoever shows the round asks for this before."""
        deciding = self._felt.course.playing
        if deciding is None or not self._group.steps:
            return
        play, window = deciding.play, deciding.question
        group, self._group = self._group, _Group()
        play.groups += 1
        told = [
            views.step(play, event, self._table.next_seq())
            for event in group.events
            if not isinstance(event, RoundOver)
        ]
        then: Callable[[], None] | None = None
        asks: Window | None = None
        if play.state.finished:
            self._felt.life.finish(play)
            then = partial(self._settle, play)
        elif window is None or window.street is not play.state.phase:
            asks = self._asked(play, told)
        left = partial(self._told, play, asks, tuple(group.received))
        answers = [(viewer, answer) for account, viewer, answer in group.answers if viewer.account == account]
        batch = Batch(broadcasts=told, answers=answers, left=left)
        self._unstored += 1
        entry = steps_entry(play, group.steps)
        self._table.ports.writer.write(entry, batch, first=False, then=partial(self._stored, then))

    def _stored(self, then: Callable[[], None] | None) -> None:
        self._unstored -= 1
        if then is not None:
            then()
        elif not self._unstored:
            self.flush()

    # --- asking -----------------------------------------------------------------------------------------------------

    def _asked(self, play: RoundPlay, told: list[Broadcast]) -> Window:
        """The decisions of a street; the clock starts when they have been told."""
        deciding = self._felt.course.playing
        assert deciding is not None
        seq = self._table.next_seq()
        window = Window(
            self._world.clock,
            self._world.now_ms,
            decision_s=self._settings.decision_s,
            street=play.state.phase,
            seq=seq,
            over=lambda window: self._table.mailbox.post(self._felt.decisions.expired, window),
        )
        deciding.ask(window)
        told.append(views.decisions(play, views.Question(seq=seq, deadline_ms=window.deadline_ms)))
        return window

    def _told(self, play: RoundPlay, asks: Window | None, received: tuple[float, ...]) -> None:
        """A group has left for the clients."""
        now = self._world.clock.seconds()
        for at in received:
            self._world.observer.action()
            self._world.observer.action_latency(now - at)
        if asks is not None and self._felt.course.question is asks and asks.start():
            self.ask_again(play, asks)

    def ask_again(self, play: RoundPlay, window: Window) -> None:
        """The same decisions with another deadline, which everybody is told."""
        self.flush()
        if self._felt.course.question is not window:
            return
        seq = self._table.next_seq()
        window.asked_again(seq)
        question = views.Question(seq=seq, deadline_ms=window.deadline_ms)
        self._table.tell(views.decisions(play, question))

    def question(self) -> views.Question | None:
        """What is asked, for a snapshot."""
        window = self._felt.course.question
        return None if window is None else views.Question(seq=window.seqs[-1], deadline_ms=window.deadline_ms)

    # --- the end ----------------------------------------------------------------------------------------------------

    def _settle(self, play: RoundPlay) -> None:
        """The last step is journalled and told: now the ledger."""
        settlement, meter = play.settlement, play.settlement.meter
        ended_ms = self._world.now_ms()
        end = RoundEnd(
            round_id=play.round_id,
            table=play.table,
            epoch=self._world.epoch,
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
            lambda: self._world.ledger.settle_round(end), done=settled, refused=fault_of_ours, late=settled
        )

    def _settled(self, play: RoundPlay, _: None) -> None:
        frozen = self._felt.course.state == "frozen"
        self._world.observer.round()
        self._log.debug("round.settled", round_id=play.round_id)
        self._felt.life.settled()
        self._felt.ended = play.round_id
        self._table.tell(views.round_ended(play, self._table.next_seq()))
        self._felt.meter = play.settlement.meter.after
        self.run_when_settled()
        if not frozen:
            self._felt.between_rounds()

    def when_settled(self, then: Callable[[], None], *, first: bool = False) -> None:
        """Does it now, or once the result on its way to the ledger is there; `first`: ahead of the others."""
        if not self._felt.shown:
            self._when_settled.insert(0 if first else len(self._when_settled), then)
        else:
            then()

    def run_when_settled(self) -> None:
        """What has waited for the ledger's word waits no longer."""
        waiting, self._when_settled = self._when_settled, []
        for then in waiting:
            then()

    def take_over(self, before: Rounds) -> None:
        """After a fault: what waited for the ledger's word waits here."""
        self._when_settled, before._when_settled = [*before._when_settled, *self._when_settled], []

    def abandon(self) -> None:
        """The table is about to begin anew, from the journal: it gets what has not been given to it."""
        try:
            self.flush()
        except Exception as error:  # noqa: BLE001 -- a fault has led here, and this may be the same
            self._log.critical("round.steps_lost", exc_info=error)
        self.run_when_settled()
