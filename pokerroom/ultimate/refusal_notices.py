"""Tells players which of their bets were refused when betting closed: connected players at once, others later.

The notices outlive a fault, as the journal does. Runs inside the table's mailbox; the rules know why a bet is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from pokerroom.rules.ultimate.closing import Refused
from pokerroom.table.game import GamePorts
from pokerroom.table.viewer import Broadcast
from pokerroom.ultimate import views

WhenSettled = Callable[[Callable[[], None]], None]
"""Calls its argument now, or once the result on its way to the ledger is there."""


class RefusalNotices:
    """The refused bets of one table that their players have not been told."""

    def __init__(self, ports: GamePorts, when_settled: WhenSettled) -> None:
        self._announcer = ports.announcer
        self._post = ports.mailbox.post
        self._when_settled = when_settled
        self._untold: dict[int, tuple[Refused, ...]] = {}
        """By account, of players who were away when the others were told."""

    def event(self, refused: Sequence[Refused]) -> Broadcast:
        """Return the numbered event, and note the players who are away."""
        for account in {one.player for one in refused}:
            if not self._announcer.is_connected(account):
                self._untold[account] = tuple(one for one in refused if one.player == account)
        return views.bets_refused(self._announcer.table, refused, self._announcer.next_seq())

    def attached(self, account: int) -> None:
        """The account watches the table again: tell it what it has missed, behind its snapshot."""
        if account in self._untold:
            self._post(self._when_settled, partial(self._tell, account))

    def take_over(self, before: RefusalNotices) -> None:
        """Take the notices of the game before a restart."""
        self._untold = before._untold

    def forget(self, account: int) -> None:
        """The account has left."""
        self._untold.pop(account, None)

    def _tell(self, account: int) -> None:
        if self._announcer.is_connected(account) and account in self._untold:
            self._announcer.tell(self.event(self._untold.pop(account)))
