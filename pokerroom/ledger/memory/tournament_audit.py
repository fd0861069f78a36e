"""What an audit finds of tournaments in memory: escrows, fees, places, prizes, transfers (`audit/tournaments.sql`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from pokerroom.ledger.memory.tournament_state import (
    REFUNDED,
    MemoryTournament,
    booked,
    stacks_and_prizes,
    unpaid,
)
from pokerroom.ledger.transfers import Legs, bounties_code, escrow_code

PAYING_S: Final = 60
"""A prize that is unpaid so long after the end is a difference, as in `audit/tournaments.sql`."""

_OF_TOURNAMENTS: Final = frozenset(
    {"entry", "late_entry", "entry_return", "overlay", "prize", "bounty", "rebuy", "add_on"}
)


def tournament_differences(
    tournaments: Mapping[str, MemoryTournament],
    transfers: Mapping[str, tuple[str, Legs]],
    sums: Mapping[str, int],
    now_s: float,
) -> Iterator[str]:
    """Name each difference. `transfers` are all by key, `sums` those of the legs by ledger account."""
    fees = 0
    for name, found in tournaments.items():
        held = sums.get(escrow_code(name), 0)
        if held != found.owed():
            yield f"escrow:{name} holds {held}, of a tournament that owes {found.owed()}"
        heads = sum(entry.head for entry in found.entries)
        if sums.get(bounties_code(name), 0) != heads:
            yield f"bounties:{name} holds {sums.get(bounties_code(name), 0)}, its heads are {heads}"
        if found.phase not in {"registering", *REFUNDED}:
            fees += found.fees()
        yield from _places(name, found, now_s)
    if sums.get("fees", 0) != fees:
        yield f"fees holds {sums.get('fees', 0)}, the tournaments that were played say {fees}"
    yield from _transfers(tournaments, transfers)


def _places(name: str, found: MemoryTournament, now_s: float) -> Iterator[str]:
    won = sum(given.prize for given in found.places.values())
    if found.phase in {"finished", "rolled_forward"} and (
        len(found.places) != len(found.active()) or won != sum(found.prizes)
    ):
        yield (
            f"tournament {name} has ended with {len(found.places)} of {len(found.active())} places"
            f" and prizes of {won}, its pool is {sum(found.prizes)}"
        )
    yield from stacks_and_prizes(name, found)
    if found.ended_s is not None and now_s - found.ended_s > PAYING_S:
        for number in unpaid(found):
            yield f"place {number} of tournament {name} is not paid, and it ended more than a minute ago"
    twice = Counter(given.account for given in found.places.values())
    for account in (account for account, count in twice.items() if count > 1):
        yield f"account {account} has more than one place in tournament {name}"


def _transfers(
    tournaments: Mapping[str, MemoryTournament], transfers: Mapping[str, tuple[str, Legs]]
) -> Iterator[str]:
    """Every entry, return and prize has its transfer, and every such transfer belongs to one."""
    expected: dict[str, tuple[str, Legs]] = {}
    for name, found in tournaments.items():
        expected |= booked(name, found, transfers)
    for key, (kind, legs) in transfers.items():
        if kind in _OF_TOURNAMENTS and expected.pop(key, None) != (kind, legs):
            yield f"transfer {key} belongs to no entry and no prize"
    for key in expected:
        yield f"there is no transfer {key}"
