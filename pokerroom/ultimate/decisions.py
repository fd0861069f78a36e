"""The decisions of a round (U3): of the players and of the clock; and tips (U14).

A check or a fold is a step at once. For a Play or a tip the ledger moves the money first, and then it is a step. While
a Play is at the ledger its box has decided in time, and the clock leaves it alone. While a tip is at the ledger no
decision is taken, since it might be the last of the round. What waits for that comes before further tips, and the tips
of a player in a round are limited, so that no player can hold up the others. Runs inside the table's mailbox.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Protocol, Unpack

import structlog
from msgspec.structs import replace

from pokerroom.ledger.api import Facts
from pokerroom.ledger.rounds import RoundStake
from pokerroom.rules.errors import IllegalAction
from pokerroom.table.announcer import refusal
from pokerroom.table.game import GamePorts
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.viewer import Viewer
from pokerroom.ultimate.clocks import DecisionWindow
from pokerroom.ultimate.play import Choice, Expired, RoundPlay, Step, Tipped
from pokerroom.ultimate.recovery import play_key, tip_key
from pokerroom.ultimate.state import UltimateState
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

TIPS_MAX: Final = 20
"""Of one player in one round (house choice): each is a transfer in the ledger, and a line of the round's record."""


class StepTaker(Protocol):
    """Takes the steps of the round in progress."""

    def take(
        self, step: Step, answers: Sequence[tuple[Viewer, Outgoing]] = (), *, received: float | None = None
    ) -> None:
        """Take a step, store it, then tell and answer. Raises `IllegalAction`, with nothing changed."""

    def flush(self) -> None:
        """Give the steps taken so far to the journal."""


@dataclass(slots=True, kw_only=True, eq=False)
class _Paying:
    """A Play that is at the ledger, and the requests that wait for its answer."""

    choice: Choice
    asked: list[tuple[Viewer, int]] = field(default_factory=list)


class RoundDecisions:
    """Takes the decisions of one table, and gives the steps to `runner`."""

    def __init__(self, ports: GamePorts, state: UltimateState, runner: StepTaker) -> None:
        self._context = ports.context
        self._announcer = ports.announcer
        self._post = ports.mailbox.post
        self._ask = ports.requests.ask
        self._after_restart = ports.table.after_restart
        self._state = state
        self._runner = runner
        self._log = structlog.get_logger().bind(table=ports.announcer.table)
        self._accepted: dict[tuple[str, int, int, int], Choice] = {}
        """Of the last round, by round, account, `seq` and box: a repeated decision gets its answer again."""
        self._without_seq: dict[tuple[str, int, int], Choice] = {}
        """Accepted Plays that only the ledger had after a restart: their `seq` is not known."""
        self._paying: dict[int, _Paying] = {}
        """By box."""
        self._tips = 0
        """Tips at the ledger."""
        self._after_tips: list[Callable[[], None]] = []
        """What waits until there is none, in the order in which it came; tips that came later wait, too."""
        self._due = 0
        """What has waited, and is on its way through the mailbox."""
        self._tips_of: Counter[int] = Counter()
        """Tips requested in the round, by account."""
        self._tip_keys: set[tuple[int, str]] = set()
        """Account and key of the tips at the ledger."""

    def begin(self) -> None:
        """Forget the round before: another begins."""
        self._accepted.clear()
        self._without_seq.clear()
        self._paying.clear()
        self._tips_of.clear()

    def remember(self, round_id: str, steps: Iterable[Step]) -> None:
        """Note what was accepted in a round that goes on after a restart."""
        for step in steps:
            if isinstance(step, Choice) and step.seq is not None:
                self._accepted[round_id, step.account, step.seq, step.box] = step
            elif isinstance(step, Choice):
                self._without_seq[round_id, step.account, step.box] = step
            elif isinstance(step, Tipped) and step.key:
                self._state.keys.note(step.account, [step.key])

    # --- of players ------------------------------------------------------------------------------------------------

    def decide(self, viewer: Viewer, message: wire.Decide) -> None:
        """Refuse a decision with a code, or take it, store it and tell it."""
        account = viewer.account
        assert account is not None  # a stranger does not get this far
        choice = _choice(account, message)
        if isinstance(choice, Code):
            self._announcer.refuse(viewer, message, choice)
            return
        if self._repeated(viewer, message, choice):
            return
        if self._tips:
            self._after_tips.append(partial(self._decide_later, viewer, message, account))
            return
        code = self._misplaced(message)
        if code is not None:
            self._announcer.refuse(viewer, message, code)
            return
        try:
            self._decide(viewer, message, choice)
        except IllegalAction as illegal:
            self._announcer.refuse(viewer, message, Code(illegal.code))

    def _decide_later(self, viewer: Viewer, message: wire.Decide, account: int) -> None:
        if self._state.abandoned:
            self._announcer.refuse(viewer, message, Code.TABLE_FROZEN)
        elif viewer.account == account:
            self.decide(viewer, message)

    def _repeated(self, viewer: Viewer, message: wire.Decide, choice: Choice) -> bool:
        """Give a decision that was accepted already, or is being paid, the same answer, once that may be told."""
        paying = self._paying.get(message.box)
        if paying is not None and paying.choice == choice:
            paying.asked.append((viewer, message.id))
            return True
        first = self._accepted.get((message.round_id, choice.account, message.seq, message.box))
        paid = self._without_seq.get((message.round_id, choice.account, message.box))
        if first != choice and (paid is None or paid != replace(choice, seq=None)):
            return False
        self._runner.flush()
        self._announcer.confirm(viewer, message)
        return True

    def _misplaced(self, message: wire.Decide) -> Code | None:
        """Return why the decision does not answer the present question, if so."""
        window, play = self._state.question, self._state.play
        if play is None or window is None:
            return Code.ROUND_OVER
        if message.round_id != play.round_id:
            return Code.WRONG_ROUND
        if message.seq not in window.seqs:
            return Code.STALE_SEQ
        return None

    def _decide(self, viewer: Viewer, message: wire.Decide, choice: Choice) -> None:
        """Take a decision that answers the question. Raises `IllegalAction`."""
        play = self._state.play
        assert play is not None
        paying = self._paying.get(choice.box)
        if paying is not None and paying.choice.account == choice.account:
            self._announcer.refuse(viewer, message, Code.DECIDED_ALREADY)
            return
        if choice.kind != "play":
            answers = [(viewer, Outgoing(wire.Ok(re=message.id)))]
            self._runner.take(choice, answers, received=self._context.clock.seconds())
            self._accept(play, choice)
            return
        amount = play.play_amount(choice.account, choice.box, choice.multiple)
        if not amount:
            self._announcer.refuse(viewer, message, Code.PLAY_NOT_ALLOWED)
            return
        self._pay(play, choice, amount, viewer, message)

    def _pay(
        self, play: RoundPlay, choice: Choice, amount: int, viewer: Viewer, message: wire.Decide
    ) -> None:
        paying = self._paying[choice.box] = _Paying(choice=choice, asked=[(viewer, message.id)])
        stake = RoundStake(
            key=play_key(play.round_id, choice.box),
            round_id=play.round_id,
            table=play.table,
            epoch=self._context.epoch,
            kind="play",
            account=choice.account,
            amount=amount,
        )
        self._ask(
            lambda: self._context.ledger.add_stake(stake),
            done=partial(self._paid, play, paying, self._context.clock.seconds()),
            refused=partial(self._not_paid, paying),
            late=lambda _: self._answer_late(choice.account, _oks(paying)),
        )

    def _paid(self, play: RoundPlay, paying: _Paying, received: float, _: None) -> None:
        if self._tips:
            self._after_tips.append(partial(self._paid, play, paying, received, None))
            return
        if self._state.abandoned:  # the ledger has it, so it counts
            self._answer_late(paying.choice.account, _oks(paying))
            return
        del self._paying[paying.choice.box]
        self._runner.take(paying.choice, _oks(paying), received=received)
        self._accept(play, paying.choice)

    def _not_paid(self, paying: _Paying, code: Code, **facts: Unpack[Facts]) -> None:
        """The player may check or fold, if the clock has not run out meanwhile."""
        for viewer, re in paying.asked:
            self._context.observer.refusal(code)
            error = refusal(re, code, **facts)
            if viewer.account == paying.choice.account:
                self._announcer.tell(answers=[(viewer, error)])
        self._paying.pop(paying.choice.box, None)
        window = self._state.question
        if not self._state.abandoned and window is not None and window.expired:
            self.expired(window)

    def _accept(self, play: RoundPlay, choice: Choice) -> None:
        assert choice.seq is not None
        self._accepted[play.round_id, choice.account, choice.seq, choice.box] = choice

    def _answer_late(self, account: int, answers: list[tuple[Viewer, Outgoing]]) -> None:
        """The table restarts, and what was asked counts: answer when it goes on, where the player is still here."""

        def answer() -> None:
            self._announcer.tell(
                answers=[(viewer, ok) for viewer, ok in answers if viewer.account == account]
            )

        self._after_restart(answer)

    # --- of the clock -----------------------------------------------------------------------------------------------

    def expired(self, window: DecisionWindow) -> None:
        """The time has passed (U4): boxes that have not decided check, or on the river fold."""
        play = self._state.play
        if self._state.question is not window or play is None:
            return
        if not self._context.lease.acts:  # the clock restarts when players can act again
            return
        window.expired = True
        if self._tips:
            self._after_tips.append(partial(self.expired, window))
            return
        late = tuple(box for box in play.state.waiting if box not in self._paying)
        if late:
            self._log.info("decisions.expired", round_id=play.round_id, boxes=len(late))
            self._runner.take(Expired(boxes=late if self._paying else None))

    # --- tips -------------------------------------------------------------------------------------------------------

    def tip(self, viewer: Viewer, message: wire.GiveTip) -> None:
        """Give a tip of a player of the round to the tronc, while decisions are made (house choice).

        The rules name no time. In the ledger a tip is part of a round, and so it is in the round's record.
        """
        account = viewer.account
        assert account is not None  # a stranger does not get this far
        if self._after_tips or self._due:
            self._after_tips.append(partial(self._tip_later, viewer, message, account))
        else:
            self._tip(viewer, message, account)

    def _tip_later(self, viewer: Viewer, message: wire.GiveTip, account: int) -> None:
        if self._state.abandoned:
            self._announcer.refuse(viewer, message, Code.TABLE_FROZEN)
        elif viewer.account == account:
            self._tip(viewer, message, account)

    def _tip(self, viewer: Viewer, message: wire.GiveTip, account: int) -> None:
        play = self._state.play
        if self._state.keys.knows(account, message.key):
            self._announcer.tell(answers=[(viewer, Outgoing(wire.Ok(re=message.id)))])
        elif (account, message.key) in self._tip_keys:
            self._announcer.refuse(viewer, message, Code.REQUEST_PENDING)
        elif play is None or self._state.playing is None:
            self._announcer.refuse(viewer, message, Code.ROUND_OVER)
        elif account not in play.accounts:
            self._announcer.refuse(viewer, message, Code.NOT_YOUR_BOX)
        elif message.amount < 1:
            self._announcer.refuse(viewer, message, Code.BAD_AMOUNT)
        elif self._tips_of[account] >= TIPS_MAX:
            self._announcer.refuse(viewer, message, Code.RATE_LIMITED)
        else:
            self._tips_of[account] += 1
            play.tips_asked += 1
            tip = Tipped(
                account=account, amount=message.amount, number=play.tips_asked, key=message.key or ""
            )
            self._give(viewer, message, play, tip)

    def _give(self, viewer: Viewer, message: wire.GiveTip, play: RoundPlay, tip: Tipped) -> None:
        self._tips += 1
        mark = tip.account, tip.key
        if tip.key:
            self._tip_keys.add(mark)
        stake = RoundStake(
            key=tip_key(play.round_id, tip.number, tip.key),
            round_id=play.round_id,
            table=play.table,
            epoch=self._context.epoch,
            kind="tip",
            account=tip.account,
            amount=tip.amount,
        )
        ok = [(viewer, Outgoing(wire.Ok(re=message.id)))]

        def given(_: None) -> None:
            self._tip_keys.discard(mark)
            if tip.key:
                self._state.keys.note(tip.account, [tip.key])
            self._runner.take(tip, ok)
            self._tip_known()

        def refused(code: Code, **facts: Unpack[Facts]) -> None:
            self._tip_keys.discard(mark)
            self._announcer.refuse(viewer, message, code, **facts)
            self._tip_known()

        def late(_: None) -> None:
            self._answer_late(tip.account, ok)
            self._tip_known()

        self._ask(lambda: self._context.ledger.add_stake(stake), done=given, refused=refused, late=late)

    def _tip_known(self) -> None:
        self._tips -= 1
        self._consider_waiting()

    def _consider_waiting(self) -> None:
        """Go on with what has waited as soon as no tip is at the ledger, ahead of later tips."""
        if self._tips or self._due:
            return
        waiting, self._after_tips = self._after_tips, []
        self._due = len(waiting)
        for then in waiting:
            self._post(self._go_on, then)

    def _go_on(self, then: Callable[[], None]) -> None:
        self._due -= 1
        then()
        self._consider_waiting()


def _choice(account: int, message: wire.Decide) -> Choice | Code:
    if message.decision == "play":
        if message.multiple is None:
            return Code.AMOUNT_REQUIRED
    elif message.multiple is not None:
        return Code.AMOUNT_NOT_ALLOWED
    return Choice(
        account=account,
        box=message.box,
        kind=message.decision,
        multiple=message.multiple or 0,
        seq=message.seq,
    )


def _oks(paying: _Paying) -> list[tuple[Viewer, Outgoing]]:
    return [(viewer, Outgoing(wire.Ok(re=re))) for viewer, re in paying.asked]
