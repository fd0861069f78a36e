"""The game of poker at one table: hands one after the other, at a cash table or a tournament's table.

The game is put together here: `hands` plays, `decisions` asks and takes, `rebuild` makes it again of journal and
ledger, and a seating (`ports.PokerSeating`) knows the seats. Which variant is played is data in the settings.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pokerroom.ops.table_settings import TableSettings
from pokerroom.poker import views
from pokerroom.poker.hand_state import HandInProgress
from pokerroom.poker.hands import HandRunner
from pokerroom.poker.journal import SeatingFacts
from pokerroom.poker.ports import HandPorts, MakeSeating, PokerSeating, PokerSeats
from pokerroom.poker.rebuild import PokerRecovery
from pokerroom.poker.seat_journal import SeatJournal
from pokerroom.table.announcer import Announcer
from pokerroom.table.context import SeatDirectory, TableHost
from pokerroom.table.game import GamePorts
from pokerroom.table.lifecycle import AfterSettlement
from pokerroom.table.viewer import Viewer
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

_DECIDING = (wire.Act, wire.PreAct, wire.CancelPreAct)


class PokerGame:
    """One incarnation of the game at a table (`table.game.Game`)."""

    def __init__(self, settings: TableSettings, make_seating: MakeSeating, ports: GamePorts) -> None:
        post, seating = ports.mailbox.post, self._present_seating
        self.hand = HandInProgress(ports.context.clock, partial(post, self._rested))
        settlement = AfterSettlement(self.hand.lifecycle)
        journal = SeatJournal(self.hand, ports.writer, self._facts)
        self.play = HandRunner(settings, ports, self.hand, seating, settlement, journal=journal)
        decisions = self.play.decisions
        hand_ports = HandPorts(
            hand=self.hand,
            settlement=settlement,
            journal=journal,
            consider_dealing=self.play.consider_next,
            leaves=decisions.leaves,
            grace=decisions.grace,
            forget=decisions.forget,
            break_off=self.play.break_off,
        )
        self.seating = make_seating(ports, hand_ports)
        self.recovery = PokerRecovery(ports, self.hand, self.play, journal, self.seating)
        self.view = PokerView(
            self.hand,
            self.play,
            self.seating,
            settlement,
            ports.announcer,
            seat_directory=ports.context.seating,
            host=ports.context.host,
        )

    @property
    def seats(self) -> PokerSeats:
        return self.seating.seats

    def stranger(self, viewer: Viewer, message: wire.Request) -> bool:
        """See `Game`: only the holder of a seat decides."""
        if not isinstance(message, _DECIDING) or self.seating.view.opens():
            return False
        return self.seating.seats.held_by(viewer.account) is None

    def admit(self, viewer: Viewer, message: wire.Request) -> Code | None:
        return self.seating.admit(viewer, message)

    def handle(self, viewer: Viewer, message: wire.Request) -> None:
        """See `Game`: decisions are the hand's, all else is the seating's."""
        decisions = self.play.decisions
        match message:
            case wire.Act():
                decisions.act(viewer, message)
            case wire.PreAct():
                decisions.pre_act(viewer, message)
            case wire.CancelPreAct():
                decisions.cancel_pre_act(viewer, message)
            case _:
                self.seating.handle(viewer, message)

    def _facts(self) -> SeatingFacts:
        return self.seating.seats.facts()

    def _rested(self) -> None:
        self.play.rested()

    def _present_seating(self) -> PokerSeating:
        return self.seating


class PokerView:
    """What is shown of the game (`table.game_parts.GameView`). `views` decides which cards are in it."""

    def __init__(
        self,
        hand: HandInProgress,
        play: HandRunner,
        seating: PokerSeating,
        settlement: AfterSettlement,
        announcer: Announcer,
        *,
        seat_directory: SeatDirectory,
        host: TableHost,
    ) -> None:
        self._hand = hand
        self._play = play
        self._seating = seating
        self._settlement = settlement
        self._announcer = announcer
        self._seat_directory = seat_directory
        self._host = host

    def info(self) -> wire.TableInfo:
        return self._seating.view.info()

    def players(self) -> int:
        return self._seating.view.players()

    def waiting(self) -> int:
        return self._seat_directory.waiting(self._announcer.table)

    def sees_now(self, account: int | None) -> bool:
        """See `GameView`: until the seats are known, all requests wait."""
        return self._seating.view.opens() or self._seating.seats.held_by(account) is not None

    def when_settled(self, then: Callable[[], None], *, first: bool = False) -> None:
        if self._seating.view.opens():
            self._seating.view.when_open(then)
        else:
            self._settlement.when_settled(then, first=first)

    def snapshot(self, account: int | None, re: int | None) -> wire.Snapshot:
        seats, play = self._seating.seats, self._hand.visible_play()
        return views.snapshot(
            settings=self._seating.view.settings_now(),
            seats=seats.seats,
            seq=self._announcer.seq,
            play=play,
            turn_view=self._turn(account),
            shown=self._hand.shown,
            account=account,
            re=re,
            reserved=seats.reserved(),
            pre_act=None if play is None else self._play.decisions.pre_act_of(account),
            waiting=self.waiting(),
            closing=seats.closing,
            tournament=self._seating.view.tournament_view(),
            paused=self._host.paused,
        )

    def _turn(self, account: int | None) -> wire.TurnView | None:
        """Return the decision that is awaited, for the account's snapshot."""
        decision = self._hand.decision
        if decision is None:
            return None
        play = decision.play
        seat = play.seat_to_act()
        is_own = seat is not None and seat.account == account
        return views.turn_view(
            play,
            play.legal(),
            decision.action_clock.deadline,
            decision.seqs[-1],
            self._play.decisions.on_timeout(play) if is_own else None,
        )
