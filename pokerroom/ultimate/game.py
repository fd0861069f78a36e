"""The game of Ultimate Texas Hold'em at one table: the players against the house.

The game is put together here: `round_table` goes from round to round, `bet_taking` and `bet_closing` take the bets,
`rounds` and `decisions` play, and `rebuild` makes the game again from journal and ledger. All parts read `state`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pokerroom.ops.ultimate_settings import UltimateSettings
from pokerroom.table.api import SeatOffered
from pokerroom.table.game import GamePorts, MakeGame
from pokerroom.table.lifecycle import AfterSettlement
from pokerroom.table.viewer import Viewer
from pokerroom.ultimate import views
from pokerroom.ultimate.journal import closing_entry
from pokerroom.ultimate.places import BoxPlaces, PlaceEvents
from pokerroom.ultimate.rebuild import UltimateRecovery
from pokerroom.ultimate.refusal_notices import RefusalNotices
from pokerroom.ultimate.round_table import RoundTable
from pokerroom.ultimate.slips import BetSlips
from pokerroom.ultimate.state import UltimateState
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

_PLAYERS_ONLY = (
    wire.PlaceBet,
    wire.ChoosePlay,
    wire.ChangeBets,
    wire.DealNow,
    wire.Decide,
    wire.GiveTip,
    wire.SetPresence,
)


def ultimate_game(settings: UltimateSettings) -> MakeGame:
    """Return the function that makes the games of one table, one after the other."""
    return partial(UltimateGame, settings)


class UltimateGame:
    """One incarnation of the game at a table (`table.game.Game`)."""

    def __init__(self, settings: UltimateSettings, ports: GamePorts) -> None:
        self._announcer = ports.announcer
        self.state = UltimateState(settings, ports.context.clock, partial(ports.mailbox.post, self._rested))
        settlement = AfterSettlement(self.state.lifecycle, self._is_known)
        self.slips = BetSlips()
        self.notices = RefusalNotices(ports, settlement.when_settled)
        events = PlaceEvents(
            leaving=self.slips.drop, left=self._left, consider_leaving=self._consider_leaving
        )
        self.places = BoxPlaces(settings, ports, self.state, events)
        self.play = RoundTable(
            settings,
            ports,
            self.state,
            self.slips,
            self.places,
            notices=self.notices,
            settlement=settlement,
        )
        self._decisions = self.play.rounds.decisions
        self.seats = UltimateSeats(ports, self.state, self.places, self.play, self.notices)
        self.view = UltimateView(settings, ports, self.state, self.places, self.play, settlement=settlement)
        self.recovery = UltimateRecovery(
            ports,
            self.state,
            self.slips,
            self.places,
            self.play,
            notices=self.notices,
            settlement=settlement,
        )

    def stranger(self, viewer: Viewer, message: wire.Request) -> bool:
        """See `Game`; before journal and ledger have answered, no viewer is a stranger."""
        if not self.state.known or not isinstance(message, _PLAYERS_ONLY):
            return False
        return self.places.held_by(viewer.account) is None

    def admit(self, viewer: Viewer, message: wire.Request) -> Code | None:  # noqa: ARG002 -- any request is taken
        return None

    def handle(self, viewer: Viewer, message: wire.Request) -> None:
        if not self.state.known:
            self._announcer.refuse(viewer, message, Code.UNAVAILABLE)
            return
        match message:
            case wire.Decide():
                self._decisions.decide(viewer, message)
            case wire.PlaceBet() | wire.ChoosePlay() | wire.ChangeBets() | wire.DealNow():
                self.play.bets.take(viewer, message)
            case wire.TakePlace():
                self.places.take(viewer, message)
            case wire.StandUp():
                self.places.stand_up(viewer, message)
            case wire.GiveTip():
                self._decisions.tip(viewer, message)
            case wire.SetPresence():
                self.places.set_presence(viewer, message)
            case _:
                self._announcer.refuse(viewer, message, Code.WRONG_GAME)

    def _is_known(self) -> bool:
        return self.state.known or self.state.abandoned

    def _rested(self) -> None:
        self.play.rested()

    def _left(self, account: int) -> None:
        self.slips.forget(account)
        self.state.keys.forget(account)
        self.notices.forget(account)

    def _consider_leaving(self) -> None:
        self.play.consider_leaving()


class UltimateSeats:
    """The places of the table, as the shell asks for them (`table.game_parts.GameSeats`)."""

    def __init__(
        self,
        ports: GamePorts,
        state: UltimateState,
        places: BoxPlaces,
        play: RoundTable,
        notices: RefusalNotices,
    ) -> None:
        self._writer = ports.writer
        self._requests = ports.requests
        self._directory = ports.context.seating
        self._table = ports.announcer.table
        self._state = state
        self._places = places
        self._play = play
        self._notices = notices

    @property
    def closing(self) -> bool:
        return self._state.closing

    def holders(self) -> list[int]:
        return self._places.accounts()

    def seated(self) -> list[int]:
        return [place.account for place in self._places]

    def connected(self) -> int:
        return sum(place.connected for place in self._places)

    def empty(self) -> bool:
        return self._places.empty() and not self._requests.waits()

    def holds_seat(self, account: int | None) -> bool:
        return self._places.of(account) is not None

    def attached(self, account: int | None) -> None:
        place = self._places.held_by(account)
        if place is not None:
            self._places.attached(place)
            self._notices.attached(place.account)

    def detached(self, viewer: Viewer) -> None:
        self._places.viewer_gone(viewer)

    def close_doors(self) -> None:
        """See `GameSeats`: the round in progress is the last, and then all players leave."""
        self._note_closing(closing=True)
        self._directory.closed(self._table)
        self._play.consider_leaving()

    def open_doors(self) -> None:
        self._note_closing(closing=False)
        self._directory.opening(self._table)
        self._play.consider_betting()

    def offer_seat(self, account: int, told: SeatOffered) -> None:  # noqa: ARG002 -- no account waits for a place here
        told(None, 0)

    def withdraw_offer(self, account: int) -> None:
        """See `GameSeats`."""

    def abandon(self) -> None:
        """See `GameSeats`; the round table stops the places."""

    def stop(self) -> None:
        """See `GameSeats`; the round table stops the places."""

    def _note_closing(self, *, closing: bool) -> None:
        self._state.closing = closing
        self._writer.note(closing_entry(closing=closing), first=False)


class UltimateView:
    """What is shown of the table (`table.game_parts.GameView`). `views` decides which cards are in it."""

    def __init__(
        self,
        settings: UltimateSettings,
        ports: GamePorts,
        state: UltimateState,
        places: BoxPlaces,
        play: RoundTable,
        *,
        settlement: AfterSettlement,
    ) -> None:
        self._settings = settings
        self._announcer = ports.announcer
        self._state = state
        self._places = places
        self._bets = play.bets
        self._rounds = play.rounds
        self._settlement = settlement

    def info(self) -> wire.UltimateInfo:
        play = self._state.visible_play()
        return self._settings.info(
            self.players(), 0 if play is None else len(play.accounts), closing=self._state.closing
        )

    def players(self) -> int:
        """See `GameView`: a single player is enough for a round."""
        return sum(1 for _ in self._places)

    def waiting(self) -> int:
        return 0

    def sees_now(self, account: int | None) -> bool:  # noqa: ARG002 -- spectators see nothing later here
        return True

    def when_settled(self, then: Callable[[], None], *, first: bool = False) -> None:
        """See `GameView`; waits also until journal and ledger have said how the table stands."""
        self._settlement.when_settled(then, first=first)

    def snapshot(self, account: int | None, re: int | None) -> wire.UltimateSnapshot:
        self._rounds.flush()  # what is shown has a number
        return views.snapshot(
            table=self._settings.table,
            info=self.info(),
            seq=self._announcer.seq,
            places=self._places,
            light=self._state.light(),
            play=self._state.visible_play(),
            question=self._rounds.question(),
            meter=self._state.visible_meter(),
            account=account,
            re=re,
            slip=self._bets.facts_of(account),
        )
