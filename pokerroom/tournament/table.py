"""The table of a tournament: a table like any other, which also hears the plans of its tournament."""

from __future__ import annotations

from itertools import count

from twisted.internet.defer import Deferred

from pokerroom.ops.reports import OrderRefused
from pokerroom.poker.game import PokerGame
from pokerroom.table.actor import TableActor
from pokerroom.table.context import TableContext
from pokerroom.tournament.messages import SeatPlan, TournamentLetter
from pokerroom.tournament.seating import TournamentSeating, tournament_game
from pokerroom.tournament.settings import TournamentSettings


class TournamentTableActor(TableActor):
    """A tournament's table; a `LetterBox`."""

    def __init__(self, settings: TournamentSettings, context: TableContext) -> None:
        numbers = count(context.first_seq + 1)
        super().__init__(settings, context, tournament_game(settings, lambda: next(numbers)))

    def hear(self, letter: TournamentLetter) -> None:
        if isinstance(letter, SeatPlan):
            self.mailbox.post(self._hear, letter)

    def freeze(self) -> Deferred[None]:
        """See `TableActor`; refused with `table_stopped` before the seats are known.

        A request for the table waits for that and no longer. A table that a fault has frozen before can be frozen, else
        its tournament could never be rolled back.
        """

        def freeze(done: Deferred[None]) -> None:
            if self._seating().view.opens() and not self.frozen:
                done.errback(OrderRefused("table_stopped", "The table is not ready yet. Try again."))
            else:
                self.orders.freeze(done)

        return self.order(freeze)

    def _hear(self, plan: SeatPlan) -> None:
        self._seating().desk.heard(plan)

    def _seating(self) -> TournamentSeating:
        assert isinstance(self.game, PokerGame)
        assert isinstance(self.game.seating, TournamentSeating)
        return self.game.seating
