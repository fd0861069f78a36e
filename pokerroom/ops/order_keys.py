"""Keys of orders (`Idempotency-Key`): at any node, an order is carried out once for each key of an operator.

The same request with the same key gets the same answer. Another request with it is refused. The key is claimed in the
ledger before the order is carried out. So after a crash its result may be unknown: then an order that moves money is
given to the ledger again, which carries it out once. Any other order is refused.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from hashlib import sha256
from http import HTTPStatus
from typing import Final

import msgspec
import structlog
from twisted.web.server import Request

from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.order_keys import KEY_MAX, KeyedOrder, OrderKeyLedger
from pokerroom.ops import http_answers as answers
from pokerroom.ops.api_page import ApiCall
from pokerroom.ops.http_answers import HttpAnswer
from pokerroom.ops.reports import OrderRefused

HEADER: Final = "Idempotency-Key"

KEY_PATTERN: Final = f"[A-Za-z0-9._:-]{{1,{KEY_MAX}}}"

_log = structlog.get_logger()


def key_of(request: Request) -> str | None:
    """Return the key of an order; None without one. Raises `OrderRefused`."""
    key = request.getHeader(HEADER)
    if key is not None and not re.fullmatch(KEY_PATTERN, key):
        raise OrderRefused(
            "bad_key", f"`{HEADER}` is 1 to {KEY_MAX} letters, digits, and `.`, `_`, `:` or `-`."
        )
    return key


class OrderKeys:
    """See the module."""

    def __init__(self, ledger: OrderKeyLedger) -> None:
        self._ledger = ledger

    async def once(
        self, key: str, call: ApiCall, carry_out: Callable[[], Awaitable[HttpAnswer]]
    ) -> HttpAnswer:
        """Carry out the order of a key, or return what it was answered before. Raises `LedgerUnavailable`."""
        who, request = call.asker.operator.name, _hash(call)
        known = await self._ledger.claim_key(who, key, request, call.page.is_money)
        if known is not None and not (
            call.page.is_money and known.request == request and known.status is None
        ):
            return _again(known, request)
        answer = await carry_out()
        try:
            if answer.status == HTTPStatus.SERVICE_UNAVAILABLE:  # the client is told to ask again
                if not call.page.is_money:  # that may be in progress twice, and is given again all the same
                    await self._ledger.release_key(who, key)
            else:
                kept = (
                    None
                    if call.page.is_secret and answer.status == call.page.status
                    else answer.body.decode()
                )
                await self._ledger.keep_answer(who, key, answer.status, kept)
        except LedgerUnavailable:  # the order stands; its line of the log has its result
            _log.error("order_keys.not_kept", verb=call.page.verb, operator=who)
        return answer


def _again(known: KeyedOrder, request: bytes) -> HttpAnswer:
    if known.request != request:
        code, message = "key_used", "This key was used for another order. Use a new key for each order."
    elif known.status is None:
        code = "order_begun"
        message = (
            "An order with this key has begun, and its result is not known. Read the operators' log. To give the order"
            " again, use a new key."
        )
    elif known.answer is None:
        code, message = "answer_not_kept", "The order was carried out, and its answer is told once."
    else:
        return HttpAnswer(status=known.status, content_type="application/json", body=known.answer.encode())
    return answers.error(HTTPStatus.CONFLICT, code, message)


def _hash(call: ApiCall) -> bytes:
    values = {name: value for name, value in call.values.items() if value is not None}
    asked = [call.page.operation, dict(call.args), call.asker.reason, values]
    return sha256(msgspec.json.encode(asked, order="sorted")).digest()
