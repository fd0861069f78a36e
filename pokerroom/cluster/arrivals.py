"""One connection of each instance of an account over all nodes: the latest one stays, at whichever node it is.

Each arrival has a time in milliseconds that is later than that of any arrival its node has heard of, so that clocks
that differ decide nothing. Of two arrivals at the same time the one at the node with the larger name stays. This
module knows no sessions.
"""

from __future__ import annotations

from collections.abc import Callable

from pokerroom.cluster.bus_sender import BusSender
from pokerroom.cluster.messages import AccountsArrived


class Arrivals:
    """The accounts and instances that are connected at this node.

    `taken_over` is called with an account and its instance that connected to another node.
    """

    def __init__(
        self, sender: BusSender, now_ms: Callable[[], int], taken_over: Callable[[int, str], None]
    ) -> None:
        self._sender = sender
        self._now_ms = now_ms
        self._taken_over = taken_over
        self._latest_ms = 0
        self._here: dict[tuple[int, str], int] = {}

    def arrived(self, account: int, instance: str, at_ms: int | None = None) -> None:
        """Note a session of this node that was authenticated, and tell the other nodes.

        `at_ms`: it was authenticated at another node at that time, and goes on here.
        """
        if at_ms is None:
            at_ms = max(self._now_ms(), self._latest_ms + 1)
        self._latest_ms = max(self._latest_ms, at_ms)
        self._here[account, instance] = at_ms
        self._sender.to_all(AccountsArrived([(account, instance, at_ms)]))

    def arrived_ms(self, account: int, instance: str) -> int:
        """Return the time of the instance that is connected here; 0 if it is not."""
        return self._here.get((account, instance), 0)

    def left(self, account: int, instance: str) -> None:
        """Note that this instance of the account has no session here any more."""
        self._here.pop((account, instance), None)

    def send_all_to(self, node: str) -> None:
        """Send all accounts of this node to a node that may have missed some."""
        if self._here:
            self._sender.to(node, AccountsArrived([(*who, at_ms) for who, at_ms in self._here.items()]))

    def heard(self, node: str, message: AccountsArrived) -> None:
        """Give up instances of accounts that connected to another node later than to this one."""
        for account, instance, at_ms in message.accounts:
            self._latest_ms = max(self._latest_ms, at_ms)
            own_ms = self._here.get((account, instance))
            if own_ms is None:
                continue
            if (at_ms, node) > (own_ms, self._sender.node):
                del self._here[account, instance]
                self._taken_over(account, instance)
            elif own_ms > at_ms:  # it may not have heard of this one: it has the earlier one since then
                self._sender.to(node, AccountsArrived([(account, instance, own_ms)]))
