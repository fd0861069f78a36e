"""Logging: facts with fields, a line each, on standard error; readable on a terminal, as JSON anywhere else.

`configure` is called once, when the process starts. Logs of Twisted and the standard library go the same way. Cards and
secrets are hidden here as the last line of defence: no module should log them in the first place.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Mapping, MutableMapping
from datetime import date
from enum import Enum
from functools import cache
from pathlib import PurePath
from typing import Any, TextIO

import structlog
from twisted.logger import ILogObserver, LogEvent, LogLevel, formatEvent, globalLogBeginner
from zope.interface import implementer

from pokerroom.ops.lasting_stream import lasting

REDACTED = "[redacted]"

_SECRET_NAMES = frozenset(
    {"authorization", "card", "cards", "deck", "hole", "holes", "password", "secret", "token"}
)
_SECRET_ENDINGS = (
    "_cards",
    "_deck",
    "_password",
    "_password_hash",
    "_secret",
    "_token",
    "journal_key",
    "journal_keys",
)
_URL_PASSWORD = re.compile(r"(\b[a-z][a-z0-9+.-]*://[^\s:/@]*:)[^\s/]*@", re.IGNORECASE)

# Twisted tells of every port and connection as "info"; here that is detail.
_TWISTED_LEVELS = {
    LogLevel.debug: logging.DEBUG,
    LogLevel.info: logging.DEBUG,
    LogLevel.warn: logging.WARNING,
    LogLevel.error: logging.ERROR,
    LogLevel.critical: logging.CRITICAL,
}


def configure(
    *, form: str = "auto", level: str = "info", stream: TextIO | None = None, node_number: int | None = None
) -> None:
    """Set up structlog, Twisted's log and the standard library's. `form` is auto, console or json.

    If several nodes of one machine write to the same place, each line carries its `node_number`. A second call replaces
    the choices of the first one, for loggers not used yet.
    """
    stream = sys.stderr if stream is None else stream
    number = logging.getLevelNamesMapping()[level.upper()]
    console = form == "console" or (form == "auto" and stream.isatty())
    renderer: structlog.typing.Processor
    if console:
        # Its default formatter of tracebacks prints local variables: hole cards and keys.
        renderer = structlog.dev.ConsoleRenderer(
            colors=stream.isatty(), exception_formatter=structlog.dev.plain_traceback
        )
    else:
        renderer = structlog.processors.JSONRenderer(ensure_ascii=False)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            *([] if node_number is None else [_numbered(node_number)]),
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,  # plain text; before `redact`, which reads it too
            redact,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(lasting(stream)),
        cache_logger_on_first_use=True,
    )
    _route_standard_library(number)
    _route_twisted()


def _numbered(node_number: int) -> structlog.typing.Processor:
    def number(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        event["node_number"] = node_number
        return event

    return number


def redact(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Hide fields named like secrets, and passwords in URLs, at any depth: a structlog processor.

    Values that are not plain data appear as the name of their type only: the text of an unknown object may show cards.
    """
    for key, value in event.items():
        event[key] = _clean(key, value)
    return event


def _clean(key: str, value: Any) -> Any:
    name = key.lower()
    if name in _SECRET_NAMES or name.endswith(_SECRET_ENDINGS):
        return REDACTED
    return _plain(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.name
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, (str, PurePath, date)):
        return _URL_PASSWORD.sub(rf"\1{REDACTED}@", str(value))
    if isinstance(value, BaseException):
        return _plain(f"{type(value).__name__}: {value}")
    if isinstance(value, Mapping):
        return {str(key): _clean(str(key), inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(inner) for inner in value]
    return f"<{type(value).__name__}>"


class _ToStructlog(logging.Handler):
    """Passes a record of the standard library's logging on."""

    def emit(self, record: logging.LogRecord) -> None:
        fields: dict[str, Any] = {"logger": record.name}
        if record.exc_info:
            fields["exc_info"] = record.exc_info
        structlog.get_logger().log(record.levelno, record.getMessage(), **fields)


def _route_standard_library(level: int) -> None:
    root = logging.getLogger()
    for handler in [handler for handler in root.handlers if isinstance(handler, _ToStructlog)]:
        root.removeHandler(handler)
    root.addHandler(_ToStructlog())
    root.setLevel(level)


@implementer(ILogObserver)
class _TwistedToStructlog:
    """Passes an event of Twisted's log on."""

    def __call__(self, event: LogEvent) -> None:
        fields: dict[str, Any] = {"logger": event.get("log_namespace", "twisted")}
        text = formatEvent(event)
        failure = event.get("log_failure")
        if failure is not None:
            # Never its own rendering: the detailed one prints local variables.
            fields["exc_info"] = (failure.type, failure.value, failure.getTracebackObject())
        level = _TWISTED_LEVELS.get(event.get("log_level", LogLevel.info), logging.INFO)
        structlog.get_logger().log(level, text or "unhandled error", **fields)


@cache  # Twisted's log can be begun once in a process
def _route_twisted() -> None:
    globalLogBeginner.beginLoggingTo([_TwistedToStructlog()], redirectStandardIO=False)
