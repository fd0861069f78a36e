"""The contract for webhooks: endpoints of operators' programs, and the messages that wait for them.

A message is written in the transaction of its fact, for each endpoint that is on and wants its kind. It has a reference
to the fact and no copy: what it tells is read when it is delivered. A node claims messages before it delivers them. If
it dies, they are due again after the lease: each is delivered at least once, and its id tells a second delivery.

The ledger in memory has no webhooks: it is no room that operators run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol, get_args

from twisted.internet.defer import Deferred

from pokerroom.ledger.api import LedgerRefusal
from pokerroom.ledger.operator_log import Acting

WebhookKind = Literal["account.made", "hand.ended", "tournament.ended", "cash.requested", "significant"]

KINDS: Final[tuple[WebhookKind, ...]] = get_args(WebhookKind)
"""What an endpoint may want to be told."""

WEBHOOKS_MAX: Final = 10
"""[D] Endpoints of a room: each hand is a row for each that wants hands."""

URL_MAX: Final = 500
NOTE_MAX: Final = 200
FAILURE_MAX: Final = 200
"""The longest texts, in characters."""


class UnknownWebhook(LedgerRefusal):
    """There is no endpoint of this number."""

    code = "unknown_webhook"


class TooManyWebhooks(LedgerRefusal):
    """The room has `WEBHOOKS_MAX` endpoints."""

    code = "too_many_webhooks"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewWebhook:
    """An endpoint. `big_win` is the least win in a hand that is a significant event; None: none is.

    `secret` is encrypted: the ledger cannot sign.
    """

    url: str
    kinds: tuple[WebhookKind, ...]
    note: str
    big_win: int | None
    secret: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookRow:
    """An endpoint as operators see it. `why_off` is empty while it is on; `failure` is that of the last failed try.

    `waiting` and `dead` count its messages: those that are tried again, and those that are not.
    """

    number: int
    url: str
    kinds: tuple[WebhookKind, ...]
    note: str
    big_win: int | None
    is_on: bool
    why_off: str
    created_ms: int
    delivered: int
    delivered_ms: int | None
    failed_ms: int | None
    failure: str
    waiting: int
    dead: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookTarget:
    """Where messages go, with the encrypted secret that signs them."""

    number: int
    url: str
    secret: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookMessage:
    """A message. `tries` counts those begun. `id` is the same at each try."""

    number: int
    id: str
    kind: str
    reference: str
    at_ms: int
    tries: int
    failure: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookFact:
    """What a message tells: a JSON object. A hand has its record, too, which no repr shows: it has hidden cards."""

    data: str
    record: bytes | None = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookBacklog:
    """How many messages wait and are dead, and the age of the oldest that waits, 0 without one.

    Endpoints that are off do not count.
    """

    waiting: int
    dead: int
    oldest_s: float


class WebhookLedger(Protocol):
    """The part that operators use. Every method may fail with `LedgerUnavailable`.

    What `by` changes is in the operators' log, in the same transaction.
    """

    def add_webhook(self, new: NewWebhook, *, by: Acting) -> Deferred[int]:
        """Stores an endpoint and returns its number. Raises `TooManyWebhooks`."""

    def webhooks(self) -> Deferred[Sequence[WebhookRow]]:
        """All endpoints, by number."""

    def webhook_target(self, number: int) -> Deferred[WebhookTarget]:
        """An endpoint, also one that is off. Raises `UnknownWebhook`."""

    def remove_webhook(self, number: int, *, by: Acting) -> Deferred[None]:
        """Removes an endpoint with its messages. Raises `UnknownWebhook`."""

    def switch_webhook(self, number: int, *, on: bool, why: str, by: Acting) -> Deferred[None]:
        """Switches an endpoint on or off. Its messages stay; while it is off, none are added.

        Raises `UnknownWebhook`.
        """

    def dead_webhook_messages(
        self, number: int, before: int | None, limit: int
    ) -> Deferred[Sequence[WebhookMessage]]:
        """Dead messages of an endpoint with numbers below `before`, the latest first."""

    def decide_dead_webhooks(
        self, number: int, message: int | None, *, again: bool, by: Acting
    ) -> Deferred[int]:
        """Tries dead messages of an endpoint again, or drops them: one, or all. Returns how many.

        Raises `UnknownWebhook`.
        """


class WebhookOutbox(Protocol):
    """The part that the node needs that delivers. Every method may fail with `LedgerUnavailable`."""

    def due_webhooks(self) -> Deferred[Sequence[WebhookTarget]]:
        """The endpoints that are on and have a message that is due."""

    def claim_webhook_messages(
        self, webhook: int, at_most: int, lease_s: int
    ) -> Deferred[Sequence[WebhookMessage]]:
        """Claims the next messages that are due, for `lease_s` seconds. No other node gets them meanwhile."""

    def webhook_fact(self, message: WebhookMessage) -> Deferred[WebhookFact | None]:
        """What a message tells; None if the ledger has no such fact."""

    def end_webhook_message(self, message: WebhookMessage) -> Deferred[None]:
        """Notes that a message was delivered."""

    def fail_webhook_message(self, message: WebhookMessage, why: str, pause_s: int | None) -> Deferred[None]:
        """Notes that a try failed: the next one is after `pause_s`; None: the message is dead.

        A try that is not the last one changes nothing.
        """

    def return_webhook_message(self, message: WebhookMessage) -> Deferred[None]:
        """Gives back a message that was claimed: it is due at once, and the try does not count."""

    def switch_webhook(self, number: int, *, on: bool, why: str, by: Acting) -> Deferred[None]:
        """See `WebhookLedger.switch_webhook`."""

    def close_full_webhooks(self, at_most: int, *, by: Acting) -> Deferred[int]:
        """Switches off the endpoints for which more messages wait than `at_most`. Returns how many endpoints.

        Messages that operators have tried again do not count.
        """

    def webhook_backlog(self) -> Deferred[WebhookBacklog]:
        """What is not delivered."""
