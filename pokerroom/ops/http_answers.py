"""Answers of the operator's pages: JSON, or a refusal with a stable code. Knows no page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Final

import msgspec
import structlog
from twisted.python.failure import Failure
from twisted.web.server import Request

from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ops.reports import OperatorRefusal, OrderRefused

_STATUS: Final = {
    "unknown_table": HTTPStatus.NOT_FOUND,
    "unknown_tournament": HTTPStatus.NOT_FOUND,
    "unknown_node": HTTPStatus.NOT_FOUND,
    "unknown_player": HTTPStatus.NOT_FOUND,
    "unknown_request": HTTPStatus.NOT_FOUND,
    "unknown_source": HTTPStatus.NOT_FOUND,
    "unknown_offer": HTTPStatus.NOT_FOUND,
    "unknown_ticket": HTTPStatus.NOT_FOUND,
    "unknown_webhook": HTTPStatus.NOT_FOUND,
    "unknown_wallet_transfer": HTTPStatus.NOT_FOUND,
    "bad_offer": HTTPStatus.BAD_REQUEST,
    "bad_webhook": HTTPStatus.BAD_REQUEST,
    "bad_key": HTTPStatus.BAD_REQUEST,
    "bad_reason": HTTPStatus.BAD_REQUEST,
    "bad_parameter": HTTPStatus.BAD_REQUEST,
    "bad_period": HTTPStatus.BAD_REQUEST,
    "unknown_club": HTTPStatus.NOT_FOUND,
    "unknown_member": HTTPStatus.NOT_FOUND,
    "bad_club_name": HTTPStatus.BAD_REQUEST,
    "bad_announcement": HTTPStatus.BAD_REQUEST,
    "unknown_announcement": HTTPStatus.NOT_FOUND,
    "report_too_long": HTTPStatus.SERVICE_UNAVAILABLE,
    "bad_exclusion": HTTPStatus.BAD_REQUEST,
    "node_unreachable": HTTPStatus.BAD_GATEWAY,
    "unavailable": HTTPStatus.SERVICE_UNAVAILABLE,
}
"""The status of the room's refusals; every other refusal is a conflict with the present state."""

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
    """An HTTP answer. `headers` are those beyond what every answer of the port has."""

    status: int
    content_type: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


def host_of(address: object) -> str:
    """Return the address of a client over TCP, without the port; a Unix socket has none."""
    return str(getattr(address, "host", ""))


def only(request: Request, methods: str) -> HttpAnswer | None:
    """Refuse every other method."""
    if request.method.decode("latin-1") in methods.split(", "):
        return None
    refused = error(HTTPStatus.METHOD_NOT_ALLOWED, "method_not_allowed", f"Use {methods} for this page.")
    return replace(refused, headers={"allow": methods})


def as_json(value: object, status: HTTPStatus = HTTPStatus.OK) -> HttpAnswer:
    """Answer with a value."""
    return HttpAnswer(status=status, content_type="application/json", body=msgspec.json.encode(value) + b"\n")


def error(status: HTTPStatus, code: str, message: str) -> HttpAnswer:
    """Answer with an error."""
    return as_json(OperatorRefusal(code=code, message=message), status)


def not_found() -> HttpAnswer:
    """Refuse a path that has no page."""
    return error(HTTPStatus.NOT_FOUND, "not_found", "There is no such page.")


def refusal(refused: OrderRefused) -> HttpAnswer:
    """Answer with the room's own refusal."""
    return error(_STATUS.get(refused.code, HTTPStatus.CONFLICT), refused.code, str(refused))


def fault(failure: Failure) -> HttpAnswer:
    """Answer a failure: a service that is unavailable, or a fault of ours."""
    if failure.check(LedgerUnavailable):
        return error(HTTPStatus.SERVICE_UNAVAILABLE, "unavailable", "PostgreSQL does not answer. Try again.")
    _log.error("operator.fault", exc_info=failure.value)
    return error(
        HTTPStatus.INTERNAL_SERVER_ERROR, "internal", "The room has a fault. Read the log of this node."
    )
