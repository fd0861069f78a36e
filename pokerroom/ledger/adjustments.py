"""The contract for adjustments: what an operator moves between a source of the cashier and a wallet.

An operator makes an adjustment alone. With *four eyes* it is a proposal, which another operator approves within a day.
The money moves once, at the approval, under the permanent key `adjust:<account>:<key>`. A proposal holds no money. Each
step is a line of the operators' log, in its transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerRefusal
from pokerroom.ledger.operator_log import THE_ROOM, Acting

AdjustmentState = Literal["proposed", "made", "refused", "expired"]

PROPOSAL_S: Final = 86_400
"""A proposal can be approved for so long."""


class SameOperator(LedgerRefusal):
    """The operator who proposed the adjustment cannot approve it."""

    code = "same_operator"


class FourEyesNeeded(LedgerRefusal):
    """With four eyes no operator moves money at once: it must be an adjustment."""

    code = "four_eyes_needed"


class OperatorNeeded(LedgerRefusal):
    """With four eyes an adjustment needs operators with accounts: two users of a machine may be one person."""

    code = "operator_needed"


class ProposalExpired(LedgerRefusal):
    """The adjustment was proposed too long ago."""

    code = "proposal_expired"


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjustment:
    """`amount` goes from the source to the wallet; a negative one goes from the wallet to the source."""

    account: int
    key: str
    amount: Money
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustmentRow:
    """An adjustment and its state. `number` counts those of all accounts."""

    number: int
    adjustment: Adjustment
    name: str
    state: AdjustmentState
    reason: str
    proposed_by: str
    proposed_ms: int
    decided_by: str | None
    decided_ms: int | None


class AdjustmentLedger(Protocol):
    """The contract. Every method may fail with `LedgerUnavailable`."""

    def set_four_eyes(self, *, on: bool, by: Acting = THE_ROOM) -> Deferred[None]:
        """Sets whether adjustments need two operators. The setting is of the ledger, so no command can leave it out."""

    def adjust(self, adjustment: Adjustment, *, by: Acting) -> Deferred[AdjustmentRow]:
        """Makes an adjustment, or with four eyes proposes it. The same adjustment again returns its state.

        Raises `UnknownSource`, `CashKeyUsed`, LookupError for an unknown account, and ValueError for an amount of 0 or
        without a reason. Without four eyes also `SourceEmpty` and `InsufficientBalance`, with them `OperatorNeeded`.
        """

    def decide_adjustment(self, number: int, *, approve: bool, by: Acting) -> Deferred[AdjustmentRow]:
        """Approves or refuses a proposal, once. The same decision again changes nothing.

        An approval raises `OperatorNeeded`, `SameOperator`, `ProposalExpired`, `SourceEmpty` and
        `InsufficientBalance`. Raises `CashDecided`, and LookupError for an unknown number.
        """

    def adjustments(self, waiting: bool, limit: int) -> Deferred[Sequence[AdjustmentRow]]:
        """The last adjustments, newest first; with `waiting` those that can be approved."""


def check_adjustment(adjustment: Adjustment, by: Acting) -> None:
    """Raises ValueError for an adjustment of nothing, or without a reason."""
    if adjustment.amount == 0:
        raise ValueError("an adjustment moves an amount")
    if not by.reason:
        raise ValueError("an adjustment needs a reason")
