"""Adjustments in memory: see `AdjustmentLedger`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from pokerroom.chips import Money
from pokerroom.ledger.adjustments import (
    PROPOSAL_S,
    Adjustment,
    AdjustmentRow,
    OperatorNeeded,
    ProposalExpired,
    SameOperator,
    check_adjustment,
)
from pokerroom.ledger.cashier import CashDecided, CashKeyUsed, SourceEmpty
from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.cashier import MemoryCashier
from pokerroom.ledger.memory.operators import MemoryOperators
from pokerroom.ledger.operator_log import DONE, THE_ROOM, Acting, account_subject
from pokerroom.ledger.transfers import Legs, adjustment_key, check_amount, source_code, wallet_code, whole


class MemoryAdjustments(MemoryCashier, MemoryOperators):
    """Adjustments in a list (`AdjustmentLedger`). The number of one is its position, from 1."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        super().__init__(now_s)
        self._adjustments: list[AdjustmentRow] = []

    @fired
    def set_four_eyes(self, *, on: bool, by: Acting = THE_ROOM) -> None:
        if self._four_eyes != on:
            self._four_eyes = on
            self._log(by, "cashier.four_eyes", "", on=on)

    @fired
    def adjust(self, adjustment: Adjustment, *, by: Acting) -> AdjustmentRow:
        check_adjustment(adjustment, by)
        check_amount(Money(abs(adjustment.amount)), at_least=1)
        self._check_account(adjustment.account)
        for row in self._adjustments:
            if (row.adjustment.account, row.adjustment.key) == (adjustment.account, adjustment.key):
                if row.adjustment != adjustment:
                    raise CashKeyUsed(f"the key {adjustment.key} was used for another adjustment")
                return self._told(row)
        alone = not self._four_eyes
        if not alone:
            self._check_operator(by)
        self._check_source(adjustment.source)
        if alone:
            self._move_adjustment(adjustment)
        row = AdjustmentRow(
            number=len(self._adjustments) + 1,
            adjustment=adjustment,
            name=self._accounts[adjustment.account].name,
            state="proposed",
            reason=by.reason,
            proposed_by=by.who,
            proposed_ms=int(self._now_s() * 1000),
            decided_by=None,
            decided_ms=None,
        )
        self._adjustments.append(row)
        if alone:
            row = self._decided(row, by, approve=True)
        self._log_adjustment(by, "cashier.adjust", row, DONE if alone else "proposed")
        return row

    @fired
    def decide_adjustment(self, number: int, *, approve: bool, by: Acting) -> AdjustmentRow:
        if not 1 <= number <= len(self._adjustments):
            raise LookupError(f"there is no adjustment {number}")
        row = self._adjustments[number - 1]
        if row.state == ("made" if approve else "refused"):
            return row
        if row.state != "proposed":
            raise CashDecided(f"adjustment {number} is {row.state} already")
        if approve and row.proposed_by == by.who:
            raise SameOperator(f"another operator than {by.who} must approve")
        if approve and self._is_old(row):
            raise ProposalExpired(f"adjustment {number} has expired: propose it again")
        if approve:
            self._check_operator(by)
            self._move_adjustment(row.adjustment)
        row = self._decided(row, by, approve=approve)
        verb = "cashier.approve_adjustment" if approve else "cashier.refuse_adjustment"
        self._log_adjustment(by, verb, row, DONE)
        return row

    @fired
    def adjustments(self, waiting: bool, limit: int) -> Sequence[AdjustmentRow]:
        told = [self._told(row) for row in reversed(self._adjustments)]
        return [row for row in told if row.state == "proposed" or not waiting][:limit]

    # --- inside -----------------------------------------------------------------------------------------------

    def _check_operator(self, by: Acting) -> None:
        account = self._operators.get(by.who)
        if account is None or account.is_revoked:
            raise OperatorNeeded("with four eyes an operator needs a token: set POKERROOM_OPERATOR_TOKEN")

    def _is_old(self, row: AdjustmentRow) -> bool:
        return row.proposed_ms <= (self._now_s() - PROPOSAL_S) * 1000

    def _told(self, row: AdjustmentRow) -> AdjustmentRow:
        return replace(row, state="expired") if row.state == "proposed" and self._is_old(row) else row

    def _decided(self, row: AdjustmentRow, by: Acting, *, approve: bool) -> AdjustmentRow:
        row = replace(
            row,
            state="made" if approve else "refused",
            decided_by=by.who,
            decided_ms=int(self._now_s() * 1000),
        )
        self._adjustments[row.number - 1] = row
        return row

    def _move_adjustment(self, adjustment: Adjustment) -> None:
        source = source_code(adjustment.source)
        if self._balances[source] < adjustment.amount:
            raise SourceEmpty(f"the source {source} does not hold {adjustment.amount}")
        self._write(*_transfer(adjustment))

    def _log_adjustment(self, by: Acting, verb: str, row: AdjustmentRow, result: str) -> None:
        self._log(
            by,
            verb,
            account_subject(row.adjustment.account),
            result,
            amount=row.adjustment.amount,
            key=row.adjustment.key,
            number=row.number,
            source=row.adjustment.source,
        )

    # --- audit ------------------------------------------------------------------------------------------------

    def _adjustment_differences(self) -> Iterable[str]:
        made = [_transfer(row.adjustment) for row in self._adjustments if row.state == "made"]
        for key, kind, legs in made:
            if self._transfers.get(key) != (kind, legs):
                yield f"an adjustment has no transfer {key} with its legs"
        keys = {key for key, _, _ in made}
        for key in self._transfers:
            if key.startswith("adjust:") and key not in keys:
                yield f"transfer {key} belongs to no adjustment"


def _transfer(adjustment: Adjustment) -> tuple[str, str, Legs]:
    """Key, kind and legs of the transfer of an adjustment."""
    wallet, source = wallet_code(adjustment.account), source_code(adjustment.source)
    legs = whole([(source, -adjustment.amount), (wallet, adjustment.amount)])
    return adjustment_key(adjustment.account, adjustment.key), "adjustment", legs
