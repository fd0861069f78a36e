"""Webhooks in PostgreSQL: see `WebhookLedger` and `WebhookOutbox`. Functions of `webhooks.sql` decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, LiteralString

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.ledger.operator_log import Acting
from pokerroom.ledger.postgres.calls import PostgresCalls
from pokerroom.ledger.webhooks import (
    FAILURE_MAX,
    WEBHOOKS_MAX,
    NewWebhook,
    UnknownWebhook,
    WebhookBacklog,
    WebhookFact,
    WebhookMessage,
    WebhookRow,
    WebhookTarget,
)

_ROWS: Final[LiteralString] = (
    "SELECT number, url, kinds, note, big_win, is_on, why_off, (extract(epoch FROM created) * 1000)::bigint, delivered,"
    " (extract(epoch FROM delivered_at) * 1000)::bigint, (extract(epoch FROM failed_at) * 1000)::bigint, failure,"
    " (SELECT count(*) FROM webhook_messages WHERE endpoint = webhook_endpoints.number AND due IS NOT NULL),"
    " (SELECT count(*) FROM webhook_messages WHERE endpoint = webhook_endpoints.number AND due IS NULL)"
    " FROM webhook_endpoints ORDER BY number"
)

_MESSAGE: Final[LiteralString] = (
    "SELECT number, id::text, kind, reference, (extract(epoch FROM at) * 1000)::bigint, tries, failure FROM "
)


class PostgresWebhooks(PostgresCalls):
    """A `WebhookLedger`, and a `WebhookOutbox`."""

    def add_webhook(self, new: NewWebhook, *, by: Acting) -> Deferred[int]:
        what = (new.url, list(new.kinds), new.note, new.big_win, new.secret, WEBHOOKS_MAX, *by.row())
        return deferred(
            self._value("SELECT add_webhook(%s, %s, %s, %s, %b, %s, ROW(%s, %s, %s, %s)::acting)", *what)
        )

    def webhooks(self) -> Deferred[Sequence[WebhookRow]]:

        async def listed() -> Sequence[WebhookRow]:
            return [_webhook(row) for row in await self._rows(_ROWS)]

        return deferred(listed())

    def webhook_target(self, number: int) -> Deferred[WebhookTarget]:

        async def found() -> WebhookTarget:
            row = await self._row(
                "SELECT number, url, secret FROM webhook_endpoints WHERE number = %s", number
            )
            if row is None:
                raise UnknownWebhook(f"there is no webhook {number}: list them, and choose one")
            return _target(row)

        return deferred(found())

    def remove_webhook(self, number: int, *, by: Acting) -> Deferred[None]:
        return deferred(
            self._done("SELECT remove_webhook(%s, ROW(%s, %s, %s, %s)::acting)", number, *by.row())
        )

    def switch_webhook(self, number: int, *, on: bool, why: str, by: Acting) -> Deferred[None]:
        what = (number, on, why[:FAILURE_MAX], *by.row())
        return deferred(self._done("SELECT switch_webhook(%s, %s, %s, ROW(%s, %s, %s, %s)::acting)", *what))

    def dead_webhook_messages(
        self, number: int, before: int | None, limit: int
    ) -> Deferred[Sequence[WebhookMessage]]:

        async def found() -> Sequence[WebhookMessage]:
            rows = await self._rows(
                _MESSAGE + "webhook_messages WHERE endpoint = %(endpoint)s AND due IS NULL"
                " AND (%(before)s::bigint IS NULL OR number < %(before)s) ORDER BY number DESC LIMIT %(limit)s",
                endpoint=number,
                before=before,
                limit=limit,
            )
            return [_message(row) for row in rows]

        return deferred(found())

    def decide_dead_webhooks(
        self, number: int, message: int | None, *, again: bool, by: Acting
    ) -> Deferred[int]:
        what = (number, message, again, *by.row())
        return deferred(
            self._value("SELECT decide_dead_webhooks(%s, %s, %s, ROW(%s, %s, %s, %s)::acting)", *what)
        )

    # --- what the node needs that delivers ----------------------------------------------------------------------------

    def due_webhooks(self) -> Deferred[Sequence[WebhookTarget]]:

        async def found() -> Sequence[WebhookTarget]:
            rows = await self._rows(
                "SELECT number, url, secret FROM webhook_endpoints WHERE is_on AND EXISTS ("
                " SELECT FROM webhook_messages WHERE endpoint = webhook_endpoints.number AND due <= now())"
                " ORDER BY number"
            )
            return [_target(row) for row in rows]

        return deferred(found())

    def claim_webhook_messages(
        self, webhook: int, at_most: int, lease_s: int
    ) -> Deferred[Sequence[WebhookMessage]]:

        async def claimed() -> Sequence[WebhookMessage]:
            rows = await self._rows(
                _MESSAGE + "claim_webhook_messages(%s, %s, %s)", webhook, at_most, lease_s
            )
            return [_message(row) for row in rows]

        return deferred(claimed())

    def webhook_fact(self, message: WebhookMessage) -> Deferred[WebhookFact | None]:

        async def found() -> WebhookFact | None:
            row = await self._row(
                "SELECT fact::text, record FROM webhook_fact(%s, %s)", message.kind, message.reference
            )
            if row is None or row[0] is None:
                return None
            return WebhookFact(data=row[0], record=None if row[1] is None else row[1].encode())

        return deferred(found())

    def end_webhook_message(self, message: WebhookMessage) -> Deferred[None]:
        return deferred(self._done("SELECT end_webhook_message(%s)", message.number))

    def fail_webhook_message(self, message: WebhookMessage, why: str, pause_s: int | None) -> Deferred[None]:
        what = (message.number, message.tries, why[:FAILURE_MAX], pause_s)
        return deferred(self._done("SELECT fail_webhook_message(%s, %s, %s, %s)", *what))

    def return_webhook_message(self, message: WebhookMessage) -> Deferred[None]:
        return deferred(self._done("SELECT return_webhook_message(%s, %s)", message.number, message.tries))

    def close_full_webhooks(self, at_most: int, *, by: Acting) -> Deferred[int]:
        return deferred(
            self._value("SELECT close_full_webhooks(%s, ROW(%s, %s, %s, %s)::acting)", at_most, *by.row())
        )

    def webhook_backlog(self) -> Deferred[WebhookBacklog]:

        async def counted() -> WebhookBacklog:
            row = await self._row(
                "SELECT count(*) FILTER (WHERE due IS NOT NULL), count(*) FILTER (WHERE due IS NULL),"
                " coalesce(extract(epoch FROM now() - min(at) FILTER (WHERE due IS NOT NULL)), 0)"
                " FROM webhook_messages JOIN webhook_endpoints AS target ON target.number = endpoint AND is_on"
            )
            assert row is not None, "a count returns a row"
            return WebhookBacklog(waiting=row[0], dead=row[1], oldest_s=float(row[2]))

        return deferred(counted())


def _webhook(row: tuple[Any, ...]) -> WebhookRow:
    (
        number,
        url,
        kinds,
        note,
        big_win,
        is_on,
        why_off,
        created,
        delivered,
        last,
        failed,
        failure,
        waiting,
        dead,
    ) = row
    return WebhookRow(
        number=number,
        url=url,
        kinds=tuple(kinds),
        note=note,
        big_win=big_win,
        is_on=is_on,
        why_off=why_off,
        created_ms=created,
        delivered=delivered,
        delivered_ms=last,
        failed_ms=failed,
        failure=failure,
        waiting=waiting,
        dead=dead,
    )


def _target(row: tuple[Any, ...]) -> WebhookTarget:
    return WebhookTarget(number=row[0], url=row[1], secret=bytes(row[2]))


def _message(row: tuple[Any, ...]) -> WebhookMessage:
    number, name, kind, reference, at_ms, tries, failure = row
    return WebhookMessage(
        number=number,
        id=f"msg_{name.replace('-', '')}",
        kind=kind,
        reference=reference,
        at_ms=at_ms,
        tries=tries,
        failure=failure,
    )
