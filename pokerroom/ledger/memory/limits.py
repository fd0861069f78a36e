"""Limits of players in memory: see `LimitLedger`."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import inf
from typing import Protocol

from pokerroom.ledger.account_standing import SAME_EXCLUSION_S, AccountLocked, Excluded, Exclusion
from pokerroom.ledger.api import NO_PASSWORD, AccountRow
from pokerroom.ledger.limits import (
    CONFIRM_S,
    INCREASE_S,
    LIMITS,
    LimitKind,
    LimitPeriod,
    LimitReached,
    LimitRow,
)


@dataclass(slots=True, kw_only=True)
class _Limit:
    """What an account has set."""

    value: int | None = None
    wanted: int | None = None
    wanted_from_s: float | None = None


class Used(Protocol):
    """Sums what an account has used of a kind of limit since a moment of the clock."""

    def __call__(self, account: int, kind: LimitKind, since_s: float) -> int:
        """Add up."""


class MemoryLimits:
    """The limits of all accounts: what is set and what is left. `used` asks the books; `locked` may not play at all."""

    def __init__(
        self,
        now_s: Callable[[], float],
        accounts: Mapping[int, AccountRow],
        used: Used,
        locked: Container[int],
    ) -> None:
        self._now_s = now_s
        self._accounts = accounts
        self._used = used
        self._locked = locked
        self._exclusions: dict[int, list[float]] = {}  # account -> ends, for ever is infinite
        self._caps: dict[tuple[LimitKind, LimitPeriod], int] = {}
        self._set: dict[tuple[int, LimitKind, LimitPeriod], _Limit] = {}

    def rows(self, account: int) -> Sequence[LimitRow]:
        """Return all limits of an account."""
        rows = []
        for kind, period in LIMITS:
            found = self._set.get((account, kind, period), _Limit())
            start_s, end_s = self._window(period)
            from_s = self._wanted_from(found)
            rows.append(
                LimitRow(
                    kind=kind,
                    period=period,
                    value=found.value,
                    cap=self._caps.get((kind, period)),
                    used=self._used(account, kind, start_s),
                    ends_ms=int(end_s * 1000),
                    wanted=None if from_s is None else found.wanted,
                    wanted_from_ms=None if from_s is None else int(from_s * 1000),
                )
            )
        return rows

    def set_limit(self, account: int, kind: LimitKind, period: LimitPeriod, value: int | None) -> None:
        """Set a limit at once, or note an increase."""
        present = self._set.setdefault((account, kind, period), _Limit())
        now_s, from_s = self._now_s(), self._wanted_from(present)
        is_less = present.value is None or (value is not None and value <= present.value)
        if is_less or (from_s is not None and from_s <= now_s and present.wanted == value):
            self._set[account, kind, period] = _Limit(value=value)
        elif from_s is None or present.wanted != value:
            present.wanted, present.wanted_from_s = value, now_s + INCREASE_S

    def value(self, account: int, kind: LimitKind, period: LimitPeriod) -> int | None:
        """Return the limit that holds."""
        return self._set.get((account, kind, period), _Limit()).value

    def _wanted_from(self, limit: _Limit) -> float | None:
        """From when on an increase may be confirmed; None if there is none, or it has expired."""
        from_s = limit.wanted_from_s
        return None if from_s is None or from_s <= self._now_s() - CONFIRM_S else from_s

    def set_caps(self, caps: Mapping[tuple[LimitKind, LimitPeriod], int]) -> None:
        """Store the operator's caps."""
        self._caps = dict(caps)

    def left(self, account: int, kind: LimitKind) -> LimitReached | None:
        """Return what is left of the limits of a kind, as the refusal it would be; None without a limit."""
        if self._accounts[account].password_hash == NO_PASSWORD:
            return None
        return min(self._left(account, kind), key=lambda one: (one.left, -one.ends_ms), default=None)

    def _left(self, account: int, kind: LimitKind) -> Iterator[LimitReached]:
        for row in self.rows(account):
            holds = [most for most in (row.value, row.cap) if most is not None]
            if row.kind == kind and holds:
                yield LimitReached(
                    kind=kind, period=row.period, left=min(holds) - row.used, ends_ms=row.ends_ms
                )

    def check(self, account: int, kind: LimitKind, amount: int) -> None:
        """Raise `LimitReached` if less than the amount is left."""
        left = self.left(account, kind)
        if left is not None and left.left < amount:
            raise LimitReached(kind=kind, period=left.period, left=max(0, left.left), ends_ms=left.ends_ms)

    def exclude(self, account: int, days: int | None) -> bool:
        """Exclude an account from play. False, and nothing changes, if it is excluded for as long already."""
        until_s = inf if days is None else self._now_s() + days * 86_400
        if max(self._exclusions.get(account, [0.0])) >= until_s - SAME_EXCLUSION_S:
            return False
        self._exclusions.setdefault(account, []).append(until_s)
        return True

    def exclusion(self, account: int) -> Exclusion | None:
        """Return the longest exclusion that is in force."""
        until_s = max(self._exclusions.get(account, [0.0]))
        if until_s <= self._now_s():
            return None
        return Exclusion(until_ms=None if until_s == inf else int(until_s * 1000))

    def check_not_excluded(self, account: int) -> None:
        """Raise `Excluded` for an account that is."""
        found = self.exclusion(account)
        if found is not None:
            raise Excluded(until_ms=found.until_ms)

    def check_not_locked(self, account: int) -> None:
        """Raise `AccountLocked` for an account that is, as a deleted one is."""
        if account in self._locked:
            raise AccountLocked(f"account {account} is locked")

    def check_play(self, account: int, amount: int) -> None:
        """Raise `AccountLocked`, `Excluded` or `LimitReached` if the account may not bring the amount to a game."""
        self.check_not_locked(account)
        self.check_not_excluded(account)
        self.check(account, "session", 1)
        self.check(account, "loss", amount)

    def _window(self, period: LimitPeriod) -> tuple[float, float]:
        today = datetime.fromtimestamp(self._now_s(), UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        match period:
            case "day":
                start, end = today, today + timedelta(days=1)
            case "week":
                start = today - timedelta(days=today.weekday())
                end = start + timedelta(days=7)
            case "month":
                start = today.replace(day=1)
                end = (start + timedelta(days=31)).replace(day=1)
        return start.timestamp(), end.timestamp()
