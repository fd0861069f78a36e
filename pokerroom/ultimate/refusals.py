"""Who hears of the bets that were refused as betting closed: who is there at once, who is not when he comes back.

Outlives what is played, as the journal does: after a fault who comes back is told all the same. Runs inside the table's
mailbox; why a bet is refused is the rules' business.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from pokerroom.rules.ultimate.closing import Refused
from pokerroom.table.viewer import Broadcast
from pokerroom.ultimate import views

if TYPE_CHECKING:  # the table makes it
    from pokerroom.ultimate.game import UltimateGame


class Refusals:
    """The refused bets at `table`."""

    def __init__(self, table: UltimateGame) -> None:
        self._table = table
        self._untold: dict[int, tuple[Refused, ...]] = {}
        """By account, of those who were away when all were told."""

    def told(self, refused: Sequence[Refused]) -> Broadcast:
        """The event, numbered; who is away is noted."""
        for account in {one.player for one in refused}:
            if not self._table.is_connected(account):
                self._untold[account] = tuple(one for one in refused if one.player == account)
        return views.bets_refused(self._table.settings.table, refused, self._table.next_seq())

    def attached(self, account: int) -> None:
        """He is about to be shown the table: behind that comes what he has missed."""
        if account in self._untold:
            self._table.mailbox.post(self._table.view.when_settled, partial(self._tell, account))

    def take_over(self, before: Refusals) -> None:
        """After a fault: a player who comes back is told all the same."""
        self._untold = before._untold

    def forget(self, account: int) -> None:
        """The account has left."""
        self._untold.pop(account, None)

    def _tell(self, account: int) -> None:
        if self._table.is_connected(account) and account in self._untold:
            self._table.tell(self.told(self._untold.pop(account)))
