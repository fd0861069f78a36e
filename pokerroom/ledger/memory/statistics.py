"""Statistics of players in memory: see `StatisticsLedger`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from pokerroom.chips import Money
from pokerroom.ledger.account_history import SettledHand
from pokerroom.ledger.memory.account_history import MemoryAccountHistory
from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.operator_log import Acting
from pokerroom.ledger.statistics import (
    BATCH,
    STAKES_MAX,
    Counted,
    Counters,
    DayResult,
    HandTally,
    Months,
    OpponentRow,
    Stake,
    StakeStatistics,
    TournamentStatistics,
)
from pokerroom.ledger.transfers import hand_key, name_key


class MemoryStatistics(MemoryAccountHistory):
    """A `StatisticsLedger`."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        super().__init__(now_s)
        self._tally = HandTally()
        self._tournaments_counted: dict[tuple[int, int, Money], list[tuple[int, bool, int]]] = {}
        """By account, month and buy-in: the entries of each tournament, whether they were paid, and what they got."""
        self._counted_to = 0

    @fired
    def count_statistics(
        self, count: Callable[[Sequence[SettledHand]], HandTally], at_most: int = BATCH
    ) -> Counted | None:
        complete_to = max(self._numbers.values())
        hands = sorted(
            (
                SettledHand(
                    number=self._numbers[hand_key(hand.hand_id)],
                    hand_id=hand.hand_id,
                    table=hand.table,
                    in_chips=self._in_chips(hand.table),
                    record=hand.record,
                )
                for hand in self._hands.values()
                if self._numbers[hand_key(hand.hand_id)] > self._counted_to
            ),
            key=lambda hand: hand.number,
        )[:at_most]
        more = len(hands) == at_most
        to = hands[-1].number if more else complete_to
        tally = count(hands)
        self._tally.add(tally)
        self._count_tournaments(to)
        self._counted_to = to
        return Counted(len(hands) - len(tally.unread), to, more=more, unread=tuple(tally.unread))

    @fired
    def reset_statistics(self, *, by: Acting) -> None:
        self._tally = HandTally()
        self._tournaments_counted = {}
        self._counted_to = 0
        self._log(by, "statistics.rebuild", "")

    @fired
    def player_statistics(self, account: int, seen: int, months: Months) -> list[StakeStatistics]:
        found: dict[tuple[Stake, str], Counters] = {}
        for key, counters in self._tally.players.items():
            if (key.account, key.seen) == (account, seen) and months.first <= key.month <= months.last:
                found.setdefault((key.stake, key.position), Counters()).add(counters)
        hands: Counter[Stake] = Counter()
        for (stake, _), counters in found.items():
            hands[stake] += counters.hands
        told = sorted(hands, key=lambda stake: (-hands[stake], stake))[:STAKES_MAX]
        return [
            StakeStatistics(stake, position, found[stake, position])
            for stake, position in sorted(found)
            if stake in told
        ]

    @fired
    def opponents(self, account: int, players: Sequence[str], game: str) -> list[OpponentRow]:
        wanted = {name_key(player) for player in players}
        found: dict[str, Counters] = {}
        for key, counters in self._tally.players.items():
            name = self._accounts[key.seen].name
            if (key.account, key.stake.game) == (account, game) != (key.seen, game) and name_key(
                name
            ) in wanted:
                found.setdefault(name, Counters()).add(counters)
        return [
            OpponentRow(name, sums.hands, sums.vpip_chances, sums.vpip, sums.pfr)
            for name, sums in sorted(found.items())
        ]

    @fired
    def daily_results(self, account: int, months: Months) -> list[tuple[int, DayResult]]:
        first, last = months.days
        found: dict[int, DayResult] = {}
        for key, result in self._tally.days.items():
            if key.account == account and first <= key.day <= last:
                found.setdefault(key.day, DayResult()).add(result)
        return sorted(found.items(), key=lambda each: each[0])

    @fired
    def tournament_statistics(self, account: int, months: Months) -> list[TournamentStatistics]:
        found: dict[Money, list[tuple[int, bool, int]]] = {}
        for (player, month, buy_in), played in self._tournaments_counted.items():
            if player == account and months.first <= month <= months.last:
                found.setdefault(buy_in, []).extend(played)
        return [
            TournamentStatistics(
                buy_in,
                entries=sum(entries for entries, _, _ in played),
                in_the_money=sum(paid for _, paid, _ in played),
                returned=Money(sum(won for _, _, won in played)),
            )
            for buy_in, played in sorted(found.items())
        ]

    # --- inside -----------------------------------------------------------------------------------------------

    def _count_tournaments(self, to: int) -> None:
        for (tournament, player), (number, ended_s) in self._tournaments_played.items():
            row = self._tournaments[tournament].row()
            first = next((place for place in row.places if place.number == 1), None)
            if first is None or first.account != player or not self._counted_to < number <= to:
                continue
            month = _month(datetime.fromtimestamp(ended_s, UTC))
            for place in row.places:
                key = (place.account, month, row.opening.buy_in)
                entries = sum(entry.account == place.account and not entry.returned for entry in row.entries)
                self._tournaments_counted.setdefault(key, []).append(
                    (entries, place.prize > 0, place.prize + row.bounties_won(place.account))
                )


def _month(at: datetime) -> int:
    return 100 * at.year + at.month
