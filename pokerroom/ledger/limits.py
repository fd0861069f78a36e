"""The contract for limits of players: deposits, net loss and time of play, with the rules of `api`.

A limit holds for a calendar window of UTC. The player sets it; of the limit and the operator's cap the lower holds.
The transaction that would break a limit is refused with `LimitReached`: a deposit when it is requested, a loss where
money enters a game, time of play where a player takes a seat. Less holds at once. More, or no limit, holds only once it
is set again, from `INCREASE_S` after it was asked for on, for `CONFIRM_S`. House bots have no limits.

A loss counts when the player leaves the table, or when the round or sit-and-go ends. Until then all that the player has
brought counts as lost (house choice), so no more can be lost than the limit allows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from twisted.internet.defer import Deferred

from pokerroom.ledger.api import Facts, LedgerRefusal

LimitKind = Literal["deposit", "loss", "session"]
LimitPeriod = Literal["day", "week", "month"]

LIMITS: Final[tuple[tuple[LimitKind, LimitPeriod], ...]] = (
    ("deposit", "day"),
    ("deposit", "week"),
    ("deposit", "month"),
    ("loss", "day"),
    ("loss", "week"),
    ("loss", "month"),
    ("session", "day"),
)
"""All limits that there are. The schema has the same."""

INCREASE_S: Final = 86_400
"""A player waits so long before an increase can be confirmed."""

CONFIRM_S: Final = 7 * 86_400
"""For so long it can be confirmed then; later it must be asked for again. So no wish of last year is at hand in a bad
moment (house choice: rules ask for a confirmation, and name no end)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitRow:
    """One limit of an account. Amounts in the smallest unit; those of `session` in seconds. None: no limit."""

    kind: LimitKind
    period: LimitPeriod
    value: int | None
    """What the player has set."""
    cap: int | None
    """The operator's."""
    used: int
    """In the present window; less than 0 after a win."""
    ends_ms: int
    """The end of the present window."""
    wanted: int | None = None
    wanted_from_ms: int | None = None
    """From when on the increase to `wanted` may be confirmed; None: none was asked for, or it has expired."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayWatched:
    """What is known of the play of an account on this day (UTC)."""

    account: int
    played_s: int
    added_s: int
    """The part of `played_s` that was noted now."""
    left_s: int | None
    """What is left of a limit of time; None: there is none."""
    ends_ms: int | None
    """The end of its window."""
    check_due: bool
    """Whether the player asked to be told now how long they have played."""
    net: int
    """What was won, or lost, on this day, if the check is due.

    Stacks count; rounds and sit-and-gos in progress do not.
    """


class LimitReached(LedgerRefusal):
    """A limit of the player does not allow it. `left` is what is left until `ends_ms`."""

    code = "limit_reached"

    def __init__(self, *, kind: str, period: str, left: int, ends_ms: int) -> None:
        super().__init__(f"{left} is left of the limit of the {period} ({kind})")
        self.kind = kind
        self.period = period
        self.left = left
        self.ends_ms = ends_ms

    @property
    def facts(self) -> Facts:
        """See `LedgerRefusal`."""
        return {"limit": f"{self.kind}_{self.period}", "amount": self.left, "until_ms": self.ends_ms}


class LimitLedger(Protocol):
    """The contract, in addition to that of `Ledger`."""

    def limits(self, account: int) -> Deferred[Sequence[LimitRow]]:
        """All limits of `LIMITS`, by kind and the length of the window, also those that are not set."""

    def set_limit(
        self, account: int, kind: LimitKind, period: LimitPeriod, value: int | None
    ) -> Deferred[None]:
        """Sets a limit; None is none. The present value withdraws an increase.

        Raises LookupError for an unknown account.
        """

    def watch_play(
        self, connected: Collection[int], seated: Collection[int], every_s: int
    ) -> Deferred[Sequence[PlayWatched]]:
        """Notes that accounts are connected. Called every `every_s` seconds by each node, with its own accounts.

        Of those that play, the time since the last note of any node counts. Fires with the accounts among them, and
        among `seated`, that have a limit of time or a reality check that is due.
        """

    def set_limit_caps(self, caps: Mapping[tuple[LimitKind, LimitPeriod], int]) -> Deferred[None]:
        """Stores the operator's caps for all accounts. Limits that are not named have none."""
