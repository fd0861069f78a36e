"""What an audit says of a hand or round that a table's journal ends with, whatever is played there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Fate = Literal["settled", "complete", "in_progress", "void", "sealed"]
"""In the ledger already; to be settled, since its betting is complete (I4); to be played on; void, with every stack as
at its start; or not to be looked into without the key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalledHand:
    """One hand that a journal ends with; `hand_id` is None where that cannot be read.

    `reason` says why it is void. `difference` names what cannot be, for an audit; None if nothing is wrong.
    """

    table: str
    hand_id: str | None
    fate: Fate
    reason: str = ""
    difference: str | None = None
