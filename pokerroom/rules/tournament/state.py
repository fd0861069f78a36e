"""What a sit-and-go is at any moment, and what can happen in it: values that never change.

`tournament` makes one state of another. A state knows accounts by number; cards, clocks and money's whereabouts are
other people's.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from pokerroom.chips import Chips, Money
from pokerroom.rules.button import HandPlan, Positions
from pokerroom.rules.tournament.prizes import fixed_prizes, prize_pool
from pokerroom.rules.tournament.schedule import BlindSchedule, LevelClock


class TournamentRefusal(Exception):  # noqa: N818 -- a refusal is an answer to a wish, not an error of the room
    """Raised for what cannot be done to a tournament as it is; nothing has changed.

    `code` is stable: `registered_already`, `not_registered`, `tournament_full`, `not_full`, `tournament_started`,
    `not_running`, `hand_in_progress`, `no_hand`, `paused`, `not_paused`, `on_break`, `not_playing`, `prizes_won`.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentTerms:
    """What is played for, and how. Money is in 1/100 credit; `fee` is the part of `buy_in` that the house keeps (I1).

    Raises `PrizeTableError` where the prizes are not exactly the pool, else ValueError for what cannot be.
    """

    seats: int
    buy_in: Money
    fee: Money
    starting_stack: Chips
    schedule: BlindSchedule
    prizes: tuple[Money, ...]

    def __post_init__(self) -> None:
        if self.seats > 10 or self.starting_stack < 1:
            raise ValueError("a table has ten seats at most, and a player a chip at least")
        fixed_prizes(self.prizes, pool=self.pool, seats=self.seats)

    @property
    def pool(self) -> Money:
        """What the prizes add up to."""
        return prize_pool(self.seats, self.buy_in, self.fee)


class TournamentPhase(StrEnum):
    """How far a tournament has come; the last four are for ever."""

    registering = "registering"
    running = "running"
    finished = "finished"
    cancelled = "cancelled"
    rolled_back = "rolled_back"
    rolled_forward = "rolled_forward"


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentPlayer:
    """One who sits, or has sat, in the tournament; `chips` as of the last finished hand, 0 for who is out.

    Who is `away` is dealt in, posts, and is folded at his turn without a clock, until he acts or returns (H5).
    """

    account: int
    seat: int
    chips: Chips
    away: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedPlayer:
    """Where somebody has finished. Who tie share a `place`; `number` (1 to seats) is his alone, and his prize's."""

    number: int
    place: int
    account: int
    prize: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentHand:
    """The hand in progress: its plan, and the level it was dealt at."""

    plan: HandPlan
    level: int


_BEGINNING: Final = LevelClock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament:
    """See the module. `players` are in the order of their seats, `standings` the best first."""

    terms: TournamentTerms
    phase: TournamentPhase = TournamentPhase.registering
    registered: tuple[int, ...] = ()
    """Accounts in the order in which they came, until the start."""
    players: tuple[TournamentPlayer, ...] = ()
    clock: LevelClock = _BEGINNING
    paused: bool = False
    positions: Positions | None = None
    """Of the last hand that was dealt and not void."""
    hand: TournamentHand | None = None
    hands: int = 0
    """So many are finished."""
    standings: tuple[PlacedPlayer, ...] = ()

    @property
    def full(self) -> bool:
        """Whether every seat is taken."""
        return len(self.registered) == self.terms.seats

    def left(self) -> tuple[TournamentPlayer, ...]:
        """Those with chips, from the first left of the button."""
        button = 0 if self.positions is None else self.positions.button
        alive = [player for player in self.players if player.chips]
        return tuple(sorted(alive, key=lambda player: (player.seat <= button, player.seat)))

    def player(self, account: int) -> TournamentPlayer | None:
        """The player of an account, in or out."""
        return next((player for player in self.players if player.account == account), None)


# --- what happens ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """Somebody has a seat."""

    account: int
    full: bool
    """It was the last one: the tournament can start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unregistered:
    """Somebody has given his seat back, and gets his buy-in back."""

    account: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentStarted:
    """Seats are drawn; the fees are the house's from now on."""

    players: tuple[TournamentPlayer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelBegan:
    """From the next hand on (B9). `level` counts from 0."""

    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelBreakBegan:
    """Once the hand in progress has ended nobody is dealt in for so long."""

    break_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelBreakEnded:
    """The next hand may be dealt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentHandDealt:
    """A hand begins, at this level."""

    plan: HandPlan
    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentHandVoided:
    """The hand in progress counts as never dealt (I4)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WentAway:
    """Somebody has left, or let the clock decide (H5)."""

    account: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CameBack:
    """He plays on."""

    account: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Somebody has finished, and gets this prize: 0 where none is paid."""

    standing: PlacedPlayer


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentPaused:
    """No hand is dealt, and the clock of the level stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentResumed:
    """The next hand may be dealt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentEnded:
    """Nothing happens any more. `phase` says how it ended."""

    phase: TournamentPhase


@dataclass(frozen=True, slots=True, kw_only=True)
class Refunded:
    """Somebody gets back what he has paid, the fee with it."""

    account: int
    amount: Money


TournamentEvent = (
    Registered
    | Unregistered
    | TournamentStarted
    | LevelBegan
    | LevelBreakBegan
    | LevelBreakEnded
    | TournamentHandDealt
    | TournamentHandVoided
    | WentAway
    | CameBack
    | Placed
    | TournamentPaused
    | TournamentResumed
    | TournamentEnded
    | Refunded
)
