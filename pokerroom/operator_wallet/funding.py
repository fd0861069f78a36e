"""Buy-ins from the operator's wallet: what an account lacks is debited there first, then the ordinary buy-in runs.

`FundedLedger` is the ledger of a room with such a wallet: tables and tournaments do not know of it. A request that the
ledger refuses for a lack of money is made again after the debit. What the request does not use in the end goes back
with the next credit.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final, TypeVar, cast

import structlog
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater

from pokerroom.bridge import as_deferred
from pokerroom.chips import Money
from pokerroom.ledger.api import InsufficientBalance
from pokerroom.ledger.chip_sales import ChipPurchase
from pokerroom.ledger.hosted_tables import hosted_as
from pokerroom.ledger.operator_wallet import OperatorWalletQueue, WalletBusy, WalletDebit, WalletRefused
from pokerroom.ledger.retry import until_known
from pokerroom.ledger.whole import WholeLedger
from pokerroom.operator_wallet.client import WalletAnswer, WalletClient
from pokerroom.ops.observer import Observer
from pokerroom.webhooks.post import Undelivered

LIMIT_S: Final = 90
"""A debit that was not ended for so long is undone by another node. All tries take less together."""

PAUSES_S: Final = (0.5, 1.5)
"""[D] The pauses between the tries of a debit: a player waits for it."""

DEBITS_MAX: Final = 2
"""[D] Debits for one request: a second one if other requests of the player have used the money of the first."""

BALANCES_AT_ONCE: Final = 16
"""[D] So many balances are asked for together; a player that comes then is told that of the room alone."""

T = TypeVar("T")

_log = structlog.get_logger()


class WalletFunding:
    """Brings money from the operator's wallet to accounts."""

    def __init__(
        self,
        ledger: OperatorWalletQueue,
        client: WalletClient,
        clock: IReactorTime,
        observer: Observer,
        random_bytes: Callable[[int], bytes],
    ) -> None:
        self._ledger = ledger
        self._client = client
        self._clock = clock
        self._observer = observer
        self._random_bytes = random_bytes
        self._asking = 0

    async def bring(self, account: int, table: str | None, needed: Money) -> bool:
        """Bring what the account lacks for an act that costs `needed`. False if this account or act has no such wallet.

        Raises `WalletBusy` and `WalletRefused`, and what `OperatorWalletQueue.ask_wallet_debit` raises.
        """
        debit = await self._ledger.ask_wallet_debit(account, table, needed, LIMIT_S)
        if debit is None:
            return False
        if debit.number is None:
            return True
        try:
            answer = await self._answered(debit)
        except Undelivered as undelivered:
            _log.warning("wallet.unknown", transfer=debit.number, reason=str(undelivered))
            await self._ended(debit.number, "undone", str(undelivered))
            raise WalletBusy(f"debit {debit.number} has no firm answer") from undelivered
        if answer.result == "refused":
            await self._ended(debit.number, "refused", answer.reason)
            raise WalletRefused(f"debit {debit.number} is refused")
        if await self._ended(debit.number, "done", "") != "done":
            raise WalletBusy(f"debit {debit.number} was undone meanwhile")
        return True

    async def balance(self, account: int) -> Money:
        """What the player has in the operator's wallet; 0 if it does not say so now."""
        player = await self._ledger.wallet_player(account)
        if player is None or self._asking >= BALANCES_AT_ONCE:
            return Money(0)
        self._asking += 1
        try:
            answer = await self._client.balance(f"wb_{self._random_bytes(16).hex()}", player)
        except Undelivered:
            self._observer.wallet_call("failed")
            return Money(0)
        finally:
            self._asking -= 1
        self._observer.wallet_call(answer.result)
        return Money(answer.balance or 0)

    async def _answered(self, debit: WalletDebit) -> WalletAnswer:
        for pause_s in (*PAUSES_S, None):
            try:
                answer = await self._client.debit(debit)
            except Undelivered:
                self._observer.wallet_call("failed")
                if pause_s is None:
                    raise
                await deferLater(self._clock, pause_s)
            else:
                self._observer.wallet_call(answer.result)
                return answer
        raise AssertionError("unreachable: the last try returns or raises")

    async def _ended(self, number: int, end: Any, why: str) -> str:
        return await until_known(self._clock, partial(self._ledger.end_wallet_debit, number, end, why))


class FundedLedger:
    """See the module. Whatever is not named here is the ledger's own."""

    def __init__(self, ledger: WholeLedger, funding: WalletFunding) -> None:
        self._ledger = ledger
        self._funding = funding

    def __getattr__(self, name: str) -> Any:
        """Return the ledger's own method."""
        return getattr(self._ledger, name)

    @as_deferred
    async def wallet(self, account: int) -> Money:
        """See `Ledger.wallet`: with what the player has in the operator's wallet, as a buy-in may use both."""
        held = await self._ledger.wallet(account)
        return Money(held + await self._funding.balance(account))

    def buy_in(  # noqa: PLR0917 -- see `Ledger.buy_in`
        self, key: str, table: str, epoch: int, seat: int, account: int, amount: Money, tables_max: int
    ) -> Deferred[None]:
        """See `Ledger.buy_in`."""
        what = (key, table, epoch, seat, account, amount, tables_max)
        return self._funded(lambda: self._ledger.buy_in(*what), account, table, amount)

    def top_up(self, key: str, table: str, epoch: int, account: int, amount: Money) -> Deferred[None]:
        """See `Ledger.top_up`."""
        what = (key, table, epoch, account, amount)
        return self._funded(lambda: self._ledger.top_up(*what), account, table, amount)

    @as_deferred
    async def enter(self, tournament: str, account: int, number: int) -> bool:
        """See `TournamentLedger.enter`: a ticket pays without the operator's wallet, and so do chips of a club."""
        opening = (await self._ledger.tournament(tournament)).opening
        return await self._funded(
            lambda: self._ledger.enter(tournament, account, number),
            account,
            hosted_as(tournament),
            opening.buy_in,
        )

    @as_deferred
    async def buy_chips(self, tournament: str, purchase: ChipPurchase) -> None:
        """See `ChipSaleLedger.buy_chips`."""
        sale = (await self._ledger.tournament(tournament)).opening.sale(purchase.kind)
        price = Money(0) if sale is None else sale.price
        await self._funded(
            lambda: self._ledger.buy_chips(tournament, purchase), purchase.account, None, price
        )

    @as_deferred
    async def _funded(
        self, act: Callable[[], Awaitable[T]], account: int, table: str | None, price: Money
    ) -> T:
        for _ in range(DEBITS_MAX):
            try:
                return await act()
            except InsufficientBalance:
                if not await self._funding.bring(account, table, price):
                    raise
        return await act()


def funded_ledger(ledger: WholeLedger, funding: WalletFunding) -> WholeLedger:
    """Return the ledger of a room with an operator's wallet."""
    return cast("WholeLedger", FundedLedger(ledger, funding))  # its other methods are found by their names
