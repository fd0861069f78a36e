"""Histories and settings of accounts in memory: see `AccountHistoryLedger`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from pokerroom.chips import Money
from pokerroom.ledger.account_history import (
    SETTINGS_MAX,
    AccountTransfer,
    HandPage,
    HandQuery,
    PlayedGame,
    PlayedHand,
    PlayedRound,
    PlayedRoundRecord,
    PlayedTournament,
    SettingValue,
    SettledHand,
)
from pokerroom.ledger.api import HandSettlement, LedgerConflict
from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.operator_log import MemoryOperatorLog
from pokerroom.ledger.memory.rounds import MemoryRound
from pokerroom.ledger.operator_log import Acting
from pokerroom.ledger.rounds import VoidRound
from pokerroom.ledger.tournaments import tournament_at
from pokerroom.ledger.transfers import hand_key, paid_out, round_key, tickets_code, wallet_code


class MemoryAccountHistory(MemoryOperatorLog):
    """An `AccountHistoryLedger` that reads every hand and round for each call: enough for tests and the simulation."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        super().__init__(now_s)
        self._hands: dict[str, HandSettlement] = {}
        self._settings: dict[int, dict[str, SettingValue]] = {}

    @fired
    def account_history(self, account: int, before: int | None, limit: int) -> Sequence[PlayedGame]:
        entries = [entry for entry in self._all_played(account) if before is None or entry.number < before]
        return sorted(entries, key=lambda entry: -entry.number)[:limit]

    @fired
    def account_transfers(self, account: int, before: int | None, limit: int) -> Sequence[AccountTransfer]:
        own = {wallet_code(account), tickets_code(account)}
        found = [
            self._account_transfer(account, key)
            for key, (_, legs) in self._transfers.items()
            if own.intersection(dict(legs)) and (before is None or self._numbers[key] < before)
        ]
        return sorted(found, key=lambda one: -one.number)[:limit]

    def _account_transfer(self, account: int, key: str) -> AccountTransfer:
        kind, legs = self._transfers[key]
        moved = dict(legs)
        wallet, tickets = moved.get(wallet_code(account), 0), moved.get(tickets_code(account), 0)
        others = [(-abs(amount), code) for code, amount in legs if amount * (wallet or tickets) < 0]
        return AccountTransfer(
            number=self._numbers[key],
            kind=kind,
            key=key,
            at_ms=int(self._booked_s[key] * 1000),
            wallet=wallet,
            tickets=tickets,
            other=min(others)[1],
        )

    @fired
    def hand_of(self, account: int, hand_id: str) -> PlayedHand | None:
        hand = self._hands.get(hand_id)
        return None if hand is None or account not in dict(hand.deltas) else self._hand(account, hand)

    @fired
    def read_hand(self, hand_id: str, *, by: Acting) -> bytes | None:
        hand = self._hands.get(hand_id)
        if hand is None:
            return None
        self._log(by, "hand.read", hand_id)
        return hand.record

    @fired
    def hands_page(self, query: HandQuery, after: int, limit: int) -> HandPage:
        numbered = sorted(
            ((self._numbers[hand_key(hand_id)], hand) for hand_id, hand in self._hands.items()),
            key=lambda each: each[0],
        )
        of = [
            (number, hand)
            for number, hand in numbered
            if number > after
            and query.table in {None, hand.table, tournament_at(hand.table)}
            and (query.account is None or query.account in dict(hand.deltas))
        ][:limit]
        hands = [
            SettledHand(
                number=number,
                hand_id=hand.hand_id,
                table=hand.table,
                in_chips=self._in_chips(hand.table),
                record=hand.record,
            )
            for number, hand in of
            if hand.ended_ms >= query.since_ms and (query.until_ms is None or hand.ended_ms < query.until_ms)
        ]
        return HandPage(hands=hands, after=of[-1][0] if len(of) == limit else None)

    @fired
    def round_of(self, account: int, round_id: str) -> PlayedRoundRecord | None:
        found = self._rounds.get(round_id)
        if found is None or found.end is None or account not in found.put_in():
            return None
        return PlayedRoundRecord(played=self._round(account, found), record=found.end.record)

    @fired
    def account_settings(self, account: int) -> Mapping[str, SettingValue]:
        return dict(self._settings.get(account, {}))

    @fired
    def change_settings(
        self, account: int, changes: Mapping[str, SettingValue]
    ) -> Mapping[str, SettingValue]:
        self._check_account(account)
        result = {**self._settings.get(account, {}), **changes}
        if len(result) > SETTINGS_MAX:
            raise LedgerConflict(f"account {account} has too many settings")
        self._settings[account] = result
        return dict(result)

    # --- inside -----------------------------------------------------------------------------------------------

    def _all_played(self, account: int) -> Iterator[PlayedGame]:
        for hand in self._hands.values():
            if account in dict(hand.deltas):
                yield self._hand(account, hand)
        for found in self._rounds.values():
            if found.end is not None and account in found.put_in():
                yield self._round(account, found)
        for (tournament, player), (number, ended_s) in self._tournaments_played.items():
            if player == account:
                row = self._tournaments[tournament].row()
                stake = self._tournaments[tournament].paid_by(account)
                given = next((place for place in row.places if place.account == account), None)
                if row.phase == "rolled_back":
                    given = None
                yield PlayedTournament(
                    number=number,
                    tournament=tournament,
                    ended_ms=int(ended_s * 1000),
                    stake=stake,
                    prize=stake if given is None else Money(given.prize + row.bounties_won(account)),
                    place=None if given is None else given.place,
                )

    def _hand(self, account: int, hand: HandSettlement) -> PlayedHand:
        return PlayedHand(
            number=self._numbers[hand_key(hand.hand_id)],
            hand_id=hand.hand_id,
            table=hand.table,
            ended_ms=hand.ended_ms,
            delta=dict(hand.deltas)[account],
            in_chips=self._in_chips(hand.table),
            record=hand.record,
        )

    def _round(self, account: int, found: MemoryRound) -> PlayedRound:
        end, put_in = found.end, found.put_in()
        assert end is not None, "it is over"
        staked, tipped = put_in[account]
        void = isinstance(end, VoidRound)
        paid = staked if isinstance(end, VoidRound) else paid_out(put_in, dict(end.deltas))[account]
        return PlayedRound(
            number=self._numbers[round_key(end.round_id)],
            round_id=end.round_id,
            table=end.table,
            started_ms=found.bets.started_ms,
            ended_ms=end.ended_ms,
            staked=Money(staked),
            tipped=Money(tipped),
            paid=Money(paid),
            void=void,
        )
