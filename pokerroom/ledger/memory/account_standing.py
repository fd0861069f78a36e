"""Exclusions, locks and names of accounts in memory: see `StandingLedger`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from pokerroom.ledger.account_standing import Barred, Exclusion, gone_name
from pokerroom.ledger.api import NameTaken
from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.credentials import MemoryCredentials
from pokerroom.ledger.operator_log import Acting, account_subject
from pokerroom.ledger.transfers import look_of, name_key


class MemoryStanding(MemoryCredentials):
    """A `StandingLedger`."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        super().__init__(now_s)
        self._names: dict[str, int] = {}
        self._looks: dict[str, int] = {}
        self._muted_until_s: dict[int, float] = {}

    @fired
    def exclude(self, account: int, days: int | None, *, by: Acting) -> None:
        self._check_account(account)
        if self._limits.exclude(account, days):
            self._log(by, "account.exclude", account_subject(account), days=days)

    @fired
    def exclusion(self, account: int) -> Exclusion | None:
        return self._limits.exclusion(account)

    @fired
    def lock_out(self, account: int, *, by: Acting) -> list[int]:
        self._check_account(account)
        self._locked.add(account)
        ended = self._end_sessions(account, None, None)
        self._log(by, "account.lock", account_subject(account), sessions_ended=len(ended))
        return ended

    @fired
    def unlock(self, account: int, *, by: Acting) -> None:
        self._check_account(account)
        self._locked.discard(account)
        self._log(by, "account.unlock", account_subject(account))

    @fired
    def mute(self, account: int, minutes: int, *, by: Acting) -> None:
        self._check_account(account)
        self._muted_until_s[account] = self._now_s() + 60 * minutes
        self._log(by, "account.mute", account_subject(account), minutes=minutes)

    @fired
    def unmute(self, account: int, *, by: Acting) -> None:
        self._check_account(account)
        self._muted_until_s.pop(account, None)
        self._log(by, "account.unmute", account_subject(account))

    def _muted_until_ms(self, account: int) -> int | None:
        until_s = self._muted_until_s.get(account, 0)
        return int(until_s * 1000) if until_s > self._now_s() else None

    @fired
    def names_beginning(self, text: str, limit: int, *, but: str) -> Sequence[str]:
        rows = [row for row in self._accounts.values() if row.name != gone_name(row.account)]
        keys = {row.name.lower(): row.name for row in rows}
        found = [
            key for key in sorted(keys) if key.startswith(text.lower()) and not key.startswith(but.lower())
        ]
        return [keys[key] for key in found[:limit]]

    @fired
    def rename(self, account: int, name: str, *, by: Acting) -> None:
        self._check_account(account)
        if self._looks.get(look_of(name), account) != account:
            raise NameTaken(name)
        before = self._accounts[account].name
        del self._names[name_key(before)], self._looks[look_of(before)]
        self._accounts[account] = replace(self._accounts[account], name=name)
        self._names[name_key(name)] = self._looks[look_of(name)] = account
        self._log(by, "account.rename", account_subject(account), **{"from": before, "to": name})

    @fired
    def barred(self, connected: Collection[int], seated: Collection[int]) -> Sequence[Barred]:
        found = [Barred(account=account, why="locked") for account in connected if account in self._locked]
        found += [
            Barred(account=account, why="seated")
            for account in seated
            if self._limits.exclusion(account) is not None
        ]
        for one in self._tournaments.values():
            if one.phase == "registering":
                found += [
                    Barred(account=entry.account, why="entered", offer=one.opening.offer)
                    for entry in one.active()
                    if self._limits.exclusion(entry.account) is not None
                ]
        found += [
            Barred(account=account, why="muted", until_ms=until_ms)
            for account in connected
            if (until_ms := self._muted_until_ms(account)) is not None
        ]
        return sorted(found, key=lambda each: (each.account, each.why, each.offer or ""))
