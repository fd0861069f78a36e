"""Reports by day in memory: see `DayReportLedger`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from pokerroom.chips import Money
from pokerroom.ledger import grammar
from pokerroom.ledger.api import NO_PASSWORD
from pokerroom.ledger.day_reports import (
    ActivityRow,
    PlayerTakings,
    ReportPart,
    ReportPeriod,
    TournamentTakings,
    day_text,
)
from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.statistics import MemoryStatistics
from pokerroom.ledger.rounds import VoidRound
from pokerroom.ledger.transfers import entry_key, hand_key, return_key, round_key

_DAY_S: Final = 86_400
_OF_ONE: Final = {"entry": 1, "late_entry": 1, "entry_return": -1, "rebuy": 0, "add_on": 0}
"""By the kind of transfer: how many entries it is."""


class MemoryDayReports(MemoryStatistics):
    """A `DayReportLedger` that looks at everything that is counted, for each report."""

    @fired
    def activity(self, period: ReportPeriod) -> list[ActivityRow]:
        first, last = period.days
        players: dict[int, set[int]] = {}
        for key in self._tally.played:
            players.setdefault(key.day, set()).add(key.account)
        rounds: Counter[int] = Counter()
        for day, accounts in self._rounds_counted():
            rounds[day] += 1
            players.setdefault(day, set()).update(accounts)
        hands: Counter[tuple[int, bool]] = Counter()
        for hand in self._hands.values():
            if self._numbers[hand_key(hand.hand_id)] <= self._counted_to:
                hands[hand.ended_ms // (1000 * _DAY_S), self._in_chips(hand.table)] += 1
        entries: Counter[int] = Counter()
        for day, _, _, count, _ in self._entries_counted():
            entries[day] += count
        opened = Counter(
            int(at_s // _DAY_S)
            for account, at_s in self._opened_s.items()
            if self._accounts[account].password_hash != NO_PASSWORD
        )
        return [
            ActivityRow(
                day=day_text(day),
                players=sum(
                    self._accounts[account].password_hash != NO_PASSWORD for account in players.get(day, ())
                ),
                new_accounts=opened[day],
                hands=hands[day, False],
                tournament_hands=hands[day, True],
                rounds=rounds[day],
                entries=entries[day],
            )
            for day in range(last, first - 1, -1)
        ]

    @fired
    def player_takings(self, period: ReportPeriod, part: ReportPart) -> list[PlayerTakings]:
        first, last = period.days
        hands: Counter[int] = Counter()
        rake: Counter[int] = Counter()
        for key, played in self._tally.played.items():
            if first <= key.day <= last:
                hands[key.account] += played.hands
                rake[key.account] += played.rake
        entries: Counter[int] = Counter()
        fees: Counter[int] = Counter()
        for day, _, account, count, fee in self._entries_counted():
            if first <= day <= last:
                entries[account] += count
                fees[account] += fee
        found = [
            PlayerTakings(
                account=account,
                name=self._accounts[account].name,
                hands=hands[account],
                rake=Money(rake[account]),
                entries=entries[account],
                fees=Money(fees[account]),
            )
            for account in {*rake, *fees}
            if rake[account] or fees[account]
        ]
        found.sort(key=lambda row: (-row.rake - row.fees, row.account))
        return found[part.skip : part.skip + part.limit]

    @fired
    def tournament_takings(self, period: ReportPeriod, part: ReportPart) -> list[TournamentTakings]:
        first, last = period.days
        entries: Counter[str] = Counter()
        fees: Counter[str] = Counter()
        for day, tournament, _, count, fee in self._entries_counted():
            if first <= day <= last:
                entries[tournament] += count
                fees[tournament] += fee
        found = [
            TournamentTakings(tournament=name, entries=entries[name], fees=Money(fees[name]))
            for name in {*entries, *fees}
            if entries[name] or fees[name]
        ]
        found.sort(key=lambda row: (-row.fees, row.tournament))
        return found[part.skip : part.skip + part.limit]

    # --- inside -----------------------------------------------------------------------------------------------

    def _rounds_counted(self) -> Iterator[tuple[int, set[int]]]:
        """The day of each round that was played, and the accounts that had bets in it."""
        for found in self._rounds.values():
            end = found.end
            if end is None or isinstance(end, VoidRound):
                continue
            if self._numbers[round_key(end.round_id)] <= self._counted_to:
                yield end.ended_ms // (1000 * _DAY_S), set(found.put_in())

    def _entries_counted(self) -> Iterator[tuple[int, str, int, int, int]]:
        """Day, tournament, account, entries and fees of each transfer that is counted."""
        for key, (kind, legs) in self._transfers.items():
            if self._numbers[key] > self._counted_to:
                continue
            day = int(self._booked_s[key] // _DAY_S)
            if kind in _OF_ONE:
                parts = grammar.parse(kind, key, dict(legs), {}).parts
                fee = dict(legs).get("fees", 0)
                yield day, parts["tournament"], int(parts["account"]), _OF_ONE[kind], fee
            elif kind in {"fees", "cancellation", "roll_back"}:
                tournament = key.split(":", 1)[1].rpartition(":")[0]
                for account, count, fee in self._of_all(tournament, kind):
                    yield day, tournament, account, count, fee

    def _of_all(self, tournament: str, kind: str) -> Iterator[tuple[int, int, int]]:
        """Account, entries and fees of each entry that a transfer of all players is about."""
        found = self._tournaments[tournament]
        for entry in found.entries:
            if return_key(tournament, entry.account, entry.number) in self._transfers:
                continue
            early = self._transfers[entry_key(tournament, entry.account, entry.number)][0] == "entry"
            if kind == "fees":
                if early:
                    yield entry.account, 0, found.opening.fee
            else:
                yield entry.account, -1, -found.opening.fee if kind == "roll_back" else 0
        if kind == "roll_back":
            fees = {sale.kind: sale.fee for sale in found.opening.sales}
            for row in found.purchases:
                yield row.purchase.account, 0, -fees[row.purchase.kind]
