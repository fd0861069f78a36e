"""The pages of the operator API for the operator's wallet, with the verbs of `pokerroom wallet`.

The ledger carries an order out, with its line of the operators' log.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Protocol

from twisted.internet.defer import Deferred

from pokerroom.ledger.api import AccountRow
from pokerroom.ledger.operator_log import Acting
from pokerroom.ledger.operator_wallet import (
    PLAYER_MAX,
    OperatorWalletLedger,
    UnknownWalletTransfer,
    WalletRow,
)
from pokerroom.ops.api_page import LISTED_MAX, NUMBER_MAX, ApiCall, Handler
from pokerroom.ops.booked_orders import BookedOrders
from pokerroom.ops.parameter import number_of
from pokerroom.ops.reports import OrderRefused, PlayerWallet

_PLAYER: Final = re.compile(rf"[!-~]{{1,{PLAYER_MAX}}}")


class WalletPagesLedger(OperatorWalletLedger, Protocol):
    """What the pages need of the ledger."""

    def find_account(self, name: str) -> Deferred[AccountRow | None]:
        """See `Ledger.find_account`."""


class WalletPages:
    """See the module."""

    def __init__(self, ledger: WalletPagesLedger, orders: BookedOrders) -> None:
        self._ledger = ledger
        self._orders = orders

    def handlers(self) -> Mapping[str, Handler]:
        """Return who answers each verb."""
        orders: dict[str, Callable[[ApiCall, Acting], Awaitable[object]]] = {
            "wallet.retry": self._retried,
            "wallet.link": self._linked,
            "wallet.unlink": self._unlinked,
        }
        return {
            "wallet.list": self._list,
            "wallet.show": self._show,
            "wallet.player": self._player,
            **{verb: self._ordered(order) for verb, order in orders.items()},
        }

    def _ordered(self, order: Callable[[ApiCall, Acting], Awaitable[object]]) -> Handler:
        async def carried_out(call: ApiCall) -> object:
            return await self._orders.carried_out(call, lambda by: order(call, by))

        return carried_out

    async def _list(self, call: ApiCall) -> list[WalletRow]:
        name = call.text("player")
        account = (await self._account(name)).account if name else None
        most = call.number("limit") or LISTED_MAX
        return list(
            await self._ledger.wallet_transfers(
                account, waiting=call.flag("waiting"), before=call.number("before"), limit=most
            )
        )

    async def _show(self, call: ApiCall) -> WalletRow:
        try:
            return await self._ledger.wallet_transfer(_number(call))
        except UnknownWalletTransfer as unknown:
            raise OrderRefused(unknown.code, "There is no transfer of this number.") from unknown

    async def _player(self, call: ApiCall) -> PlayerWallet:
        return await self._wallet_of(await self._account(call.args["player"]))

    async def _retried(self, call: ApiCall, by: Acting) -> WalletRow:
        await self._ledger.retry_wallet_transfers(_number(call), by=by)
        return await self._ledger.wallet_transfer(_number(call))

    async def _linked(self, call: ApiCall, by: Acting) -> PlayerWallet:
        wallet = call.text("wallet")
        if not _PLAYER.fullmatch(wallet):
            raise OrderRefused(
                "bad_parameter", f"`wallet` is 1 to {PLAYER_MAX} characters of ASCII without spaces."
            )
        row = await self._account(call.args["player"])
        await self._ledger.link_wallet(row.account, wallet, by=by)
        return await self._wallet_of(row)

    async def _unlinked(self, call: ApiCall, by: Acting) -> PlayerWallet:
        row = await self._account(call.args["player"])
        await self._ledger.unlink_wallet(row.account, by=by)
        return await self._wallet_of(row)

    async def _wallet_of(self, row: AccountRow) -> PlayerWallet:
        return PlayerWallet(
            player=row.name, account=row.account, wallet=await self._ledger.wallet_player(row.account)
        )

    async def _account(self, name: str) -> AccountRow:
        row = await self._ledger.find_account(name)
        if row is None:
            raise OrderRefused("unknown_player", "There is no player of this name.")
        return row


def _number(call: ApiCall) -> int:
    return number_of(call.args["number"], NUMBER_MAX, "number")
