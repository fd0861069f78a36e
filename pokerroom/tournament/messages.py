"""What a tournament and its tables tell each other: seat plans one way, reports the other.

Each message has the whole state of its sender and a number that only grows, whichever node owns the sender. So a
message may be lost, repeated or late: the newest one counts. A table sends its last report again until a plan answers
it, and now and then after that; so a lost plan comes again, too.
"""

from __future__ import annotations

from typing import Final, Literal, Protocol, TypeAlias, runtime_checkable

from msgspec import Struct, field

from pokerroom.rules.planned_hand import HandPlan
from pokerroom.rules.tournament import tables as rules
from pokerroom_protocol import messages as wire

PlayPhase: TypeAlias = Literal["running", "finished", "rolled_back", "rolled_forward"]
"""The phase as viewers are told it: an end when all places have been told."""


class HandOrder(Struct, frozen=True, kw_only=True):
    """The next hand of a table. `number` counts its hands from 1; `id` is larger for each later order."""

    id: int
    number: int
    level: int
    plan: HandPlan


MoveReason: TypeAlias = Literal["balance", "broken", "final_table"]
"""Why a player has moved, as clients are told it."""

TOLD_REASONS: Final[dict[rules.MoveReason, MoveReason]] = {
    rules.MoveReason.balance: "balance",
    rules.MoveReason.broken_table: "broken",
    rules.MoveReason.final_table: "final_table",
}


class SeatOrigin(Struct, frozen=True, kw_only=True):
    """Where a player came from, as the director that moved or seated them remembers it."""

    table: str
    """Empty for a player who has entered late."""
    reason: MoveReason | Literal["entered"]


class PlannedSeat(Struct, frozen=True, kw_only=True):
    """A player who sits at the table and has chips."""

    account: int
    seat: int
    name: str
    away: bool
    chips: int = 0
    """Those after the last finished hand: the stack of a player that comes from another table, 0 for one that decides
    on a rebuy.
    """
    bought: int = 0
    """The chips of all rebuys and add-ons of the player so far."""
    origin: SeatOrigin | None = None
    """Where the player came from with the last move; None without one, or if the tournament has another owner since."""


class PlannedPlace(Struct, frozen=True, kw_only=True):
    """A place that the ledger has; `seat` is where the player sat, None at another table."""

    number: int
    place: int
    account: int
    seat: int | None
    name: str
    prize: int


class DealAsk(Struct, frozen=True, kw_only=True):
    """A deal that a player proposes; a later one has a larger `number`."""

    number: int
    account: int
    kind: Literal["icm", "chips"]
    for_the_winner: int


class DealDeskState(Struct, frozen=True, kw_only=True):
    """What players at the table have asked and answered, that the director may not know yet.

    `votes` are by account, on the deal with the number `on`; True: accepted.
    """

    ask: DealAsk | None = None
    on: int = 0
    votes: dict[int, bool] = {}


DealEndReason: TypeAlias = Literal["agreed", "refused", "left", "timed_out", "impossible", "stopped"]


class DealEnd(Struct, frozen=True, kw_only=True):
    """How a deal ended; `name` is that of the player who refused."""

    deal: int
    reason: DealEndReason
    name: str | None = None


class PlannedDeals(Struct, frozen=True, kw_only=True):
    """The deals of a tournament that offers them.

    `refusal` is the code with which a proposal is refused now; `least` and `most` bound what is set aside for the
    winner otherwise. `asked` is the number of the last proposal that the director has taken. `view` is the deal that
    is open or agreed, `ended` the last one that ended.
    """

    refusal: str | None
    least: int
    most: int
    asked: int
    view: wire.DealView | None
    ended: DealEnd | None


class SeatPlan(Struct, frozen=True, kw_only=True, tag="plan"):
    """Tournament to table: who sits there, the next hand, and the tournament as its viewers see it."""

    table: str
    number: int
    answers: int
    """The number of the last report that the tournament has taken; 0 if it knows none."""
    seats: list[PlannedSeat]
    order: HandOrder | None
    """The hand to deal, or the hand in progress; None: no hand may be dealt."""
    break_off: bool
    """Whether a hand in progress is void, by the operator's order; none may be dealt."""
    phase: PlayPhase
    level: wire.LevelView
    paused: bool
    on_break: bool
    break_until_ms: int | None
    places: list[PlannedPlace]
    """The best place first: those of players that sat here, and the best of the others."""
    closed: bool = False
    """Whether all players have moved away, and nothing more is played at the table."""
    moved: list[wire.MovedPlayer] = field(default_factory=list)
    """Where they went, if it is `closed`, as far as the director or the ledger tells."""
    out_leave: bool = False
    """Whether players that are out leave their seats without a place, because they may come back."""
    players: int = 0
    """The number of players so far; 0: that of the terms."""
    prizes: list[int] = field(default_factory=list)
    """Those that were fixed when entries closed."""
    deals: PlannedDeals | None = None


class DeskReport(Struct, frozen=True, kw_only=True, tag="report"):
    """Table to tournament: how far it is."""

    table: str
    number: int
    seen: int
    """The number of the last plan that the table has taken; 0 if it knows none, and so no seats and no hands."""
    hands: int
    """The number of its hands that are in the ledger."""
    stacks: dict[int, int]
    """The chips of each account after the last of them, 0 for players that are out."""
    playing: bool
    """Whether a hand is in progress that is not in the ledger yet; if `frozen`, whether it may still get there."""
    level: int
    """The level of that hand."""
    plan: HandPlan | None = None
    """That of the hand in progress, or of the last one that was dealt by this table object; None if it knows none."""
    taken: int
    """The id of the last order that was dealt, whatever became of the hand."""
    ready: bool
    """Whether the next hand could be dealt if there were an order for it."""
    away: list[int]
    """Accounts that are away (H5)."""
    frozen: bool
    """Whether nothing moves at the table."""
    held: bool
    """Whether that is so until the operator resumes it."""
    deal: DealDeskState | None = None


class TournamentStatus(Struct, frozen=True, kw_only=True):
    """The clock of a running tournament, which only its owner knows, for the lobby of every node."""

    tournament: str
    epoch: int
    """That of its owner: the status of a larger one is newer."""
    level: wire.LevelView
    paused: bool
    break_until_ms: int | None
    hand_for_hand: bool


TournamentLetter: TypeAlias = SeatPlan | DeskReport


@runtime_checkable
class LetterBox(Protocol):
    """A tournament, or one of its tables."""

    def hear(self, letter: TournamentLetter) -> None:
        """Take a message."""


@runtime_checkable
class LiveTournament(Protocol):
    """A tournament at its owner."""

    def status(self) -> TournamentStatus | None:
        """Return the clock; None if the tournament is not known yet, is over, or is frozen."""
