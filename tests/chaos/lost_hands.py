"""Hands that were told of and are not in the ledger: in progress still, or void, and that only where Redis lost data.

A hand may be void if Redis lost everything, or if another server took over from it and a node found entries of the
table missing then. The hand was dealt before the loss, no later hand of its table was, and no client was told before
the loss that it is void, nor of another action long after it. Whoever followed it is told that it is void, or shown
that it is no more, with every stack as at its start. Pure; see `evidence` for C1 to C8.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

from tests.chaos.evidence import Evidence
from tests.chaos.hands import Hand, Wipe

Blame = Callable[[str, str, str, str], None]

ON_ITS_WAY_S: Final = 3.0
"""An action that was journalled before a loss of Redis may be told so long after it: the node was stopped meanwhile,
and goes on."""

FOUND_S: Final = 10.0
"""So long after the last moments were lost a node may find out what is missing; it has to reach the other server."""


def check_unsettled(hand: Hand, evidence: Evidence, deals_s: Collection[float], blame: Blame) -> None:
    """C1, C3, C5 of one such hand; `deals_s` is when its table has dealt which hands, this one too."""

    def wrong(check: str, line: str) -> None:
        blame(check, hand.table, hand.hand_id, line)

    settled = [client for client, void in hand.ends.items() if not void]
    if settled or hand.awards:
        wrong("C3", f"its result is told to {len(settled)}, the ledger has it not")
        return
    if not hand.ends and evidence.latest.get(hand.table) == hand.hand_id:
        return  # it is in progress
    evidence.counts["hands_void"] += 1
    missing_s = evidence.missing.get(hand.table, ())
    if not any(_lost(wipe, missing_s) and _was_lost(hand, wipe, deals_s) for wipe in evidence.wipes):
        told = "told to be void" if hand.ends else "dropped without a word"
        lost = len(hand.acknowledged)
        wrong("C5", f"{told}, and its journal was there; {lost} acknowledged actions lost")
    for line in _wrong_stacks(hand, deals_s):
        wrong("C1", line)


def _lost(wipe: Wipe, missing_s: Collection[float]) -> bool:
    """Whether Redis lost entries of a table of which a node found some missing at these times."""
    if wipe.lost == "last moments":
        return any(wipe.from_s <= at_s <= wipe.until_s + FOUND_S for at_s in missing_s)
    return wipe.lost == "everything"


def _was_lost(hand: Hand, wipe: Wipe, deals_s: Collection[float]) -> bool:
    """Whether it was in progress when Redis lost its journal."""
    begun_s = hand.begun_s
    if begun_s > wipe.until_s or any(begun_s < other < wipe.from_s for other in deals_s):
        return False
    if hand.void_s is not None and hand.void_s < wipe.from_s:
        return False
    return hand.acted_s <= wipe.until_s + ON_ITS_WAY_S


def _wrong_stacks(hand: Hand, deals_s: Collection[float]) -> list[str]:
    """Of those who were shown that it is no more, before the next one was dealt: it has moved nothing."""
    found = []
    start = {} if hand.start is None else dict(hand.start.values())
    for client, (at_s, stacks) in hand.left.items():
        if any(hand.begun_s < other <= at_s for other in deals_s):
            continue
        moved = {name: stacks[name] for name, stack in start.items() if stacks.get(name, stack) != stack}
        if moved:
            found.append(
                f"it is void, and {client} is shown {moved}, not the stacks as at its start, {start}"
            )
    return found


def check_followed(evidence: Evidence, here: Mapping[str, str], blame: Blame) -> None:
    """C3, at rest: of the clients `here` (name -> table) none waits for the end of a hand that they were told of."""
    for (client, table), hand_id in evidence.follows.items():
        if here.get(client) == table:
            blame("C3", table, hand_id, f"{client} was never told what became of it")


def dealt(evidence: Evidence, settled: Iterable[tuple[str, float]]) -> dict[str, list[float]]:
    """Table -> when its hands were dealt, as anybody knows of them: told to a client, or `settled` (table, when)."""
    found: defaultdict[str, set[float]] = defaultdict(set)
    for table, begun in [*((hand.table, hand.begun_s) for hand in evidence.hands.values()), *settled]:
        found[table].add(begun)
    return {table: sorted(times) for table, times in found.items()}
