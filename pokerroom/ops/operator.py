"""What an operator sees and does over the operations port: tables, closing and opening them, the clock's protection.

    GET  /tables                what every table is doing
    POST /tables/<id>/close     no new players; the hand in progress is finished, then stacks go to their wallets
    POST /tables/<id>/open      players may come again
    GET  /timeouts              who was all-in by the clock, how often

Answers are JSON; an error is `{"code": ..., "message": ...}` with a stable code. A web page open in a browser on this
machine can send requests here as well. What changes something therefore needs the header `X-Pokerroom-Operator`: no
page may send it without asking first (a CORS preflight), and that is never granted; nor is a request answered that
names an `Origin`, as browsers do.

Knows no table and no room: `Operated` is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Literal, Protocol

import msgspec
import structlog
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure
from twisted.web.server import Request

from pokerroom.ledger.api import Ledger, LedgerUnavailable
from pokerroom.ops.reports import OPERATOR_HEADER, Accepted, AccountTimeouts, Refused, TableReport

_log = structlog.get_logger()


class Operated(Protocol):
    """The room, as its operator needs it. What is asked of a table is done in its own time."""

    def tables(self) -> list[TableReport]:
        """Every table, in the order of the settings."""

    def close(self, table: str) -> bool:
        """Asks the table to close; closing it again is no error. False: there is no such table."""

    def open(self, table: str) -> bool:
        """Asks the table to take players again; one that does is left as it is. False: there is no such table."""

    def timeouts(self) -> Deferred[list[AccountTimeouts]]:
        """Every account that was ever protected; see `timeout_counts`. Fails with `LedgerUnavailable`."""


def timeout_counts(ledger: Ledger, today: Mapping[int, int]) -> Deferred[list[AccountTimeouts]]:
    """The report of `Operated.timeouts`: today's uses by account, joined with those of the ledger; most first."""

    async def joined() -> list[AccountTimeouts]:
        total = await ledger.timeout_all_ins(0)
        accounts = sorted(total.keys() | today.keys())
        names = await ledger.account_names(accounts)
        counts = [
            AccountTimeouts(
                account=account,
                name=names[account],
                today=today.get(account, 0),
                total=total.get(account, 0),
            )
            for account in accounts
        ]
        return sorted(counts, key=lambda count: (-count.today, -count.total, count.account))

    return Deferred.fromCoroutine(joined())


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An HTTP answer. `headers` are those beyond what every answer of the port has."""

    status: int
    content_type: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


class OperatorPages:
    """Answers what is asked below `/tables` and `/timeouts`."""

    def __init__(self, operated: Operated) -> None:
        self._operated = operated

    @staticmethod
    def owns(path: bytes) -> bool:
        """Whether this path is answered here, if only with a refusal."""
        return path.split(b"/")[1:2] in ([b"tables"], [b"timeouts"])

    def answer(self, request: Request) -> Deferred[Answer]:
        """Never fails: a fault of ours is an answer too."""
        return Deferred.fromCoroutine(self._routed(request)).addErrback(_fault)

    async def _routed(self, request: Request) -> Answer:
        if request.getHeader("origin") is not None:
            return _error(HTTPStatus.FORBIDDEN, "origin_refused", "Web pages are not answered here.")
        match request.path.decode("latin-1").split("/")[1:]:
            case ["tables"]:
                return _only(request, "GET, HEAD") or _json(self._operated.tables())
            case ["timeouts"]:
                return _only(request, "GET, HEAD") or _json(await self._operated.timeouts())
            case ["tables", table, ("close" | "open") as what]:
                return _only(request, "POST") or self._asked(request, table, what)
            case _:
                return _error(HTTPStatus.NOT_FOUND, "not_found", "There is no such page.")

    def _asked(self, request: Request, table: str, what: Literal["close", "open"]) -> Answer:
        if request.getHeader(OPERATOR_HEADER) != "1":
            return _error(
                HTTPStatus.FORBIDDEN, "operator_header_missing", f"Send the header {OPERATOR_HEADER}: 1."
            )
        known = self._operated.close(table) if what == "close" else self._operated.open(table)
        if not known:
            return _error(HTTPStatus.NOT_FOUND, "unknown_table", "There is no such table.")
        _log.info("operator.asked", what=what, table=table)
        return _json(Accepted(table=table, asked=what), HTTPStatus.ACCEPTED)


def _only(request: Request, methods: str) -> Answer | None:
    """A refusal of every other method."""
    if request.method.decode("latin-1") in methods.split(", "):
        return None
    refused = _error(HTTPStatus.METHOD_NOT_ALLOWED, "method_not_allowed", f"{methods} only.")
    return replace(refused, headers={"allow": methods})


def _json(value: object, status: HTTPStatus = HTTPStatus.OK) -> Answer:
    return Answer(status=status, content_type="application/json", body=msgspec.json.encode(value) + b"\n")


def _error(status: HTTPStatus, code: str, message: str) -> Answer:
    return _json(Refused(code=code, message=message), status)


def _fault(failure: Failure) -> Answer:
    if failure.check(LedgerUnavailable):
        return _error(
            HTTPStatus.SERVICE_UNAVAILABLE, "unavailable", "The ledger cannot be reached; try again."
        )
    _log.error("operator.fault", exc_info=failure.value)
    return _error(HTTPStatus.INTERNAL_SERVER_ERROR, "internal", "A fault of the room; its log says more.")
