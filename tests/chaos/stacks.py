"""C1 from hand to hand: each began with the stacks that the ledger had then, to the chip.

What is not on the table yet is a top-up that the ledger had booked and the table did not know of when it dealt, and
nothing else: it was committed after the deal, or so shortly before that its answer can have been on its way. What was
on the table once stays there. Pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from tests.chaos.hand_ids import begun_s
from tests.chaos.records import Books

Blame = Callable[[str, str, str, str], None]

ANSWER_S: Final = 8.0
"""The ledger's answer to a top-up may take so long: the line to it is cut for less, and then it is asked again."""


GRAIN_S: Final = 0.001
"""A hand's id has the millisecond in which it was dealt, and a top-up may have been committed and told within it."""


@dataclass(slots=True, kw_only=True)
class _Stack:
    """One player's stack at one table, as the ledger has it."""

    held: int = 0
    top_ups: list[tuple[float, int]] = field(default_factory=list)
    """When each since the buy-in was committed, and its amount."""
    known: int = 0
    """So many of them were on the table in an earlier hand."""

    def explains(self, dealt_s: float, stack: int) -> bool:
        """Whether a hand that was dealt then may have begun with so much in front of the player."""
        for known in range(self.known, len(self.top_ups) + 1):
            waiting = self.top_ups[known:]
            told = all(at_s < dealt_s + GRAIN_S for at_s, _ in self.top_ups[:known])
            untold = all(at_s > dealt_s - ANSWER_S for at_s, _ in waiting)
            if told and untold and self.held - sum(amount for _, amount in waiting) == stack:
                self.known = known
                return True
        return False


def check_stacks(books: Books, blame: Blame) -> None:
    """See the module."""
    hands = {hand.transfer: hand for hand in books.hands if hand.table not in books.in_chips}
    stacks: defaultdict[str, _Stack] = defaultdict(_Stack)
    for transfer in books.transfers:
        hand = hands.get(transfer.number)
        for seat in () if hand is None else hand.record["seats"]:
            assert hand is not None
            known = stacks[f"stack:{hand.table}:{seat['account']}"]
            if not known.explains(begun_s(hand.hand_id), seat["stack"]):
                late_ms = [
                    round(1000 * (at_s - begun_s(hand.hand_id))) for at_s, _ in known.top_ups[known.known :]
                ]
                line = (
                    f"{seat['name']} held {known.held} in the ledger, and was dealt in with {seat['stack']}; "
                    f"top-ups not on the table before were committed so many ms after the deal: {late_ms}"
                )
                blame("C1", hand.table, hand.hand_id, line)
        for code, amount in transfer.legs:
            if code.startswith("stack:"):
                if transfer.kind == "buy_in":
                    stacks[code] = _Stack(held=stacks[code].held)
                elif transfer.kind == "top_up":
                    stacks[code].top_ups.append((transfer.committed_s, amount))
                stacks[code].held += amount
