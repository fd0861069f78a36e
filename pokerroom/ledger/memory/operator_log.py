"""The operators' log in memory: see `OperatorLog`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.chip_sales import MemoryChipSales
from pokerroom.ledger.operator_log import (
    DONE,
    HOUR_MS,
    NO_HASH,
    SAME_PER_HOUR,
    Acting,
    ArgumentValue,
    ChainCheck,
    LoggedAct,
    LogHead,
    LogLine,
    LogQuery,
    hash_of,
    stored_arguments,
)


class MemoryOperatorLog(MemoryChipSales):
    """Lines in a list (`OperatorLog`)."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        super().__init__(now_s)
        self._lines: list[LogLine] = []

    @fired
    def record(self, act: LoggedAct) -> int:
        return self._write_line(act)

    @fired
    def record_rarely(self, act: LoggedAct) -> int | None:
        return self._write_rarely(act, act.in_all_per_hour)

    def _write_rarely(self, act: LoggedAct, in_all: int | None) -> int | None:
        since_ms = int(self._now_s() * 1000) - HOUR_MS
        found = [line for line in self._lines if line.verb == act.verb and line.at_ms > since_ms]
        same = [
            line
            for line in found
            if (line.by.who, line.subject, line.by.address) == (act.by.who, act.subject, act.by.address)
        ]
        if len(same) >= SAME_PER_HOUR or (in_all is not None and len(found) >= in_all):
            return None
        return self._write_line(act)

    @fired
    def log_lines(self, query: LogQuery) -> list[LogLine]:
        found = [
            line
            for line in reversed(self._lines)
            if line.at_ms >= query.since_ms
            and query.who in {None, line.by.who}
            and (query.verb is None or f"{line.verb}.".startswith(f"{query.verb}."))
            and (query.before is None or line.n < query.before)
            and query.subject in {None, line.subject}
            and (query.until_ms is None or line.at_ms < query.until_ms)
            and (line.is_significant or not query.is_significant)
        ]
        return found[query.skip : query.skip + query.limit]

    @fired
    def log_head(self) -> LogHead:
        return self._head()

    def _log(
        self, by: Acting, verb: str, subject: str, result: str = DONE, **arguments: ArgumentValue
    ) -> None:
        """Writes the line of a change."""
        self._write_line(LoggedAct(by=by, verb=verb, subject=subject, arguments=arguments, result=result))

    def _write_line(self, act: LoggedAct) -> int:
        head = self._head()
        line = LogLine(
            n=head.n + 1,
            at_ms=int(self._now_s() * 1000),
            by=act.by,
            verb=act.verb,
            subject=act.subject,
            arguments=stored_arguments(act.arguments),
            result=act.result,
            prev_hash=head.hash,
            hash=NO_HASH,
        )
        self._lines.append(replace(line, hash=hash_of(line)))
        return line.n

    def _head(self) -> LogHead:
        return LogHead(n=self._lines[-1].n, hash=self._lines[-1].hash) if self._lines else LogHead()

    def _log_differences(self) -> Iterable[str]:
        chain = ChainCheck()
        if not all(chain.follow(line) for line in self._lines):
            assert chain.problem is not None
            yield chain.problem
