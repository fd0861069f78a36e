"""One connection per account over all nodes: the latest one stays, at whichever node it is.

Each arrival has a time in milliseconds that is later than that of any arrival its node has heard of, so that clocks
that differ decide nothing. Of two arrivals at the same time the one at the node with the larger name stays. This
module knows no sessions.
"""

from __future__ import annotations

from collections.abc import Callable

from pokerroom.cluster.bus_sender import BusSender
from pokerroom.cluster.messages import AccountsArrived


class Arrivals:
    """The accounts that are connected at this node. `taken_over` is called with one that connected to another."""

    def __init__(
        self, sender: BusSender, now_ms: Callable[[], int], taken_over: Callable[[int], None]
    ) -> None:
        self._sender = sender
        self._now_ms = now_ms
        self._taken_over = taken_over
        self._latest_ms = 0
        self._here: dict[int, int] = {}

    def arrived(self, account: int) -> None:
        """Note a session of this node that was authenticated, and tell the other nodes."""
        self._latest_ms = self._here[account] = max(self._now_ms(), self._latest_ms + 1)
        self._sender.to_all(AccountsArrived([(account, self._latest_ms)]))

    def left(self, account: int) -> None:
        """Note that the account has no session here any more."""
        self._here.pop(account, None)

    def send_all_to(self, node: str) -> None:
        """Send all accounts of this node to a node that may have missed some."""
        if self._here:
            self._sender.to(node, AccountsArrived(list(self._here.items())))

    def heard(self, node: str, message: AccountsArrived) -> None:
        """Give up accounts that connected to another node later than to this one."""
        for account, at_ms in message.accounts:
            self._latest_ms = max(self._latest_ms, at_ms)
            own_ms = self._here.get(account)
            if own_ms is None:
                continue
            if (at_ms, node) > (own_ms, self._sender.node):
                del self._here[account]
                self._taken_over(account)
