"""The result of an audit of a hand or round that a table's journal ends with, for any game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Fate = Literal["settled", "complete", "in_progress", "void", "sealed"]
"""The fate of a hand at a takeover:

- settled: it is in the ledger already.
- complete: it is to be settled, because its betting is complete (I4).
- in_progress: it is to be played on.
- void: every stack is as at its start.
- sealed: it cannot be read without the key.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalledHand:
    """One hand that a journal ends with; `hand_id` is None if it cannot be read.

    `reason` says why it is void. `difference` describes an impossible state; None if nothing is wrong.
    """

    table: str
    hand_id: str | None
    fate: Fate
    reason: str = ""
    difference: str | None = None
