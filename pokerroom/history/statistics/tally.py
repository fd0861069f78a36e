"""Adds up what many hands count, for each of their players: the step between records and the ledger's sums."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from pokerroom.history.redaction import visible_hand
from pokerroom.history.statistics.hand import Position, SeatStatistics, hand_statistics
from pokerroom.history.story import story_of
from pokerroom.ledger.account_history import SettledHand
from pokerroom.ledger.statistics import (
    Counters,
    DayKey,
    DayResult,
    HandTally,
    PlayedHands,
    PlayerDay,
    PlayerKey,
    Stake,
)

_DAY_MS: Final = 86_400_000

_Lineup = tuple[Stake, int, tuple[int, ...]]
"""Stake, month, and the accounts of all players that were dealt in."""


def tally_of(hands: Sequence[SettledHand]) -> HandTally:
    """Return what the hands count. `unread` names hands that cannot be read: a bug that must not stop the others."""
    tally = HandTally()
    lineups: dict[_Lineup, dict[tuple[int, Position], Counters]] = {}
    for hand in hands:
        try:
            record = visible_hand(hand.record, None, None)
            counted = hand_statistics(story_of(record, number=hand.number), in_chips=hand.in_chips)
        except Exception:  # noqa: BLE001 -- whatever is wrong with one hand, all players have statistics of the others
            tally.unread.append(hand.number)
            continue
        blinds = (0, 0) if hand.in_chips else (record.small_blind, record.big_blind)
        stake = Stake(record.game, record.structure, hand.in_chips, *blinds)
        month = int(f"{datetime.fromtimestamp(record.ended_ms // 1000, UTC):%Y%m}")
        day = record.ended_ms // _DAY_MS
        for seat in record.seats:
            played = PlayedHands(not hand.in_chips, hand.in_chips, seat.rake)
            tally.played.setdefault(PlayerDay(day, seat.account), PlayedHands()).add(played)
        for one in counted:
            if not hand.in_chips:
                _add_day(tally, DayKey(one.account, day, stake), one)
        accounts = tuple(sorted(one.account for one in counted))
        lineup = lineups.setdefault((stake, month, accounts), {})
        for one in counted:
            lineup.setdefault((one.account, one.position), Counters()).add(one.counters)
    _add_players(tally, lineups)
    return tally


def _add_day(tally: HandTally, key: DayKey, one: SeatStatistics) -> None:
    of = one.counters
    tally.days.setdefault(key, DayResult()).add(DayResult(of.hands, of.won, of.expected))


def _add_players(tally: HandTally, lineups: dict[_Lineup, dict[tuple[int, Position], Counters]]) -> None:
    """Each player has seen all. The hands of the same players are added up before: there are many of them."""
    for (stake, month, accounts), lineup in lineups.items():
        for (seen, position), counters in lineup.items():
            for account in accounts:
                key = PlayerKey(account, seen, month, stake, position)
                tally.players.setdefault(key, Counters()).add(counters)
