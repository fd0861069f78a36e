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
from pokerroom.ops.reports import OPERATOR_HEADER, OperatorRefusal, OrderRefused

_STATUS: Final = {
    "unknown_table": HTTPStatus.NOT_FOUND,
    "unknown_tournament": HTTPStatus.NOT_FOUND,
    "unknown_node": HTTPStatus.NOT_FOUND,
    "node_unreachable": HTTPStatus.BAD_GATEWAY,
    "unavailable": HTTPStatus.SERVICE_UNAVAILABLE,
}
"""Of refusals by the room; all others are conflicts with how things stand."""

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
    """An HTTP answer. `headers` are those beyond what every answer of the port has."""

    status: int
    content_type: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


def only(request: Request, methods: str) -> HttpAnswer | None:
    """A refusal of every other method."""
    if request.method.decode("latin-1") in methods.split(", "):
        return None
    refused = error(HTTPStatus.METHOD_NOT_ALLOWED, "method_not_allowed", f"{methods} only.")
    return replace(refused, headers={"allow": methods})


def ordered(request: Request) -> HttpAnswer | None:
    """A refusal of what does not come from an operator's hand: see `operator`."""
    if request.getHeader(OPERATOR_HEADER) == "1":
        return None
    return error(HTTPStatus.FORBIDDEN, "operator_header_missing", f"Send the header {OPERATOR_HEADER}: 1.")


def as_json(value: object, status: HTTPStatus = HTTPStatus.OK) -> HttpAnswer:
    """The value."""
    return HttpAnswer(status=status, content_type="application/json", body=msgspec.json.encode(value) + b"\n")


def error(status: HTTPStatus, code: str, message: str) -> HttpAnswer:
    """A refusal."""
    return as_json(OperatorRefusal(code=code, message=message), status)


def refusal(refused: OrderRefused) -> HttpAnswer:
    """The room's own refusal."""
    return as_json(refused.refused, _STATUS.get(refused.refused.code, HTTPStatus.CONFLICT))


def fault(failure: Failure) -> HttpAnswer:
    """What has failed otherwise: a service that is away, or we."""
    if failure.check(LedgerUnavailable):
        return error(
            HTTPStatus.SERVICE_UNAVAILABLE, "unavailable", "The ledger cannot be reached; try again."
        )
    _log.error("operator.fault", exc_info=failure.value)
    return error(HTTPStatus.INTERNAL_SERVER_ERROR, "internal", "A fault of the room; its log says more.")
