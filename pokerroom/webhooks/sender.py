"""Delivers the messages of webhooks: the leader of the nodes claims what is due, posts it, and notes the outcome.

Each endpoint has its own worker and `AT_ONCE` connections, so one that is slow or dead costs the others nothing. A
message that fails is tried again after growing pauses, then it is dead: operators see it, and try it again or drop it.
An endpoint that answers 410 is switched off, and so is one with too long a queue.
"""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Callable, Mapping
from typing import Final, Protocol

import msgspec
import structlog
from cryptography.exceptions import InvalidTag
from twisted.internet.defer import Deferred, DeferredList

from pokerroom.bridge import as_deferred
from pokerroom.history.hidden_cards import CardSeal
from pokerroom.ledger.api import LedgerRefusal, LedgerUnavailable
from pokerroom.ledger.archives import RecordsArchived
from pokerroom.ledger.operator_log import THE_ROOM
from pokerroom.ledger.webhooks import WebhookBacklog, WebhookMessage, WebhookOutbox, WebhookTarget
from pokerroom.ops.observer import Observer
from pokerroom.ops.periodic_task import log_fault
from pokerroom.webhooks.bodies import body_of, data_of
from pokerroom.webhooks.post import Undelivered
from pokerroom.webhooks.signing import signed_headers

EVERY_S: Final = 1.0
"""Seconds between two looks for messages that are due."""

LOOK_S: Final = 15.0
"""Seconds between two looks at the backlog."""

AT_ONCE: Final = 8
"""[D] Messages of an endpoint that are on their way together."""

LEASE_S: Final = 60
"""A claimed message is due again after so many seconds. All of a claim are posted at once, so that is ample."""

PAUSES_S: Final = (5, 300, 1_800, 7_200, 18_000, 36_000, 36_000)
"""The pause after each failed try, in seconds; after the last of them, 28 hours in all, the message is dead."""

QUEUE_MAX: Final = 100_000
"""[D] An endpoint for which more messages wait is switched off."""

SEAL: Final = "webhooks"
"""The purpose of the seal of secrets (`Seal.of`)."""

_GONE: Final = 410

_log = structlog.get_logger()


class WebhookPost(Protocol):
    """Sends a body to a URL, and returns the HTTP status (`post.Poster`)."""

    def __call__(self, url: str, headers: Mapping[str, str], body: bytes) -> Deferred[int]:
        """See `Poster.post`. Fails with `Undelivered`."""


class Signer:
    """Signs messages. Secrets are encrypted in the ledger: a thief of the database cannot speak for the room."""

    def __init__(self, seal: CardSeal, now_s: Callable[[], float]) -> None:
        self._seal = seal
        self._now_s = now_s

    def sealed(self, secret: bytes, url: str) -> bytes:
        """Return a secret as the ledger stores it."""
        return self._seal.close(secret, _about(url))

    def headers(self, target: WebhookTarget, message: str, body: bytes) -> dict[str, str]:
        """Return the headers of a message that is sent now. Raises `Undelivered` without the key of the secret."""
        try:
            secret = self._seal.open(target.secret, _about(target.url))
        except InvalidTag as error:
            raise Undelivered("the key of its secret is missing: add the webhook again") from error
        return signed_headers(secret, message, int(self._now_s()), body)


def _about(url: str) -> str:
    return f"webhook {url}"


class WebhookSender:
    """See the module. It works while `sends` says that this node does; `room` is the room's name."""

    def __init__(
        self,
        outbox: WebhookOutbox,
        post: WebhookPost,
        signer: Signer,
        *,
        room: str,
        sends: Callable[[], bool],
        observer: Observer,
    ) -> None:
        self._outbox = outbox
        self._post = post
        self._signer = signer
        self._room = room
        self._sends = sends
        self._observer = observer
        self._workers: dict[int, Deferred[None]] = {}
        self._posts: set[Deferred[int]] = set()
        self._stopped = False
        self.backlog = WebhookBacklog(waiting=0, dead=0, oldest_s=0.0)
        """What was not delivered at the last look; nothing at a node that does not send."""

    @as_deferred
    async def run(self) -> None:
        """Begin to deliver what is due, beside what is on its way. A fault of the ledger is logged."""
        if not self._works():
            return
        try:
            targets = await self._outbox.due_webhooks()
        except LedgerUnavailable as unavailable:
            _log.info("webhooks.interrupted", reason=str(unavailable))
            return
        for target in targets:
            if target.number not in self._workers and self._works():
                self._begin(target)

    @as_deferred
    async def look(self) -> None:
        """Count what is not delivered, and switch endpoints off that have too long a queue."""
        try:
            if self._works():
                if await self._outbox.close_full_webhooks(QUEUE_MAX, by=THE_ROOM):
                    _log.error("webhook.off", reason=f"more than {QUEUE_MAX} messages waited")
                self.backlog = await self._outbox.webhook_backlog()
            else:
                self.backlog = WebhookBacklog(waiting=0, dead=0, oldest_s=0.0)
        except LedgerUnavailable as unavailable:
            _log.info("webhooks.interrupted", reason=str(unavailable))

    @as_deferred
    async def stop(self) -> None:
        """Deliver no more; fires when the ledger is not needed any more. What is on its way is tried again."""
        self._stopped = True
        for post in list(self._posts):
            post.cancel()
        await DeferredList(list(self._workers.values()))

    def is_busy(self, webhook: int) -> bool:
        """Whether messages of this endpoint are on their way."""
        return webhook in self._workers

    @property
    def is_idle(self) -> bool:
        """Whether nothing is on its way."""
        return not self._workers

    def _works(self) -> bool:
        return not self._stopped and self._sends()

    def _begin(self, target: WebhookTarget) -> None:
        worker = self._workers[target.number] = Deferred()
        working = Deferred.fromCoroutine(self._deliver_all(target)).addErrback(log_fault)

        def ended(_: object) -> None:
            del self._workers[target.number]
            worker.callback(None)

        working.addCallback(ended)

    async def _deliver_all(self, target: WebhookTarget) -> None:
        try:
            while self._works():
                messages = await self._outbox.claim_webhook_messages(target.number, AT_ONCE, LEASE_S)
                await DeferredList(
                    [self._deliver(target, message).addErrback(log_fault) for message in messages]
                )
                if len(messages) < AT_ONCE:
                    break
        except LedgerUnavailable as unavailable:
            _log.info("webhooks.interrupted", reason=str(unavailable))

    @as_deferred
    async def _deliver(self, target: WebhookTarget, message: WebhookMessage) -> None:
        try:
            await self._tried(target, message)
        except LedgerUnavailable as unavailable:  # the message is due again after the lease
            _log.info("webhooks.interrupted", reason=str(unavailable))

    async def _tried(self, target: WebhookTarget, message: WebhookMessage) -> None:
        try:
            status = await self._posted(target, message)
        except Undelivered as undelivered:
            await self._failed(message, str(undelivered))
        except CancelledError:
            await self._outbox.return_webhook_message(message)
        else:
            if 200 <= status < 300:
                await self._outbox.end_webhook_message(message)
                self._observer.webhook("delivered")
                return
            if status == _GONE:
                await self._off(target)
            await self._failed(message, f"HTTP {status}")

    async def _posted(self, target: WebhookTarget, message: WebhookMessage) -> int:
        fact = await self._outbox.webhook_fact(message)
        if fact is None:
            raise Undelivered("the ledger has no such fact")
        try:
            body = body_of(message.id, message.kind, message.at_ms, self._room, data_of(fact))
        except RecordsArchived as error:
            raise Undelivered("the record of the hand is in an archive") from error
        except msgspec.MsgspecError as error:  # a bug; its text may quote the record
            _log.critical("webhook.unread", kind=message.kind, reference=message.reference)
            raise Undelivered("the room cannot read the fact") from error
        headers = self._signer.headers(target, message.id, body)
        post = self._post(target.url, headers, body)
        self._posts.add(post)
        if self._stopped:
            post.cancel()
        try:
            return await post
        finally:
            self._posts.discard(post)

    async def _failed(self, message: WebhookMessage, why: str) -> None:
        pause_s = PAUSES_S[message.tries - 1] if message.tries <= len(PAUSES_S) else None
        await self._outbox.fail_webhook_message(message, why, pause_s)
        self._observer.webhook("failed")
        if pause_s is None:
            self._observer.webhook("dead")
            _log.warning(
                "webhook.dead", message=message.id, kind=message.kind, tries=message.tries, reason=why
            )

    async def _off(self, target: WebhookTarget) -> None:
        try:
            await self._outbox.switch_webhook(
                target.number, on=False, why="it answered 410 Gone", by=THE_ROOM
            )
        except LedgerRefusal:  # it is removed
            return
        _log.warning("webhook.off", webhook=target.number, reason="it answered 410 Gone")
