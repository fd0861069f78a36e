"""The queue to the operator's wallet: the leader of the nodes sends credits and rollbacks until they are done.

It also writes the credits of money that accounts do not use, and undoes debits that their node did not end. A call that
fails is tried again after growing pauses, for ever: the room owes it.
"""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Callable
from typing import Final

import structlog
from twisted.internet.defer import CancelledError as DeferredCancelled
from twisted.internet.defer import Deferred, DeferredList

from pokerroom.bridge import as_deferred
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.operator_wallet import OperatorWalletQueue, WalletBacklog, WalletTransfer
from pokerroom.operator_wallet.client import WalletAnswer, WalletClient
from pokerroom.ops.observer import Observer
from pokerroom.ops.periodic_task import log_fault
from pokerroom.webhooks.post import Undelivered

EVERY_S: Final = 2.0
"""Seconds between two looks for what is due, and for money that is not used."""

LOOK_S: Final = 15.0
"""Seconds between two looks at the backlog."""

FREE_S: Final = 30
"""[D] Money that a debit has brought stays for so long, for the buy-in that asked for it."""

AT_ONCE: Final = 16
"""[D] Calls that are on their way together."""

CREDITS_AT_ONCE: Final = 200
"""[D] Credits written in one transaction."""

LEASE_S: Final = 60
"""A claimed call is due again after so many seconds. It ends long before."""

PAUSES_S: Final = (1, 2, 5, 15, 60, 300, 900, 3_600)
"""The pause after each failed try, in seconds; the last one stays."""

NO_BACKLOG: Final = WalletBacklog(waiting=0, owed=0, oldest_s=0.0)

_log = structlog.get_logger()


class WalletQueue:
    """See the module. It works while `sends` says that this node does."""

    def __init__(
        self,
        ledger: OperatorWalletQueue,
        client: WalletClient,
        *,
        sends: Callable[[], bool],
        observer: Observer,
    ) -> None:
        self._ledger = ledger
        self._client = client
        self._sends = sends
        self._observer = observer
        self._calls: set[Deferred[WalletAnswer]] = set()
        self._working: Deferred[None] | None = None
        self._stopped = False
        self.backlog = NO_BACKLOG
        """What waited at the last look; nothing at a node that does not send."""

    @as_deferred
    async def run(self) -> None:
        """Send what is due, and write down what is to be sent. A fault of the ledger is logged."""
        if not self._works() or self._working is not None:
            return
        self._working = Deferred()
        try:
            await self._ledger.undo_late_wallet_debits()
            while await self._ledger.queue_wallet_credits(FREE_S, CREDITS_AT_ONCE) == CREDITS_AT_ONCE:
                pass
            while self._works():
                claimed = await self._ledger.claim_wallet_transfers(AT_ONCE, LEASE_S)
                await DeferredList([self._send(one).addErrback(log_fault) for one in claimed])
                if len(claimed) < AT_ONCE:
                    break
        except LedgerUnavailable as unavailable:
            _log.info("wallet.interrupted", reason=str(unavailable))
        finally:
            done, self._working = self._working, None
            done.callback(None)

    @as_deferred
    async def look(self) -> None:
        """Count what waits."""
        try:
            self.backlog = await self._ledger.wallet_backlog() if self._works() else NO_BACKLOG
        except LedgerUnavailable as unavailable:
            _log.info("wallet.interrupted", reason=str(unavailable))

    @as_deferred
    async def stop(self) -> None:
        """Send no more; fires when the ledger is not needed any more. What is on its way is tried again."""
        self._stopped = True
        for call in list(self._calls):
            call.cancel()
        if self._working is not None:
            await self._working

    def _works(self) -> bool:
        return not self._stopped and self._sends()

    @as_deferred
    async def _send(self, transfer: WalletTransfer) -> None:
        try:
            await self._ledger_told(transfer)
        except LedgerUnavailable as unavailable:  # the call is due again after the lease
            _log.info("wallet.interrupted", reason=str(unavailable))

    async def _ledger_told(self, transfer: WalletTransfer) -> None:
        call = Deferred.fromCoroutine(self._client.send(transfer))
        self._calls.add(call)
        if self._stopped:
            call.cancel()
        try:
            answer = await call
        except Undelivered as undelivered:
            await self._failed(transfer, str(undelivered))
        except (CancelledError, DeferredCancelled):
            await self._ledger.fail_wallet_transfer(transfer, "the node stopped", 0)
        else:
            if answer.result == "refused":  # the room owes it all the same
                await self._failed(transfer, f"refused: {answer.reason}")
                return
            await self._ledger.end_wallet_transfer(transfer)
            self._observer.wallet_call("done")
        finally:
            self._calls.discard(call)

    async def _failed(self, transfer: WalletTransfer, why: str) -> None:
        pause_s = PAUSES_S[min(transfer.tries, len(PAUSES_S)) - 1]
        self._observer.wallet_call("refused" if why.startswith("refused") else "failed")
        _log.warning(
            "wallet.failed", transfer=transfer.number, kind=transfer.kind, tries=transfer.tries, reason=why
        )
        await self._ledger.fail_wallet_transfer(transfer, why, pause_s)
