"""The operator's wallet of a node: the funded ledger of the room, and the queue of the leader, on one client."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from pokerroom.bridge import deferred
from pokerroom.ledger.operator_wallet import OperatorWalletQueue
from pokerroom.ledger.whole import WholeLedger
from pokerroom.operator_wallet.client import WalletClient
from pokerroom.operator_wallet.funding import WalletFunding, funded_ledger
from pokerroom.operator_wallet.queue import WalletQueue
from pokerroom.ops.config_wallet import WalletConfig, wallet_secret
from pokerroom.ops.observer import Observer
from pokerroom.webhooks.post import Poster


class WalletLedger(WholeLedger, OperatorWalletQueue, Protocol):
    """What both need of the ledger."""


class OperatorWallet:
    """See the module. `sends`: whether this node sends what waits; `room` is the room's name.

    Raises `WalletSecretUnusable`.
    """

    def __init__(
        self,
        ledger: WalletLedger,
        config: WalletConfig,
        networks: Sequence[str],
        *,
        room: str,
        sends: Callable[[], bool],
        observer: Observer,
        clock: IReactorTime,
        now_ms: Callable[[], int],
        random_bytes: Callable[[int], bytes],
    ) -> None:
        self._poster = Poster(networks, post_s=config.timeout_s)
        client = WalletClient(
            config.url,
            wallet_secret(config),
            self._exchange,
            currency=config.currency,
            room=room,
            now_ms=now_ms,
        )
        self.queue = WalletQueue(ledger, client, sends=sends, observer=observer)
        self.ledger = funded_ledger(ledger, WalletFunding(ledger, client, clock, observer, random_bytes))
        """The ledger of the room, in which buy-ins may use the operator's wallet."""

    def _exchange(self, url: str, headers: Mapping[str, str], body: bytes) -> Deferred[tuple[int, bytes]]:
        return deferred(self._poster.exchange(url, headers, body))
