"""The game of Ultimate Texas Hold'em against the house at one table.

What is played is on the `felt`: places, bets, the round. This module puts the game together, and takes its requests.
"""

from __future__ import annotations

from collections.abc import Callable

from pokerroom.table.api import SeatOffered
from pokerroom.table.game import GamePorts, MakeGame
from pokerroom.table.viewer import Viewer
from pokerroom.ultimate import recovery, views
from pokerroom.ultimate.felt import Felt
from pokerroom.ultimate.rebuild import UltimateRecovery
from pokerroom.ultimate.refusals import Refusals
from pokerroom.ultimate.settings import UltimateSettings
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

_PLAYERS_ONLY = (wire.PlaceBet, wire.ChoosePlay, wire.ChangeBets, wire.Decide, wire.GiveTip)


def ultimate_game(settings: UltimateSettings) -> MakeGame:
    """Return what makes the games of one table, one after the other."""
    present: list[UltimateGame] = []

    def make(ports: GamePorts) -> UltimateGame:
        game = UltimateGame(settings, ports, lambda: present[0])
        present[:] = [game]
        return game

    return make


class UltimateGame:
    """One incarnation of the game at a table (`table.game.Game`). `present` returns the table's present one."""

    def __init__(
        self, settings: UltimateSettings, ports: GamePorts, present: Callable[[], UltimateGame]
    ) -> None:
        self.settings = settings
        self.ports = ports
        self.present = present
        self.world = ports.context
        self.mailbox = ports.mailbox
        self.outbox = ports.announcer.outbox
        self.snapshots = ports.snapshots
        self.ending = ports.drain
        self.tell = ports.announcer.tell
        self.refuse = ports.announcer.refuse
        self.next_seq = ports.announcer.next_seq
        self.is_connected = ports.announcer.is_connected
        self.after_restart = ports.table.after_restart
        self.consider_closed = ports.table.consider_closed
        self.refusals = Refusals(self)
        self.felt = Felt(self)
        self.play = self.felt
        self.seats = UltimateSeats(self.felt, ports, self.refusals)
        self.view = UltimateView(settings, self.felt, ports)
        self.recovery = UltimateRecovery(self)

    def stranger(self, viewer: Viewer, message: wire.Request) -> bool:
        """See `Game`: no viewer is one before it is known who sits here."""
        known = self.felt.known
        return (
            known and isinstance(message, _PLAYERS_ONLY) and self.felt.places.held_by(viewer.account) is None
        )

    def admit(self, viewer: Viewer, message: wire.Request) -> Code | None:  # noqa: ARG002 -- any request is taken
        """See `Game`."""
        return None

    def handle(self, viewer: Viewer, message: wire.Request) -> None:
        """See `Game`."""
        felt = self.felt
        if not felt.known:
            self.refuse(viewer, message, Code.UNAVAILABLE)
            return
        match message:
            case wire.Decide():
                felt.decisions.decide(viewer, message)
            case wire.PlaceBet() | wire.ChoosePlay() | wire.ChangeBets():
                felt.betting.wish(viewer, message)
            case wire.TakePlace():
                felt.places.take(viewer, message)
            case wire.StandUp():
                felt.places.stand_up(viewer, message)
            case wire.GiveTip():
                felt.decisions.tip(viewer, message)
            case _:
                self.refuse(viewer, message, Code.WRONG_GAME)


class UltimateSeats:
    """The places of the table, as the table asks of them (`table.game.GameSeats`)."""

    def __init__(self, felt: Felt, ports: GamePorts, refusals: Refusals) -> None:
        self._felt = felt
        self._places = felt.places
        self._writer = ports.writer
        self._requests = ports.requests
        self._directory = ports.context.seating
        self._table = ports.announcer.table
        self._refusals = refusals

    @property
    def closing(self) -> bool:
        """See `GameSeats`."""
        return self._felt.closing

    def holders(self) -> list[int]:
        """See `GameSeats`."""
        return self._places.accounts()

    def seated(self) -> list[int]:
        """See `GameSeats`."""
        return [place.account for place in self._places]

    def connected(self) -> int:
        """See `GameSeats`."""
        return sum(place.connected for place in self._places)

    def empty(self) -> bool:
        """See `GameSeats`."""
        return self._places.empty() and not self._requests.waits()

    def holds_seat(self, account: int | None) -> bool:
        """See `GameSeats`."""
        return self._places.of(account) is not None

    def attached(self, account: int | None) -> None:
        """See `GameSeats`."""
        place = self._places.held_by(account)
        if place is not None:
            self._places.attached(place)
            self._refusals.attached(place.account)

    def detached(self, viewer: Viewer) -> None:
        """See `GameSeats`."""
        self._places.viewer_gone(viewer)

    def close_doors(self) -> None:
        """See `GameSeats`: what is in progress is the last round, and then all players leave."""
        self._note_closing(closing=True)
        self._directory.closed(self._table)
        self._felt.consider_leaving()

    def open_doors(self) -> None:
        """See `GameSeats`."""
        self._note_closing(closing=False)
        self._directory.opening(self._table)
        self._felt.prepare()

    def offer_seat(self, account: int, told: SeatOffered) -> None:  # noqa: ARG002 -- no account waits for a place here
        """See `GameSeats`."""
        told(None, 0)

    def withdraw_offer(self, account: int) -> None:
        """See `GameSeats`."""

    def abandon(self) -> None:
        """See `GameSeats`; the felt stops its places."""

    def stop(self) -> None:
        """See `GameSeats`; the felt stops its places."""

    def _note_closing(self, *, closing: bool) -> None:
        self._felt.closing = closing
        self._writer.note(recovery.closing_entry(closing=closing), first=False)


class UltimateView:
    """What is shown of the table (`table.game.GameView`). `views` decides which cards are in it."""

    def __init__(self, settings: UltimateSettings, felt: Felt, ports: GamePorts) -> None:
        self._settings = settings
        self._felt = felt
        self._announcer = ports.announcer

    def info(self) -> wire.UltimateInfo:
        """See `GameView`."""
        play = self._felt.visible_play()
        return self._settings.info(
            self.players(), 0 if play is None else len(play.accounts), closing=self._felt.closing
        )

    def players(self) -> int:
        """See `GameView`: one alone plays, too."""
        return sum(1 for _ in self._felt.places)

    def waiting(self) -> int:
        """See `GameView`."""
        return 0

    def sees_now(self, account: int | None) -> bool:  # noqa: ARG002 -- nothing is seen later here
        """See `GameView`."""
        return True

    def when_settled(self, then: Callable[[], None], *, first: bool = False) -> None:
        """See `GameView`."""
        self._felt.rounds.when_settled(then, first=first)

    def snapshot(self, account: int | None, re: int | None) -> wire.UltimateSnapshot:
        """See `GameView`."""
        felt = self._felt
        felt.rounds.flush()  # what is shown has a number
        return views.snapshot(
            table=self._settings.table,
            info=self.info(),
            seq=self._announcer.seq,
            places=felt.places,
            light=felt.light(),
            play=felt.visible_play(),
            question=felt.rounds.question(),
            meter=felt.shown_meter(),
            account=account,
            re=re,
            slip=felt.betting.facts_of(account),
        )
