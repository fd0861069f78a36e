"""The pages of the operator API for webhooks, with the verbs of `pokerroom webhook`.

The ledger carries an order out, with its line of the operators' log. The secret of an endpoint is told once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Protocol

from twisted.internet.defer import Deferred

from pokerroom.ledger.operator_log import Acting, LoggedAct, OperatorLog
from pokerroom.ledger.webhooks import (
    KINDS,
    NewWebhook,
    UnknownWebhook,
    WebhookKind,
    WebhookLedger,
    WebhookMessage,
    WebhookRow,
)
from pokerroom.ops.api_page import LISTED_MAX, NUMBER_MAX, ApiCall, Handler
from pokerroom.ops.booked_orders import BookedOrders
from pokerroom.ops.parameter import number_of
from pokerroom.ops.reports import NewWebhookSecret, OrderRefused, WebhookDecided, WebhookTested
from pokerroom.webhooks.addresses import BadAddress
from pokerroom.webhooks.bodies import TEST_KIND, body_of
from pokerroom.webhooks.post import Undelivered
from pokerroom.webhooks.sender import Signer, WebhookPost
from pokerroom.webhooks.signing import SECRET_BYTES, secret_text

_BY_ORDER: Final = "by order"


class WebhookPagesLedger(WebhookLedger, OperatorLog, Protocol):
    """What the pages need of the ledger."""


class WebhookPages:
    """See the module. `check` fails with `BadAddress` for a URL to which no message may go."""

    def __init__(
        self,
        ledger: WebhookPagesLedger,
        orders: BookedOrders,
        signer: Signer,
        *,
        room: str,
        check: Callable[[str], Deferred[None]],
        post: WebhookPost,
        now_ms: Callable[[], int],
        random_bytes: Callable[[int], bytes],
    ) -> None:
        self._ledger = ledger
        self._orders = orders
        self._signer = signer
        self._room = room
        self._check = check
        self._post = post
        self._now_ms = now_ms
        self._random_bytes = random_bytes

    def handlers(self) -> Mapping[str, Handler]:
        """Return who answers each verb."""
        orders: dict[str, Callable[[ApiCall, Acting], Awaitable[object]]] = {
            "webhook.add": self._added,
            "webhook.remove": self._removed,
            "webhook.enable": self._switched,
            "webhook.disable": self._switched,
            "webhook.test": self._tested,
            "webhook.retry": self._decided,
            "webhook.drop": self._decided,
        }
        return {
            "webhook.list": self._list,
            "webhook.show": self._show,
            "webhook.dead": self._dead,
            **{verb: self._ordered(order) for verb, order in orders.items()},
        }

    def _ordered(self, order: Callable[[ApiCall, Acting], Awaitable[object]]) -> Handler:
        async def carried_out(call: ApiCall) -> object:
            return await self._orders.carried_out(call, lambda by: order(call, by))

        return carried_out

    async def _list(self, _: ApiCall) -> list[WebhookRow]:
        return list(await self._ledger.webhooks())

    async def _show(self, call: ApiCall) -> WebhookRow:
        return await self._row(_number(call))

    async def _dead(self, call: ApiCall) -> list[WebhookMessage]:
        most = call.number("limit") or LISTED_MAX
        await self._row(_number(call))
        return list(await self._ledger.dead_webhook_messages(_number(call), call.number("before"), most))

    async def _row(self, number: int) -> WebhookRow:
        for row in await self._ledger.webhooks():
            if row.number == number:
                return row
        raise OrderRefused(
            UnknownWebhook.code, "There is no webhook of this number. See `pokerroom webhook list`."
        )

    async def _added(self, call: ApiCall, by: Acting) -> NewWebhookSecret:
        url = call.text("url")
        try:
            await self._check(url)
        except BadAddress as bad:
            raise OrderRefused("bad_webhook", f"{bad}.") from bad
        secret = self._random_bytes(SECRET_BYTES)
        number = await self._ledger.add_webhook(
            NewWebhook(
                url=url,
                kinds=_kinds(call.text("kinds")),
                note=call.text("note"),
                big_win=call.number("big_win"),
                secret=self._signer.sealed(secret, url),
            ),
            by=by,
        )
        return NewWebhookSecret(number=number, secret=secret_text(secret))

    async def _removed(self, call: ApiCall, by: Acting) -> WebhookDecided:
        row = await self._row(_number(call))
        await self._ledger.remove_webhook(row.number, by=by)
        return WebhookDecided(number=row.number, messages=row.waiting + row.dead)

    async def _switched(self, call: ApiCall, by: Acting) -> WebhookRow:
        number, on = _number(call), call.page.verb == "webhook.enable"
        await self._ledger.switch_webhook(number, on=on, why="" if on else _BY_ORDER, by=by)
        return await self._row(number)

    async def _tested(self, call: ApiCall, by: Acting) -> WebhookTested:
        target = await self._ledger.webhook_target(_number(call))
        message = f"msg_test{self._random_bytes(12).hex()}"
        body = body_of(message, TEST_KIND, self._now_ms(), self._room, {"by": by.who})
        await self._ledger.record(LoggedAct(by=by, verb=call.page.verb, subject=f"webhook:{target.number}"))
        try:
            status = await self._post(target.url, self._signer.headers(target, message, body), body)
        except Undelivered as undelivered:
            return WebhookTested(number=target.number, is_delivered=False, result=str(undelivered))
        return WebhookTested(number=target.number, is_delivered=200 <= status < 300, result=f"HTTP {status}")

    async def _decided(self, call: ApiCall, by: Acting) -> WebhookDecided:
        again = call.page.verb == "webhook.retry"
        number = _number(call)
        decided = await self._ledger.decide_dead_webhooks(number, call.number("message"), again=again, by=by)
        return WebhookDecided(number=number, messages=decided)


def _number(call: ApiCall) -> int:
    return number_of(call.args["number"], NUMBER_MAX, "number")


def _kinds(text: str) -> tuple[WebhookKind, ...]:
    """Return the kinds that are named, in the order of `KINDS`. Raises `OrderRefused`."""
    named = set(text.replace(",", " ").split())
    if not named or not named <= set(KINDS):
        raise OrderRefused("bad_webhook", f"Name one kind or more in `kinds`: {', '.join(KINDS)}.")
    return tuple(kind for kind in KINDS if kind in named)
