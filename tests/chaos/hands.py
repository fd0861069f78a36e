"""What all clients together were told of a hand, and when Redis lost something, which may make one void."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tests.chaos.hand_ids import begun_s


@dataclass(slots=True, kw_only=True)
class Wipe:
    """Redis has lost something at some moment between these, by the wall clock: what was in progress may be void."""

    from_s: float
    until_s: float
    lost: Literal["everything", "last moments", "nothing"] = "everything"
    """The last moments: another server took over, which may lack them. A table with all its entries lost nothing."""


@dataclass(slots=True, kw_only=True)
class Hand:
    """What all clients together were told of one hand. Times are of the wall clock."""

    table: str
    hand_id: str
    acted_s: float = 0.0
    """When a client was told last of an action that no client was told before; 0 if there was none."""
    result_s: float | None = None
    """When a client was told first of its result."""
    void_s: float | None = None
    """When a client was told first that it is void."""
    start: dict[int, tuple[str, int]] | None = None
    """Seat -> name and stack of those dealt in."""
    own: dict[str, tuple[str, ...]] = field(default_factory=dict)
    seen: dict[str, set[str]] = field(default_factory=dict)
    """Client -> every card in anything they were told of this hand."""
    streets: dict[str, tuple[str, ...]] = field(default_factory=dict)
    public: set[str] = field(default_factory=set)
    """Cards that snapshots show to every client."""
    shown: dict[int, tuple[str, ...]] = field(default_factory=dict)
    acted: dict[int, tuple[int, str, int, int]] = field(default_factory=dict)
    """Number of the event -> seat, action, added, bet."""
    acknowledged: list[tuple[str, int, str, int | None]] = field(default_factory=list)
    """Client, number of the turn, action, amount."""
    ends: dict[str, bool] = field(default_factory=dict)
    """Client -> whether they were told that it is void."""
    end_stacks: dict[int, int] | None = None
    awards: dict[int, tuple[int, tuple[tuple[int, int], ...]]] = field(default_factory=dict)
    """Pot -> amount and shares (seat, amount)."""
    awarded: set[tuple[str, int]] = field(default_factory=set)
    """(client, pot) that were told."""
    left: dict[str, tuple[float, dict[str, int]]] = field(default_factory=dict)
    """Client -> when a snapshot without this hand told them that it is no more, and every client's stack in it."""

    @property
    def rake(self) -> int:
        """What was taken of the pots that were told."""
        return sum(amount - sum(won for _, won in shares) for amount, shares in self.awards.values())

    @property
    def begun_s(self) -> float:
        """When it was dealt."""
        return begun_s(self.hand_id)
