"""Calls of the operator's wallet: one signed POST for each, and only a firm answer counts.

A call is a message as those of webhooks, with the same signature; `deploy/operations/wallet.md` has the format. An
answer is firm if it is of the status 200 and a JSON object that names the id of the call and its result. Everything
else leaves the outcome unknown: a time-out, another status, a page of a proxy. Knows no ledger account.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol

import msgspec
from twisted.internet.defer import Deferred

from pokerroom.ledger.operator_log import legible
from pokerroom.ledger.operator_wallet import WalletDebit, WalletTransfer
from pokerroom.webhooks.bodies import body_of
from pokerroom.webhooks.post import Undelivered
from pokerroom.webhooks.signing import signed_headers

REASON_MAX = 64
"""The longest reason of a refusal that is kept, in characters."""


BALANCE_MAX = 2**53 - 1
"""The largest balance that is told: JSON's largest number, for every client."""


class WalletAnswer(msgspec.Struct, frozen=True):
    """The body of a firm answer. `balance` is what the player has there now; None: it does not say so."""

    id: str
    result: Literal["done", "refused"]
    reason: str = ""
    balance: int | None = None


class WalletExchange(Protocol):
    """Sends a body to a URL, and returns the HTTP status and the body of the answer (`post.Poster.exchange`)."""

    def __call__(self, url: str, headers: Mapping[str, str], body: bytes) -> Deferred[tuple[int, bytes]]:
        """See `Poster.exchange`. Fails with `Undelivered`."""


class WalletClient:
    """See the module. Every call raises `Undelivered` without a firm answer. It has no repr: it holds the secret."""

    def __init__(
        self,
        url: str,
        secret: bytes,
        exchange: WalletExchange,
        *,
        currency: str,
        room: str,
        now_ms: Callable[[], int],
    ) -> None:
        self._url = url
        self._secret = secret
        self._exchange = exchange
        self._currency = currency
        self._room = room
        self._now_ms = now_ms

    async def debit(self, debit: WalletDebit) -> WalletAnswer:
        """Take the amount from the player, once for each id."""
        return await self._called("debit", debit.id, debit.player, {"amount": debit.amount})

    async def send(self, transfer: WalletTransfer) -> WalletAnswer:
        """Give a credit to the player, or undo a debit, once for each id."""
        more: dict[str, Any] = {"amount": transfer.amount}
        if transfer.undoes is not None:
            more["debit"] = transfer.undoes
        return await self._called(transfer.kind, transfer.id, transfer.player, more)

    async def balance(self, name: str, player: str) -> WalletAnswer:
        """Ask what the player has. It moves nothing; `name` is an id of this call alone."""
        return await self._called("balance", name, player, {})

    async def _called(self, kind: str, name: str, player: str, more: Mapping[str, Any]) -> WalletAnswer:
        at_ms = self._now_ms()
        data = {"player": player, "currency": self._currency, **more}
        body = body_of(name, f"wallet.{kind}", at_ms, self._room, data)
        headers = signed_headers(self._secret, name, at_ms // 1000, body)
        status, text = await self._exchange(self._url, headers, body)
        if status != 200:
            raise Undelivered(f"HTTP {status}")
        try:
            answer = msgspec.json.decode(text, type=WalletAnswer)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise Undelivered("the answer is not that of a wallet") from error
        if answer.id != name:
            raise Undelivered("the answer is that of another call")
        told = answer.balance
        balance = told if told is not None and 0 <= told <= BALANCE_MAX else None  # a client has to read it
        return msgspec.structs.replace(answer, reason=legible(answer.reason, REASON_MAX), balance=balance)
