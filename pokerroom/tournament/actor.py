"""A tournament: one actor with one mailbox, an owner, an epoch and a journal of its own, beside its tables.

It is the shell of a table (`table.actor`) that has a director in place of hands and no players of its own: requests of
other actors one at a time, freeze and restart on a fault, lease, drain, and handover are the same as at a table. It
gives prizes under its epoch. Its tables may live at other nodes (`messages`).
"""

from __future__ import annotations

from functools import partial
from itertools import count

from twisted.internet.defer import Deferred, succeed

from pokerroom.table.actor import TableActor
from pokerroom.table.context import TableContext
from pokerroom.tournament.game import TournamentGame
from pokerroom.tournament.messages import DeskReport, TournamentLetter, TournamentStatus
from pokerroom.tournament.orders import BACK, FORWARD, TournamentOrders
from pokerroom.tournament.settings import TournamentActorSettings
from pokerroom_protocol import messages as wire


class TournamentActor(TableActor):
    """One tournament that this node owns; a `LetterBox`, and a `LiveTournament`.

    Each order fires once it is stored, whichever node runs the tournament afterwards, and fails with `OrderRefused`:
    `tournament_not_running`, `paused`, `not_paused`, `tournament_prizes_won`, `table_frozen`, `table_stopped`.
    """

    def __init__(self, settings: TournamentActorSettings, context: TableContext) -> None:
        numbers = count(context.first_seq + 1)
        super().__init__(settings, context, partial(TournamentGame, settings, lambda: next(numbers)))

    def hear(self, letter: TournamentLetter) -> None:
        if isinstance(letter, DeskReport):
            self.mailbox.post(self._hear, letter)

    def status(self) -> TournamentStatus | None:
        """See `LiveTournament`."""
        game = self._tournament()
        return None if game.play.frozen else game.director.status()

    def freeze(self) -> Deferred[None]:
        """See `TableActor`; refused with `table_stopped` before the ledger has returned the state."""
        return self.order(lambda done: self._tournament_orders().freeze(done))

    def look(self) -> Deferred[wire.Snapshot | wire.UltimateSnapshot | None]:
        """See `TableActor`: its tables have the seats."""
        return succeed(None)

    def pause(self) -> Deferred[None]:
        """Play hands in progress out, deal no other, and stop the clock of the level."""
        return self.order(lambda done: self._tournament_orders().pause(done, paused=True))

    def unpause(self) -> Deferred[None]:
        """Go on from where the tournament stood."""
        return self.order(lambda done: self._tournament_orders().pause(done, paused=False))

    def roll_back(self) -> Deferred[None]:
        """Give all players their buy-ins back, with the fee; hands in progress are void (I3). Also while held."""
        return self.order(lambda done: self._tournament_orders().end_early(done, BACK))

    def roll_forward(self) -> Deferred[None]:
        """Share what is left of the prizes among the players who are left (I3); hands in progress are void."""
        return self.order(lambda done: self._tournament_orders().end_early(done, FORWARD))

    def _tournament_orders(self) -> TournamentOrders:
        return self._tournament().orders

    def _hear(self, report: DeskReport) -> None:
        game = self._tournament()
        if game.director.tournament is not None and not game.play.frozen:
            game.director.heard(report)

    def _tournament(self) -> TournamentGame:
        assert isinstance(self.game, TournamentGame)
        return self.game
