"""The webhooks of a node: what delivers messages, and the pages for operators, on one ledger with one seal."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Protocol

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.history.hidden_cards import CardSeal
from pokerroom.ledger.webhooks import WebhookOutbox
from pokerroom.ops.api_page import Handler
from pokerroom.ops.booked_orders import BookedOrders
from pokerroom.ops.config import WebhooksConfig
from pokerroom.ops.observer import Observer
from pokerroom.webhooks.pages import WebhookPages, WebhookPagesLedger
from pokerroom.webhooks.post import Poster
from pokerroom.webhooks.sender import Signer, WebhookSender


class TellingLedger(WebhookPagesLedger, WebhookOutbox, Protocol):
    """What both need of the ledger."""


class Webhooks:
    """See the module. `sends`: whether this node delivers; `seal` encrypts secrets; `room` is the room's name."""

    def __init__(
        self,
        ledger: TellingLedger,
        config: WebhooksConfig,
        seal: CardSeal,
        *,
        room: str,
        sends: Callable[[], bool],
        observer: Observer,
        now_ms: Callable[[], int],
    ) -> None:
        self._ledger = ledger
        self._room = room
        self._poster = Poster(config.networks)
        self._signer = Signer(seal, lambda: now_ms() / 1_000)
        self._now_ms = now_ms
        self.sender = WebhookSender(
            ledger, self._post, self._signer, room=room, sends=sends, observer=observer
        )

    def pages(self, orders: BookedOrders) -> Mapping[str, Handler]:
        """Return who answers the verbs of webhooks."""
        return WebhookPages(
            self._ledger,
            orders,
            self._signer,
            room=self._room,
            check=lambda url: deferred(self._poster.check(url)),
            post=self._post,
            now_ms=self._now_ms,
            random_bytes=os.urandom,
        ).handlers()

    def _post(self, url: str, headers: Mapping[str, str], body: bytes) -> Deferred[int]:
        return deferred(self._poster.post(url, headers, body))
