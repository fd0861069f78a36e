"""The table of a tournament: a table like any other, which also takes the operator's orders to the tournament."""

from __future__ import annotations

from twisted.internet.defer import Deferred

from pokerroom.poker.game import PokerGame
from pokerroom.table.actor import TableActor
from pokerroom.table.context import TableContext
from pokerroom.tournament.orders import BACK, FORWARD, TournamentOrders
from pokerroom.tournament.seating import TournamentSeating, tournament_game
from pokerroom.tournament.settings import TournamentSettings


class TournamentTable(TableActor):
    """A tournament's table.

    Each order fires once it is stored, whichever node runs the table afterwards, and fails with `OrderRefused`:
    `tournament_not_running`, `paused`, `not_paused`, `tournament_prizes_won`, `table_frozen`, `table_stopped`.
    """

    def __init__(self, settings: TournamentSettings, context: TableContext) -> None:
        super().__init__(settings, context, tournament_game(settings))

    def freeze(self) -> Deferred[None]:
        """See `TableActor`; refused with `table_stopped` before the ledger has returned the seats."""
        return self.order(lambda done: self._tournament_orders().freeze(done))

    def pause(self) -> Deferred[None]:
        """Play the hand in progress out, deal no other, and stop the clock of the level."""
        return self.order(lambda done: self._tournament_orders().pause(done, paused=True))

    def unpause(self) -> Deferred[None]:
        """Go on from where the tournament stood."""
        return self.order(lambda done: self._tournament_orders().pause(done, paused=False))

    def roll_back(self) -> Deferred[None]:
        """Give all players their buy-ins back, with the fee; a hand in progress is void (I3). Also while held."""
        return self.order(lambda done: self._tournament_orders().end_early(done, BACK))

    def roll_forward(self) -> Deferred[None]:
        """Share what is left of the prizes among the players who are left (I3); a hand in progress is void."""
        return self.order(lambda done: self._tournament_orders().end_early(done, FORWARD))

    def _tournament_orders(self) -> TournamentOrders:
        game = self.game
        assert isinstance(game, PokerGame)
        assert isinstance(game.seating, TournamentSeating)
        return game.seating.orders
