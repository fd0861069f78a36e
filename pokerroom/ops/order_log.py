"""Writes orders to the operators' log: a line before an order is carried out, and one with its result.

An order that cannot be logged is not carried out. Orders act on tables, which are not in the database, so the result
has a line of its own. The node that the operator asked writes both, also for a table of another node.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from http import HTTPStatus
from typing import Final

import msgspec
import structlog

from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.operator_log import (
    DONE,
    ORDERED,
    STRANGER,
    Acting,
    ArgumentValue,
    LoggedAct,
    LogQuery,
    OperatorLog,
    legible,
)
from pokerroom.ledger.operators import acting_as
from pokerroom.ops import http_answers as answers
from pokerroom.ops.http_answers import HttpAnswer
from pokerroom.ops.operator_roles import OperatorAct
from pokerroom.ops.reports import OperatorRefusal

_NOT_LOGGED: Final = (
    "PostgreSQL does not answer, so the order cannot be logged and is not carried out. Try again."
)

_log = structlog.get_logger()


class OrderLog:
    """See the module."""

    def __init__(self, log: OperatorLog) -> None:
        self._operator_log = log
        self._is_busy = False
        """While a refusal is written, that of a stranger is not: a flood takes one connection of the ledger."""

    async def carried_out(
        self, act: OperatorAct, carry_out: Callable[[], Awaitable[HttpAnswer]]
    ) -> HttpAnswer:
        """Write that an order is given, carry it out, write the result, and return the answer."""
        line = _line(act)
        try:
            number = await self._operator_log.record(line)
        except LedgerUnavailable:
            return answers.error(HTTPStatus.SERVICE_UNAVAILABLE, "unavailable", _NOT_LOGGED)
        answer = await carry_out()
        ended = replace(line, arguments={**line.arguments, "ordered": number}, result=_result(answer))
        try:
            await self._operator_log.record(ended)
        except LedgerUnavailable:  # the order stands; its first line says that its result is unknown
            _log.error("operator_log.no_result", line=number, verb=line.verb, result=ended.result)
        return answer

    async def lines(self, query: LogQuery) -> list[dict[str, ArgumentValue]]:
        """Return lines of the log, the newest first. Raises `LedgerUnavailable`."""
        return [line.facts() for line in await self._operator_log.log_lines(query)]

    async def refused(self, act: OperatorAct) -> None:
        """Write that a request was refused before it was an order. Of many refusals few are written."""
        if self._is_busy and act.operator is None:
            return
        line = LoggedAct(
            by=_by(act), verb="operator.refused", subject=act.verb, result=f"refused: {act.result}"
        )
        self._is_busy = True
        try:
            await self._operator_log.record_rarely(line)
        except LedgerUnavailable:  # nothing is done; the room's own log has it
            pass
        finally:
            self._is_busy = False


def _line(act: OperatorAct) -> LoggedAct:
    subject, *more = act.args.items()
    return LoggedAct(
        by=_by(act),
        verb=act.verb,
        subject=legible(subject[1]),
        arguments={name: legible(value) for name, value in more},
        result=ORDERED,
    )


def _by(act: OperatorAct) -> Acting:
    if act.operator is None:
        return Acting(who=STRANGER, address=act.address)
    return acting_as(act.operator, act.reason, act.address)


def _result(answer: HttpAnswer) -> str:
    if answer.status < HTTPStatus.BAD_REQUEST:
        return DONE
    try:
        code = msgspec.json.decode(answer.body, type=OperatorRefusal).code
    except msgspec.DecodeError:
        code = str(answer.status)
    how = "refused" if answer.status < HTTPStatus.INTERNAL_SERVER_ERROR else "unknown"
    return legible(f"{how}: {code}")
