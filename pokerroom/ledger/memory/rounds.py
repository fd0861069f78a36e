"""Rounds against the house in memory: see `RoundLedger`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

import msgspec

from pokerroom.chips import Money
from pokerroom.ledger.api import (
    BankEmpty,
    BetsNotCovered,
    InsufficientBalance,
    LedgerConflict,
)
from pokerroom.ledger.memory.books import MemoryBooks, fired
from pokerroom.ledger.rounds import OpenRound, RoundBets, RoundEnd, RoundStake, StakeRow, VoidRound
from pokerroom.ledger.transfers import (
    check_amount,
    check_round_bets,
    check_round_end,
    house_code,
    meter_code,
    paid_out,
    round_bets_key,
    round_key,
    seed_key,
    stakes_code,
    wallet_code,
    whole,
)


@dataclass(slots=True, kw_only=True)
class MemoryRound:
    """One round; `end` is its result, or None while it is in progress."""

    bets: RoundBets
    stakes: list[StakeRow] = field(default_factory=list)
    end: RoundEnd | VoidRound | None = None

    def put_in(self) -> dict[int, tuple[int, int]]:
        """The stakes and tips of each account."""
        found: dict[int, tuple[int, int]] = {}
        for row in self.stakes:
            staked, tipped = found.get(row.account, (0, 0))
            tip = row.kind == "tip"
            found[row.account] = staked + (0 if tip else row.amount), tipped + (row.amount if tip else 0)
        return found


class MemoryRounds(MemoryBooks):
    """Rounds in dictionaries (`RoundLedger`)."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        super().__init__(now_s)
        self._count = count(1)
        self._rounds: dict[str, MemoryRound] = {}
        self._open: dict[str, str] = {}  # table -> round

    @fired
    def next_round(self) -> int:
        return next(self._count)

    @fired
    def open_bank(self, table: str, epoch: int, seed: Money) -> Money:
        check_amount(seed, at_least=0)
        self._check_owner(table, epoch)
        holds = self._balances.get(meter_code(table), 0)
        if holds < seed and seed_key(table, epoch) not in self._transfers:
            self._check_bank(seed - holds)
            legs = whole([("bank", holds - seed), (meter_code(table), seed - holds)])
            self._write(seed_key(table, epoch), "meter_seed", legs)
            holds = seed
        return Money(holds)

    @fired
    def take_place(  # noqa: PLR0917 -- see `RoundLedger.take_place`
        self, key: str, table: str, epoch: int, place: int, account: int, tables_max: int
    ) -> None:
        """See `RoundLedger.take_place`. Raises LookupError for an unknown account."""
        self._check_account(account)
        if self._is_repeated(key, "place", ()):
            return
        self._check_owner(table, epoch)
        self._limits.check_play(account, 0)
        self._check_seat(table, place, account, tables_max)
        self._write(key, "place", ())
        self._seats[table, place] = account
        self._seat_of[table, account] = place
        self._places.add((table, account))

    @fired
    def wallets(self, accounts: Sequence[int]) -> Mapping[int, Money]:
        return {
            account: Money(self._balances[wallet_code(account)])
            for account in accounts
            if account in self._accounts
        }

    @fired
    def close_bets(self, bets: RoundBets) -> None:
        check_round_bets(bets)
        key, table = round_bets_key(bets.round_id), bets.table
        if key in self._transfers:
            written = self._rounds[bets.round_id].bets
            if (written.table, dict(written.stakes)) != (table, dict(bets.stakes)):
                self._check_owner(table, bets.epoch)
                raise LedgerConflict(f"round {bets.round_id} was opened with other bets")
            return
        self._check_owner(table, bets.epoch)
        if table in self._open:
            raise LedgerConflict(f"{table} has round {self._open[table]} in progress")
        lacking = max(0, bets.exposure - self._balances.get(house_code(table), 0))
        self._check_bank(lacking)
        for account, _ in bets.stakes:
            if account not in self._accounts:
                raise LedgerConflict(f"there is no account {account}")
        wallets = {account: self._balances[wallet_code(account)] for account, _ in bets.stakes}
        left = {account: self._limits.left(account, "loss") for account in wallets}
        limited = {account: one.left for account, one in left.items() if one and one.left < wallets[account]}
        limited |= {account: 0 for account in wallets if self._limits.exclusion(account) is not None}
        may_bet = {**wallets, **limited}
        short = {account: max(0, may_bet[account]) for account, bet in bets.stakes if may_bet[account] < bet}
        if short:
            raise BetsNotCovered(short, limited.keys() & short.keys())
        legs = [
            *((wallet_code(account), -amount) for account, amount in bets.stakes),
            (stakes_code(table), sum(amount for _, amount in bets.stakes)),
            ("bank", -lacking),
            (house_code(table), lacking),
        ]
        self._write(key, "round_bets", whole(legs))
        rows = [
            StakeRow(key=key, kind="bets", account=account, amount=Money(amount))
            for account, amount in sorted(bets.stakes)
        ]
        self._rounds[bets.round_id] = MemoryRound(bets=bets, stakes=rows)
        self._open[table] = bets.round_id

    @fired
    def add_stake(self, stake: RoundStake) -> None:
        """See `RoundLedger.add_stake`. Raises LookupError for an unknown account."""
        check_amount(Money(stake.amount), at_least=1)
        self._check_account(stake.account)
        kind = f"round_{stake.kind}"
        legs = whole([(wallet_code(stake.account), -stake.amount), (stakes_code(stake.table), stake.amount)])
        if self._is_repeated(stake.key, kind, legs):
            return
        self._check_owner(stake.table, stake.epoch)
        self._limits.check(stake.account, "loss", stake.amount)
        found = self._in_progress(stake.round_id, stake.table)
        self._write(stake.key, kind, legs)
        row = StakeRow(key=stake.key, kind=stake.kind, account=stake.account, amount=Money(stake.amount))
        found.stakes.append(row)

    @fired
    def settle_round(self, end: RoundEnd) -> None:
        """See `RoundLedger.settle_round`. A record that is not JSON is a LedgerConflict too."""
        check_round_end(end)
        if self._is_over(end):
            return
        found = self._in_progress(end.round_id, end.table)
        if self._balances.get(meter_code(end.table), 0) != end.meter_before:
            raise LedgerConflict(f"the meter of {end.table} does not hold {end.meter_before}")
        put_in, deltas = found.put_in(), dict(end.deltas)
        if put_in.keys() != deltas.keys():
            raise LedgerConflict(f"round {end.round_id} names other accounts than those with bets")
        if sum(tipped for _, tipped in put_in.values()) != end.tronc:
            raise LedgerConflict(f"the tips of round {end.round_id} do not match its stakes")
        paid = paid_out(put_in, deltas)
        if any(amount < 0 for amount in paid.values()):
            raise LedgerConflict(f"round {end.round_id} takes more than an account has staked")
        house = [(house_code(end.table), end.house), (meter_code(end.table), end.meter)]
        self._end(found, end, "round", paid, [*house, ("tronc", end.tronc)])

    @fired
    def void_round(self, void: VoidRound) -> None:
        if self._is_over(void):
            return
        found = self._in_progress(void.round_id, void.table)
        put_in = found.put_in()
        tips = sum(tipped for _, tipped in put_in.values())
        paid = {account: staked for account, (staked, _) in put_in.items()}
        self._end(found, void, "round_void", paid, [("tronc", tips)])

    @fired
    def open_round(self, table: str) -> OpenRound | None:
        if table not in self._open:
            return None
        found = self._rounds[self._open[table]]
        return OpenRound(
            round_id=found.bets.round_id, started_ms=found.bets.started_ms, stakes=tuple(found.stakes)
        )

    @fired
    def open_rounds(self) -> Mapping[str, str]:
        return dict(self._open)

    @fired
    def ended_rounds(self, round_ids: Sequence[str]) -> frozenset[str]:
        return frozenset(
            name for name in round_ids if name in self._rounds and self._rounds[name].end is not None
        )

    # --- inside -----------------------------------------------------------------------------------------------

    def _check_bank(self, amount: int) -> None:
        if self._balances["bank"] < amount:
            raise BankEmpty(f"the bank does not hold {amount}")

    def _in_progress(self, round_id: str, table: str) -> MemoryRound:
        if self._open.get(table) != round_id:
            raise LedgerConflict(f"round {round_id} is not in progress at {table}")
        return self._rounds[round_id]

    def _is_over(self, end: RoundEnd | VoidRound) -> bool:
        """Whether the round has ended with this result. A past owner gets `NotOwner`."""
        found = self._rounds.get(end.round_id)
        if found is None or found.end is None:
            self._check_owner(end.table, end.epoch)
            return False
        if _essence(found.end) != _essence(end):
            self._check_owner(end.table, end.epoch)
            raise LedgerConflict(f"round {end.round_id} has ended with another result")
        return True

    def _end(
        self,
        found: MemoryRound,
        end: RoundEnd | VoidRound,
        kind: str,
        paid: Mapping[int, int],
        house: Iterable[tuple[str, int]],
    ) -> None:
        try:
            msgspec.json.decode(end.record, type=msgspec.Raw)
        except msgspec.DecodeError:
            raise LedgerConflict(f"the record of round {end.round_id} is not JSON") from None
        on_table = sum(row.amount for row in found.stakes)
        legs = [
            *((wallet_code(account), amount) for account, amount in paid.items()),
            (stakes_code(end.table), -on_table),
            *house,
        ]
        try:
            self._write(round_key(end.round_id), kind, whole(legs))
        except InsufficientBalance as negative:
            raise LedgerConflict(f"round {end.round_id} is refused: {negative}") from negative
        found.end = end
        del self._open[end.table]
        for account, (staked, tipped) in found.put_in().items():
            self._note_result(account, staked + tipped - paid[account])

    # --- audit ------------------------------------------------------------------------------------------------

    def _round_differences(self) -> Iterable[str]:
        on_table: defaultdict[str, int] = defaultdict(int)
        for round_id, found in self._rounds.items():
            table, end = found.bets.table, found.end
            if end is None:
                on_table[stakes_code(table)] += sum(row.amount for row in found.stakes)
                if self._open.get(table) != round_id:
                    yield f"round {round_id} at {table} is neither in progress nor over"
                continue
            if self._open.get(table) == round_id:
                yield f"round {round_id} at {table} is over, and in progress"
            if end.epoch < found.bets.epoch:
                yield f"round {round_id} at {table} ended under epoch {end.epoch}, before its own"
            yield from self._end_differences(round_id, found, end)
        for code, balance in self._balances.items():
            if code.startswith("stakes:") and balance != on_table[code]:
                yield f"{code} holds {balance}, its round has {on_table[code]}"
        for key, (kind, _) in self._transfers.items():
            if (
                kind in {"round_bets", "round", "round_void"}
                and key.split(":bets")[0][6:] not in self._rounds
            ):
                yield f"transfer {key} has no round"

    def _end_differences(self, round_id: str, found: MemoryRound, end: RoundEnd | VoidRound) -> Iterable[str]:
        put_in = found.put_in()
        if isinstance(end, VoidRound):
            kind, paid = "round_void", {account: staked for account, (staked, _) in put_in.items()}
            rest = [("tronc", sum(tipped for _, tipped in put_in.values()))]
        else:
            kind, paid = "round", paid_out(put_in, dict(end.deltas))
            rest = [(house_code(end.table), end.house), (meter_code(end.table), end.meter)]
            rest.append(("tronc", end.tronc))
            total = sum(delta for _, delta in end.deltas) + end.house + end.meter + end.tronc
            if total:
                yield f"round {round_id} comes to {total} for players, house, meter and tronc together"
        legs = [*((wallet_code(account), amount) for account, amount in paid.items()), *rest]
        legs.append((stakes_code(end.table), -sum(row.amount for row in found.stakes)))
        if self._transfers.get(round_key(round_id)) != (kind, whole(legs)):
            yield f"round {round_id} has no transfer with its legs"


def _essence(end: RoundEnd | VoidRound) -> tuple[object, ...]:
    """The part of an end that must be equal in a repeated call: neither writer nor time."""
    if isinstance(end, VoidRound):
        return (end.table,)
    meter = end.meter_fed, end.meter_paid, end.meter_reseeded
    return end.table, sorted(end.deltas), end.house, meter
